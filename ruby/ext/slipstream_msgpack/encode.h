/* Ruby values to MessagePack. */
#ifndef SLIPSTREAM_ENCODE_H
#define SLIPSTREAM_ENCODE_H

#include "exts.h"
#include "format.h"
#include "out.h"

typedef struct {
    out_t *out;
    pack_exts_t *exts;
    VALUE self;   /* the Packer that all of this belongs to, or Qnil: then what methods of others write comes by way of child */
    VALUE child;  /* a Packer for that, and for the payloads of recursive ext types, or Qnil until there is a need */
    bool compat;  /* no str8 and no bin */
    bool float32; /* a Float that a float 32 can be is one */
    bool strict;  /* no objects of subclasses without an ext type, and nothing that writes nothing */
} encoder_t;

void encode(encoder_t *e, VALUE v);

/* Parts of it, which Packer has methods for. */
void encode_float(encoder_t *e, double d);
void encode_string(encoder_t *e, VALUE string);
void encode_bin(encoder_t *e, VALUE string); /* whatever its encoding says */
void encode_symbol(encoder_t *e, VALUE symbol);
void encode_array(encoder_t *e, VALUE array, int depth);
void encode_hash(encoder_t *e, VALUE hash, int depth);
void encode_integer(encoder_t *e, VALUE integer);
void encode_ext(encoder_t *e, int type, VALUE payload);

static inline void encode_byte(encoder_t *e, uint8_t byte)
{
    out_need(e->out, 1);
    *e->out->p++ = byte;
}

void Init_encode(void);

#endif
