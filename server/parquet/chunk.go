package parquet

import (
	"fmt"
	"hash/crc32"
	"math"
	"slices"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/server/table"
)

// chunk is the column chunk being built. It contains the finished pages, and their data for the
// indexes and the footer. A dictionary page precedes the data pages, but is completed after them.
// So data pages wait in memory while the chunk may still need a dictionary page.
type chunk struct {
	field    table.Field
	optional bool
	first    bool  // true for the column's first chunk in the file
	codec    Codec // the file's codec, or Uncompressed if that codec saves less than an eighth of the column's first page
	dict     dictionary

	pages   []page
	encoded []byte // waiting data pages, with their headers
	written int    // bytes of data pages that were written to the file before the waiting pages
	rows    int
	nulls   int
	raw     int // uncompressed size of the data pages, including their headers
	plain   int // number of data pages in PLAIN
	indexed int // number of data pages that contain dictionary indexes
	bounds  bounds
	bounded bool // every page with at least one value has bounds
	sorted  bool // integer columns only: the values ascend, and no page contains both values and nulls
	last    int64
}

// page describes a data page. The column index and the offset index need this description.
type page struct {
	bounds
	offset int // offset relative to the chunk's first data page
	size   int // size including the header
	row    int // index of the page's first row in the chunk
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

// add appends a data page to the chunk. The page contains rows [from, to) of the cells.
func (w *writer) add(cells *column.Column, from, to int) error {
	c := &w.chunk
	rows, nulls := to-from, to-from
	if cells.Kind != column.Null {
		nulls = countNulls(cells.Nulls, from, to)
	}
	c.pages = slices.Grow(c.pages, 1)[:len(c.pages)+1] // reuses the buffers of earlier bounds
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

// appendPageHeader appends a PageHeader to t. It calls kind to append the part that depends on the
// page type.
func appendPageHeader(t *thrift, typ int64, size int, packed []byte, kind func()) {
	t.structElement(func() {
		t.i32(1, typ)
		t.i32(2, int64(size))
		t.i32(3, int64(len(packed)))
		t.i32(4, int64(int32(crc32.ChecksumIEEE(packed))))
		kind()
	})
}

// dictionaryPage returns the chunk's dictionary as an encoded page, and the uncompressed size of
// the page. The page is empty if no data page refers to the dictionary.
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
