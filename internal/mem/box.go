//go:build !purego && !invariants

package mem

// Box returns an interface that holds the value at p, without copying the value. t is the type word
// of the value's type, which must be Indirect. The value must never change again. Box does the same
// as any(*p), but does not allocate: p may point into a slab.
func Box(t Raw, p Pointer) any {
	if !boxWorks {
		return nil
	}
	f := Face{t, p}
	return *(*any)(Raw(&f))
}
