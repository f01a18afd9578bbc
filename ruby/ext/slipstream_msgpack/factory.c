#include "factory.h"
#include "args.h"
#include "errors.h"
#include "packer.h"
#include "share.h"
#include "string_out.h"
#include "unpacker.h"
#include "ruby/ractor.h"

/* Minimum size in bytes of Strings that share memory with the source String of Factory#load and
 * MessagePack.unpack. Sharing allocates two objects, which costs as much as copying this number of
 * bytes. */
#define SHARE_FROM 1024

static VALUE cFactory;

/* The key of the default factory of each Ractor. In the main Ractor, the default factory is
 * MessagePack::DefaultFactory. */
static rb_ractor_local_key_t default_factory_key;

typedef struct {
    pack_exts_t packing;
    unpack_exts_t unpacking;
} factory_t;

static void factory_mark(void *p)
{
    factory_t *f = p;
    pack_exts_mark(&f->packing);
    unpack_exts_mark(&f->unpacking);
}

static void factory_compact(void *p)
{
    factory_t *f = p;
    pack_exts_compact(&f->packing);
    unpack_exts_compact(&f->unpacking);
}

static size_t factory_memsize(const void *p)
{
    const factory_t *f = p;
    return sizeof(factory_t) + pack_exts_memsize(&f->packing) + unpack_exts_memsize(&f->unpacking);
}

static const rb_data_type_t factory_type = {
    "msgpack:factory", {factory_mark, RUBY_DEFAULT_FREE, factory_memsize, factory_compact, {0}}, NULL, NULL,
    RUBY_TYPED_FREE_IMMEDIATELY | RUBY_TYPED_WB_PROTECTED | RUBY_TYPED_FROZEN_SHAREABLE,
};

static inline factory_t *get(VALUE self) { return typed_data(self, &factory_type); }

static VALUE factory_alloc(VALUE klass)
{
    factory_t *f;
    VALUE self = TypedData_Make_Struct(klass, factory_t, &factory_type, f);
    pack_exts_init(&f->packing, self);
    unpack_exts_init(&f->unpacking);
    return self;
}

static VALUE initialize_copy(VALUE self, VALUE from)
{
    check_frozen(self);
    factory_t *f = get(self), *other = get(from);
    pack_exts_copy(&f->packing, &other->packing);
    RB_OBJ_WRITE(self, &f->unpacking.types, other->unpacking.types);
    return self;
}

/* freeze also disables the cache: several Ractors may use a frozen factory at the same time, so its
 * state must not change. */
static VALUE freeze(VALUE self)
{
    get(self)->packing.cache = Qnil;
    return rb_obj_freeze(self);
}

static VALUE register_type_internal(VALUE self, VALUE type, VALUE klass, VALUE packer, VALUE unpacker, VALUE flags)
{
    check_frozen(self);
    int t = ext_type(type), bits = NUM2INT(flags);
    if (!RB_TYPE_P(klass, T_CLASS) && !RB_TYPE_P(klass, T_MODULE)) {
        rb_raise(rb_eArgError, "expected Module/Class but found %s.", rb_obj_classname(klass));
    }
    if ((bits & EXT_SYMBOL && klass != rb_cSymbol) || (bits & EXT_TIME && klass != rb_cTime)) {
        rb_raise(rb_eArgError, "%"PRIsVALUE" is not packed by C", klass);
    }
    factory_t *f = get(self);
    pack_exts_add(&f->packing, t, klass, packer, bits);
    unpack_exts_add(&f->unpacking, self, t, klass, unpacker, bits);
    return Qnil;
}

static VALUE registered_types_internal(VALUE self)
{
    factory_t *f = get(self);
    return rb_ary_new_from_args(2, pack_exts_hash(&f->packing), unpack_exts_hash(&f->unpacking));
}

static VALUE packer(int argc, VALUE *argv, VALUE self) { return packer_new(&get(self)->packing, argc, argv); }

static VALUE unpacker(int argc, VALUE *argv, VALUE self) { return unpacker_new(&get(self)->unpacking, argc, argv); }

/* Packing into a String and unpacking from a String, without a Packer, an Unpacker or a Buffer. */

static VALUE pack_string(factory_t *f, VALUE v, VALUE options)
{
    string_out_t s;
    string_out_init(&s);
    encoder_t e = {.out = &s.out, .exts = &f->packing, .self = Qnil, .child = Qnil};
    if (RB_UNLIKELY(!NIL_P(options))) {
        packer_options(&e, options);
    }
    encode(&e, v);
    return string_out_finish(&s);
}

static VALUE pin_string(decoder_t *d)
{
    VALUE frozen = share_all(d->string);
    d->start = (const uint8_t *)RSTRING_PTR(frozen);
    return frozen;
}

static VALUE unpack_string(factory_t *f, VALUE string, VALUE options)
{
    VALUE stack[FIRST_STACK];
    unpack_options_t o;
    unpack_options_init(&o);
    o.share = SHARE_FROM;
    unpack_options_read(&o, options);
    const uint8_t *first = (const uint8_t *)RSTRING_PTR(string);
    decoder_t d = {
        .p = first, .start = first, .end = first + RSTRING_LEN(string), .source = Qfalse, .pin = pin_string, .string = string,
        .o = &o, .exts = &f->unpacking, .keys = keys_local(),
    };
    VALUE v = decode(&d, stack);
    if (v == Qundef) {
        raise_end();
    }
    if (d.p != d.end) {
        raise_extra((size_t)(d.end - d.p));
    }
    return v;
}

static VALUE dump_with(VALUE self, int argc, VALUE *argv)
{
    VALUE io, options;
    rb_check_arity(argc, 1, 3);
    args_io_options(argc - 1, argv + 1, &io, &options);
    if (NIL_P(io)) {
        return pack_string(get(self), argv[0], options);
    }
    VALUE pk = packer_new(&get(self)->packing, argc - 1, argv + 1);
    rb_funcall(pk, rb_intern("write"), 1, argv[0]);
    return rb_funcall(pk, rb_intern("full_pack"), 0);
}

static VALUE load_with(VALUE self, int argc, VALUE *argv)
{
    rb_check_arity(argc, 1, 2);
    VALUE options = argc == 2 ? argv[1] : Qnil;
    if (RB_TYPE_P(argv[0], T_STRING)) {
        return unpack_string(get(self), argv[0], options);
    }
    return unpacker_full_unpack(unpacker_new(&get(self)->unpacking, argc, argv));
}

static VALUE dump(int argc, VALUE *argv, VALUE self) { return dump_with(self, argc, argv); }

static VALUE load(int argc, VALUE *argv, VALUE self) { return load_with(self, argc, argv); }

/* Module functions of MessagePack. */

static VALUE default_factory(void)
{
    VALUE f = rb_ractor_local_storage_value(default_factory_key);
    if (RB_UNLIKELY(NIL_P(f))) {
        f = rb_class_new_instance(0, NULL, cFactory);
        rb_ractor_local_storage_value_set(default_factory_key, f);
    }
    return f;
}

static VALUE module_dump(int argc, VALUE *argv, VALUE self) { return dump_with(default_factory(), argc, argv); }

static VALUE module_load(int argc, VALUE *argv, VALUE self) { return load_with(default_factory(), argc, argv); }

/* module_count returns the number of complete objects in a String, without creating them. It raises
 * StackError or MalformedFormatError for invalid input. */
static VALUE module_count(VALUE self, VALUE string)
{
    StringValue(string);
    const uint8_t *p = (const uint8_t *)RSTRING_PTR(string), *end = p + RSTRING_LEN(string);
    size_t n = 0;
    scan_t s;
    for (; p < end; n++) {
        scan_begin(&s, 128);
        switch (scan(&s, &p, end)) {
        case SCAN_DONE: break;
        case SCAN_MORE: return SIZET2NUM(n); /* like Unpacker#count, ignores an incomplete object */
        case SCAN_DEEP: rb_raise(eStackError, "stack level too deep");
        case SCAN_LIMIT:
        case SCAN_INVALID: rb_raise(eMalformedFormatError, "invalid byte");
        }
    }
    return SIZET2NUM(n);
}

void Init_factory(VALUE mMessagePack)
{
    cFactory = rb_define_class_under(mMessagePack, "Factory", rb_cObject);
    rb_define_alloc_func(cFactory, factory_alloc);
    rb_define_method(cFactory, "initialize_copy", initialize_copy, 1);
    rb_define_method(cFactory, "freeze", freeze, 0);
    rb_define_method(cFactory, "packer", packer, -1);
    rb_define_method(cFactory, "unpacker", unpacker, -1);
    rb_define_method(cFactory, "dump", dump, -1);
    rb_define_alias(cFactory, "pack", "dump");
    rb_define_method(cFactory, "load", load, -1);
    rb_define_alias(cFactory, "unpack", "load");
    rb_define_private_method(cFactory, "register_type_internal", register_type_internal, 5);
    rb_define_method(cFactory, "registered_types_internal", registered_types_internal, 0);

    default_factory_key = rb_ractor_local_storage_value_newkey();
    VALUE main = rb_class_new_instance(0, NULL, cFactory);
    rb_ractor_local_storage_value_set(default_factory_key, main);
    rb_define_const(mMessagePack, "DefaultFactory", main);

    rb_define_module_function(mMessagePack, "pack", module_dump, -1);
    rb_define_module_function(mMessagePack, "dump", module_dump, -1);
    rb_define_module_function(mMessagePack, "unpack", module_load, -1);
    rb_define_module_function(mMessagePack, "load", module_load, -1);
    rb_define_module_function(mMessagePack, "count", module_count, 1);
}
