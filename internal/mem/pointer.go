//go:build !invariants

package mem

import (
	"reflect"
	"unsafe"
)

// Guarded reports whether a Pointer contains the bounds of its object. It is true only in builds
// with the build tag `invariants`.
const Guarded = false

// Pointer is the address on which the ops of a plan operate. It points into an object of a type
// that the plan describes. It is one word. With the build tag `invariants`, it also contains the
// object's bounds and type, and each function checks its accesses (pointer_invariants.go).
type Pointer = unsafe.Pointer

// At returns a pointer to the value of type T at p+off. The caller must know that such a value is
// stored there.
func At[T any](p Pointer, off uintptr) *T { return (*T)(unsafe.Add(p, off)) }

// Add returns p+off, which must lie in the same allocation as p.
func Add(p Pointer, off uintptr) Pointer { return unsafe.Add(p, off) }

// PointerTo returns p as a Pointer.
func PointerTo[T any](p *T) Pointer { return Pointer(p) }

// Of returns a Pointer to the value of type t at r. The caller must know that such a value is
// stored there, or that r is nil.
func Of(r Raw, t reflect.Type) Pointer { return r }

// PlaceOf returns a Pointer to v, which must be addressable.
func PlaceOf(v reflect.Value) Pointer { return v.Addr().UnsafePointer() }

// ArrayOf returns a Pointer to n elements of type t at r.
func ArrayOf(r Raw, t reflect.Type, n int) Pointer { return r }

// ArrayTo returns a Pointer to the elements of s, which must not be empty.
func ArrayTo[T any](s []T) Pointer { return Pointer(unsafe.SliceData(s)) }

// From returns a Pointer to the bytes b[i:cap(b)].
func From(b []byte, i int) Pointer { return Pointer(&b[i]) }

// RawOf returns p as a Raw.
func RawOf(p Pointer) Raw { return p }

// RawAs returns p as a Raw. A value of type t must be stored at this address.
func RawAs(p Pointer, t reflect.Type) Raw { return p }

// IsNil reports whether p is nil.
func IsNil(p Pointer) bool { return p == nil }

// FirstWord returns a pointer to the first word at p, regardless of its content.
func FirstWord(p Pointer) *Raw { return (*Raw)(p) }

// RawBytes returns the address of the n bytes at p, for reading.
func RawBytes(p Pointer, n int) Raw { return p }

// RawRoom returns the address of the n bytes at p, for writing.
func RawRoom(p Pointer, n int) Raw { return p }

// View returns the n bytes at p.
func View(p Pointer, n int) []byte { return unsafe.Slice((*byte)(p), n) }
