package schema

import (
	"math"
	"math/bits"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// owe adds the minimum size of n elements, which follow the current value, to d.owed. The argument
// `least` is the minimum size of one element.
func (d *decoder) owe(n, least int) { d.owed = min(d.owed+min(times(n, least), hugeWire), hugeWire) }

// count returns the number of elements of o, and the offset of the first element. It takes the
// number from the header at i or from the schema. It checks that the input is long enough for n
// elements of minimum size. If the input is too short, the offset is -1.
//
// The result `fits` reports whether the input also contains d.owed bytes, which are needed for the
// elements of enclosing lists. If fits is false, the input ends too early, but the position of the
// error is not known yet. In this case, the caller must read the elements without allocating memory
// for them, until the position is found. So the size of the input limits the memory that is
// allocated for all elements.
func (d *decoder) count(o *op, i int) (n, at int, fits bool) {
	n, at = o.sub.count, i
	if h := o.sub.n.header; o.kind != opFixed {
		n, at = h.read(d.b, i), i+h.size()
	}
	least := o.sub.least
	switch {
	case n < 0:
		return 0, d.wrong(i, o.sub.n.header.negative(d.b, i)), false
	case n == 0:
		return 0, at, true
	case least > 0:
		fits = n <= (len(d.b)-at-d.owed)/least || d.more(at, min(times(n, least), math.MaxInt-hugeWire)+d.owed) != nil
		if !fits && n > (len(d.b)-at)/least {
			return 0, d.wrong(i, d.ends()), false
		}
	case n > d.o.items-d.items:
		err := exceeds(ErrItems, "%d elements without bytes exceed the %d that MaxItems leaves", n, d.o.items-d.items)
		return 0, d.wrong(i, err), false
	default:
		d.items += n
		fits = true
	}
	d.texts.ahead += n * o.sub.pg.texts
	return n, at, fits
}

// passed decodes n values of o, and discards them. It decodes all of them into the same memory, to
// which the argument `value` points. It is called if the method `count` has returned false as its
// result `fits`.
func (d *decoder) passed(o *op, value mem.Pointer, n, i int) int {
	owed := d.owed
	for k := range n {
		d.owed = owed
		d.owe(n-k-1, o.sub.least)
		if i = d.run(o.sub.pg, value, 1, i); i < 0 {
			d.fault.index = k
			break
		}
	}
	d.owed = owed
	return i
}

// bools checks and copies n flags.
func (d *decoder) bools(p mem.Pointer, n, i int) int {
	b := d.b[i : i+n]
	k := 0
	for ; k+8 <= n && mem.Load64(b, k)&^0x0101010101010101 == 0; k += 8 {
	}
	for ; k < n; k++ {
		if b[k] > 1 {
			d.wrong(i+k, ErrBool)
			d.fault.index = k
			return -1
		}
	}
	copy(mem.View(p, n), b)
	return i + n
}

// list decodes a list into s. It reuses the array of s if the array is large enough, unless a
// []byte needs new memory.
func (d *decoder) list(o *op, s *mem.Slice, i int) int {
	n, i, fits := d.count(o, i)
	fresh := o.sub.bytes && !d.o.reuse
	switch {
	case i < 0:
		return -1
	case !fits:
		return d.passed(o, o.elements(o.sub.n.newElems(1), 1), n, i)
	case n == 0:
		if s.Len = 0; fresh && s.Cap > 0 { // not a part of the old array, to which the caller could append
			*s = mem.Slice{Data: o.sub.n.newElems(1)}
		}
		return i
	}
	if n > s.Cap || fresh {
		if n > maxMemory/max(int(o.sub.stride), 1) {
			return d.wrong(i, exceeds(ErrSize, "%d elements of %d bytes exceed the available memory", n, o.sub.stride))
		}
		*s = mem.Slice{Data: o.sub.n.newElems(n), Len: n, Cap: n}
	}
	s.Len = n
	switch {
	case o.sub.raw == 0:
		return d.run(o.sub.pg, o.elements(s.Data, s.Cap), n, i)
	case o.sub.n.elem.kind == kindBool:
		return d.bools(o.elements(s.Data, s.Cap), n, i)
	}
	size := n * o.sub.raw
	copy(mem.View(o.elements(s.Data, s.Cap), size), d.b[i:])
	return i + size
}

// maxMemory is the maximum size of an array. Go itself does not allocate larger arrays.
const maxMemory = math.MaxInt >> (1 + 15*(bits.UintSize/64))
