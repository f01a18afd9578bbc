package parquet

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"unicode/utf8"

	"github.com/slipstream-go/slipstream/column"
)

// maxBound is the maximum length of text bounds in the statistics, in bytes. Longer bounds are
// shortened in such a way that they remain valid.
const maxBound = 64

// bounds contains the minimum and the maximum of a page or of a column chunk, as PLAIN bytes. If
// there are no bounds, ok is false: all values are null, a value is NaN, or a text has no upper
// bound.
type bounds struct {
	min, max           []byte
	exactMin, exactMax bool // true if the bound is a value that occurs in the data; false if it is a shortened text
	ok                 bool
}

func (b *bounds) reset() { b.min, b.max, b.ok = b.min[:0], b.max[:0], false }

func (b *bounds) setInts(lo, hi int64) { b.set8(uint64(lo), uint64(hi)) }

func (b *bounds) set8(lo, hi uint64) {
	b.min = binary.LittleEndian.AppendUint64(b.min[:0], lo)
	b.max = binary.LittleEndian.AppendUint64(b.max[:0], hi)
	b.exactMin, b.exactMax, b.ok = true, true, true
}

// setFloats sets the bounds to lo and hi. Neither may be NaN. As the format requires, a zero is
// stored as -0 in the lower bound and as +0 in the upper bound. Some readers would otherwise treat
// -0 and +0 as different values.
func (b *bounds) setFloats(lo, hi float64) {
	if lo == 0 {
		lo = math.Copysign(0, -1)
	}
	if hi == 0 {
		hi = 0
	}
	b.set8(math.Float64bits(lo), math.Float64bits(hi))
}

func (b *bounds) setBools(lo, hi bool) {
	b.min, b.max = appendBools(b.min[:0], []bool{lo}), appendBools(b.max[:0], []bool{hi})
	b.exactMin, b.exactMax, b.ok = true, true, true
}

// setText sets the bounds, and shortens texts that exceed maxBound. A lower bound is shortened to a
// prefix. An upper bound is replaced by the smallest text that is greater than every text with its
// prefix. If no such text exists, there are no bounds.
func (b *bounds) setText(lo, hi []byte) {
	b.min, b.max, b.ok = append(b.min[:0], lo...), append(b.max[:0], hi...), true
	b.exactMin, b.exactMax = true, true
	if len(lo) > maxBound {
		b.min, b.exactMin = b.min[:cut(lo)], false
	}
	if len(hi) > maxBound {
		b.max, b.exactMax = increment(b.max[:cut(hi)]), false
		b.ok = len(b.max) > 0
	}
}

// cut returns the length to which a text is shortened: maxBound, or slightly less so that no
// character is split.
func cut(s []byte) int {
	for n := maxBound; n > maxBound-utf8.UTFMax; n-- {
		if utf8.RuneStart(s[n]) {
			return n
		}
	}
	return maxBound
}

// increment returns the smallest UTF-8 text that is greater than every text with the prefix s. It
// returns an empty text if there is no such text.
func increment(s []byte) []byte {
	for len(s) > 0 {
		r, size := utf8.DecodeLastRune(s)
		s = s[:len(s)-size]
		if r == utf8.RuneError && size == 1 || r == utf8.MaxRune {
			continue
		}
		if r++; !utf8.ValidRune(r) { // surrogates are not characters
			r = 0xe000
		}
		return utf8.AppendRune(s, r)
	}
	return s
}

// widen extends the bounds b of a column chunk to include the bounds of a page.
func (b *bounds) widen(page *bounds, kind column.Kind) {
	if !b.ok {
		b.min, b.max = append(b.min[:0], page.min...), append(b.max[:0], page.max...)
		b.exactMin, b.exactMax, b.ok = page.exactMin, page.exactMax, true
		return
	}
	if c := compare(kind, page.min, b.min); c < 0 || c == 0 && page.exactMin {
		b.min, b.exactMin = append(b.min[:0], page.min...), page.exactMin
	}
	if c := compare(kind, page.max, b.max); c > 0 || c == 0 && page.exactMax {
		b.max, b.exactMax = append(b.max[:0], page.max...), page.exactMax
	}
}

// compare compares two bounds in the order of the column's type.
func compare(kind column.Kind, x, y []byte) int {
	switch kind {
	case column.Int64, column.Time:
		return cmp.Compare(int64(binary.LittleEndian.Uint64(x)), int64(binary.LittleEndian.Uint64(y)))
	case column.Float64:
		return cmp.Compare(
			math.Float64frombits(binary.LittleEndian.Uint64(x)),
			math.Float64frombits(binary.LittleEndian.Uint64(y)))
	default:
		return bytes.Compare(x, y)
	}
}
