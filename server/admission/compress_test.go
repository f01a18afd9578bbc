package admission

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/klauspost/compress/s2"

	"github.com/slipstream-go/slipstream/server/testkit"
)

// errDamaged stands for any error that is neither ErrTooLarge nor a BudgetError.
var errDamaged = errors.New("damaged")

// A decompression bomb uses at most as much memory as the limit for the body. A valid body uses at
// most twice its decompressed size. All of this memory is charged to the budget, and nothing stays
// charged after an error.
func TestInflatedMemory(t *testing.T) {
	most := int64(64 << 20)
	if testing.Short() {
		most = 16 << 20
	}
	inside, bomb := make([]byte, most-1), make([]byte, 4*most)
	pieces := func(b []byte, compress func([]byte) []byte) []byte {
		var parts [][]byte
		for part := range len(b) >> 20 {
			parts = append(parts, compress(b[part<<20:(part+1)<<20]))
		}
		return bytes.Join(append(parts, compress(b[len(b)>>20<<20:])), nil)
	}
	stream := func(b []byte) []byte { return pieces(b, testkit.Zstded) }   // of which only the first states its length
	members := func(b []byte) []byte { return pieces(b, testkit.Gzipped) } // of which only the last does
	small := testkit.Zstded(make([]byte, 10))
	skipped := bytes.Repeat(append([]byte{0x50, 0x2a, 0x4d, 0x18, 0, 0, 1, 0}, make([]byte, 1<<16)...), 10)
	lying := func(b []byte) []byte { // about its length, in the last four bytes
		gz := testkit.Gzipped(b)
		return append(gz[:len(gz)-4], 0, 0, 0, 1)
	}
	for _, c := range []struct {
		name string
		body []byte
		c    Compression
		most int64 // memory
		want error
	}{
		{"gzip", testkit.Gzipped(inside), Gzip, most, nil},
		{"gzip bomb", testkit.Gzipped(bomb), Gzip, most, ErrTooLarge},
		{"gzip in members", members(inside), Gzip, 2 * most, nil},
		{"gzip bomb in members", members(bomb), Gzip, most, ErrTooLarge},
		{"gzip of a wrong length", lying(inside), Gzip, 2 * most, errDamaged},
		{"gzip, cut", testkit.Gzipped(inside)[:100], Gzip, most, errDamaged},
		{"zstd", testkit.Zstded(inside), Zstd, most, nil},
		{"zstd bomb", testkit.Zstded(bomb), Zstd, 0, ErrTooLarge},
		{"zstd in frames", stream(inside), Zstd, 2 * most, nil},
		{"zstd bomb in frames", stream(bomb), Zstd, most, ErrTooLarge},
		{"zstd in frames, a byte too long", stream(bomb[:most+1]), Zstd, most, ErrTooLarge},
		{"zstd after a short frame", append(bytes.Clone(small), testkit.Zstded(inside[10:])...), Zstd, 2 * most, nil},
		{"zstd bomb after a short frame", append(bytes.Clone(small), testkit.Zstded(bomb)...), Zstd, most, ErrTooLarge},
		{"zstd after skipped frames", append(bytes.Clone(skipped), testkit.Zstded(inside)...), Zstd, 2 * most, nil},
		{"zstd bomb after skipped frames", append(bytes.Clone(skipped), testkit.Zstded(bomb)...), Zstd, most, ErrTooLarge},
		{"zstd, cut", testkit.Zstded(inside)[:100], Zstd, most, errDamaged},
		{"snappy", s2.EncodeSnappy(nil, inside), Snappy, most, nil},
		{"snappy bomb", s2.EncodeSnappy(nil, bomb), Snappy, 0, ErrTooLarge},
		{"snappy of a wrong length", append(binary.AppendUvarint(nil, uint64(most-1)), 0xfc, 1, 2, 3), Snappy, 0, errDamaged},
		{"gzip as zstd", testkit.Gzipped(inside), Zstd, 0, errDamaged},
		{"zstd as gzip", testkit.Zstded(inside), Gzip, 0, errDamaged},
		{"zstd as snappy", testkit.Zstded(inside), Snappy, 0, errDamaged},
	} {
		// Without the other request, this request would be accepted even if it exceeded the budget.
		budget := NewBudget(c.most + 2<<20)
		other, h := budget.Own(), budget.Own()
		if err := other.Take(1); err != nil {
			t.Fatal(err)
		}
		var got *Buffer
		var err error
		n := testkit.Allocated(func() { got, err = h.Inflate(c.c, c.body, most) })
		if n > uint64(c.most)+12<<20 {
			t.Errorf("%s: %d bytes allocated for %d", c.name, n, c.most)
		}
		switch {
		case Busy(err):
			t.Errorf("%s: more than %d bytes charged", c.name, budget.limit)
		case c.want == errDamaged && (err == nil || err == ErrTooLarge), c.want != errDamaged && err != c.want:
			t.Errorf("%s: error %v, want %v", c.name, err, c.want)
		case err != nil && h.Bytes() != 0:
			t.Errorf("%s: %d bytes charged after the error", c.name, h.Bytes())
		case err == nil && !bytes.Equal(got.B, inside[:len(got.B)]), err == nil && len(got.B) != len(inside):
			t.Errorf("%s: %d other bytes", c.name, len(got.B))
		case err == nil && h.Bytes() != int64(cap(got.B)):
			t.Errorf("%s: %d bytes charged for a buffer of %d", c.name, h.Bytes(), cap(got.B))
		}
	}
}

// The limit for a body is exact to the byte, for each compression and for each form of a compressed
// body.
func TestInflateLimit(t *testing.T) {
	for _, n := range []int{0, 1, 100, leastBuffer, firstBuffer, firstBuffer + 1, chunkSize, 3*chunkSize + 5} {
		text := bytes.Repeat([]byte("0123456789abcdef"), n/16+1)[:n]
		half := n / 2
		for name, c := range map[string]struct {
			c    Compression
			body []byte
		}{
			"gzip": {Gzip, testkit.Gzipped(text)}, "zstd": {Zstd, testkit.Zstded(text)}, "snappy": {Snappy, s2.EncodeSnappy(nil, text)},
			"gzip in members": {Gzip, append(testkit.Gzipped(text[:half]), testkit.Gzipped(text[half:])...)},
			"zstd in frames":  {Zstd, append(testkit.Zstded(text[:half]), testkit.Zstded(text[half:])...)},
		} {
			if c.c == Zstd && n == 0 {
				continue // for an empty input, this encoder writes no bytes
			}
			var h Hold
			b, err := h.Inflate(c.c, c.body, int64(n))
			if err != nil || !bytes.Equal(b.B, text) {
				t.Errorf("%s of %d bytes: %v", name, n, err)
			}
			if n == 0 {
				continue
			}
			if _, err := h.Inflate(c.c, c.body, int64(n-1)); err != ErrTooLarge {
				t.Errorf("%s of %d bytes, one fewer allowed: %v", name, n, err)
			}
		}
	}
}

// If a Snappy block states a length that is impossible for its size, no memory is allocated.
func TestSnappyLength(t *testing.T) {
	for _, block := range [][]byte{nil, {0xff, 0xff, 0xff, 0xff, 0x0f}, {0xff, 0xff, 0xff, 0x7f, 0}, {5, 0}, {0x80}} {
		budget := NewBudget(1 << 30)
		h := budget.Own()
		if n := testkit.Allocated(func() {
			if b, err := h.Inflate(Snappy, block, 1<<30); err == nil {
				t.Errorf("% x: %d bytes", block, len(b.B))
			}
		}); n > 64<<10 {
			t.Errorf("% x: %d bytes allocated", block, n)
		}
	}
}

// If the budget has no memory for a body, the error contains the reason, for every form of the
// body.
func TestInflateWithoutMemory(t *testing.T) {
	text := make([]byte, 8*chunkSize)
	for name, c := range map[string]struct {
		c    Compression
		body []byte
	}{
		"gzip": {Gzip, testkit.Gzipped(text)}, "zstd": {Zstd, testkit.Zstded(text)}, "snappy": {Snappy, s2.EncodeSnappy(nil, text)},
		"zstd in frames": {Zstd, append(testkit.Zstded(text[:10]), testkit.Zstded(text[10:])...)},
	} {
		budget := NewBudget(4 * chunkSize)
		other, h := budget.Own(), budget.Own()
		if err := other.Take(1); err != nil {
			t.Fatal(err)
		}
		if _, err := h.Inflate(c.c, c.body, 1<<30); err != ErrFull || h.Bytes() != 0 {
			t.Errorf("%s: %v, %d bytes charged", name, err, h.Bytes())
		}
	}
}
