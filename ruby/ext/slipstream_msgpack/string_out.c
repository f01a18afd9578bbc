#include "string_out.h"

static uint8_t *base(string_out_t *s) { return s->larger == NULL ? s->first : s->larger; }

/* forget frees memory that is no longer used, unless a continuation may come back that still writes there: then the collector
 * does, when nobody refers to it. */
static void forget(const string_out_t *s, VALUE memory)
{
    if (memory != 0 && !s->out.called) {
        rb_free_tmp_buffer(&memory);
    }
}

static void more(out_t *out, size_t n)
{
    string_out_t *s = (string_out_t *)out;
    size_t used = (size_t)(out->p - base(s)), room = used + (n > used ? n : used);
    room = room > 4 * SHORT_MESSAGE ? room : 4 * SHORT_MESSAGE;
    VALUE memory = 0, old = s->memory;
    uint8_t *larger = rb_alloc_tmp_buffer(&memory, (long)room);
    memcpy(larger, base(s), used);
    s->larger = larger;
    s->memory = memory;
    forget(s, old);
    out->p = larger + used;
    out->end = larger + room;
}

static void append(out_t *out, VALUE string)
{
    size_t n = (size_t)RSTRING_LEN(string);
    out_need(out, n);
    copy_bytes(out->p, RSTRING_PTR(string), n);
    out->p += n;
}

void string_out_init(string_out_t *s)
{
    s->out = (out_t){.p = s->first, .end = s->first + SHORT_MESSAGE, .more = more, .append = append};
    s->larger = NULL;
    s->memory = 0;
}

VALUE string_out_finish(string_out_t *s)
{
    VALUE string = rb_str_new(NULL, s->out.p - base(s));
    copy_bytes(RSTRING_PTR(string), base(s), (size_t)(s->out.p - base(s)));
    forget(s, s->memory);
    return string;
}
