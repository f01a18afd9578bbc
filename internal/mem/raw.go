package mem

import "unsafe"

// Raw is an address as stored in memory: a field that is a pointer or a map, the data word of a
// slice, a word of an interface, or a type word. It does not contain the type of the object that it
// points to. Of and ArrayOf convert a Raw to a Pointer, with the type that the plan expects there.
type Raw = unsafe.Pointer

// RawAt returns a pointer to the T at r+off. It is for memory that no plan describes: the caller
// knows that a T is stored there, and no build checks it.
func RawAt[T any](r Raw, off uintptr) *T { return (*T)(unsafe.Add(r, off)) }

// RawAdd returns r+off, which must lie in the same allocation as r.
func RawAdd(r Raw, off uintptr) Raw { return unsafe.Add(r, off) }

// RawTo returns p without its type.
func RawTo[T any](p *T) Raw { return Raw(p) }

// Length is the length word of a string or a slice, which follows the pointer to the elements.
type Length int
