#include "args.h"

void args_init(option_t *options, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        options[i].symbol = ID2SYM(rb_intern(options[i].name));
    }
}

static uint32_t limit(const option_t *o, VALUE given)
{
    VALUE range = rb_range_new(UINT2NUM(o->least), UINT2NUM(o->most), 0);
    if (!RB_INTEGER_TYPE_P(given) || !RTEST(rb_funcall(range, rb_intern("cover?"), 1, given))) {
        rb_raise(rb_eArgError, "%s must be an Integer from %u to %u", o->name, o->least, o->most);
    }
    return NUM2UINT(given);
}

typedef struct {
    const option_t *options;
    size_t n;
    char *into;
} option_reader_t;

static int read_one(VALUE key, VALUE value, VALUE arg)
{
    const option_reader_t *r = (const option_reader_t *)arg;
    for (const option_t *o = r->options; o < r->options + r->n; o++) {
        if (o->symbol != key) {
            continue;
        }
        if (o->most == 0) {
            *(bool *)(r->into + o->at) = RTEST(value);
        } else if (!NIL_P(value)) {
            *(uint32_t *)(r->into + o->at) = limit(o, value);
        }
        break;
    }
    return ST_CONTINUE;
}

void args_read(const option_t *options, size_t n, void *into, VALUE hash)
{
    option_reader_t r = {options, n, into};
    rb_hash_foreach(hash, read_one, (VALUE)&r);
}
