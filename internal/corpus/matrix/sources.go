package matrix

import (
	"bytes"
	"io"
	"math/rand/v2"
	"testing/iotest"
)

// reader returns b as a reader that gives it in pieces, and how.
func reader(r *rand.Rand, b []byte) (io.Reader, string) {
	in := bytes.NewReader(b)
	switch r.IntN(6) {
	case 0:
		return in, "a reader of all"
	case 1:
		return iotest.OneByteReader(in), "a reader of one byte"
	case 2:
		return iotest.HalfReader(in), "a reader of halves"
	case 3:
		return iotest.DataErrReader(in), "a reader of data with the error"
	case 4:
		return iotest.DataErrReader(&randomReader{in, r}), "a reader of random pieces, the last with the error"
	}
	return &randomReader{in, r}, "a reader of random pieces"
}

// randomReader gives as much as it likes, and sometimes nothing.
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
		case 3: // a piece is gone
			b = append(b[:at], b[min(len(b), at+1+r.IntN(4)):]...)
		case 4: // a piece is there twice
			b = append(b[:at:at], append(bytes.Clone(b[at:min(len(b), at+1+r.IntN(8))]), b[at:]...)...)
		case 5: // two bytes change places
			to := r.IntN(len(b))
			b[at], b[to] = b[to], b[at]
		}
	}
	return b
}
