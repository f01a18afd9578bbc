//go:build !invariants

package mem

// Seal notes that the last n bytes of b are a string from now on, which nobody may write again. b
// begins where its array does, and the rest of the array is free. With the tag invariants, a Store
// there panics (seal_invariants.go).
func Seal(b []byte, n int) {}
