package mem

// GrowRoom returns a copy of b with capacity for at least n more bytes. The capacity is at least
// doubled, so that the bytes are copied only a few times during many small appends.
func GrowRoom(b []byte, n int) []byte {
	c := Room(max(2*cap(b), len(b)+n))
	c = c[:len(b)]
	copy(c, b)
	return c
}
