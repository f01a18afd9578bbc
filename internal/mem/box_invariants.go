//go:build !purego && invariants

package mem

// Box is the function of box.go, with a check of p's bounds. It has a file of its own because the
// unchecked Box must inline.
func Box(t Raw, p Pointer) any {
	if !boxWorks {
		return nil
	}
	f := Face{t, RawOf(p)}
	return *(*any)(Raw(&f))
}
