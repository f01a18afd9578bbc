package parquet

import (
	"encoding/binary"
	"maps"
	"runtime"
	"slices"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/server/table"
)

// These are the constants of the format (parquet.thrift). The field numbers are in the code below,
// in the order of the format.
const (
	magic = "PAR1"

	typeBoolean   = 0
	typeInt64     = 2
	typeDouble    = 5
	typeByteArray = 6

	required = 0
	optional = 1

	convertedUTF8            = 0
	convertedTimestampMicros = 10

	logicalString    = 1
	logicalTimestamp = 8
	unitMicros       = 2

	encodingPlain      = 0
	encodingRLE        = 3
	encodingDictionary = 8

	pageData       = 0
	pageDictionary = 2

	unordered = 0
	ascending = 1
)

func physical(k column.Kind) int64 {
	switch k {
	case column.Bool:
		return typeBoolean
	case column.Float64:
		return typeDouble
	case column.String:
		return typeByteArray
	default:
		return typeInt64
	}
}

// footer collects the indexes and the metadata at the end of a file, while the file is written. The
// description of a column chunk is encoded as soon as the chunk is written. Otherwise each
// description would be a tree of small objects, and wide files contain many thousands of chunks.
type footer struct {
	groups  []group
	chunks  thrift // a ColumnMetaData for each column chunk
	columns thrift // a ColumnIndex for most column chunks
	offsets thrift // an OffsetIndex for each column chunk
	ends    []ends // for each column chunk: the ends of its data in the fields `chunks`, `columns` and `offsets`
	out     thrift // FileMetaData
}

type ends struct{ chunk, column, offset int }

type group struct {
	start        int64 // offset in the file
	rows         int
	chunks       int // index of the group's first chunk in footer.ends
	raw, encoded int64
	sorted       bool // the rows are sorted by time, the first column
}

func (f *footer) reset() {
	f.groups, f.ends = f.groups[:0], f.ends[:0]
	f.chunks.reset()
	f.columns.reset()
	f.offsets.reset()
	f.out.reset()
}

// idle returns the number of bytes that the buffers occupy while no file is written.
func (f *footer) idle() int {
	return cap(f.chunks.buf) + cap(f.columns.buf) + cap(f.offsets.buf) + cap(f.out.buf)
}

func (f *footer) beginGroup(start int64, rows int) {
	f.groups = append(f.groups, group{start: start, rows: rows, chunks: len(f.ends)})
}

// addChunk adds the description of a column chunk that begins at the offset `start`. Its dictionary
// page has `dictionary` bytes, and had `raw` bytes before compression. Both numbers are 0 if there
// is no such page.
func (f *footer) addChunk(c *chunk, start int64, dictionary, raw int) {
	g := &f.groups[len(f.groups)-1]
	if g.chunks == len(f.ends) {
		g.sorted = c.sorted
	}
	data := start + int64(dictionary)
	raw += c.raw
	encoded := dictionary + c.written + len(c.encoded)
	g.raw += int64(raw)
	g.encoded += int64(encoded)

	f.columnMetaData(c, start, data, int64(raw), int64(encoded))
	f.columnIndex(c)
	f.offsetIndex(c, data)
	f.ends = append(f.ends, ends{len(f.chunks.buf), len(f.columns.buf), len(f.offsets.buf)})
}

func (f *footer) columnMetaData(c *chunk, start, data, raw, encoded int64) {
	t := &f.chunks
	t.structElement(func() {
		t.i32(1, physical(c.field.Kind))
		encodings := []int64{encodingRLE}
		if c.plain > 0 || c.indexed > 0 { // the dictionary page is in PLAIN, too
			encodings = append(encodings, encodingPlain)
		}
		if c.indexed > 0 {
			encodings = append(encodings, encodingDictionary)
		}
		t.list(2, thriftI32, len(encodings))
		for _, e := range encodings {
			t.integerElement(e)
		}
		t.list(3, thriftBinary, 1)
		t.stringElement(c.field.Name)
		t.i32(4, c.codec.id())
		t.i64(5, int64(c.rows))
		t.i64(6, raw)
		t.i64(7, encoded)
		t.i64(9, data)
		if c.indexed > 0 {
			t.i64(11, start)
		}
		t.structure(12, func() { f.statistics(c) })
		f.encodingStats(c)
	})
}

func (f *footer) statistics(c *chunk) {
	t := &f.chunks
	t.i64(3, int64(c.nulls))
	if c.bounded && c.bounds.ok {
		t.binary(5, c.bounds.max)
		t.binary(6, c.bounds.min)
		t.bool(7, c.bounds.exactMax)
		t.bool(8, c.bounds.exactMin)
	}
}

// encodingStats writes the number of pages of each type and encoding. From these numbers, readers
// see whether all values are in the dictionary. If they are, and the dictionary contains no match
// for a query, readers can skip the whole chunk.
func (f *footer) encodingStats(c *chunk) {
	t := &f.chunks
	stats := make([][3]int64, 0, 3)
	if c.indexed > 0 {
		stats = append(stats, [3]int64{pageDictionary, encodingPlain, 1}, [3]int64{pageData, encodingDictionary, int64(c.indexed)})
	}
	if c.plain > 0 {
		stats = append(stats, [3]int64{pageData, encodingPlain, int64(c.plain)})
	}
	t.list(13, thriftStruct, len(stats))
	for _, s := range stats {
		t.structElement(func() {
			t.i32(1, s[0])
			t.i32(2, s[1])
			t.i32(3, s[2])
		})
	}
}

// columnIndex writes the bounds of each page. If a page contains values but has no bounds, the
// format requires that the column index is omitted.
func (f *footer) columnIndex(c *chunk) {
	if !c.bounded {
		return
	}
	t, pages := &f.columns, c.pages
	order := int64(unordered)
	if c.sorted {
		order = ascending
	}
	t.structElement(func() {
		t.list(1, thriftTrue, len(pages))
		for i := range pages {
			t.boolElement(pages[i].nulls == pages[i].rows)
		}
		t.list(2, thriftBinary, len(pages))
		for i := range pages {
			t.binaryElement(pages[i].min)
		}
		t.list(3, thriftBinary, len(pages))
		for i := range pages {
			t.binaryElement(pages[i].max)
		}
		t.i32(4, order)
		t.list(5, thriftI64, len(pages))
		for i := range pages {
			t.integerElement(int64(pages[i].nulls))
		}
	})
}

func (f *footer) offsetIndex(c *chunk, data int64) {
	t := &f.offsets
	t.structElement(func() {
		t.list(1, thriftStruct, len(c.pages))
		for i := range c.pages {
			p := &c.pages[i]
			t.structElement(func() {
				t.i64(1, data+int64(p.offset))
				t.i32(2, int64(p.size))
				t.i64(3, int64(p.row))
			})
		}
	})
}

// finish writes the indexes, the footer and the end of the file.
func (f *footer) finish(w *writer, file *table.File, columns []int) {
	columnsAt := w.at
	w.put(f.columns.buf)
	offsetsAt := w.at
	w.put(f.offsets.buf)

	t := &f.out
	t.structElement(func() {
		t.i32(1, 1)
		f.schema(file, columns)
		t.i64(3, int64(file.Rows))
		t.list(4, thriftStruct, len(f.groups))
		for i := range f.groups {
			f.rowGroup(i, columnsAt, offsetsAt)
			runtime.Gosched() // a group of thousands of columns takes long
		}
		t.list(5, thriftStruct, len(file.Meta))
		for _, key := range slices.Sorted(maps.Keys(file.Meta)) {
			t.structElement(func() {
				t.string(1, key)
				t.string(2, file.Meta[key])
			})
		}
		t.string(6, w.options.createdBy())
		t.list(7, thriftStruct, len(columns))
		for range columns {
			t.structElement(func() { t.structure(1, func() {}) }) // bounds have the order that the type defines
		}
	})
	w.put(t.buf)
	w.put(binary.LittleEndian.AppendUint32(nil, uint32(len(t.buf))))
	w.put([]byte(magic))
}

func (f *footer) schema(file *table.File, columns []int) {
	t := &f.out
	t.list(2, thriftStruct, len(columns)+1)
	t.structElement(func() {
		t.string(4, "schema")
		t.i32(5, int64(len(columns)))
	})
	for _, i := range columns {
		field := file.Columns[i]
		t.structElement(func() {
			t.i32(1, physical(field.Kind))
			if i == 0 {
				t.i32(3, required)
			} else {
				t.i32(3, optional)
			}
			t.string(4, field.Name)
			switch field.Kind {
			case column.String:
				t.i32(6, convertedUTF8)
				t.structure(10, func() { t.structure(logicalString, func() {}) })
			case column.Time:
				t.i32(6, convertedTimestampMicros)
				t.structure(10, func() {
					t.structure(logicalTimestamp, func() {
						t.bool(1, false) // if true, readers in Python need more packages; the times are UTC anyway
						t.structure(2, func() { t.structure(unitMicros, func() {}) })
					})
				})
			}
		})
	}
}

func (f *footer) rowGroup(i int, columnsAt, offsetsAt int64) {
	t, g := &f.out, &f.groups[i]
	end := len(f.ends)
	if i+1 < len(f.groups) {
		end = f.groups[i+1].chunks
	}
	t.structElement(func() {
		t.list(1, thriftStruct, end-g.chunks)
		for j := g.chunks; j < end; j++ {
			f.columnChunk(j, columnsAt, offsetsAt)
		}
		t.i64(2, g.raw)
		t.i64(3, int64(g.rows))
		if g.sorted {
			t.list(4, thriftStruct, 1)
			t.structElement(func() {
				t.i32(1, 0)
				t.bool(2, false) // descending
				t.bool(3, false) // nulls first
			})
		}
		t.i64(5, g.start)
		t.i64(6, g.encoded)
		t.i16(7, int64(i))
	})
}

func (f *footer) columnChunk(i int, columnsAt, offsetsAt int64) {
	var from ends
	if i > 0 {
		from = f.ends[i-1]
	}
	t, to := &f.out, f.ends[i]
	t.structElement(func() {
		t.i64(2, 0)
		t.encoded(3, f.chunks.buf[from.chunk:to.chunk])
		t.i64(4, offsetsAt+int64(from.offset))
		t.i32(5, int64(to.offset-from.offset))
		if to.column > from.column {
			t.i64(6, columnsAt+int64(from.column))
			t.i32(7, int64(to.column-from.column))
		}
	})
}
