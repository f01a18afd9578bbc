/* Argument parsing shared by several classes. */
#ifndef SLIPSTREAM_ARGS_H
#define SLIPSTREAM_ARGS_H

#include <stdbool.h>
#include "ruby.h"

/* args_io_options parses the arguments (io = nil, options = nil) or (options). It raises
 * ArgumentError for more than two arguments. */
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

/* option_t maps the name of an option to a struct member. args_init interns the names once, because
 * interning eleven names for each call took ten times as long as reading a number. */
typedef struct {
    const char *name;
    size_t at;
    /* inclusive range of a limit (uint32_t member); both 0 for a flag (bool member) */
    uint32_t least, most;
    VALUE symbol;
} option_t;

/* args_init interns the option names and stores the Symbols in the table. */
void args_init(option_t *options, size_t n);

/* args_read copies the option values of hash to the struct at into. A member keeps its value if
 * hash lacks the option, or if the option is a limit and its value is nil. args_read ignores
 * unknown keys, because they can belong to other option tables. It raises ArgumentError for a limit
 * that is not an Integer from least to most. */
void args_read(const option_t *options, size_t n, void *into, VALUE hash);

/* typed_data returns the result of rb_check_typeddata and raises the same TypeError, but calls that
 * function only if the object has another type. */
static inline void *typed_data(VALUE object, const rb_data_type_t *type)
{
    if (__builtin_expect(!RB_SPECIAL_CONST_P(object) && RB_BUILTIN_TYPE(object) == T_DATA && RTYPEDDATA_P(object) && RTYPEDDATA_TYPE(object) == type, 1)) {
        return DATA_PTR(object);
    }
    return rb_check_typeddata(object, type);
}

#endif
