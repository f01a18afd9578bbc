package msgpack

// This file contains iterators over streams, arrays and maps that need not fit into memory.

import (
	"fmt"
	"io"
	"iter"

	"github.com/slipstream-go/slipstream/internal/wire"
)

// Values returns an iterator that decodes values of type T until the input ends. If the input ends
// between two values, the loop ends without an error. After any other error, the iterator yields a
// zero T and the error, and ends. After a break, d continues after the last yielded value.
func Values[T any](d *Decoder) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var v T
		for {
			err := d.Decode(&v)
			if err == io.EOF {
				return
			}
			if !yieldOne(yield, &v, err) {
				return
			}
		}
	}
}

// Elements returns an iterator that decodes the elements of an array one by one, so that only one
// element is in memory. If the input contains nil instead of an array, the iterator yields no
// elements. After an error, the iterator yields a zero T and the error, and ends. An input that
// ends inside the array is an error.
//
// After a break, d continues inside the array, after the last yielded element. The caller must read
// or skip the remaining elements.
func Elements[T any](d *Decoder) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var v T
		n, err := d.DecodeArrayLen()
		if err != nil {
			yield(v, err)
			return
		}
		for k := range n {
			err := decodeWithin(d, &v, func(p *wire.Path) { p.Index(k) })
			if !yieldOne(yield, &v, err) {
				return
			}
		}
	}
}

// Entry is a key of a map and its value.
type Entry[K, V any] struct {
	Key   K
	Value V
}

// Entries returns an iterator that decodes the entries of a map, as [Elements] does for an array.
// If a key is repeated, the iterator yields each of its entries. With [DecodeOptions.UniqueKeys], a
// repeated key is an error.
func Entries[K, V any](d *Decoder) iter.Seq2[Entry[K, V], error] {
	return func(yield func(Entry[K, V], error) bool) {
		var e Entry[K, V]
		n, err := d.DecodeMapLen()
		if err != nil {
			yield(e, err)
			return
		}
		seen := d.newKeySet()
		for range n {
			err := d.checkKey(seen)
			if err == nil {
				err = decodeWithin(d, &e.Key, func(*wire.Path) {})
			}
			if err == nil {
				err = decodeWithin(d, &e.Value, func(p *wire.Path) { p.Field(fmt.Sprint(e.Key)) })
			}
			if !yieldOne(yield, &e, err) {
				return
			}
		}
	}
}

// yieldOne yields *v. If err is not nil, it yields a zero value and err. It reports whether the
// loop continues. It sets *v to zero before it yields, because memory that the yielded value points
// to then belongs to the loop's body.
func yieldOne[T any](yield func(T, error) bool, v *T, err error) bool {
	var given T
	if err == nil {
		given, *v = *v, given
	}
	return yield(given, err) && err == nil
}

// decodeWithin decodes a part of the array or map that d is reading. It returns io.ErrUnexpectedEOF
// as the cause if the input ends there. The function `step` adds the position of the part to the
// path of an error.
func decodeWithin(d *Decoder, v any, step func(*wire.Path)) error {
	err := d.Decode(v)
	if err == io.EOF {
		err = &Error{Offset: d.InputOffset(), Cause: io.ErrUnexpectedEOF}
	}
	if e, ok := err.(*Error); ok {
		var path wire.Path
		path.Inner(e.Path)
		step(&path)
		e.Path = path.String()
	}
	return err
}
