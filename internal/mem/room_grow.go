package mem

// GrowRoom is b, moved to memory with room for at least n more bytes. It at least doubles, so that
// what is appended bit by bit is moved a few times only.
func GrowRoom(b []byte, n int) []byte {
	c := Room(max(2*cap(b), len(b)+n))
	c = c[:len(b)]
	copy(c, b)
	return c
}
