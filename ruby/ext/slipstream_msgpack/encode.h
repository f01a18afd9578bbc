/* Encodes Ruby values as MessagePack. */
#ifndef SLIPSTREAM_ENCODE_H
#define SLIPSTREAM_ENCODE_H

#include "exts.h"
#include "format.h"
#include "out.h"

typedef struct {
    out_t *out;
    pack_exts_t *exts;
    /* The Packer that contains this encoder, or Qnil. If self is Qnil, to_msgpack methods write to
     * child. */
    VALUE self;
    /* The Packer passed to the callables of recursive ext types, and to to_msgpack methods if self
     * is Qnil. Qnil until it is needed. */
    VALUE child;
    bool compat;  /* do not write str 8 and bin formats */
    bool float32; /* write a Float as float 32 if that loses no precision */
    /* Raise TypeError for an object of a subclass of String, Array or Hash without an ext type, and
     * for a to_msgpack method that writes nothing and returns no String. */
    bool strict;
} encoder_t;

/* encode appends v to out. It may run Ruby code: callables of ext types, to_msgpack methods, and
 * the io of out. */
void encode(encoder_t *e, VALUE v);

/* Encoders of single types. The write methods of Packer call them. */
void encode_float(encoder_t *e, double d);
void encode_string(encoder_t *e, VALUE string);
void encode_bin(encoder_t *e, VALUE string); /* ignores the encoding of string */
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
