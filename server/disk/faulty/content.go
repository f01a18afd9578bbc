package faulty

import "slices"

// content is what a file holds: b, then zeros up to size. A log reserves much more than it writes,
// and zeros take no memory.
//
//	0 ≤ len(b) ≤ size
type content struct {
	size int64
	b    []byte
}

func (c content) clone() content { return content{c.size, slices.Clone(c.b)} }

// resized returns c with another size. What is cut off reads as zeros if the file grows again.
func (c content) resized(size int64) content {
	if n := min(size, int64(len(c.b))); n < int64(len(c.b)) {
		c.b = c.b[:n:n]
	}
	c.size = size
	return c
}

// written returns c with b at off. It may use the memory of c.
func (c content) written(off int64, b []byte) content {
	end := off + int64(len(b))
	if more := end - int64(len(c.b)); more > 0 {
		c.b = append(c.b, make([]byte, more)...)
	}
	copy(c.b[off:], b)
	c.size = max(c.size, end)
	return c
}

// read copies what there is at off to p, and returns how much that is.
func (c content) read(p []byte, off int64) int {
	if off >= c.size {
		return 0
	}
	p = p[:min(int64(len(p)), c.size-off)]
	n := 0
	if off < int64(len(c.b)) {
		n = copy(p, c.b[off:])
	}
	clear(p[n:])
	return len(p)
}

// flip flips a bit of the byte at off, and returns c in memory of its own.
func (c content) flip(off int64, bit byte) content {
	c = c.clone()
	if off >= int64(len(c.b)) {
		return c.written(off, []byte{bit})
	}
	c.b[off] ^= bit
	return c
}
