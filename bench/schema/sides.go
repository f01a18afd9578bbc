package schema

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"

	"github.com/slipstream-go/slipstream/bench/harness"
)

// codec encodes and decodes one type.
type codec[T any] struct {
	append func(dst []byte, v *T) ([]byte, error)
	parse  func(b []byte, v *T) error
	room   func(v *T) int // capacity of a new buffer for append; nil if append finds the size itself
}

// library contains the calls of a library for one type. Calls that the library does not have are
// nil.
type library[T any] struct {
	name string
	how  string
	mark string

	marshal   func(v *T) ([]byte, error) // into new memory
	reuse     func(v *T) ([]byte, error) // into memory that the next call reuses
	unmarshal func(b []byte, v *T) error
	view      func(b []byte, v *T) error // texts alias b
	format[T]
}

// format is the encoding of a library.
type format[T any] struct {
	input func(v *T) ([]byte, error) // encodes v as the same bytes in every run; nil if marshal does so
	read  func(b []byte, v *T) error // reads the library's output, to check it
}

// library returns a library that uses the codec.
func (c codec[T]) library(name, how, mark string, f format[T]) library[T] {
	marshal := func(v *T) ([]byte, error) { return c.append(nil, v) }
	if c.room != nil {
		marshal = func(v *T) ([]byte, error) { return c.append(make([]byte, 0, c.room(v)), v) }
	}
	return library[T]{name: name, how: how, mark: mark, format: f, marshal: marshal, reuse: kept(c.append), unmarshal: c.parse}
}

// kept returns a function that reuses one buffer for all outputs.
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

// sink keeps the compiler from omitting work.
var sink []byte

// encoding returns a side that encodes v.
func (l library[T]) encoding(v *T, encode func(v *T) ([]byte, error)) harness.Side {
	run := func() (err error) {
		sink, err = encode(v)
		return err
	}
	check := func() error {
		for range 2 { // the second call reuses a buffer
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

// target is the initial state of the target of a decode.
type target bool

const (
	fresh  target = false // a zero value; the decoded value is released at once, so that the live heap stays small
	reused target = true  // the value of the previous decode, whose memory may be reused
)

// decoding returns a side that decodes v.
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
		for range 2 { // the second decode finds a used target
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

// same returns an error if two values differ.
func same[T any](got, want *T) error {
	if !reflect.DeepEqual(got, want) {
		return fmt.Errorf("decoded %s\nwant %s", excerpt(got), excerpt(want))
	}
	return nil
}

// excerpt returns the beginning of a value as text.
func excerpt(v any) string {
	s := fmt.Sprintf("%+v", v)
	if len(s) > 300 {
		s = s[:300] + " …"
	}
	return s
}
