//go:build invariants

package mem

import (
	"fmt"
	"reflect"
	"unsafe"
)

// Guarded reports whether a Pointer contains the bounds of its object. It is true only in builds
// with the build tag `invariants`.
const Guarded = true

// Pointer is the address on which the ops of a plan operate. It consists of an object, and an
// offset into this object.
//
//	base ├──────── off ────────┤ p
//	     ├──────────────── size of what may be touched ────────────────┤
//	     │ shape, shape, …: which words are pointers, lengths, numbers │
//
// Add may return a Pointer that lies outside the object. At, View and similar functions panic for
// such a Pointer.
type Pointer struct {
	base  unsafe.Pointer
	off   uintptr
	size  uintptr
	shape *shape // shape of an element if the object is an array; nil if unknown
}

// At returns a pointer to the value of type T at p+off. It panics unless such a value may be stored
// there.
func At[T any](p Pointer, off uintptr) *T {
	t := reflect.TypeFor[T]()
	p.off += off
	p.within(t.Size(), t)
	p.fits(shapeOf(t))
	return (*T)(p.raw())
}

// Add returns p+off.
func Add(p Pointer, off uintptr) Pointer {
	p.off += off
	return p
}

// PointerTo returns p as a Pointer.
func PointerTo[T any](p *T) Pointer { return Of(Raw(p), reflect.TypeFor[T]()) }

// Of returns a Pointer to the value of type t at r.
func Of(r Raw, t reflect.Type) Pointer { return ArrayOf(r, t, 1) }

// PlaceOf returns a Pointer to v, which must be addressable.
func PlaceOf(v reflect.Value) Pointer { return Of(v.Addr().UnsafePointer(), v.Type()) }

// ArrayOf returns a Pointer to n elements of type t at r.
func ArrayOf(r Raw, t reflect.Type, n int) Pointer {
	if r == nil {
		return Pointer{}
	}
	if uintptr(r)%uintptr(t.Align()) != 0 {
		panic(fmt.Sprintf("mem: a %v at %p, which is not aligned", t, r))
	}
	return Pointer{base: r, size: uintptr(n) * t.Size(), shape: shapeOf(t)}
}

// ArrayTo returns a Pointer to the elements of s.
func ArrayTo[T any](s []T) Pointer {
	return ArrayOf(Raw(unsafe.SliceData(s)), reflect.TypeFor[T](), cap(s))
}

// From returns a Pointer to b[i:cap(b)].
func From(b []byte, i int) Pointer {
	_ = b[i]
	return Pointer{base: Raw(unsafe.SliceData(b)), off: uintptr(i), size: uintptr(cap(b)), shape: shapeOf(reflect.TypeFor[byte]())}
}

// RawOf returns p as a Raw.
func RawOf(p Pointer) Raw {
	if p.base == nil {
		return nil
	}
	p.within(0, nil)
	return p.raw()
}

// RawAs returns p as a Raw. It panics unless a value of type t may be stored at this address.
func RawAs(p Pointer, t reflect.Type) Raw {
	if p.base == nil {
		return nil
	}
	p.within(t.Size(), t)
	p.fits(shapeOf(t))
	return p.raw()
}

// IsNil reports whether p is nil.
func IsNil(p Pointer) bool { return p.base == nil }

// FirstWord returns a pointer to the first word at p, regardless of its content.
func FirstWord(p Pointer) *Raw {
	p.within(wordSize, nil)
	return (*Raw)(p.raw())
}

// RawBytes returns the address of the n bytes at p, for reading.
func RawBytes(p Pointer, n int) Raw {
	p.within(uintptr(n), nil)
	return p.raw()
}

// RawRoom returns the address of the n bytes at p, for writing.
func RawRoom(p Pointer, n int) Raw {
	writable(RawBytes(p, n), n)
	return p.raw()
}

// View returns the n bytes at p.
func View(p Pointer, n int) []byte {
	p.within(uintptr(n), nil)
	return unsafe.Slice((*byte)(p.raw()), n)
}

func (p Pointer) raw() Raw { return unsafe.Add(p.base, p.off) }

// within panics unless the n bytes at p lie in p's object. The argument `t` is the type of these
// bytes, or nil.
func (p Pointer) within(n uintptr, t reflect.Type) {
	if (p.base != nil || n == 0 && t == nil) && p.off <= p.size && n <= p.size-p.off {
		return
	}
	what := fmt.Sprintf("%d bytes", n)
	if t != nil {
		what = fmt.Sprintf("%v (%s)", t, what)
	}
	panic(fmt.Sprintf("mem: %s at offset %d of %v", what, int(p.off), p))
}

// fits panics if the classes of the words in s (such as pointer, length or number) do not match the
// words at p in p's object.
func (p Pointer) fits(s *shape) {
	if p.shape == nil || s.typ.Size() == 0 {
		return
	}
	if s.pointers && uintptr(p.raw())%unsafe.Alignof(p.base) != 0 {
		panic(fmt.Sprintf("mem: %v at offset %d of %v, which is not aligned", s.typ, p.off, p))
	}
	off := p.off % p.shape.typ.Size()
	first, last := off/wordSize, (off+s.typ.Size()-1)/wordSize
	for k := first; k <= last; k++ {
		want, have := numeric, p.shape.word(k)
		if s.pointers {
			want = s.word(k - first)
		}
		if !want.fits(have) {
			panic(fmt.Sprintf("mem: %v at offset %d of %v: %v where there is %v", s.typ, p.off, p, want, have))
		}
	}
}

// String describes p's object.
func (p Pointer) String() string {
	switch {
	case p.base == nil:
		return "nil"
	case p.shape == nil:
		return fmt.Sprintf("an object of %d bytes at %p", p.size, p.base)
	case p.size == p.shape.typ.Size():
		return fmt.Sprintf("a %v (%d bytes) at %p", p.shape.typ, p.size, p.base)
	}
	return fmt.Sprintf("an array of %v (%d bytes) at %p", p.shape.typ, p.size, p.base)
}
