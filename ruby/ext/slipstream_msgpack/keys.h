/* A cache of recently read map keys. A key in the cache needs no lookup in the table of all
 * interned Strings. */
#ifndef SLIPSTREAM_KEYS_H
#define SLIPSTREAM_KEYS_H

#include <stdint.h>
#include <string.h>
#include "ruby.h"

#define KEYS 1024  /* number of slots; the bytes of a key select its slot */
#define LONG_KEY 64 /* maximum length of a cached key in bytes */

typedef struct {
    VALUE string; /* a frozen, interned UTF-8 String, or 0 */
    VALUE symbol; /* the Symbol of the same name, or 0 */
} cached_key_t;

typedef struct {
    cached_key_t places[KEYS];
} keys_t;

/* keys_local returns the key cache of the current Ractor. The first call allocates it. */
keys_t *keys_local(void);

/* key_place returns the slot for a key of n bytes; n must be from 1 to LONG_KEY. The beginning, the
 * end and the length of the key select the slot. */
static inline cached_key_t *key_place(keys_t *keys, const uint8_t *p, size_t n)
{
    uint64_t a = 0, b = 0;
    if (n >= 8) {
        memcpy(&a, p, 8);
        memcpy(&b, p + n - 8, 8);
    } else if (n >= 4) {
        memcpy(&a, p, 4);
        memcpy(&b, p + n - 4, 4);
    } else {
        a = p[0];
        b = (uint64_t)p[n / 2] << 8 | p[n - 1];
    }
    uint64_t h = (a ^ (b << 31 | b >> 33) ^ n) * UINT64_C(0x9e3779b97f4a7c15);
    return &keys->places[h >> 54];
}

/* key_miss returns the interned String of the n bytes at p and stores it in place. */
VALUE key_miss(cached_key_t *place, const uint8_t *p, size_t n);

/* key_string returns the interned String of the n bytes at p. */
static inline VALUE key_string(keys_t *keys, const uint8_t *p, size_t n)
{
    cached_key_t *place = key_place(keys, p, n);
    VALUE s = place->string;
    if (__builtin_expect(s != 0 && (size_t)RSTRING_LEN(s) == n && memcmp(RSTRING_PTR(s), p, n) == 0, 1)) {
        return s;
    }
    return key_miss(place, p, n);
}

/* key_symbol returns the Symbol of the n bytes at p. It raises EncodingError if they are not valid
 * UTF-8. */
VALUE key_symbol(keys_t *keys, const uint8_t *p, size_t n);

void Init_keys(void);

#endif
