/* MessagePack for Ruby. The files are:
 *
 *   page         4 KB pages, shared by all buffers
 *   buffer       queues of chunks; buffer_io calls the io, buffer_class is MessagePack::Buffer
 *   share        Strings that share memory
 *   format       loads and stores the parts of the MessagePack format
 *   encode       encodes values; packer is MessagePack::Packer, string_out writes to one String
 *   decode       decodes values; unpacker is MessagePack::Unpacker, keys caches map keys,
 *                scan skips objects
 *   exts         registered ext types
 *   factory      MessagePack::Factory, MessagePack.pack and MessagePack.unpack */
#include "ruby.h"
#include "ruby/ractor.h"
#include "buffer.h"
#include "decode.h"
#include "encode.h"
#include "errors.h"
#include "exts.h"
#include "factory.h"
#include "keys.h"
#include "packer.h"
#include "share.h"
#include "unpacker.h"

__attribute__((visibility("default"))) void Init_slipstream_msgpack(void)
{
    rb_ext_ractor_safe(true);
    VALUE mMessagePack = rb_define_module("MessagePack");
    /* lib/slipstream/load_guard.rb uses this constant to distinguish these classes from those of
     * the msgpack gem. */
    rb_define_const(mMessagePack, "SLIPSTREAM", Qtrue);
    rb_funcall(mMessagePack, rb_intern("private_constant"), 1, ID2SYM(rb_intern("SLIPSTREAM")));
    Init_errors(mMessagePack);
    Init_exts();
    Init_keys();
    Init_encode();
    Init_decode(mMessagePack);
    Init_share(mMessagePack);
    Init_buffer(mMessagePack);
    Init_packer(mMessagePack);
    Init_unpacker(mMessagePack);
    Init_factory(mMessagePack);
}
