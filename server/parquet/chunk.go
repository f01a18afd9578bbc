package parquet

import (
	"fmt"
	"hash/crc32"
	"math"
	"slices"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/server/table"
)

// chunk is the column chunk being built: its finished pages, and what the indexes and the footer
// will say about them. Pages wait in memory for as long as a dictionary page, which is complete
// last, may have to go before them.
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
	sorted  bool // integers only: the values ascend, and no page has some nulls
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

// dictionaryPage is the chunk's dictionary as a page, empty if no data page refers to it, and its
// size uncompressed.
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
