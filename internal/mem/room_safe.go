//go:build purego

package mem

// Room is an empty slice with room for n bytes.
func Room(n int) []byte { return make([]byte, 0, n) }
