package mem

import "unsafe"

// Next returns a pointer to the element after *p in an array of elements of type T. The caller must
// know that there is such an element.
func Next[T any](p *T) *T { return (*T)(unsafe.Add(unsafe.Pointer(p), unsafe.Sizeof(*p))) }
