package schema

import (
	"errors"
	"io"
	"iter"
	"slices"
	"sync"

	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/internal/wire"
)

// Write writes v to w, with a single call of w.Write. If v cannot be encoded, it writes no bytes.
// If w accepts only a part of the bytes, but returns no error, Write returns io.ErrShortWrite.
func (s *Schema[T]) Write(w io.Writer, v *T) error {
	return writeOnce(w, func(b []byte) ([]byte, error) { return s.Append(b, v) })
}

// writeOnce writes the bytes that the function `message` appends, unless message returns an error.
func writeOnce(w io.Writer, message func([]byte) ([]byte, error)) error {
	p := buffers.Get().(*[]byte)
	b, err := message((*p)[:0])
	if err == nil {
		err = wire.WriteAll(w, b)
	}
	if cap(b) <= maxPooled {
		*p = b
	}
	buffers.Put(p)
	return err
}

var buffers = sync.Pool{New: func() any { return new([]byte) }}

// Reader reads a sequence of messages from an io.Reader. It reads ahead, unless the option Exact is
// set.
//
// The bytes of a message are kept until the next message is read. The size of the buffer depends on
// the number of bytes that have arrived, not on the lengths in the message.
type Reader[T any] struct {
	s     *Schema[T]
	d     decoder
	feed  feed
	at    int // the offset in d.b of the next message
	usual int // the size of the largest recent message; for each smaller message, it decreases by an eighth
	err   error
}

// feed is the source of the bytes of messages.
//
//	d.b   messages before | the current message, max at most | beyond
//	      0               from                       len(d.b)
type feed struct {
	r      io.Reader
	exact  bool
	from   int   // the offset in d.b of the current message
	max    int   // maximum size of the current message
	beyond int   // number of bytes that have been read beyond max; d.b ends before them
	err    error // the reason why no more bytes follow
}

// streamBytes is the maximum size of a message in a stream, unless MaxBytes is set.
const streamBytes = 64 << 20

// Reader returns a reader of messages from r.
func (s *Schema[T]) Reader(r io.Reader, set ...Option) *Reader[T] {
	c := &Reader[T]{s: s.With(set...)}
	c.feed = c.s.feed(r, c.s.options.exact)
	c.d.o, c.d.feed = &c.s.options, &c.feed
	if s.endless() {
		c.err = &Error{Cause: ErrEnd}
	}
	return c
}

// feed returns a feed that reads from r.
func (s *Schema[T]) feed(r io.Reader, exact bool) feed {
	f := feed{r: r, exact: exact, max: s.options.bytes}
	if !s.options.bounded {
		f.max = streamBytes
	}
	return f
}

// endless reports whether a message does not define where it ends, or may be empty.
func (s *Schema[T]) endless() bool { return s.n.hasTail() || s.pg.least == 0 }

// Next reads a message into v, as [Schema.Parse] does. At the end of the stream, it returns io.EOF.
// After an error, all later calls return the same error, because the beginning of the next message
// is not known.
func (r *Reader[T]) Next(v *T) error {
	if r.err != nil {
		return r.err
	}
	_ = *v // see Append
	d := &r.d
	d.b, r.feed.beyond = d.b[:len(d.b)+r.feed.beyond], 0
	r.usual = max(r.at-r.feed.from, r.usual-r.usual/8)
	if unread := len(d.b) - r.at; unread <= r.at { // so that each byte is moved at most once
		into := d.b
		// An earlier message was larger than the recent messages. The field `usual` still includes
		// it, so usual is not used for the size of the new buffer.
		if cap(d.b) > maxPooled && cap(d.b)/8 > r.usual+unread {
			into = make([]byte, 0, max(2*unread, maxPooled))
		}
		d.b, r.at = append(into[:0], d.b[r.at:]...), 0
	}
	r.feed.from = r.at
	d.hide()
	if len(d.b) == r.at && d.more(r.at, 1) == nil && r.feed.err == ErrShort {
		r.err = io.EOF
		return r.err
	}
	d.next(r.s.pg, &r.s.options)
	i := d.run(r.s.pg, r.s.n.place(mem.PointerTo(v)), 1, r.at)
	if i < 0 {
		r.err = d.fault.error(r.at)
		return r.err
	}
	r.at = i
	return nil
}

// All returns an iterator over the remaining messages. All messages are read into the same value of
// type T. The iterator ends at io.EOF. After any other error, it yields this error and ends.
func (r *Reader[T]) All() iter.Seq2[*T, error] { return all(r.Next) }

// all returns an iterator over the values that the function `next` reads, until next returns an
// error.
func all[T any](next func(*T) error) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		for v := new(T); ; {
			switch err := next(v); {
			case err == io.EOF:
				return
			case err != nil:
				yield(nil, err)
				return
			case !yield(v, nil):
				return
			}
		}
	}
}

// Buffered returns the bytes that the Reader has read ahead. They are valid until the next message
// is read.
func (r *Reader[T]) Buffered() []byte {
	end := len(r.d.b) + r.feed.beyond
	return r.d.b[r.at:end:end]
}

// hide truncates d.b to the maximum length of the current message. Without hide, a message over
// MaxBytes would fail or succeed depending on the chunks in which its bytes arrive.
func (d *decoder) hide() {
	f := d.feed
	f.beyond = max(len(d.b)-f.from-f.max, 0)
	d.b = d.b[:len(d.b)-f.beyond]
}

// more reads until d.b[i:] contains k bytes of the current message. It returns d.b, or nil if the
// bytes do not arrive. If d.b is too small, more replaces it by a larger copy. The old bytes also
// stay in memory unchanged, because strings may alias them.
func (d *decoder) more(i, k int) []byte {
	f := d.feed
	if f == nil {
		return nil
	}
	if k > f.max-(i-f.from) {
		if !errors.Is(f.err, ErrSize) { // lists may call more repeatedly
			f.err = tooLarge(f.max)
		}
		return nil
	}
	for empty := 0; len(d.b)-i < k; {
		if f.err != nil {
			return nil
		}
		missing := k - (len(d.b) - i)
		if len(d.b) == cap(d.b) {
			d.b = slices.Grow(d.b, min(missing, max(len(d.b), firstRead)))
		}
		ahead := maxPooled
		if f.exact {
			ahead = 0
		}
		room := min(cap(d.b)-len(d.b), max(missing, ahead))
		n, err := f.r.Read(d.b[len(d.b) : len(d.b)+room])
		d.b = d.b[:len(d.b)+n]
		d.hide()
		if n > 0 {
			empty = 0
		} else if empty++; err == nil && empty == maxEmpty {
			err = io.ErrNoProgress
		}
		if f.err = err; errors.Is(err, io.EOF) {
			f.err = ErrShort
		}
	}
	return d.b
}

const (
	firstRead = 4 << 10 // buffer size for the first read
	maxEmpty  = 100     // consecutive reads that return no bytes
)
