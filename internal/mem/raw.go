package mem

import "unsafe"

// Raw is an address as it lies in memory: a field that is a pointer or a map, the data word of a
// slice, a word of an interface, the word of a type. It does not say what it leads to. Of and
// ArrayOf make a Pointer of it: the plan's claim of what lies there.
type Raw = unsafe.Pointer

// RawAt is the T at r+off. The caller knows that a T lies there, and nothing checks it: it is for
// memory that no plan describes.
func RawAt[T any](r Raw, off uintptr) *T { return (*T)(unsafe.Add(r, off)) }

// RawAdd is r+off, inside the same allocation.
func RawAdd(r Raw, off uintptr) Raw { return unsafe.Add(r, off) }

// RawTo is p without its type.
func RawTo[T any](p *T) Raw { return Raw(p) }

// Length is the length of a string or a slice, the word after the one that leads to its elements.
type Length int
