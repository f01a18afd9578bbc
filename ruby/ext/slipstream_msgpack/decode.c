#include "decode.h"
#include "args.h"
#include "errors.h"
#include "number.h"
#include "share.h"
#include "unpacker.h"
#include "ruby/encoding.h"

static int utf8, binary;
static rb_encoding *utf8_encoding, *binary_encoding;
static VALUE mModule;

#define HOT(x) __builtin_expect(!!(x), 1)
#define RARE(x) __builtin_expect(!!(x), 0)
/* Maximum initial capacity of a container. A header can claim as many elements as there are bytes,
 * on each level of nesting. */
#define FIRST_CAPACITY 4096
/* number of elements, or keys and values, gathered before they go into an Array or a Hash */
#define BATCH 512
#define MORE 3 /* the next batch of a Hash has up to MORE times as many entries as the Hash */

static VALUE decode_value(decoder_t *d);

static inline size_t remaining(const decoder_t *d) { return (size_t)(d->end - d->p); }

/* The stack. A garbage collection may start at any time. It scans all of first and memory, whatever
 * values they contain. */

/* forget frees stack memory that is no longer used. Before a user-defined method runs, pin sets
 * source. After that, a continuation of the method may resume, even after decode has returned. The
 * memory is then left to the garbage collector. */
static inline void forget(const decoder_t *d, volatile VALUE *memory)
{
    if (*memory != 0 && d->source == Qfalse) {
        rb_free_tmp_buffer(memory);
    }
}

static void stack_grow(decoder_t *d, size_t n)
{
    size_t capacity = d->capacity * 2 > d->top + n ? d->capacity * 2 : d->top + n;
    volatile VALUE memory = 0;
    VALUE *stack = rb_alloc_tmp_buffer_with_count(&memory, (capacity + 1) * sizeof(VALUE), capacity + 1);
    memset(stack, 0, (capacity + 1) * sizeof(VALUE));
    stack++; /* skips the word that records whether decode has returned */
    memcpy(stack, d->stack, d->top * sizeof(VALUE));
    volatile VALUE old = d->memory;
    d->stack = stack;
    d->capacity = capacity;
    d->memory = memory;
    forget(d, &old);
}

static inline void stack_need(decoder_t *d, size_t n)
{
    if (RARE(d->capacity - d->top < n)) {
        stack_grow(d, n);
    }
}

/* Strings. */

static void pin(decoder_t *d)
{
    if (d->source == Qfalse) {
        size_t at = (size_t)(d->p - d->start), size = (size_t)(d->end - d->start);
        d->source = d->pin(d);
        d->p = d->start + at;
        d->end = d->start + size;
    }
}

/* cut returns the n bytes at p as a String with the given encoding index, and advances p. */
static inline VALUE cut(decoder_t *d, size_t n, int encoding)
{
    VALUE s;
    if (RARE(n >= d->o->share && (n == remaining(d) || (n >= SHARE_MIDDLE && encoding == binary)))) {
        pin(d);
        s = share_cut(d->source, (size_t)(d->p - (const uint8_t *)RSTRING_PTR(d->source)), n, encoding, d->o->share);
    } else {
        s = rb_str_new((const char *)d->p, (long)n);
        if (encoding == utf8) {
            RB_ENCODING_SET_INLINED(s, utf8);
        }
    }
    d->p += n;
    return s;
}

NORETURN(static void too_many(const char *what, uint32_t n, const char *unit, const char *limit, uint32_t most));
static void too_many(const char *what, uint32_t n, const char *unit, const char *limit, uint32_t most)
{
    rb_raise(eLimitError, "%s of %u %s exceeds %s %u", what, n, unit, limit, most);
}

static inline VALUE decode_str(decoder_t *d, uint32_t n)
{
    if (RARE(n > d->o->limits.max_str)) {
        too_many("str", n, "bytes", "max_str_len", d->o->limits.max_str);
    }
    if (RARE(n > remaining(d))) {
        return Qundef;
    }
    if (RARE(d->o->freeze)) {
        VALUE s = rb_enc_interned_str((const char *)d->p, n, utf8_encoding);
        d->p += n;
        return s;
    }
    return cut(d, n, utf8);
}

static inline VALUE decode_bin(decoder_t *d, uint32_t n)
{
    if (RARE(n > d->o->limits.max_bin)) {
        too_many("bin", n, "bytes", "max_bin_len", d->o->limits.max_bin);
    }
    if (RARE(n > remaining(d))) {
        return Qundef;
    }
    if (RARE(d->o->freeze)) {
        VALUE s = rb_enc_interned_str((const char *)d->p, n, binary_encoding);
        d->p += n;
        return s;
    }
    return cut(d, n, binary);
}

/* Containers. */

static inline void enter(decoder_t *d)
{
    if (RARE(d->depth >= d->o->max_depth)) {
        rb_raise(eStackError, "stack level too deep");
    }
    d->depth++;
}

/* gather decodes n values and pushes them onto the stack. It returns false if they are
 * incomplete. */
static bool gather(decoder_t *d, size_t n)
{
    stack_need(d, n);
    for (size_t i = 0; i < n; i++) {
        VALUE v = number_at(&d->p, d->end);
        if (v == Qundef) {
            v = decode_value(d);
            if (RARE(v == Qundef)) {
                return false;
            }
        }
        d->stack[d->top++] = v; /* fits: decode_value has popped all values that it pushed */
    }
    return true;
}

static VALUE decode_array(decoder_t *d, uint32_t n)
{
    if (RARE(n > d->o->limits.max_array)) {
        too_many("array", n, "elements", "max_array_len", d->o->limits.max_array);
    }
    if (RARE(n > remaining(d))) { /* each element takes at least one byte */
        return Qundef;
    }
    if (n == 0) {
        return rb_ary_new();
    }
    enter(d);
    size_t base = d->top;
    VALUE array = Qundef;
    if (n <= BATCH) {
        if (gather(d, n)) {
            array = rb_ary_new_from_values(n, d->stack + base);
        }
    } else {
        array = rb_ary_new_capa(n < FIRST_CAPACITY ? n : FIRST_CAPACITY);
        for (uint32_t left = n; left > 0;) {
            uint32_t some = left < BATCH ? left : BATCH;
            if (!gather(d, some)) {
                array = Qundef;
                break;
            }
            rb_ary_cat(array, d->stack + base, some);
            d->top = base;
            left -= some;
        }
    }
    d->top = base;
    d->depth--;
    return array;
}

/* key decodes a map key. A String key is frozen and interned, or converted to a Symbol if
 * symbolize_keys is set. cached says whether to use the key cache. */
static inline VALUE key(decoder_t *d, bool cached)
{
    if (RARE(d->p == d->end)) {
        return Qundef;
    }
    uint8_t b = *d->p;
    uint32_t n;
    if (HOT(b >= FIXSTR && b < NIL)) {
        n = b & 0x1f;
        d->p++;
    } else if (b == STR8 && remaining(d) >= 2) {
        n = d->p[1];
        d->p += 2;
    } else {
        VALUE v = decode_value(d);
        if (v == Qundef || RB_SPECIAL_CONST_P(v)) {
            return v;
        }
        if (RB_BUILTIN_TYPE(v) == T_STRING) {
            if (d->o->symbolize_keys) {
                return rb_str_intern(v);
            }
            /* rb_str_to_interned_str would freeze an object of a user-defined subclass */
            return rb_obj_class(v) == rb_cString ? rb_str_to_interned_str(v) : rb_str_new_frozen(v);
        }
        pin(d); /* its hash method may be user-defined */
        return v;
    }
    if (RARE(n > d->o->limits.max_str)) {
        too_many("str", n, "bytes", "max_str_len", d->o->limits.max_str);
    }
    if (RARE(n > remaining(d))) {
        return Qundef;
    }
    const uint8_t *p = d->p;
    d->p += n;
    if (HOT(n > 0 && n <= LONG_KEY && cached)) {
        return d->o->symbolize_keys ? key_symbol(d->keys, p, n) : key_string(d->keys, p, n);
    }
    VALUE s = rb_enc_interned_str((const char *)p, n, utf8_encoding);
    return d->o->symbolize_keys ? rb_str_intern(s) : s;
}

/* pairs decodes n keys and values and pushes them onto the stack. It returns false if they are
 * incomplete. */
static bool pairs(decoder_t *d, size_t n, bool cached)
{
    stack_need(d, 2 * n);
    for (size_t i = 0; i < n; i++) {
        VALUE v = key(d, cached);
        if (RARE(v == Qundef)) {
            return false;
        }
        d->stack[d->top++] = v;
        v = number_at(&d->p, d->end);
        if (v == Qundef) {
            v = decode_value(d);
            if (RARE(v == Qundef)) {
                return false;
            }
        }
        d->stack[d->top++] = v;
    }
    return true;
}

/* new_map returns an empty Hash for n entries. The capacity is limited, because most entries may be
 * missing. */
static VALUE new_map(uint32_t n)
{
#ifdef HAVE_RB_HASH_NEW_CAPA
    return rb_hash_new_capa(n < FIRST_CAPACITY ? n : FIRST_CAPACITY);
#else
    return rb_hash_new();
#endif
}

static VALUE decode_map(decoder_t *d, uint32_t n)
{
    if (RARE(n > d->o->limits.max_map)) {
        too_many("map", n, "entries", "max_map_len", d->o->limits.max_map);
    }
    if (RARE((uint64_t)n * 2 > remaining(d))) {
        return Qundef;
    }
    if (n == 0) {
        return rb_hash_new();
    }
    enter(d);
    size_t base = d->top;
    VALUE map = Qundef;
    /* A map with more than KEYS keys would evict all other keys from the cache, and would hardly
     * reuse its own. */
    bool cached = d->o->key_cache && n <= KEYS;
    uint32_t some = n < BATCH / 2 ? n : BATCH / 2;
    if (pairs(d, some, cached)) {
        map = new_map(n);
        rb_hash_bulk_insert(2 * (long)some, d->stack + base, map);
        d->top = base;
        /* rb_hash_bulk_insert rebuilds the table of a Hash that has entries. So each batch has up
         * to three times as many entries as the Hash, which keeps the total time linear. The stack
         * grows with the decoded entries, not with the count that the header claims. */
        for (uint32_t done = some; done < n; done += some) {
            some = (n - done) / MORE < done ? n - done : MORE * done;
            if (!pairs(d, some, cached)) {
                map = Qundef;
                break;
            }
            rb_hash_bulk_insert(2 * (long)some, d->stack + base, map);
            d->top = base;
        }
    }
    d->top = base;
    d->depth--;
    return map;
}

/* Ext types. */

static VALUE timestamp(const uint8_t *p, uint32_t n)
{
    switch (n) {
    case 4:
        return rb_time_nano_new(load32(p), 0);
    case 8: {
        uint64_t both = load64(p);
        return rb_time_nano_new((time_t)(both & ((UINT64_C(1) << 34) - 1)), (long)(both >> 34));
    }
    case 12:
        return rb_time_nano_new((time_t)(int64_t)load64(p + 4), (long)load32(p));
    }
    rb_raise(eMalformedFormatError, "Invalid timestamp data size: %u", n);
}

static VALUE known_ext(decoder_t *d, VALUE entry, uint32_t n)
{
    VALUE callable = entry_callable(entry);
    int flags = entry_flags(entry);
    const uint8_t *p = d->p;
    if (flags & EXT_TIME) {
        d->p += n;
        return timestamp(p, n);
    }
    if (flags & EXT_SYMBOL) {
        d->p += n;
        return rb_str_intern(rb_utf8_str_new((const char *)p, n));
    }
    pin(d); /* the callable may change the memory that is decoded */
    if (flags & EXT_RECURSIVE) {
        if (RARE(d->depth >= d->o->max_depth)) {
            rb_raise(eStackError, "stack level too deep");
        }
        VALUE payload = share_cut(d->source, (size_t)(d->p - (const uint8_t *)RSTRING_PTR(d->source)), n, binary, d->o->share);
        d->p += n;
        VALUE child = unpacker_child(d, payload);
        return ext_call(callable, 1, &child);
    }
    VALUE payload = cut(d, n, binary);
    return ext_call(callable, 1, &payload);
}

static VALUE decode_ext(decoder_t *d, int8_t type, uint32_t n)
{
    if (RARE(n > d->o->limits.max_ext)) {
        too_many("ext", n, "bytes", "max_ext_len", d->o->limits.max_ext);
    }
    if (RARE(n > remaining(d))) {
        return Qundef;
    }
    VALUE entry = unpack_exts_find(d->exts, type);
    if (!NIL_P(entry)) {
        return known_ext(d, entry, n);
    }
    if (!d->o->allow_unknown_ext) {
        rb_raise(eUnknownExtTypeError, "unexpected extension type");
    }
    pin(d);
    VALUE args[2] = {INT2FIX(type), cut(d, n, binary)};
    return rb_class_new_instance(2, args, rb_const_get(mModule, rb_intern("ExtensionValue")));
}

/* decode_head decodes the value at p. b is its first byte, and its header is complete. */
static VALUE decode_head(decoder_t *d, uint8_t b)
{
    const uint8_t *p = d->p;
    d->p += head_sizes[b];
    switch (b) {
    case NIL: return Qnil;
    case FALSE_BYTE: return Qfalse;
    case TRUE_BYTE: return Qtrue;
    case UINT8: return INT2FIX(p[1]);
    case UINT16: return INT2FIX(load16(p + 1));
    case UINT32: return UINT2NUM(load32(p + 1));
    case UINT64: return ULL2NUM(load64(p + 1));
    case INT8: return INT2FIX((int8_t)p[1]);
    case INT16: return INT2FIX((int16_t)load16(p + 1));
    case INT32: return INT2NUM((int32_t)load32(p + 1));
    case INT64: return LL2NUM((int64_t)load64(p + 1));
    case FLOAT32: return float_value(load_float32(p + 1));
    case FLOAT64: return float_value(load_float64(p + 1));
    case STR8: return decode_str(d, p[1]);
    case STR16: return decode_str(d, load16(p + 1));
    case STR32: return decode_str(d, load32(p + 1));
    case BIN8: return decode_bin(d, p[1]);
    case BIN16: return decode_bin(d, load16(p + 1));
    case BIN32: return decode_bin(d, load32(p + 1));
    case ARRAY16: return decode_array(d, load16(p + 1));
    case ARRAY32: return decode_array(d, load32(p + 1));
    case MAP16: return decode_map(d, load16(p + 1));
    case MAP32: return decode_map(d, load32(p + 1));
    case FIXEXT1: return decode_ext(d, (int8_t)p[1], 1);
    case FIXEXT2: return decode_ext(d, (int8_t)p[1], 2);
    case FIXEXT4: return decode_ext(d, (int8_t)p[1], 4);
    case FIXEXT8: return decode_ext(d, (int8_t)p[1], 8);
    case FIXEXT16: return decode_ext(d, (int8_t)p[1], 16);
    case EXT8: return decode_ext(d, (int8_t)p[2], p[1]);
    case EXT16: return decode_ext(d, (int8_t)p[3], load16(p + 1));
    case EXT32: return decode_ext(d, (int8_t)p[5], load32(p + 1));
    }
    UNREACHABLE_RETURN(Qundef);
}

static VALUE decode_value(decoder_t *d)
{
    if (RARE(d->p == d->end)) {
        return Qundef;
    }
    uint8_t b = *d->p;
    VALUE v;
    if (b >= FIXSTR && b < NIL) {
        d->p++;
        return decode_str(d, b & 0x1f); /* decode_str freezes it if required */
    }
    if (b < FIXMAP || b >= NEGATIVE_FIXINT) {
        d->p++;
        return INT2FIX((int8_t)b);
    }
    if (b < FIXARRAY) {
        d->p++;
        v = decode_map(d, b & 0x0f);
    } else if (b < FIXSTR) {
        d->p++;
        v = decode_array(d, b & 0x0f);
    } else if (RARE(b == NEVER_USED)) {
        rb_raise(eMalformedFormatError, "invalid byte");
    } else if (RARE(remaining(d) < head_sizes[b])) {
        return Qundef;
    } else {
        v = decode_head(d, b);
    }
    if (RARE(d->o->freeze) && v != Qundef && !RB_SPECIAL_CONST_P(v)) {
        rb_obj_freeze(v);
    }
    return v;
}

/* end_stack ends the use of a stack that has outgrown the first one. A continuation restores the
 * first stack, which is on the C stack, but not this one. After decode has returned, this stack no
 * longer contains the values that the continuation needs. So end_stack raises RuntimeError if
 * decode returns a second time. */
static void end_stack(decoder_t *d)
{
    VALUE *ended = d->stack - 1;
    if (*ended == Qtrue) {
        rb_raise(rb_eRuntimeError, "a continuation came back into an unpacker that had returned");
    }
    *ended = Qtrue;
    forget(d, &d->memory);
}

VALUE decode(decoder_t *d, VALUE *first)
{
    d->stack = first;
    d->top = 0;
    d->capacity = FIRST_STACK;
    d->memory = 0;
    VALUE v = decode_value(d);
    if (RARE(d->memory != 0)) {
        end_stack(d);
    }
    RB_GC_GUARD(d->source);
    RB_GC_GUARD(d->string);
    return v;
}

void raise_limit(const limits_t *limits, const uint8_t *p)
{
    uint64_t elements, size = head_payload(p, &elements);
    switch (*p) {
    case BIN8: case BIN16: case BIN32:
        too_many("bin", (uint32_t)size, "bytes", "max_bin_len", limits->max_bin);
    case STR8: case STR16: case STR32:
        too_many("str", (uint32_t)size, "bytes", "max_str_len", limits->max_str);
    case ARRAY16: case ARRAY32:
        too_many("array", (uint32_t)elements, "elements", "max_array_len", limits->max_array);
    case MAP16: case MAP32:
        too_many("map", (uint32_t)(elements / 2), "entries", "max_map_len", limits->max_map);
    }
    if (*p >= NIL) {
        too_many("ext", (uint32_t)size, "bytes", "max_ext_len", limits->max_ext);
    }
    if (*p >= FIXSTR) {
        too_many("str", (uint32_t)size, "bytes", "max_str_len", limits->max_str);
    }
    if (*p >= FIXARRAY) {
        too_many("array", (uint32_t)elements, "elements", "max_array_len", limits->max_array);
    }
    too_many("map", (uint32_t)(elements / 2), "entries", "max_map_len", limits->max_map);
}

void unpack_options_init(unpack_options_t *o)
{
    *o = (unpack_options_t){.key_cache = true, .max_depth = 128, .limits = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX}, .share = 1024};
}

#define FLAG(name) {#name, offsetof(unpack_options_t, name), 0, 0, 0}
#define LIMIT(name, member, least, most) {name, offsetof(unpack_options_t, member), least, most, 0}

static option_t options_table[] = {
    FLAG(symbolize_keys), FLAG(freeze), FLAG(allow_unknown_ext), FLAG(key_cache), FLAG(transactional),
    LIMIT("max_depth", max_depth, 1, MAX_DEPTH), LIMIT("max_str_len", limits.max_str, 0, UINT32_MAX),
    LIMIT("max_bin_len", limits.max_bin, 0, UINT32_MAX), LIMIT("max_array_len", limits.max_array, 0, UINT32_MAX),
    LIMIT("max_map_len", limits.max_map, 0, UINT32_MAX), LIMIT("max_ext_len", limits.max_ext, 0, UINT32_MAX),
};

#define OPTIONS (sizeof(options_table) / sizeof(options_table[0]))

void unpack_options_read(unpack_options_t *o, VALUE options)
{
    if (NIL_P(options)) {
        return;
    }
    if (!RB_TYPE_P(options, T_HASH)) {
        rb_raise(rb_eArgError, "expected Hash but found %"PRIsVALUE, rb_obj_class(options));
    }
    args_read(options_table, OPTIONS, o, options);
    const limits_t *l = &o->limits;
    o->limited = l->max_str != UINT32_MAX || l->max_bin != UINT32_MAX || l->max_array != UINT32_MAX || l->max_map != UINT32_MAX || l->max_ext != UINT32_MAX;
}

void Init_decode(VALUE mMessagePack)
{
    mModule = mMessagePack;
    args_init(options_table, OPTIONS);
    utf8 = rb_utf8_encindex();
    binary = rb_ascii8bit_encindex();
    utf8_encoding = rb_utf8_encoding();
    binary_encoding = rb_ascii8bit_encoding();
}
