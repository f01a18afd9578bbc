package mem

// GrowRoom returns a copy of b with capacity for at least n more bytes. The capacity at least
// doubles, so that many small appends copy the bytes only a few times.
func GrowRoom(b []byte, n int) []byte {
	c := Room(max(2*cap(b), len(b)+n))
	c = c[:len(b)]
	copy(c, b)
	return c
}
