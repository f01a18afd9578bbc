package parquet

import (
	"fmt"
	"hash/crc32"
	"math"
	"slices"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/server/table"
)

// chunk is the column chunk being built: its finished pages, and what the indexes and the footer will say about them. Pages
// wait in memory for as long as a dictionary page, which is complete last, may have to go before them.
type chunk struct {
	field    table.Field
	optional bool
	first    bool  // of the file, in its column
	codec    Codec // the file's, or Uncompressed where that saves less than an eighth of the column's first page
	dict     dictionary

	pages   []page
	encoded []byte // data pages that wait, with their headers
	written int    // bytes of data pages that went to the file before those
	rows    int
	nulls   int
	raw     int // what the data pages would take uncompressed
	plain   int // pages in PLAIN
	indexed int // pages of numbers into dict
	bounds  bounds
	bounded bool // every page that has a value has bounds
	sorted  bool // integers only: ascending, with no null
	last    int64
}

// page is what the indexes say about a data page.
type page struct {
	bounds
	offset int // from the chunk's first data page
	size   int // with the header
	row    int // the first one
	rows   int
	nulls  int
}

func (c *chunk) reset(f table.Field, optional, first bool, codec Codec) {
	c.field, c.optional, c.first, c.codec = f, optional, first, codec
	c.dict.reset(f.Kind != column.Bool)
	c.pages, c.encoded = c.pages[:0], c.encoded[:0]
	c.written, c.rows, c.nulls, c.raw, c.plain, c.indexed = 0, 0, 0, 0, 0, 0
	c.bounds.reset()
	c.bounded = true
	c.sorted, c.last = f.Kind == column.Time || f.Kind == column.Int64, math.MinInt64
}

// check makes sure that the gathered cells are what they were asked for.
func check(cells *column.Column, f table.Field, optional bool, n int) error {
	ok := cells.Rows == n
	switch cells.Kind {
	case column.Null:
		ok = ok && optional
	case column.Bool:
		ok = ok && len(cells.Bools) == n
	case column.Int64, column.Time:
		ok = ok && len(cells.Ints) == n
	case column.Float64:
		ok = ok && len(cells.Floats) == n
	case column.String:
		ok = ok && len(cells.Ends) == n
	}
	if !ok || cells.Kind != f.Kind && cells.Kind != column.Null || !optional && cells.HasNulls() {
		return fmt.Errorf("column %q: gathered %d cells of kind %v where %d of kind %v were wanted (nulls: %t)",
			f.Name, cells.Rows, cells.Kind, n, f.Kind, cells.HasNulls())
	}
	return nil
}

// add makes a page of rows [from, to) of the cells.
func (w *writer) add(cells *column.Column, from, to int) error {
	c := &w.chunk
	rows, nulls := to-from, to-from
	if cells.Kind != column.Null {
		nulls = countNulls(cells.Nulls, from, to)
	}
	c.pages = slices.Grow(c.pages, 1)[:len(c.pages)+1] // the buffers of earlier bounds are taken up again
	p := &c.pages[len(c.pages)-1]
	p.offset, p.row, p.rows, p.nulls = c.written+len(c.encoded), c.rows, rows, nulls
	p.bounds.reset()

	w.body = w.body[:0]
	if c.optional {
		w.body = appendLevels(w.body, cells.Nulls, from, to, nulls)
	}
	indexed := false
	if nulls < rows {
		indexed = w.values(p, cells, from, to)
		c.bounded = c.bounded && p.ok
		if p.ok {
			c.bounds.widen(&p.bounds, c.field.Kind)
		}
	}
	if len(w.body) > math.MaxInt32 {
		return fmt.Errorf("column %q: a page of %d bytes exceeds the format's 2 GiB", c.field.Name, len(w.body))
	}

	packed := w.compress(w.packed, w.body, c.codec)
	if c.first && len(c.pages) == 1 && nulls <= rows/2 && len(packed) > len(w.body)-len(w.body)/8 {
		c.codec, packed = Uncompressed, w.body
	}
	if c.codec != Uncompressed {
		w.packed = packed
	}
	encoding := int64(encodingPlain)
	if indexed {
		c.indexed++
		encoding = encodingDictionary
	} else {
		c.plain++
	}
	t := &w.header
	t.reset()
	appendPageHeader(t, pageData, len(w.body), packed, func() {
		t.structure(5, func() {
			t.i32(1, int64(rows))
			t.i32(2, encoding)
			t.i32(3, encodingRLE)
			t.i32(4, encodingRLE)
		})
	})
	c.encoded = append(append(c.encoded, t.buf...), packed...)
	c.raw += len(t.buf) + len(w.body)
	p.size = len(t.buf) + len(packed)
	c.rows += rows
	c.nulls += nulls
	return nil
}

// appendPageHeader writes a PageHeader; kind writes the part that depends on the page's type.
func appendPageHeader(t *thrift, typ int64, size int, packed []byte, kind func()) {
	t.structElement(func() {
		t.i32(1, typ)
		t.i32(2, int64(size))
		t.i32(3, int64(len(packed)))
		t.i32(4, int64(int32(crc32.ChecksumIEEE(packed))))
		kind()
	})
}

// values appends those of the rows [from, to) that are not null to the body, sets the page's bounds, and reports whether
// they are numbers into the dictionary. There is at least one.
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

// present is the cells without the nulls. Cell i is row from+i; nulls is how many are null. Text needs no more than this:
// a null is an empty text, so that its end can be dropped.
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

// intWords is the integers as the format writes them; on the way it takes their bounds, and whether they ascend.
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

// floatWords is the floats as the format writes them; on the way it takes their bounds, which no NaN is part of.
func (w *writer) floatWords(p *page, values []float64) []uint64 {
	words := w.wordsFor(len(values))
	lo, hi := math.Inf(1), math.Inf(-1)
	for i, v := range values {
		words[i] = math.Float64bits(v)
		if v < lo {
			lo = v
		}
		if v > hi {
			hi = v
		}
	}
	if lo <= hi { // otherwise all are NaN
		p.setFloats(lo, hi)
	}
	return words
}

func (w *writer) wordsFor(n int) []uint64 {
	w.scratch = slices.Grow(w.scratch[:0], n)[:n]
	return w.scratch
}

// words appends values of 8 bytes.
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

// text appends the texts that follow each other in text from start on, and sets the page's bounds; with a dictionary, those
// of the entries that occur.
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

// dictionaryPage is the chunk's dictionary as a page, empty if no data page refers to it, and its size uncompressed.
func (w *writer) dictionaryPage() (encoded []byte, raw int) {
	c, t := &w.chunk, &w.header
	t.reset()
	if c.indexed == 0 {
		return nil, 0
	}
	w.body = c.dict.appendPlain(w.body[:0])
	packed := w.compress(w.packed, w.body, c.codec)
	if c.codec != Uncompressed {
		w.packed = packed
	}
	appendPageHeader(t, pageDictionary, len(w.body), packed, func() {
		t.structure(7, func() {
			t.i32(1, int64(c.dict.n))
			t.i32(2, encodingPlain)
		})
	})
	raw = len(t.buf) + len(w.body)
	t.buf = append(t.buf, packed...)
	return t.buf, raw
}

// textPage is how far a page of text that begins at row from may reach: to about pageText bytes, and at least one row.
func textPage(cells *column.Column, from int) int {
	start := uint32(0)
	if from > 0 {
		start = cells.Ends[from-1]
	}
	n, _ := slices.BinarySearchFunc(cells.Ends[from:], pageText, func(end uint32, most uint64) int {
		if uint64(end-start) > most {
			return 1
		}
		return -1
	})
	return from + max(n, 1)
}
