package parquet

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/slipstream-go/slipstream/column"
)

// plain returns a cell in the encoding of the bounds.
func plain(c *column.Column, row int) []byte {
	switch c.Kind {
	case column.Bool:
		return appendBools(nil, c.Bools[row:row+1])
	case column.Float64:
		return binary.LittleEndian.AppendUint64(nil, math.Float64bits(c.Floats[row]))
	case column.String:
		return c.StringAt(row)
	default:
		return binary.LittleEndian.AppendUint64(nil, uint64(c.Ints[row]))
	}
}

// checkBounds checks that rows [from, to) are within the bounds. Unless the bounds were shortened,
// they must occur among the rows.
func checkBounds(t *testing.T, c *column.Column, from, to int, lo, hi []byte) {
	t.Helper()
	var foundLo, foundHi, any bool
	for row := from; row < to; row++ {
		if c.IsNull(row) {
			continue
		}
		if c.Kind == column.Float64 && math.IsNaN(c.Floats[row]) {
			t.Fatalf("column %q, row %d is NaN, and there are bounds [%x, %x]", c.Name, row, lo, hi)
		}
		any = true
		v := plain(c, row)
		x, y := compare(c.Kind, v, lo), compare(c.Kind, v, hi)
		if x < 0 || y > 0 {
			t.Fatalf("column %q, row %d: %x is not within [%x, %x]", c.Name, row, v, lo, hi)
		}
		foundLo, foundHi = foundLo || x == 0, foundHi || y == 0
	}
	if c.Kind == column.String {
		foundLo, foundHi = foundLo || len(lo) > maxBound-4, foundHi || len(hi) > maxBound-4
	}
	if any && (!foundLo || !foundHi) {
		t.Fatalf("column %q, rows [%d, %d): the bounds [%x, %x] are wider than need be", c.Name, from, to, lo, hi)
	}
}

// The bounds, nulls and offset of every page and column chunk are described correctly.
func TestIndexes(t *testing.T) {
	var edges, long builder
	edges.row(math.MinInt64, map[string]any{"f": math.NaN(), "i": int64(math.MaxInt64), "s": "", "nan": math.NaN(), "z": 0.0})
	edges.row(-1, map[string]any{"f": math.Inf(1), "i": int64(math.MinInt64), "z": math.Copysign(0, -1), "b": true})
	edges.row(0, map[string]any{"nan": math.NaN(), "only inf": math.Inf(1)})
	for i := range 300 {
		s := strings.Repeat("prefix", i%30) + string(rune('a'+i%26))
		long.row(int64(i), map[string]any{"s": s, "top": strings.Repeat("\U0010ffff", 20), "big": strings.Repeat("é", 50_000)})
	}
	for _, b := range []*column.Batch{
		&edges.Batch, &long.Batch, mixed(1, 0), mixed(1, 1), mixed(2*pageRows+3, 4), mixed(groupRows+pageRows+1, 7),
		telemetry(groupRows + 1), turning(),
	} {
		path := land(t, newSink(t, Options{}), "f.parquet", b)
		file := openIndexed(t, path)
		columns := len(b.Columns)
		first := 0
		for g, group := range file.Metadata().RowGroups {
			if len(group.SortingColumns) != 1 || group.SortingColumns[0] != (format.SortingColumn{}) {
				t.Errorf("row group %d: sorted by %+v, want by time", g, group.SortingColumns)
			}
			for i, c := range b.Columns {
				meta := &group.Columns[i].MetaData
				rows := int(meta.NumValues)
				stats := meta.Statistics
				if got := countNulls(c.Nulls, first, first+rows); stats.NullCount != int64(got) {
					t.Errorf("column %q: %d nulls, want %d", c.Name, stats.NullCount, got)
				}
				if stats.MinValue != nil {
					checkBounds(t, c, first, first+rows, stats.MinValue, stats.MaxValue)
				}
				checkPages(t, c, first, rows, &file.ColumnIndexes()[g*columns+i], &file.OffsetIndexes()[g*columns+i])
				checkSeek(t, file.RowGroups()[g].ColumnChunks()[i], c, first, rows)
			}
			first += int(group.NumRows)
		}
		if first != b.Rows {
			t.Errorf("%d rows in all row groups, want %d", first, b.Rows)
		}
	}
}

func openIndexed(t *testing.T, path string) *parquet.File {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	file, err := parquet.OpenFile(f, info.Size())
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func checkPages(t *testing.T, c *column.Column, first, rows int, index *format.ColumnIndex, offsets *format.OffsetIndex) {
	t.Helper()
	end := first + rows
	for p := len(offsets.PageLocations) - 1; p >= 0; p-- {
		from := first + int(offsets.PageLocations[p].FirstRowIndex)
		if len(index.MinValues) > 0 {
			nulls := countNulls(c.Nulls, from, end)
			if int64(nulls) != index.NullCounts[p] || index.NullPages[p] != (nulls == end-from) {
				t.Errorf("column %q, page %d: %d nulls (all: %t), want %d of %d", c.Name, p, index.NullCounts[p], index.NullPages[p], nulls, end-from)
			}
			checkBounds(t, c, from, end, index.MinValues[p], index.MaxValues[p])
		} else if !hasNaN(c) && c.Name != "top" {
			t.Errorf("column %q has no column index", c.Name)
		}
		end = from
	}
	if end != first {
		t.Errorf("column %q: the first page begins at row %d", c.Name, end-first)
	}
}

func hasNaN(c *column.Column) bool { return slices.ContainsFunc(c.Floats, math.IsNaN) }

// checkSeek seeks to the last row by the offset index, and reads it.
func checkSeek(t *testing.T, chunk parquet.ColumnChunk, c *column.Column, first, rows int) {
	t.Helper()
	pages := chunk.Pages()
	defer pages.Close()
	if err := pages.SeekToRow(int64(rows - 1)); err != nil {
		t.Fatal(err)
	}
	page, err := pages.ReadPage()
	if err != nil {
		t.Fatal(err)
	}
	var values [2]parquet.Value
	n, _ := page.Values().ReadValues(values[:])
	if row := first + rows - 1; n != 1 || values[0].IsNull() != c.IsNull(row) ||
		!c.IsNull(row) && c.Kind != column.Bool && !bytes.Equal(values[0].Bytes(), plain(c, row)) {
		t.Errorf("column %q: the last row is read as %v", c.Name, values[:n])
	}
}

func TestZeroBounds(t *testing.T) {
	var b bounds
	b.setFloats(0, math.Copysign(0, -1))
	lo, hi := binary.LittleEndian.Uint64(b.min), binary.LittleEndian.Uint64(b.max)
	if lo != 1<<63 || hi != 0 {
		t.Errorf("got [%#x, %#x], want [-0, +0]", lo, hi)
	}
}

func TestTextBounds(t *testing.T) {
	a := strings.Repeat("a", maxBound-1)
	for _, test := range []struct {
		name, text, min, max string
		ok                   bool
	}{
		{"empty", "", "", "", true},
		{"as long as may be", a + "b", a + "b", a + "b", true},
		{"too long", a + "bc", a + "b", a + "c", true},
		{"splits a character", a + "é", a, a[1:] + "b", true},
		{"two bytes", a[:62] + "é\x00", a[:62] + "é", a[:62] + "ê", true},
		{"before the surrogates", a[:61] + "\ud7ff" + "x", a[:61] + "\ud7ff", a[:61] + "\ue000", true},
		{"carries", a[:60] + "\U0010ffff" + "x", a[:60] + "\U0010ffff", a[:59] + "b", true},
		{"no text above", strings.Repeat("\U0010ffff", 20), "", "", false},
		{"not UTF-8", strings.Repeat("\xff", 70), "", "", false},
		{"not UTF-8 at the end", a[:60] + strings.Repeat("\xff", 9), a[:60] + "\xff\xff\xff\xff", a[:59] + "b", true},
	} {
		var b bounds
		b.setText([]byte(test.text), []byte(test.text))
		if b.ok != test.ok {
			t.Errorf("%s: bounds: %t", test.name, b.ok)
		}
		if !b.ok {
			continue
		}
		if len(test.text) <= maxBound {
			test.min, test.max = test.text, test.text
		}
		if string(b.min) != test.min || string(b.max) != test.max {
			t.Errorf("%s: got %q to %q, want %q to %q", test.name, b.min, b.max, test.min, test.max)
		}
		if string(b.min) > test.text || string(b.max) < test.text {
			t.Errorf("%s: the bounds do not hold", test.name)
		}
		if utf8.ValidString(test.text) && !(utf8.Valid(b.min) && utf8.Valid(b.max)) {
			t.Errorf("%s: the bounds are not UTF-8", test.name)
		}
		if exact := len(test.text) <= maxBound; b.exactMin != exact || b.exactMax != exact {
			t.Errorf("%s: exact: %t, %t", test.name, b.exactMin, b.exactMax)
		}
	}
}

// When the writer abandons a dictionary, the pages that already use it remain unchanged.
func TestTurning(t *testing.T) {
	file := openIndexed(t, land(t, newSink(t, Options{}), "f.parquet", turning()))
	for _, c := range file.Metadata().RowGroups[0].Columns {
		var got [3]int32
		for _, s := range c.MetaData.EncodingStats {
			switch {
			case s.PageType == format.DictionaryPage:
				got[0] += s.Count
			case s.Encoding == format.RLEDictionary:
				got[1] += s.Count
			case s.Encoding == format.Plain:
				got[2] += s.Count
			}
		}
		if want := [3]int32{1, 1, 2}; got != want {
			t.Errorf("column %v: %v pages: dictionary, numbers, plain; want %v", c.MetaData.PathInSchema, got, want)
		}
	}
}
