package schema

import (
	"fmt"
	"io"
	"sync"
	"unicode/utf8"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// Custom returns a type whose values are written and read by the given functions. The name
// identifies the type in a schema's notation. Types with the same name must have the same encoding.
// The argument `least` is the minimum encoded size of a value, in bytes.
//
// The function `append` appends a value to dst. If this function returns an error, no part of the
// message is written. The function `parse` reads a value from r, which is a reader of the rest of
// the message. The reader contains at least `least` bytes. A read from r may wait until all
// requested bytes have arrived, so the function `parse` must not request more bytes than the value
// contains. The reader r is valid until this function returns. Each value costs several function
// calls, and a copy of the bytes that this function reads.
//
// If the function `parse` passes r to the method [Schema.Read] of another schema, the limits of
// that schema apply. The counts for MaxDepth and MaxItems then include the levels and elements
// before the value. Each Custom counts as one level, so the nesting of Customs is limited.
func Custom[V any](name string, least int, append func(dst []byte, v *V) ([]byte, error), parse func(r io.Reader, v *V) error) Type[V] {
	n := node{kind: kindCustom, size: min(max(least, 0), hugeWire), custom: &custom{name: name}}
	if name == "" || !utf8.ValidString(name) || least < 0 || append == nil || parse == nil {
		n.wrong("Custom takes a name, a number of bytes, and two functions")
	}
	n.custom.append = func(dst []byte, p mem.Pointer) ([]byte, error) { return append(dst, mem.At[V](p, 0)) }
	n.custom.parse = func(r io.Reader, p mem.Pointer) error { return parse(r, mem.At[V](p, 0)) }
	return leaf[V](n)
}

// custom contains the name and the functions of a Custom type.
type custom struct {
	name   string
	append func(dst []byte, p mem.Pointer) ([]byte, error)
	parse  func(r io.Reader, p mem.Pointer) error
}

// custom appends the value at p by calling the append function of o.
func (e *encoder) custom(o *op, p mem.Pointer, b []byte) []byte {
	all, err := o.sub.n.custom.append(b, p)
	if err != nil {
		e.fault = customFault(len(b), err)
		return b
	}
	if n, least := len(all)-len(b), o.sub.n.size; n < least {
		return e.wrong(b, fmt.Errorf("schema: custom %s appended %d bytes, want at least %d", o.sub.n.custom.name, n, least))
	}
	return all
}

// custom reads a value into p by calling the parse function of o.
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
	case io.EOF, io.ErrUnexpectedEOF: // returned by the source
		err = d.ends()
	}
	d.fault = customFault(i, err)
	return -1
}

// customFault returns the fault for an error from a function of a Custom. If the error comes from
// another schema that the function uses, the fault keeps the path and offset of that error.
func customFault(at int, err error) *fault {
	f := &fault{at: at, index: -1, cause: err}
	if e, ok := err.(*Error); ok {
		f.at, f.cause = at+int(e.Offset), e.Cause
		f.path.Inner(e.Path)
	}
	return f
}

// source is an io.Reader of the rest of a message. It contains a copy of the decoder, so that user
// functions never hold a reference to the decoder itself.
type source struct {
	d  decoder
	at int
}

var sources = sync.Pool{New: func() any { return new(source) }}

// Read reads len(b) bytes. If the message contains fewer bytes, it reads all of them.
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
