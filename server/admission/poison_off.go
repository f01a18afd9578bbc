//go:build !invariants

package admission

func scribble([]byte) {}
