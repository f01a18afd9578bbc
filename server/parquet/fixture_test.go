package parquet

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/server/table"
)

// fileOf returns a file with the cells of the batch. The batch's first column is "time".
func fileOf(path string, b *column.Batch) *table.File {
	f := &table.File{Path: path, Rows: b.Rows, Meta: map[string]string{"slipstream.rows": fmt.Sprint(b.Rows)}}
	for _, c := range b.Columns {
		f.Columns = append(f.Columns, table.Field{Name: c.Name, Kind: c.Kind})
	}
	f.Gather = func(col, from, to int, dst *column.Column) error {
		dst.Reset()
		dst.Accepts(b.Columns[col].Kind)
		return dst.AppendColumn(b.Columns[col], from, to)
	}
	return f
}

func newSink(t testing.TB, o Options) *Sink {
	t.Helper()
	s, err := New(filepath.Join(t.TempDir(), "tables"), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// land writes the batch to a file with Land, and returns the path of the file.
func land(t testing.TB, s *Sink, path string, b *column.Batch) string {
	t.Helper()
	if err := s.Remove(path); err != nil { // the file of an earlier call, because Land never replaces a file
		t.Fatal(err)
	}
	if _, err := s.Land(context.Background(), fileOf(path, b)); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(s.root, filepath.FromSlash(path))
}

// builder builds a batch row by row.
type builder struct{ column.Batch }

func (b *builder) row(at int64, cells map[string]any) {
	c, _ := b.Column([]byte("time"))
	c.Accepts(column.Time)
	c.AppendTime(at)
	for _, name := range sortedKeys(cells) {
		c, _ := b.Column([]byte(name))
		switch v := cells[name].(type) {
		case time.Time:
			c.Accepts(column.Time)
			c.AppendTime(v.UnixMicro())
		case bool:
			c.Accepts(column.Bool)
			c.AppendBool(v)
		case int:
			c.Accepts(column.Int64)
			c.AppendInt64(int64(v))
		case int64:
			c.Accepts(column.Int64)
			c.AppendInt64(v)
		case float64:
			c.Accepts(column.Float64)
			c.AppendFloat64(v)
		case string:
			c.Accepts(column.String)
			if err := c.AppendString([]byte(v)); err != nil {
				panic(err)
			}
		}
	}
	if err := b.CloseRow(); err != nil {
		panic(err)
	}
}

// telemetry returns a batch of the usual shape: a time, one of 1000 hosts, and three floats with
// two decimals.
func telemetry(rows int) *column.Batch {
	b := new(column.Batch)
	rnd := rand.New(rand.NewPCG(1, 2))
	timeColumn, _ := b.Column([]byte("time"))
	timeColumn.Accepts(column.Time)
	host, _ := b.Column([]byte("host"))
	host.Accepts(column.String)
	for i := range rows {
		timeColumn.AppendTime(1_795_000_000_000_000 + int64(i))
		_ = host.AppendString(fmt.Appendf(nil, "host-%04d", rnd.IntN(1000)))
	}
	for _, name := range []string{"value", "cpu_idle", "cpu_user"} {
		c, _ := b.Column([]byte(name))
		c.Accepts(column.Float64)
		for range rows {
			c.AppendFloat64(float64(rnd.IntN(10001)) / 100)
		}
	}
	b.Rows = rows
	return b
}

// The function turning returns a batch whose columns begin with few distinct values, and then
// contain only new values. So the writer abandons their dictionaries in the middle of a column
// chunk.
func turning() *column.Batch {
	b := new(column.Batch)
	const rows = 3 * pageRows
	for i, kind := range []column.Kind{column.Time, column.Int64, column.Float64, column.String} {
		c, _ := b.Column([]byte([]string{"time", "i", "f", "s"}[i]))
		c.Accepts(kind)
		for row := range rows {
			v := row / 1000
			if row > pageRows+pageRows/8 {
				v = row
			}
			switch kind {
			case column.Float64:
				c.AppendFloat64(float64(v))
			case column.String:
				_ = c.AppendString(fmt.Appendf(nil, "text %d", v))
			default:
				c.AppendInt64(int64(v))
			}
		}
	}
	b.Rows = rows
	return b
}

// mixed returns a batch with columns of every kind. On average, one of `nulls` cells is null; 0
// means no cell, and 1 means every cell.
func mixed(rows, nulls int) *column.Batch {
	b := new(column.Batch)
	rnd := rand.New(rand.NewPCG(uint64(rows), uint64(nulls)))
	add := func(name string, kind column.Kind, required bool, value func(c *column.Column, i int)) {
		c, _ := b.Column([]byte(name))
		c.Accepts(kind)
		for i := range rows {
			if !required && nulls > 0 && rnd.IntN(nulls) == 0 {
				c.AppendNull()
			} else {
				value(c, i)
			}
		}
	}
	add("time", column.Time, true, func(c *column.Column, i int) { c.AppendTime(int64(i) * 1e6) })
	add("bool", column.Bool, false, func(c *column.Column, i int) { c.AppendBool(rnd.IntN(3) == 0) })
	add("few ints", column.Int64, false, func(c *column.Column, i int) { c.AppendInt64(int64(rnd.IntN(5)) - 2) })
	add("ints", column.Int64, false, func(c *column.Column, i int) { c.AppendInt64(int64(rnd.Uint64())) })
	add("float", column.Float64, false, func(c *column.Column, i int) { c.AppendFloat64(rnd.NormFloat64()) })
	add("seen", column.Time, false, func(c *column.Column, i int) { c.AppendTime(int64(rnd.IntN(1e9))) })
	add("host", column.String, false, func(c *column.Column, i int) { _ = c.AppendString(fmt.Appendf(nil, "h%d", rnd.IntN(100))) })
	add("one", column.String, false, func(c *column.Column, i int) { _ = c.AppendString([]byte("same")) })
	add("text", column.String, false, func(c *column.Column, i int) {
		_ = c.AppendString(fmt.Appendf(nil, "%x", rnd.Uint64()>>rnd.IntN(64)))
	})
	b.Rows = rows
	return b
}
