package mem

import "unsafe"

// Next returns a pointer to the T after *p in an array. The caller knows that there is one.
func Next[T any](p *T) *T { return (*T)(unsafe.Add(unsafe.Pointer(p), unsafe.Sizeof(*p))) }
