//go:build purego

package mem

// Box is never called where BoxWorks is false.
func Box(t, p Pointer) any { return nil }

// BoxWorks is false: the compiler boxes.
func BoxWorks() bool { return false }
