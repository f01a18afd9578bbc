/* The class MessagePack::Packer. */
#ifndef SLIPSTREAM_PACKER_H
#define SLIPSTREAM_PACKER_H

#include "buffer.h"
#include "encode.h"

extern VALUE cPacker;

/* packer_new returns a Packer with the ext types of exts. argc and argv are the arguments of
 * Packer.new. */
VALUE packer_new(const pack_exts_t *exts, int argc, const VALUE *argv);
/* packer_child returns a Packer without an io. The Packer has the options and ext types of e. */
VALUE packer_child(const encoder_t *e);
buffer_t *packer_buffer(VALUE packer);
void packer_reset(VALUE packer);
/* packer_written returns a value that changes with each byte written. */
uint64_t packer_written(VALUE packer);

/* packer_options sets compatibility_mode, float32 and strict from options, a Hash or nil. It raises
 * TypeError for other objects. It ignores the options of buffers. */
void packer_options(encoder_t *e, VALUE options);

void Init_packer(VALUE mMessagePack);

#endif
