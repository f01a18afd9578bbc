// Package sheet tests decoders that decode rows into a column.Batch. Some rows fit the batch and
// some do not. The batch is reused, with calls of Reset, Undo and Widen in between. The documents
// are complete, cut off or mutated. Only tests import it.
//
// The oracle is a list of the accepted rows. After each call, the package builds the expected
// columns from this list, cell by cell, and compares them with the columns of the batch. It
// compares kinds, cells, null bitmaps, the stored values of null cells, and the lengths of all
// slices. So after a rejected row is undone, the batch must not contain any trace of it.
//
// The test also appends the batch to another batch with AppendColumn, in two pieces. The other
// batch must equal the first batch, and must not change when the first batch changes. A decoder
// must not write to a document. After the call, the test overwrites the document, because the batch
// must not refer to it. In some calls, the document is in guarded memory instead. With the build
// tag `invariants`, it is in guarded memory in all calls.
//
// A full run fails unless certain events have occurred, such as the use of each way and of each
// kind of column. The type `reached` counts these events. With SLIPSTREAM_MATRIX=<case>, the test
// runs only that case.
package sheet

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/internal/corpus"
	"github.com/slipstream-go/slipstream/internal/guard"
)

// Row contains the cells of a row. A value is nil, a bool, an int64, a float64, a string, a Time or
// a NegativeZero.
type Row struct {
	Keys   []string
	Values []any
}

// Time is a time in microseconds.
type Time int64

// NegativeZero represents the integer -0 in a document. Its value is 0 in a column of integers, and
// -0 in a column of floats.
type NegativeZero struct{}

// Format describes the format of the package under test.
type Format struct {
	// Times reports whether some cells are times.
	Times bool
	// Encode encodes the rows, in any form that the format allows.
	Encode func(r *rand.Rand, rows []Row) []byte
	// Document, if not nil, is used instead of Encode for a format with fixed columns. It returns a
	// document with rows that it chooses itself.
	Document func(r *rand.Rand) []byte
	// Oracle returns the rows of b before the first row that does not consist of cells. The result
	// `ok` reports whether there is no such row and no other fault. Oracle need not check which
	// values fit a column.
	Oracle func(b []byte) (rows []Row, ok bool)
	// Ways contains functions that decode rows. After an error, the batch contains the rows before
	// the invalid row.
	Ways []func(b []byte, to *column.Batch) error
	// Whole reports whether a batch contains the rows of only one document. Such a batch is emptied
	// before each document, and after an error.
	Whole bool
}

// Run tests the format f with a few thousand documents. If the environment variable SLIPSTREAM_LONG
// contains a duration, Run tests new documents for that long.
func Run(t *testing.T, f Format) {
	cases, seed := 400, rand.Uint64()>>32
	if testing.Short() {
		cases = 40
	}
	if id := os.Getenv("SLIPSTREAM_MATRIX"); id != "" {
		n, err := strconv.ParseUint(id, 16, 64)
		if err != nil {
			t.Skipf("%q is no case of this test", id)
		}
		one(t, f, n, new(column.Batch), make(reached))
		return
	}
	var used column.Batch
	has := make(reached)
	if long := os.Getenv("SLIPSTREAM_LONG"); long != "" {
		d, err := time.ParseDuration(long)
		if err != nil {
			t.Fatal(err)
		}
		t.Parallel() // in parallel with the tests of the other formats, so that all of them together take as long as one
		for end := time.Now().Add(d); time.Now().Before(end) && !t.Failed(); seed++ {
			one(t, f, seed, &used, has)
		}
		return
	}
	for k := range cases {
		if one(t, f, uint64(k), &used, has); t.Failed() {
			return
		}
	}
	t.Logf("fresh cases from seed %x on", seed)
	for k := range cases / 2 {
		if one(t, f, seed+uint64(k), &used, has); t.Failed() {
			return
		}
	}
	t.Logf("reached: %v", has)
	if !testing.Short() {
		has.check(t, f)
	}
}

// reached counts the events in a run by name.
type reached map[string]int

// check reports an error for each required event that did not occur in the run.
func (n reached) check(t *testing.T, f Format) {
	var want []string
	for k := range f.Ways {
		want = append(want, fmt.Sprintf("way %d: decoded", k), fmt.Sprintf("way %d: refused", k))
	}
	for kind := column.Null; kind <= column.Time; kind++ {
		if kind != column.Time || f.Times {
			want = append(want, "columns of "+kind.String())
		}
	}
	want = append(want, "appended: a column of another kind", "refused: a column of another kind", "rounded: a column of another kind")
	if want = append(want, "undo", "widen", "reset"); !f.Whole {
		want = append(want, "rows before one that was refused")
	}
	for _, name := range want {
		if n[name] == 0 {
			t.Errorf("the run has not met: %s", name)
		}
	}
}

// taken is the expected content of the batch. It consists of the accepted rows, and the columns
// that the caller has widened.
type taken struct {
	rows   []Row
	widens []widen
}

type widen struct {
	name string
	rows int // number of rows at the time of the call of Widen
}

// one runs a case.
func one(t *testing.T, f Format, seed uint64, b *column.Batch, met reached) {
	r := corpus.New(seed)
	b.Reset()
	var has taken
	var other appended
	var gathered gathering
	var log bytes.Buffer
	for range 1 + r.IntN(12) {
		grown := true
		switch n := len(has.rows); r.IntN(8) {
		case 0:
			if n > 0 {
				k := r.IntN(n + 1)
				fmt.Fprintf(&log, "undo to %d rows of %d\n", k, n)
				met["undo"]++
				b.Rows = k
				b.Undo()
				has.undo(k)
				grown = false
			}
		case 1:
			if len(b.Columns) > 0 {
				if c := b.Columns[r.IntN(len(b.Columns))]; c.Kind == column.Int64 {
					fmt.Fprintf(&log, "widen %q\n", c.Name)
					met["widen"]++
					c.Widen()
					has.widens = append(has.widens, widen{c.Name, n})
				}
			}
		case 2:
			if r.IntN(4) == 0 {
				met["reset"]++
				fmt.Fprintf(&log, "reset\n")
				b.Reset()
				has = taken{}
				grown = false
			}
		default:
			if f.Whole {
				b.Reset()
				has = taken{}
			}
			data := document(r, f)
			k := r.IntN(len(f.Ways))
			fmt.Fprintf(&log, "way %d: %q (%x)\n", k, data, data)
			want := slices.Clone(has.rows)
			rows, ok := f.Oracle(data)
			for _, row := range rows {
				next := taken{append(want[:len(want):len(want)], row), has.widens}
				if _, fits := next.sheet(); !fits {
					ok = false
					break
				}
				want = next.rows
			}
			err, changed := call(f.Ways[k], data, b, guard.Enabled || r.IntN(4) == 0)
			if changed {
				t.Errorf("case %x:\n%sthe decoder wrote to the document", seed, &log)
				return
			}
			if (err == nil) != ok {
				t.Errorf("case %x:\n%sthe error is %v, want none: %v", seed, &log, err, ok)
				return
			}
			outcome := "decoded"
			if err != nil {
				outcome = "refused"
				if len(want) > len(has.rows) {
					met["rows before one that was refused"]++
				}
			}
			met[fmt.Sprintf("way %d: %s", k, outcome)]++
			switch {
			case err != nil && f.Whole:
				b.Reset()
				want = nil
			case err != nil:
				b.Undo()
			}
			has.rows = want
		}
		for _, c := range b.Columns {
			if c.Rows > 0 {
				met["columns of "+c.Kind.String()]++
			}
		}
		diff := has.compare(b)
		if diff == "" {
			if diff = other.compare(); diff != "" {
				diff = "a batch that it was appended to before: " + diff
			}
		}
		if diff == "" {
			if diff = gathered.compare(); diff != "" {
				diff = "a column that others were appended to before: " + diff
			}
		}
		if diff == "" && grown { // after Undo or Reset, append nothing, so that the next rows overwrite memory that the last append has read
			if diff = other.append(r, &has, b); diff != "" {
				diff = "appended by AppendColumn: " + diff
			}
		}
		if diff == "" && grown {
			if diff = gathered.append(r, &has, b, met); diff != "" {
				diff = "appended to a column of its own cells by AppendColumn: " + diff
			}
		}
		if diff != "" {
			t.Errorf("case %x:\n%s%s", seed, &log, diff)
			return
		}
	}
}

// call decodes data with a way, and reports whether the way has written to data. After the call,
// the batch must not refer to data. If guarded is true, a read after the end of data faults.
func call(way func([]byte, *column.Batch) error, data []byte, b *column.Batch, guarded bool) (err error, changed bool) {
	if guarded {
		input, region := guard.Input(data)
		defer region.Free()
		return way(input, b), false
	}
	input := bytes.Clone(data)
	err = way(input, b)
	changed = !bytes.Equal(input, data)
	clear(input)
	return err, changed
}

// document returns the encoding of some rows. The encoding is sometimes cut off or mutated.
func document(r *rand.Rand, f Format) []byte {
	var b []byte
	if f.Document != nil {
		b = f.Document(r)
	} else {
		b = f.Encode(r, rowsOf(r, f))
	}
	switch r.IntN(5) {
	case 0:
		b = b[:r.IntN(len(b)+1)]
	case 1:
		for range 1 + r.IntN(2) {
			if len(b) > 0 {
				b[r.IntN(len(b))] ^= 1 << r.IntN(8)
			}
		}
	}
	return b
}

// rowsOf returns random rows.
func rowsOf(r *rand.Rand, f Format) []Row {
	kinds := map[string]int{} // most cells fit
	rows := make([]Row, r.IntN(5))
	for i := range rows {
		for _, name := range []string{"a", "b", "c", "é", "a name that is longer than sixteen bytes", "f", "g", "h", "i", "j", "k"} {
			if r.IntN(3) == 0 {
				continue
			}
			if _, known := kinds[name]; !known || r.IntN(30) == 0 {
				kinds[name] = int(name[len(name)-1]) % 5
				if r.IntN(3) == 0 {
					kinds[name] = r.IntN(6)
				}
			}
			rows[i].Keys = append(rows[i].Keys, name)
			rows[i].Values = append(rows[i].Values, cell(r, f, kinds[name]))
		}
		if r.IntN(6) == 0 {
			r.Shuffle(len(rows[i].Keys), func(x, y int) {
				k, v := rows[i].Keys, rows[i].Values
				k[x], k[y], v[x], v[y] = k[y], k[x], v[y], v[x]
			})
		}
		if n := len(rows[i].Keys); n > 0 && r.IntN(40) == 0 {
			rows[i].Keys = append(rows[i].Keys, rows[i].Keys[r.IntN(n)])
			rows[i].Values = append(rows[i].Values, nil)
		}
	}
	return rows
}

// cell returns a random value for a column of the given kind, or nil.
func cell(r *rand.Rand, f Format, kind int) any {
	if r.IntN(5) == 0 {
		return nil
	}
	switch kind {
	case 0:
		return r.IntN(2) == 0
	case 1, 2: // mixed
		switch r.IntN(8) {
		case 0:
			return []int64{1<<53 + 1, math.MaxInt64, math.MinInt64, 2305843009213694000, 1 << 60}[r.IntN(5)]
		case 1, 2:
			return float64(r.IntN(1000)) / 8
		case 3:
			return NegativeZero{}
		}
		return corpus.Int(r) >> 12
	case 3, 4:
		if r.IntN(20) == 0 {
			return "\xff"
		}
		return corpus.String(r)
	}
	if f.Times {
		return Time(r.Int64N(1 << 50))
	}
	return "2024"
}

// undo drops the rows from index n on. It also undoes each call of Widen that was made after one of
// these rows.
func (h *taken) undo(n int) {
	if n == len(h.rows) {
		return
	}
	h.rows = h.rows[:n]
	h.widens = slices.DeleteFunc(h.widens, func(w widen) bool { return w.rows > n })
}

// col represents a column as a list of values.
type col struct {
	name  string
	kind  column.Kind
	cells []any
}

// sheet returns the expected columns, and reports whether all rows fit.
func (h *taken) sheet() (cols []*col, fits bool) {
	apply := func(rows int) {
		for _, w := range h.widens {
			if at := slices.IndexFunc(cols, func(c *col) bool { return c.name == w.name }); at >= 0 && w.rows == rows {
				cols[at].widen()
			}
		}
	}
	for n, row := range h.rows {
		apply(n)
		for k, name := range row.Keys {
			at := slices.IndexFunc(cols, func(c *col) bool { return c.name == name })
			if at < 0 {
				at = len(cols)
				cols = append(cols, &col{name: name, cells: make([]any, n)})
			}
			if len(cols[at].cells) > n || !utf8.ValidString(name) || !cols[at].add(row.Values[k]) {
				return nil, false
			}
		}
		for _, c := range cols {
			if len(c.cells) == n {
				c.cells = append(c.cells, nil)
			}
		}
	}
	apply(len(h.rows))
	return cols, true
}

func (c *col) widen() {
	if c.kind != column.Int64 {
		return
	}
	c.kind = column.Float64
	for i, v := range c.cells {
		if n, ok := v.(int64); ok {
			c.cells[i] = float64(n)
		}
	}
}

// add appends a cell, and reports whether it fits.
func (c *col) add(v any) bool {
	kind := column.Null
	switch x := v.(type) {
	case nil:
		c.cells = append(c.cells, nil)
		return true
	case bool:
		kind = column.Bool
	case int64:
		if kind = column.Int64; c.kind == column.Float64 {
			if !exact(x) {
				return false
			}
			kind, v = column.Float64, float64(x)
		}
	case NegativeZero:
		if kind, v = column.Int64, int64(0); c.kind == column.Float64 {
			kind, v = column.Float64, math.Copysign(0, -1)
		}
	case float64:
		if kind = column.Float64; c.kind == column.Int64 {
			if !c.exact() {
				return false
			}
			c.widen()
		}
	case string:
		if kind = column.String; !utf8.ValidString(x) {
			return false
		}
	case Time:
		kind = column.Time
	}
	if c.kind == column.Null {
		c.kind = kind
	}
	c.cells = append(c.cells, v)
	return c.kind == kind
}

// exact reports whether a float64 equals n, or has the same text as n.
func exact(n int64) bool {
	f := float64(n)
	if whole, accuracy := big.NewFloat(f).Int64(); whole == n && accuracy == big.Exact {
		return true
	}
	return strconv.FormatFloat(f, 'f', -1, 64) == strconv.FormatInt(n, 10)
}

// compare returns the first fault of b, or an empty string.
func (h *taken) compare(b *column.Batch) string {
	cols, fits := h.sheet()
	if !fits {
		return "the oracle refuses rows that it took"
	}
	if b.Rows != len(h.rows) {
		return fmt.Sprintf("there are %d rows, want %d", b.Rows, len(h.rows))
	}
	for _, c := range cols {
		if b.Find(c.name) == nil {
			return fmt.Sprintf("column %q is missing", c.name)
		}
	}
	for _, c := range b.Columns {
		want := &col{name: c.Name, cells: make([]any, b.Rows)} // a column that occurs only in a rejected row contains nulls
		if at := slices.IndexFunc(cols, func(o *col) bool { return o.name == c.Name }); at >= 0 {
			want = cols[at]
		}
		if diff := want.compare(c); diff != "" {
			return fmt.Sprintf("column %q: %s", c.Name, diff)
		}
	}
	return ""
}

// appended is a batch to which another batch was appended. Its content must not change when the
// other batch changes.
type appended struct {
	batch column.Batch
	has   taken
}

// append appends the columns of b to an empty batch, in two pieces. It returns the first fault of
// the result, or an empty string.
func (a *appended) append(r *rand.Rand, h *taken, b *column.Batch) string {
	*a = appended{has: taken{slices.Clone(h.rows), slices.Clone(h.widens)}}
	half := r.IntN(b.Rows + 1)
	for _, c := range b.Columns {
		x, err := a.batch.Column([]byte(c.Name))
		if err != nil {
			return err.Error()
		}
		for _, cut := range [][2]int{{0, half}, {half, b.Rows}} {
			if c.Kind != column.Null && !x.Accepts(c.Kind) {
				return fmt.Sprintf("a column of %v does not accept one of %v", x.Kind, c.Kind)
			}
			if err := x.AppendColumn(c, cut[0], cut[1]); err != nil {
				return err.Error()
			}
		}
	}
	a.batch.Rows = b.Rows
	return a.compare()
}

func (a *appended) compare() string { return a.has.compare(&a.batch) }

// The type gathering contains columns to which columns with any kinds and names are appended. If an
// appended column does not fit, it must be rejected without any effect.
type gathering struct {
	columns [3]column.Column
	want    [3]col
}

// append appends a part of each column of b to a column of g. It also appends integers to the float
// columns of g. Sometimes one of these integers would be rounded.
func (g *gathering) append(r *rand.Rand, h *taken, b *column.Batch, met reached) string {
	cols, _ := h.sheet()
	for _, c := range b.Columns {
		if at := slices.IndexFunc(cols, func(o *col) bool { return o.name == c.Name }); at >= 0 {
			if diff := g.appendTo(r.IntN(len(g.columns)), c, cols[at].cells, r, met); diff != "" {
				return diff
			}
		}
	}
	for k := range g.columns {
		if g.want[k].kind != column.Float64 {
			continue
		}
		c := column.Column{Kind: column.Int64}
		var cells []any
		for _, v := range []int64{r.Int64N(100), 1<<53 + 1, 7} {
			c.AppendInt64(v)
			cells = append(cells, v)
		}
		if diff := g.appendTo(k, &c, cells, r, met); diff != "" {
			return diff
		}
	}
	return ""
}

// appendTo appends a part of c to the column with the index k, if that column accepts the kind of
// c. The argument `cells` contains the cells of c.
func (g *gathering) appendTo(k int, c *column.Column, cells []any, r *rand.Rand, met reached) string {
	from := r.IntN(c.Rows + 1)
	to := from + r.IntN(c.Rows-from+1)
	x, want := &g.columns[k], &g.want[k]
	before := want.kind
	accepted := c.Kind == column.Null || x.Accepts(c.Kind)
	if fits := want.accepts(c.Kind); accepted != fits {
		return fmt.Sprintf("a column of %v accepts one of %v: %v, want %v", before, c.Kind, accepted, fits)
	}
	outcome := "refused"
	if accepted {
		outcome = "appended"
		err := x.AppendColumn(c, from, to)
		if fits := want.appendCells(c.Kind, cells[from:to]); (err == nil) != fits {
			return fmt.Sprintf("%v to %v: the error is %v, want none: %v", c.Kind, before, err, fits)
		} else if !fits {
			outcome = "rounded"
		}
	}
	if before != c.Kind && to > from {
		met[outcome+": a column of another kind"]++
	}
	if diff := want.compare(x); diff != "" {
		return fmt.Sprintf("%v to %v: %s", c.Kind, before, diff)
	}
	return ""
}

func (g *gathering) compare() string {
	for k := range g.columns {
		if diff := g.want[k].compare(&g.columns[k]); diff != "" {
			return diff
		}
	}
	return ""
}

// accepts prepares w for cells of the given kind, and reports whether w can contain such cells.
func (w *col) accepts(kind column.Kind) bool {
	switch {
	case kind == column.Null || kind == w.kind || w.kind == column.Float64 && kind == column.Int64:
	case w.kind == column.Null:
		w.kind = kind
	case w.kind == column.Int64 && kind == column.Float64 && w.exact():
		w.widen()
	default:
		return false
	}
	return true
}

// appendCells appends cells of a kind that w accepts. If one of the cells would be rounded, it
// appends no cell.
func (w *col) appendCells(kind column.Kind, cells []any) bool {
	more := &col{kind: kind, cells: slices.Clone(cells)}
	if kind == column.Int64 && w.kind == column.Float64 {
		if !more.exact() {
			return false
		}
		more.widen()
	}
	w.cells = append(w.cells, more.cells...)
	return true
}

// The method `exact` reports whether the function `exact` returns true for all ints in w. In this
// case, they can be converted to floats.
func (w *col) exact() bool {
	return !slices.ContainsFunc(w.cells, func(v any) bool {
		n, ok := v.(int64)
		return ok && !exact(n)
	})
}

func (w *col) compare(c *column.Column) string {
	n := len(w.cells)
	lengths := map[column.Kind][4]int{column.Bool: {n, 0, 0, 0}, column.Int64: {0, n, 0, 0}, column.Time: {0, n, 0, 0}, column.Float64: {0, 0, n, 0}, column.String: {0, 0, 0, n}}
	if c.Kind != w.kind || c.Rows != n {
		return fmt.Sprintf("%d rows of %v, want %d of %v", c.Rows, c.Kind, n, w.kind)
	}
	if got := [4]int{len(c.Bools), len(c.Ints), len(c.Floats), len(c.Ends)}; got != lengths[w.kind] {
		return fmt.Sprintf("the slices of %v have the lengths %d, want %d", w.kind, got, lengths[w.kind])
	}
	texts := ""
	for i, want := range w.cells {
		if w.kind != column.Null && c.IsNull(i) != (want == nil) {
			return fmt.Sprintf("row %d is null: %v, want %v", i, c.IsNull(i), want)
		}
		var got any
		switch c.Kind {
		case column.Null:
			continue
		case column.Bool:
			got = c.Bools[i]
		case column.Int64:
			got = c.Ints[i]
		case column.Time:
			got = Time(c.Ints[i])
		case column.Float64:
			got = math.Float64bits(c.Floats[i])
		case column.String:
			text := c.StringAt(i)
			if cap(text) != len(text) {
				return fmt.Sprintf("row %d has room for %d bytes after its text, which are those of others", i, cap(text)-len(text))
			}
			got = string(text)
			texts += got.(string)
		}
		zero := map[column.Kind]any{column.Bool: false, column.Int64: int64(0), column.Time: Time(0), column.Float64: uint64(0), column.String: ""}
		if f, ok := want.(float64); ok {
			want = math.Float64bits(f)
		}
		if want == nil {
			want = zero[c.Kind]
		}
		if got != want {
			return fmt.Sprintf("row %d is %v, want %v", i, got, want)
		}
	}
	if texts != string(c.Text) {
		return fmt.Sprintf("its text is %q, want %q", c.Text, texts)
	}
	for i := n; i < 64*len(c.Nulls); i++ {
		if c.Nulls.Get(i) {
			return fmt.Sprintf("row %d, which is none, is null", i)
		}
	}
	return ""
}
