package parquet

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/compress/lz4"
	"github.com/parquet-go/parquet-go/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding"

	"github.com/slipstream-go/slipstream/column"
)

// BenchmarkWrite and BenchmarkParquetGo encode half a million rows of telemetry in memory, without
// a disk. BenchmarkWrite measures this package. BenchmarkParquetGo measures the available ways to
// write contiguous columns to a file with parquet-go. Run the command several times and take
// medians, because variations in a machine's speed last longer than one run.

const benchRows = 500_000

func report(b *testing.B, out *bytes.Buffer) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchRows, "ns/row")
	b.ReportMetric(float64(out.Len())/benchRows, "bytes/row")
	b.ReportAllocs()
}

// full returns telemetry whose floats have random digits, so that neither a dictionary nor a codec
// can compress them.
func full(rows int) *column.Batch {
	b := telemetry(rows)
	for _, c := range b.Columns[2:] {
		for i := range c.Floats {
			c.Floats[i] = rand.Float64()
		}
	}
	return b
}

func BenchmarkWrite(b *testing.B) {
	for name, batch := range map[string]*column.Batch{"decimals": telemetry(benchRows), "digits": full(benchRows)} {
		for _, codec := range []Codec{Uncompressed, Snappy, Zstd} {
			b.Run(name+"/"+codec.String(), func(b *testing.B) {
				w, err := newWriter(Options{Codec: codec})
				if err != nil {
					b.Fatal(err)
				}
				f := fileOf("t.parquet", batch)
				out := new(bytes.Buffer)
				for b.Loop() {
					out.Reset()
					if err := w.write(context.Background(), out, f); err != nil {
						b.Fatal(err)
					}
				}
				report(b, out)
			})
		}
	}
}

// BenchmarkLand measures a complete call of Land, including the syncs, and the removal of the
// previous file.
func BenchmarkLand(b *testing.B) {
	s, batch := newSink(b, Options{}), telemetry(benchRows)
	for b.Loop() {
		land(b, s, "db/t/f.parquet", batch)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchRows, "ns/row")
	b.ReportAllocs()
}

// sample is a row of telemetry as a struct. numbered is the same struct with dictionaries for the
// floats.
type sample struct {
	Time    int64   `parquet:"time,timestamp(microsecond)"`
	Host    string  `parquet:"host,optional,dict"`
	Value   float64 `parquet:"value,optional"`
	CPUIdle float64 `parquet:"cpu_idle,optional"`
	CPUUser float64 `parquet:"cpu_user,optional"`
}

type numbered struct {
	Time    int64   `parquet:"time,timestamp(microsecond)"`
	Host    string  `parquet:"host,optional,dict"`
	Value   float64 `parquet:"value,optional,dict"`
	CPUIdle float64 `parquet:"cpu_idle,optional,dict"`
	CPUUser float64 `parquet:"cpu_user,optional,dict"`
}

var codecs = []struct {
	name  string
	codec compress.Codec
}{
	{"none", &parquet.Uncompressed},
	{"snappy", &parquet.Snappy},
	{"lz4_raw", &lz4.Codec{Level: lz4.Fastest}},
	{"zstd", &zstd.Codec{Level: zstd.SpeedFastest}},
}

func BenchmarkParquetGo(b *testing.B) {
	batch := telemetry(benchRows)
	for _, c := range codecs {
		options := []parquet.WriterOption{
			parquet.DataPageVersion(1), parquet.Compression(c.codec), parquet.MaxRowsPerRowGroup(groupRows),
			parquet.PageBufferSize(8 * pageRows),
		}
		b.Run("structs/"+c.name, func(b *testing.B) { structs[sample](b, batch, options) })
		b.Run("structs dict floats/"+c.name, func(b *testing.B) { structs[numbered](b, batch, options) })
		b.Run("values plain/"+c.name, func(b *testing.B) { values(b, batch, &parquet.Plain, &parquet.Plain, options) })
		b.Run("values dict/"+c.name, func(b *testing.B) { values(b, batch, &parquet.RLEDictionary, &parquet.Plain, options) })
		b.Run("values dict floats/"+c.name, func(b *testing.B) {
			values(b, batch, &parquet.RLEDictionary, &parquet.RLEDictionary, options)
		})
		b.Run("values delta/"+c.name, func(b *testing.B) {
			values(b, batch, &parquet.DeltaLengthByteArray, &parquet.Plain, options)
		})
		b.Run("values split floats/"+c.name, func(b *testing.B) {
			values(b, batch, &parquet.RLEDictionary, &parquet.ByteStreamSplit, options)
		})
		b.Run("own row group/"+c.name, func(b *testing.B) { ownRowGroup(b, batch, options) })
		b.Run("own column buffer/"+c.name, func(b *testing.B) { ownBuffer(b, batch, options) })
	}
}

func structs[T sample | numbered](b *testing.B, batch *column.Batch, options []parquet.WriterOption) {
	rows := make([]T, 1024)
	out := new(bytes.Buffer)
	w := parquet.NewGenericWriter[T](out, options...)
	c := batch.Columns
	for b.Loop() {
		out.Reset()
		w.Reset(out)
		for from := 0; from < batch.Rows; from += len(rows) {
			to := min(from+len(rows), batch.Rows)
			for i := from; i < to; i++ {
				rows[i-from] = T(sample{c[0].Ints[i], string(c[1].StringAt(i)), c[2].Floats[i], c[3].Floats[i], c[4].Floats[i]})
			}
			if _, err := w.Write(rows[:to-from]); err != nil {
				b.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
	}
	report(b, out)
}

func schemaOf(batch *column.Batch, text, floats encoding.Encoding, optional bool) *parquet.Schema {
	group := parquet.Group{}
	for _, c := range batch.Columns {
		var node parquet.Node
		switch c.Kind {
		case column.Time:
			group[c.Name] = parquet.Timestamp(parquet.Microsecond)
			continue
		case column.String:
			node = parquet.Encoded(parquet.String(), text)
		default:
			node = parquet.Encoded(parquet.Leaf(parquet.DoubleType), floats)
		}
		if optional {
			node = parquet.Optional(node)
		}
		group[c.Name] = node
	}
	return parquet.NewSchema("schema", group)
}

// columnAt returns the batch's column for column i of the schema. A schema sorts its columns by
// name.
func columnAt(batch *column.Batch, schema *parquet.Schema, i int) *column.Column {
	return batch.Find(schema.Columns()[i][0])
}

func valueAt(c *column.Column, row, index int) parquet.Value {
	switch c.Kind {
	case column.Time:
		return parquet.Int64Value(c.Ints[row]).Level(0, 0, index)
	case column.String:
		return parquet.ByteArrayValue(c.StringAt(row)).Level(0, 1, index)
	default:
		return parquet.DoubleValue(c.Floats[row]).Level(0, 1, index)
	}
}

func values(b *testing.B, batch *column.Batch, text, floats encoding.Encoding, options []parquet.WriterOption) {
	schema := schemaOf(batch, text, floats, true)
	out := new(bytes.Buffer)
	w := parquet.NewGenericWriter[any](out, append(options, schema)...)
	cells := make([]parquet.Value, 1024)
	for b.Loop() {
		out.Reset()
		w.Reset(out)
		for start := 0; start < batch.Rows; start += groupRows {
			end := min(start+groupRows, batch.Rows)
			for index, writer := range w.ColumnWriters() {
				c := columnAt(batch, schema, index)
				for from := start; from < end; from += len(cells) {
					n := min(len(cells), end-from)
					for i := range n {
						cells[i] = valueAt(c, from+i, index)
					}
					if _, err := writer.WriteRowValues(cells[:n]); err != nil {
						b.Fatal(err)
					}
				}
			}
			if err := w.Flush(); err != nil {
				b.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
	}
	report(b, out)
}

// rowGroup passes columns to the writer as pages. The writer reads row groups of other types row by
// row.
type rowGroup struct {
	schema *parquet.Schema
	batch  *column.Batch
}

func (g *rowGroup) NumRows() int64                          { return int64(g.batch.Rows) }
func (g *rowGroup) Schema() *parquet.Schema                 { return g.schema }
func (g *rowGroup) SortingColumns() []parquet.SortingColumn { return nil }
func (g *rowGroup) Rows() parquet.Rows                      { return parquet.NewRowGroupRowReader(g) }
func (g *rowGroup) ColumnChunks() []parquet.ColumnChunk {
	chunks := make([]parquet.ColumnChunk, len(g.batch.Columns))
	for i, leaf := range g.schema.Columns() {
		node, _ := g.schema.Lookup(leaf...)
		chunks[i] = &columnChunk{node.Node.Type(), i, g.batch.Find(leaf[0])}
	}
	return chunks
}

type columnChunk struct {
	typ   parquet.Type
	index int
	cells *column.Column
}

func (c *columnChunk) Type() parquet.Type   { return c.typ }
func (c *columnChunk) Column() int          { return c.index }
func (c *columnChunk) Pages() parquet.Pages { return &onePage{page: c.page()} }
func (c *columnChunk) ColumnIndex() (parquet.ColumnIndex, error) {
	return nil, parquet.ErrMissingColumnIndex
}
func (c *columnChunk) OffsetIndex() (parquet.OffsetIndex, error) {
	return nil, parquet.ErrMissingOffsetIndex
}
func (c *columnChunk) BloomFilter() parquet.BloomFilter { return nil }
func (c *columnChunk) NumValues() int64                 { return int64(c.cells.Rows) }

func (c *columnChunk) page() parquet.Page {
	return c.typ.NewPage(c.index, c.cells.Rows, encodingValues(c.cells, 0, c.cells.Rows))
}

func encodingValues(c *column.Column, from, to int) encoding.Values {
	switch c.Kind {
	case column.Time:
		return encoding.Int64Values(c.Ints[from:to])
	case column.String:
		start := uint32(0)
		if from > 0 {
			start = c.Ends[from-1]
		}
		offsets := append(make([]uint32, 0, to-from+1), 0)
		for _, end := range c.Ends[from:to] {
			offsets = append(offsets, end-start)
		}
		return encoding.ByteArrayValues(c.Text[start:c.Ends[to-1]], offsets)
	default:
		return encoding.DoubleValues(c.Floats[from:to])
	}
}

type onePage struct{ page parquet.Page }

func (p *onePage) Close() error            { return nil }
func (p *onePage) SeekToRow(n int64) error { p.page = p.page.Slice(n, p.page.NumRows()); return nil }
func (p *onePage) ReadPage() (parquet.Page, error) {
	page := p.page
	p.page = nil
	if page == nil {
		return nil, io.EOF
	}
	return page, nil
}

// ownRowGroup uses only required columns, because parquet-go does not export pages with nulls.
func ownRowGroup(b *testing.B, batch *column.Batch, options []parquet.WriterOption) {
	schema := schemaOf(batch, &parquet.Plain, &parquet.Plain, false)
	out := new(bytes.Buffer)
	w := parquet.NewGenericWriter[any](out, append(options, schema)...)
	for b.Loop() {
		out.Reset()
		w.Reset(out)
		if _, err := w.WriteRowGroup(&rowGroup{schema, batch}); err != nil {
			b.Fatal(err)
		}
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
	}
	report(b, out)
}

// hookType makes the writer use a column buffer that accepts a whole slice at once. This works only
// for required columns in PLAIN. For other columns, the writer wraps this buffer in buffers that
// accept single values.
type hookType struct {
	parquet.Type
	buffers map[int]*hookBuffer
}

func (t *hookType) NewColumnBuffer(index, n int) parquet.ColumnBuffer {
	h := &hookBuffer{ColumnBuffer: t.Type.NewColumnBuffer(index, 0), typ: t.Type, index: index}
	t.buffers[index] = h
	return h
}

type hookBuffer struct {
	parquet.ColumnBuffer
	typ   parquet.Type
	index int
	data  encoding.Values
	rows  int
}

func (h *hookBuffer) WriteValues([]parquet.Value) (int, error) { return 0, nil }
func (h *hookBuffer) Len() int                                 { return h.rows }
func (h *hookBuffer) Size() int64                              { return 0 }
func (h *hookBuffer) Reset()                                   { h.rows = 0 }
func (h *hookBuffer) Page() parquet.Page                       { return h.typ.NewPage(h.index, h.rows, h.data) }

func ownBuffer(b *testing.B, batch *column.Batch, options []parquet.WriterOption) {
	buffers := make(map[int]*hookBuffer)
	group := parquet.Group{}
	for _, c := range batch.Columns {
		switch c.Kind {
		case column.Time:
			group[c.Name] = parquet.Leaf(&hookType{parquet.Timestamp(parquet.Microsecond).Type(), buffers})
		case column.String:
			group[c.Name] = parquet.Leaf(&hookType{parquet.String().Type(), buffers})
		default:
			group[c.Name] = parquet.Leaf(&hookType{parquet.DoubleType, buffers})
		}
	}
	schema := parquet.NewSchema("schema", group)
	out := new(bytes.Buffer)
	w := parquet.NewGenericWriter[any](out, append(options, schema)...)
	for b.Loop() {
		out.Reset()
		w.Reset(out)
		for start := 0; start < batch.Rows; start += groupRows {
			end := min(start+groupRows, batch.Rows)
			for index, writer := range w.ColumnWriters() {
				c := columnAt(batch, schema, index)
				if _, err := writer.WriteRowValues(nil); err != nil { // creates the buffer
					b.Fatal(err)
				}
				for from := start; from < end; from += pageRows {
					to := min(from+pageRows, end)
					buffers[index].data, buffers[index].rows = encodingValues(c, from, to), to-from
					if err := writer.Flush(); err != nil {
						b.Fatal(err)
					}
				}
			}
			if err := w.Flush(); err != nil {
				b.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
	}
	report(b, out)
}
