package msgpack

// This file contains the decode functions of slices and arrays.

import (
	"fmt"
	"reflect"

	"github.com/slipstream-go/slipstream/internal/buffer"
	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/internal/msgpwire"
)

// room returns the number of elements for which memory may be allocated now. The header announces n
// elements, each of which needs the given size. room subtracts the granted memory from d.credit,
// which all values of one input share, so that nested counts cannot multiply. For the other
// elements, memory grows as they arrive.
func (d *Decoder) room(n int, size uintptr) int {
	if size == 0 || n == 0 {
		return n
	}
	granted := min(n, max(4, d.credit/int(size)))
	d.credit -= min(d.credit, granted*int(size))
	return granted
}

// claim checks the count n against MaxElements, and against the length of the remaining input. Each
// counted element has at least `width` bytes.
func (d *Decoder) claim(i, n, width int) bool {
	if n > d.limits.elements {
		d.tooMany(i, n)
		return false
	}
	if (d.r == nil || d.buf != nil) && n > (len(d.b)-i)/width {
		d.fail(i, errShort)
		return false
	}
	return true
}

func decodeSlice(d *Decoder, o *op, p mem.Pointer, i int) int {
	to := mem.At[mem.Slice](p, 0)
	if d.isNil(i) {
		*to = mem.Slice{}
		return i + 1
	}
	n, i := d.arrayLen(i)
	if i < 0 || !d.claim(i, n, 1) {
		return -1
	}
	elem := o.elem
	if to.Data == nil || n > to.Cap {
		have := to.Len
		to.Len = to.Cap // keep the elements beyond the length, as append does within the capacity
		room := d.room(n, elem.size)
		if to.Data != nil { // always allocate a new array, and leave the old one unchanged
			room = max(room, to.Cap+1)
		}
		growSlice(to, o, room)
		to.Len = have
	}
	if d.depth++; d.depth > d.limits.depth {
		return d.tooDeep(i)
	}
	s := *to // an element may contain a pointer to its parent, through which decoding changes *to
	for k := range n {
		if k == s.Cap {
			s.Len = k
			*to = s
			growSlice(to, o, min(n, 2*k+4))
			s = *to
		}
		if i = elem.decode(d, elem, mem.Add(mem.ArrayOf(s.Data, elem.typ, s.Cap), uintptr(k)*elem.size), i); i < 0 {
			d.path.Index(k)
			s.Len = k
			*to = s
			return -1
		}
	}
	s.Len = n
	*to = s
	d.depth--
	return i
}

// growSlice allocates memory for n elements, and keeps the first s.Len elements. If n is 0, s
// becomes an empty slice that is not nil.
func growSlice(s *mem.Slice, o *op, n int) {
	if n == 0 {
		*s = mem.Slice{Data: reflect.MakeSlice(o.typ, 0, 0).UnsafePointer()}
		return
	}
	mem.GrowSlice(s, o.typ, n)
}

func decodeArray(d *Decoder, o *op, p mem.Pointer, i int) int {
	if d.isNil(i) {
		return i + 1
	}
	n, i := d.arrayLen(i)
	if i < 0 {
		return -1
	}
	if n > o.length && d.flags&anyLength == 0 {
		return d.fail(i, fmt.Errorf("%v len is %d, but msgpack has %d elements", o.typ, o.length, n))
	}
	if !d.claim(i, n, 1) {
		return -1
	}
	if d.depth++; d.depth > d.limits.depth {
		return d.tooDeep(i)
	}
	elem := o.elem
	for k := range min(n, o.length) {
		if i = elem.decode(d, elem, mem.Add(p, uintptr(k)*elem.size), i); i < 0 {
			d.path.Index(k)
			return -1
		}
	}
	if d.flags&anyLength != 0 {
		for k := n; k < o.length; k++ {
			zero(elem, mem.Add(p, uintptr(k)*elem.size))
		}
		i = d.skipValues(i, n-o.length)
	}
	d.depth--
	return i
}

// openSlice reads an array's header, and sets the slice at p to its final length. The elements have
// a leaf kind. Allocating the whole slice is safe, because every element has at least one byte, and
// openSlice first reads that many bytes from a stream.
func openSlice[T any](d *Decoder, p mem.Pointer, i int) (s []T, next int, done bool) {
	to := mem.At[[]T](p, 0)
	n := 0
	if b := d.b; uint(i) < uint(len(b)) && b[i]&0xf0 == msgpwire.Fixarray && len(b)-i > 15 && d.flags&limited == 0 {
		n, i = int(b[i]&0x0f), i+1 // the input contains enough bytes for any count
	} else {
		if d.isNil(i) {
			*to = nil
			return nil, i + 1, true
		}
		if n, i = d.arrayLen(i); i < 0 {
			return nil, -1, true
		}
		if n > d.limits.elements {
			return nil, d.tooMany(i, n), true
		}
		if d.depth >= d.limits.depth {
			return nil, d.tooDeep(i), true
		}
		if n > len(d.b)-i && !d.need(i, n) {
			return nil, d.fail(i, d.endOf()), true
		}
	}
	if *to == nil || n > cap(*to) {
		*to = make([]T, n)
	} else {
		*to = (*to)[:n]
	}
	return *to, i, false
}

// longList is the minimum length of a list of strings that decodeStrings expects to contain
// repeated strings, such as a column of host names.
const longList = 32

func decodeStrings(d *Decoder, o *op, p mem.Pointer, i int) int {
	if d.flags&internStrings != 0 {
		return decodeSlice(d, o, p, i)
	}
	s, i, done := openSlice[string](d, p, i)
	if done {
		return i
	}
	if d.values == nil && len(s) >= longList {
		d.values = new(buffer.Recent)
	}
	recurring := cacheKeys && len(s) >= longList
	fresh := 0
	plain := d.flags&careful == 0
	for k := 0; k < len(s); k++ {
		b := d.b
		if plain && !recurring {
			var n int
			if n, i = d.readStringRun(b, i, s[k:]); n > 0 {
				if k += n; k == len(s) {
					break
				}
			}
		}
		if n := fixstrLen(b, i); plain && recurring && uint(n) <= buffer.RecentMax {
			if !keepEqual || len(s[k]) != n || s[k] != string(b[i+1:i+1+n]) {
				v, known := d.values.Find(b, i+1, n)
				if !known {
					fresh++
					recurring = fresh < longList || fresh < k/2 // otherwise lookups cost more than they save
				}
				s[k] = v
			}
			i += 1 + n
			continue
		}
		v, next := d.readString(i)
		if next < 0 {
			d.path.Index(k)
			return -1
		}
		s[k], i = v, next
	}
	return i
}

// fixstrLen returns the length of the fixstr at i, or -1 if there is no complete fixstr.
func fixstrLen(b []byte, i int) int {
	if uint(i) < uint(len(b)) {
		if n := int(b[i]) - msgpwire.Fixstr; uint(n) < 32 && n < len(b)-i {
			return n
		}
	}
	return -1
}

// readStringRun reads consecutive fixstrs from b[i:] into dst. It stops near the end of b, and when
// the memory for strings is used up. It returns the number of strings that were read, and the
// offset after them.
func (d *Decoder) readStringRun(b []byte, i int, dst []string) (n, next int) {
	const word = 8
	var room []byte
	at := 0 // number of bytes of room that are used
	for readRuns && n < len(dst) && i+1+4*word <= len(b) {
		size := int(mem.Load8(b, i)) - msgpwire.Fixstr
		if uint(size) > 31 {
			break
		}
		if keepEqual && len(dst[n]) == size && dst[n] == string(b[i+1:i+1+size]) {
			i += 1 + size
			n++
			continue
		}
		if at+4*word > len(room) {
			d.strings.Take(at)
			at = 0
			if room = d.strings.Room(4 * word); room == nil {
				break
			}
		}
		// Copies whole words. The next string overwrites the extra bytes.
		mem.Store64(room, at, mem.Load64(b, i+1))
		mem.Store64(room, at+word, mem.Load64(b, i+1+word))
		if size > 2*word {
			mem.Store64(room, at+2*word, mem.Load64(b, i+1+2*word))
			mem.Store64(room, at+3*word, mem.Load64(b, i+1+3*word))
		}
		dst[n] = mem.String(room[at : at+size])
		at += size
		i += 1 + size
		n++
	}
	d.strings.Take(at)
	return n, i
}

func decodeInt64s(d *Decoder, o *op, p mem.Pointer, i int) int {
	s, i, done := openSlice[int64](d, p, i)
	if done {
		return i
	}
	for k := 0; k < len(s); {
		if d.flags&strictInts == 0 {
			run, j := readInt64Run(d.b, i, s[k:])
			k, i = k+run, j
			if k == len(s) {
				break
			}
		}
		v, j := d.readInt(i)
		if j < 0 {
			d.path.Index(k)
			return -1
		}
		s[k], i = v, j
		k++
	}
	return i
}

func decodeFloat64s(d *Decoder, o *op, p mem.Pointer, i int) int {
	s, i, done := openSlice[float64](d, p, i)
	if done {
		return i
	}
	for k := 0; k < len(s); {
		run, j := readFloat64Run(d.b, i, s[k:])
		k, i = k+run, j
		if k == len(s) {
			break
		}
		v, j := d.readFloat64(i)
		if j < 0 {
			d.path.Index(k)
			return -1
		}
		s[k], i = v, j
		k++
	}
	return i
}
