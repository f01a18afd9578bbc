#include "packer.h"
#include "args.h"
#include "errors.h"
#include "ruby/encoding.h"

VALUE cPacker;

typedef struct {
    buffer_t buffer;
    encoder_t e;
    pack_exts_t exts;
    VALUE view; /* the Buffer object that #buffer returns; Qnil until the first call */
} packer_t;

static void packer_mark(void *p)
{
    packer_t *pk = p;
    buffer_mark(&pk->buffer);
    pack_exts_mark(&pk->exts);
    rb_gc_mark_movable(pk->e.child);
    rb_gc_mark_movable(pk->view);
}

static void packer_compact(void *p)
{
    packer_t *pk = p;
    buffer_compact(&pk->buffer);
    pack_exts_compact(&pk->exts);
    pk->e.self = rb_gc_location(pk->e.self);
    pk->e.child = rb_gc_location(pk->e.child);
    pk->view = rb_gc_location(pk->view);
}

static void packer_free(void *p)
{
    packer_t *pk = p;
    buffer_free(&pk->buffer);
    xfree(pk);
}

static size_t packer_memsize(const void *p)
{
    const packer_t *pk = p;
    return sizeof(packer_t) + buffer_memsize(&pk->buffer);
}

static const rb_data_type_t packer_type = {
    "msgpack:packer", {packer_mark, packer_free, packer_memsize, packer_compact, {0}}, NULL, NULL, RUBY_TYPED_FREE_IMMEDIATELY | RUBY_TYPED_WB_PROTECTED,
};

static inline packer_t *get(VALUE self) { return typed_data(self, &packer_type); }

static VALUE packer_alloc(VALUE klass)
{
    packer_t *pk;
    VALUE self = TypedData_Make_Struct(klass, packer_t, &packer_type, pk);
    pk->e = (encoder_t){.out = &pk->buffer.out, .exts = &pk->exts, .self = self, .child = Qnil};
    pk->view = Qnil;
    pack_exts_init(&pk->exts, self);
    buffer_init(&pk->buffer, self);
    return self;
}

static option_t options_table[] = {
    {"compatibility_mode", offsetof(encoder_t, compat), 0, 0, 0},
    {"float32", offsetof(encoder_t, float32), 0, 0, 0},
    {"strict", offsetof(encoder_t, strict), 0, 0, 0},
};

#define OPTIONS (sizeof(options_table) / sizeof(options_table[0]))

void packer_options(encoder_t *e, VALUE options)
{
    e->compat = e->float32 = e->strict = false;
    if (!NIL_P(options)) {
        Check_Type(options, T_HASH);
        args_read(options_table, OPTIONS, e, options);
    }
}

static VALUE initialize(int argc, VALUE *argv, VALUE self)
{
    packer_t *pk = get(self);
    VALUE io, options;
    args_io_options(argc, argv, &io, &options);
    packer_options(&pk->e, options);
    buffer_configure(&pk->buffer, io, options);
    return self;
}

VALUE packer_new(const pack_exts_t *exts, int argc, const VALUE *argv)
{
    VALUE self = packer_alloc(cPacker);
    pack_exts_copy(&get(self)->exts, exts);
    return initialize(argc, (VALUE *)argv, self);
}

VALUE packer_child(const encoder_t *e)
{
    VALUE self = packer_new(e->exts, 0, NULL);
    packer_t *pk = get(self);
    pk->e.compat = e->compat;
    pk->e.float32 = e->float32;
    pk->e.strict = e->strict;
    return self;
}

buffer_t *packer_buffer(VALUE packer) { return &get(packer)->buffer; }

void packer_reset(VALUE packer) { buffer_clear(&get(packer)->buffer); }

uint64_t packer_written(VALUE packer)
{
    const buffer_t *b = packer_buffer(packer);
    return buffer_size(b) ^ (uint64_t)b->reads << 32; /* a flush increments reads */
}

/* Options. */

static VALUE compatibility_mode_p(VALUE self) { return get(self)->e.compat ? Qtrue : Qfalse; }

/* Writing. */

static VALUE write_any(VALUE self, VALUE v)
{
    encode(&get(self)->e, v);
    return self;
}

static VALUE write_nil(VALUE self)
{
    encode_byte(&get(self)->e, NIL);
    return self;
}

static VALUE write_true(VALUE self)
{
    encode_byte(&get(self)->e, TRUE_BYTE);
    return self;
}

static VALUE write_false(VALUE self)
{
    encode_byte(&get(self)->e, FALSE_BYTE);
    return self;
}

static VALUE write_float(VALUE self, VALUE v)
{
    encode_float(&get(self)->e, NUM2DBL(v));
    return self;
}

static VALUE write_float32(VALUE self, VALUE v)
{
    if (!RTEST(rb_obj_is_kind_of(v, rb_cNumeric))) {
        rb_raise(rb_eArgError, "Expected numeric");
    }
    float f = (float)NUM2DBL(v);
    out_t *out = get(self)->e.out;
    out_need(out, MAX_HEAD);
    out->p = put_float32(out->p, f);
    return self;
}

static VALUE write_string(VALUE self, VALUE v)
{
    Check_Type(v, T_STRING);
    encode_string(&get(self)->e, v);
    return self;
}

static VALUE write_bin(VALUE self, VALUE v)
{
    Check_Type(v, T_STRING);
    if (rb_enc_get_index(v) != rb_ascii8bit_encindex() && !rb_enc_str_asciionly_p(v)) {
        /* Raises EncodingError: v contains non-ASCII characters, and is not binary. */
        v = rb_str_encode(v, rb_enc_from_encoding(rb_ascii8bit_encoding()), 0, Qnil);
    }
    encode_bin(&get(self)->e, v);
    RB_GC_GUARD(v);
    return self;
}

static VALUE write_symbol(VALUE self, VALUE v)
{
    Check_Type(v, T_SYMBOL);
    encode_symbol(&get(self)->e, v);
    return self;
}

static VALUE write_array(VALUE self, VALUE v)
{
    Check_Type(v, T_ARRAY);
    encode_array(&get(self)->e, v, 0);
    return self;
}

static VALUE write_hash(VALUE self, VALUE v)
{
    Check_Type(v, T_HASH);
    encode_hash(&get(self)->e, v, 0);
    return self;
}

static VALUE write_int(VALUE self, VALUE v)
{
    if (!RB_INTEGER_TYPE_P(v)) {
        rb_unexpected_type(v, T_FIXNUM);
    }
    encode_integer(&get(self)->e, v);
    return self;
}

/* count returns n, the number of elements or bytes for a header, as 32 bits. It raises RangeError
 * if n is out of range. */
static uint32_t count(VALUE n)
{
    unsigned long long v = RTEST(rb_funcall(rb_to_int(n), '<', 1, INT2FIX(0))) ? ULLONG_MAX : NUM2ULL(n);
    if (v > UINT32_MAX) {
        rb_raise(rb_eRangeError, "%"PRIsVALUE" is not from 0 to %lu", n, (unsigned long)UINT32_MAX);
    }
    return (uint32_t)v;
}

static VALUE write_array_header(VALUE self, VALUE n)
{
    uint32_t v = count(n);
    out_t *out = get(self)->e.out;
    out_need(out, MAX_HEAD);
    out->p = put_array_head(out->p, v);
    return self;
}

static VALUE write_map_header(VALUE self, VALUE n)
{
    uint32_t v = count(n);
    out_t *out = get(self)->e.out;
    out_need(out, MAX_HEAD);
    out->p = put_map_head(out->p, v);
    return self;
}

static VALUE write_bin_header(VALUE self, VALUE n)
{
    uint32_t v = count(n);
    packer_t *pk = get(self);
    out_t *out = pk->e.out;
    out_need(out, MAX_HEAD);
    out->p = pk->e.compat ? put_str_head(out->p, v, true) : put_bin_head(out->p, v);
    return self;
}

static VALUE write_ext(VALUE self, VALUE type, VALUE payload)
{
    int t = ext_type(type);
    StringValue(payload);
    encode_ext(&get(self)->e, t, payload);
    return self;
}

/* write_extension writes an ExtensionValue, a Struct with the members type and payload. */
static VALUE write_extension(VALUE self, VALUE v)
{
    Check_Type(v, T_STRUCT);
    return write_ext(self, RSTRUCT_GET(v, 0), RSTRUCT_GET(v, 1));
}

/* Output. */

static VALUE flush(VALUE self)
{
    buffer_flush(&get(self)->buffer);
    return self;
}

static VALUE reset(VALUE self)
{
    buffer_clear(&get(self)->buffer);
    return Qnil;
}

static VALUE size(VALUE self) { return SIZET2NUM(buffer_size(&get(self)->buffer)); }

static VALUE empty_p(VALUE self) { return buffer_empty(&get(self)->buffer) ? Qtrue : Qfalse; }

static VALUE to_s(VALUE self) { return buffer_to_s(&get(self)->buffer); }

static VALUE to_a(VALUE self) { return buffer_to_a(&get(self)->buffer); }

static VALUE write_to(VALUE self, VALUE io) { return SIZET2NUM(buffer_write_to(&get(self)->buffer, io)); }

static VALUE full_pack(VALUE self)
{
    packer_t *pk = get(self);
    VALUE bytes = Qnil;
    if (NIL_P(pk->buffer.io)) {
        bytes = buffer_to_s(&pk->buffer);
    } else {
        buffer_flush(&pk->buffer);
    }
    buffer_clear(&pk->buffer);
    return bytes;
}

static VALUE buffer(VALUE self)
{
    packer_t *pk = get(self);
    if (NIL_P(pk->view)) {
        RB_OBJ_WRITE(self, &pk->view, buffer_view(&pk->buffer, self));
    }
    return pk->view;
}

/* Ext types. lib/msgpack/packer.rb calls these functions to register and list them. */

static VALUE register_type_internal(VALUE self, VALUE type, VALUE klass, VALUE callable)
{
    check_frozen(self);
    int t = ext_type(type);
    if (!RB_TYPE_P(klass, T_CLASS) && !RB_TYPE_P(klass, T_MODULE)) {
        rb_raise(rb_eArgError, "expected Module/Class but found %s.", rb_obj_classname(klass));
    }
    pack_exts_add(&get(self)->exts, t, klass, callable, 0);
    return Qnil;
}

static VALUE registered_types_internal(VALUE self) { return pack_exts_hash(&get(self)->exts); }

void Init_packer(VALUE mMessagePack)
{
    args_init(options_table, OPTIONS);
    cPacker = rb_define_class_under(mMessagePack, "Packer", rb_cObject);
    rb_define_alloc_func(cPacker, packer_alloc);
    rb_undef_method(cPacker, "dup");
    rb_undef_method(cPacker, "clone");
    rb_define_method(cPacker, "initialize", initialize, -1);
    rb_define_method(cPacker, "compatibility_mode?", compatibility_mode_p, 0);
    rb_define_method(cPacker, "write", write_any, 1);
    rb_define_alias(cPacker, "pack", "write");
    rb_define_method(cPacker, "write_nil", write_nil, 0);
    rb_define_method(cPacker, "write_true", write_true, 0);
    rb_define_method(cPacker, "write_false", write_false, 0);
    rb_define_method(cPacker, "write_float", write_float, 1);
    rb_define_method(cPacker, "write_float32", write_float32, 1);
    rb_define_method(cPacker, "write_string", write_string, 1);
    rb_define_method(cPacker, "write_bin", write_bin, 1);
    rb_define_method(cPacker, "write_symbol", write_symbol, 1);
    rb_define_method(cPacker, "write_array", write_array, 1);
    rb_define_method(cPacker, "write_hash", write_hash, 1);
    rb_define_method(cPacker, "write_int", write_int, 1);
    rb_define_method(cPacker, "write_array_header", write_array_header, 1);
    rb_define_method(cPacker, "write_map_header", write_map_header, 1);
    rb_define_method(cPacker, "write_bin_header", write_bin_header, 1);
    rb_define_method(cPacker, "write_ext", write_ext, 2);
    rb_define_method(cPacker, "write_extension", write_extension, 1);
    rb_define_method(cPacker, "flush", flush, 0);
    rb_define_method(cPacker, "reset", reset, 0);
    rb_define_alias(cPacker, "clear", "reset");
    rb_define_method(cPacker, "size", size, 0);
    rb_define_method(cPacker, "empty?", empty_p, 0);
    rb_define_method(cPacker, "to_s", to_s, 0);
    rb_define_alias(cPacker, "to_str", "to_s");
    rb_define_method(cPacker, "to_a", to_a, 0);
    rb_define_method(cPacker, "write_to", write_to, 1);
    rb_define_method(cPacker, "full_pack", full_pack, 0);
    rb_define_method(cPacker, "buffer", buffer, 0);
    rb_define_method(cPacker, "register_type_internal", register_type_internal, 3);
    rb_define_method(cPacker, "registered_types_internal", registered_types_internal, 0);
}
