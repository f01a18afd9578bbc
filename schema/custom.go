package schema

import (
	"fmt"
	"io"
	"sync"
	"unicode/utf8"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// Custom returns a type that functions write and read. The name stands for it in the notation of a
// schema: types with the same name must have the same bytes. A value takes at least least bytes.
//
// The function append appends a value to dst. If it returns an error, nothing of the message is
// written. The function parse reads a value from r, which returns the rest of the message, and has
// at least least bytes. A read from r may wait for as many bytes as it asks for, so parse must not
// ask for more than the value has. r is valid until parse returns. Such a value costs several
// calls, and a copy of the bytes that parse reads.
//
// If parse passes r to [Schema.Read] of another schema, the limits of that schema apply. MaxDepth
// and MaxItems continue from the place of the value, and each Custom counts as one level, so input
// cannot nest Customs without end.
func Custom[V any](name string, least int, append func(dst []byte, v *V) ([]byte, error), parse func(r io.Reader, v *V) error) Type[V] {
	n := node{kind: kindCustom, size: min(max(least, 0), hugeWire), custom: &custom{name: name}}
	if name == "" || !utf8.ValidString(name) || least < 0 || append == nil || parse == nil {
		n.wrong("Custom takes a name, a number of bytes, and two functions")
	}
	n.custom.append = func(dst []byte, p mem.Pointer) ([]byte, error) { return append(dst, mem.At[V](p, 0)) }
	n.custom.parse = func(r io.Reader, p mem.Pointer) error { return parse(r, mem.At[V](p, 0)) }
	return leaf[V](n)
}

// custom is what a value of functions is made of.
type custom struct {
	name   string
	append func(dst []byte, p mem.Pointer) ([]byte, error)
	parse  func(r io.Reader, p mem.Pointer) error
}

// custom appends what the functions of o make of the value at p.
func (e *encoder) custom(o *op, p mem.Pointer, b []byte) []byte {
	all, err := o.sub.n.custom.append(b, p)
	if err != nil {
		e.fault = customFault(len(b), err)
		return b
	}
	if n, least := len(all)-len(b), o.sub.n.size; n < least {
		return e.wrong(b, fmt.Errorf("schema: custom %s appended %d bytes of %d at least", o.sub.n.custom.name, n, least))
	}
	return all
}

// custom has the functions of o read the value at p.
func (d *decoder) custom(o *op, p mem.Pointer, i int) int {
	if k := o.sub.n.size; len(d.b)-i < k && d.more(i, k) == nil {
		return d.wrong(i, d.ends())
	}
	s := sources.Get().(*source)
	s.d, s.at = *d, i
	s.d.depth++
	err := o.sub.n.custom.parse(s, p)
	d.b, d.items = s.d.b, s.d.items // b may have grown
	to := s.at
	*s = source{}
	sources.Put(s)
	switch err {
	case nil:
		return to
	case io.EOF, io.ErrUnexpectedEOF: // of the source
		err = d.ends()
	}
	d.fault = customFault(i, err)
	return -1
}

// customFault is the fault of functions. What they tell about the place is kept, if they are made
// of schemas themselves.
func customFault(at int, err error) *fault {
	f := &fault{at: at, index: -1, cause: err}
	if e, ok := err.(*Error); ok {
		f.at, f.cause = at+int(e.Offset), e.Cause
		f.path.Inner(e.Path)
	}
	return f
}

// source is the rest of a message as a reader. It has a decoder of its own, so that the current one
// stays where no other function sees it.
type source struct {
	d  decoder
	at int
}

var sources = sync.Pool{New: func() any { return new(source) }}

// Read gives len(b) bytes, or as many as there are.
func (s *source) Read(b []byte) (int, error) {
	if len(s.d.b)-s.at < len(b) {
		s.d.more(s.at, len(b))
	}
	n := copy(b, s.d.b[s.at:])
	s.at += n
	if n == 0 && len(b) > 0 {
		if err := s.d.ends(); err != ErrShort {
			return 0, err
		}
		return 0, io.EOF
	}
	return n, nil
}
