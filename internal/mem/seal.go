//go:build !invariants

package mem

// Seal marks the last n bytes of b as a string. These bytes must never be overwritten. The slice
// `b` must begin at the start of its array; the memory after b is free. With the build tag
// `invariants`, the Store functions panic if they are called for a marked byte
// (seal_invariants.go).
func Seal(b []byte, n int) {}
