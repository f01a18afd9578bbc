#include "unpacker.h"
#include "args.h"
#include "errors.h"
#include "number.h"

VALUE cUnpacker;

/* The decoder needs an object in contiguous memory. If the first chunk does not contain the whole
 * object, the unpacker scans for the end of the object. The scan reads each byte once, even if the
 * input arrives in small pieces. When the object is complete, its bytes are moved into one chunk,
 * and decoded. */
typedef struct {
    buffer_t buffer;
    unpack_options_t o;
    unpack_exts_t exts;
    VALUE view;     /* the Buffer object that #buffer returns; Qnil until the first call */
    uint32_t depth; /* number of containers around the payload of a recursive ext type */

    /* raised is set before an object is decoded, and reset afterwards. If it is still set at the
     * next read, decoding has raised, and the object is skipped. raised_reads is the value of
     * buffer.reads when raised was set. If buffer.reads has changed since, the object is no longer
     * in the buffer. */
    bool raised;
    size_t raised_reads;

    scan_t *scan;   /* scan of the first object if it is incomplete; NULL until first used */
    bool scanning;
    size_t reads;   /* buffer.reads when the scan started */
    size_t scanned; /* number of bytes of the object that are scanned */
    size_t into;    /* number of these bytes that are in chunk at */
    chunk_t *at;    /* the chunk where the scan continues */
} unpacker_t;

static void unpacker_mark(void *p)
{
    unpacker_t *uk = p;
    buffer_mark(&uk->buffer);
    unpack_exts_mark(&uk->exts);
    rb_gc_mark_movable(uk->view);
}

static void unpacker_compact(void *p)
{
    unpacker_t *uk = p;
    buffer_compact(&uk->buffer);
    unpack_exts_compact(&uk->exts);
    uk->view = rb_gc_location(uk->view);
}

static void unpacker_free(void *p)
{
    unpacker_t *uk = p;
    buffer_free(&uk->buffer);
    xfree(uk->scan);
    xfree(uk);
}

static size_t unpacker_memsize(const void *p)
{
    const unpacker_t *uk = p;
    return sizeof(unpacker_t) + buffer_memsize(&uk->buffer) + (uk->scan == NULL ? 0 : sizeof(scan_t));
}

static const rb_data_type_t unpacker_type = {
    "msgpack:unpacker", {unpacker_mark, unpacker_free, unpacker_memsize, unpacker_compact, {0}}, NULL, NULL,
    RUBY_TYPED_FREE_IMMEDIATELY | RUBY_TYPED_WB_PROTECTED,
};

static inline unpacker_t *get(VALUE self) { return typed_data(self, &unpacker_type); }

static VALUE unpacker_alloc(VALUE klass)
{
    unpacker_t *uk;
    VALUE self = TypedData_Make_Struct(klass, unpacker_t, &unpacker_type, uk);
    uk->view = Qnil;
    unpack_exts_init(&uk->exts);
    unpack_options_init(&uk->o);
    buffer_init(&uk->buffer, self);
    return self;
}

static VALUE initialize(int argc, VALUE *argv, VALUE self)
{
    unpacker_t *uk = get(self);
    VALUE io, options;
    args_io_options(argc, argv, &io, &options);
    unpack_options_read(&uk->o, options);
    buffer_configure(&uk->buffer, io, options);
    uk->o.share = uk->buffer.read_reference_threshold;
    return self;
}

VALUE unpacker_new(const unpack_exts_t *exts, int argc, const VALUE *argv)
{
    VALUE self = unpacker_alloc(cUnpacker);
    RB_OBJ_WRITE(self, &get(self)->exts.types, exts->types);
    return initialize(argc, (VALUE *)argv, self);
}

VALUE unpacker_child(const decoder_t *d, VALUE payload)
{
    VALUE self = unpacker_new(d->exts, 0, NULL);
    unpacker_t *uk = get(self);
    uk->o = *d->o;
    uk->depth = d->depth + 1;
    buffer_append_reference(&uk->buffer, payload, uk->buffer.read_reference_threshold);
    return self;
}

/* Input. */

/* more reads from the io into the buffer. It returns false at the end of the io, or if there is no
 * io. */
static bool more(unpacker_t *uk) { return !NIL_P(uk->buffer.io) && buffer_try_fill(&uk->buffer, uk->buffer.io_buffer_size); }

/* Scanning. */

static inline void note_raise(unpacker_t *uk)
{
    uk->raised = true;
    uk->raised_reads = uk->buffer.reads;
}

/* levels returns the number of further levels of nesting that max_depth allows. */
static inline uint32_t levels(const unpacker_t *uk) { return uk->o.max_depth > uk->depth ? uk->o.max_depth - uk->depth : 0; }

static inline const uint8_t *chunk_end(const buffer_t *b, const chunk_t *c)
{
    return c == b->tail && c->kind != CHUNK_STRING ? b->out.p : c->last;
}

NORETURN(static void raise_scan(unpacker_t *uk, scan_result_t result));
static void raise_scan(unpacker_t *uk, scan_result_t result)
{
    uk->scanning = false;
    note_raise(uk);
    if (result == SCAN_LIMIT) {
        uint8_t head[MAX_HEAD];
        size_t n = buffer_size(&uk->buffer) - uk->scanned;
        buffer_copy(&uk->buffer, uk->scanned, head, n < MAX_HEAD ? n : MAX_HEAD);
        raise_limit(&uk->o.limits, head);
    }
    if (result == SCAN_DEEP) {
        rb_raise(eStackError, "stack level too deep");
    }
    rb_raise(eMalformedFormatError, "invalid byte");
}

static void scan_start(unpacker_t *uk)
{
    if (uk->scan == NULL) {
        uk->scan = ALLOC(scan_t);
    }
    scan_begin(uk->scan, levels(uk));
    uk->scanning = true;
    uk->scanned = uk->into = 0;
    uk->at = uk->buffer.head;
    uk->reads = uk->buffer.reads;
}

/* over_chunks advances the scan by n bytes, which may be in several chunks. */
static void over_chunks(unpacker_t *uk, size_t n)
{
    uk->scanned += n;
    uk->into += n;
    for (size_t here; uk->into > (here = (size_t)(chunk_end(&uk->buffer, uk->at) - uk->at->first));) {
        uk->into -= here;
        uk->at = uk->at->next;
    }
}

/* scan_head scans a header that is split between chunks. If the header is incomplete, it returns
 * SCAN_MORE and sets *moved to false. */
static scan_result_t scan_head(unpacker_t *uk, bool *moved)
{
    uint8_t head[MAX_HEAD];
    size_t n = buffer_size(&uk->buffer) - uk->scanned;
    n = n < MAX_HEAD ? n : MAX_HEAD;
    buffer_copy(&uk->buffer, uk->scanned, head, n);
    size_t size = head_sizes[head[0]];
    *moved = size <= n;
    if (!*moved) {
        return SCAN_MORE;
    }
    const uint8_t *p = head;
    scan_result_t result = scan(uk->scan, &p, head + size);
    if (result != SCAN_LIMIT) {
        over_chunks(uk, size);
    }
    return result;
}

/* scan_on continues the scan to the end of the object or of the buffer. After SCAN_DONE,
 * uk->scanned is the size of the object. */
static scan_result_t scan_on(unpacker_t *uk)
{
    buffer_t *b = &uk->buffer;
    if (!uk->scanning || uk->reads != b->reads || uk->at == NULL) {
        scan_start(uk);
    }
    while (uk->at != NULL) {
        const uint8_t *first = uk->at->first + uk->into, *p = first, *end = chunk_end(b, uk->at);
        scan_result_t result = scan(uk->scan, &p, end);
        uk->scanned += (size_t)(p - first);
        uk->into += (size_t)(p - first);
        bool moved = true;
        if (result == SCAN_MORE && p < end) {
            result = scan_head(uk, &moved);
        } else if (result == SCAN_MORE) {
            moved = uk->at->next != NULL;
            if (moved) {
                uk->at = uk->at->next;
                uk->into = 0;
            }
        }
        if (result != SCAN_MORE || !moved) {
            return result;
        }
    }
    return SCAN_MORE;
}

/* measure reads from the io until the next object is complete, and returns the size of the object.
 * It returns 0 if the input ends first. It raises if the object is invalid or exceeds a limit. */
static size_t measure(unpacker_t *uk, bool limited)
{
    for (;;) {
        if (!uk->scanning || uk->reads != uk->buffer.reads) {
            scan_start(uk);
        }
        /* Limits do not apply to skipped objects. */
        uk->scan->limits = limited && uk->o.limited ? &uk->o.limits : NULL;
        scan_result_t result = scan_on(uk);
        if (result == SCAN_DONE) {
            uk->scanning = false;
            return uk->scanned;
        }
        if (result != SCAN_MORE) {
            raise_scan(uk, result);
        }
        if (!more(uk)) {
            return 0;
        }
    }
}

/* Decoding. */

static VALUE pin_head(decoder_t *d)
{
    unpacker_t *uk = d->of;
    VALUE source = buffer_pin(&uk->buffer);
    d->start = uk->buffer.head->first;
    d->reads = uk->raised_reads = uk->buffer.reads;
    return source;
}

/* decode_front decodes the object at first. It returns Qundef if the object continues after
 * last. */
static VALUE decode_front(unpacker_t *uk, const uint8_t *first, const uint8_t *last)
{
    VALUE stack[FIRST_STACK];
    chunk_t *c = uk->buffer.head;
    decoder_t d = {
        .p = first, .start = first, .end = last, .source = c->kind == CHUNK_STRING ? c->string : Qfalse, .pin = pin_head, .of = uk,
        .o = &uk->o, .exts = &uk->exts, .keys = keys_local(), .depth = uk->depth, .reads = uk->buffer.reads,
    };
    note_raise(uk);
    VALUE v = decode(&d, stack);
    uk->raised = false;
    if (d.reads != uk->buffer.reads) {
        rb_raise(rb_eRuntimeError, "the unpacker was read from while it called a registered unpacker");
    }
    if (v != Qundef) {
        buffer_advance(&uk->buffer, d.p, d.end);
    }
    return v;
}

/* pass_over skips an object whose decoding has raised. If the size of the object cannot be
 * determined, it skips the bytes up to the error. It skips nothing if the object is incomplete. */
static void pass_over(unpacker_t *uk)
{
    uk->raised = false;
    if (buffer_empty(&uk->buffer) || uk->raised_reads != uk->buffer.reads) {
        return;
    }
    switch (scan_on(uk)) {
    case SCAN_MORE:
        return;
    case SCAN_INVALID:
        uk->scanned++; /* skip the invalid byte, too */
        break;
    case SCAN_DEEP:
    case SCAN_LIMIT:
    case SCAN_DONE:
        break;
    }
    uk->scanning = false;
    buffer_skip(&uk->buffer, uk->scanned);
}

/* next_object returns the next object, or Qundef if there is no complete object. */
static VALUE next_object(unpacker_t *uk)
{
    const uint8_t *first, *last;
    if (uk->raised) {
        pass_over(uk);
    }
    if (buffer_front(&uk->buffer, &first, &last) == NULL && !more(uk)) {
        return Qundef;
    }
    if (!uk->scanning && buffer_front(&uk->buffer, &first, &last) != NULL) {
        const uint8_t *p = first;
        VALUE v = number_at(&p, last); /* arrays read element by element often contain numbers */
        if (v != Qundef) {
            buffer_advance(&uk->buffer, p, last);
            return v;
        }
        v = decode_front(uk, first, last);
        if (v != Qundef) {
            return v;
        }
    }
    size_t n = measure(uk, true);
    if (n == 0) {
        return Qundef;
    }
    chunk_t *c = buffer_together(&uk->buffer, n);
    return decode_front(uk, c->first, c->first + n);
}

/* ended raises EOFError. Without an io and without transactional, it first clears the buffer if the
 * incomplete object is an array or a map. In all other cases, the bytes stay in the buffer. */
NORETURN(static void ended(unpacker_t *uk));
static void ended(unpacker_t *uk)
{
    if (NIL_P(uk->buffer.io) && !uk->o.transactional && uk->scanning && uk->scan->level > 0) {
        buffer_clear(&uk->buffer);
        uk->scanning = false;
    }
    raise_end();
}

static VALUE read_object(VALUE self)
{
    unpacker_t *uk = get(self);
    VALUE v = next_object(uk);
    if (v == Qundef) {
        ended(uk);
    }
    return v;
}

/* skip_object skips an object, and reports whether there was one. In most cases, the whole object
 * is in the first chunk. */
static inline bool skip_object(unpacker_t *uk)
{
    const uint8_t *first, *last, *p;
    if (uk->raised) {
        pass_over(uk);
    }
    if (!uk->scanning && buffer_front(&uk->buffer, &first, &last) != NULL) {
        scan_t s;
        scan_begin(&s, levels(uk));
        p = first;
        scan_result_t result = scan(&s, &p, last);
        if (result == SCAN_DONE) {
            buffer_advance(&uk->buffer, p, last);
            return true;
        }
        if (result != SCAN_MORE) {
            raise_scan(uk, result);
        }
    }
    size_t n = measure(uk, false);
    buffer_skip(&uk->buffer, n);
    return n > 0;
}

static VALUE skip(VALUE self)
{
    unpacker_t *uk = get(self);
    if (!skip_object(uk)) {
        ended(uk);
    }
    return Qnil;
}

static VALUE count(VALUE self)
{
    unpacker_t *uk = get(self);
    size_t n = 0;
    while (skip_object(uk)) {
        n++;
    }
    return SIZET2NUM(n);
}

static VALUE read_raw(VALUE self)
{
    unpacker_t *uk = get(self);
    if (uk->raised) {
        pass_over(uk);
    }
    /* Limits apply, because the caller may pass the bytes to readers that trust them. */
    size_t n = measure(uk, true);
    if (n == 0) {
        ended(uk);
    }
    return buffer_read(&uk->buffer, n);
}

/* Headers. */

/* next_byte returns the first byte of the next object. The byte stays in the buffer. It raises
 * EOFError at the end of the input. */
static uint8_t next_byte(unpacker_t *uk)
{
    const uint8_t *first, *last;
    if (uk->raised) {
        pass_over(uk);
    }
    while (buffer_front(&uk->buffer, &first, &last) == NULL) {
        if (!more(uk)) {
            raise_end();
        }
    }
    return *first;
}

static void take_head(unpacker_t *uk, size_t n)
{
    uk->scanning = false;
    buffer_skip(&uk->buffer, n);
}

/* read_header reads the header of an array or of a map, and returns the number of elements or
 * pairs. The bytes from fix to last contain this number, and after the bytes b16 and b32, it
 * follows in 2 or 4 bytes. read_header raises UnexpectedTypeError for any other byte, and EOFError
 * if the header is incomplete. In both cases, the bytes stay in the buffer. */
static VALUE read_header(VALUE self, uint8_t fix, uint8_t last, uint8_t b16, uint8_t b32)
{
    unpacker_t *uk = get(self);
    uint8_t b = next_byte(uk);
    for (;;) {
        if ((b < fix || b > last) && b != b16 && b != b32) {
            rb_raise(eUnexpectedTypeError, "unexpected type");
        }
        if (buffer_size(&uk->buffer) >= head_sizes[b]) {
            break;
        }
        if (!more(uk)) {
            raise_end();
        }
        b = next_byte(uk); /* the io may have changed the buffer */
    }
    uint8_t head[MAX_HEAD];
    buffer_copy(&uk->buffer, 0, head, head_sizes[b]);
    take_head(uk, head_sizes[b]);
    return UINT2NUM(b == b16 ? load16(head + 1) : b == b32 ? load32(head + 1) : (uint32_t)(b - fix));
}

static VALUE read_array_header(VALUE self) { return read_header(self, FIXARRAY, FIXSTR - 1, ARRAY16, ARRAY32); }

static VALUE read_map_header(VALUE self) { return read_header(self, FIXMAP, FIXARRAY - 1, MAP16, MAP32); }

static VALUE skip_nil(VALUE self)
{
    unpacker_t *uk = get(self);
    if (next_byte(uk) != NIL) {
        return Qfalse;
    }
    take_head(uk, 1);
    return Qtrue;
}

static const char *type_name(uint8_t b)
{
    if (b < FIXMAP || b >= NEGATIVE_FIXINT) {
        return "integer";
    }
    if (b < FIXSTR) {
        return b < FIXARRAY ? "map" : "array";
    }
    if (b < NIL) {
        return "string";
    }
    switch (b) {
    case NIL: return "nil";
    case FALSE_BYTE: case TRUE_BYTE: return "boolean";
    case BIN8: case BIN16: case BIN32: return "binary";
    case FLOAT32: case FLOAT64: return "float";
    case STR8: case STR16: case STR32: return "string";
    case ARRAY16: case ARRAY32: return "array";
    case MAP16: case MAP32: return "map";
    case UINT8: case UINT16: case UINT32: case UINT64: case INT8: case INT16: case INT32: case INT64: return "integer";
    }
    return "extension";
}

static VALUE peek_type(VALUE self)
{
    unpacker_t *uk = get(self);
    uint8_t b = next_byte(uk);
    if (b == NEVER_USED) {
        note_raise(uk);
        rb_raise(eMalformedFormatError, "invalid byte");
    }
    return ID2SYM(rb_intern(type_name(b)));
}

/* Feeding and iterating. */

static VALUE feed(VALUE self, VALUE string)
{
    unpacker_t *uk = get(self);
    StringValue(string);
    buffer_append_reference(&uk->buffer, string, uk->buffer.read_reference_threshold);
    return self;
}

static VALUE each(VALUE self)
{
    RETURN_ENUMERATOR(self, 0, 0);
    unpacker_t *uk = get(self);
    for (VALUE v; (v = next_object(uk)) != Qundef;) {
        rb_yield(v);
    }
    return Qnil;
}

static VALUE feed_each(VALUE self, VALUE string)
{
    RETURN_ENUMERATOR(self, 1, &string);
    feed(self, string);
    return each(self);
}

static VALUE reset(VALUE self)
{
    unpacker_t *uk = get(self);
    buffer_clear(&uk->buffer);
    uk->scanning = uk->raised = false;
    return Qnil;
}

void raise_extra(size_t n)
{
    rb_raise(eMalformedFormatError, "%"PRIuSIZE" extra bytes after the deserialized object", n);
}

VALUE unpacker_full_unpack(VALUE self)
{
    unpacker_t *uk = get(self);
    VALUE v = read_object(self);
    size_t extra = buffer_size(&uk->buffer);
    if (extra > 0) {
        raise_extra(extra);
    }
    reset(self);
    return v;
}

static VALUE buffer(VALUE self)
{
    unpacker_t *uk = get(self);
    if (NIL_P(uk->view)) {
        RB_OBJ_WRITE(self, &uk->view, buffer_view(&uk->buffer, self));
    }
    return uk->view;
}

/* Options. */

static VALUE symbolize_keys_p(VALUE self) { return get(self)->o.symbolize_keys ? Qtrue : Qfalse; }

static VALUE freeze_p(VALUE self) { return get(self)->o.freeze ? Qtrue : Qfalse; }

static VALUE allow_unknown_ext_p(VALUE self) { return get(self)->o.allow_unknown_ext ? Qtrue : Qfalse; }

static VALUE transactional_p(VALUE self) { return get(self)->o.transactional ? Qtrue : Qfalse; }

/* Ext types. lib/msgpack/unpacker.rb calls these functions to register and list them. */

static VALUE register_type_internal(VALUE self, VALUE type, VALUE klass, VALUE callable)
{
    check_frozen(self);
    unpack_exts_add(&get(self)->exts, self, ext_type(type), klass, callable, 0);
    return Qnil;
}

static VALUE registered_types_internal(VALUE self) { return unpack_exts_hash(&get(self)->exts); }

void Init_unpacker(VALUE mMessagePack)
{
    cUnpacker = rb_define_class_under(mMessagePack, "Unpacker", rb_cObject);
    rb_define_alloc_func(cUnpacker, unpacker_alloc);
    rb_undef_method(cUnpacker, "dup");
    rb_undef_method(cUnpacker, "clone");
    rb_define_method(cUnpacker, "initialize", initialize, -1);
    rb_define_method(cUnpacker, "symbolize_keys?", symbolize_keys_p, 0);
    rb_define_method(cUnpacker, "freeze?", freeze_p, 0);
    rb_define_method(cUnpacker, "allow_unknown_ext?", allow_unknown_ext_p, 0);
    rb_define_method(cUnpacker, "transactional?", transactional_p, 0);
    rb_define_method(cUnpacker, "read", read_object, 0);
    rb_define_alias(cUnpacker, "unpack", "read");
    rb_define_method(cUnpacker, "skip", skip, 0);
    rb_define_method(cUnpacker, "count", count, 0);
    rb_define_method(cUnpacker, "read_raw", read_raw, 0);
    rb_define_method(cUnpacker, "peek_type", peek_type, 0);
    rb_define_method(cUnpacker, "skip_nil", skip_nil, 0);
    rb_define_alias(cUnpacker, "consume_nil", "skip_nil");
    rb_define_method(cUnpacker, "read_array_header", read_array_header, 0);
    rb_define_method(cUnpacker, "read_map_header", read_map_header, 0);
    rb_define_method(cUnpacker, "feed", feed, 1);
    rb_define_alias(cUnpacker, "feed_reference", "feed");
    rb_define_method(cUnpacker, "each", each, 0);
    rb_define_method(cUnpacker, "feed_each", feed_each, 1);
    rb_define_method(cUnpacker, "reset", reset, 0);
    rb_define_method(cUnpacker, "full_unpack", unpacker_full_unpack, 0);
    rb_define_method(cUnpacker, "buffer", buffer, 0);
    rb_define_method(cUnpacker, "register_type_internal", register_type_internal, 3);
    rb_define_method(cUnpacker, "registered_types_internal", registered_types_internal, 0);
}
