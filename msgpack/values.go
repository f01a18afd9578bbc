package msgpack

// Loops over streams and over containers that need not fit into memory.

import (
	"fmt"
	"io"
	"iter"

	"github.com/slipstream-go/slipstream/internal/wire"
)

// Values decodes one value after the other, each as a T, until the input ends. At a clean end the
// loop just ends; any other error comes once, with a zero T, and ends it. A loop that is left early
// leaves d after the value it was given last.
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

// Elements decodes an array element by element, each as a T, so that only one is in memory at a
// time. nil has no elements. An error comes once, with a zero T, and ends the loop; an input that
// ends before the array does is an error too.
//
// A loop that is left early leaves d inside the array, after the element it was given last: the
// other elements are the next values, and nothing skips them.
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

// Entries decodes a map entry by entry, as Elements does an array. A key that is there twice comes
// twice, or is an error under [DecodeOptions.UniqueKeys].
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

// yieldOne gives *v away, or the error. It reports whether to go on, for which *v is zero again:
// what the last value points to now belongs to the loop's body.
func yieldOne[T any](yield func(T, error) bool, v *T, err error) bool {
	var given T
	if err == nil {
		given, *v = *v, given
	}
	return yield(given, err) && err == nil
}

// decodeWithin decodes a part of an array or map that d is inside of. The end of the input is an
// error there, and step notes where the part lies.
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
