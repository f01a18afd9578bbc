#include "encode.h"
#include "packer.h"
#include "ruby/encoding.h"

static ID id_to_msgpack;
static int utf8, ascii, binary;
static rb_encoding *utf8_encoding;

#define HOT(x) __builtin_expect(!!(x), 1)
#define RARE(x) __builtin_expect(!!(x), 0)

static void encode_any(encoder_t *e, VALUE v, int depth);

/* check_stack raises SystemStackError before the C stack overflows, so that deeply nested data does
 * not end the process. Ruby raises the same error for recursion in Ruby code. */
static inline void check_stack(int depth)
{
    if (RARE(depth % 64 == 63) && ruby_stack_check()) {
        rb_raise(rb_eSysStackError, "stack level too deep");
    }
}

/* number writes v at p, which must have space for MAX_HEAD bytes, and returns the position after
 * it. It returns NULL if v is neither a Fixnum nor a flonum. */
static inline uint8_t *number(const encoder_t *e, uint8_t *p, VALUE v)
{
    if (HOT(FIXNUM_P(v))) {
        if (HOT(v <= INT2FIX(INT8_MAX))) { /* unsigned comparison: from 0 to INT8_MAX */
            *p = (uint8_t)(v >> 1);
            return p + 1;
        }
        return put_signed(p, FIX2LONG(v));
    }
    if (FLONUM_P(v)) {
        double d = rb_float_value(v);
        return RARE(e->float32) && (double)(float)d == d ? put_float32(p, (float)d) : put_float64(p, d);
    }
    return NULL;
}

void encode_float(encoder_t *e, double d)
{
    out_need(e->out, MAX_HEAD);
    e->out->p = e->float32 && (double)(float)d == d ? put_float32(e->out->p, (float)d) : put_float64(e->out->p, d);
}

/* length returns n as a 32-bit length. It raises ArgumentError if n is larger than 32 bits
 * allow. */
static inline uint32_t length(const char *what, long n)
{
    if (RARE((unsigned long)n > UINT32_MAX)) {
        rb_raise(rb_eArgError, "size of %s is too long to pack: %ld should be <= %lu", what, n, (unsigned long)UINT32_MAX);
    }
    return (uint32_t)n;
}

/* copy_short copies up to 32 bytes, in words that overlap. For most strings, the call of memcpy
 * alone takes longer. */
static inline void copy_short(uint8_t *to, const uint8_t *from, size_t n)
{
    uint64_t a, b;
    uint32_t c, d;
    if (n > 16) {
        memcpy(to, from, 16);
        memcpy(&a, from + n - 16, 8);
        memcpy(&b, from + n - 8, 8);
        memcpy(to + n - 16, &a, 8);
        memcpy(to + n - 8, &b, 8);
    } else if (n >= 8) {
        memcpy(&a, from, 8);
        memcpy(&b, from + n - 8, 8);
        memcpy(to, &a, 8);
        memcpy(to + n - 8, &b, 8);
    } else if (n >= 4) {
        memcpy(&c, from, 4);
        memcpy(&d, from + n - 4, 4);
        memcpy(to, &c, 4);
        memcpy(to + n - 4, &d, 4);
    } else if (n > 0) {
        to[0] = from[0];
        to[n / 2] = from[n / 2];
        to[n - 1] = from[n - 1];
    }
}

/* bytes appends the contents of string at p, where its header ends. It may run Ruby code
 * (out->append). */
static inline void bytes(out_t *out, uint8_t *p, VALUE string)
{
    size_t n = (size_t)RSTRING_LEN(string);
    out->p = p;
    if (HOT(n <= out_room(out) && n < out->reference)) {
        copy_bytes(p, RSTRING_PTR(string), n);
        out->p = p + n;
    } else {
        out->append(out, string);
    }
}

static inline void encode_str(encoder_t *e, VALUE string)
{
    out_need(e->out, MAX_HEAD);
    bytes(e->out, put_str_head(e->out->p, length("string", RSTRING_LEN(string)), e->compat), string);
}

void encode_bin(encoder_t *e, VALUE string)
{
    if (e->compat) {
        encode_str(e, string);
        return;
    }
    out_need(e->out, MAX_HEAD);
    bytes(e->out, put_bin_head(e->out->p, length("string", RSTRING_LEN(string))), string);
}

/* short_text encodes a String shorter than 32 bytes in UTF-8 or US-ASCII and returns true. It
 * returns false and writes nothing for other Strings, or if the window has less than 32 bytes. Most
 * Strings are short text. */
static inline bool short_text(encoder_t *e, VALUE string)
{
    int encoding = RB_ENCODING_GET_INLINED(string);
    size_t n = (size_t)RSTRING_LEN(string);
    out_t *out = e->out;
    if (RARE((encoding != utf8 && encoding != ascii) || n >= 32 || out_room(out) < 32)) {
        return false;
    }
    *out->p = (uint8_t)(FIXSTR | n);
    copy_short(out->p + 1, (const uint8_t *)RSTRING_PTR(string), n);
    out->p += 1 + n;
    return true;
}

static void other_string(encoder_t *e, VALUE string)
{
    int encoding = RB_ENCODING_GET(string);
    if (HOT(encoding == utf8 || encoding == ascii)) {
        encode_str(e, string);
    } else if (encoding == binary) {
        encode_bin(e, string);
    } else {
        if (!rb_enc_str_asciionly_p(string)) {
            string = rb_str_encode(string, rb_enc_from_encoding(utf8_encoding), 0, Qnil);
        }
        encode_str(e, string);
        RB_GC_GUARD(string);
    }
}

static inline void any_string(encoder_t *e, VALUE string)
{
    if (!short_text(e, string)) {
        other_string(e, string);
    }
}

void encode_string(encoder_t *e, VALUE string) { any_string(e, string); }

/* Objects of other classes. A method of such an object may change the output of this encoder. */

/* take removes and returns all bytes that child has written. The caller appends them afterwards,
 * because appending may write to an io, which may run any Ruby code. */
static VALUE take(VALUE child)
{
    buffer_t *b = packer_buffer(child);
    return buffer_read(b, buffer_size(b));
}

/* take_child removes the child from e for one call of Ruby code and returns it. A nested call then
 * gets another child. */
static VALUE take_child(encoder_t *e)
{
    out_call(e->out);
    VALUE child = NIL_P(e->child) ? packer_child(e) : e->child;
    e->child = Qnil;
    packer_reset(child);
    return child;
}

static void give_back(encoder_t *e, VALUE child)
{
    packer_reset(child);
    if (NIL_P(e->self)) {
        e->child = child;
    } else {
        RB_OBJ_WRITE(e->self, &e->child, child);
    }
}

void encode_ext(encoder_t *e, int type, VALUE payload)
{
    out_need(e->out, MAX_HEAD);
    bytes(e->out, put_ext_head(e->out->p, (int8_t)type, length("ext", RSTRING_LEN(payload))), payload);
}

static void write_recursive(encoder_t *e, int type, VALUE callable, VALUE v)
{
    VALUE child = take_child(e);
    VALUE args[2] = {v, child};
    ext_call(callable, 2, args);
    VALUE payload = take(child);
    give_back(e, child);
    encode_ext(e, type, payload);
    RB_GC_GUARD(payload);
}

static void encode_time(encoder_t *e, int type, VALUE time)
{
    struct timespec t = rb_time_timespec(time);
    uint64_t seconds = (uint64_t)t.tv_sec;
    uint32_t nanoseconds = (uint32_t)t.tv_nsec;
    out_need(e->out, 16);
    uint8_t *p = e->out->p;
    if (seconds >> 34 != 0) { /* true for negative seconds, too */
        p = put_ext_head(p, (int8_t)type, 12);
        nanoseconds = BE32(nanoseconds);
        memcpy(p, &nanoseconds, 4);
        seconds = BE64(seconds);
        memcpy(p + 4, &seconds, 8);
        p += 12;
    } else if (nanoseconds == 0 && seconds <= UINT32_MAX) {
        p = put_ext_head(p, (int8_t)type, 4);
        uint32_t s = BE32((uint32_t)seconds);
        memcpy(p, &s, 4);
        p += 4;
    } else {
        p = put_ext_head(p, (int8_t)type, 8);
        uint64_t both = BE64((uint64_t)nanoseconds << 34 | seconds);
        memcpy(p, &both, 8);
        p += 8;
    }
    e->out->p = p;
}

static void encode_registered(encoder_t *e, VALUE entry, VALUE v)
{
    int type = FIX2INT(entry_key(entry)), flags = entry_flags(entry);
    VALUE callable = entry_callable(entry);
    if (flags & EXT_TIME) {
        encode_time(e, type, v);
        return;
    }
    if (flags & EXT_SYMBOL) {
        encode_ext(e, type, rb_sym2str(v));
        return;
    }
    if (flags & EXT_RECURSIVE) {
        write_recursive(e, type, callable, v);
        return;
    }
    out_call(e->out);
    VALUE payload = ext_call(callable, 1, &v);
    StringValue(payload);
    encode_ext(e, type, payload);
    RB_GC_GUARD(payload);
}

/* raw appends string, which contains MessagePack. */
static void raw(encoder_t *e, VALUE string)
{
    out_need(e->out, MAX_HEAD);
    bytes(e->out, e->out->p, string);
    RB_GC_GUARD(string);
}

/* strict_string handles the result of a to_msgpack method that wrote nothing. It appends a String,
 * and raises TypeError for other results. */
static void strict_string(encoder_t *e, VALUE v, VALUE result)
{
    if (!RB_TYPE_P(result, T_STRING)) {
        rb_raise(rb_eTypeError, "%"PRIsVALUE"#to_msgpack wrote nothing", rb_obj_class(v));
    }
    raw(e, result);
}

static void encode_foreign(encoder_t *e, VALUE v)
{
    if (!NIL_P(e->self)) {
        uint64_t before = e->strict ? packer_written(e->self) : 0;
        VALUE result = rb_funcall(v, id_to_msgpack, 1, e->self);
        if (e->strict && packer_written(e->self) == before) {
            strict_string(e, v, result);
        }
        return;
    }
    VALUE child = take_child(e);
    VALUE result = rb_funcall(v, id_to_msgpack, 1, child);
    VALUE written = take(child);
    give_back(e, child);
    if (e->strict && RSTRING_LEN(written) == 0) {
        strict_string(e, v, result);
    } else {
        raw(e, written);
    }
}

/* registered encodes v and returns true if an ext type is registered for v. Otherwise it returns
 * false. */
static bool registered(encoder_t *e, VALUE v)
{
    VALUE entry = pack_exts_find(e->exts, v);
    if (entry == Qfalse) {
        return false;
    }
    encode_registered(e, entry, v);
    return true;
}

/* encode_subclass handles an object whose class is not base itself but a subclass or a singleton
 * class; base is String, Array or Hash. It returns true if it has encoded v as an ext type, and
 * false if v has none. In strict mode, it raises TypeError for a subclass without an ext type. */
static bool encode_subclass(encoder_t *e, VALUE v, VALUE base)
{
    if (registered(e, v)) {
        return true;
    }
    if (e->strict && rb_obj_class(v) != base) {
        rb_raise(rb_eTypeError, "no ext type is registered for %"PRIsVALUE, rb_obj_class(v));
    }
    return false;
}

void encode_symbol(encoder_t *e, VALUE symbol)
{
    if (!NIL_P(e->exts->symbol)) {
        encode_registered(e, e->exts->symbol, symbol);
    } else {
        VALUE name = rb_sym2str(symbol);
        encode_string(e, name);
    }
}

void encode_integer(encoder_t *e, VALUE v)
{
    out_need(e->out, MAX_HEAD);
    if (FIXNUM_P(v)) {
        e->out->p = put_signed(e->out->p, FIX2LONG(v));
        return;
    }
    if (NIL_P(e->exts->integer)) { /* both conversions raise RangeError beyond 64 bits */
        e->out->p = RBIGNUM_NEGATIVE_P(v) ? put_signed(e->out->p, rb_big2ll(v)) : put_unsigned(e->out->p, rb_big2ull(v));
        return;
    }
    uint64_t magnitude;
    /* ±2: v does not fit into 64 bits */
    int sign = rb_integer_pack(v, &magnitude, 1, 8, 0, INTEGER_PACK_NATIVE_BYTE_ORDER);
    bool fits = sign == 0 || sign == 1 || (sign == -1 && magnitude <= (uint64_t)1 << 63);
    if (!fits && !NIL_P(e->exts->integer)) {
        encode_registered(e, e->exts->integer, v);
    } else if (sign >= 0) {
        e->out->p = put_unsigned(e->out->p, NUM2ULL(v)); /* raises RangeError beyond 64 bits */
    } else {
        e->out->p = put_signed(e->out->p, NUM2LL(v));
    }
}

void encode_array(encoder_t *e, VALUE array, int depth)
{
    check_stack(depth);
    long n = RARRAY_LEN(array);
    out_t *out = e->out;
    out_need(out, MAX_HEAD);
    out->p = put_array_head(out->p, length("array", n));
    for (long i = 0; i < n;) {
        /* Encodes numbers as long as the window has space, without a check for other classes. No
         * Ruby code runs in this loop, so the array does not change. */
        out_need(out, MAX_HEAD);
        uint8_t *p = out->p, *end = out->end - MAX_HEAD;
        const VALUE *elements = RARRAY_CONST_PTR(array);
        long there = RARRAY_LEN(array) < n ? RARRAY_LEN(array) : n;
        for (uint8_t *next; i < there && p <= end && (next = number(e, p, elements[i])) != NULL; i++) {
            p = next;
        }
        out->p = p;
        /* If p <= end, the loop did not stop at the end of the window. Ruby code of an earlier
         * element may have shortened the array. Each missing element is encoded as nil. */
        if (i < n && p <= end) {
            encode_any(e, i < there ? elements[i] : Qnil, depth + 1);
            i++;
        }
    }
    RB_GC_GUARD(array);
}

typedef struct {
    encoder_t *e;
    int depth;
    long left;
} pairs_t;

/* encode_entry encodes a key or a value. Most are Strings. */
static inline void encode_entry(encoder_t *e, VALUE v, int depth)
{
    if (!RB_SPECIAL_CONST_P(v) && RB_BUILTIN_TYPE(v) == T_STRING && RBASIC_CLASS(v) == rb_cString) {
        any_string(e, v);
    } else {
        encode_any(e, v, depth);
    }
}

static int encode_pair(VALUE key, VALUE value, VALUE arg)
{
    pairs_t *pairs = (pairs_t *)arg;
    encode_entry(pairs->e, key, pairs->depth);
    encode_entry(pairs->e, value, pairs->depth);
    pairs->left--;
    return ST_CONTINUE;
}

void encode_hash(encoder_t *e, VALUE hash, int depth)
{
    check_stack(depth);
    pairs_t pairs = {e, depth + 1, (long)RHASH_SIZE(hash)};
    out_need(e->out, MAX_HEAD);
    e->out->p = put_map_head(e->out->p, length("hash", pairs.left));
    if (pairs.left > 0) {
        rb_hash_foreach(hash, encode_pair, (VALUE)&pairs);
        /* Ruby allows deletion during iteration, but the header already contains the number of
         * entries. */
        if (pairs.left != 0) {
            rb_raise(rb_eRuntimeError, "hash modified while it was packed");
        }
    }
}

static void encode_any(encoder_t *e, VALUE v, int depth)
{
    out_t *out = e->out;
    if (RB_SPECIAL_CONST_P(v)) {
        out_need(out, MAX_HEAD);
        uint8_t *next = number(e, out->p, v);
        if (HOT(next != NULL)) {
            out->p = next;
        } else if (NIL_P(v)) {
            *out->p++ = NIL;
        } else if (v == Qtrue) {
            *out->p++ = TRUE_BYTE;
        } else if (v == Qfalse) {
            *out->p++ = FALSE_BYTE;
        } else {
            encode_symbol(e, v);
        }
        return;
    }
    switch (RB_BUILTIN_TYPE(v)) {
    case T_STRING:
        if (HOT(RBASIC_CLASS(v) == rb_cString) || !encode_subclass(e, v, rb_cString)) {
            any_string(e, v);
        }
        return;
    case T_ARRAY:
        if (HOT(RBASIC_CLASS(v) == rb_cArray) || !encode_subclass(e, v, rb_cArray)) {
            encode_array(e, v, depth);
        }
        return;
    case T_HASH:
        if (HOT(RBASIC_CLASS(v) == rb_cHash) || !encode_subclass(e, v, rb_cHash)) {
            encode_hash(e, v, depth);
        }
        return;
    case T_SYMBOL:
        encode_symbol(e, v);
        return;
    case T_FLOAT:
        encode_float(e, RFLOAT_VALUE(v));
        return;
    case T_BIGNUM:
        encode_integer(e, v);
        return;
    default:
        if (!registered(e, v)) {
            encode_foreign(e, v);
        }
    }
}

void encode(encoder_t *e, VALUE v) { encode_any(e, v, 0); }

void Init_encode(void)
{
    id_to_msgpack = rb_intern("to_msgpack");
    utf8 = rb_utf8_encindex();
    ascii = rb_usascii_encindex();
    binary = rb_ascii8bit_encindex();
    utf8_encoding = rb_utf8_encoding();
}
