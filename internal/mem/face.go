//go:build !purego

package mem

import "reflect"

// PointerFace is the interface of the pointer p, whose type has the type word t.
func PointerFace(t Raw, p Pointer) any {
	f := Face{t, RawOf(p)}
	return *(*any)(Raw(&f))
}

// MethodTable is the word that tells an interface with methods where they are.
func MethodTable[I any](v I) Raw {
	if !boxWorks {
		return nil
	}
	return (*Face)(Raw(&v)).Type
}

// WithMethods makes the interface I of the pointer p, from the MethodTable of an I that holds a
// pointer of the same type.
func WithMethods[I any](table Raw, p Pointer) I {
	f := Face{table, RawOf(p)}
	return *(*I)(Raw(&f))
}

// BoxWorks reports whether Box may be used: an interface is a type word and a data word, in this
// order, and the machine is little-endian.
func BoxWorks() bool { return boxWorks }

var boxWorks = func() bool {
	if one := uint16(1); *RawAt[byte](Raw(&one), 0) != 1 {
		return false // the narrow numbers that are boxed lie in the low bytes of a word
	}
	type probe struct{ a, b int64 }
	v := any(probe{1, 2})
	f := FaceOf(v)
	if f.Type != TypeWord(reflect.TypeFor[probe]()) || *RawAt[probe](f.Data, 0) != (probe{1, 2}) {
		return false
	}
	s := "x"
	g := FaceOf(any(s))
	return g.Type == TypeWord(reflect.TypeFor[string]()) && *RawAt[string](g.Data, 0) == s
}()
