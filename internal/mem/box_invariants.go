//go:build !purego && invariants

package mem

// Box is that of box.go, with a check that p is a place. It stands apart because that one must
// inline.
func Box(t Raw, p Pointer) any {
	if !boxWorks {
		return nil
	}
	f := Face{t, RawOf(p)}
	return *(*any)(Raw(&f))
}
