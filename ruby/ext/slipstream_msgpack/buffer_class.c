/* The class MessagePack::Buffer. A Buffer object either contains a buffer_t, or is a view of the
 * buffer_t of a packer or an unpacker. */
#include "buffer.h"

#include "share.h"

VALUE cBuffer;
static ID id_close;

/* A view has no own; its owner is the packer or unpacker that contains buffer. */
typedef struct {
    buffer_t *buffer;
    VALUE owner;
    buffer_t own[];
} object_t;

static bool is_view(const object_t *o)
{
    return o->buffer != o->own;
}

static void object_mark(void *data)
{
    const object_t *o = data;
    rb_gc_mark_movable(o->owner);
    if (!is_view(o)) {
        buffer_mark(o->buffer);
    }
}

static void object_compact(void *data)
{
    object_t *o = data;
    o->owner = rb_gc_location(o->owner);
    if (!is_view(o)) {
        buffer_compact(o->buffer);
    }
}

static void object_free(void *data)
{
    object_t *o = data;
    if (!is_view(o)) {
        buffer_free(o->buffer);
    }
    xfree(o);
}

/* The size of a view excludes its buffer, because the owner reports the size of the buffer. */
static size_t object_memsize(const void *data)
{
    const object_t *o = data;
    return sizeof(object_t) + (is_view(o) ? 0 : sizeof(buffer_t) + buffer_memsize(o->buffer));
}

static const rb_data_type_t object_type = {
    .wrap_struct_name = "msgpack:buffer",
    .function = {.dmark = object_mark, .dfree = object_free, .dsize = object_memsize, .dcompact = object_compact},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY | RUBY_TYPED_WB_PROTECTED,
};

/* allocate sets buffer after it has initialized own. Until then, the GC treats the object as a
 * view, and does not read own. */
static VALUE allocate(VALUE class)
{
    VALUE self = rb_data_typed_object_zalloc(class, sizeof(object_t) + sizeof(buffer_t), &object_type);
    object_t *o = RTYPEDDATA_DATA(self);
    o->owner = Qnil;
    buffer_init(o->own, self);
    o->buffer = o->own;
    return self;
}

VALUE buffer_view(buffer_t *b, VALUE owner)
{
    VALUE self = rb_data_typed_object_zalloc(cBuffer, sizeof(object_t), &object_type);
    object_t *o = RTYPEDDATA_DATA(self);
    RB_OBJ_WRITE(self, &o->owner, owner);
    o->buffer = b;
    return self;
}

static buffer_t *get(VALUE self)
{
    object_t *o = rb_check_typeddata(self, &object_type);
    return o->buffer;
}

/* call-seq: new(io = nil, options = {})
 * Creates a buffer. A Hash as the only argument is the options. */
static VALUE initialize(int argc, VALUE *argv, VALUE self)
{
    rb_check_arity(argc, 0, 2);
    VALUE io = argc > 0 ? argv[0] : Qnil, options = argc > 1 ? argv[1] : Qnil;
    if (argc == 1 && RB_TYPE_P(io, T_HASH)) {
        options = io;
        io = Qnil;
    }
    buffer_configure(get(self), io, options);
    return self;
}

static VALUE clear(VALUE self)
{
    buffer_clear(get(self));
    return Qnil;
}

static VALUE size(VALUE self)
{
    return SIZET2NUM(buffer_size(get(self)));
}

static VALUE is_empty(VALUE self)
{
    return buffer_empty(get(self)) ? Qtrue : Qfalse;
}

/* call-seq: write(string) -> Integer
 * Appends the bytes of string, and returns their number. */
static VALUE write_string(VALUE self, VALUE string)
{
    StringValue(string);
    size_t n = (size_t)RSTRING_LEN(string);
    buffer_append(get(self), string);
    return SIZET2NUM(n);
}

static VALUE append_string(VALUE self, VALUE string)
{
    write_string(self, string);
    return self;
}

/* call-seq: prepend(string) -> self
 * Inserts the bytes of string before the first byte. */
static VALUE prepend_string(VALUE self, VALUE string)
{
    StringValue(string);
    buffer_prepend(get(self), string);
    return self;
}

/* Reading. */

/* need reads from the io until the buffer contains n bytes. It raises EOFError if there are
 * fewer. */
static void need(buffer_t *b, size_t n)
{
    while (buffer_size(b) < n) {
        buffer_fill(b);
    }
}

/* available reads from the io until the buffer contains n bytes or the io ends. It returns n, or
 * the number of bytes in the buffer if there are fewer. It requests only missing bytes from the io:
 * a peer that waits for an answer sends no more, so a larger request would block. */
static size_t available(buffer_t *b, size_t n)
{
    size_t size;
    while ((size = buffer_size(b)) < n) {
        if (!buffer_try_fill(b, n - size)) {
            return buffer_size(b);
        }
    }
    return n;
}

static size_t length_argument(VALUE length)
{
    long n = NUM2LONG(length);
    if (n < 0) {
        rb_raise(rb_eArgError, "negative length %ld given", n);
    }
    return (size_t)n;
}

/* give returns bytes if out is nil. Otherwise it copies bytes to out, keeps the encoding of out,
 * and returns out. Callers call it last, so that an error leaves out unchanged. */
static VALUE give(VALUE bytes, VALUE out)
{
    if (out == Qnil) {
        return bytes;
    }
    int encoding_index = rb_enc_get_index(out);
    rb_str_replace(out, bytes);
    rb_enc_associate_index(out, encoding_index);
    RB_ENC_CODERANGE_CLEAR(out);
    return out;
}

typedef struct {
    bool all;   /* no length was given */
    size_t n;
    VALUE out;  /* the String argument, or Qnil */
} reading_t;

static reading_t reading_arguments(int argc, VALUE *argv)
{
    rb_check_arity(argc, 0, 2);
    reading_t r = {argc == 0 || argv[0] == Qnil, 0, argc > 1 ? argv[1] : Qnil};
    if (!r.all) {
        r.n = length_argument(argv[0]);
    }
    if (r.out != Qnil) {
        StringValue(r.out);
        rb_check_frozen(r.out);
    }
    return r;
}

static VALUE read_everything(buffer_t *b, VALUE out)
{
    return give(buffer_read(b, available(b, SIZE_MAX)), out);
}

/* call-seq: read(n = nil, out = nil) -> String or nil
 * Removes and returns up to n bytes, or all bytes if n is nil. Returns nil if n is greater than 0
 * and no bytes are left. */
static VALUE read_some(int argc, VALUE *argv, VALUE self)
{
    buffer_t *b = get(self);
    reading_t r = reading_arguments(argc, argv);
    if (r.all) {
        return read_everything(b, r.out);
    }
    VALUE bytes = give(buffer_read(b, available(b, r.n)), r.out);
    return r.n > 0 && RSTRING_LEN(bytes) == 0 ? Qnil : bytes;
}

/* call-seq: read_all(n = nil, out = nil) -> String
 * Removes and returns exactly n bytes, or all bytes if n is nil. Raises EOFError, and removes
 * nothing, if there are fewer than n bytes. */
static VALUE read_all(int argc, VALUE *argv, VALUE self)
{
    buffer_t *b = get(self);
    reading_t r = reading_arguments(argc, argv);
    if (r.all) {
        return read_everything(b, r.out);
    }
    need(b, r.n);
    return give(buffer_read(b, r.n), r.out);
}

/* call-seq: skip(n) -> Integer
 * Removes up to n bytes, and returns the number of removed bytes. */
static VALUE skip(VALUE self, VALUE length)
{
    buffer_t *b = get(self);
    size_t n = available(b, length_argument(length));
    buffer_skip(b, n);
    return SIZET2NUM(n);
}

/* call-seq: skip_all(n) -> self
 * Removes exactly n bytes. Raises EOFError, and removes nothing, if there are fewer. */
static VALUE skip_all(VALUE self, VALUE length)
{
    buffer_t *b = get(self);
    size_t n = length_argument(length);
    need(b, n);
    buffer_skip(b, n);
    return self;
}

static VALUE to_s(VALUE self)
{
    return buffer_to_s(get(self));
}

static VALUE to_a(VALUE self)
{
    return buffer_to_a(get(self));
}

/* Streams. */

static VALUE get_io(VALUE self)
{
    return get(self)->io;
}

static VALUE flush_to_io(VALUE self)
{
    buffer_flush(get(self));
    return self;
}

static VALUE close_io(VALUE self)
{
    VALUE io = get(self)->io;
    return io == Qnil ? Qnil : rb_funcall(io, id_close, 0);
}

/* call-seq: write_to(io) -> Integer
 * Writes all bytes to io, removes them from the buffer, and returns the number of bytes. */
static VALUE write_to_io(VALUE self, VALUE io)
{
    return SIZET2NUM(buffer_write_to(get(self), io));
}

void Init_buffer(VALUE mMessagePack)
{
    Init_buffer_memory();
    Init_buffer_io();
    id_close = rb_intern("close");
    cBuffer = rb_define_class_under(mMessagePack, "Buffer", rb_cObject);
    rb_define_alloc_func(cBuffer, allocate);
    rb_undef_method(cBuffer, "dup");
    rb_undef_method(cBuffer, "clone");
    rb_define_method(cBuffer, "initialize", initialize, -1);
    rb_define_method(cBuffer, "clear", clear, 0);
    rb_define_method(cBuffer, "size", size, 0);
    rb_define_method(cBuffer, "empty?", is_empty, 0);
    rb_define_method(cBuffer, "write", write_string, 1);
    rb_define_method(cBuffer, "<<", append_string, 1);
    rb_define_method(cBuffer, "prepend", prepend_string, 1);
    rb_define_method(cBuffer, "read", read_some, -1);
    rb_define_method(cBuffer, "read_all", read_all, -1);
    rb_define_method(cBuffer, "skip", skip, 1);
    rb_define_method(cBuffer, "skip_all", skip_all, 1);
    rb_define_method(cBuffer, "to_s", to_s, 0);
    rb_define_method(cBuffer, "to_str", to_s, 0);
    rb_define_method(cBuffer, "to_a", to_a, 0);
    rb_define_method(cBuffer, "io", get_io, 0);
    rb_define_method(cBuffer, "flush", flush_to_io, 0);
    rb_define_method(cBuffer, "close", close_io, 0);
    rb_define_method(cBuffer, "write_to", write_to_io, 1);
}
