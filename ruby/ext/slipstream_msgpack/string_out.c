#include "string_out.h"

static uint8_t *base(string_out_t *s) { return s->larger == NULL ? s->first : s->larger; }

/* forget frees memory that is no longer used. After a user-defined method has run, a continuation
 * may resume and write to the memory. Then forget leaves it to the garbage collector. */
static void forget(const string_out_t *s, VALUE memory)
{
    if (memory != 0 && !s->out.called) {
        rb_free_tmp_buffer(&memory);
    }
}

/* move makes larger the memory of the bytes. larger has space for capacity bytes and already
 * contains the first used bytes. */
static void move(string_out_t *s, VALUE memory, uint8_t *larger, size_t used, size_t capacity)
{
    forget(s, s->memory);
    s->memory = memory;
    s->larger = larger;
    s->out.p = larger + used;
    s->out.end = larger + capacity;
}

/* enlarge copies the first used bytes to new memory of capacity bytes. */
static void enlarge(string_out_t *s, size_t used, size_t capacity)
{
    VALUE memory = 0;
    uint8_t *larger = rb_alloc_tmp_buffer(&memory, (long)capacity);
    memcpy(larger, base(s), used);
    move(s, memory, larger, used, capacity);
}

static void more(out_t *out, size_t n)
{
    string_out_t *s = (string_out_t *)out;
    size_t used = (size_t)(out->p - base(s)), capacity = used + (n > used ? n : used);
    enlarge(s, used, capacity > 4 * SHORT_MESSAGE ? capacity : 4 * SHORT_MESSAGE);
}

/* Cuts. */

static void more_cuts(string_out_t *s)
{
    size_t capacity = 4 * s->cuts_capacity;
    VALUE memory = 0, old = s->cuts_memory;
    cut_t *cuts = rb_alloc_tmp_buffer_with_count(&memory, capacity * sizeof(cut_t), capacity * sizeof(cut_t) / sizeof(VALUE));
    memset(cuts, 0, capacity * sizeof(cut_t));
    memcpy(cuts, s->cuts, s->cuts_n * sizeof(cut_t));
    s->cuts = cuts;
    s->cuts_capacity = capacity;
    s->cuts_memory = memory;
    if (old != 0) {
        rb_free_tmp_buffer(&old);
    }
}

static void append(out_t *out, VALUE string)
{
    string_out_t *s = (string_out_t *)out;
    size_t n = (size_t)RSTRING_LEN(string);
    if (n >= out->reference) {
        if (s->cuts_n == s->cuts_capacity) {
            more_cuts(s);
        }
        s->cuts[s->cuts_n++] = (cut_t){string, (size_t)(out->p - base(s)), n};
        return;
    }
    out_need(out, n);
    copy_bytes(out->p, RSTRING_PTR(string), n);
    out->p += n;
}

static size_t cut_bytes(const string_out_t *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->cuts_n; i++) {
        n += s->cuts[i].length;
    }
    return n;
}

/* join writes the bytes, with the cut Strings in their places, to memory with space for all of
 * them. It raises RuntimeError if the length of a cut String has changed. */
static void join(string_out_t *s, uint8_t *to)
{
    const uint8_t *from = base(s);
    size_t used = (size_t)(s->out.p - from), done = 0;
    for (size_t i = 0; i < s->cuts_n; i++) {
        const cut_t *c = &s->cuts[i];
        /* a hash method of a class or another thread has changed the String */
        if ((size_t)RSTRING_LEN(c->string) != c->length) {
            rb_raise(rb_eRuntimeError, "string modified while it was packed");
        }
        copy_bytes(to, from + done, c->at - done);
        to += c->at - done;
        copy_bytes(to, RSTRING_PTR(c->string), c->length);
        to += c->length;
        done = c->at;
    }
    copy_bytes(to, from + done, used - done);
}

static void forget_cuts(string_out_t *s)
{
    if (s->cuts_memory != 0) {
        rb_free_tmp_buffer(&s->cuts_memory);
    }
    s->cuts = s->first_cuts;
    s->cuts_n = 0;
    s->cuts_capacity = FIRST_CUTS;
}

/* settle copies all cut Strings, and makes append copy later ones at once, because user-defined
 * methods may change them. */
static void settle(out_t *out)
{
    string_out_t *s = (string_out_t *)out;
    out->reference = SIZE_MAX;
    if (s->cuts_n == 0) {
        return;
    }
    size_t total = (size_t)(out->p - base(s)) + cut_bytes(s);
    VALUE memory = 0;
    uint8_t *larger = rb_alloc_tmp_buffer(&memory, (long)(2 * total));
    join(s, larger);
    forget_cuts(s);
    move(s, memory, larger, total, 2 * total);
}

void string_out_init(string_out_t *s)
{
    s->out = (out_t){.p = s->first, .end = s->first + SHORT_MESSAGE, .more = more, .append = append, .reference = CUT_FROM, .settle = settle};
    s->larger = NULL;
    s->memory = s->cuts_memory = 0;
    s->cuts = s->first_cuts;
    s->cuts_n = 0;
    s->cuts_capacity = FIRST_CUTS;
}

VALUE string_out_finish(string_out_t *s)
{
    VALUE string = rb_str_new(NULL, (long)((size_t)(s->out.p - base(s)) + cut_bytes(s)));
    join(s, (uint8_t *)RSTRING_PTR(string));
    forget(s, s->memory);
    forget_cuts(s);
    return string;
}
