/* Registered ext types: by class for packing, by type for unpacking. They are stored in a frozen
 * Ruby Hash and a frozen Ruby Array, and each registration creates a new one. So a packer keeps the
 * ext types that its factory had when the packer was created.
 *
 *   packing:   { klass => [type, callable, flags] }
 *   unpacking: [ [klass, callable, flags] or nil ] * 256, indexed by type + 128 */
#ifndef SLIPSTREAM_EXTS_H
#define SLIPSTREAM_EXTS_H

#include <stdbool.h>
#include "ruby.h"

enum {
    EXT_RECURSIVE = 1, /* the callable receives a Packer or an Unpacker */
    EXT_OVERSIZED = 2, /* the type applies only to Integers of more than 64 bits */
    EXT_SYMBOL = 4,    /* the payload is the name of a Symbol */
    EXT_TIME = 8,      /* the payload is the timestamp of a Time */
};

typedef struct {
    VALUE types;   /* Hash, or Qnil if no type is registered */
    /* cache is a Hash of the entries found, by class. It is Qfalse before the first lookup, and
     * Qnil if the struct belongs to a frozen factory, which must not change. */
    VALUE cache;
    VALUE symbol;  /* the entry of Symbol, or Qnil */
    VALUE integer; /* the entry of oversized Integers, or Qnil */
    VALUE owner;   /* the object that contains this struct, for write barriers */
} pack_exts_t;

typedef struct {
    VALUE types; /* Array, or Qnil if no type is registered */
} unpack_exts_t;

/* Accessors for the parts of an entry. Packing and unpacking entries have the same layout. */
static inline VALUE entry_key(VALUE entry) { return RARRAY_AREF(entry, 0); }
static inline VALUE entry_callable(VALUE entry) { return RARRAY_AREF(entry, 1); }
static inline int entry_flags(VALUE entry) { return FIX2INT(RARRAY_AREF(entry, 2)); }

/* ext_type converts a type number. It raises TypeError if type is not an Integer, and RangeError if
 * type is not from -128 to 127. */
int ext_type(VALUE type);

void pack_exts_init(pack_exts_t *x, VALUE owner);
void pack_exts_mark(const pack_exts_t *x);
void pack_exts_compact(pack_exts_t *x);
void pack_exts_copy(pack_exts_t *to, const pack_exts_t *from); /* does not copy the cache */
/* pack_exts_add replaces the entry of klass, if there is one. The new entry keeps its place in the
 * search for ancestors. If callable is nil, the entry is only listed. */
void pack_exts_add(pack_exts_t *x, int type, VALUE klass, VALUE callable, int flags);
VALUE pack_exts_hash(const pack_exts_t *x);
/* pack_exts_find returns the entry for an object, or Qfalse. */
VALUE pack_exts_find(pack_exts_t *x, VALUE object);

size_t pack_exts_memsize(const pack_exts_t *x);

void unpack_exts_init(unpack_exts_t *x);
void unpack_exts_mark(const unpack_exts_t *x);
void unpack_exts_compact(unpack_exts_t *x);
/* unpack_exts_add replaces the entry of type. If callable is nil, the entry is only listed. */
void unpack_exts_add(unpack_exts_t *x, VALUE owner, int type, VALUE klass, VALUE callable, int flags);
VALUE unpack_exts_hash(const unpack_exts_t *x);
size_t unpack_exts_memsize(const unpack_exts_t *x);

/* unpack_exts_find returns the entry for a type, or Qnil. */
static inline VALUE unpack_exts_find(const unpack_exts_t *x, int type)
{
    VALUE entry = NIL_P(x->types) ? Qnil : RARRAY_AREF(x->types, type + 128);
    return NIL_P(entry) || NIL_P(entry_callable(entry)) ? Qnil : entry;
}

/* ext_call calls a registered callable, and returns its result. */
VALUE ext_call(VALUE callable, int argc, const VALUE *argv);

void Init_exts(void);

#endif
