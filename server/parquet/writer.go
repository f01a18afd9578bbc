package parquet

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"

	"github.com/klauspost/compress/zstd"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/server/table"
)

const (
	groupRows = 1 << 18  // maximum number of rows in a row group; engines read row groups in parallel, and skip groups without matches
	pageRows  = 1 << 15  // maximum number of rows in a page; for numbers, this is 256 KiB, which takes less than a millisecond to encode and compress
	pageText  = 1 << 20  // approximate maximum size of the text in a page, in bytes
	maxIdle   = 64 << 20 // maximum size of the buffers that a writer keeps, in bytes
)

// writer encodes one file at a time, and reuses all its buffers for the next file. The largest
// buffers contain one column chunk. The writer keeps one page of the input cells in memory.
type writer struct {
	options Options
	out     *bufio.Writer
	at      int64 // bytes written to out
	err     error // error of the first write that failed

	cells  column.Column // the last result of File.Gather
	chunk  chunk
	codecs []Codec // the codec of each column; the format allows a separate codec for each chunk, but not all readers support that
	footer footer

	// These fields are scratch memory for the current page.
	bools   []bool
	ints    []int64
	floats  []float64
	ends    []uint32
	scratch []uint64
	ids     []uint32
	body    []byte
	packed  []byte
	header  thrift
	zstd    *zstd.Encoder
}

func newWriter(o Options) (*writer, error) {
	w := &writer{options: o, out: bufio.NewWriterSize(nil, 64<<10)}
	w.chunk.dict = newDictionary()
	if o.Codec == Zstd {
		var err error
		if w.zstd, err = newZstd(); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// idle returns the number of bytes that the buffers occupy while no file is written.
func (w *writer) idle() int {
	c := &w.chunk
	return w.cells.Footprint() + cap(c.encoded) + cap(w.body) + cap(w.packed) + w.footer.idle()
}

// write writes the whole file. It omits columns of Kind Null.
func (w *writer) write(ctx context.Context, out io.Writer, f *table.File) error {
	columns, err := columnsOf(f)
	if err != nil {
		return err
	}
	w.out.Reset(out)
	w.at, w.err = 0, nil
	w.footer.reset()
	w.codecs = w.codecs[:0]
	for range f.Columns {
		w.codecs = append(w.codecs, w.options.Codec)
	}
	w.put([]byte(magic))
	for from := 0; from < f.Rows; from += groupRows {
		to := min(from+groupRows, f.Rows)
		w.footer.beginGroup(w.at, to-from)
		for _, i := range columns {
			if err := w.column(ctx, f, i, from, to); err != nil {
				return err
			}
		}
	}
	w.footer.finish(w, f, columns)
	return cmp.Or(w.err, w.out.Flush())
}

// columnsOf returns the indexes of the columns to write. It returns an error if Parquet cannot
// store the file's columns.
func columnsOf(f *table.File) ([]int, error) {
	if f.Rows <= 0 {
		return nil, errors.New("no rows: a file must have at least one")
	}
	if len(f.Columns) == 0 || f.Columns[0] != (table.Field{Name: "time", Kind: column.Time}) {
		return nil, errors.New(`the first column must be "time", of kind time`)
	}
	names := make(map[string]struct{}, len(f.Columns))
	columns := make([]int, 0, len(f.Columns))
	for i, field := range f.Columns {
		if _, dup := names[field.Name]; dup {
			return nil, fmt.Errorf("two columns are named %q", field.Name)
		}
		names[field.Name] = struct{}{}
		if field.Kind > column.Time {
			return nil, fmt.Errorf("column %q: kind %v cannot be stored in Parquet", field.Name, field.Kind)
		}
		if field.Kind != column.Null {
			columns = append(columns, i)
		}
	}
	return columns, nil
}

// column writes rows [from, to) of column i as a column chunk.
func (w *writer) column(ctx context.Context, f *table.File, i, from, to int) error {
	c, start := &w.chunk, w.at
	c.reset(f.Columns[i], i > 0, from == 0, w.codecs[i])
	for at := from; at < to; at += pageRows {
		if err := cmp.Or(w.err, ctx.Err()); err != nil {
			return err
		}
		n := min(pageRows, to-at)
		w.cells.Reset()
		if err := f.Gather(i, at, at+n, &w.cells); err != nil {
			return err
		}
		if err := check(&w.cells, c.field, c.optional, n); err != nil {
			return err
		}
		for lo := 0; lo < n; {
			hi := n
			if w.cells.Kind == column.String {
				hi = textPage(&w.cells, lo)
			}
			if err := w.add(&w.cells, lo, hi); err != nil {
				return err
			}
			if !c.dict.on && c.indexed == 0 {
				w.put(c.encoded)
				c.written, c.encoded = c.written+len(c.encoded), c.encoded[:0]
			}
			lo = hi
			runtime.Gosched() // requests may wait for this processor
		}
	}
	w.codecs[i] = c.codec
	dictionary, raw := w.dictionaryPage()
	w.footer.addChunk(c, start, len(dictionary), raw)
	w.put(dictionary)
	w.put(c.encoded)
	return nil
}

// check returns an error unless the number of gathered cells is n and their kind is the field's
// kind.
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
		return fmt.Errorf("column %q: got %d cells of kind %v, want %d of kind %v (nulls: %t)",
			f.Name, cells.Rows, cells.Kind, n, f.Kind, cells.HasNulls())
	}
	return nil
}

// textPage returns the index of the row after a page of text that begins at the row `from`. The
// page contains up to about pageText bytes, and at least one row.
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

// put writes b to out. After a failed write, it discards b.
func (w *writer) put(b []byte) {
	n, err := w.out.Write(b)
	w.at += int64(n)
	w.err = cmp.Or(w.err, err)
}
