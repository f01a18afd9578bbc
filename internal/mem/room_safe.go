//go:build purego

package mem

// Room returns an empty slice with capacity for n bytes.
func Room(n int) []byte { return make([]byte, 0, n) }
