/* The class MessagePack::Unpacker. */
#ifndef SLIPSTREAM_UNPACKER_H
#define SLIPSTREAM_UNPACKER_H

#include "buffer.h"
#include "decode.h"

extern VALUE cUnpacker;

/* unpacker_new returns an Unpacker with the ext types of exts. argc and argv are the arguments of
 * Unpacker.new. */
VALUE unpacker_new(const unpack_exts_t *exts, int argc, const VALUE *argv);
/* unpacker_child returns an Unpacker for the payload of a recursive ext type. The Unpacker has the
 * options and ext types of d, and counts the nesting from the depth of d. */
VALUE unpacker_child(const decoder_t *d, VALUE payload);
VALUE unpacker_full_unpack(VALUE unpacker);

NORETURN(void raise_extra(size_t n));

void Init_unpacker(VALUE mMessagePack);

#endif
