/* Decodes MessagePack in contiguous memory to Ruby values. */
#ifndef SLIPSTREAM_DECODE_H
#define SLIPSTREAM_DECODE_H

#include "exts.h"
#include "keys.h"
#include "scan.h"

/* unpack_options_t holds the options of a decoder. */
typedef struct {
    bool symbolize_keys, freeze, allow_unknown_ext, key_cache, transactional;
    uint32_t max_depth; /* maximum nesting of containers, including those around a recursive ext */
    limits_t limits;
    bool limited;       /* at least one limit is set */
    size_t share;       /* length in bytes from which on Strings share memory with the source */
} unpack_options_t;

void unpack_options_init(unpack_options_t *o);
/* Sets the options in a Hash; nil changes nothing. Raises ArgumentError for other objects and for
 * limits out of range. */
void unpack_options_read(unpack_options_t *o, VALUE options);

typedef struct decoder decoder_t;
struct decoder {
    const uint8_t *p, *end;
    /* start of the memory, from which pin recomputes p and end when the memory moves */
    const uint8_t *start;
    /* the frozen String that contains all bytes, or Qfalse until it is needed */
    VALUE source;
    /* creates and returns source, and sets start to the first byte in it */
    VALUE (*pin)(decoder_t *);
    /* argument of pin: the Unpacker of a decoder that reads from a buffer */
    void *of;
    /* reads of the buffer when this decoder last looked at it (Unpacker only) */
    size_t reads;
    VALUE string;
    const unpack_options_t *o;
    const unpack_exts_t *exts;
    keys_t *keys;
    /* containers around the current value, including those around the payload of an ext */
    uint32_t depth;

    /* Stack of the elements of containers that are not created yet. */
    VALUE *stack;
    size_t top, capacity;
    /* heap memory of the stack once it has outgrown its first memory; else 0 */
    volatile VALUE memory;
};

#define FIRST_STACK 256

/* decode returns the value at p and advances p. If the value is incomplete, it returns Qundef and p
 * is unspecified. first is an array of FIRST_STACK elements on the C stack, where the garbage
 * collector finds its values. decode raises subclasses of UnpackError, and may run Ruby code:
 * callables of ext types, and hash methods of map keys. */
VALUE decode(decoder_t *d, VALUE *first);

/* raise_limit raises LimitError for the header at p, which exceeds a limit. */
NORETURN(void raise_limit(const limits_t *limits, const uint8_t *p));

void Init_decode(VALUE mMessagePack);

#endif
