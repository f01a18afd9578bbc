package json

// Unmarshal, Parse, and what a decoder knows while it works.

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
// and errors as encoding/json. In particular, if data is not valid JSON, the target is unchanged. A
// value that does not fit its target does not prevent the decoding of others.
//
// The result does not refer to data. Short strings share memory: one that is kept keeps at most a
// chunk of 4 KB alive.
func Unmarshal(data []byte, v any) error { return unmarshal(data, v, 0) }

func unmarshal(data []byte, v any, flags ParseFlags) error {
	err := decodeOne(data, v, flags)
	if onV2 && err == errAskOriginal {
		return unmarshalOriginal(data, v, flags)
	}
	return err
}

// decodeOne is unmarshal without the original.
func decodeOne(data []byte, v any, flags ParseFlags) error {
	o := rootOf(v)
	if o == nil {
		return json.Unmarshal(data, v) // not a pointer, or nil: it reads data first, then says so
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
// whole document. It returns the rest of b after that value and the white space that follows. With
// a syntax error it returns b.
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

// A decodeFunc reads the value at position i into *p. The result is
//
//   - the position after the value, or
//   - ^position after a value that did not fit, on its way to the struct field that it belongs to
//     (soft.go), or
//   - failed: the input is not valid JSON, or a method of the caller returned an error, which is in
//     d.fatal.
type decodeFunc func(d *decoder, i int, p mem.Pointer, o *decodeOp) int

const failed = math.MinInt

// maxDepth is how deep arrays and objects may nest.
const maxDepth = 10000

type decoder struct {
	b      []byte // the window: cursor.go
	lim    int
	end    int // of the input in the window
	off    int // of the window in src
	depth  int
	hops   int // of pointers to pointers, and the like
	soft   int // the depth of the container through which an error is on its way out: soft.go
	flags  ParseFlags
	misses uint8  // keys that were not the expected ones, and the like
	inTail bool   // b is tail
	trail  *trail // notes where skip is: explain.go
	boxed  bool   // cells or floats are in use
	src    []byte

	text   buffer.Strings
	cells  buffer.Slab[string]  // what strings in an any point to
	floats buffer.Slab[float64] // what numbers in an any point to

	saved  error // the first value that did not fit
	fatal  error // from a method of the caller: ends decoding
	path   []string
	within reflect.Type // the struct in which the path ends

	scratch []byte // of strings with escapes
	stack   []byte // elements of slices without pointers, until they are counted
	members []member

	tail [tailSize]byte
	keys buffer.Recent
	nest [maxDepth + 1]byte // what closes the containers that skip is in
}

var decoders = sync.Pool{New: func() any {
	d := new(decoder)
	d.text.Size = 4 << 10
	return d
}}

// What a pooled decoder keeps: bytes of each buffer, and entries of each list.
const (
	scratchMax = 64 << 10
	membersMax = 2 << 10
)

// release puts d back. It is not called when a method of the caller panics.
func (d *decoder) release() {
	// A pointer is stored only where it must be: while the collector marks, that is dear. A short
	// input may stay a while.
	if len(d.src) > 4<<10 {
		d.src = nil
		if !d.inTail {
			d.b = nil
		}
	}
	if d.boxed {
		d.boxed = false
		d.cells, d.floats = buffer.Slab[string]{}, buffer.Slab[float64]{} // kept, they would keep what earlier results point to
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

// extent is what the input of a call holds.
type extent uint8

const (
	oneValue   extent = iota // a value, and white space
	firstValue               // a value, and anything after it
	openEnded                // the same, or a part of it: more may come
)

// first decodes the first value in data into v and gives the position after it and after the white
// space that follows. Of a value that is not valid, or not whole, it has failed: then v is as it
// was.
func (d *decoder) first(data []byte, v any, o *rootOp, all extent) (int, error) {
	if onV2 && d.flags&^originalParse == 0 {
		return d.firstV2(data, v, o, all)
	}
	return d.decodeFirst(data, v, o, all)
}

// decodeFirst is first without the original.
func (d *decoder) decodeFirst(data []byte, v any, o *rootOp, all extent) (int, error) {
	p := mem.Of(mem.FaceOf(v).Data, o.elem.typ)
	var old any
	end := 0 // of a value that was checked
	checked := true
	switch {
	case d.flags&RejectDuplicateNames != 0:
		d.open(data)
		d.depth = 0
		end = d.unique(d.blanks(0))
		if d.fatal != nil {
			return d.refused(data, all)
		}
		if end != failed {
			end = d.ending(end, all)
		}
	case o.foreign:
		// A method of the caller must not be called before all of the input is known to be valid.
		end = d.check(data, all)
	case all != openEnded && o.doubt.checksFirst(len(data)):
		if end = d.check(data, all); end == failed {
			o.doubt.raise(len(data))
		}
	case o.elem.kind == decodesAny && mayReplace(*mem.At[any](p, 0)):
		old, checked = *mem.At[any](p, 0), false
	case !allZero(p, o.elem.size):
		end = d.check(data, all)
	default:
		checked = false
	}
	if end == failed {
		return failed, nil
	}
	d.open(data)
	d.depth, d.hops, d.soft = 0, 0, 0
	i := o.elem.decode(d, d.blanks(0), p, o.elem)
	if d.fatal != nil {
		if checked {
			return end, d.finish() // without another look: a method may have written into what it was given
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
		if !checked { // else it is not the input that is wrong: pointers lead in a circle
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

// refused is the result of first after d.fatal, unless something is wrong with the syntax after the
// value that was refused: that goes before.
func (d *decoder) refused(data []byte, all extent) (int, error) {
	err := d.finish()
	n := d.check(data, all)
	if n == failed {
		err = nil
	}
	return n, err
}

// ending is where the input goes on after a value that ends at i, as first has it.
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

// waits reports whether a value that ends with c is not complete until something follows it.
// Numbers may go on; with the first version of encoding/json, strings and words wait too.
func waits(c byte) bool {
	if onV2 {
		return '0' <= c && c <= '9'
	}
	return c != '}' && c != ']'
}

// check is first without a target.
func (d *decoder) check(data []byte, all extent) int {
	d.open(data)
	d.depth = 0
	i := d.skip(d.blanks(0))
	if i == failed {
		return failed
	}
	return d.ending(i, all)
}

// undo sets the target back to what it was before: a target is only decoded into before the end of
// the input is seen when it was zero, or an any that held old.
func undo(v, old any) {
	e := reflect.ValueOf(v).Elem()
	e.SetZero()
	if old != nil {
		e.Set(reflect.ValueOf(old))
	}
}

// mayReplace reports whether the content of an any is replaced by what is decoded, not decoded
// into.
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

// errCircle is for a target that leads to no value. encoding/json would go round for ever.
var errCircle = errors.New("json: the pointers of the target lead in a circle")
