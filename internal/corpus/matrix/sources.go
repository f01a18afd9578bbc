package matrix

import (
	"bytes"
	"io"
	"math/rand/v2"
	"testing/iotest"
)

// readers lists the kinds of readers that the function `reader` returns.
var readers = []string{
	"a reader of all", "a reader of one byte", "a reader of halves", "a reader of data with the error", "a reader of random pieces, the last with the error",
	"a reader of random pieces",
}

// reader returns a reader of b and a description of the reader's kind. The kind is random.
func reader(r *rand.Rand, b []byte) (in io.Reader, how string) {
	all := bytes.NewReader(b)
	k := r.IntN(len(readers))
	switch k {
	case 0:
		in = all
	case 1:
		in = iotest.OneByteReader(all)
	case 2:
		in = iotest.HalfReader(all)
	case 3:
		in = iotest.DataErrReader(all)
	case 4:
		in = iotest.DataErrReader(&randomReader{all, r})
	default:
		in = &randomReader{all, r}
	}
	return in, readers[k]
}

// counter counts the bytes that were read.
type counter struct {
	in io.Reader
	n  int
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.in.Read(b)
	c.n += n
	return n, err
}

// randomReader returns a random number of bytes from each call of Read, and sometimes none.
type randomReader struct {
	in *bytes.Reader
	r  *rand.Rand
}

func (r *randomReader) Read(b []byte) (int, error) {
	n := min(r.r.IntN(12), len(b))
	if n == 0 && len(b) > 0 && r.in.Len() == 0 {
		return 0, io.EOF
	}
	return r.in.Read(b[:n])
}

// mutate returns b with a few changes.
func mutate(r *rand.Rand, b []byte) []byte {
	b = bytes.Clone(b)
	for range 1 + r.IntN(3) {
		if len(b) == 0 {
			return append(b, byte(r.Uint32()))
		}
		at := r.IntN(len(b))
		switch r.IntN(6) {
		case 0:
			b[at] ^= 1 << r.IntN(8)
		case 1:
			b[at] = []byte{0, 1, 2, 0x7f, 0x80, 0xfe, 0xff}[r.IntN(7)]
		case 2:
			b[at] = byte(r.Uint32())
		case 3: // remove a piece
			b = append(b[:at], b[min(len(b), at+1+r.IntN(4)):]...)
		case 4: // repeat a piece
			b = append(b[:at:at], append(bytes.Clone(b[at:min(len(b), at+1+r.IntN(8))]), b[at:]...)...)
		case 5: // swap two bytes
			to := r.IntN(len(b))
			b[at], b[to] = b[to], b[at]
		}
	}
	return b
}
