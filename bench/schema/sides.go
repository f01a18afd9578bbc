package schema

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"

	"github.com/slipstream-go/slipstream/bench/harness"
)

// codec writes and reads the bytes of one type.
type codec[T any] struct {
	append func(dst []byte, v *T) ([]byte, error)
	parse  func(b []byte, v *T) error
	room   func(v *T) int // that append is given in new memory; nil when it finds that out by itself
}

// library is a library, by the calls of one type. Those that it has not are nil.
type library[T any] struct {
	name string
	how  string
	mark string

	marshal   func(v *T) ([]byte, error) // into memory of its own
	reuse     func(v *T) ([]byte, error) // into memory that is kept for the next call
	unmarshal func(b []byte, v *T) error
	view      func(b []byte, v *T) error // the texts are views of b
	format[T]
}

// format is what a library writes.
type format[T any] struct {
	input func(v *T) ([]byte, error) // v in bytes that are the same in every run; nil when marshal writes such
	read  func(b []byte, v *T) error // a reader by which what the library writes is judged
}

// library is the codec, by those calls.
func (c codec[T]) library(name, how, mark string, f format[T]) library[T] {
	marshal := func(v *T) ([]byte, error) { return c.append(nil, v) }
	if c.room != nil {
		marshal = func(v *T) ([]byte, error) { return c.append(make([]byte, 0, c.room(v)), v) }
	}
	return library[T]{name: name, how: how, mark: mark, format: f, marshal: marshal, reuse: kept(c.append), unmarshal: c.parse}
}

// kept appends to what it wrote last.
func kept[T any](appended func(dst []byte, v *T) ([]byte, error)) func(v *T) ([]byte, error) {
	var b []byte
	return func(v *T) (_ []byte, err error) {
		b, err = appended(b[:0], v)
		return b, err
	}
}

func (l library[T]) side(run, check func() error) harness.Side {
	return harness.Side{Rival: l.name, How: l.how, Mark: l.mark, Run: run, Check: check}
}

// sink keeps the compiler from leaving work out.
var sink []byte

// encoding is a side that writes v.
func (l library[T]) encoding(v *T, encode func(v *T) ([]byte, error)) harness.Side {
	run := func() (err error) {
		sink, err = encode(v)
		return err
	}
	check := func() error {
		for range 2 { // the second time there is a buffer
			if err := run(); err != nil {
				return err
			}
			var got T
			if err := l.read(sink, &got); err != nil {
				return fmt.Errorf("the output cannot be read: %w", err)
			}
			if err := same(&got, v); err != nil {
				return err
			}
		}
		return nil
	}
	return l.side(run, check)
}

// target says what a decode is given.
type target bool

const (
	fresh  target = false // a zero value; what was decoded is let go at once, so that the live heap stays small
	reused target = true  // the value of the last decode, whose memory may be used again
)

// decoding is a side that reads v.
func (l library[T]) decoding(v *T, kind target) (harness.Side, error) {
	b, err := l.input(v)
	into, zero := new(T), *new(T)
	run := func() error {
		err := l.unmarshal(b, into)
		if kind == fresh {
			*into = zero
		}
		return err
	}
	check := func() error {
		before := bytes.Clone(b)
		for range 2 { // the second decode finds a reused target used
			if err := l.unmarshal(b, into); err != nil {
				return err
			}
			if err := same(into, v); err != nil {
				return err
			}
			if kind == fresh {
				*into = zero
			}
		}
		if !bytes.Equal(b, before) {
			return errors.New("the input was written to")
		}
		return nil
	}
	return l.side(run, check), err
}

// same compares two values.
func same[T any](got, want *T) error {
	if !reflect.DeepEqual(got, want) {
		return fmt.Errorf("decoded %s\nwant %s", excerpt(got), excerpt(want))
	}
	return nil
}

// excerpt prints the beginning of a value.
func excerpt(v any) string {
	s := fmt.Sprintf("%+v", v)
	if len(s) > 300 {
		s = s[:300] + " …"
	}
	return s
}
