/* Decodes numbers to Ruby values. */
#ifndef SLIPSTREAM_NUMBER_H
#define SLIPSTREAM_NUMBER_H

#include "format.h"
#include "ruby.h"

static inline VALUE float_value(double v)
{
#if USE_FLONUM
    /* rb_float_new does the same for nearly all Floats. A flonum omits two bits of the exponent,
     * which a third bit implies, and has the sign at the low end. */
    uint64_t bits;
    memcpy(&bits, &v, 8);
    unsigned exponent = (unsigned)(bits >> 60) & 7;
    if (__builtin_expect(bits != UINT64_C(0x3000000000000000) && (exponent == 3 || exponent == 4), 1)) {
        return (VALUE)(((bits << 3 | bits >> 61) & ~UINT64_C(3)) | 2);
    }
#endif
    return rb_float_new(v);
}

/* number_at returns the number at *at and advances *at. It returns Qundef and leaves *at unchanged
 * if the value is not a number or has a rare format. It does the same if fewer than MAX_HEAD bytes
 * remain, except for fixints. */
static inline VALUE number_at(const uint8_t **at, const uint8_t *end)
{
    const uint8_t *p = *at;
    if (__builtin_expect(p == end, 0)) {
        return Qundef;
    }
    uint8_t b = *p;
    if (b < FIXMAP || b >= NEGATIVE_FIXINT) {
        *at = p + 1;
        return INT2FIX((int8_t)b);
    }
    if (__builtin_expect(end - p < MAX_HEAD, 0)) {
        return Qundef;
    }
    switch (b) {
    case UINT8: *at = p + 2; return INT2FIX(p[1]);
    case UINT16: *at = p + 3; return INT2FIX(load16(p + 1));
    case UINT32: *at = p + 5; return UINT2NUM(load32(p + 1));
    case INT8: *at = p + 2; return INT2FIX((int8_t)p[1]);
    case INT16: *at = p + 3; return INT2FIX((int16_t)load16(p + 1));
    case INT32: *at = p + 5; return INT2NUM((int32_t)load32(p + 1));
    case FLOAT64: *at = p + 9; return float_value(load_float64(p + 1));
    }
    return Qundef;
}

#endif
