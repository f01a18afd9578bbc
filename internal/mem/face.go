//go:build !purego

package mem

import "reflect"

// PointerFace returns an interface that contains the pointer p. The argument `t` is the type word
// of the pointer's type.
func PointerFace(t Raw, p Pointer) any {
	f := Face{t, RawOf(p)}
	return *(*any)(Raw(&f))
}

// MethodTable returns the first word of v, which is an interface with methods. This word points to
// the method table.
func MethodTable[I any](v I) Raw {
	if !boxWorks {
		return nil
	}
	return (*Face)(Raw(&v)).Type
}

// WithMethods returns an interface of type I that contains the pointer p. The argument `table` is
// the result of MethodTable for a value of type I that contains a pointer of the same type.
func WithMethods[I any](table Raw, p Pointer) I {
	f := Face{table, RawOf(p)}
	return *(*I)(Raw(&f))
}

// BoxWorks reports whether Box may be used. It requires that an interface consists of a type word
// and a data word, in this order, and that the machine is little-endian.
func BoxWorks() bool { return boxWorks }

var boxWorks = func() bool {
	if one := uint16(1); *RawAt[byte](Raw(&one), 0) != 1 {
		return false // for a number that is smaller than a word, Box uses the low bytes of the word
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
