/* Arguments that several classes take alike. */
#ifndef SLIPSTREAM_ARGS_H
#define SLIPSTREAM_ARGS_H

#include "ruby.h"

/* args_io_options is (io = nil, options = nil) or (options). */
static inline void args_io_options(int argc, const VALUE *argv, VALUE *io, VALUE *options)
{
    rb_check_arity(argc, 0, 2);
    *io = *options = Qnil;
    if (argc == 1 && RB_TYPE_P(argv[0], T_HASH)) {
        *options = argv[0];
    } else if (argc > 0) {
        *io = argv[0];
        *options = argc == 2 ? argv[1] : Qnil;
    }
}

/* args_option is an option, or Qundef where it is not given. */
static inline VALUE args_option(VALUE options, const char *name)
{
    return NIL_P(options) ? Qundef : rb_hash_lookup2(options, ID2SYM(rb_intern(name)), Qundef);
}

static inline int args_flag(VALUE options, const char *name, int otherwise)
{
    VALUE v = args_option(options, name);
    return v == Qundef ? otherwise : RTEST(v);
}

/* typed_data is what rb_check_typeddata gives, without a call where there is nothing to complain of. */
static inline void *typed_data(VALUE object, const rb_data_type_t *type)
{
    if (__builtin_expect(!RB_SPECIAL_CONST_P(object) && RB_BUILTIN_TYPE(object) == T_DATA && RTYPEDDATA_P(object) && RTYPEDDATA_TYPE(object) == type, 1)) {
        return DATA_PTR(object);
    }
    return rb_check_typeddata(object, type);
}

#endif
