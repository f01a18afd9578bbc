/* The queue of chunks, and the functions that move bytes into and out of it. buffer_io.c contains
 * the calls of io, buffer_class.c contains the Ruby class.
 *
 * Only functions that begin with a flush run Ruby code here. But many functions create Strings,
 * which may start a garbage collection, and the collection may mark this buffer. So a chunk is
 * linked only when it is complete. */
#include "buffer.h"

#include <stdlib.h>
#include "page.h"
#include "share.h"

#define PAGE_CAPACITY (PAGE_SIZE - offsetof(chunk_t, data))

/* Up to PAGES_MAX buffered bytes, new chunks are pages. Beyond that, a new chunk is as large as all
 * buffered bytes together, but at most MEMORY_MAX. So writing n bytes takes O(n) time and few
 * chunks. The unused memory is at most half of all memory, and at most MEMORY_MAX. */
#define PAGES_MAX (4 * PAGE_SIZE)
#define MEMORY_MAX (1 << 20)

/* Chunks of at least TELL_MIN bytes are reported to the garbage collector. */
#define TELL_MIN (8 * 1024)

/* Strings of at least never_embedded bytes are never embedded in their object, so their bytes do
 * not move if the object moves. Shorter Strings are pinned while a chunk points into them. If slots
 * have several sizes (Ruby 3.2 and later), compaction may embed a String that was not embedded
 * before. So hold rejects shorter Strings, and they are copied. never_embedded is measured when the
 * library is loaded. */
static size_t never_embedded = SIZE_MAX;

static size_t find_never_embedded(void)
{
    for (size_t n = 64; n <= 64 * 1024; n *= 2) {
        VALUE string = rb_str_new(NULL, (long)n);
        if (RB_FL_TEST_RAW(string, RSTRING_NOEMBED)) {
            return n;
        }
    }
    return SIZE_MAX;
}

static inline size_t min_size(size_t a, size_t b) { return a < b ? a : b; }
static inline size_t max_size(size_t a, size_t b) { return a > b ? a : b; }

/* Chunks. */

static inline uint8_t *chunk_last(const buffer_t *b, const chunk_t *c)
{
    return c == b->tail && c->kind != CHUNK_STRING ? b->out.p : c->last;
}

static inline size_t chunk_length(const buffer_t *b, const chunk_t *c)
{
    return (size_t)(chunk_last(b, c) - c->first);
}

static chunk_t *chunk_init(chunk_t *c, chunk_kind_t kind, size_t size)
{
    if (c == NULL) {
        rb_memerror();
    }
    c->next = NULL;
    c->first = c->last = c->data;
    c->string = Qfalse;
    c->size = size;
    c->kind = kind;
    return c;
}

/* chunk_new returns a new chunk with space for at least size bytes. It raises NoMemoryError if
 * memory is exhausted. */
static chunk_t *chunk_new(size_t size)
{
    if (size <= PAGE_CAPACITY) {
        return chunk_init(page_take(), CHUNK_PAGE, PAGE_CAPACITY);
    }
    if (size > SIZE_MAX / 2) {
        rb_memerror();
    }
    chunk_t *c = chunk_init(malloc(offsetof(chunk_t, data) + size), CHUNK_MEMORY, size);
    if (size >= TELL_MIN) {
        rb_gc_adjust_memory_usage((ssize_t)size);
    }
    return c;
}

static chunk_t *chunk_of_string(buffer_t *b, VALUE string)
{
    chunk_t *c = chunk_init(malloc(sizeof(chunk_t)), CHUNK_STRING, 0);
    c->string = string;
    c->first = (uint8_t *)RSTRING_PTR(string);
    c->last = c->first + RSTRING_LEN(string);
    RB_OBJ_WRITTEN(b->owner, Qundef, string);
    return c;
}

static void chunk_free(chunk_t *c)
{
    if (c->kind == CHUNK_PAGE) {
        page_give(c);
        return;
    }
    if (c->size >= TELL_MIN) {
        rb_gc_adjust_memory_usage(-(ssize_t)c->size);
    }
    free(c);
}

static void chunks_free(chunk_t *c)
{
    while (c != NULL) {
        chunk_t *next = c->next;
        chunk_free(c);
        c = next;
    }
}

/* window_open sets the window to the free memory of the tail. */
static void window_open(buffer_t *b)
{
    chunk_t *c = b->tail;
    b->out.p = c->last;
    b->out.end = c->kind == CHUNK_STRING ? c->last : c->data + c->size;
}

/* The queue. */

static void append_chunk(buffer_t *b, chunk_t *c)
{
    if (b->tail == NULL) {
        b->head = c;
    } else {
        b->tail->last = chunk_last(b, b->tail);
        if (b->tail != b->head) {
            b->middle += (size_t)(b->tail->last - b->tail->first);
        }
        b->tail->next = c;
    }
    b->tail = c;
    window_open(b);
}

/* prepend_chunk links c before the head. The queue must not be empty. prepend_chunk increments
 * reads, because the free memory before the head may be overwritten. */
static void prepend_chunk(buffer_t *b, chunk_t *c)
{
    if (b->head != b->tail) {
        b->middle += chunk_length(b, b->head);
    }
    c->next = b->head;
    b->head = c;
    b->reads++;
}

/* drop_head unlinks and frees the head. */
static void drop_head(buffer_t *b)
{
    chunk_t *c = b->head;
    if (c == b->tail) {
        buffer_clear(b);
        return;
    }
    b->head = c->next;
    if (b->head != b->tail) {
        b->middle -= chunk_length(b, b->head);
    }
    b->reads++;
    chunk_free(c);
}

/* replace_head replaces the head with c and frees the old head. */
static void replace_head(buffer_t *b, chunk_t *c)
{
    chunk_t *old = b->head;
    c->next = old->next;
    b->head = c;
    if (old == b->tail) {
        b->tail = c;
        window_open(b);
    }
    b->reads++;
    chunk_free(old);
}

void buffer_clear(buffer_t *b)
{
    chunk_t *chunks = b->head;
    b->head = b->tail = NULL;
    b->out.p = b->out.end = NULL;
    b->middle = 0;
    b->reads++;
    chunks_free(chunks);
}

size_t buffer_size(const buffer_t *b)
{
    if (b->head == b->tail) {
        return b->head == NULL ? 0 : chunk_length(b, b->head);
    }
    return chunk_length(b, b->head) + b->middle + chunk_length(b, b->tail);
}

/* Initialisation, garbage collection and memory. */

static void more(out_t *out, size_t n);
static void append(out_t *out, VALUE string);

void buffer_init(buffer_t *b, VALUE owner)
{
    memset(b, 0, sizeof *b);
    b->out.more = more;
    b->out.append = append;
    b->out.reference = 32 * 1024;
    b->io = Qnil;
    b->owner = owner;
    b->io_buffer_size = 32 * 1024;
    b->read_reference_threshold = 256;
}

void buffer_free(buffer_t *b)
{
    chunks_free(b->head);
    b->head = b->tail = NULL;
}

void buffer_mark(const buffer_t *b)
{
    rb_gc_mark_movable(b->io);
    for (const chunk_t *c = b->head; c != NULL; c = c->next) {
        if (c->kind != CHUNK_STRING) {
            continue;
        }
        if ((size_t)RSTRING_LEN(c->string) >= never_embedded) {
            rb_gc_mark_movable(c->string);
        } else {
            rb_gc_mark(c->string);
        }
    }
}

void buffer_compact(buffer_t *b)
{
    b->io = rb_gc_location(b->io);
    b->owner = rb_gc_location(b->owner);
    for (chunk_t *c = b->head; c != NULL; c = c->next) {
        if (c->kind == CHUNK_STRING) {
            c->string = rb_gc_location(c->string);
        }
    }
}

size_t buffer_memsize(const buffer_t *b)
{
    size_t size = 0;
    for (const chunk_t *c = b->head; c != NULL; c = c->next) {
        switch (c->kind) {
        case CHUNK_PAGE:
            size += PAGE_SIZE;
            break;
        case CHUNK_MEMORY:
            size += offsetof(chunk_t, data) + c->size;
            break;
        case CHUNK_STRING:
            size += sizeof(chunk_t) + (size_t)RSTRING_LEN(c->string);
            break;
        }
    }
    return size;
}

/* Writing. */

/* make_room provides a window of at least n bytes. It does not flush. */
static void make_room(buffer_t *b, size_t n)
{
    if (out_room(&b->out) >= n) {
        return;
    }
    size_t held = buffer_size(b);
    if (held == 0) {
        buffer_clear(b); /* else an empty chunk that is too small would stay in the queue */
    }
    /* After a String, a small chunk suffices: often only a header lies between two Strings. */
    bool few = held < PAGES_MAX || b->tail->kind == CHUNK_STRING;
    append_chunk(b, chunk_new(few ? n : max_size(n, min_size(held, MEMORY_MAX))));
}

/* copy_in copies n bytes to the end of the buffer. It fills the window first. The bytes that do not
 * fit get one new chunk. */
static void copy_in(buffer_t *b, const uint8_t *bytes, size_t n)
{
    size_t fits = min_size(n, out_room(&b->out));
    if (fits > 0) {
        memcpy(b->out.p, bytes, fits);
        b->out.p += fits;
    }
    if (n > fits) {
        make_room(b, n - fits);
        memcpy(b->out.p, bytes + fits, n - fits);
        b->out.p += n - fits;
    }
}

static void copy_string_in(buffer_t *b, VALUE string)
{
    copy_in(b, (const uint8_t *)RSTRING_PTR(string), (size_t)RSTRING_LEN(string));
    RB_GC_GUARD(string);
}

/* hold returns a frozen String that has the bytes of string and that a chunk may refer to. It
 * returns Qfalse if the bytes could move. */
static VALUE hold(VALUE string)
{
    if ((size_t)RSTRING_LEN(string) < never_embedded || !RB_FL_TEST_RAW(string, RSTRING_NOEMBED)) {
        return Qfalse;
    }
    VALUE held = share_all(string);
    return RB_FL_TEST_RAW(held, RSTRING_NOEMBED) ? held : Qfalse;
}

static bool auto_flush_due(const buffer_t *b)
{
    return b->io != Qnil && buffer_size(b) >= b->io_buffer_size;
}

static void more(out_t *out, size_t n)
{
    buffer_t *b = (buffer_t *)out;
    if (auto_flush_due(b)) {
        buffer_flush(b);
    }
    make_room(b, n);
}

static void append(out_t *out, VALUE string)
{
    buffer_append((buffer_t *)out, string);
}

void buffer_append_reference(buffer_t *b, VALUE string, size_t threshold)
{
    size_t n = (size_t)RSTRING_LEN(string);
    VALUE held = n > 0 && n >= threshold ? hold(string) : Qfalse;
    if (held == Qfalse) {
        copy_string_in(b, string);
        return;
    }
    if (buffer_empty(b)) {
        buffer_clear(b); /* else an empty page would stay before the String */
    }
    append_chunk(b, chunk_of_string(b, held));
    RB_GC_GUARD(held);
}

/* During the flush, io may modify string or write to this buffer. buffer_append still appends the
 * bytes that string has at the call, after all bytes that the buffer has then. */
void buffer_append(buffer_t *b, VALUE string)
{
    if (b->io == Qnil) {
        buffer_append_reference(b, string, b->out.reference);
        return;
    }
    size_t n = (size_t)RSTRING_LEN(string);
    if (n >= b->out.reference) {
        VALUE now = rb_str_new_frozen(string);
        buffer_flush(b);
        buffer_write_through(b, now);
    } else if (n > out_room(&b->out) && auto_flush_due(b)) {
        VALUE now = rb_str_new_frozen(string);
        buffer_flush(b);
        copy_string_in(b, now);
    } else {
        copy_string_in(b, string);
    }
}

/* copy_in_front copies string to the free memory before the first byte of the head. If that is too
 * small, it prepends a chunk and copies string to its end. The rest of that chunk is then free for
 * the next calls. */
static void copy_in_front(buffer_t *b, VALUE string)
{
    size_t n = (size_t)RSTRING_LEN(string);
    chunk_t *c = b->head;
    if (c->kind == CHUNK_STRING || (size_t)(c->first - c->data) < n) {
        c = chunk_new(n);
        c->first = c->last = c->data + c->size;
        prepend_chunk(b, c);
    }
    c->first -= n;
    memcpy(c->first, RSTRING_PTR(string), n);
    b->reads++;
    RB_GC_GUARD(string);
}

void buffer_prepend(buffer_t *b, VALUE string)
{
    size_t n = (size_t)RSTRING_LEN(string);
    if (buffer_empty(b)) {
        buffer_append_reference(b, string, b->read_reference_threshold);
        return;
    }
    VALUE held = n >= b->read_reference_threshold ? hold(string) : Qfalse;
    if (held == Qfalse) {
        copy_in_front(b, string);
        return;
    }
    prepend_chunk(b, chunk_of_string(b, held));
    RB_GC_GUARD(held);
}

/* Reading. */

chunk_t *buffer_front_slow(buffer_t *b)
{
    while (b->head != NULL && chunk_length(b, b->head) == 0) {
        drop_head(b);
    }
    return b->head;
}

void buffer_skip(buffer_t *b, size_t n)
{
    if (n == 0) {
        return;
    }
    b->reads++;
    while (n > 0) {
        size_t length = chunk_length(b, b->head);
        if (n < length) {
            b->head->first += n;
            return;
        }
        drop_head(b);
        n -= length;
    }
}

void buffer_copy(const buffer_t *b, size_t from, void *to, size_t n)
{
    uint8_t *at = to;
    for (const chunk_t *c = b->head; n > 0; c = c->next) {
        size_t length = chunk_length(b, c);
        if (from >= length) {
            from -= length;
            continue;
        }
        size_t part = min_size(n, length - from);
        memcpy(at, c->first + from, part);
        at += part;
        n -= part;
        from = 0;
    }
}

chunk_t *buffer_together(buffer_t *b, size_t n)
{
    chunk_t *c = buffer_front_slow(b);
    if (c == NULL || chunk_length(b, c) >= n) {
        return c;
    }
    c = chunk_new(n);
    buffer_copy(b, 0, c->data, n);
    c->last = c->data + n;
    buffer_skip(b, n);
    if (b->head == NULL) {
        append_chunk(b, c);
    } else {
        prepend_chunk(b, c);
    }
    return c;
}

VALUE buffer_pin(buffer_t *b)
{
    chunk_t *c = buffer_front_slow(b);
    if (c->kind == CHUNK_STRING) {
        return c->string;
    }
    VALUE string = rb_obj_freeze(rb_str_new((const char *)c->first, (long)chunk_length(b, c)));
    replace_head(b, chunk_of_string(b, string));
    return string;
}

/* chunk_cut returns the first n bytes of c as a binary String. c must contain n bytes. */
static VALUE chunk_cut(const buffer_t *b, const chunk_t *c, size_t n)
{
    if (c->kind != CHUNK_STRING) {
        return rb_str_new((const char *)c->first, (long)n);
    }
    size_t from = (size_t)(c->first - (const uint8_t *)RSTRING_PTR(c->string));
    return share_cut(c->string, from, n, rb_ascii8bit_encindex(), b->read_reference_threshold);
}

/* peek returns the first n bytes as a binary String and removes none. The buffer must contain n
 * bytes. */
static VALUE peek(const buffer_t *b, size_t n)
{
    const chunk_t *c = b->head;
    while (c != NULL && chunk_length(b, c) == 0) {
        c = c->next;
    }
    if (c != NULL && chunk_length(b, c) >= n) {
        return chunk_cut(b, c, n);
    }
    VALUE string = rb_str_new(NULL, (long)n);
    buffer_copy(b, 0, RSTRING_PTR(string), n);
    return string;
}

VALUE buffer_read(buffer_t *b, size_t n)
{
    VALUE string = peek(b, n);
    buffer_skip(b, n);
    return string;
}

VALUE buffer_to_s(const buffer_t *b)
{
    return peek(b, buffer_size(b));
}

VALUE buffer_to_a(const buffer_t *b)
{
    VALUE strings = rb_ary_new();
    for (const chunk_t *c = b->head; c != NULL; c = c->next) {
        size_t n = chunk_length(b, c);
        if (n > 0) {
            rb_ary_push(strings, chunk_cut(b, c, n));
        }
    }
    if (RARRAY_LEN(strings) == 0) {
        rb_ary_push(strings, rb_str_new(NULL, 0));
    }
    return strings;
}

void Init_buffer_memory(void) { never_embedded = find_never_embedded(); }
