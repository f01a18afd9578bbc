package faulty

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// TestContent makes random changes, and compares them with the same changes of plain bytes.
func TestContent(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 0))
		var c content
		var plain []byte
		for range 100 {
			switch r.IntN(4) {
			case 0:
				size := r.IntN(100)
				c = c.resized(int64(size))
				plain = append(plain[:min(size, len(plain))], make([]byte, max(0, size-len(plain)))...)
			case 1:
				off, b := r.IntN(100), bytes.Repeat([]byte{byte(1 + r.IntN(255))}, 1+r.IntN(20))
				c = c.written(int64(off), b)
				plain = append(plain, make([]byte, max(0, off+len(b)-len(plain)))...)
				copy(plain[off:], b)
			case 2:
				if len(plain) > 0 {
					at, other := r.IntN(len(plain)), c
					c = c.flip(int64(at), 4)
					plain[at] ^= 4
					if got := make([]byte, 1); other.read(got, int64(at)) != 1 || got[0] != plain[at]^4 {
						t.Fatalf("seed %d: flip changed its receiver", seed)
					}
				}
			case 3:
				c = c.clone()
			}
			off, got := r.IntN(120), bytes.Repeat([]byte{0xaa}, r.IntN(120))
			want := plain[min(off, len(plain)):]
			want = want[:min(len(got), len(want))]
			if n := c.read(got, int64(off)); !bytes.Equal(got[:n], want) || c.size != int64(len(plain)) || len(c.b) > len(plain) {
				t.Fatalf("seed %d: read %x at %d of %d, want %x of %d", seed, got[:n], off, c.size, want, len(plain))
			}
		}
	}
}
