package parquet

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/slipstream-go/slipstream/column"
)

// values appends the non-null values of rows [from, to) to the body, and sets the page's bounds. It
// reports whether it appended dictionary indexes instead of the values. At least one value must not
// be null.
func (w *writer) values(p *page, cells *column.Column, from, to int) (indexed bool) {
	c := &w.chunk
	switch c.field.Kind {
	case column.Bool:
		values := present(&w.bools, cells.Bools[from:to], cells.Nulls, from, p.nulls)
		w.body = appendBools(w.body, values)
		p.setBools(!slices.Contains(values, false), slices.Contains(values, true))
		return false
	case column.String:
		start := uint32(0)
		if from > 0 {
			start = cells.Ends[from-1]
		}
		return w.text(p, cells.Text, start, present(&w.ends, cells.Ends[from:to], cells.Nulls, from, p.nulls))
	case column.Float64:
		return w.words(w.floatWords(p, present(&w.floats, cells.Floats[from:to], cells.Nulls, from, p.nulls)))
	default:
		return w.words(w.intWords(p, present(&w.ints, cells.Ints[from:to], cells.Nulls, from, p.nulls)))
	}
}

// present returns the cells without the nulls. The element cells[i] is the cell of the row from+i.
// The argument `nulls` is the number of nulls. For text columns, the cells are the end offsets of
// the texts. A null is stored as an empty text, so its end offset can be dropped.
func present[T any](scratch *[]T, cells []T, bitmap column.Bitmap, from, nulls int) []T {
	if nulls == 0 {
		return cells
	}
	dst := (*scratch)[:0]
	for i, v := range cells {
		if !bitmap.Get(from + i) {
			dst = append(dst, v)
		}
	}
	*scratch = dst
	return dst
}

// intWords returns the integers in the representation of the format. It also sets the page's
// bounds, and records in the chunk whether the values ascend.
func (w *writer) intWords(p *page, values []int64) []uint64 {
	c := &w.chunk
	words := w.wordsFor(len(values))
	lo, hi, last, sorted := values[0], values[0], c.last, c.sorted && p.nulls == 0
	for i, v := range values {
		words[i] = uint64(v)
		lo, hi = min(lo, v), max(hi, v)
		sorted = sorted && v >= last
		last = v
	}
	c.sorted, c.last = sorted, last
	p.setInts(lo, hi)
	return words
}

// floatWords returns the floats in the representation of the format, and sets the page's bounds if
// no value is NaN. The format excludes NaN from bounds. But DuckDB treats NaN as greater than all
// other values. If bounds exclude NaN, DuckDB skips pages and whole files that contain NaN, and
// returns wrong results.
func (w *writer) floatWords(p *page, values []float64) []uint64 {
	words := w.wordsFor(len(values))
	lo, hi := math.Inf(1), math.Inf(-1)
	nan := false
	for i, v := range values {
		words[i] = math.Float64bits(v)
		if v < lo {
			lo = v
		}
		if v > hi {
			hi = v
		}
		if v != v {
			nan = true
		}
	}
	if !nan {
		p.setFloats(lo, hi)
	}
	return words
}

func (w *writer) wordsFor(n int) []uint64 {
	w.scratch = slices.Grow(w.scratch[:0], n)[:n]
	return w.scratch
}

// words appends 8-byte values, and reports whether it appended dictionary indexes instead.
func (w *writer) words(values []uint64) (indexed bool) {
	d := &w.chunk.dict
	if d.on {
		if w.ids, indexed = d.numberWords(w.ids, values); indexed {
			w.body = d.appendNumbers(w.body, w.ids)
			return true
		}
	}
	w.body = appendWords(w.body, values)
	return false
}

// text appends texts, and sets the page's bounds. The texts are concatenated in the argument
// `text`, beginning at the offset `start`. The argument `ends` contains the end offset of each
// text. The method reports whether it appended dictionary indexes instead. In that case, it
// computes the bounds from the entries that occur in the page.
func (w *writer) text(p *page, text []byte, start uint32, ends []uint32) (indexed bool) {
	d := &w.chunk.dict
	var lo, hi []byte
	first := true
	widen := func(v []byte) {
		if first || string(v) < string(lo) {
			lo = v
		}
		if first || string(v) > string(hi) {
			hi = v
		}
		first = false
	}
	if d.on {
		w.ids, indexed = d.numberText(w.ids, text, start, ends)
	}
	if indexed {
		w.body = d.appendNumbers(w.body, w.ids)
		for i, seen := range d.present(w.ids) {
			if seen {
				widen(d.textAt(i))
			}
		}
	} else {
		w.body = appendText(w.body, text, start, ends)
		for _, end := range ends {
			widen(text[start:end])
			start = end
		}
	}
	p.setText(lo, hi)
	return indexed
}

// appendBools appends one bit for each value, the lowest bit first.
func appendBools(dst []byte, values []bool) []byte {
	for len(values) > 0 {
		n := min(8, len(values))
		var b byte
		for i, v := range values[:n] {
			if v {
				b |= 1 << i
			}
		}
		dst = append(dst, b)
		values = values[n:]
	}
	return dst
}

// appendWords appends 8-byte values in PLAIN.
func appendWords(dst []byte, values []uint64) []byte {
	start := len(dst)
	dst = slices.Grow(dst, 8*len(values))[:start+8*len(values)]
	out := dst[start:]
	for _, v := range values {
		binary.LittleEndian.PutUint64(out, v)
		out = out[8:]
	}
	return dst
}

// appendText appends texts in PLAIN. In this encoding, the length of a text precedes the text.
func appendText(dst, text []byte, start uint32, ends []uint32) []byte {
	if len(ends) == 0 {
		return dst
	}
	dst = slices.Grow(dst, 4*len(ends)+int(ends[len(ends)-1]-start))
	for _, end := range ends {
		dst = binary.LittleEndian.AppendUint32(dst, end-start)
		dst = append(dst, text[start:end]...)
		start = end
	}
	return dst
}
