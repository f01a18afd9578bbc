//go:build !purego && !invariants

package mem

// Box makes the interface of the value at p, whose type has the type word t, without copying it.
// The value must never change again, and t must be Indirect. It is what `any(*p)` does, less the
// allocation: p may point into a slab.
func Box(t Raw, p Pointer) any {
	if !boxWorks {
		return nil
	}
	f := Face{t, p}
	return *(*any)(Raw(&f))
}
