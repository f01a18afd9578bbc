/* MessagePack to Ruby values, out of memory that lies together. */
#ifndef SLIPSTREAM_DECODE_H
#define SLIPSTREAM_DECODE_H

#include "exts.h"
#include "keys.h"
#include "scan.h"

/* What a reader was asked for. */
typedef struct {
    bool symbolize_keys, freeze, allow_unknown_ext, key_cache, transactional;
    uint32_t max_depth; /* nested containers, those around a recursive ext among them */
    limits_t limits;
    bool limited;       /* there are limits */
    size_t share;       /* bytes from which on strings share memory with the source */
} unpack_options_t;

void unpack_options_init(unpack_options_t *o);
void unpack_options_read(unpack_options_t *o, VALUE options); /* a Hash or nil. ArgumentError for limits that are none */

typedef struct decoder decoder_t;
struct decoder {
    const uint8_t *p, *end;
    const uint8_t *start;      /* where end was counted from: p may move with its memory */
    VALUE source;              /* the frozen String that all of it is in, or Qfalse as long as nobody needed one */
    VALUE (*pin)(decoder_t *); /* makes source, and leaves start where it is the first byte then */
    void *of;                  /* what pin works on */
    size_t reads;              /* of an Unpacker's buffer, when it was as this decoder sees it */
    VALUE string;
    const unpack_options_t *o;
    const unpack_exts_t *exts;
    keys_t *keys;
    uint32_t depth;            /* containers around the current value, those around an ext's payload included */

    /* Elements of containers that are not made yet. */
    VALUE *stack;
    size_t top, room;
    volatile VALUE memory;     /* of the stack, once it has outgrown its first place */
};

#define FIRST_STACK 256

/* decode is the value at p, or Qundef if that is not all there. Then p is anywhere. first is room for FIRST_STACK values on the C stack, where the
 * collector finds them. */
VALUE decode(decoder_t *d, VALUE *first);

/* raise_limit tells of the head at p, which is beyond a limit. */
NORETURN(void raise_limit(const limits_t *limits, const uint8_t *p));

void Init_decode(VALUE mMessagePack);

#endif
