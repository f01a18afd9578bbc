package parquet

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/server/disk"
)

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// sameBatch compares two batches bit by bit, so that NaN equals itself and -0 does not equal 0.
func sameBatch(t *testing.T, got, want *column.Batch) {
	t.Helper()
	if got.Rows != want.Rows || len(got.Columns) != len(want.Columns) {
		t.Fatalf("got %d rows of %d columns, want %d of %d", got.Rows, len(got.Columns), want.Rows, len(want.Columns))
	}
	for i, w := range want.Columns {
		g := got.Columns[i]
		if g.Name != w.Name || g.Kind != w.Kind || g.Rows != w.Rows {
			t.Fatalf("column %d: got %q %v of %d rows, want %q %v of %d", i, g.Name, g.Kind, g.Rows, w.Name, w.Kind, w.Rows)
		}
		for row := range w.Rows {
			if !sameCell(g, w, row) {
				t.Fatalf("column %q, row %d: got %s, want %s", w.Name, row, cell(g, row), cell(w, row))
			}
		}
	}
}

func sameCell(a, b *column.Column, row int) bool {
	if a.IsNull(row) || b.IsNull(row) {
		return a.IsNull(row) == b.IsNull(row)
	}
	switch a.Kind {
	case column.Bool:
		return a.Bools[row] == b.Bools[row]
	case column.Float64:
		return math.Float64bits(a.Floats[row]) == math.Float64bits(b.Floats[row])
	case column.String:
		return string(a.StringAt(row)) == string(b.StringAt(row))
	default:
		return a.Ints[row] == b.Ints[row]
	}
}

// cell returns a cell as text.
func cell(c *column.Column, row int) string {
	if c.IsNull(row) {
		return "null"
	}
	switch c.Kind {
	case column.Bool:
		return fmt.Sprint(c.Bools[row])
	case column.Float64:
		return fmt.Sprintf("%v (%#x)", c.Floats[row], math.Float64bits(c.Floats[row]))
	case column.String:
		return fmt.Sprintf("%q", c.StringAt(row))
	default:
		return fmt.Sprint(c.Ints[row])
	}
}

func TestRoundTrip(t *testing.T) {
	var edges builder
	edges.row(math.MinInt64, map[string]any{"f": math.NaN(), "i": int64(math.MaxInt64), "s": "", "b": true})
	edges.row(-1, map[string]any{"f": math.Inf(1), "i": int64(math.MinInt64), "s": "héllo, 世界 \U0010ffff\x00"})
	edges.row(0, nil)
	edges.row(0, map[string]any{"f": math.Copysign(0, -1), "s": strings.Repeat("\U0010ffff", 20), "b": false})
	edges.row(math.MaxInt64, map[string]any{"f": math.Inf(-1), "i": 0, "only here": "x"})

	var long builder
	for i := range 200 {
		long.row(int64(i), map[string]any{"s": strings.Repeat(fmt.Sprint(i), 10_000)})
	}
	long.row(200, map[string]any{"s": strings.Repeat("z", 3<<20)})
	long.row(201, nil)
	long.row(202, map[string]any{"s": ""})

	batches := map[string]*column.Batch{
		"edges":     &edges.Batch,
		"long text": &long.Batch,
		"telemetry": telemetry(groupRows + 1000),
		"turning":   turning(),
	}
	for _, rows := range []int{1, 7, 8, 9, 64, 65, trial, trial + 1, pageRows - 1, pageRows, pageRows + 1} {
		for _, nulls := range []int{0, 1, 2, 50} {
			batches[fmt.Sprintf("%d rows, nulls 1 in %d", rows, nulls)] = mixed(rows, nulls)
		}
	}
	for _, rows := range []int{groupRows - 1, groupRows, groupRows + 1} {
		batches[fmt.Sprintf("%d rows", rows)] = mixed(rows, 3)
	}
	for _, codec := range []Codec{Snappy, Zstd, Uncompressed} {
		s := newSink(t, Options{Codec: codec})
		for name, b := range batches {
			t.Run(codec.String()+"/"+name, func(t *testing.T) {
				path := land(t, s, "db/t/f.parquet", b)
				got, _, err := Read(disk.OS, path)
				if err != nil {
					t.Fatal(err)
				}
				sameBatch(t, got, b)
				if rows, err := Rows(path); err != nil || rows != int64(b.Rows) {
					t.Errorf("Rows: %d, %v; want %d", rows, err, b.Rows)
				}
				meta, err := Meta(path)
				if err != nil || meta["slipstream.rows"] != fmt.Sprint(b.Rows) {
					t.Errorf("Meta: %v, %v", meta, err)
				}
			})
		}
	}
}

// After it has written a file of any size, the writer keeps only the buffers of a few column
// chunks.
func TestMemory(t *testing.T) {
	w, err := newWriter(Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.write(context.Background(), io.Discard, fileOf("f.parquet", telemetry(3*groupRows))); err != nil {
		t.Fatal(err)
	}
	if kept := w.idle(); kept > 4<<20 {
		t.Errorf("%d bytes of buffers", kept)
	}
}

// FuzzRoundTrip writes rows that it builds from the input, and reads them back. A byte selects the
// next cell, or ends the row.
func FuzzRoundTrip(f *testing.F) {
	f.Add([]byte("\x00\x05hello\x01\x02\x03\x04\x04\x00\x00\x04\x04\x01\x09\x04"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var b builder
		cells := map[string]any{}
		for at := int64(0); len(data) > 0; {
			op, n := data[0]%5, 0
			data = data[1:]
			if len(data) > 0 {
				n = min(int(data[0]), len(data))
			}
			v := data[:n]
			switch op {
			case 0:
				cells["s"] = string(v)
			case 1:
				cells["i"] = int64(n) << (n % 64)
			case 2:
				cells["f"] = math.Float64frombits(uint64(n) << (n % 64))
			case 3:
				cells["b"] = n%2 == 0
			case 4:
				for range n*n + 1 { // many rows for few bytes
					b.row(at, cells)
					at++
				}
				clear(cells)
			}
			data = data[n:]
		}
		if b.Rows == 0 || b.Rows > 100_000 {
			return
		}
		got, _, err := Read(disk.OS, land(t, newSink(t, Options{}), "f.parquet", &b.Batch))
		if err != nil {
			t.Fatal(err)
		}
		sameBatch(t, got, &b.Batch)
	})
}
