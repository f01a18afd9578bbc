/* This file contains the calls from a buffer to its io. Each call of an io may raise, or use the
 * same buffer. So the buffer is consistent before each call, and no pointer into it is used after a
 * call. */
#include "buffer.h"

#include "page.h"
#include "share.h"

/* Adjacent chunks that are not Strings go to the io in one write. No chunk is added to a write that
 * has RUN_MAX bytes. */
#define RUN_MAX (1 << 20)

static ID id_read, id_readpartial, id_write, id_append;
static VALUE sym_io_buffer_size, sym_read_reference_threshold, sym_write_reference_threshold;

void Init_buffer_io(void)
{
    id_read = rb_intern("read");
    id_readpartial = rb_intern("readpartial");
    id_write = rb_intern("write");
    id_append = rb_intern("<<");
    sym_io_buffer_size = ID2SYM(rb_intern("io_buffer_size"));
    sym_read_reference_threshold = ID2SYM(rb_intern("read_reference_threshold"));
    sym_write_reference_threshold = ID2SYM(rb_intern("write_reference_threshold"));
}

/* first_of returns preferred if io responds to it, else other if io responds to that, else the
 * argument neither. A later call of that method raises a NoMethodError that names the method.
 * first_of may run Ruby code (respond_to?). */
static ID first_of(VALUE io, ID preferred, ID other, ID neither)
{
    if (rb_respond_to(io, preferred)) {
        return preferred;
    }
    return rb_respond_to(io, other) ? other : neither;
}

static ID write_method(VALUE io)
{
    return first_of(io, id_write, id_append, id_write);
}

static size_t size_option(VALUE options, VALUE name, size_t otherwise, size_t least)
{
    VALUE value = rb_hash_lookup2(options, name, Qnil);
    if (value == Qnil) {
        return otherwise;
    }
    long n = NUM2LONG(value);
    return n < (long)least ? least : (size_t)n;
}

void buffer_configure(buffer_t *b, VALUE io, VALUE options)
{
    size_t io_buffer_size = b->io_buffer_size, read_threshold = b->read_reference_threshold, write_threshold = b->out.reference;
    if (options != Qnil) {
        if (!RB_TYPE_P(options, T_HASH)) {
            rb_raise(rb_eArgError, "expected Hash but found %"PRIsVALUE, rb_obj_class(options));
        }
        io_buffer_size = size_option(options, sym_io_buffer_size, io_buffer_size, 1024);
        read_threshold = size_option(options, sym_read_reference_threshold, read_threshold, 256);
        write_threshold = size_option(options, sym_write_reference_threshold, write_threshold, 256);
    }
    ID reads = first_of(io, id_readpartial, id_read, id_read), writes = write_method(io);
    b->io_buffer_size = io_buffer_size;
    b->read_reference_threshold = read_threshold;
    b->out.reference = write_threshold;
    b->io_read = reads;
    b->io_write = writes;
    RB_OBJ_WRITE(b->owner, &b->io, io);
}

/* Writing. */

typedef struct {
    VALUE io, string;
    ID method;
} sending_t;

static VALUE send_string(VALUE sending)
{
    sending_t *s = (sending_t *)sending;
    return rb_funcall(s->io, s->method, 1, s->string);
}

/* next_run returns the number of bytes to write to the io next, at most `most`. A String chunk is
 * written with its own call, so that it is not copied. */
static size_t next_run(buffer_t *b, size_t most)
{
    const uint8_t *first, *last;
    const chunk_t *c = buffer_front(b, &first, &last);
    if (c == NULL) {
        return 0;
    }
    size_t n = (size_t)(last - first);
    if (c->kind != CHUNK_STRING) {
        for (c = c->next; c != NULL && c->kind != CHUNK_STRING && n < RUN_MAX; c = c->next) {
            n += (size_t)((c == b->tail ? b->out.p : c->last) - c->first);
        }
    }
    return n < most ? n : most;
}

/* send_front writes the first n bytes to io. It removes them before the call, so that an io that
 * uses this buffer does not find them again. If io raises, send_front puts them back and raises the
 * same exception. */
static void send_front(buffer_t *b, VALUE io, ID method, size_t n)
{
    VALUE string = buffer_read(b, n);
    sending_t sending = {io, rb_str_dup(string), method}; /* io may modify its copy */
    int raised = 0;
    rb_protect(send_string, (VALUE)&sending, &raised);
    if (raised) {
        buffer_prepend(b, string);
        rb_jump_tag(raised);
    }
    RB_GC_GUARD(string);
}

/* send_all writes the buffered bytes to io and returns the number of bytes written. It writes at
 * most as many bytes as the buffer has at the call, so an io that writes to this buffer causes no
 * endless loop. */
static size_t send_all(buffer_t *b, VALUE io, ID method)
{
    size_t sent = 0, size = buffer_size(b);
    while (sent < size) {
        size_t n = next_run(b, size - sent);
        if (n == 0) {
            break;
        }
        send_front(b, io, method, n);
        sent += n;
    }
    return sent;
}

void buffer_flush(buffer_t *b)
{
    if (b->io != Qnil) {
        send_all(b, b->io, b->io_write);
    }
}

size_t buffer_write_to(buffer_t *b, VALUE io)
{
    return buffer_empty(b) ? 0 : send_all(b, io, write_method(io));
}

/* The io gets a String of its own, which it may keep. The String is binary, as in all other
 * writes. */
void buffer_write_through(buffer_t *b, VALUE string)
{
    VALUE bytes = share_cut(string, 0, (size_t)RSTRING_LEN(string), rb_ascii8bit_encindex(), 0);
    rb_funcall(b->io, b->io_write, 1, bytes);
}

/* Reading. */

/* Results of io that are smaller than PIECE_MIN are copied, to keep the number of chunks small. */
#define PIECE_MIN PAGE_SIZE

typedef struct {
    VALUE io;
    ID method;
    size_t n;
} asking_t;

static VALUE ask(VALUE asking)
{
    asking_t *a = (asking_t *)asking;
    return rb_funcall(a->io, a->method, 1, SIZET2NUM(a->n));
}

static VALUE no_more(VALUE ignored, VALUE error)
{
    return Qnil;
}

/* ask_until_end calls the read method of io and returns its result, or nil at the end. At the end,
 * readpartial raises EOFError, and read returns nil. */
static VALUE ask_until_end(const buffer_t *b, size_t most)
{
    asking_t asking = {b->io, b->io_read, most < b->io_buffer_size ? most : b->io_buffer_size};
    return rb_rescue2(ask, (VALUE)&asking, no_more, Qnil, rb_eEOFError, (VALUE)0);
}

bool buffer_try_fill(buffer_t *b, size_t most)
{
    if (b->io == Qnil) {
        return false;
    }
    VALUE string = ask_until_end(b, most);
    if (string == Qnil) {
        return false;
    }
    StringValue(string);
    if (RSTRING_LEN(string) == 0) {
        return false;
    }
    buffer_append_reference(b, string, b->read_reference_threshold > PIECE_MIN ? b->read_reference_threshold : PIECE_MIN);
    return true;
}

void buffer_fill(buffer_t *b)
{
    if (!buffer_try_fill(b, b->io_buffer_size)) {
        rb_raise(rb_eEOFError, "end of buffer reached");
    }
}
