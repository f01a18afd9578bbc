package parquet

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/server/disk"
)

// The functions below read files for alterations, queries and the load tool. They are simple, but
// not fast. They support only files that this package writes, not Parquet in general.

// Rows returns the number of rows in a file, according to its footer.
func Rows(path string) (int64, error) {
	file, closer, err := open(disk.OS, path)
	if err != nil {
		return 0, err
	}
	defer closer.Close()
	return file.NumRows(), nil
}

// Meta returns the metadata that was written as [table.File.Meta].
func Meta(path string) (map[string]string, error) {
	file, closer, err := open(disk.OS, path)
	if err != nil {
		return nil, err
	}
	defer closer.Close()
	return metaOf(file), nil
}

func metaOf(file *parquet.File) map[string]string {
	meta := make(map[string]string)
	for _, kv := range file.Metadata().KeyValueMetadata {
		meta[kv.Key] = kv.Value
	}
	return meta
}

// Read reads the file at `path` on the disk d. It returns all rows as one batch, and the file's
// metadata.
func Read(d disk.Disk, path string) (rows *column.Batch, meta map[string]string, err error) {
	file, closer, err := open(d, path)
	if err != nil {
		return nil, nil, err
	}
	defer closer.Close()
	return read(file, path)
}

// ReadFrom is like Read, but reads the file from r. The argument `size` is the file's length in
// bytes. Errors contain the given name.
func ReadFrom(r io.ReaderAt, size int64, name string) (rows *column.Batch, meta map[string]string, err error) {
	file, err := parquet.OpenFile(r, size, parquet.SkipPageIndex(true))
	if err != nil {
		return nil, nil, fmt.Errorf("parquet: opening %s: %w", name, err)
	}
	return read(file, name)
}

func read(file *parquet.File, name string) (rows *column.Batch, meta map[string]string, err error) {
	rows = new(column.Batch)
	err = scan(file, name, func(b *column.Batch) error {
		for _, c := range b.Columns {
			dst, err := rows.Column([]byte(c.Name))
			if err != nil {
				return err
			}
			dst.Accepts(c.Kind)
			if err := dst.AppendColumn(c, 0, c.Rows); err != nil {
				return err
			}
		}
		rows.Rows += b.Rows
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	return rows, metaOf(file), nil
}

// Scan calls fn with each row group of the file, in order. The batch is valid until fn returns.
func Scan(path string, fn func(*column.Batch) error) error {
	file, closer, err := open(disk.OS, path)
	if err != nil {
		return err
	}
	defer closer.Close()
	return scan(file, path, fn)
}

func scan(file *parquet.File, path string, fn func(*column.Batch) error) error {
	batch := new(column.Batch)
	for _, group := range file.RowGroups() {
		batch.Reset()
		for i, chunk := range group.ColumnChunks() {
			name := file.Schema().Columns()[i][0]
			dst, err := batch.Column([]byte(name))
			if err == nil {
				err = readColumn(dst, chunk)
			}
			if err != nil {
				return fmt.Errorf("parquet: reading column %q of %s: %w", name, path, err)
			}
		}
		batch.Rows = int(group.NumRows())
		if err := fn(batch); err != nil {
			return err
		}
	}
	return nil
}

func open(d disk.Disk, path string) (*parquet.File, io.Closer, error) {
	f, err := d.Open(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("parquet: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, nil, fmt.Errorf("parquet: %w", err)
	}
	file, err := parquet.OpenFile(f, info.Size(), parquet.SkipPageIndex(true))
	if err != nil {
		f.Close()
		return nil, nil, fmt.Errorf("parquet: opening %s: %w", path, err)
	}
	return file, f, nil
}

// readColumn appends the values of a column chunk.
func readColumn(dst *column.Column, chunk parquet.ColumnChunk) error {
	r, err := openCells(chunk, 0)
	if err != nil {
		return err
	}
	defer r.close()
	return r.read(dst, math.MaxInt)
}

// cells is a sequential reader of the cells of a column chunk. It keeps one page in memory.
type cells struct {
	kind   column.Kind
	pages  parquet.Pages
	page   parquet.Page // nil if no page is open
	values parquet.ValueReader
}

// openCells returns a reader for the chunk's cells, positioned at the given row.
func openCells(chunk parquet.ColumnChunk, row int64) (*cells, error) {
	kind, err := kindOf(chunk.Type())
	if err != nil {
		return nil, err
	}
	r := &cells{kind: kind, pages: chunk.Pages()}
	if row > 0 {
		err = r.pages.SeekToRow(row)
	}
	if err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

// read appends the next n cells, or the remaining cells if there are fewer.
func (r *cells) read(dst *column.Column, n int) error {
	dst.Accepts(r.kind)
	var values [512]parquet.Value
	for n > 0 {
		if r.page == nil {
			page, err := r.pages.ReadPage()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			r.page, r.values = page, page.Values()
		}
		got, err := r.values.ReadValues(values[:min(n, len(values))])
		for _, v := range values[:got] {
			if err := appendValue(dst, v); err != nil {
				return err
			}
		}
		n -= got
		if errors.Is(err, io.EOF) {
			parquet.Release(r.page)
			r.page = nil
		} else if err != nil {
			return err
		}
	}
	return nil
}

func (r *cells) close() {
	if r.page != nil {
		parquet.Release(r.page)
		r.page = nil
	}
	r.pages.Close()
}

func kindOf(t parquet.Type) (column.Kind, error) {
	switch t.Kind() {
	case parquet.Boolean:
		return column.Bool, nil
	case parquet.Double:
		return column.Float64, nil
	case parquet.ByteArray:
		return column.String, nil
	case parquet.Int64:
		if timestampOf(t) != nil {
			return column.Time, nil
		}
		return column.Int64, nil
	}
	return column.Null, fmt.Errorf("unsupported type %v: this package does not write it", t)
}

// timestampOf returns the timestamp type of t. It returns nil if t is not the type of timestamps in
// microseconds.
func timestampOf(t parquet.Type) *format.TimestampType {
	logical := t.LogicalType()
	if logical == nil {
		return nil
	}
	stamp, ok := logical.Value.(*format.TimestampType)
	if !ok {
		return nil
	}
	if _, ok := stamp.Unit.Value.(*format.MicroSeconds); !ok {
		return nil
	}
	return stamp
}

func appendValue(dst *column.Column, v parquet.Value) error {
	switch {
	case v.IsNull():
		dst.AppendNull()
	case dst.Kind == column.Bool:
		dst.AppendBool(v.Boolean())
	case dst.Kind == column.Float64:
		dst.AppendFloat64(v.Double())
	case dst.Kind == column.String:
		return dst.AppendString(v.ByteArray())
	case dst.Kind == column.Time:
		dst.AppendTime(v.Int64())
	default:
		dst.AppendInt64(v.Int64())
	}
	return nil
}
