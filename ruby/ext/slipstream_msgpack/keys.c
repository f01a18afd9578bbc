#include "keys.h"
#include "ruby/encoding.h"
#include "ruby/ractor.h"

static rb_ractor_local_key_t local;
static rb_encoding *utf8;

static void keys_mark(void *p)
{
    keys_t *keys = p;
    for (int i = 0; i < KEYS; i++) {
        if (keys->places[i].string != 0) {
            /* pins it: a Ractor-local cache has no function to update moved references */
            rb_gc_mark(keys->places[i].string);
        }
        if (keys->places[i].symbol != 0) {
            rb_gc_mark(keys->places[i].symbol);
        }
    }
}

static const struct rb_ractor_local_storage_type keys_type = {keys_mark, ruby_xfree};

keys_t *keys_local(void)
{
    keys_t *keys = rb_ractor_local_storage_ptr(local);
    if (__builtin_expect(keys == NULL, 0)) {
        keys = ZALLOC(keys_t);
        rb_ractor_local_storage_ptr_set(local, keys);
    }
    return keys;
}

VALUE key_miss(cached_key_t *place, const uint8_t *p, size_t n)
{
    VALUE string = rb_enc_interned_str((const char *)p, (long)n, utf8);
    place->symbol = 0;
    place->string = string;
    return string;
}

VALUE key_symbol(keys_t *keys, const uint8_t *p, size_t n)
{
    VALUE string = key_string(keys, p, n);
    cached_key_t *place = key_place(keys, p, n);
    if (place->symbol == 0) {
        /* raises EncodingError if string is not valid UTF-8 */
        VALUE symbol = rb_str_intern(string);
        place->symbol = symbol;
    }
    return place->symbol;
}

void Init_keys(void)
{
    utf8 = rb_utf8_encoding();
    local = rb_ractor_local_storage_ptr_newkey(&keys_type);
}
