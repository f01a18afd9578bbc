package msgpack

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/slipstream-go/slipstream/column"
)

// columnOf encodes {"c": [cells]}, and rowsOf encodes [{"c": cell}, …].
func columnOf(cells ...any) []byte { return encoded(map[string]any{"c": cells}) }

func rowsOf(cells ...any) []byte {
	rows := make([]any, len(cells))
	for i, cell := range cells {
		rows[i] = map[string]any{"c": cell}
	}
	return encoded(rows)
}

func encoded(v any) []byte {
	b, err := Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// refusal decodes cells by each of the calls and from each source, and returns the row and text of
// the error. All must agree, except on the offset.
func refusal(t *testing.T, cells ...any) (row int, text string) {
	t.Helper()
	inColumns, inRows := columnOf(cells...), rowsOf(cells...)
	row = -1
	accepted := 0
	for name, decode := range map[string]func(d *Decoder, b *column.Batch) error{
		"DecodeColumns": func(d *Decoder, b *column.Batch) error { d.ResetBytes(inColumns); return d.DecodeColumns(b) },
		"DecodeColumns, stream": func(d *Decoder, b *column.Batch) error {
			d.Reset(iotest.OneByteReader(bytes.NewReader(inColumns)))
			return d.DecodeColumns(b)
		},
		"DecodeColumns, careful": func(d *Decoder, b *column.Batch) error {
			d.ResetBytes(inColumns)
			d.SetOptions(DecodeOptions{MaxBytes: 1 << 20})
			return d.DecodeColumns(b)
		},
		"DecodeRows": func(d *Decoder, b *column.Batch) error { d.ResetBytes(inRows); return d.DecodeRows(b) },
	} {
		var b column.Batch
		err := decode(newDecoder(), &b)
		if err == nil {
			accepted++
			continue
		}
		var where *Error
		if !errors.As(err, &where) {
			t.Fatalf("%s: %v is no *Error", name, err)
		}
		data, path := inColumns, "c[%d]"
		if name == "DecodeRows" {
			data, path = inRows, "[%d].c"
		}
		var k int
		if _, err := fmt.Sscanf(where.Path, path, &k); err != nil || text != "" && (row != k || text != where.Error()) {
			t.Fatalf("%s: %+v; want row %d, %s", name, where, row, text)
		}
		row, text = k, where.Error()
		if want := encoded(cells[k]); !bytes.HasPrefix(data[where.Offset:], want) {
			t.Errorf("%s: byte %d is not where the cell starts: %x", name, where.Offset, data[where.Offset:])
		}
		// The batch contains exactly the cells before the error.
		if c := b.Columns[0]; c.Rows != k || c.InvalidText(0) >= 0 {
			t.Errorf("%s: %d rows are left, want %d", name, c.Rows, k)
		}
	}
	if accepted != 0 && text != "" {
		t.Fatalf("%d calls accept the cells, and others do not: %s", accepted, text)
	}
	return row, text
}

// A column rejects a string that is not UTF-8, at any position among others, short or long.
func TestColumnsTextIsUTF8(t *testing.T) {
	long := strings.Repeat("ж", 100)
	for _, bad := range []string{"\xff", "a\xc3", "\xed\xa0\x80", strings.Repeat("x", 30) + "\x80", long + "\xd0", "\xb6" + long} {
		for _, n := range []int{0, 1, 15, 16, 40} {
			for _, other := range []string{"", "ascii", "é", long} {
				cells := make([]any, 0, 2*n+1)
				for range n {
					cells = append(cells, other)
				}
				cells = append(cells, bad)
				for range n {
					cells = append(cells, other)
				}
				if row, text := refusal(t, cells...); row != n || text != "msgpack: a string is not UTF-8" {
					t.Fatalf("%q after %d × %q: row %d, %q", bad, n, other, row, text)
				}
			}
		}
	}
	// A rune that is split over two cells is invalid in both.
	if row, text := refusal(t, "\xc3", "\xa9"); row != 0 || text == "" {
		t.Errorf("row %d, %q", row, text)
	}
	if _, text := refusal(t, nil, "é", nil, "\U0001F600", ""); text != "" {
		t.Errorf("valid text is refused: %s", text)
	}
	var c column.Column
	d := newDecoder()
	d.ResetBytes([]byte("\xa1\xff"))
	if err := d.DecodeCell(&c); err == nil || c.Rows != 0 || c.Kind != column.Null {
		t.Errorf("DecodeCell: %v, and the column has %d rows of %v", err, c.Rows, c.Kind)
	}
	d.ResetBytes([]byte("\x92\xa1a\xa1\xff"))
	if err := d.DecodeColumn(&c); err == nil || c.Rows != 1 {
		t.Errorf("DecodeColumn: %v, and the column has %d rows", err, c.Rows)
	}
	// Interned strings are checked too.
	d.ResetBytes([]byte("\x92\xa3\xffaa\xd4\x80\x00"))
	d.UseInternedStrings(true)
	c.Reset()
	if err := d.DecodeColumn(&c); err == nil || c.Rows != 0 {
		t.Errorf("interned: %v, and the column has %d rows", err, c.Rows)
	}
}

// A column name that is not UTF-8 is rejected.
func TestColumnsNameIsUTF8(t *testing.T) {
	for _, name := range [][]byte{[]byte("\xa1\xff"), []byte("\xc4\x01\xff")} {
		for _, rows := range []bool{false, true} {
			var b column.Batch
			d := newDecoder()
			var err error
			if rows {
				d.ResetBytes(append(append([]byte("\x91\x81"), name...), 1))
				err = d.DecodeRows(&b)
			} else {
				d.ResetBytes(append(append([]byte("\x81"), name...), 0x91, 1))
				err = d.DecodeColumns(&b)
			}
			if text(err) != "column: a name is not UTF-8" || len(b.Columns) != 0 {
				t.Errorf("%x: %v, and %d columns", name, err, len(b.Columns))
			}
		}
	}
}

// A column of floats rejects an integer that it would round. A column that contains such an integer
// rejects a float.
func TestColumnsKeepIntegers(t *testing.T) {
	const big int64 = 1<<53 + 1
	for _, c := range []struct {
		cells []any
		row   int
		text  string
	}{
		{[]any{1.5, int64(1 << 53), int64(-1 << 60)}, -1, ""},
		{[]any{int64(1 << 53), 1.5}, -1, ""},
		{[]any{big, -big}, -1, ""},
		{[]any{1.5, 2, big}, 2, "msgpack: 9007199254740993 in a column of float64, which cannot represent it exactly"},
		{[]any{1.5, 2, -big}, 2, "msgpack: -9007199254740993 in a column of float64, which cannot represent it exactly"},
		{[]any{1, big, 1.5}, 2, "msgpack: a float64 in a column of int64, whose row 1 is 9007199254740993, which float64 cannot represent exactly"},
		{[]any{true, 1}, 1, "msgpack: an int64 in a column of bool"},
		{[]any{"a", 1}, 1, "msgpack: an int64 in a column of string"},
		{[]any{1, "a"}, 1, "msgpack: a string in a column of int64"},
		{[]any{1, true}, 1, "msgpack: a bool in a column of int64"},
	} {
		if row, text := refusal(t, c.cells...); row != c.row || text != c.text {
			t.Errorf("%v: row %d, %q", c.cells, row, text)
		}
	}
}
