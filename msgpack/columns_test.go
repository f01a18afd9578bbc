package msgpack

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf8"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/internal/corpus"
	"github.com/slipstream-go/slipstream/internal/msgpwire"
)

// naiveColumn is a column as a list of cells. The tests compare the column decoder's result with
// it.
type naiveColumn struct {
	name  string
	kind  column.Kind
	cells []any // nil, bool, int64, float64, string, or a time as int64
}

type naiveBatch struct{ columns []*naiveColumn }

func (b *naiveBatch) find(name string, rows int) *naiveColumn {
	for _, c := range b.columns {
		if c.name == name {
			return c
		}
	}
	c := &naiveColumn{name: name, cells: make([]any, rows)}
	b.columns = append(b.columns, c)
	return c
}

// add appends a decoded value.
func (c *naiveColumn) add(v any) error {
	var kind column.Kind
	var cell any
	switch x := reflect.ValueOf(v); x.Kind() {
	case reflect.Invalid:
		c.cells = append(c.cells, nil)
		return nil
	case reflect.Bool:
		kind, cell = column.Bool, v
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		kind, cell = column.Int64, x.Int()
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if x.Uint() > math.MaxInt64 {
			return errors.New("beyond int64")
		}
		kind, cell = column.Int64, int64(x.Uint())
	case reflect.Float32, reflect.Float64:
		kind, cell = column.Float64, x.Float()
	case reflect.String:
		if kind, cell = column.String, v; !utf8.ValidString(v.(string)) {
			return errors.New("not UTF-8")
		}
	default:
		t, ok := v.(time.Time)
		if !ok {
			return errors.New("nested")
		}
		if s := t.Unix(); s >= math.MaxInt64/1_000_000 || s <= math.MinInt64/1_000_000 {
			return errors.New("beyond microseconds")
		}
		kind, cell = column.Time, t.UnixMicro()
	}
	switch {
	case c.kind == column.Null:
		c.kind = kind
	case c.kind == column.Int64 && kind == column.Float64:
		for _, x := range c.cells {
			if n, ok := x.(int64); ok && !(&column.Column{Kind: column.Float64}).AcceptsInt64(n) {
				return errors.New("rounded")
			}
		}
		c.kind = kind
		for i, x := range c.cells {
			if n, ok := x.(int64); ok {
				c.cells[i] = float64(n)
			}
		}
	case c.kind == column.Float64 && kind == column.Int64:
		if !(&column.Column{Kind: column.Float64}).AcceptsInt64(cell.(int64)) {
			return errors.New("rounded")
		}
		cell = float64(cell.(int64))
	case c.kind != kind:
		return errors.New("another kind")
	}
	c.cells = append(c.cells, cell)
	return nil
}

// naiveColumns decodes like DecodeColumns, but into an any first.
func naiveColumns(data []byte) (*naiveBatch, error) {
	d := newDecoder()
	d.ResetBytes(data)
	b := new(naiveBatch)
	n, err := d.DecodeMapLen()
	if n < 0 {
		err = errors.New("nil")
	}
	for ; n > 0 && err == nil; n-- {
		var name string
		var count int
		if name, err = naiveKey(d); err != nil {
			break
		}
		had := len(b.columns)
		c := b.find(name, 0)
		if len(b.columns) == had {
			return nil, errors.New("twice")
		}
		if count, err = d.DecodeArrayLen(); count < 0 {
			err = errors.New("nil")
		}
		for ; count > 0 && err == nil; count-- {
			var v any
			if v, err = d.DecodeInterface(); err == nil {
				err = c.add(v)
			}
		}
		if err == nil && len(c.cells) != len(b.columns[0].cells) {
			err = errors.New("length")
		}
	}
	return b, err
}

// naiveRows decodes like DecodeRows, but into an any first. It also returns the number of rows,
// since rows may be empty.
func naiveRows(data []byte) (*naiveBatch, int, error) {
	d := newDecoder()
	d.ResetBytes(data)
	b := new(naiveBatch)
	rows, err := d.DecodeArrayLen()
	if rows < 0 {
		err = errors.New("nil")
	}
	for row := 0; row < rows && err == nil; row++ {
		var n int
		if n, err = d.DecodeMapLen(); n < 0 {
			err = errors.New("nil")
		}
		for ; n > 0 && err == nil; n-- {
			var name string
			var v any
			if name, err = naiveKey(d); err != nil {
				break
			}
			if v, err = d.DecodeInterface(); err != nil {
				break
			}
			c := b.find(name, row)
			if len(c.cells) > row {
				return nil, 0, errors.New("twice")
			}
			err = c.add(v)
		}
		for _, c := range b.columns {
			if len(c.cells) == row {
				c.cells = append(c.cells, nil)
			}
		}
	}
	return b, rows, err
}

func naiveKey(d *Decoder) (string, error) {
	if c, err := d.PeekCode(); err == nil && c == msgpwire.Nil {
		return "", errors.New("nil key")
	}
	name, err := d.DecodeString()
	if err == nil && !utf8.ValidString(name) {
		err = errors.New("not UTF-8")
	}
	return name, err
}

// compare returns an error that describes how b differs from n.
func (n *naiveBatch) compare(b *column.Batch, rows int) error {
	if len(b.Columns) != len(n.columns) || b.Rows != rows {
		return fmt.Errorf("%d columns of %d rows, want %d of %d", len(b.Columns), b.Rows, len(n.columns), rows)
	}
	for i, want := range n.columns {
		c := b.Columns[i]
		if c.Name != want.name {
			return fmt.Errorf("column %d is %q, want %q", i, c.Name, want.name)
		}
		if err := want.compare(c); err != nil {
			return fmt.Errorf("column %q: %w", c.Name, err)
		}
		if b.Find(c.Name) != c {
			return fmt.Errorf("column %q is not found", c.Name)
		}
	}
	return nil
}

func (n *naiveColumn) compare(c *column.Column) error {
	if c.Kind != n.kind || c.Rows != len(n.cells) {
		return fmt.Errorf("%v × %d, want %v × %d", c.Kind, c.Rows, n.kind, len(n.cells))
	}
	ints, floats, bools, ends := 0, 0, 0, 0
	switch c.Kind {
	case column.Bool:
		bools = c.Rows
	case column.Int64, column.Time:
		ints = c.Rows
	case column.Float64:
		floats = c.Rows
	case column.String:
		ends = c.Rows
	}
	if len(c.Ints) != ints || len(c.Floats) != floats || len(c.Bools) != bools || len(c.Ends) != ends {
		return fmt.Errorf("%v × %d has %d ints, %d floats, %d bools, %d ends", c.Kind, c.Rows, len(c.Ints), len(c.Floats), len(c.Bools), len(c.Ends))
	}
	if c.Nulls.Truncate(c.Rows).Count() != c.Nulls.Count() {
		return errors.New("nulls beyond the end")
	}
	for i, want := range n.cells {
		if c.IsNull(i) != (want == nil) {
			return fmt.Errorf("cell %d: null is %v, want %v", i, c.IsNull(i), want)
		}
		var got any
		switch c.Kind {
		case column.Bool:
			got = c.Bools[i]
		case column.Int64, column.Time:
			got = c.Ints[i]
		case column.Float64:
			got = c.Floats[i]
		case column.String:
			got = string(c.StringAt(i))
		}
		if want == nil && got != nil && !reflect.ValueOf(got).IsZero() {
			return fmt.Errorf("cell %d: %v under a null", i, got)
		}
		if want != nil && got != want && !(got != got && want != want) {
			return fmt.Errorf("cell %d is %v, want %v", i, got, want)
		}
	}
	return nil
}

// checkColumns decodes data as columns and as rows, from bytes and from a stream, into batches that
// may have been used before. It compares all results with the naive decoder.
func checkColumns(t testing.TB, data []byte, used *column.Batch) {
	t.Helper()
	want, wantErr := naiveColumns(data)
	rows := 0
	if wantErr == nil && len(want.columns) > 0 {
		rows = len(want.columns[0].cells)
	}
	wantRows, rowCount, wantRowsErr := naiveRows(data)
	for from, b := range map[string]*column.Batch{"bytes": used, "stream": new(column.Batch)} {
		open := func() *Decoder {
			b.Reset()
			if from == "stream" {
				return NewDecoder(iotest.OneByteReader(bytes.NewReader(data)))
			}
			d := newDecoder()
			d.ResetBytes(data)
			return d
		}
		err := open().DecodeColumns(b)
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%x as columns from %s: %+v, want %v", data, from, err, wantErr)
		}
		if err == nil {
			if err := want.compare(b, rows); err != nil {
				t.Fatalf("%x as columns from %s: %v", data, from, err)
			}
		}
		err = open().DecodeRows(b)
		if (err == nil) != (wantRowsErr == nil) {
			t.Fatalf("%x as rows from %s: %+v, want %v", data, from, err, wantRowsErr)
		}
		if err == nil {
			if err := wantRows.compare(b, rowCount); err != nil {
				t.Fatalf("%x as rows from %s: %v", data, from, err)
			}
		}
	}
}

// cell appends a random cell of the given kind, in a random width. A few cells are of another kind.
func cell(r *rand.Rand, b []byte, kind int) []byte {
	if r.IntN(60) == 0 {
		return msgpwire.AppendNil(b)
	}
	if r.IntN(400) == 0 {
		kind = r.IntN(8)
	}
	n := corpus.Int(r)
	switch kind {
	case 0:
		return msgpwire.AppendInt(b, n)
	case 1:
		return msgpwire.AppendCode64(b, msgpwire.Int64, uint64(n))
	case 2:
		if r.IntN(5) == 0 {
			return msgpwire.AppendInt(b, n)
		}
		return msgpwire.AppendFloat64(b, corpus.Float(r))
	case 3:
		if r.IntN(9) == 0 {
			return msgpwire.AppendFloat32(b, float32(corpus.Float(r)))
		}
		return msgpwire.AppendFloat64(b, corpus.Float(r))
	case 4:
		return msgpwire.AppendString(b, strings.Repeat("é", r.IntN(21))+"x"[:r.IntN(2)])
	case 5:
		return msgpwire.AppendString(b, corpus.String(r))
	case 6:
		return msgpwire.AppendBool(b, r.IntN(2) == 0)
	}
	return msgpwire.AppendTime(b, time.Unix(r.Int64N(1<<35)-1<<33, r.Int64N(1e9)))
}

// The column decoder agrees with the naive decoder on random batches. All are decoded into one
// batch, so that batches of different shapes reuse its memory.
func TestColumnsAgainstNaive(t *testing.T) {
	r := corpus.New(2)
	var used column.Batch
	good := 0
	for range 400 {
		columns, rows := r.IntN(14), r.IntN(60)
		data := msgpwire.AppendMapLen(nil, columns)
		for i := range columns {
			data = msgpwire.AppendString(data, fmt.Sprintf("%s%d", strings.Repeat("c", r.IntN(30)), i))
			kind, n := r.IntN(8), rows
			if r.IntN(300) == 0 {
				n++
			}
			data = msgpwire.AppendArrayLen(data, n)
			for range n {
				data = cell(r, data, kind)
			}
		}
		if _, err := naiveColumns(data); err == nil {
			good++
		}
		checkColumns(t, data, &used)

		data = msgpwire.AppendArrayLen(nil, rows)
		kinds := make([]int, columns)
		for i := range kinds {
			kinds[i] = r.IntN(8)
		}
		for range rows {
			order := r.Perm(columns)
			order = order[:columns-r.IntN(columns+1)/3]
			data = msgpwire.AppendMapLen(data, len(order))
			for _, i := range order {
				data = cell(r, msgpwire.AppendString(data, fmt.Sprint("key", i)), kinds[i])
			}
		}
		if _, _, err := naiveRows(data); err == nil {
			good++
		}
		checkColumns(t, data, &used)
	}
	if good < 200 {
		t.Errorf("only %d of 800 batches are good ones", good)
	}
}

// Errors for input that columns cannot hold have the right text, path and offset.
func TestColumnErrors(t *testing.T) {
	for _, c := range []struct {
		digits, text, path string
		offset             int64
	}{
		{"90", "msgpack: unexpected code=90 decoding map length", "", 0},
		{"81 a161 01", "msgpack: invalid code=1 decoding array length", "a", 3},
		{"81 01 90", "msgpack: invalid code=1 decoding string/bytes length", "", 1},
		{"81 c0 90", "msgpack: invalid code=c0 decoding string/bytes length", "", 1},
		{"81 a161 92 01 90", "msgpack: a column cannot hold an array, a map, a bin, or an ext that is not a timestamp", "a[1]", 5},
		{"81 a161 92 01 80", "msgpack: a column cannot hold an array, a map, a bin, or an ext that is not a timestamp", "a[1]", 5},
		{"81 a161 91 c40161", "msgpack: a column cannot hold an array, a map, a bin, or an ext that is not a timestamp", "a[0]", 4},
		{"81 a161 91 d40500", "msgpack: a column cannot hold an array, a map, a bin, or an ext that is not a timestamp", "a[0]", 4},
		{"81 a161 92 01 c3", "msgpack: a bool in a column of int64", "a[1]", 5},
		{"81 a161 92 a178 01", "msgpack: an int64 in a column of string", "a[1]", 6},
		{"81 a161 92 d6ff00000001 01", "msgpack: an int64 in a column of time", "a[1]", 10},
		{"81 a161 92 01 cf8000000000000000", "msgpack: a uint64 beyond the range of int64 cannot be stored; send it as a float or a string", "a[1]", 5},
		{"81 a161 91 c70cff 00000000 7fffffffffffffff", "msgpack: a time of 9223372036854775807 seconds since 1970 does not fit an int64 of microseconds", "a[0]", 4},
		{"82 a161 91 01 a162 92 01 02", `msgpack: the column has 2 rows, but "a" has 1`, "b", 7},
		{"82 a161 91 01 a161 91 02", "msgpack: the column is repeated", "a", 5},
		{"81 a161 92 01 c1", "msgpack: a column cannot hold an array, a map, a bin, or an ext that is not a timestamp", "a[1]", 5},
	} {
		for name, d := range sources(unhex(t, c.digits)) {
			var b column.Batch
			err := d.DecodeColumns(&b)
			var e *Error
			if !errors.As(err, &e) || e.Error() != c.text || e.Path != c.path || e.Offset != c.offset {
				t.Errorf("%s from %s: %+v; want %s in %q at %d", c.digits, name, err, c.text, c.path, c.offset)
			}
		}
	}
	for _, c := range []struct {
		digits, text, path string
		offset             int64
	}{
		{"92 81 a161 01 81 a161 c3", "msgpack: a bool in a column of int64", "[1].a", 8},
		{"91 82 a161 01 a161 02", "msgpack: the column is repeated", "[0].a", 5},
		{"91 01", "msgpack: unexpected code=1 decoding map length", "[0]", 1},
	} {
		for name, d := range sources(unhex(t, c.digits)) {
			err := d.DecodeRows(new(column.Batch))
			var e *Error
			if !errors.As(err, &e) || e.Error() != c.text || e.Path != c.path || e.Offset != c.offset {
				t.Errorf("%s from %s: %+v; want %s in %q at %d", c.digits, name, err, c.text, c.path, c.offset)
			}
		}
	}
}

// DecodeColumns rejects a batch that is not empty, and also a batch whose last decoding failed.
// After a reset, it accepts both.
func TestColumnsNotEmpty(t *testing.T) {
	d := newDecoder()
	var b column.Batch
	for _, digits := range []string{"81 a161 91 01", "82 a161 91 01 a162 c3", "81 a161 90"} {
		b.Reset()
		d.ResetBytes(unhex(t, digits))
		_ = d.DecodeColumns(&b)
		d.ResetBytes(unhex(t, "81 a161 91 01"))
		if err := d.DecodeColumns(&b); text(err) != "msgpack: DecodeColumns needs an empty batch" {
			t.Errorf("after %s: %v", digits, err)
		}
		b.Reset()
		d.ResetBytes(unhex(t, "81 a161 91 01"))
		if err := d.DecodeColumns(&b); err != nil || b.Rows != 1 {
			t.Errorf("after %s and a reset: %v", digits, err)
		}
	}
}

// DecodeCell appends a cell. After an error, the column is unchanged.
func TestDecodeCell(t *testing.T) {
	for _, c := range []struct{ start, bad string }{
		{"91 01", "cb3ff8"}, {"91 01", "c3"}, {"91 01", "a161"}, {"92 c0 c0", "cd01"}, {"92 c0 c0", "a261"}, {"92 c0 c0", "cfffffffffffffffff"},
		{"92 c0 c0", "cb3ff8"}, {"92 c0 c0", "d6ff0000"}, {"92 c0 c0", "c703ff000000"}, {"91 a161", "a36263"}, {"90", "90"}, {"90", ""},
		{"91 01", "c70cff 00000000 7fffffffffffffff"}, {"91 c0", "c70cff 00000000 7fffffffffffffff"},
	} {
		for name, d := range sources(unhex(t, c.bad)) {
			var col, want column.Column
			for _, to := range []*column.Column{&col, &want} {
				start := newDecoder()
				start.ResetBytes(unhex(t, c.start))
				if err := start.DecodeColumn(to); err != nil {
					t.Fatal(err)
				}
			}
			if err := d.DecodeCell(&col); err == nil {
				t.Errorf("%s after %s from %s: no error", c.bad, c.start, name)
			}
			if fmt.Sprintf("%+v", col) != fmt.Sprintf("%+v", want) {
				t.Errorf("%s after %s from %s: %+v became %+v", c.bad, c.start, name, want, col)
			}
		}
	}
	var col column.Column
	d := newDecoder()
	d.ResetBytes(unhex(t, "c0 01 c0 ca3fc00000 c0 02"))
	for range 6 {
		if err := d.DecodeCell(&col); err != nil {
			t.Fatal(err)
		}
	}
	want := naiveColumn{kind: column.Float64, cells: []any{nil, 1.0, nil, 1.5, nil, 2.0}}
	if err := want.compare(&col); err != nil {
		t.Error(err)
	}
}

// Rows beyond the limits of a batch are rejected, and can be undone.
func TestRowLimits(t *testing.T) {
	row := func(key string) []byte { return append(msgpwire.AppendString([]byte{0x81}, key), 1) }
	b := column.Batch{MaxCells: 100, MaxColumns: 50, MaxRows: 1000}
	d := newDecoder()
	refused := 0
	for i := range 200 {
		d.ResetBytes(row(fmt.Sprint("key", i)))
		before := b.Rows
		if err := d.DecodeRow(&b); err != nil {
			refused++
			b.Undo()
			if b.Rows != before {
				t.Fatalf("row %d: %d rows after Undo, %d before", i, b.Rows, before)
			}
		}
		cells := 0
		for _, c := range b.Columns {
			if cells += c.Rows; c.Rows != b.Rows {
				t.Fatalf("row %d: column %s has %d rows of %d", i, c.Name, c.Rows, b.Rows)
			}
		}
		if cells > 100 {
			t.Fatalf("row %d: %d cells", i, cells)
		}
	}
	if refused == 0 || b.Rows < 9 {
		t.Errorf("%d refused, %d rows", refused, b.Rows)
	}
	small := column.Batch{MaxRows: 2, MaxColumns: 1}
	for digits, want := range map[string]string{
		"81 a161 93 01 02 03":       "column: more than 2 rows in one batch; send smaller batches",
		"82 a161 91 01 a162 91 01":  "column: more than 1 columns",
		"81 a161 dd ffffffff 01 02": "",
	} {
		small.Reset()
		d.ResetBytes(unhex(t, digits))
		if err := d.DecodeColumns(&small); err == nil || want != "" && err.Error() != want {
			t.Errorf("%s: %v", digits, err)
		}
	}
	small.Reset()
	d.ResetBytes(unhex(t, "93 80 80 80"))
	if err := d.DecodeRows(&small); text(err) != "column: more than 2 rows in one batch; send smaller batches" || small.Rows != 2 {
		t.Error(small.Rows, err)
	}
}

// Batches decode one after another from a stream.
func TestColumnsInSequence(t *testing.T) {
	one := unhex(t, "82 a474696d65 92 01 02 a17a 92 a161 c0")
	d := NewDecoder(struct{ io.Reader }{bytes.NewReader(bytes.Repeat(one, 100))})
	var b column.Batch
	for i := range 100 {
		b.Reset()
		if err := d.DecodeColumns(&b); err != nil || b.Rows != 2 || string(b.Find("z").StringAt(0)) != "a" || !b.Find("z").IsNull(1) {
			t.Fatal(i, err)
		}
	}
	b.Reset()
	if err := d.DecodeColumns(&b); err != io.EOF {
		t.Error(err)
	}
}
