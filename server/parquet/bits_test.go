package parquet

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/slipstream-go/slipstream/column"
)

// unpack decodes the output of appendPacked, bit by bit.
func unpack(t *testing.T, b []byte, n, width int) []uint32 {
	t.Helper()
	header, size := binary.Uvarint(b)
	b = b[size:]
	if groups := (n + 7) / 8; header != uint64(groups)<<1|1 || len(b) != groups*width {
		t.Fatalf("%d values of %d bits: header %d, %d bytes", n, width, header, len(b))
	}
	values := make([]uint32, n)
	for i := range n * width {
		values[i/width] |= uint32(b[i/8]>>(i%8)&1) << (i % width)
	}
	for i := n * width; i < 8*len(b); i++ {
		if b[i/8]>>(i%8)&1 != 0 {
			t.Fatalf("%d values of %d bits: padding is not zero", n, width)
		}
	}
	return values
}

func TestPacked(t *testing.T) {
	dirty := bytes.Repeat([]byte{0xff}, 4096)
	for width := 1; width <= 16; width++ {
		for _, n := range []int{1, 7, 8, 9, 31, 64, 1001} {
			values := make([]uint32, n)
			for i := range values {
				values[i] = rand.Uint32() >> (32 - width)
			}
			for i, got := range unpack(t, appendPacked(dirty[:0], values, width), n, width) {
				if got != values[i] {
					t.Fatalf("width %d, value %d of %d: got %d, want %d", width, i, n, got, values[i])
				}
			}
			for i := range dirty {
				dirty[i] = 0xff
			}
		}
	}
}

func TestLevels(t *testing.T) {
	var nulls column.Bitmap
	for range 300 {
		nulls = nulls.Set(rand.IntN(500)) // the bitmap ends before the last row
	}
	for from := range 130 {
		for _, n := range []int{1, 8, 63, 64, 65, 400, 500} {
			count := 0
			for i := from; i < from+n; i++ {
				if nulls.Get(i) {
					count++
				}
			}
			if got := countNulls(nulls, from, from+n); got != count {
				t.Fatalf("rows %d to %d: %d nulls, want %d", from, from+n, got, count)
			}
			b := appendLevels(nil, nulls, from, from+n, count)
			if size := binary.LittleEndian.Uint32(b); int(size) != len(b)-4 {
				t.Fatalf("size %d of %d bytes", size, len(b))
			}
			if count == 0 || count == n {
				continue // the levels are a run, which the other tests read
			}
			for i, level := range unpack(t, b[4:], n, 1) {
				if (level == 0) != nulls.Get(from+i) {
					t.Fatalf("rows from %d on: level %d of row %d", from, level, i)
				}
			}
		}
	}
}
