/* MessagePack::Packer */
#ifndef SLIPSTREAM_PACKER_H
#define SLIPSTREAM_PACKER_H

#include "buffer.h"
#include "encode.h"

extern VALUE cPacker;

VALUE packer_new(const pack_exts_t *exts, int argc, const VALUE *argv); /* as Packer.new takes them */
VALUE packer_child(const encoder_t *e); /* a Packer into memory that packs as e does */
buffer_t *packer_buffer(VALUE packer);
void packer_reset(VALUE packer);
uint64_t packer_written(VALUE packer); /* changes with every byte that is written */

/* The options of packing that are not those of buffers: compatibility_mode, float32, strict. */
void packer_options(encoder_t *e, VALUE options);

void Init_packer(VALUE mMessagePack);

#endif
