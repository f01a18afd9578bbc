package json

// This file contains Unmarshal, Parse, and the state of a decoder.

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"sync"

	"github.com/slipstream-go/slipstream/internal/buffer"
	"github.com/slipstream-go/slipstream/internal/mem"
)

// Unmarshal decodes the JSON value in data into the target of the pointer v, with the same values
// and errors as encoding/json. In particular, if data is not valid JSON, the target is unchanged.
// If a value does not fit its target, the other values are still decoded.
//
// The decoded value does not refer to data. Short strings share chunks of memory, so a retained
// string keeps up to 4 KB alive.
func Unmarshal(data []byte, v any) error { return unmarshal(data, v, 0) }

func unmarshal(data []byte, v any, flags ParseFlags) error {
	err := decodeOne(data, v, flags)
	if onV2 && err == errAskOriginal {
		return unmarshalOriginal(data, v, flags)
	}
	return err
}

// decodeOne is like unmarshal, but returns errAskOriginal instead of calling encoding/json (v2.go).
func decodeOne(data []byte, v any, flags ParseFlags) error {
	o := rootOf(v)
	if o == nil {
		return json.Unmarshal(data, v) // v is not a pointer, or nil: encoding/json checks data first, then reports v
	}
	d := decoders.Get().(*decoder)
	d.flags = flags
	n, err := d.first(data, v, o, oneValue)
	d.release()
	if onV2 && err == errAskOriginal {
		return err
	}
	if n == failed {
		return explain(data)
	}
	return err
}

// Parse decodes the first value in b into the target of the pointer x, as Unmarshal does with a
// whole document. It skips the value and the white space after the value, and returns the rest of
// b. After a syntax error, it returns b unchanged.
func Parse(b []byte, x any, flags ParseFlags) ([]byte, error) {
	o := rootOf(x)
	d := decoders.Get().(*decoder)
	d.flags = flags
	var n int
	var err error
	if o != nil {
		n, err = d.first(b, x, o, firstValue)
	} else if n = d.check(b, firstValue); n != failed {
		err = &InvalidUnmarshalError{Type: reflect.TypeOf(x)}
	}
	asks := onV2 && err == errAskOriginal
	if asks {
		n = d.check(b, firstValue)
	}
	d.release()
	if asks && n != failed {
		err = unmarshalOriginal(b[:n], x, flags)
	}
	if n == failed {
		return b, explain(b)
	}
	return b[n:], err
}

// A decodeFunc reads the value at position i into *p. It returns
//
//   - the position after the value, or
//   - ^position, where position is after the value, if a value did not fit, and the callers must
//     still add the enclosing struct fields to the path of its error (soft.go), or
//   - failed, if the input is not valid JSON, or a user's method returned an error. In the latter
//     case, d.fatal is that error.
type decodeFunc func(d *decoder, i int, p mem.Pointer, o *decodeOp) int

const failed = math.MinInt

// maxDepth is the maximum nesting depth of arrays and objects.
const maxDepth = 10000

type decoder struct {
	b      []byte // the window: cursor.go
	lim    int
	end    int // end of the input in the window
	off    int // offset of the window in src
	depth  int
	hops   int // number of pointers to pointers, and of interfaces, on the way to the value; see maxHops
	soft   int // depth of the container that reports an error to the enclosing container; see soft.go
	flags  ParseFlags
	misses uint8  // number of unexpected keys and slice lengths
	inTail bool   // b is tail
	trail  *trail // records the position of the method skip; see explain.go
	boxed  bool   // cells or floats are in use
	src    []byte

	text   buffer.Strings
	cells  buffer.Slab[string]  // memory of strings that are decoded into type any
	floats buffer.Slab[float64] // memory of numbers that are decoded into type any

	saved  error // error of the first value that did not fit
	fatal  error // error that ends decoding, for example from a user's method
	path   []string
	within reflect.Type // innermost struct of the path

	scratch []byte // buffer for strings with escapes
	stack   []byte // elements of slices without pointers, until their number is known
	members []member

	tail [tailSize]byte
	keys buffer.Recent
	nest [maxDepth + 1]byte // closing brackets of the containers that enclose the position of the method skip
}

var decoders = sync.Pool{New: func() any {
	d := new(decoder)
	d.text.Size = 4 << 10
	return d
}}

// These are the maximum capacities that a pooled decoder keeps: for each buffer in bytes, and for
// each list in entries.
const (
	scratchMax = 64 << 10
	membersMax = 2 << 10
)

// release returns d to the pool. It is not called if a user's method panics.
func (d *decoder) release() {
	// Storing a pointer is expensive while the garbage collector is marking. So a pointer is
	// cleared only if necessary, and d may refer to a short input for a while.
	if len(d.src) > 4<<10 {
		d.src = nil
		if !d.inTail {
			d.b = nil
		}
	}
	if d.boxed {
		d.boxed = false
		d.cells, d.floats = buffer.Slab[string]{}, buffer.Slab[float64]{} // in the pool, they would keep memory of earlier results alive
	}
	if cap(d.scratch) > scratchMax {
		d.scratch = nil
	}
	if cap(d.stack) > scratchMax {
		d.stack = nil
	}
	if cap(d.members) > membersMax {
		d.members = nil
	}
	if cap(d.path) > membersMax {
		d.path = nil
	}
	d.flags = 0
	decoders.Put(d)
}

// extent defines what the input of a call may contain.
type extent uint8

const (
	oneValue   extent = iota // a value, and white space
	firstValue               // a value, and anything after it
	openEnded                // like firstValue, but the value may be incomplete: more input may follow
)

// first decodes the first value in data into the target of v. It returns the position after the
// value and the following white space. If the value is invalid or incomplete, it returns failed and
// leaves the target unchanged.
func (d *decoder) first(data []byte, v any, o *rootOp, all extent) (int, error) {
	if onV2 && d.flags&^originalParse == 0 {
		return d.firstV2(data, v, o, all)
	}
	return d.decodeFirst(data, v, o, all)
}

// preflight is what a decoder must do before it decodes into a target, so that invalid input leaves
// the target unchanged.
type preflight uint8

const (
	checksNothing preflight = iota // undo can restore the target: it is zero, or an any whose old value is kept
	checksSyntax                   // validate the input: undo could not restore the target
	checksDoubted                  // validate the input: recent inputs for targets of this type were invalid
	checksNames                    // validate the input, and reject repeated names
)

// preflight validates the input, and returns the position after the value.
func (d *decoder) preflight(before preflight, data []byte, o *rootOp, all extent) (int, error) {
	if before != checksNames {
		end := d.check(data, all)
		if end == failed && before == checksDoubted {
			o.doubt.raise(len(data))
		}
		return end, nil
	}
	d.open(data)
	d.depth = 0
	end := d.unique(d.blanks(0))
	if d.fatal != nil {
		return d.refused(data, all)
	}
	if end != failed {
		end = d.ending(end, all)
	}
	return end, nil
}

// decodeFirst is like the method `first`, but never returns errAskOriginal.
func (d *decoder) decodeFirst(data []byte, v any, o *rootOp, all extent) (int, error) {
	p := mem.Of(mem.FaceOf(v).Data, o.elem.typ)
	var old any
	end := 0 // position after the value, if it was checked
	before := checksNothing
	switch {
	case d.flags&RejectDuplicateNames != 0:
		before = checksNames
	case o.foreign: // a user's method must not be called before the whole input is known to be valid
		before = checksSyntax
	case all != openEnded && o.doubt.checksFirst(len(data)):
		before = checksDoubted
	case o.elem.kind == decodesAny && mayReplace(*mem.At[any](p, 0)):
		old = *mem.At[any](p, 0)
	case !allZero(p, o.elem.size):
		before = checksSyntax
	}
	checked := before != checksNothing
	if checked {
		var err error
		if end, err = d.preflight(before, data, o, all); end == failed || err != nil {
			return end, err
		}
	}
	d.open(data)
	d.depth, d.hops, d.soft = 0, 0, 0
	i := o.elem.decode(d, d.blanks(0), p, o.elem)
	if d.fatal != nil {
		if checked {
			return end, d.finish() // without a check of data: a method may have modified its argument
		}
		n, err := d.refused(data, all)
		if n == failed {
			undo(v, old)
		}
		return n, err
	}
	if i != failed {
		if i < 0 {
			i = ^i
		}
		i = d.ending(i, all)
	}
	if i == failed {
		d.saved, d.path, d.within = nil, d.path[:0], nil
		if !checked { // otherwise the input is valid, but pointers lead in a circle
			undo(v, old)
			if all != openEnded {
				o.doubt.raise(len(data))
			}
		}
		return failed, nil
	}
	if d.saved != nil {
		return i, d.finish()
	}
	return i, nil
}

// refused returns the result of the method `first` if d.fatal is set. A syntax error after the
// rejected value takes precedence over d.fatal.
func (d *decoder) refused(data []byte, all extent) (int, error) {
	err := d.finish()
	n := d.check(data, all)
	if n == failed {
		err = nil
	}
	return n, err
}

// ending returns the result of the method `first` for a value that ends at i. The result is the
// position in the input after the value. Unless the argument `all` is openEnded, ending also skips
// the white space after the value. It returns failed if the value may be incomplete, or if `all` is
// oneValue and the input does not end there.
func (d *decoder) ending(i int, all extent) int {
	if all == openEnded {
		i += d.off
		if i == len(d.src) && waits(d.src[i-1]) {
			return failed
		}
		return i
	}
	if i = d.blanks(i) + d.off; i != len(d.src) && all == oneValue {
		return failed
	}
	return i
}

// waits reports whether the decoder must see another byte before it regards a value that ends with
// c as complete. This is necessary for numbers, which may continue. With the first version of
// encoding/json, it also applies to strings and literals.
func waits(c byte) bool {
	if onV2 {
		return '0' <= c && c <= '9'
	}
	return c != '}' && c != ']'
}

// check is like the method `first`, but has no target: it only validates the value.
func (d *decoder) check(data []byte, all extent) int {
	d.open(data)
	d.depth = 0
	i := d.skip(d.blanks(0))
	if i == failed {
		return failed
	}
	return d.ending(i, all)
}

// undo restores the target of v after invalid input. Only two kinds of targets are decoded into
// without checking the input first: a zero target, and a target of type any that contained the
// value `old`.
func undo(v, old any) {
	e := reflect.ValueOf(v).Elem()
	e.SetZero()
	if old != nil {
		e.Set(reflect.ValueOf(old))
	}
}

// mayReplace reports whether decoding replaces v instead of decoding into v. The argument v is the
// content of a target of type any.
func mayReplace(v any) bool {
	return v == nil || reflect.TypeOf(v).Kind() != reflect.Pointer
}

// allZero reports whether the n bytes at p are zero.
func allZero(p mem.Pointer, n uintptr) bool {
	b := mem.View(p, int(n))
	i := 0
	for ; i+8 <= len(b); i += 8 {
		if mem.Load64(b, i) != 0 {
			return false
		}
	}
	for ; i < len(b); i++ {
		if b[i] != 0 {
			return false
		}
	}
	return true
}

// errCircle is the error for a target whose pointers form a cycle and so lead to no value.
// encoding/json would follow such pointers forever.
var errCircle = errors.New("json: the target contains a cycle of pointers")
