package json

// This file decodes into slices and arrays.

import (
	"reflect"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// decodeSlice decodes an array into a slice. As in encoding/json, it reuses the memory of the
// slice, starting at length 0, so the array's values are decoded into the existing elements.
func decodeSlice(d *decoder, i int, p mem.Pointer, o *decodeOp) int {
	b := d.b
	if mem.Load8(b, i) != '[' {
		return d.mismatch(i, p, o)
	}
	if d.depth++; d.depth > maxDepth {
		return failed
	}
	s := mem.At[mem.Slice](p, 0)
	e := o.elem
	n := 0
	i = d.enter(i, ']')
	if i < 0 { // it is empty
		*s = mem.Slice{Data: mem.EmptyData()}
		i = ^i
	} else {
		for {
			if n >= s.Cap {
				d.growSlice(s, o, n, i)
			}
			if n >= s.Len {
				s.Len = n + 1 // visible after an error of a method of the caller, and to elements that refer to the slice
			}
			i = e.decode(d, i, mem.Add(mem.ArrayOf(s.Data, e.typ, s.Cap), uintptr(n)*e.size), e)
			n++
			if i < 0 {
				if i = d.in(i); i < 0 {
					return failed
				}
			}
			if d.comma(i) {
				i++
				continue
			}
			if i = d.next(i, ']'); i < 0 {
				if i == failed {
					return failed
				}
				i = ^i
				break
			}
		}
		s.Len = min(n, s.Len)
		d.learn(o, n)
	}
	return d.leave(i)
}

// growSlice increases the capacity of s to more than n elements. The new capacity depends on the
// length of the last slice of the same type, o.hint. For the first element, growSlice uses that
// length, within limits. While s is shorter than the last slice, growSlice grows s to that length,
// but at most to ten times the current length. Longer slices grow like in append.
func (d *decoder) growSlice(s *mem.Slice, o *decodeOp, n, i int) {
	const firstBytes = 2 << 10
	hint := int(o.hint.Load())
	want := 2 * n
	switch {
	case n == 0:
		want = min(hint, firstBytes/int(max(o.elem.size, 1)), (d.end-i)/2)
	case n < hint:
		want = min(hint, 10*n)
	case n > 256:
		want = n + n/4 + 192
	}
	s.Len = min(n, s.Cap)
	mem.ValueAt(o.typ, o.ptr, mem.PointerTo(s)).Grow(max(want, n+1) - s.Len)
}

// learn stores the length n of a slice in o.hint if n differs much from the last length. All
// decoders share o.hint, so learn does not store every such length.
func (d *decoder) learn(o *decodeOp, n int) {
	if was := int(o.hint.Load()); n > was || n < was/2 {
		if d.misses++; d.misses&7 == 0 || was == 0 {
			o.hint.Store(uint32(min(n, 1<<20)))
		}
	}
}

// decodeFlatSlice is the variant of decodeSlice for elements without pointers. If the slice is new,
// it decodes the elements into d.stack, whose unused bytes are zero. Then it copies the elements
// into memory of exactly the required size.
func decodeFlatSlice(d *decoder, i int, p mem.Pointer, o *decodeOp) int {
	s := mem.At[mem.Slice](p, 0)
	if s.Cap > 0 || mem.Load8(d.b, i) != '[' {
		return decodeSlice(d, i, p, o)
	}
	if d.depth++; d.depth > maxDepth {
		return failed
	}
	e := o.elem
	size := int(e.size)
	d.stack = d.stack[:0]
	i = d.enter(i, ']')
	if i < 0 {
		*s = mem.Slice{Data: mem.EmptyData()}
		i = ^i
	} else {
		for {
			top := len(d.stack)
			if top+size > cap(d.stack) {
				grown := mem.Aligned(max(2*cap(d.stack), 1<<10) + size)
				d.stack = grown[:copy(grown, d.stack)]
			}
			d.stack = d.stack[:top+size]
			at := mem.Of(mem.RawOf(mem.From(d.stack, top)), e.typ)
			switch e.kind {
			case decodesFloat64:
				if f, j := d.float(i); j >= 0 {
					*mem.At[float64](at, 0) = f
					i = j
					goto next
				}
			case decodesInt64:
				if v, j := d.int(i); j >= 0 {
					*mem.At[int64](at, 0) = v
					i = j
					goto next
				}
			}
			i = e.decode(d, i, at, e)
			if i < 0 {
				if i = d.in(i); i < 0 {
					clear(d.stack)
					return failed
				}
			}
		next:
			if d.comma(i) {
				i++
				continue
			}
			if i = d.next(i, ']'); i < 0 {
				if i == failed {
					clear(d.stack)
					return failed
				}
				i = ^i
				break
			}
		}
		n := len(d.stack) / size
		mem.ValueAt(o.typ, o.ptr, p).Grow(n)
		copy(mem.View(mem.ArrayOf(s.Data, e.typ, s.Cap), n*size), d.stack)
		clear(d.stack)
		s.Len = n
	}
	return d.leave(i)
}

// decodeArray decodes a JSON array into a Go array. If the JSON array is shorter, the remaining Go
// elements become zero. If it is longer, its remaining elements are skipped.
func decodeArray(d *decoder, i int, p mem.Pointer, o *decodeOp) int {
	if mem.Load8(d.b, i) != '[' {
		return d.mismatch(i, p, o)
	}
	if d.depth++; d.depth > maxDepth {
		return failed
	}
	e := o.elem
	n := 0
	i = d.enter(i, ']')
	if i < 0 {
		i = ^i
	} else {
		for {
			if n < o.length {
				at := mem.Add(p, uintptr(n)*e.size)
				n++
				if e.kind == decodesFloat64 {
					if f, j := d.float(i); j >= 0 {
						*mem.At[float64](at, 0) = f
						i = j
						goto next
					}
				}
				i = e.decode(d, i, at, e)
			} else {
				i = d.skip(i)
			}
			if i < 0 {
				if i = d.in(i); i < 0 {
					return failed
				}
			}
		next:
			if d.comma(i) {
				i++
				continue
			}
			if i = d.next(i, ']'); i < 0 {
				if i == failed {
					return failed
				}
				i = ^i
				break
			}
		}
	}
	if n < o.length {
		v := reflect.NewAt(o.typ, mem.RawAs(p, o.typ)).Elem()
		for ; n < o.length; n++ {
			v.Index(n).SetZero()
		}
	}
	return d.leave(i)
}
