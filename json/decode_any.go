package json

// This file decodes into type any. The decoded values are allocated from slabs. Each call of
// Unmarshal creates its own slabs.

import (
	"math/big"
	"math/bits"
	"reflect"
	"strconv"

	"github.com/slipstream-go/slipstream/internal/buffer"
	"github.com/slipstream-go/slipstream/internal/decimal"
	"github.com/slipstream-go/slipstream/internal/mem"
)

var (
	wordString  = mem.TypeWord(reflect.TypeFor[string]())
	wordFloat64 = mem.TypeWord(reflect.TypeFor[float64]())
)

// boxes reports whether slabs are used. Without slabs, each conversion to type any allocates
// memory.
var boxes = mem.BoxWorks()

func (d *decoder) boxString(s string) any {
	if boxes && len(s) <= 128 {
		d.boxed = true
		return mem.Box(wordString, mem.PointerTo(d.cells.Put(s)))
	}
	return s
}

func (d *decoder) boxFloat(f float64) any {
	if boxes {
		d.boxed = true
		return mem.Box(wordFloat64, mem.PointerTo(d.floats.Put(f)))
	}
	return f
}

// decodeAny decodes into interfaces without methods.
func decodeAny(d *decoder, i int, p mem.Pointer, o *decodeOp) int {
	to := mem.At[any](p, 0)
	c := mem.Load8(d.b, i)
	if !mayReplace(*to) {
		v := reflect.ValueOf(*to)
		if j, ok := d.through(i, v, o); ok {
			return j
		}
		if c != 'n' && pointsToItself(v) {
			to = mem.RawAt[any](v.UnsafePointer(), 0)
		}
	}
	v, i := d.any(i)
	if i != failed && (v != nil || c == 'n') { // a number that is out of range is not stored
		*to = v
	}
	return i
}

// decodeFace decodes into interfaces with methods. This is possible only if the interface contains
// a pointer: then decodeFace decodes into the pointer's target.
func decodeFace(d *decoder, i int, p mem.Pointer, o *decodeOp) int {
	if v := reflect.NewAt(o.typ, mem.RawAs(p, o.typ)).Elem().Elem(); v.IsValid() && v.Kind() == reflect.Pointer {
		if j, ok := d.through(i, v, o); ok {
			return j
		}
	}
	return d.mismatch(i, p, o)
}

// through decodes the value at i into the target of v, which is a pointer in an interface of o's
// type. In some cases, the interface itself is the target. The method then returns false, and does
// not decode. For example, null sets the interface to nil, unless v is a pointer to a pointer.
func (d *decoder) through(i int, v reflect.Value, o *decodeOp) (int, bool) {
	if v.IsNil() || pointsToItself(v) || mem.Load8(d.b, i) == 'n' && v.Type().Elem().Kind() != reflect.Pointer {
		return i, false
	}
	if d.hops++; d.hops > maxHops {
		return d.abort(errCircle), true
	}
	e := rootFor(v.Type()).elem
	if e.said != nil {
		e = e.saying(o.said)
	}
	i = e.decode(d, i, mem.Of(v.UnsafePointer(), e.typ), e)
	d.hops--
	return i, true
}

// pointsToItself reports whether v points to an interface that contains v.
func pointsToItself(v reflect.Value) bool {
	if v.IsNil() {
		return false
	}
	e := v.Elem()
	return e.Kind() == reflect.Interface && e.Elem().IsValid() && e.Elem().Type() == v.Type() && e.Elem().UnsafePointer() == v.UnsafePointer()
}

// any returns the value at i and the position after it. If the value contains a number that is out
// of range, the position is negative, as for a decodeFunc.
func (d *decoder) any(i int) (any, int) {
	switch mem.Load8(d.b, i) {
	case '"':
		s, i := d.string(i + 1)
		if i < 0 {
			return nil, failed
		}
		return d.boxString(s), i
	case '{':
		return d.anyObject(i)
	case '[':
		return d.anyList(i)
	case 't':
		return true, literal(d.b, i)
	case 'f':
		return false, literal(d.b, i)
	case 'n':
		return nil, literal(d.b, i)
	}
	if d.flags&(UseNumber|UseInt64|UseUint64|UseBigInt) != 0 {
		return d.anyNumber(i)
	}
	f, j := d.float(i)
	if j < 0 {
		return d.anyNumber(i)
	}
	return d.boxFloat(f), j
}

// anyNumber returns the number at i, and the position after it. The flags select the type of the
// result.
func (d *decoder) anyNumber(i int) (any, int) {
	text, i := d.number(i)
	if i < 0 {
		return nil, failed
	}
	i = d.guard(i)
	if d.flags&(UseInt64|UseUint64|UseBigInt) != 0 {
		if n := d.wholeNumber(mem.String(text)); n != nil {
			return n, i
		}
	}
	if d.flags&UseNumber != 0 {
		return Number(d.numberText(text)), i
	}
	f, ok := decimal.ParseFloat64(text)
	if !ok {
		d.mistyped("number "+string(text), float64Type, d.off+i+1)
		return nil, d.out(i)
	}
	return f, i
}

// wholeNumber returns the integer in text. The type of the result is the first of the types allowed
// by the flags that can represent the integer. If there is no such type, wholeNumber returns nil.
func (d *decoder) wholeNumber(text string) any {
	if d.flags&UseUint64 != 0 {
		if n, err := strconv.ParseUint(text, 10, 64); err == nil {
			return n
		}
	}
	if d.flags&UseInt64 != 0 {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n
		}
	}
	if d.flags&UseBigInt != 0 {
		if n, ok := new(big.Int).SetString(text, 10); ok {
			return n
		}
	}
	return nil
}

// Members and elements are buffered until their number is known, so that maps and slices are
// allocated with their final size. The buffers are on the goroutine's stack, where storing a
// pointer is cheap even while the garbage collector is marking. The first few values are buffered
// in the stack frame of one function, and some more values in the frame of another function. Only
// the remaining values are buffered on the heap.
const (
	few  = 8
	some = 32
)

func (d *decoder) anyList(i int) (any, int) {
	if d.depth++; d.depth > maxDepth {
		return nil, failed
	}
	var first [few]any
	n := 0
	i = d.enter(i, ']')
	for i >= 0 && n < few {
		first[n], i = d.any(i)
		if i < 0 {
			if i = d.in(i); i < 0 {
				return nil, failed
			}
		}
		n++
		i = d.next(i, ']')
	}
	var list any
	switch {
	case i == failed:
		return nil, failed
	case i >= 0:
		if list, i = d.anyListOn(first[:], i); i == failed {
			return nil, failed
		}
	case n == 0:
		list = []any{}
	default:
		var cells []any
		cells, list = buffer.NewList(n)
		copy(cells, first[:n])
	}
	i = ^i
	return list, d.leave(i)
}

// anyListOn continues the work of anyList with the element at i. The slice `first` contains the
// earlier elements. At the end of the list, anyListOn returns ^position, where position is after
// the list.
func (d *decoder) anyListOn(first []any, i int) (any, int) {
	var next [some]any
	var more []any
	n := 0
	for i >= 0 {
		var v any
		v, i = d.any(i)
		if i < 0 {
			if i = d.in(i); i < 0 {
				return nil, failed
			}
		}
		switch {
		case n < some:
			next[n] = v
		case n == some:
			more = append(append(make([]any, 0, 4*some), first...), next[:]...)
			fallthrough
		default:
			more = append(more, v)
		}
		n++
		i = d.next(i, ']')
	}
	if more == nil {
		more = make([]any, len(first)+n)
		copy(more[copy(more, first):], next[:n])
	}
	return more, i
}

type member struct {
	key   string
	value any
}

func (d *decoder) anyObject(i int) (any, int) {
	if d.depth++; d.depth > maxDepth {
		return nil, failed
	}
	var first [few]member
	n := 0
	i = d.enter(i, '}')
	for i >= 0 && n < few {
		i = d.anyMember(i, &first[n])
		if i < 0 {
			if i = d.in(i); i < 0 {
				return nil, failed
			}
		}
		n++
		i = d.next(i, '}')
	}
	var m map[string]any
	switch {
	case i == failed:
		return nil, failed
	case i >= 0:
		if m, i = d.anyObjectOn(first[:], i); i == failed {
			return nil, failed
		}
	default:
		m = make(map[string]any, n)
		putAll(m, first[:n])
	}
	i = ^i
	return m, d.leave(i)
}

// anyObjectOn continues the work of anyObject with the member at i. The slice `first` contains the
// earlier members. At the end of the object, anyObjectOn returns ^position, where position is after
// the object.
func (d *decoder) anyObjectOn(first []member, i int) (map[string]any, int) {
	var next [some]member
	bottom := len(d.members)
	n := 0
	for i >= 0 {
		to := &next[n%some]
		i = d.anyMember(i, to)
		if i < 0 {
			if i = d.in(i); i < 0 {
				break
			}
		}
		n++
		i = d.next(i, '}')
		if n%some == 0 && i >= 0 {
			d.members = append(d.members, next[:]...)
		}
	}
	var m map[string]any
	if i != failed {
		m = make(map[string]any, len(first)+n)
		putAll(m, first)
		putAll(m, d.members[bottom:])
		putAll(m, next[:n-(len(d.members)-bottom)])
	}
	clear(d.members[bottom:]) // in the pool, they would keep their keys and values alive
	d.members = d.members[:bottom]
	return m, i
}

// anyMember reads the member at i.
func (d *decoder) anyMember(i int, to *member) int {
	if mem.Load8(d.b, i) != '"' {
		return failed
	}
	key, i := d.anyKey(i + 1)
	if i < 0 {
		return failed
	}
	if b := d.b; mem.Load8(b, i) == ':' && mem.Load8(b, i+1) > ' ' {
		i++
	} else if i = d.colon(i); i < 0 {
		return failed
	}
	to.key = key
	to.value, i = d.any(i)
	return i
}

// putAll stores members in m. If several members have the same key, m contains the last of them.
func putAll(m map[string]any, members []member) {
	for k := range members {
		m[members[k].key] = members[k].value
	}
}

// anyKey returns the key whose text begins at i, and the position after the key. It caches short
// keys, because keys are usually repeated.
func (d *decoder) anyKey(i int) (string, int) {
	b := d.b
	w := mem.Load64(b, i)
	m := stops(w)
	n := 0
	if m == 0 {
		m = stops(mem.Load64(b, i+8))
		n = 8
	}
	if m == 0 {
		return d.string(i)
	}
	n += bits.TrailingZeros64(m) >> 3
	if mem.Load8(b, i+n) != '"' || d.flags&DontCopyString != 0 {
		return d.string(i)
	}
	s, _ := d.keys.Find(b, i, n)
	return s, i + n + 1
}
