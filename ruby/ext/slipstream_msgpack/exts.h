/* What is registered for ext types: for packing by class, for unpacking by type. Both are Ruby Hashes and Arrays that are never changed once somebody
 * else may see them: to register is to make a new one, so a packer keeps what its factory had when it was made.
 *
 *   packing:   { klass => [type, callable, flags] }      unpacking: [ [klass, callable, flags] or nil ] * 256, by type + 128 */
#ifndef SLIPSTREAM_EXTS_H
#define SLIPSTREAM_EXTS_H

#include <stdbool.h>
#include "ruby.h"

enum {
    EXT_RECURSIVE = 1, /* the callable gets a packer or an unpacker too */
    EXT_OVERSIZED = 2, /* Integers beyond 64 bits */
    EXT_SYMBOL = 4,    /* the payload is the name of a Symbol */
    EXT_TIME = 8,      /* the payload is the timestamp of a Time */
};

typedef struct {
    VALUE types;   /* Hash, or Qnil if nothing is registered */
    VALUE cache;   /* Hash of entries by classes that were looked for; Qfalse until one was. Qnil where nobody may change it */
    VALUE symbol;  /* the entries of Symbol and of oversized Integers, or Qnil */
    VALUE integer;
    VALUE owner;   /* the object that this is a part of, for write barriers */
} pack_exts_t;

typedef struct {
    VALUE types; /* Array, or Qnil if nothing is registered */
} unpack_exts_t;

/* Parts of an entry, of either kind. */
static inline VALUE entry_key(VALUE entry) { return RARRAY_AREF(entry, 0); }
static inline VALUE entry_callable(VALUE entry) { return RARRAY_AREF(entry, 1); }
static inline int entry_flags(VALUE entry) { return FIX2INT(RARRAY_AREF(entry, 2)); }

int ext_type(VALUE type); /* -128 to 127, or RangeError */

void pack_exts_init(pack_exts_t *x, VALUE owner);
void pack_exts_mark(const pack_exts_t *x);
void pack_exts_compact(pack_exts_t *x);
void pack_exts_copy(pack_exts_t *to, const pack_exts_t *from); /* with a cache of its own */
void pack_exts_add(pack_exts_t *x, int type, VALUE klass, VALUE callable, int flags);
VALUE pack_exts_hash(const pack_exts_t *x);
/* pack_exts_find is the entry for an object, or Qfalse. */
VALUE pack_exts_find(pack_exts_t *x, VALUE object);

size_t pack_exts_memsize(const pack_exts_t *x);

void unpack_exts_init(unpack_exts_t *x);
void unpack_exts_mark(const unpack_exts_t *x);
void unpack_exts_compact(unpack_exts_t *x);
void unpack_exts_add(unpack_exts_t *x, VALUE owner, int type, VALUE klass, VALUE callable, int flags);
VALUE unpack_exts_hash(const unpack_exts_t *x);
size_t unpack_exts_memsize(const unpack_exts_t *x);

static inline VALUE unpack_exts_find(const unpack_exts_t *x, int type)
{
    return NIL_P(x->types) ? Qnil : RARRAY_AREF(x->types, type + 128);
}

/* ext_call calls what was registered. */
VALUE ext_call(VALUE callable, int argc, const VALUE *argv);

void Init_exts(void);

#endif
