package schema

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/internal/corpus"
	"github.com/slipstream-go/slipstream/internal/guard"
)

// cells contains the values of a row by column name. Null cells are absent, times are time.Time,
// and floats are stored as their bits.
type cells map[string]any

// rowsOf returns the rows of b.
func rowsOf(b *column.Batch) []cells {
	rows := make([]cells, b.Rows)
	for i := range rows {
		rows[i] = cells{}
		for _, c := range b.Columns {
			if c.Rows != b.Rows {
				panic(fmt.Sprintf("column %q: %d rows of %d", c.Name, c.Rows, b.Rows))
			}
			if c.IsNull(i) {
				continue
			}
			switch c.Kind {
			case column.Bool:
				rows[i][c.Name] = c.Bools[i]
			case column.Int64:
				rows[i][c.Name] = c.Ints[i]
			case column.Float64:
				rows[i][c.Name] = math.Float64bits(c.Floats[i])
			case column.String:
				rows[i][c.Name] = string(c.StringAt(i))
			case column.Time:
				rows[i][c.Name] = time.UnixMicro(c.Ints[i]).UTC()
			}
		}
	}
	return rows
}

func sameCells(a, b []cells) bool { return slices.EqualFunc(a, b, maps.Equal[cells, cells]) }

// putCells stores the cells of v, a value of n, in row. It reports whether every cell can be
// represented.
func putCells(row cells, n *node, v reflect.Value, path string) bool {
	switch n.kind {
	case kindInt:
		if v.CanUint() {
			row[path] = int64(v.Uint())
			return v.Uint() <= math.MaxInt64
		}
		row[path] = v.Int()
	case kindFloat:
		row[path] = math.Float64bits(v.Float())
	case kindBool:
		row[path] = v.Bool()
	case kindString:
		row[path] = v.String()
		return utf8.ValidString(v.String())
	case kindTime:
		t := v.Interface().(time.Time)
		us := t.UnixMicro()
		row[path] = time.UnixMicro(us).UTC()
	case kindOpt:
		return v.IsNil() || putCells(row, n.elem, v.Elem(), path)
	case kindStruct:
		ok := true
		for _, f := range n.fields {
			if f.n != nil {
				ok = putCells(row, f.n, v.FieldByName(f.name), join(path, f.name)) && ok
			}
		}
		return ok
	}
	return true
}

// mostlyUTF8 makes most of the strings in v valid UTF-8.
func mostlyUTF8(r *rand.Rand, v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if r.IntN(100) > 0 {
			v.SetString(strings.ToValidUTF8(v.String(), "é"))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			mostlyUTF8(r, v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				mostlyUTF8(r, v.Field(i))
			}
		}
	}
}

// cellNotation returns the notation of a random cell.
func cellNotation(r *rand.Rand) string {
	header := headerTexts[r.IntN(len(headerTexts))]
	leaves := []string{"u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "f32", "f64", "bool", "u16be", "i16be", "u32be", "i32be", "u64be", "i64be", "f32be",
		"f64be", "time", "str8", "str16", "str" + header}
	s := leaves[r.IntN(len(leaves))]
	for r.IntN(4) == 0 {
		s = "opt(" + s + ")"
	}
	return s
}

// rowNotation returns the notation of a random row.
func rowNotation(r *rand.Rand, depth int) string {
	fields := []string{cellNotation(r)}
	for range r.IntN(6) {
		switch {
		case r.IntN(8) == 0:
			fields = append(fields, fmt.Sprint("skip", r.IntN(9)))
		case depth > 0 && r.IntN(4) == 0:
			s := rowNotation(r, depth-1)
			if r.IntN(2) == 0 {
				s = "opt(" + s + ")"
			}
			fields = append(fields, s)
		default:
			fields = append(fields, cellNotation(r))
		}
	}
	return "{" + strings.Join(fields, ",") + "}"
}

// listsNotation returns the notation of random columns.
func listsNotation(r *rand.Rand) string {
	var fields []string
	for range 1 + r.IntN(5) {
		if r.IntN(8) == 0 {
			fields = append(fields, fmt.Sprint("skip", r.IntN(9)))
		}
		fields = append(fields, "list"+headerTexts[r.IntN(len(headerTexts))]+"("+cellNotation(r)+")")
	}
	return "{" + strings.Join(fields, ",") + "}"
}

// Reading random rows and columns returns the cells that were written. A truncated message returns
// an error. Reading row by row returns the same rows as reading all at once.
func TestColumnsRandom(t *testing.T) {
	for seed := range uint64(1000) {
		r := corpus.New(seed)
		notation := rowNotation(r, 2)
		if seed%2 == 1 {
			notation = listsNotation(r)
		}
		s := mustSchema(notation)
		fail := func(format string, args ...any) {
			t.Helper()
			t.Fatalf("seed %d, %s: %s", seed, notation, fmt.Sprintf(format, args...))
		}
		c, err := columnsOf(s.n)
		if err != nil || c.Lists() != (seed%2 == 1) {
			fail("%v, %v", c, err)
		}
		var data []byte
		var spans []span
		var want []cells
		var sound []bool
		count := r.IntN(40)
		if c.Lists() {
			v := reflect.New(s.typ).Elem()
			for range count {
				want, sound = append(want, cells{}), append(sound, true)
			}
			for _, f := range s.n.fields {
				if f.n == nil {
					continue
				}
				list := reflect.MakeSlice(v.FieldByName(f.name).Type(), count, count)
				for i := range count {
					fillValue(r, f.n.elem, list.Index(i), 0)
					mostlyUTF8(r, list.Index(i))
					sound[i] = putCells(want[i], f.n.elem, list.Index(i), f.name) && sound[i]
				}
				v.FieldByName(f.name).Set(list)
			}
			data = naive(nil, s.n, v, "", &spans)
		} else {
			for range count {
				v := reflect.New(s.typ).Elem()
				fillValue(r, s.n, v, 0)
				mostlyUTF8(r, v)
				row := cells{}
				sound = append(sound, putCells(row, s.n, v, ""))
				want = append(want, row)
				spans = spans[:0] // spans of the last row
				data = naive(data, s.n, v, "", &spans)
			}
		}

		var b column.Batch
		err = c.Parse(data, &b)
		bad := slices.Index(sound, false)
		switch {
		case bad >= 0 && !errors.Is(err, ErrCell):
			fail("row %d: %v", bad, err)
		case bad >= 0 && !c.Lists() && !strings.HasPrefix(err.(*Error).Path, fmt.Sprintf("[%d].", bad)):
			fail("row %d: %+v", bad, err)
		case bad < 0 && (err != nil || !sameCells(rowsOf(&b), want)):
			fail("got %v, want %v: %v", rowsOf(&b), want, err)
		}

		b.Reset()
		rows, err := c.Rows(data)
		if err != nil {
			fail("%v", err)
		}
		var taken []cells
		for i := 0; rows.More(); i++ {
			if err := rows.Read(&b); sound[i] != (err == nil) || err != nil && !errors.Is(err, ErrCell) {
				fail("row %d: %v", i, err)
			}
			if sound[i] {
				taken = append(taken, want[i])
			} else {
				b.Undo()
			}
		}
		if !sameCells(rowsOf(&b), taken) {
			fail("by row: got %v, want %v", rowsOf(&b), taken)
		}

		for n := range data {
			b.Reset()
			err := c.Parse(data[:n:n], &b)
			if !c.Lists() && err == nil && naiveRows(c, data[:n]) {
				continue // cut between two rows
			}
			if !errors.Is(err, ErrShort) && !errors.Is(err, ErrCell) {
				fail("cut at %d: %v", n, err)
			}
			if _, err := c.Rows(data[:n:n]); c.Lists() && !errors.Is(err, ErrShort) {
				fail("cut at %d: %v", n, err)
			}
		}
	}
}

// naiveRows reports whether data ends at the end of a row.
func naiveRows(c *Columns, data []byte) bool {
	r := cellReader{b: data}
	i := 0
	for i >= 0 && i < len(data) {
		i = r.skip(c.steps, i)
	}
	return i == len(data)
}

func TestColumnsNames(t *testing.T) {
	type place struct{ X, Y float64 }
	type reading struct {
		Time  time.Time
		Place place
		Next  *place
		Load  *uint8
	}
	s, err := Derive[reading]()
	if err != nil {
		t.Fatal(err)
	}
	c, err := columnsOf(s.n)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for name, kind := range c.All() {
		got = append(got, name+" "+kind.String())
	}
	want := []string{"Time time", "Place.X float64", "Place.Y float64", "Next.X float64", "Next.Y float64", "Load int64"}
	if !slices.Equal(got, want) || c.Lists() {
		t.Errorf("%q, want %q", got, want)
	}
	when := time.Date(1969, 12, 31, 23, 59, 59, 999_999_001, time.UTC)
	load := uint8(7)
	data, err := s.Append(nil, &reading{Time: when, Place: place{1, 2}, Load: &load})
	if err != nil {
		t.Fatal(err)
	}
	data, err = s.Append(data, &reading{Next: &place{3, 4}})
	if err != nil {
		t.Fatal(err)
	}
	var b column.Batch
	if err := c.Parse(data, &b); err != nil {
		t.Fatal(err)
	}
	bits := math.Float64bits
	if got, want := rowsOf(&b), []cells{
		{"Time": time.Date(1969, 12, 31, 23, 59, 59, 999_999_000, time.UTC), "Place.X": bits(1), "Place.Y": bits(2), "Load": int64(7)},
		{"Time": time.Time{}, "Place.X": bits(0), "Place.Y": bits(0), "Next.X": bits(3), "Next.Y": bits(4)},
	}; !sameCells(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestColumnsWithout(t *testing.T) {
	for _, c := range []struct{ notation, path, text string }{
		{"{u8,blob8}", "F1", "schema: a blob cannot be stored in a column: columns store numbers, bools, times and strings, and options of these"},
		{"{u8,{opt(map8(u8,u8))}}", "F1.F0", "schema: a map cannot be stored in a column: columns store numbers, bools, times and strings, and options of these"},
		{"{array2(u8)}", "F0", "schema: an array cannot be stored in a column: columns store numbers, bools, times and strings, and options of these"},
		{"{u8,list8(u8)}", "F1", "schema: a list cannot be stored in a column: lists can be columns only if every field is a list"},
		{"{list8(u8),list8(list8(u8))}", "F1", "schema: a list cannot be stored in a column: lists can be columns only if every field is a list"},
		{"{list8(opt({u8}))}", "F0", "schema: a list of structs cannot be stored in a column: columns store numbers, bools, times and strings, and options of these"},
		{"{timezone}", "F0", "schema: a timezone cannot be stored in a column: columns store times without a zone: use time"},
		{"{skip4}", "", "schema: no field can be a column"},
		{"{}", "", "schema: no field can be a column"},
	} {
		_, err := columnsOf(mustSchema(c.notation).n)
		var e *Error
		if !errors.As(err, &e) || e.Path != c.path || e.Cause.Error() != c.text {
			t.Errorf("%s: %+v, want %s in %q", c.notation, err, c.text, c.path)
		}
	}
	if _, err := columnsOf(U8.n); err == nil || !strings.Contains(err.Error(), "a message must be a struct") {
		t.Error(err)
	}
	name := strings.Repeat("n", 204) // five of these names, joined by dots, have the maximum length of a column name
	for levels, want := range map[int]bool{5: true, 6: false} {
		s, err := ParseShape(strings.Repeat("{"+name+" ", levels) + "u8" + strings.Repeat("}", levels))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Columns(); (err == nil) != want || err != nil && !strings.Contains(err.Error(), ": the name of a column would have more than 1024 bytes") {
			t.Errorf("%d levels: %v", levels, err)
		}
	}
	custom := Custom("odd", 1, func(b []byte, _ *uint8) ([]byte, error) { return b, nil }, func(io.Reader, *uint8) error { return nil })
	odd := Struct(F("odd", func(v *uint8) *uint8 { return v }, custom))
	if _, err := columnsOf(odd.n); !isError(err, err, "odd", -1) || !strings.Contains(err.Error(), "a custom type cannot be stored in a column") {
		t.Error(err)
	}
	type list struct{ Next *list }
	self := Struct(F("next", func(l *list) **list { return &l.Next }, Opt(Self[list]())))
	if _, err := columnsOf(self.n); err == nil || !strings.Contains(err.Error(), "a struct within itself cannot be stored in a column") {
		t.Error(err)
	}
	type pair struct{ A, B uint8 }
	inner := Part(F("b", func(p *pair) *uint8 { return &p.B }, U8))
	twice := Struct(F("a.b", func(p *struct{ A, B pair }) *uint8 { return &p.A.A }, U8), F("a", func(p *struct{ A, B pair }) *pair { return &p.B }, inner))
	if _, err := columnsOf(twice.n); err == nil || err.Error() != "schema: a.b: two columns would have this name" {
		t.Error(err)
	}
}

func TestColumnsErrors(t *testing.T) {
	const rows, lists = "{u8,str8,bool}", "{list8(u16),list16(bool),skip1,list8(opt(str8))}"
	for _, c := range []struct {
		notation, data string
		cause          error
		path           string
		offset         int
	}{
		{rows, "\x01\x01a\x01" + "\x01\x01a", ErrShort, "[1].F2", 7},
		{rows, "\x01\x01a\x01" + "\x01\x05a\x01", ErrShort, "[1].F1", 5},
		{rows, "\x01\x00\x02", ErrBool, "[0].F2", 2},
		{rows, "\x01", ErrShort, "[0].F1", 1},
		{"{opt({u8,u8}),u8}", "\x00\x01" + "\x02\x01", ErrOption, "[1].F0", 2},
		{"{opt({u8,u8}),u8}", "\x01\x01", ErrShort, "[0].F0.F1", 2},
		{"{stri8}", "\xff\x01", ErrOverflow, "[0].F0", 0},
		{"{u64}", "\x00\x00\x00\x00\x00\x00\x00\x80", ErrCell, "[0].F0", 0},
		{"{u8,str8}", "\x01\x02é" + "\x02\x03a\xc3(", errText, "[1].F1", 5},
		{"{u8,opt(str8)}", "\x01\x01\x01\xff", errText, "[0].F1", 2},
		{"{list8(str8)}", "\x03\x01a\x02é\x01\xff", errText, "F0[2]", 6},
		{"{list8(str8)}", "\x02\x01\xc3\x01\xa9", errText, "F0[0]", 1}, // the bytes of é are split over two cells
		{"{list8(str8)}", "\x01\x28" + strings.Repeat("\xc3", 40), errText, "F0[0]", 1},
		{"{u8,[u8]}", "\x01\x02\x03", errAfter, "[0]", 2},
		{lists, "\x02\x01\x00\x02", ErrShort, "F0", 0},
		{lists, "\x01\x01\x00\x01\x00\x02", ErrBool, "F1[0]", 5},
		{lists, "\x01\x01\x00\x01\x00\x01", ErrShort, "", 6},
		{lists, "\x01\x01\x00\x01\x00\x01\x00\x01\x02", ErrOption, "F3[0]", 8},
		{lists, "\x01\x01\x00\x01\x00\x01\x00\x01\x01", ErrShort, "F3[0]", 9},
		{lists, "\x01\x01\x00\x01\x00\x01\x00\x01\x01\x00\x00", errAfter, "", 10},
		{lists, "\x01\x01\x00\x02\x00\x01\x00", nil, "F1", 3},
		{"{listi8(u8)}", "\xff", ErrOverflow, "F0", 0},
		{"{list8(u64)}", "\x02" + "\x01\x00\x00\x00\x00\x00\x00\x00" + "\x00\x00\x00\x00\x00\x00\x00\x80", ErrCell, "F0[1]", 9},
		{"{list64(u8)}", "\xff\xff\xff\xff\xff\xff\xff\xff\x01", ErrShort, "F0", 0},
	} {
		columns, err := columnsOf(mustSchema(c.notation).n)
		if err != nil {
			t.Fatal(err)
		}
		err = columns.Parse([]byte(c.data), new(column.Batch))
		if c.cause == nil {
			c.cause = err
		}
		if !isError(err, c.cause, c.path, c.offset) {
			t.Errorf("%s: %x: %+v, want %v in %s at %d", c.notation, c.data, err, c.cause, c.path, c.offset)
		}
	}
}

// Integers can be read into a column of floats, and floats into a column of integers. Both reject
// integers that a float64 would round.
func TestColumnsKeepIntegers(t *testing.T) {
	const big = "\x01\x00\x00\x00\x00\x00\x20\x00" // 2^53 + 1
	parse := func(b *column.Batch, notation, data string) error {
		c, err := columnsOf(mustSchema(notation).n)
		if err != nil {
			t.Fatal(err)
		}
		return c.Parse([]byte(data), b)
	}
	for _, ints := range []string{"{i64}", "{u64}", "{opt(i64)}"} {
		mark := map[bool]string{true: "\x01"}[ints == "{opt(i64)}"]
		var b column.Batch
		if err := parse(&b, "{f64}", strings.Repeat("\x00", 8)); err != nil {
			t.Fatal(err)
		}
		err := parse(&b, ints, mark+"\x07\x00\x00\x00\x00\x00\x00\x00"+mark+big)
		if !errors.Is(err, ErrCell) || !strings.HasPrefix(err.Error(), "schema: [1].F0: 9007199254740993 in a column of float64, which cannot represent it exactly (offset ") || err.(*Error).Path != "[1].F0" {
			t.Errorf("%s: %+v", ints, err)
		}
		if b.Undo(); b.Rows != 2 || b.Columns[0].Floats[1] != 7 {
			t.Errorf("%s: %+v", ints, b.Columns[0])
		}

		b.Reset()
		if err := parse(&b, ints, mark+big); err != nil {
			t.Fatal(err)
		}
		err = parse(&b, "{f64}", strings.Repeat("\x00", 8))
		if err == nil || err.Error() != "schema: [0].F0: a float64 in a column of int64, whose row 0 is 9007199254740993, which float64 cannot represent exactly (offset 0)" {
			t.Errorf("%s: %+v", ints, err)
		}
		if b.Undo(); b.Rows != 1 || b.Columns[0].Ints[0] != 1<<53+1 {
			t.Errorf("%s: %+v", ints, b.Columns[0])
		}
	}
}

// The fields of a missing Tail are null. The lists of a missing Tail create no columns.
func TestColumnsTail(t *testing.T) {
	for _, c := range []struct {
		notation, data string
		want           []cells
	}{
		{"{u8,[u8,{u8,opt(u8)}]}", "\x01", []cells{{"F0": int64(1)}}},
		{"{u8,[u8,{u8,opt(u8)}]}", "\x01\x02", []cells{{"F0": int64(1), "F1": int64(2)}}},
		{"{u8,[u8,{u8,opt(u8)}]}", "\x01\x02\x03\x00", []cells{{"F0": int64(1), "F1": int64(2), "F2.F0": int64(3)}}},
		{"{[u8]}", "", nil},
		{"{skip2,[list8(u8)]}", "\x00\x00", nil},
		{"{[list8(u8)]}", "", nil},
		{"{list8(u8),[list8(u8)]}", "\x01\x01", []cells{{"F0": int64(1)}}},
		{"{list8(u8),[list8(u8)]}", "\x01\x01\x01\x02", []cells{{"F0": int64(1), "F1": int64(2)}}},
	} {
		columns, err := columnsOf(mustSchema(c.notation).n)
		if err != nil {
			t.Fatal(err)
		}
		var b column.Batch
		if err := columns.Parse([]byte(c.data), &b); err != nil || !sameCells(rowsOf(&b), c.want) {
			t.Errorf("%s: %x: %v, %v", c.notation, c.data, rowsOf(&b), err)
		}
		made := len(b.Columns)
		b.Reset()
		rows, err := columns.Rows([]byte(c.data))
		for err == nil && rows.More() {
			err = rows.Read(&b)
		}
		if err != nil || !sameCells(rowsOf(&b), c.want) || b.Rows > 0 && len(b.Columns) != made {
			t.Errorf("%s: %x: %v in %d columns, want %d; %v", c.notation, c.data, rowsOf(&b), len(b.Columns), made, err)
		}
	}
}

// A second message appends its rows to the batch. A column of another kind returns an error, and
// the existing rows are kept.
func TestColumnsAfterRows(t *testing.T) {
	c, err := columnsOf(mustSchema("{u8,str8}").n)
	if err != nil {
		t.Fatal(err)
	}
	var b column.Batch
	for range 2 {
		if err := c.Parse([]byte("\x01\x01a"), &b); err != nil {
			t.Fatal(err)
		}
	}
	other, err := columnsOf(mustSchema("{u8,bool}").n)
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Parse([]byte("\x01\x01"), &b); err == nil || err.Error() != "schema: [0].F1: a bool in a column of string (offset 0)" {
		t.Errorf("%+v", err)
	}
	b.Undo()
	if want := (cells{"F0": int64(1), "F1": "a"}); !sameCells(rowsOf(&b), []cells{want, want}) {
		t.Error(rowsOf(&b))
	}
	lists, err := columnsOf(mustSchema("{list8(u8)}").n)
	if err != nil {
		t.Fatal(err)
	}
	if err := lists.Parse([]byte("\x00"), &b); err == nil {
		t.Error("columns went after rows")
	}
}

// After an error in one list, a missing list of the Tail is not read.
func TestColumnsTailRefused(t *testing.T) {
	c, err := columnsOf(mustSchema("{list8(u8),[list8(u8)]}").n)
	if err != nil {
		t.Fatal(err)
	}
	var b column.Batch
	text, _ := b.Column([]byte("F0"))
	text.Accepts(column.String)
	text.AppendString(nil)
	b.CloseRow()
	rows, err := c.Rows([]byte{1, 7})
	if err != nil {
		t.Fatal(err)
	}
	var e *Error
	if err := rows.Read(&b); !errors.As(err, &e) || e.Path != "F0" {
		t.Errorf("%+v, want an error of F0", err)
	}
}

func TestColumnsLimits(t *testing.T) {
	rows, err := columnsOf(mustSchema("{u8,u8}").n)
	if err != nil {
		t.Fatal(err)
	}
	lists, err := columnsOf(mustSchema("{list8(u8),list8(u8)}").n)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []*Columns{rows, lists} {
		data := "\x02\x01\x02\x02\x01\x02"
		for _, b := range []column.Batch{{MaxRows: 1}, {MaxColumns: 1}, {MaxCells: 1}} {
			err := c.Parse([]byte(data), &b)
			if e := new(Error); !errors.As(err, &e) || e.Offset < 0 || e.Offset > 3 || e.Path == "" {
				t.Errorf("%+v: %v, of %v", b, err, rowsOf(&b))
			}
			b.Reset()
			rows, err := c.Rows([]byte(data))
			for err == nil && rows.More() {
				err = rows.Read(&b)
			}
			if e := new(Error); !errors.As(err, &e) || e.Offset < 0 || e.Offset > 2 || e.Path == "" && b.MaxColumns > 0 {
				t.Errorf("row by row, %+v: %v, of %v", b, err, rowsOf(&b))
			}
		}
	}
}

// Columns that exceed MaxCells are rejected before memory is allocated for them. A list of a Tail
// counts only if it is present.
func TestColumnsCells(t *testing.T) {
	const text = ": 2 rows of 2 columns are more than 3 cells; send smaller batches (offset "
	for _, c := range []struct {
		notation, data string
		most, made     int // maximum number of cells; number of columns in the batch, excluding a rejected column
		ok             bool
	}{
		{"{skip1,list8(i64),list8(i64)}", "\x00\x02" + strings.Repeat("\x00", 16) + "\x02" + strings.Repeat("\x00", 16), 4, 2, true},
		{"{skip1,list8(i64),list8(i64)}", "\x00\x02" + strings.Repeat("\x00", 16) + "\x02" + strings.Repeat("\x00", 16), 3, 0, false},
		{"{list8(u8),[list8(u8)]}", "\x02\x01\x02", 3, 1, true},
		{"{list8(u8),[list8(u8)]}", "\x02\x01\x02\x02\x01\x02", 4, 2, true},
		{"{list8(u8),[list8(u8)]}", "\x02\x01\x02\x02\x01\x02", 3, 1, false},
	} {
		columns, err := columnsOf(mustSchema(c.notation).n)
		if err != nil {
			t.Fatal(err)
		}
		b := column.Batch{MaxCells: c.most}
		err = columns.Parse([]byte(c.data), &b)
		if (err == nil) != c.ok || err != nil && !strings.Contains(err.Error(), text) || len(b.Columns) != c.made {
			t.Errorf("%s, %d cells: %d columns, %v", c.notation, c.most, len(b.Columns), err)
		}
	}
}

// FuzzColumns reads random bytes as random columns. Memory use is bounded by the input. Reading all
// rows at once and reading them one by one return the same rows.
func FuzzColumns(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed, []byte("\x01\x00\x00\x01\x01a\x02\x00\x00\x00\x00\x00\x00\x00\x80"))
	}
	f.Fuzz(func(t *testing.T, seed uint64, data []byte) {
		data = guard.Test(t, data)
		r := corpus.New(seed)
		random := func() string { return rowNotation(r, 2) }
		if seed%2 == 1 {
			random = func() string { return listsNotation(r) }
		}
		notation := random()
		switch tail := random(); {
		case seed%5 == 0:
			notation = "{[" + tail[1:len(tail)-1] + "]}"
		case seed%3 == 0:
			notation = notation[:len(notation)-1] + ",[" + tail[1:len(tail)-1] + "]}"
		}
		c, err := columnsOf(mustSchema(notation).n)
		if err != nil {
			t.Fatal(err)
		}
		data = data[:len(data):len(data)]
		var all, one column.Batch
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		failed := c.Parse(data, &all)
		runtime.ReadMemStats(&after)
		if got, most := after.TotalAlloc-before.TotalAlloc, uint64(1<<20+len(data)*len(c.fields)*64); got > most {
			t.Fatalf("%s took %d bytes for %d", notation, got, len(data))
		}
		rows, err := c.Rows(data)
		for err == nil && rows.More() {
			err = rows.Read(&one)
		}
		if (err == nil) != (failed == nil) || err != nil && !c.Lists() && (err.(*Error).Cause.Error() != failed.(*Error).Cause.Error() || err.(*Error).Offset != failed.(*Error).Offset) {
			t.Fatalf("%s: %+v all at once, %+v one by one", notation, failed, err)
		}
		if failed != nil && c.Lists() {
			return
		}
		all.Undo()
		one.Undo()
		if a, b := rowsOf(&all), rowsOf(&one); !sameCells(a, b) {
			t.Fatalf("%s: %v all at once, %v one by one", notation, a, b)
		}
	})
}
