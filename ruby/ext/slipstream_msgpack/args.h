/* Arguments that several classes take alike. */
#ifndef SLIPSTREAM_ARGS_H
#define SLIPSTREAM_ARGS_H

#include <stdbool.h>
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

/* An option: its name, and where its value belongs in a struct. Symbols are made once, by args_init: to intern eleven names for each
 * call took ten times as long as to read a number. */
typedef struct {
    const char *name;
    size_t at;
    uint32_t least, most; /* of a limit, which is a uint32_t; both 0 for a flag, which is a bool */
    VALUE symbol;
} option_t;

void args_init(option_t *options, size_t n);

/* args_read sets what a Hash names, and leaves the rest: a limit that is nil too. Other keys are for others. ArgumentError for a
 * limit that is none. */
void args_read(const option_t *options, size_t n, void *into, VALUE hash);

/* typed_data is what rb_check_typeddata gives, without a call where there is nothing to complain of. */
static inline void *typed_data(VALUE object, const rb_data_type_t *type)
{
    if (__builtin_expect(!RB_SPECIAL_CONST_P(object) && RB_BUILTIN_TYPE(object) == T_DATA && RTYPEDDATA_P(object) && RTYPEDDATA_TYPE(object) == type, 1)) {
        return DATA_PTR(object);
    }
    return rb_check_typeddata(object, type);
}

#endif
