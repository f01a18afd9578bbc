package json

// This file encodes slices and arrays. Separate loops write elements of the most common kinds.

import (
	"reflect"

	"github.com/slipstream-go/slipstream/internal/decimal"
	"github.com/slipstream-go/slipstream/internal/mem"
)

func encodeSlice(e *encoder, o *encodeOp, p mem.Pointer, n int) int {
	s := *mem.At[mem.Slice](p, 0)
	if s.Data == nil {
		return e.putNull(n)
	}
	if o.bounded {
		return e.putArray(o, o.elementsOf(s), s.Len, n)
	}
	if e.depth++; e.depth > cycleDepth {
		key := openSlice{s.Data, s.Len}
		e.open(reflect.NewAt(o.typ, mem.RawAs(p, o.typ)).Elem(), key)
		n = e.putArray(o, o.elementsOf(s), s.Len, n)
		delete(e.seen, key)
	} else {
		n = e.putArray(o, o.elementsOf(s), s.Len, n)
	}
	e.depth--
	return n
}

// elementsOf returns the address of the elements of the slice s, which has o's type.
func (o *encodeOp) elementsOf(s mem.Slice) mem.Pointer {
	if !mem.Guarded {
		return mem.ArrayOf(s.Data, nil, s.Len)
	}
	return mem.ArrayOf(s.Data, o.elem.typ, s.Len)
}

// openSlice identifies a slice. It is used to detect slices that contain themselves.
type openSlice struct {
	data mem.Raw
	len  int
}

func encodeArray(e *encoder, o *encodeOp, p mem.Pointer, n int) int {
	return e.putArray(o, p, o.length, n)
}

// putArray writes an array of `count` values. The values are at p, and their op is o.elem.
func (e *encoder) putArray(o *encodeOp, p mem.Pointer, count, n int) int {
	if count == 0 {
		return e.putEmpty(n)
	}
	mem.Store8(e.room(n, 2), n, '[')
	return e.close(o.encodeElements(e, o.elem, p, count, n+1), ']')
}

// An elementsFunc writes the `count` values at p, whose op is o, with a comma after each value.
// Like an encodeFunc, it leaves space for another byte.
type elementsFunc func(e *encoder, o *encodeOp, p mem.Pointer, count, n int) int

// elementsOf returns the elementsFunc for values of o's type.
func elementsOf(o *encodeOp) elementsFunc {
	switch o.kind {
	case stepString:
		return putStrings
	case stepInt64:
		return putInts
	case stepUint64:
		return putUints
	case stepFloat64:
		return putFloats
	}
	if o.structs {
		return putStructs
	}
	return putElements
}

// putEmpty writes an array without elements.
func (e *encoder) putEmpty(n int) int {
	mem.Store16(e.room(n, 3), n, '['|']'<<8)
	return n + 2
}

// close ends an array or an object. It replaces the comma after the last element by the closing
// bracket.
func (e *encoder) close(n int, bracket byte) int {
	mem.Store8(e.room(n, 1), n-1, bracket)
	return n
}

func putElements(e *encoder, o *encodeOp, p mem.Pointer, count, n int) int {
	for k := range count {
		n = o.encode(e, o, mem.Add(p, uintptr(k)*o.size), n)
		mem.Store8(e.b, n, ',')
		n++
		e.room(n, 1)
	}
	return n
}

func putStructs(e *encoder, o *encodeOp, p mem.Pointer, count, n int) int {
	for k := range count {
		n = encodeStruct(e, o, mem.Add(p, uintptr(k)*o.size), n)
		mem.Store8(e.b, n, ',')
		n++
	}
	return n
}

func putStrings(e *encoder, o *encodeOp, p mem.Pointer, count, n int) int {
	for k := range count {
		n = e.putString(n, *mem.At[string](p, uintptr(k)*o.size))
		mem.Store8(e.b, n, ',')
		n++
	}
	return n
}

func putInts(e *encoder, o *encodeOp, p mem.Pointer, count, n int) int {
	for k := range count {
		b := e.room(n, decimal.IntRoom)
		n = putInt(b, n, *mem.At[int64](p, uintptr(k)*8))
		mem.Store8(b, n, ',')
		n++
	}
	return n
}

func putUints(e *encoder, o *encodeOp, p mem.Pointer, count, n int) int {
	for k := range count {
		b := e.room(n, decimal.IntRoom)
		n = decimal.PutUint(b, n, *mem.At[uint64](p, uintptr(k)*8))
		mem.Store8(b, n, ',')
		n++
	}
	return n
}

func putFloats(e *encoder, o *encodeOp, p mem.Pointer, count, n int) int {
	for k := range count {
		f := *mem.At[float64](p, uintptr(k)*8)
		if f-f != 0 {
			e.failFloat(o.typ, f)
		}
		b := e.room(n, decimal.FloatRoom)
		n = decimal.PutFloat64(b, n, f)
		mem.Store8(b, n, ',')
		n++
	}
	return n
}
