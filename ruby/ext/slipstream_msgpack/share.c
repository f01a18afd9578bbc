#include "share.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static _Atomic bool share_middle;  /* whether sharing from the middle is switched on */
static bool middle_works;          /* whether the test at load time succeeded */

/* length_word is the index of the word that contains the length in a String object that is not
 * embedded, or 0 if it is unknown. Ruby has no call that shortens a String without a change to its
 * shared memory, so set_length writes the word itself. The index is measured when the library is
 * loaded. It is not derived from the Ruby version, because a future header may give the member
 * another name. */
static size_t length_word;

static void set_length(VALUE string, long n) { ((long *)string)[length_word] = n; }

#define WORDS (sizeof(struct RString) / sizeof(long))
#define HEAD_WORDS (sizeof(struct RBasic) / sizeof(long))

/* find_length returns the index of the only word that equals the length in three Strings of
 * different lengths, or 0. In a String that owns its memory, the capacity has the same value. So
 * the Strings are tails that share memory. */
static size_t find_length(VALUE source)
{
    size_t found = 0;
    for (size_t word = HEAD_WORDS; word < WORDS; word++) {
        bool equal = true;
        for (long from = 1; from <= 3; from++) {
            VALUE string = rb_str_subseq(source, from * 101, RSTRING_LEN(source) - from * 101);
            equal = equal && RB_FL_TEST_RAW(string, RSTRING_NOEMBED) && ((const long *)string)[word] == RSTRING_LEN(string);
            RB_GC_GUARD(string);
        }
        if (equal && found != 0) {
            return 0;
        }
        if (equal) {
            found = word;
        }
    }
    return found;
}

/* with_encoding sets the encoding and clears the code range. The code range of the source may not
 * hold for a part of it, because the part may begin or end within a character. */
static VALUE with_encoding(VALUE string, int encoding_index)
{
    if (rb_enc_get_index(string) != encoding_index) {
        rb_enc_associate_index(string, encoding_index);
    }
    RB_ENC_CODERANGE_CLEAR(string);
    return string;
}

static VALUE copy(VALUE source, size_t from, size_t n, int encoding_index)
{
    VALUE string = rb_str_new(RSTRING_PTR(source) + from, (long)n);
    RB_GC_GUARD(source);
    return with_encoding(string, encoding_index);
}

/* is_tail reports whether source[from, n] ends at the end of source, with a NUL after it. A source
 * that was cut from the middle of another String has no NUL after it. Then its tails have none,
 * either. */
static bool is_tail(VALUE source, size_t from, size_t n)
{
    return from + n == (size_t)RSTRING_LEN(source) && RSTRING_END(source)[0] == '\0';
}

/* share_tail returns the substring from the offset from to the end. Ruby shares memory with such a
 * substring. */
static VALUE share_tail(VALUE source, size_t from)
{
    return rb_str_subseq(source, (long)from, RSTRING_LEN(source) - (long)from);
}

static bool shares(VALUE string, VALUE source, size_t from)
{
    return RB_FL_TEST_RAW(string, RSTRING_NOEMBED) && RSTRING_PTR(string) == RSTRING_PTR(source) + from;
}

/* share_cut_middle returns source[from, n]: it takes a tail of source and shortens it. It returns
 * Qfalse if this Ruby did not share memory with the tail. The String owns no memory, so it has no
 * capacity that contradicts the shorter length. Ruby copies the String before any change, and
 * before it adds a NUL. */
static VALUE share_cut_middle(VALUE source, size_t from, size_t n)
{
    VALUE string = share_tail(source, from);
    if (!shares(string, source, from)) {
        return Qfalse;
    }
    set_length(string, (long)n);
    return string;
}

static bool is_text(uint8_t c)
{
    return (c >= '\t' && c <= '\r') || (c >= ' ' && c <= '~');
}

static bool begins_number(uint8_t c)
{
    return (c >= '0' && c <= '9') || (c >= '\t' && c <= '\r') || c == '+' || c == '-' || c == '.' || c == '_' || c == ' ';
}

/* works_without_nul reports whether source[from, n] works without a NUL after it. A few methods of
 * String read one byte after the end and expect a NUL. unpack("m") takes the byte for base64.
 * Integer() and Rational() take it for another character of a number that consists of zeros so far.
 * unpack("m") works if the byte is not text, and in MessagePack the byte is hardly ever text.
 * Integer() and Rational() do not read the byte if the String is no number. */
static bool works_without_nul(VALUE source, size_t from, size_t n)
{
    const uint8_t *bytes = (const uint8_t *)RSTRING_PTR(source) + from;
    return !is_text(bytes[n]) && !(begins_number(bytes[0]) && is_text(bytes[n - 1]));
}

static bool may_share_middle(VALUE source, size_t from, size_t n, int encoding_index)
{
    return n >= SHARE_MIDDLE && encoding_index == rb_ascii8bit_encindex() && atomic_load_explicit(&share_middle, memory_order_relaxed)
        && works_without_nul(source, from, n);
}

VALUE share_cut(VALUE source, size_t from, size_t n, int encoding_index, size_t threshold)
{
    if (n >= threshold) {
        if (is_tail(source, from, n)) {
            return with_encoding(share_tail(source, from), encoding_index);
        }
        if (may_share_middle(source, from, n, encoding_index)) {
            VALUE string = share_cut_middle(source, from, n);
            if (string != Qfalse) {
                return with_encoding(string, encoding_index);
            }
        }
    }
    return copy(source, from, n, encoding_index);
}

VALUE share_all(VALUE string)
{
    return RB_OBJ_FROZEN(string) ? rb_obj_freeze(rb_str_new_shared(string)) : rb_str_new_frozen(string);
}

/* The test at load time. It cuts the middle part out of a source of three parts. Each step applies
 * an operation of Ruby to Strings. The step fails if Ruby uses the length of the shared memory as
 * the length of the String, or writes to the shared memory. */
#define PART SHARE_MIDDLE

static VALUE test_source(void)
{
    VALUE source = rb_str_new(NULL, 3 * PART);
    for (size_t i = 0; i < 3 * PART; i++) {
        RSTRING_PTR(source)[i] = (char)('a' + i % 23);
    }
    return rb_obj_freeze(source);
}

static VALUE cut(VALUE source)
{
    VALUE string = share_cut_middle(source, PART, PART);
    return string == Qfalse ? Qfalse : with_encoding(string, rb_ascii8bit_encindex());
}

static bool is_middle(VALUE string, VALUE expected)
{
    return RSTRING_LEN(string) == PART && memcmp(RSTRING_PTR(string), RSTRING_PTR(expected), PART) == 0;
}

static bool test_reading(VALUE source, VALUE expected)
{
    VALUE string = cut(source);
    return string != Qfalse && shares(string, source, PART) && is_middle(string, expected)
        && rb_str_equal(string, expected) == Qtrue && rb_str_hash(string) == rb_str_hash(expected)
        && is_middle(rb_str_dup(string), expected)
        && rb_str_equal(rb_str_subseq(string, PART - 100, 100), rb_str_subseq(expected, PART - 100, 100)) == Qtrue
        && RSTRING_LEN(rb_str_plus(string, expected)) == 2 * PART;
}

static bool test_appending(VALUE source, VALUE expected)
{
    VALUE string = cut(source), copied = rb_str_dup(string);
    rb_str_cat(string, "!", 1);
    rb_str_cat(copied, "?", 1);
    return RSTRING_LEN(string) == PART + 1 && RSTRING_PTR(string)[PART] == '!' && memcmp(RSTRING_PTR(string), RSTRING_PTR(expected), PART) == 0
        && RSTRING_LEN(copied) == PART + 1 && RSTRING_PTR(copied)[PART] == '?';
}

static bool test_changing(VALUE source, VALUE expected)
{
    VALUE string = cut(source), shorter = cut(source);
    rb_str_modify(string);
    RSTRING_PTR(string)[PART - 1] = '!';
    rb_str_resize(shorter, 10);
    return !shares(string, source, PART) && RSTRING_LEN(string) == PART && memcmp(RSTRING_PTR(string), RSTRING_PTR(expected), PART - 1) == 0
        && RSTRING_LEN(shorter) == 10;
}

static bool test_freezing(VALUE source, VALUE expected)
{
    return is_middle(rb_str_freeze(cut(source)), expected) && is_middle(rb_str_new_frozen(cut(source)), expected);
}

/* test_terminating checks that C code gets a NUL at the end if it asks for one, and that the NUL is
 * not written to the source. */
static bool test_terminating(VALUE source, VALUE expected)
{
    VALUE string = cut(source);
    const char *bytes = StringValueCStr(string);
    return strlen(bytes) == PART && is_middle(string, expected);
}

static VALUE test(VALUE ignored)
{
    VALUE source = test_source();
    if ((length_word = find_length(source)) == 0) {
        return Qfalse;
    }
    VALUE unchanged = rb_str_new(RSTRING_PTR(source), 3 * PART), expected = rb_str_new(RSTRING_PTR(source) + PART, PART);
    bool works = test_reading(source, expected) && test_appending(source, expected) && test_changing(source, expected)
        && test_freezing(source, expected) && test_terminating(source, expected)
        && RSTRING_LEN(source) == 3 * PART && memcmp(RSTRING_PTR(source), RSTRING_PTR(unchanged), 3 * PART) == 0;
    RB_GC_GUARD(source);
    RB_GC_GUARD(unchanged);
    RB_GC_GUARD(expected);
    return works ? Qtrue : Qfalse;
}

/* call-seq: MessagePack.share_middle? -> true or false
 * Returns whether long binary Strings share memory from the middle of their source. */
static VALUE is_share_middle(VALUE module)
{
    return atomic_load(&share_middle) ? Qtrue : Qfalse;
}

/* call-seq: MessagePack.share_middle = true or false
 * Switches sharing from the middle on or off. It stays off if the test at load time failed. */
static VALUE set_share_middle(VALUE module, VALUE on)
{
    atomic_store(&share_middle, RTEST(on) && middle_works);
    return on;
}

static bool refused_by_environment(void)
{
    const char *value = getenv("SLIPSTREAM_MSGPACK_SHARE_MIDDLE");
    return value != NULL && strcmp(value, "0") == 0;
}

void Init_share(VALUE mMessagePack)
{
    int raised = 0;
    middle_works = rb_protect(test, Qnil, &raised) == Qtrue && !raised;
    if (raised) {
        rb_set_errinfo(Qnil);
    }
    atomic_store(&share_middle, middle_works && !refused_by_environment());
    rb_define_singleton_method(mMessagePack, "share_middle?", is_share_middle, 0);
    rb_define_singleton_method(mMessagePack, "share_middle=", set_share_middle, 1);
}
