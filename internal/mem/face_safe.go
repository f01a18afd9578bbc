//go:build purego

package mem

// Box is never called where BoxWorks is false.
func Box(t Raw, p Pointer) any { return nil }

// BoxWorks is false: the compiler boxes.
func BoxWorks() bool { return false }

// MethodTable is nil: interfaces are made by the compiler.
func MethodTable[I any](v I) Raw { return nil }

// WithMethods is never called where MethodTable is nil.
func WithMethods[I any](table Raw, p Pointer) (i I) { return i }

// PointerFace is never called where BoxWorks is false.
func PointerFace(t Raw, p Pointer) any { return nil }
