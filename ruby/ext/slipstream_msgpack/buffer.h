/* A buffer is a queue of chunks. Writers append bytes at its end, readers take bytes from its
 * beginning. Whole Strings enter and leave the queue without being copied.
 *
 *     head                                                      tail
 *   [ page: 4 KB less its header ] → [ a frozen String ] → [ page | free ]
 *            ^first      ^last                                    ^out.p  ^out.end
 *
 * A page belongs to one chunk only, and all bytes in the page belong to that chunk. So no buffer
 * can read bytes that another buffer has written. */
#ifndef SLIPSTREAM_BUFFER_H
#define SLIPSTREAM_BUFFER_H

#include <stdbool.h>
#include "out.h"

typedef enum { CHUNK_PAGE, CHUNK_MEMORY, CHUNK_STRING } chunk_kind_t;

typedef struct chunk chunk_t;
struct chunk {
    chunk_t *next;
    uint8_t *first; /* the first unread byte */
    uint8_t *last;  /* one past the last byte; for the tail, use out.p instead */
    /* CHUNK_STRING: the frozen String that first and last point into; else Qfalse */
    VALUE string;
    size_t size;    /* size of data in bytes */
    chunk_kind_t kind;
    /* CHUNK_PAGE and CHUNK_MEMORY only: the bytes. The chunk_t is at the start of its page or of
     * its malloc block. */
    uint8_t data[];
};

typedef struct buffer buffer_t;
struct buffer {
    /* Must be the first member. The window is the free memory after the last byte of the tail. It
     * is empty (p == end) if the tail is a String or there is no tail. */
    out_t out;
    chunk_t *head;  /* NULL if there are no chunks */
    chunk_t *tail;
    size_t middle;  /* bytes in all chunks except the head and the tail */
    /* Incremented whenever bytes are taken off the head or a chunk is freed. A reader compares
     * reads to detect that the memory it points to may be gone. */
    size_t reads;

    VALUE io;       /* the IO object, or Qnil */
    /* readpartial or read; read if io has neither, so that NoMethodError names read */
    ID io_read;
    ID io_write;    /* write or <<; write if io has neither */
    /* write_reference_threshold is out.reference */
    size_t io_buffer_size, read_reference_threshold;

    VALUE owner;    /* the object that contains this struct, for write barriers */
};

/* buffer_init sets the defaults. buffer_configure sets io, which may be nil, and the options of
 * Buffer.new, a Hash or nil. buffer_configure raises ArgumentError if options is neither. */
void buffer_init(buffer_t *b, VALUE owner);
void buffer_configure(buffer_t *b, VALUE io, VALUE options);
void buffer_free(buffer_t *b);                  /* Frees all memory. Runs no Ruby code. */
/* Marks io and the Strings of chunks. Uses rb_gc_mark for Strings whose bytes could move with the
 * object, because first points into them, and rb_gc_mark_movable for the others. */
void buffer_mark(const buffer_t *b);
void buffer_compact(buffer_t *b);
/* Returns the number of bytes that the buffer owns, without the struct itself. Strings that chunks
 * refer to count. */
size_t buffer_memsize(const buffer_t *b);

size_t buffer_size(const buffer_t *b);
static inline bool buffer_empty(const buffer_t *b) { return buffer_size(b) == 0; }
void buffer_clear(buffer_t *b);

/* Writing. */
/* Appends string. A String shorter than write_reference_threshold is copied. A longer one is
 * appended by reference if there is no io. With an io, the buffer is flushed and the longer String
 * is written directly to io. May run Ruby code (io). */
void buffer_append(buffer_t *b, VALUE string);
/* Appends string by reference if it has at least threshold bytes, else as a copy. Unpacker#feed
 * uses this function. A reference takes O(1) time. */
void buffer_append_reference(buffer_t *b, VALUE string, size_t threshold);
/* Inserts string before the first unread byte: by reference from read_reference_threshold bytes on,
 * else as a copy. The time does not depend on the size of the buffer. */
void buffer_prepend(buffer_t *b, VALUE string);
/* Writes all bytes to io, if there is one. If io raises, the unwritten bytes stay. */
void buffer_flush(buffer_t *b);
/* Writes string directly to io, past the buffer. io must not be nil, and string must be frozen. */
void buffer_write_through(buffer_t *b, VALUE string);
/* Writes all bytes to io, removes them from the buffer, and returns the number of bytes written. */
size_t buffer_write_to(buffer_t *b, VALUE io);

/* Reading. */

/* buffer_front returns the head and sets first and last to its unread bytes, after freeing empty
 * chunks at the head. If the buffer is empty, it returns NULL and sets neither. */
static inline chunk_t *buffer_front(buffer_t *b, const uint8_t **first, const uint8_t **last);
chunk_t *buffer_front_slow(buffer_t *b);
/* buffer_together makes the first n bytes contiguous in the head and returns the head. The buffer
 * must contain n bytes. */
chunk_t *buffer_together(buffer_t *b, size_t n);
/* buffer_pin converts the head to a chunk that refers to a frozen String, and returns the String.
 * The buffer must not be empty. Afterwards, first and last of the chunk point into the String, and
 * stay valid as long as the String is referenced. */
VALUE buffer_pin(buffer_t *b);
/* buffer_fill reads from io once and appends the result, from a page (4 KB) on by reference. It
 * requests at most io_buffer_size bytes, and appends all bytes that io returns, even if they are
 * more. It raises EOFError "end of buffer reached" at the end of io, or without an io. If io raises
 * any other exception, the buffer does not change. */
void buffer_fill(buffer_t *b);
/* buffer_try_fill does the same, but requests at most `most` bytes, and returns false instead of
 * raising EOFError. */
bool buffer_try_fill(buffer_t *b, size_t most);
/* Removes the first n bytes. The buffer must contain them. */
void buffer_skip(buffer_t *b, size_t n);
/* Copies n bytes at offset from to the memory at to. The buffer must contain them. */
void buffer_copy(const buffer_t *b, size_t from, void *to, size_t n);
/* Removes the first n bytes and returns them as a binary String. The String shares memory if
 * possible (see share.h). The buffer must contain n bytes. */
VALUE buffer_read(buffer_t *b, size_t n);
VALUE buffer_to_s(const buffer_t *b);           /* Returns a String of all bytes. Removes none. */
/* Returns an Array with one String for each chunk. Removes nothing. */
VALUE buffer_to_a(const buffer_t *b);

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

/* buffer_advance removes all bytes before to, which points into the head or to last, the end of the
 * head. */
static inline void buffer_advance(buffer_t *b, const uint8_t *to, const uint8_t *last)
{
    if (__builtin_expect(to < last, 1)) {
        b->head->first = (uint8_t *)to;
        b->reads++;
    } else {
        buffer_skip(b, (size_t)(to - b->head->first));
    }
}

/* The class MessagePack::Buffer. A Buffer object has a buffer of its own or is a view of the buffer
 * in another object. */
extern VALUE cBuffer;
VALUE buffer_view(buffer_t *b, VALUE owner);
void Init_buffer(VALUE mMessagePack);
void Init_buffer_memory(void);                  /* Init_buffer calls this function and the next. */
void Init_buffer_io(void);

#endif
