/* The format of MessagePack: https://github.com/msgpack/msgpack/blob/master/spec.md */
#ifndef SLIPSTREAM_FORMAT_H
#define SLIPSTREAM_FORMAT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "ruby.h"

enum {
    FIXMAP = 0x80, FIXARRAY = 0x90, FIXSTR = 0xa0,
    NIL = 0xc0, NEVER_USED = 0xc1, FALSE_BYTE = 0xc2, TRUE_BYTE = 0xc3,
    BIN8 = 0xc4, BIN16, BIN32, EXT8, EXT16, EXT32, FLOAT32, FLOAT64, UINT8, UINT16, UINT32, UINT64, INT8, INT16, INT32, INT64,
    FIXEXT1, FIXEXT2, FIXEXT4, FIXEXT8, FIXEXT16, STR8, STR16, STR32, ARRAY16, ARRAY32, MAP16, MAP32, NEGATIVE_FIXINT
};

/* Maximum length of a header in bytes. A header is the type byte and the bytes after it up to the
 * payload: a number, or a length and an ext type. Only 64-bit numbers need 9 bytes. */
#define MAX_HEAD 9

#ifdef WORDS_BIGENDIAN
#define BE16(v) (v)
#define BE32(v) (v)
#define BE64(v) (v)
#else
#define BE16(v) __builtin_bswap16(v)
#define BE32(v) __builtin_bswap32(v)
#define BE64(v) __builtin_bswap64(v)
#endif

static inline uint16_t load16(const uint8_t *p)
{
    uint16_t v;
    memcpy(&v, p, 2);
    return BE16(v);
}

static inline uint32_t load32(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, 4);
    return BE32(v);
}

static inline uint64_t load64(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, 8);
    return BE64(v);
}

static inline double load_float32(const uint8_t *p)
{
    uint32_t v = load32(p);
    float f;
    memcpy(&f, &v, 4);
    return f;
}

static inline double load_float64(const uint8_t *p)
{
    uint64_t v = load64(p);
    double d;
    memcpy(&d, &v, 8);
    return d;
}

/* The put functions write at p, which must have space for MAX_HEAD bytes, and return the position
 * after the written bytes. */

static inline uint8_t *put8(uint8_t *p, uint8_t type, uint8_t v)
{
    p[0] = type;
    p[1] = v;
    return p + 2;
}

static inline uint8_t *put16(uint8_t *p, uint8_t type, uint16_t v)
{
    v = BE16(v);
    p[0] = type;
    memcpy(p + 1, &v, 2);
    return p + 3;
}

static inline uint8_t *put32(uint8_t *p, uint8_t type, uint32_t v)
{
    v = BE32(v);
    p[0] = type;
    memcpy(p + 1, &v, 4);
    return p + 5;
}

static inline uint8_t *put64(uint8_t *p, uint8_t type, uint64_t v)
{
    v = BE64(v);
    p[0] = type;
    memcpy(p + 1, &v, 8);
    return p + 9;
}

static inline uint8_t *put_unsigned(uint8_t *p, uint64_t v)
{
    if (v < 0x80) {
        *p = (uint8_t)v;
        return p + 1;
    }
    if (v <= UINT8_MAX) {
        return put8(p, UINT8, (uint8_t)v);
    }
    if (v <= UINT16_MAX) {
        return put16(p, UINT16, (uint16_t)v);
    }
    if (v <= UINT32_MAX) {
        return put32(p, UINT32, (uint32_t)v);
    }
    return put64(p, UINT64, v);
}

static inline uint8_t *put_signed(uint8_t *p, int64_t v)
{
    if (v >= 0) {
        return put_unsigned(p, (uint64_t)v);
    }
    if (v >= -32) {
        *p = (uint8_t)v;
        return p + 1;
    }
    if (v >= INT8_MIN) {
        return put8(p, INT8, (uint8_t)v);
    }
    if (v >= INT16_MIN) {
        return put16(p, INT16, (uint16_t)v);
    }
    if (v >= INT32_MIN) {
        return put32(p, INT32, (uint32_t)v);
    }
    return put64(p, INT64, (uint64_t)v);
}

static inline uint8_t *put_float32(uint8_t *p, float f)
{
    uint32_t v;
    memcpy(&v, &f, 4);
    return put32(p, FLOAT32, v);
}

static inline uint8_t *put_float64(uint8_t *p, double d)
{
    uint64_t v;
    memcpy(&v, &d, 8);
    return put64(p, FLOAT64, v);
}

/* put_str_head does not use str 8 if old is true, because the first versions of MessagePack lack
 * str 8. */
static inline uint8_t *put_str_head(uint8_t *p, uint32_t n, bool old)
{
    if (n < 32) {
        *p = (uint8_t)(FIXSTR | n);
        return p + 1;
    }
    if (n <= UINT8_MAX && !old) {
        return put8(p, STR8, (uint8_t)n);
    }
    if (n <= UINT16_MAX) {
        return put16(p, STR16, (uint16_t)n);
    }
    return put32(p, STR32, n);
}

static inline uint8_t *put_bin_head(uint8_t *p, uint32_t n)
{
    if (n <= UINT8_MAX) {
        return put8(p, BIN8, (uint8_t)n);
    }
    if (n <= UINT16_MAX) {
        return put16(p, BIN16, (uint16_t)n);
    }
    return put32(p, BIN32, n);
}

static inline uint8_t *put_array_head(uint8_t *p, uint32_t n)
{
    if (n < 16) {
        *p = (uint8_t)(FIXARRAY | n);
        return p + 1;
    }
    if (n <= UINT16_MAX) {
        return put16(p, ARRAY16, (uint16_t)n);
    }
    return put32(p, ARRAY32, n);
}

static inline uint8_t *put_map_head(uint8_t *p, uint32_t n)
{
    if (n < 16) {
        *p = (uint8_t)(FIXMAP | n);
        return p + 1;
    }
    if (n <= UINT16_MAX) {
        return put16(p, MAP16, (uint16_t)n);
    }
    return put32(p, MAP32, n);
}

static inline uint8_t *put_ext_head(uint8_t *p, int8_t type, uint32_t n)
{
    switch (n) {
    case 1: return put8(p, FIXEXT1, (uint8_t)type);
    case 2: return put8(p, FIXEXT2, (uint8_t)type);
    case 4: return put8(p, FIXEXT4, (uint8_t)type);
    case 8: return put8(p, FIXEXT8, (uint8_t)type);
    case 16: return put8(p, FIXEXT16, (uint8_t)type);
    }
    if (n <= UINT8_MAX) {
        p = put8(p, EXT8, (uint8_t)n);
    } else if (n <= UINT16_MAX) {
        p = put16(p, EXT16, (uint16_t)n);
    } else {
        p = put32(p, EXT32, n);
    }
    *p = (uint8_t)type;
    return p + 1;
}

#endif
