package parco

import (
	"bytes"
	"errors"
	"io"
	"sync"
	"sync/atomic"

	"github.com/slipstream-go/slipstream/internal/wire"
	"github.com/slipstream-go/slipstream/schema"
)

// codec reads and writes values of a layout. It contains separate schemas for reading and writing,
// because a layout may support only one of these. Each schema is compiled at its first use.
type codec[V any] struct {
	of       layout[V]
	tail     bool     // options at the end may be missing if the input is one message
	filled   func(*V) // completes a value after reading, or nil
	drop     func(V)  // receives a value that could not be read, or nil
	compiler program[V]
	parser   program[V]
	message  program[V] // a parser for one message
	values   sync.Pool  // contains values of type *V: memory for a value that is written
}

// program is a compiled schema, or the error from compiling it.
type program[V any] struct{ made atomic.Pointer[made[V]] }

type made[V any] struct {
	s   *schema.Schema[V]
	err error
}

func (p *program[V]) schema(of layout[V], d draft) (*schema.Schema[V], error) {
	m := p.made.Load()
	if m == nil {
		s, err := schemaOf(of, d)
		m = &made[V]{s, err}
		p.made.Store(m)
	}
	return m.s, m.err
}

// Parse reads one value from r, and reads no bytes after the value. If r is at its end, the error
// matches both io.EOF and [ErrCannotRead]. After any other error, the position of r is undefined.
func (c *codec[V]) Parse(r io.Reader) (V, error) {
	s, err := c.parser.schema(c.of, draft{sets: true})
	if err != nil {
		return *new(V), err
	}
	v := new(V)
	switch r := r.(type) {
	case *bytes.Buffer:
		var left int
		left, err = parse(s, r.Bytes(), v)
		r.Next(r.Len() - left)
	case *BufferCursor:
		var left int
		left, err = parse(s, r.rest(), v)
		r.cursor = len(r.data) - left
	default:
		err = s.Read(r, v)
	}
	return c.parsed(v, err)
}

// parse reads a value from b, as Read does from a reader, and returns the number of remaining
// bytes. After an error, this number is 0.
func parse[V any](s *schema.Schema[V], b []byte, v *V) (left int, err error) {
	rest, err := s.Parse(b, v)
	if err == nil {
		return len(rest), nil
	}
	if len(b) == 0 && errors.Is(err, schema.ErrShort) {
		err = io.EOF
	}
	return 0, err
}

// ParseBytes reads the value at the beginning of b.
func (c *codec[V]) ParseBytes(b []byte) (V, error) {
	p := &c.parser
	if c.tail {
		p = &c.message
	}
	s, err := p.schema(c.of, draft{sets: true, tail: c.tail})
	if err != nil {
		return *new(V), err
	}
	v := new(V)
	_, err = s.Parse(b, v)
	return c.parsed(v, err)
}

// parsed returns the result of reading v. The argument `err` is the error that occurred while v was
// read.
func (c *codec[V]) parsed(v *V, err error) (V, error) {
	if err != nil {
		if c.drop != nil {
			c.drop(*v)
		}
		return *new(V), explain(err)
	}
	if c.filled != nil {
		c.filled(v)
	}
	return *v, nil
}

// Compile writes v to w, with a single call of Write. If v cannot be encoded, it writes no bytes.
func (c *codec[V]) Compile(v V, w io.Writer) error {
	s, err := c.compiler.schema(c.of, draft{gets: true})
	if err != nil {
		return err
	}
	p, ok := c.values.Get().(*V)
	if !ok {
		p = new(V)
	}
	*p = v
	err = write(w, func(dst []byte) ([]byte, error) { return s.Append(dst, p) })
	*p = *new(V)
	c.values.Put(p)
	return err
}

// CompileBytes writes v to the beginning of the slice `box`.
func (c *codec[V]) CompileBytes(v V, box []byte) error {
	s, err := c.compiler.schema(c.of, draft{gets: true})
	if err != nil {
		return err
	}
	b, err := s.Append(box[:0:len(box)], &v)
	if err == nil && len(b) > len(box) {
		err = ErrCannotWrite
	}
	return explain(err)
}

// write calls the function `add`, and writes the appended bytes to w in one call. If add fails, it
// writes no bytes.
func write(w io.Writer, add func(dst []byte) ([]byte, error)) error {
	if a, ok := w.(*appender); ok {
		b, err := add(a.b)
		if err == nil {
			a.b = b
		}
		return explain(err)
	}
	p := buffers.Get().(*[]byte)
	b, err := add((*p)[:0])
	if err == nil {
		err = writeAll(w, b)
	}
	if cap(b) <= maxPooled {
		*p = b[:0]
	}
	buffers.Put(p)
	return explain(err)
}

// writeAll writes b to w. If w accepts only a part of the bytes, but returns no error, writeAll
// returns ErrCannotWrite.
func writeAll(w io.Writer, b []byte) error {
	err := wire.WriteAll(w, b)
	if err == io.ErrShortWrite {
		err = ErrCannotWrite
	}
	return err
}

var buffers = sync.Pool{New: func() any { return new([]byte) }}

// maxPooled is the maximum size of the memory that is kept for the next message.
const maxPooled = 64 << 10
