/* A queue of chunks: bytes are written at its end and read from its beginning, and whole strings go in and out without being copied.
 *
 *     head                                                    tail
 *   [ page: 4 KB less its head ] → [ a frozen String ] → [ page | free ]
 *            ^first      ^last                                  ^out.p  ^out.end
 *
 * A page is in one chunk only, and all that is in it is that chunk's: that is what keeps one buffer from reading what another has written. */
#ifndef SLIPSTREAM_BUFFER_H
#define SLIPSTREAM_BUFFER_H

#include <stdbool.h>
#include "out.h"

typedef enum { CHUNK_PAGE, CHUNK_MEMORY, CHUNK_STRING } chunk_kind_t;

typedef struct chunk chunk_t;
struct chunk {
    chunk_t *next;
    uint8_t *first; /* the first byte that is not read yet */
    uint8_t *last;  /* after the last byte; of the tail, out.p is */
    VALUE string;   /* of CHUNK_STRING: frozen, first and last point into it. Else Qfalse */
    size_t size;    /* of data */
    chunk_kind_t kind;
    uint8_t data[]; /* of CHUNK_PAGE and CHUNK_MEMORY. The chunk lies at the beginning of its page, or of its memory */
};

typedef struct buffer buffer_t;
struct buffer {
    out_t out;      /* must be first. The free memory after the tail; none (p == end) if the tail is a string, or there is none */
    chunk_t *head;  /* NULL if there are no chunks */
    chunk_t *tail;
    size_t middle;  /* bytes in all chunks but the head and the tail */
    size_t reads;   /* counts what takes bytes off the head or frees a chunk, so that a reader can tell that the memory it looks at may be gone */

    VALUE io;       /* or Qnil */
    ID io_read;     /* readpartial or read; read if io can neither, so that NoMethodError says so */
    ID io_write;    /* write or <<; write likewise */
    size_t io_buffer_size, read_reference_threshold; /* write_reference_threshold is out.reference */

    VALUE owner;    /* the object whose memory this is, for write barriers */
};

/* Options, as Buffer.new takes them: io or nil, and a Hash or nil. Raises ArgumentError. */
void buffer_init(buffer_t *b, VALUE owner);
void buffer_configure(buffer_t *b, VALUE io, VALUE options);
void buffer_free(buffer_t *b);                  /* gives all memory back. Calls nothing of Ruby's */
void buffer_mark(const buffer_t *b);            /* rb_gc_mark_movable; for strings whose bytes first points into: rb_gc_mark */
void buffer_compact(buffer_t *b);
size_t buffer_memsize(const buffer_t *b);       /* all owned memory, without the struct itself; strings that chunks refer to count */

size_t buffer_size(const buffer_t *b);
static inline bool buffer_empty(const buffer_t *b) { return buffer_size(b) == 0; }
void buffer_clear(buffer_t *b);

/* Writing. */
void buffer_write(buffer_t *b, const void *bytes, size_t n);
void buffer_append(buffer_t *b, VALUE string);  /* by reference from write_reference_threshold on; with an io: flushed, then written directly */
void buffer_append_reference(buffer_t *b, VALUE string, size_t threshold); /* by reference from threshold on, else copied. For feed. O(1) */
void buffer_prepend(buffer_t *b, VALUE string); /* O(1): what is read next. By reference from read_reference_threshold on, else copied */
void buffer_flush(buffer_t *b);                 /* to io, if there is one. What io did not take, as it raised, stays */
void buffer_write_through(buffer_t *b, VALUE string); /* to io, which there is, past the buffer. string is frozen */
size_t buffer_write_to(buffer_t *b, VALUE io);  /* and empties it */

/* Reading. buffer_front is the longest run of bytes that lie together at the beginning; there are none only if the buffer is empty (empty chunks
 * at the head are let go). */
static inline chunk_t *buffer_front(buffer_t *b, const uint8_t **first, const uint8_t **last);
chunk_t *buffer_front_slow(buffer_t *b);
/* buffer_together makes the first n bytes, which are there, lie together in the head. */
chunk_t *buffer_together(buffer_t *b, size_t n);
/* buffer_pin makes the head, which is not empty, a chunk that is a frozen String (it stays valid as long as that is held), and gives the String.
 * first and last of the chunk point into it afterwards. */
VALUE buffer_pin(buffer_t *b);
/* buffer_fill reads from io once, and appends what comes, from a page on as a reference, at most io_buffer_size bytes and as many
 * more as the io gives uncalled for. Raises EOFError "end of buffer reached" at the end of io or if there is none to read from; any exception of
 * io leaves the buffer as it was. */
void buffer_fill(buffer_t *b);
bool buffer_try_fill(buffer_t *b, size_t most); /* the same, but asks for at most so many bytes, and false instead of EOFError */
void buffer_skip(buffer_t *b, size_t n);        /* n bytes, which are there */
void buffer_copy(const buffer_t *b, size_t from, void *to, size_t n); /* n bytes at offset from, which are there */
VALUE buffer_read(buffer_t *b, size_t n);       /* a binary String of the next n bytes, which are there: shared where it can be (share.h) */
VALUE buffer_to_s(const buffer_t *b);           /* all bytes, which stay */
VALUE buffer_to_a(const buffer_t *b);           /* a String for each chunk, which stay */

static inline chunk_t *buffer_front(buffer_t *b, const uint8_t **first, const uint8_t **last)
{
    chunk_t *c = b->head;
    if (__builtin_expect(c == NULL || c->first == (c == b->tail ? (c->kind == CHUNK_STRING ? c->last : b->out.p) : c->last), 0)) {
        c = buffer_front_slow(b);
    }
    if (c != NULL) {
        *first = c->first;
        *last = c == b->tail && c->kind != CHUNK_STRING ? b->out.p : c->last;
    }
    return c;
}

/* buffer_advance takes off the head what lies before to, which is in it or after its last byte. */
static inline void buffer_advance(buffer_t *b, const uint8_t *to, const uint8_t *last)
{
    if (__builtin_expect(to < last, 1)) {
        b->head->first = (uint8_t *)to;
        b->reads++;
    } else {
        buffer_skip(b, (size_t)(to - b->head->first));
    }
}

/* Buffer objects: views of a buffer that lies in another object, or buffers of their own. */
extern VALUE cBuffer;
VALUE buffer_view(buffer_t *b, VALUE owner);
void Init_buffer(VALUE mMessagePack);
void Init_buffer_memory(void);                  /* by Init_buffer, as is the next */
void Init_buffer_io(void);

#endif
