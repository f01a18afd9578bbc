//go:build !purego && invariants

package mem

// Box is the function of box.go, with a check of the bounds of p. It is in a separate file because
// the compiler must be able to inline the unchecked version.
func Box(t Raw, p Pointer) any {
	if !boxWorks {
		return nil
	}
	f := Face{t, RawOf(p)}
	return *(*any)(Raw(&f))
}
