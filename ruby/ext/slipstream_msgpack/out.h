/* Where bytes are written: a window of memory, and what makes another one when it is full. */
#ifndef SLIPSTREAM_OUT_H
#define SLIPSTREAM_OUT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "ruby.h"

typedef struct out out_t;
struct out {
    uint8_t *p;   /* where the next byte goes */
    uint8_t *end; /* after the last byte there is room for */
    size_t reference; /* bytes from which on append gets a string even if there is room for it */
    bool called;  /* a method of others has run, of which a continuation may come back at any time */
    void (*settle)(out_t *out); /* before the first such method runs: what is referred to is copied. Or NULL */
    /* more makes a window of at least n bytes, n being larger than what is left of this one. It raises if it cannot, and may call Ruby. */
    void (*more)(out_t *out, size_t n);
    /* append takes the bytes of a string, many, or more than the window has room for: it may keep a reference to it. It may call Ruby. */
    void (*append)(out_t *out, VALUE string);
};

static inline size_t out_room(const out_t *out) { return (size_t)(out->end - out->p); }

static inline void out_need(out_t *out, size_t n)
{
    if (__builtin_expect(out_room(out) < n, 0)) {
        out->more(out, n);
    }
}

/* out_call is said before each call of a method of others. */
static inline void out_call(out_t *out)
{
    if (!out->called) {
        if (out->settle != NULL) {
            out->settle(out);
        }
        out->called = true;
    }
}

/* copy_bytes is memcpy. For a few KB libc takes an instruction that is slow to begin: a blob of 6 KB is packed in 0.38 µs by this loop, in 0.48 by that. */
static inline void copy_bytes(void *to, const void *from, size_t n)
{
    uint8_t *t = to;
    const uint8_t *f = from;
    if (n >= 1024 && n < 64 * 1024) {
        for (; n >= 64; n -= 64, t += 64, f += 64) {
            memcpy(t, f, 64);
        }
    }
    memcpy(t, f, n);
}

#endif
