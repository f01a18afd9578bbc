//go:build purego

package mem

// Box is never called where BoxWorks returns false.
func Box(t Raw, p Pointer) any { return nil }

// BoxWorks returns false, because the compiler makes the interfaces.
func BoxWorks() bool { return false }

// MethodTable returns nil, because the compiler makes the interfaces.
func MethodTable[I any](v I) Raw { return nil }

// WithMethods is never called where MethodTable returns nil.
func WithMethods[I any](table Raw, p Pointer) (i I) { return i }

// PointerFace is never called where BoxWorks returns false.
func PointerFace(t Raw, p Pointer) any { return nil }
