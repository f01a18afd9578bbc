package faulty

import "slices"

// content is the content of a file: b, followed by zeros up to size. A log reserves much more space
// than it writes, and these zeros use no memory.
//
//	0 ≤ len(b) ≤ size
type content struct {
	size int64
	b    []byte
}

func (c content) clone() content { return content{c.size, slices.Clone(c.b)} }

// resized returns c with the given size. Bytes that are cut off read as zeros if the file grows
// again.
func (c content) resized(size int64) content {
	if n := min(size, int64(len(c.b))); n < int64(len(c.b)) {
		c.b = c.b[:n:n]
	}
	c.size = size
	return c
}

// written returns c with b written at off. It may use the memory of c.
func (c content) written(off int64, b []byte) content {
	end := off + int64(len(b))
	if more := end - int64(len(c.b)); more > 0 {
		c.b = append(c.b, make([]byte, more)...)
	}
	copy(c.b[off:], b)
	c.size = max(c.size, end)
	return c
}

// read copies the bytes at off to p, and returns the number of bytes copied.
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

// flip returns a copy of c in which a bit of the byte at off is flipped.
func (c content) flip(off int64, bit byte) content {
	c = c.clone()
	if off >= int64(len(c.b)) {
		return c.written(off, []byte{bit})
	}
	c.b[off] ^= bit
	return c
}
