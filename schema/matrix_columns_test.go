package schema

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/internal/corpus/schemaoracle"
	"github.com/slipstream-go/slipstream/internal/corpus/sheet"
	"github.com/slipstream-go/slipstream/internal/guard"
	"github.com/slipstream-go/slipstream/internal/mem"
)

// TestMatrixColumns reads messages of many schemas into a reused batch. It reads rows, and columns
// at once or row by row.
func TestMatrixColumns(t *testing.T) {
	rows, columns := (*schemaoracle.Layout).Rows, (*schemaoracle.Layout).Columns
	t.Run("rows", func(t *testing.T) {
		sheet.Run(t, matrixSheet(t, matrixRow, rows, (*Columns).Parse, readRows))
	})
	t.Run("columns by row", func(t *testing.T) {
		sheet.Run(t, matrixSheet(t, matrixLists, columns, readRows))
	})
	t.Run("columns", func(t *testing.T) {
		f := matrixSheet(t, matrixLists, columns, (*Columns).Parse)
		f.Whole = true
		sheet.Run(t, f)
	})
	t.Run("texts near the end", matrixLastTexts)
	t.Run("large integers", matrixLargeInts)
}

// matrixLargeInts reads integers of each encoding into a new column, which rejects integers that
// exceed int64. It also reads them into a column of floats, which rejects integers that it would
// round. The column keeps its earlier rows.
func matrixLargeInts(t *testing.T) {
	for _, notation := range []string{"{i64}", "{u64}", "{i64be}", "{u64be}", "{opt(i64)}", "{opt(u64be)}", "{list8(i64)}", "{list8(u64)}", "{list8(u64be)}", "{list8(opt(u64))}"} {
		c, err := columnsOf(mustSchema(notation).n)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range []uint64{1, 1 << 53, 1<<53 + 1, 1 << 60, 1<<60 + 1, math.MaxInt64, 1 << 63, math.MaxUint64} {
			b := bytes.Repeat([]byte{1}, strings.Count(notation, "(")) // sets the flag of an option or the count of a list to 1
			if strings.Contains(notation, "be") {
				b = binary.BigEndian.AppendUint64(b, v)
			} else {
				b = binary.LittleEndian.AppendUint64(b, v)
			}
			within := v <= math.MaxInt64 || !strings.Contains(notation, "u64")
			for _, read := range []func(*Columns, []byte, *column.Batch) error{readRows, (*Columns).Parse} {
				var batch column.Batch
				if err := read(c, b, &batch); (err == nil) != within || err != nil && !errors.Is(err, ErrCell) {
					t.Errorf("%s, %d: %v", notation, v, err)
				} else if within && !slices.Equal(batch.Columns[0].Ints, []int64{int64(v)}) {
					t.Errorf("%s, %d: %d", notation, v, batch.Columns[0].Ints)
				}
			}
			var batch column.Batch
			col, _ := batch.Column([]byte(c.fields[0].name))
			col.Accepts(column.Float64)
			col.AppendFloat64(0.5)
			if err := batch.CloseRow(); err != nil {
				t.Fatal(err)
			}
			want := []float64{0.5}
			err := readRows(c, b, &batch)
			if f := float64(int64(v)); within && f < 1<<63 && int64(f) == int64(v) {
				want = append(want, f)
			} else {
				batch.Undo()
			}
			if (err == nil) != (len(want) == 2) || err != nil && !errors.Is(err, ErrCell) || !slices.Equal(col.Floats, want) {
				t.Errorf("%s, %d into floats: %v, %v, want %v", notation, v, err, col.Floats, want)
			}
		}
	}
}

// matrixLastTexts reads columns of two texts of many lengths. The memory after the input is not
// readable. Texts are copied in blocks only if the block lies within the input and within the
// column's memory.
func matrixLastTexts(t *testing.T) {
	c, err := columnsOf(mustSchema("{list8(str8)}").n)
	if err != nil {
		t.Fatal(err)
	}
	for _, first := range []int{0, 1, mem.BlockSize - 1, mem.BlockSize, mem.BlockSize + 1} {
		for last := range 2 * mem.BlockSize {
			texts := []string{strings.Repeat("a", first), strings.Repeat("b", last)}
			b := []byte{2}
			for _, s := range texts {
				b = append(append(b, byte(len(s))), s...)
			}
			in, region := guard.Input(b)
			var batch column.Batch
			if err := c.Parse(in, &batch); err != nil {
				t.Fatalf("texts of %d and %d bytes: %v", first, last, err)
			}
			region.Free()
			col := batch.Columns[0]
			if got := []string{string(col.StringAt(0)), string(col.StringAt(1))}; !slices.Equal(got, texts) || string(col.Text) != texts[0]+texts[1] {
				t.Errorf("%q, want %q", got, texts)
			}
		}
	}
}

// matrixSheet returns the format for random schemas. Each document has its own schema.
func matrixSheet(t *testing.T, random func(*rand.Rand) string, oracle func(*schemaoracle.Layout, []byte) ([][]schemaoracle.Cell, bool),
	ways ...func(*Columns, []byte, *column.Batch) error) sheet.Format {
	var c *Columns
	var layout *schemaoracle.Layout
	f := sheet.Format{Times: true}
	f.Document = func(r *rand.Rand) []byte {
		s := mustSchema(random(r))
		text := pieceOf(s.n).String()
		var err error
		if layout, err = schemaoracle.Parse(text); err == nil {
			c, err = columnsOf(s.n)
		}
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return matrixMessages(r, s)
	}
	f.Oracle = func(b []byte) (rows []sheet.Row, ok bool) {
		all, ok := oracle(layout, b)
		for _, cells := range all {
			var row sheet.Row
			for _, cell := range cells {
				if at, is := cell.Value.(time.Time); is {
					cell.Value = sheet.Time(at.UnixMicro())
				}
				row.Keys, row.Values = append(row.Keys, cell.Name), append(row.Values, cell.Value)
			}
			rows = append(rows, row)
		}
		return rows, ok
	}
	for _, way := range ways {
		f.Ways = append(f.Ways, func(b []byte, to *column.Batch) error { return way(c, b, to) })
	}
	return f
}

// readRows reads the rows of b one by one until the end or the first error.
func readRows(c *Columns, b []byte, to *column.Batch) error {
	rows, err := c.Rows(b)
	for err == nil && rows.More() {
		err = rows.Read(to)
	}
	return err
}

// matrixCell returns the notation of a cell of field i. Most cells of one field fit into one
// column.
func matrixCell(r *rand.Rand, i int) string {
	kinds := [...][]string{
		{"i64", "u8", "i8", "u16", "i16", "u32", "i32", "u64", "u16be", "i16be", "u32be", "i32be", "u64be", "i64be", "f64"},
		{"str8", "str16", "str" + headerTexts[r.IntN(len(headerTexts))]},
		{"f64", "f32", "f32be", "f64be", "i32", "i64be", "i64", "u64"},
		{"bool"},
		{"time"},
	}
	kind := i % len(kinds)
	if r.IntN(60) == 0 {
		kind = r.IntN(len(kinds))
	}
	s := kinds[kind][r.IntN(len(kinds[kind]))]
	for r.IntN(3) == 0 {
		s = "opt(" + s + ")"
	}
	return s
}

// matrixRow returns the notation of a row of cells, skipped bytes, structs and a Tail.
func matrixRow(r *rand.Rand) string {
	from := 20 // index of the first Tail field
	if r.IntN(5) == 0 {
		from = r.IntN(8)
	}
	return matrixFields(r, from, func(depth, i int) string { return matrixInner(r, depth, i) })
}

// matrixInner returns the notation of field i of a row, or of a struct in the row.
func matrixInner(r *rand.Rand, depth, i int) string {
	if i < 5 || depth == 2 {
		return matrixCell(r, i)
	}
	s := matrixFields(r, 20, func(_, i int) string { return matrixInner(r, depth+1, i) })
	for r.IntN(2) == 0 {
		s = "opt(" + s + ")"
	}
	return s
}

// matrixLists returns the notation of columns.
func matrixLists(r *rand.Rand) string {
	from := 20
	if r.IntN(5) == 0 {
		from = r.IntN(8)
	}
	return matrixFields(r, from, func(_, i int) string {
		return "list" + headerTexts[r.IntN(len(headerTexts))] + "(" + matrixCell(r, i) + ")"
	})
}

// matrixFields returns the notation of a struct. The fields from index `from` on form the Tail.
func matrixFields(r *rand.Rand, from int, field func(depth, i int) string) string {
	var fields []string
	for i := range 1 + r.IntN(8) {
		if i > 0 && r.IntN(8) == 0 {
			fields = append(fields, fmt.Sprint("skip", r.IntN(9)))
		}
		if i == from {
			fields = append(fields, "[")
		}
		fields = append(fields, field(0, i))
	}
	s := strings.ReplaceAll("{"+strings.Join(fields, ",")+"}", "[,", "[")
	if strings.Contains(s, "[") {
		s = s[:len(s)-1] + "]}"
	}
	return s
}

// matrixMessages returns the encoding of some rows of s.
func matrixMessages(r *rand.Rand, s *anySchema) (b []byte) {
	count := r.IntN(5)
	if r.IntN(6) == 0 {
		count = r.IntN(90)
	}
	large := 60 // one of this many integers is large
	if r.IntN(3) == 0 {
		large = 4
	}
	fill := func(n *node, v reflect.Value) {
		fillValue(r, n, v, 0)
		mostlyUTF8(r, v)
		mostlyFits(r, v, large)
	}
	var spans []span
	if s.n.onlyLists() {
		v := reflect.New(s.typ).Elem()
		for _, f := range s.n.fields {
			if f.n == nil {
				continue
			}
			list := reflect.MakeSlice(v.FieldByName(f.name).Type(), count, count)
			for i := range count {
				fill(f.n.elem, list.Index(i))
			}
			v.FieldByName(f.name).Set(list)
		}
		b = naive(nil, s.n, v, "", &spans)
		return spoil(r, b, spans)
	}
	if s.n.hasTail() {
		count = min(count, 1)
	}
	for range count {
		v := reflect.New(s.typ).Elem()
		fill(s.n, v)
		b = naive(b, s.n, v, "", &spans)
	}
	return spoil(r, b, spans)
}

// spoil replaces, in some messages, one bool or option flag by a byte other than 0 and 1. To other
// messages it appends a byte.
func spoil(r *rand.Rand, b []byte, spans []span) []byte {
	switch r.IntN(8) {
	case 0:
		flags := slices.DeleteFunc(spans, func(s span) bool { return s.n == nil || s.n.kind != kindBool && s.n.kind != kindOpt })
		if len(flags) > 0 {
			b[flags[r.IntN(len(flags))].start] = byte(2 + r.IntN(254))
		}
	case 1:
		b = append(b, byte(r.IntN(3)))
	}
	return b
}

// mostlyFits reduces most large integers in v so that a float64 can represent them. About one of
// `some` integers stays large. Half of these are odd and exceed 2⁵³, so a float64 would round them.
func mostlyFits(r *rand.Rand, v reflect.Value, some int) {
	odd := int64(1)<<53 + 1 + 2*r.Int64N(1<<40)
	switch v.Kind() {
	case reflect.Int64:
		if r.IntN(some) > 0 {
			v.SetInt(v.Int() >> 12)
		} else if r.IntN(2) == 0 {
			v.SetInt(odd)
		}
	case reflect.Uint64:
		if r.IntN(some) > 0 {
			v.SetUint(v.Uint() >> 12)
		} else if r.IntN(2) == 0 {
			v.SetUint(uint64(odd))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			mostlyFits(r, v.Elem(), some)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				mostlyFits(r, v.Field(i), some)
			}
		}
	}
}
