package parquet

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"unicode/utf8"

	"github.com/slipstream-go/slipstream/column"
)

// maxBound is how long the bounds of text may be in the statistics. Longer ones are shortened to
// bounds that still hold.
const maxBound = 64

// bounds is the least and the greatest value of a page or of a column chunk, as PLAIN bytes. Ok is
// false when there are none: all is null, a value is NaN, or a text has no upper bound.
type bounds struct {
	min, max           []byte
	exactMin, exactMax bool // values that occur; otherwise a shortened text
	ok                 bool
}

func (b *bounds) reset() { b.min, b.max, b.ok = b.min[:0], b.max[:0], false }

func (b *bounds) setInts(lo, hi int64) { b.set8(uint64(lo), uint64(hi)) }

func (b *bounds) set8(lo, hi uint64) {
	b.min = binary.LittleEndian.AppendUint64(b.min[:0], lo)
	b.max = binary.LittleEndian.AppendUint64(b.max[:0], hi)
	b.exactMin, b.exactMax, b.ok = true, true, true
}

// setFloats wants bounds that are not NaN. As the format asks, a zero is written as -0 below and as
// +0 above, since readers may take the two for different or for equal.
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

// setText shortens what is too long: the lower bound to a prefix, the upper one to the least text
// above all that share the prefix. Text for which there is none has no bounds.
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

// cut is where a text is shortened: at maxBound, or just before, so as not to split a character.
func cut(s []byte) int {
	for n := maxBound; n > maxBound-utf8.UTFMax; n-- {
		if utf8.RuneStart(s[n]) {
			return n
		}
	}
	return maxBound
}

// increment turns a prefix into the least UTF-8 text above every text that begins with it; empty if
// there is none.
func increment(s []byte) []byte {
	for len(s) > 0 {
		r, size := utf8.DecodeLastRune(s)
		s = s[:len(s)-size]
		if r == utf8.RuneError && size == 1 || r == utf8.MaxRune {
			continue
		}
		if r++; !utf8.ValidRune(r) { // the surrogates are no characters
			r = 0xe000
		}
		return utf8.AppendRune(s, r)
	}
	return s
}

// widen makes b, of a column chunk, hold for a page's bounds too.
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

// compare orders two bounds as the column's type does.
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
