/* MessagePack::Unpacker */
#ifndef SLIPSTREAM_UNPACKER_H
#define SLIPSTREAM_UNPACKER_H

#include "buffer.h"
#include "decode.h"

extern VALUE cUnpacker;

VALUE unpacker_new(const unpack_exts_t *exts, int argc, const VALUE *argv); /* as Unpacker.new takes them */
/* unpacker_child reads the payload of a recursive ext type as d reads what is around it. */
VALUE unpacker_child(const decoder_t *d, VALUE payload);
VALUE unpacker_full_unpack(VALUE unpacker);

NORETURN(void raise_extra(size_t n));

void Init_unpacker(VALUE mMessagePack);

#endif
