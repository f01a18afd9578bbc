package mem

import "unsafe"

// Raw is an address as it is stored in memory: a pointer or map in a field, the data word of a
// slice, a word of an interface, or a type word. It does not contain the type of the object to
// which it points. Of and ArrayOf convert a Raw to a Pointer, with the type that the plan expects
// at this address.
type Raw = unsafe.Pointer

// RawAt returns a pointer to the value of type T at r+off. It is used for memory that no plan
// describes. The caller must know that such a value is stored there, because this is not checked in
// any build.
func RawAt[T any](r Raw, off uintptr) *T { return (*T)(unsafe.Add(r, off)) }

// RawAdd returns r+off, which must lie in the same allocation as r.
func RawAdd(r Raw, off uintptr) Raw { return unsafe.Add(r, off) }

// RawTo returns p without its type.
func RawTo[T any](p *T) Raw { return Raw(p) }

// Length is the length word of a string or a slice. In memory, it is stored directly after the
// pointer to the elements.
type Length int
