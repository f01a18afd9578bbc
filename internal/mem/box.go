//go:build !purego && !invariants

package mem

// Box returns an interface that contains the value at p, without copying the value. The argument
// `t` is the type word of the value's type. Indirect must be true for this type. The value must
// never change again. Box returns the same value as any(*p), but does not allocate: the result
// refers to the value at p, which may be in a slab.
func Box(t Raw, p Pointer) any {
	if !boxWorks {
		return nil
	}
	f := Face{t, p}
	return *(*any)(Raw(&f))
}
