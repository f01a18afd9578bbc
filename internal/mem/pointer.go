//go:build !invariants

package mem

import (
	"reflect"
	"unsafe"
)

// Guarded reports whether places know what they may touch: with the tag invariants.
const Guarded = false

// Pointer is a place in memory, as ops carry it: an object that a plan knows and an offset into it.
// It is one word; with the tag invariants it knows the object too, and each verb checks what it
// touches (pointer_invariants.go).
type Pointer = unsafe.Pointer

// At is the T at p+off. The caller knows that a T lies there.
func At[T any](p Pointer, off uintptr) *T { return (*T)(unsafe.Add(p, off)) }

// Add is p+off, inside the same allocation.
func Add(p Pointer, off uintptr) Pointer { return unsafe.Add(p, off) }

// PointerTo is the place of *p.
func PointerTo[T any](p *T) Pointer { return Pointer(p) }

// Of is the place of the t at r. The caller knows that one lies there, or that r is nil.
func Of(r Raw, t reflect.Type) Pointer { return r }

// PlaceOf is the place of v, which is addressable.
func PlaceOf(v reflect.Value) Pointer { return v.Addr().UnsafePointer() }

// ArrayOf is the place of n elements of type t at r.
func ArrayOf(r Raw, t reflect.Type, n int) Pointer { return r }

// ArrayTo is the place of the elements of s, of which there are some.
func ArrayTo[T any](s []T) Pointer { return Pointer(unsafe.SliceData(s)) }

// From is the place of b[i:cap(b)].
func From(b []byte, i int) Pointer { return Pointer(&b[i]) }

// RawOf is the address of p.
func RawOf(p Pointer) Raw { return p }

// RawAs is the address of p, where a t lies.
func RawAs(p Pointer, t reflect.Type) Raw { return p }

// IsNil reports whether p is no place.
func IsNil(p Pointer) bool { return p == nil }

// FirstWord is the first word at p, whatever it is.
func FirstWord(p Pointer) *Raw { return (*Raw)(p) }

// RawBytes is the address of the n bytes at p, which are to be read.
func RawBytes(p Pointer, n int) Raw { return p }

// RawRoom is the address of the n bytes at p, which are to be written.
func RawRoom(p Pointer, n int) Raw { return p }

// View is the n bytes at p.
func View(p Pointer, n int) []byte { return unsafe.Slice((*byte)(p), n) }
