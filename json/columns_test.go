package json

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/internal/corpus"
	"github.com/slipstream-go/slipstream/internal/guard"
)

// naiveColumn is a column as a list of cells. The tests compare the column decoder's result with
// it.
type naiveColumn struct {
	name  string
	kind  column.Kind
	cells []any // nil, bool, int64, float64, string
}

// naiveBatch decodes a batch from the tokens of encoding/json.
type naiveBatch struct {
	columns []*naiveColumn
	rows    int
	data    []byte
	d       *json.Decoder
}

var errNaive = errors.New("no batch")

func newNaive(data []byte) *naiveBatch {
	n := &naiveBatch{data: data, d: json.NewDecoder(bytes.NewReader(data))}
	n.d.UseNumber()
	return n
}

// next returns the next token and its bytes in the input.
func (n *naiveBatch) next() (json.Token, []byte, error) {
	from := n.d.InputOffset()
	t, err := n.d.Token()
	if err != nil {
		return nil, nil, err
	}
	return t, bytes.TrimLeft(n.data[from:n.d.InputOffset()], ",: \t\r\n"), nil
}

var columnEscape = regexp.MustCompile(`\\(u....|.)`)

// lossy reports whether text contains more replacement characters than its source raw.
func lossy(text string, raw []byte) bool {
	sent := 0
	for _, e := range columnEscape.FindAllString(string(raw), -1) {
		if strings.EqualFold(e, `\ufffd`) {
			sent++
		}
	}
	for _, between := range columnEscape.Split(string(raw), -1) {
		sent += strings.Count(between, "\ufffd")
	}
	return strings.Count(text, "\ufffd") > sent
}

func (n *naiveBatch) key() (string, error) {
	t, raw, err := n.next()
	if err != nil {
		return "", err
	}
	if lossy(t.(string), raw) {
		return "", errNaive
	}
	return t.(string), nil
}

// cell reads a value into c.
func (n *naiveBatch) cell(c *naiveColumn) error {
	t, raw, err := n.next()
	if err != nil {
		return err
	}
	var kind column.Kind
	var cell any
	switch t := t.(type) {
	case nil:
		c.cells = append(c.cells, nil)
		return nil
	case bool:
		kind, cell = column.Bool, t
	case string:
		if lossy(t, raw) {
			return errNaive
		}
		kind, cell = column.String, t
	case json.Number:
		kind = column.Int64
		if strings.ContainsAny(t.String(), ".eE") {
			kind = column.Float64
			cell, err = strconv.ParseFloat(t.String(), 64)
		} else {
			cell, err = strconv.ParseInt(t.String(), 10, 64)
		}
		if err != nil {
			return errNaive
		}
		if c.kind == column.Float64 && t.String() == "-0" {
			kind, cell = column.Float64, math.Copysign(0, -1)
		}
	default:
		return errNaive
	}
	switch {
	case c.kind == column.Null:
		c.kind = kind
	case c.kind == column.Int64 && kind == column.Float64:
		if slices.ContainsFunc(c.cells, rounded) {
			return errNaive
		}
		c.kind = kind
		for i, x := range c.cells {
			if v, ok := x.(int64); ok {
				c.cells[i] = float64(v)
			}
		}
	case c.kind == column.Float64 && kind == column.Int64:
		if rounded(cell) {
			return errNaive
		}
		cell = float64(cell.(int64))
	case c.kind != kind:
		return errNaive
	}
	c.cells = append(c.cells, cell)
	return nil
}

// rounded reports whether a cell is an integer that changes as a float64, both in value and in
// decimal form.
func rounded(cell any) bool {
	v, ok := cell.(int64)
	return ok && big.NewFloat(float64(v)).Cmp(new(big.Float).SetInt64(v)) != 0 && strconv.FormatFloat(float64(v), 'f', -1, 64) != strconv.FormatInt(v, 10)
}

func (n *naiveBatch) find(name string) (c *naiveColumn, fresh bool) {
	for _, c := range n.columns {
		if c.name == name {
			return c, false
		}
	}
	c = &naiveColumn{name: name, cells: make([]any, n.rows)}
	n.columns = append(n.columns, c)
	return c, true
}

func (n *naiveBatch) open(want json.Delim) error {
	if t, _, err := n.next(); err != nil || t != want {
		return errNaive
	}
	return nil
}

func (n *naiveBatch) row() error {
	err := n.open('{')
	for err == nil && n.d.More() {
		var name string
		if name, err = n.key(); err != nil {
			break
		}
		c, _ := n.find(name)
		if len(c.cells) > n.rows {
			return errNaive
		}
		err = n.cell(c)
	}
	if err == nil {
		err = n.open('}')
	}
	if err == nil {
		n.rows++
		for _, c := range n.columns {
			if len(c.cells) < n.rows {
				c.cells = append(c.cells, nil)
			}
		}
	}
	return err
}

// naiveColumns parses like ParseColumns, but from tokens.
func naiveColumns(data []byte) (*naiveBatch, error) {
	n := newNaive(data)
	if !json.Valid(data) {
		return nil, errNaive
	}
	if t := bytes.TrimLeft(data, " \t\r\n"); t[0] == '[' {
		err := n.open('[')
		for err == nil && n.d.More() {
			err = n.row()
		}
		return n, err
	}
	err := n.open('{')
	for err == nil && n.d.More() {
		var name string
		if name, err = n.key(); err != nil {
			break
		}
		c, fresh := n.find(name)
		if !fresh {
			return nil, errNaive
		}
		if err = n.open('['); err != nil {
			return nil, err
		}
		for err == nil && n.d.More() {
			err = n.cell(c)
		}
		if err == nil {
			err = n.open(']')
		}
		if err == nil && len(c.cells) != len(n.columns[0].cells) {
			err = errNaive
		}
	}
	if err == nil && len(n.columns) > 0 {
		n.rows = len(n.columns[0].cells)
	}
	return n, err
}

// naiveLines parses like ParseLines, but from tokens. After an error it returns the rows before the
// invalid row.
func naiveLines(data []byte) (*naiveBatch, error) {
	all := new(naiveBatch)
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		if len(bytes.Trim(line, " \t\r")) == 0 {
			continue
		}
		if !json.Valid(line) {
			return all, errNaive
		}
		n := newNaive(line)
		n.columns, n.rows = all.columns, all.rows
		err := n.row()
		if err != nil {
			return all, err
		}
		all.columns, all.rows = n.columns, n.rows
	}
	return all, nil
}

// compare returns an error that describes how b differs from n.
func (n *naiveBatch) compare(b *column.Batch) error {
	if len(b.Columns) != len(n.columns) || b.Rows != n.rows {
		return fmt.Errorf("%d columns of %d rows, want %d of %d", len(b.Columns), b.Rows, len(n.columns), n.rows)
	}
	for i, want := range n.columns {
		c := b.Columns[i]
		if c.Name != want.name {
			return fmt.Errorf("column %d is %q, want %q", i, c.Name, want.name)
		}
		if err := want.compare(c); err != nil {
			return fmt.Errorf("column %q: %w", c.Name, err)
		}
	}
	return nil
}

func (n *naiveColumn) compare(c *column.Column) error {
	if c.Kind != n.kind || c.Rows != len(n.cells) {
		return fmt.Errorf("%v × %d, want %v × %d", c.Kind, c.Rows, n.kind, len(n.cells))
	}
	if err := checkColumn(c); err != nil {
		return err
	}
	for i, want := range n.cells {
		if c.IsNull(i) != (want == nil) {
			return fmt.Errorf("cell %d: null is %v, want %v", i, c.IsNull(i), want)
		}
		got := cellOf(c, i)
		if want == nil && got != nil && !reflect.ValueOf(got).IsZero() {
			return fmt.Errorf("cell %d: %v under a null", i, got)
		}
		if f, ok := want.(float64); ok && math.Float64bits(f) != math.Float64bits(got.(float64)) || want != nil && got != want {
			return fmt.Errorf("cell %d is %v, want %v", i, got, want)
		}
	}
	return nil
}

func cellOf(c *column.Column, i int) any {
	switch c.Kind {
	case column.Bool:
		return c.Bools[i]
	case column.Int64:
		return c.Ints[i]
	case column.Float64:
		return c.Floats[i]
	case column.String:
		return string(c.StringAt(i))
	}
	return nil
}

// checkColumn checks the invariants of package column for columns that a caller fills directly.
func checkColumn(c *column.Column) error {
	ints, floats, bools, ends := 0, 0, 0, 0
	switch c.Kind {
	case column.Bool:
		bools = c.Rows
	case column.Int64:
		ints = c.Rows
	case column.Float64:
		floats = c.Rows
	case column.String:
		ends = c.Rows
	}
	if len(c.Ints) != ints || len(c.Floats) != floats || len(c.Bools) != bools || len(c.Ends) != ends {
		return fmt.Errorf("%v × %d has %d ints, %d floats, %d bools, %d ends", c.Kind, c.Rows, len(c.Ints), len(c.Floats), len(c.Bools), len(c.Ends))
	}
	if len(c.Ends) > 0 && int(c.Ends[len(c.Ends)-1]) != len(c.Text) {
		return fmt.Errorf("%d bytes of text, the last string ends at %d", len(c.Text), c.Ends[len(c.Ends)-1])
	}
	if c.Nulls.Truncate(c.Rows).Count() != c.Nulls.Count() {
		return errors.New("nulls beyond the end")
	}
	return nil
}

// shown formats data for an error message.
func shown(data []byte) string {
	if len(data) > 3000 {
		return fmt.Sprintf("%q and %d bytes more", data[:3000], len(data)-3000)
	}
	return fmt.Sprintf("%q", data)
}

// checkColumns decodes data as a document and as lines, into a batch that may have been used
// before. It compares the results with the naive decoder.
func checkColumns(t testing.TB, data []byte, used *column.Batch) (good bool) {
	t.Helper()
	before := bytes.Clone(data)
	want, wantErr := naiveColumns(data)
	used.Reset()
	err := ParseColumns(data, used)
	if (err == nil) != (wantErr == nil) {
		t.Fatalf("%s: %+v, want %v", shown(data), err, wantErr)
	}
	if err == nil {
		if err := want.compare(used); err != nil {
			t.Fatalf("%s: %v", shown(data), err)
		}
	}
	checkError(t, data, err)
	good = err == nil

	want, wantErr = naiveLines(data)
	used.Reset()
	err = ParseLines(data, used)
	if (err == nil) != (wantErr == nil) {
		t.Fatalf("%s as lines: %+v, want %v", shown(data), err, wantErr)
	}
	used.Undo()
	if used.Rows != want.rows {
		t.Fatalf("%s as lines: %d rows, want %d", shown(data), used.Rows, want.rows)
	}
	for _, c := range used.Columns {
		if err := checkColumn(c); err != nil || c.Rows != used.Rows {
			t.Fatalf("%s as lines: column %q of %d rows: %v", shown(data), c.Name, c.Rows, err)
		}
	}
	if err == nil {
		if err := want.compare(used); err != nil {
			t.Fatalf("%s as lines: %v", shown(data), err)
		}
	}
	if e := (*Error)(nil); err != nil && (!errors.As(err, &e) || e.Offset < 0 || e.Offset > int64(len(data)) || !strings.HasPrefix(e.Path, fmt.Sprintf("[%d]", used.Rows))) {
		t.Fatalf("%s as lines: %+v", shown(data), err)
	}
	if !bytes.Equal(data, before) {
		t.Fatalf("%q was changed to %q", before, data)
	}
	return good || err == nil
}

// checkError expects encoding/json's error if the document is invalid. For a valid document it
// expects an *Error of this package with an offset.
func checkError(t testing.TB, data []byte, err error) {
	t.Helper()
	var e *Error
	if err != nil && (!errors.As(err, &e) || e.Offset < 0 || e.Offset > int64(len(data))) {
		t.Fatalf("%s: %+v", shown(data), err)
	}
	wrong := json.Unmarshal(data, new(json.RawMessage))
	var syntax *SyntaxError
	switch {
	case wrong != nil && err.Error() != wrong.Error():
		t.Fatalf("%s: %v, want %v", shown(data), err, wrong)
	case (wrong != nil) != errors.As(err, &syntax):
		t.Fatalf("%s: %+v", shown(data), err)
	}
}

// randomNumber returns a random JSON number.
func randomNumber(r *rand.Rand, float bool) string {
	if !float {
		return strconv.FormatInt(corpus.Int(r), 10)
	}
	f := corpus.Float(r)
	for math.IsNaN(f) || math.IsInf(f, 0) {
		f = corpus.Float(r)
	}
	return strconv.FormatFloat(f, "efg"[r.IntN(3)], -1, 64)
}

// randomCell returns a random cell of the given kind. A few cells are of another kind, and fewer
// still are invalid in any column.
func randomCell(r *rand.Rand, kind int) string {
	if r.IntN(40) == 0 {
		return "null"
	}
	if r.IntN(400) == 0 {
		kind = 1 + r.IntN(5)
	}
	if r.IntN(4000) == 0 {
		return []string{"[]", "{}", `[1,{"a":2}]`, "123456789012345678901", "1e999", `"\ud800"`, "\"\xff\"", "tru", "1.", "01", "-", `"a`, ""}[r.IntN(13)]
	}
	switch kind {
	case 0:
		return randomNumber(r, false)
	case 1:
		if r.IntN(200) == 0 {
			return strings.Repeat("7", r.IntN(300)) + "0.5" + strings.Repeat("0", r.IntN(900)) + "1"
		}
		if r.IntN(4) > 0 {
			return randomNumber(r, true)
		}
		v := corpus.Int(r)
		if r.IntN(2000) > 0 {
			v %= 1 << 53 // a float64 holds it exactly
		}
		return strconv.FormatInt(v, 10)
	case 2:
		return strconv.Itoa(r.IntN(100)) + "." + strconv.Itoa(r.IntN(100))
	case 3:
		return []string{"true", "false"}[r.IntN(2)]
	case 4:
		return `"` + strings.Repeat("é", r.IntN(21)) + strings.Repeat("x", r.IntN(40)) + `"`
	}
	s := strings.ToValidUTF8(corpus.String(r), "\ufffd")
	b, _ := json.Marshal(s)
	return string(b)
}

// randomBlanks returns random white space, mostly none. It contains no newlines if line is set.
func randomBlanks(r *rand.Rand, line bool) string {
	if r.IntN(12) > 0 {
		return ""
	}
	s := strings.Repeat([]string{" ", "\t", "\r", "\n", "\n    "}[r.IntN(5)], r.IntN(12))
	if line {
		s = strings.ReplaceAll(s, "\n", " ")
	}
	return s
}

// randomColumns returns an object of columns. randomRows returns rows, in an array or on lines.
func randomColumns(r *rand.Rand) []byte {
	var b bytes.Buffer
	columns, rows := r.IntN(12), r.IntN(60)
	b.WriteString(randomBlanks(r, false) + "{" + randomBlanks(r, false))
	for i := range columns {
		if i > 0 {
			b.WriteString("," + randomBlanks(r, false))
		}
		fmt.Fprintf(&b, `"%s%d"%s:%s[`, strings.Repeat("c", r.IntN(30)), i, randomBlanks(r, false), randomBlanks(r, false))
		kind, n := r.IntN(6), rows
		if r.IntN(300) == 0 {
			n++
		}
		for k := range n {
			if k > 0 {
				b.WriteString("," + randomBlanks(r, false))
			}
			b.WriteString(randomBlanks(r, false) + randomCell(r, kind) + randomBlanks(r, false))
		}
		b.WriteString("]" + randomBlanks(r, false))
	}
	b.WriteString("}" + randomBlanks(r, false))
	return b.Bytes()
}

func randomRows(r *rand.Rand, lines bool) []byte {
	names := []string{"time", "host", "a", "b", "a long name, longer than a word", `escaped\u00e9\"`, "é", "value", strings.Repeat("x", 70), strings.Repeat("y", 140), "", `a\"b`}
	columns, rows := r.IntN(len(names)+1), r.IntN(60)
	r.Shuffle(len(names), func(i, k int) { names[i], names[k] = names[k], names[i] })
	kinds := make([]int, columns)
	for i := range kinds {
		kinds[i] = r.IntN(6)
	}
	shuffle, sparse := r.IntN(3) == 0, r.IntN(3) == 0
	var b bytes.Buffer
	if !lines {
		b.WriteString(randomBlanks(r, false) + "[" + randomBlanks(r, false))
	}
	for row := range rows {
		if row > 0 && !lines {
			b.WriteString("," + randomBlanks(r, false))
		}
		order := make([]int, columns)
		for i := range order {
			order[i] = i
		}
		if shuffle {
			order = r.Perm(columns)
		}
		b.WriteString(randomBlanks(r, lines) + "{" + randomBlanks(r, lines))
		first := true
		for _, i := range order {
			if sparse && r.IntN(3) == 0 {
				continue
			}
			if !first {
				b.WriteString("," + randomBlanks(r, lines))
			}
			first = false
			name := names[i]
			if name == "é" && r.IntN(2) == 0 {
				name = `\u00E9` // the same name, escaped
			}
			b.WriteString(`"` + name + `"` + randomBlanks(r, lines) + ":" + randomBlanks(r, lines) + randomCell(r, kinds[i]) + randomBlanks(r, lines))
		}
		b.WriteString("}" + randomBlanks(r, lines))
		if lines {
			b.WriteString("\n" + randomBlanks(r, false))
		}
	}
	if !lines {
		b.WriteString("]" + randomBlanks(r, false))
	}
	return b.Bytes()
}

// The column decoder agrees with the naive decoder on random batches. All are decoded into one
// batch, so that batches of different shapes reuse its memory.
func TestColumnsAgainstNaive(t *testing.T) {
	r := corpus.New(7)
	var used column.Batch
	good := 0
	for range 300 {
		for _, data := range [][]byte{randomColumns(r), randomRows(r, false), randomRows(r, true)} {
			if checkColumns(t, data, &used) {
				good++
			}
		}
	}
	if good < 600 {
		t.Errorf("only %d of 900 batches are good ones", good)
	}
}

// The column decoder agrees with the naive decoder on every prefix of a document. The prefixes end
// at every place, within both kinds of input window.
func TestColumnsCut(t *testing.T) {
	var used column.Batch
	for _, data := range []string{
		`{"time":[1,2,-3],"host":["a","é\n",null],"v":[1.5,2,-0.25e1],"ok":[true,false,null]}`,
		`[{"time":1,"host":"a","v":1.5,"ok":true},{"time":22,"host":"b\u0041","ok":null,"v":2}]`,
		"{\"time\":1,\"host\":\"a\"}\n\n{\"time\":2,\"host\":\"\\ud83d\\ude00\"}\r\n",
	} {
		for _, before := range []string{"", strings.Repeat(" ", 700), strings.Repeat("\n", 2000)} {
			for n := range len(data) + 1 {
				checkColumns(t, []byte(before+data[:n]), &used)
			}
		}
	}
}

type columnFault struct {
	text, path string
	offset     int64
}

func (p columnFault) check(t *testing.T, what string, err error) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Error() != p.text || e.Path != p.path || e.Offset != p.offset {
		t.Errorf("%s: %+v; want %s in %q at %d", what, err, p.text, p.path, p.offset)
	}
}

// Errors for input that columns cannot hold have the right text, path and offset.
func TestColumnErrors(t *testing.T) {
	const beyond = " is beyond the range of int64 and cannot be stored; send it as a float, with an exponent, or as a string"
	for _, c := range []struct {
		data string
		columnFault
	}{
		{``, columnFault{"unexpected end of JSON input", "", 0}},
		{`  x`, columnFault{"invalid character 'x' looking for beginning of value", "", 2}},
		{`5`, columnFault{"json: a number instead of an array of rows or an object of columns", "", 0}},
		{`null`, columnFault{"json: null instead of an array of rows or an object of columns", "", 0}},
		{`"[]"`, columnFault{"json: a string instead of an array of rows or an object of columns", "", 0}},
		{`[] 5`, columnFault{"invalid character '5' after top-level value", "", 3}},
		{`{"a":1}`, columnFault{"json: a number instead of an array of cells", "a", 5}},
		{`{"a":{}}`, columnFault{"json: an object instead of an array of cells", "a", 5}},
		{`{"a":[1,[2]]}`, columnFault{"json: a column cannot hold arrays or objects", "a[1]", 8}},
		{`{"a":[1,{}]}`, columnFault{"json: a column cannot hold arrays or objects", "a[1]", 8}},
		{`{"a":[1,2,true]}`, columnFault{"json: a bool in a column of int64", "a[2]", 10}},
		{`{"a":["x",1]}`, columnFault{"json: an int64 in a column of string", "a[1]", 10}},
		{`{"a":[1.5,"x"]}`, columnFault{"json: a string in a column of float64", "a[1]", 10}},
		{`{"a":[true,2.5]}`, columnFault{"json: a float64 in a column of bool", "a[1]", 11}},
		{`{"a":[9223372036854775807,9223372036854775808]}`, columnFault{"json: 9223372036854775808" + beyond, "a[1]", 26}},
		{`{"a":[-9223372036854775808,-9223372036854775809]}`, columnFault{"json: -9223372036854775809" + beyond, "a[1]", 27}},
		{`{"a":[1.5,9223372036854775808]}`, columnFault{"json: 9223372036854775808" + beyond, "a[1]", 10}},
		{`{"a":[` + strings.Repeat("9", 400) + `]}`, columnFault{"json: " + strings.Repeat("9", 40) + "…" + beyond, "a[0]", 6}},
		{`{"a":[1.5,` + strings.Repeat("9", 400) + `]}`, columnFault{"json: " + strings.Repeat("9", 40) + "…" + beyond, "a[1]", 10}},
		{`[{"a":1.5},{"a":` + strings.Repeat("9", 400) + `}]`, columnFault{"json: " + strings.Repeat("9", 40) + "…" + beyond, "[1].a", 16}},
		{`{"a":[1.5,` + strings.Repeat("9", 900) + `.0]}`, columnFault{"json: " + strings.Repeat("9", 40) + "… is beyond the range of float64", "a[1]", 10}},
		{`{"a":[1.5,1e999]}`, columnFault{"json: 1e999 is beyond the range of float64", "a[1]", 10}},
		{`{"a":[1.5,9007199254740993]}`, columnFault{"json: 9007199254740993 in a column of float64, which cannot represent it exactly", "a[1]", 10}},
		{`{"a":[1.5,2305843009213694000,2305843009213694001]}`, columnFault{"json: 2305843009213694001 in a column of float64, which cannot represent it exactly", "a[2]", 30}},
		{`{"a":[7,-9007199254740993,1.5]}`, columnFault{"json: a float64 in a column of int64, whose row 1 is -9007199254740993, which float64 cannot represent exactly", "a[2]", 26}},
		{`[{"a":9007199254740993},{"a":1e3}]`, columnFault{"json: a float64 in a column of int64, whose row 0 is 9007199254740993, which float64 cannot represent exactly", "[1].a", 29}},
		{`{"a":["b","\ud800x"]}`, columnFault{"json: a string is not UTF-8", "a[1]", 10}},
		{"{\"a\":[\"b\",\"\xff\"]}", columnFault{"json: a string is not UTF-8", "a[1]", 10}},
		{"{\"a\xff\":[]}", columnFault{"json: a name is not UTF-8", "", 1}},
		{`{"a":[1],"b":[1,2]}`, columnFault{`json: the column has 2 rows, but "a" has 1`, "b", 13}},
		{`{"a":[1],"\u0061":[1]}`, columnFault{"json: the column is repeated", "a", 9}},
		{`{"a":[1,tru]}`, columnFault{"invalid character ']' in literal true (expecting 'e')", "a[1]", 11}},
		{`{"a":[1,2`, columnFault{"unexpected end of JSON input", "a", 9}},
		{`{"a":[1,"x"]`, columnFault{"unexpected end of JSON input", "", 12}}, // the syntax error wins over the wrong kind
		{`[5]`, columnFault{"json: a number instead of a row: a row is an object", "[0]", 1}},
		{`[{},[]]`, columnFault{"json: an array instead of a row: a row is an object", "[1]", 4}},
		{`[{"a":1},{"a":false}]`, columnFault{"json: a bool in a column of int64", "[1].a", 14}},
		{`[{"a":1},{"a":1,"a":2}]`, columnFault{"json: the column is repeated", "[1].a", 16}},
		{`[{"a":1},{"a":1,"\ud800":2}]`, columnFault{"json: a name is not UTF-8", "[1]", 16}},
		{`[{"a":1},{"a":{"b":[]}}]`, columnFault{"json: a column cannot hold arrays or objects", "[1].a", 14}},
		{`[{"a":1},{"a":01}]`, columnFault{"invalid character '1' after object key:value pair", "[1]", 15}},
		{`[{"a":1},{"a":1,}]`, columnFault{"invalid character '}' looking for beginning of object key string", "[1]", 16}},
		{`[{"a":1},]`, columnFault{"invalid character ']' looking for beginning of value", "", 9}},
	} {
		for _, before := range []string{"", strings.Repeat("\n", 2000)} {
			p := c.columnFault
			p.offset += int64(len(before))
			p.check(t, c.data, ParseColumns([]byte(before+c.data), new(column.Batch)))
		}
	}
	for _, c := range []struct {
		data string
		columnFault
	}{
		{"{\"a\":1}\n\n \r\n{\"a\":1} x", columnFault{"invalid character 'x' after top-level value", "[1]", 20}},
		{"{\"a\":1}\n{\"a\":\n2}", columnFault{"unexpected end of JSON input", "[1]", 13}},
		{"{\"a\":1}\n{\"a\":2", columnFault{"unexpected end of JSON input", "[1]", 14}},
		{"{\"a\":1}{\"a\":2}", columnFault{"invalid character '{' after top-level value", "[0]", 7}},
		{"{\"a\":\"x\n\"}", columnFault{"unexpected end of JSON input", "[0].a", 7}},
		{"{\"a\":[\n1]}", columnFault{"unexpected end of JSON input", "[0]", 6}},
		{"{\"a\":1}\n[{\"a\":2}]\nx", columnFault{"json: an array instead of a row: a row is an object", "[1]", 8}},
		{"{\"a\":1}\n{\"a\":\"\"}\nx", columnFault{"json: a string in a column of int64", "[1].a", 13}},
		{"{\"a\":1}\n{\"a\":\"\"\nx", columnFault{"unexpected end of JSON input", "[1]", 15}},
	} {
		for _, before := range []string{"", strings.Repeat("\n", 2000)} {
			p := c.columnFault
			p.offset += int64(len(before))
			p.check(t, c.data, ParseLines([]byte(before+c.data), new(column.Batch)))
		}
	}
	used := column.Batch{Rows: 1}
	columnFault{"json: ParseColumns needs an empty batch for an object of columns", "", 1}.check(t, "a batch in use", ParseColumns([]byte(` {"a":[1]}`), &used))
}

// ParseColumns, ParseLines and ParseRow append rows to a batch that contains rows.
func TestColumnsAppend(t *testing.T) {
	var b column.Batch
	for _, step := range []func() error{
		func() error { return ParseColumns([]byte(`{"a":[1,2],"b":[null,"x"]}`), &b) },
		func() error { return ParseColumns([]byte(`[{"b":"y","c":true}]`), &b) },
		func() error { return ParseLines([]byte("{\"a\":2.5}\n{}\n"), &b) },
		func() error {
			rest, err := ParseRow([]byte(` {"c":false,"a":4} , 5`), &b)
			if string(rest) != ", 5" {
				t.Errorf("rest %q", rest)
			}
			return err
		},
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	want := naiveBatch{rows: 6, columns: []*naiveColumn{
		{"a", column.Float64, []any{1.0, 2.0, nil, 2.5, nil, 4.0}},
		{"b", column.String, []any{nil, "x", "y", nil, nil, nil}},
		{"c", column.Bool, []any{nil, nil, true, nil, nil, false}},
	}}
	if err := want.compare(&b); err != nil {
		t.Error(err)
	}
}

// After an invalid row, ParseRow returns the bytes that follow the row, and Undo restores the
// batch.
func TestParseRow(t *testing.T) {
	for _, c := range []struct {
		data, rest string
		columnFault
	}{
		{` {"a":"x"} ,{`, ",{", columnFault{"json: a string in a column of int64", "a", 6}},
		{`[1,{}] ]`, "]", columnFault{"json: an array instead of a row: a row is an object", "", 0}},
		{`{"b":1,"a":2,"b":3}x`, "x", columnFault{"json: the column is repeated", "b", 13}},
		{`{"new":1,"a":{"b":[null]}}`, "", columnFault{"json: a column cannot hold arrays or objects", "a", 13}},
		{`{"a":1.5,"b":tru}`, `{"a":1.5,"b":tru}`, columnFault{"invalid character '}' in literal true (expecting 'e')", "b", 16}},
		{`{"a":1`, `{"a":1`, columnFault{"unexpected end of JSON input", "", 6}},
		{``, ``, columnFault{"unexpected end of JSON input", "", 0}},
	} {
		var b column.Batch
		if err := ParseLines([]byte("{\"a\":7}\n{\"a\":8}"), &b); err != nil {
			t.Fatal(err)
		}
		rest, err := ParseRow([]byte(c.data), &b)
		c.check(t, c.data, err)
		if string(rest) != c.rest {
			t.Errorf("%s: rest %q, want %q", c.data, rest, c.rest)
		}
		b.Undo()
		if a := b.Find("a"); b.Rows != 2 || a.Kind != column.Int64 || a.Rows != 2 || a.Ints[1] != 8 {
			t.Errorf("%s: %+v", c.data, a)
		}
		if rest, err := ParseRow([]byte(`{"new":true,"a":9}`), &b); err != nil || len(rest) != 0 || b.Rows != 3 {
			t.Errorf("after %s: %v", c.data, err)
		}
	}
}

// ParseCell appends a cell. After an error, the column is unchanged.
func TestParseCell(t *testing.T) {
	for _, c := range []struct{ start, bad, rest string }{
		{"1", `1.5e999 ,`, ","}, {"1", `true]`, "]"}, {"1", `"x"`, ""}, {"null", "x", "x"}, {"null", `"\udc00" `, ""}, {"null", "[]", ""}, {"null", `{"a":1}}`, "}"},
		{"null", "18446744073709551615,2", ",2"}, {"1.5", "18446744073709551615", ""}, {`"a"`, "1", ""}, {`"a"`, `"b`, `"b`}, {`"a"`, "\"b\x00\"", "\"b\x00\""}, {"true", "nul", "nul"}, {"true", "", ""},
	} {
		var col, want column.Column
		for _, to := range []*column.Column{&col, &want} {
			if rest, err := ParseCell([]byte(c.start), to); err != nil || len(rest) > 0 {
				t.Fatal(err)
			}
		}
		rest, err := ParseCell([]byte(c.bad), &col)
		if err == nil || string(rest) != c.rest {
			t.Errorf("%s after %s: rest %q, %v", c.bad, c.start, rest, err)
		}
		col.Text, want.Text = append([]byte{}, col.Text...), append([]byte{}, want.Text...)
		if fmt.Sprintf("%+v", col) != fmt.Sprintf("%+v", want) {
			t.Errorf("%s after %s: %+v became %+v", c.bad, c.start, want, col)
		}
	}
	var col column.Column
	rest := []byte(" null ,1, null,1.5,null ,-0,2]")
	for range 7 {
		var err error
		if rest, err = ParseCell(rest, &col); err != nil {
			t.Fatal(err)
		}
		rest = rest[1:]
	}
	want := naiveColumn{kind: column.Float64, cells: []any{nil, 1.0, nil, 1.5, nil, math.Copysign(0, -1), 2.0}}
	if err := want.compare(&col); err != nil || len(rest) != 0 {
		t.Error(err, rest)
	}
}

// A batch rejects rows and columns beyond its limits.
func TestColumnLimits(t *testing.T) {
	small := func() *column.Batch { return &column.Batch{MaxRows: 2, MaxColumns: 2, MaxCells: 100} }
	const tooMany = "column: more than 2 rows in one batch; send smaller batches"
	for _, c := range []struct {
		data string
		columnFault
	}{
		{`{"a":[1,2,3]}`, columnFault{tooMany, "a", 5}},
		{`{"a":["x","y","z"]}`, columnFault{tooMany, "a", 5}},
		{`{"a":[null,null,null]}`, columnFault{tooMany, "a", 5}},
		{`{"a":[],"b":[],"c":[]}`, columnFault{"column: more than 2 columns", "", 15}},
		{`[{},{},{}]`, columnFault{tooMany, "[2]", 7}},
		{`[{"a":1,"b":2,"c":3}]`, columnFault{"column: more than 2 columns", "[0]", 14}},
	} {
		c.check(t, c.data, ParseColumns([]byte(c.data), small()))
	}
	columnFault{tooMany, "[2]", 6}.check(t, "lines", ParseLines([]byte("{}\n{}\n{}\n{}"), small()))
	if b := small(); ParseColumns([]byte(`{"a":[1,2],"b":[3,4]}`), b) != nil || b.Rows != 2 {
		t.Error("a batch at its limits is refused")
	}

	// Each row adds a new column.
	b := column.Batch{MaxCells: 100, MaxColumns: 50, MaxRows: 1000}
	refused := 0
	for i := range 200 {
		before := b.Rows
		if _, err := ParseRow(fmt.Appendf(nil, `{"key%d":1}`, i), &b); err != nil {
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
}

// Deeply nested input causes an error and nothing worse. The time is linear in the length of the
// input.
func TestColumnsDeep(t *testing.T) {
	for _, nested := range []string{strings.Repeat("[", 1<<20), strings.Repeat(`{"a":`, 1<<18), strings.Repeat("[", 9000) + strings.Repeat("]", 9000)} {
		for _, before := range []string{"", "[", `{"a":`, `{"a":[`, `[{"a":`} {
			if err := ParseColumns([]byte(before+nested), new(column.Batch)); err == nil {
				t.Errorf("%s…: no error", before)
			}
			if err := ParseLines([]byte(before+nested), new(column.Batch)); err == nil {
				t.Errorf("%s…: no error", before)
			}
		}
	}
}

// columnForms returns rows of a shape that is common in services, in each of the three forms.
func columnForms(rows int) (columns, array, lines []byte) {
	var c, a, l bytes.Buffer
	c.WriteString(`{"time":[`)
	sep := func(w io.StringWriter, i int) {
		if i > 0 {
			w.WriteString(",")
		}
	}
	for i := range rows {
		sep(&c, i)
		fmt.Fprint(&c, 1_700_000_000_000_000+int64(i))
	}
	c.WriteString(`],"host":[`)
	for i := range rows {
		sep(&c, i)
		fmt.Fprintf(&c, `"server%03d"`, i%1000)
	}
	c.WriteString(`],"load":[`)
	for i := range rows {
		sep(&c, i)
		fmt.Fprintf(&c, "%d.%d", i%90+10, i%9+1)
	}
	c.WriteString(`],"a name that is longer":[`)
	for i := range rows {
		sep(&c, i)
		fmt.Fprintf(&c, "%t", i%2 == 0)
	}
	c.WriteString(`],"message":[`)
	for i := range rows {
		sep(&c, i)
		fmt.Fprintf(&c, `"a message with \"quotes\", number %d"`, i)
	}
	c.WriteString("]}")
	a.WriteString("[")
	for i := range rows {
		sep(&a, i)
		row := fmt.Sprintf(`{"time":%d,"host":"server%03d","load":%d.%d,"a name that is longer":%t,"message":"a message with \"quotes\", number %d"}`,
			1_700_000_000_000_000+int64(i), i%1000, i%90+10, i%9+1, i%2 == 0, i)
		a.WriteString(row)
		l.WriteString(row + "\n")
	}
	a.WriteString("]")
	return c.Bytes(), a.Bytes(), l.Bytes()
}

// forgetful reports whether sync.Pool drops objects, as it does with the race detector.
func forgetful() bool {
	var p sync.Pool
	for i := range 100 {
		if p.Put(&i); p.Get() == nil {
			return true
		}
	}
	return false
}

// Parsing into a reused batch does not allocate.
func TestColumnsAllocations(t *testing.T) {
	if forgetful() {
		t.Skip("counted without the race detector")
	}
	columns, array, lines := columnForms(500)
	var b column.Batch
	for name, parse := range map[string]func() error{
		"columns": func() error { return ParseColumns(columns, &b) },
		"rows":    func() error { return ParseColumns(array, &b) },
		"lines":   func() error { return ParseLines(lines, &b) },
		"row by row": func() error {
			for line := range bytes.Lines(lines) {
				if _, err := ParseRow(line, &b); err != nil {
					return err
				}
			}
			return nil
		},
	} {
		once := func() {
			b.Reset()
			if err := parse(); err != nil || b.Rows != 500 || len(b.Columns) != 5 || string(b.Columns[4].StringAt(499)) != `a message with "quotes", number 499` {
				t.Fatal(name, err)
			}
		}
		once()
		if n := testing.AllocsPerRun(20, once); n > 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// The decoder compares each key with the key that is expected next. Text that only resembles the
// expected key is not accepted as that key.
func TestKeysForetold(t *testing.T) {
	for _, c := range []struct {
		data string
		good bool
	}{
		{`[{"a\"b":1},{"a\"b":2}]`, true},
		{`[{"a\"b":1},{"a"b":2}]`, false},
		{`[{"ab":1},{ab":2}]`, false},
		{`[{"ab":1},{"ab:2}]`, false},
		{`[{"ab":1},{"ab"2}]`, false},
		{`[{"ab":1},{"abc":2}]`, true},
		{`[{"abc":1},{"ab":2}]`, true},
		{`[{"abcdefg":1},{"abcdefgh":2},{"abcdefghi":3},{"abcdefgh":4},{"abcdefg":5}]`, true},
		{`[{"a rather long name":1},{"a rather long nami":2},{"a rather long name":3}]`, true},
		{`[{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7},{"g":1},{"b":1,"e":2,"a":3},{"f":0,"g":0},{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7}]`, true},
		{`[{"":1,"a":2},{"":3,"a":4},{"a":5,"":6}]`, true},
		{`[{"\u0061":1},{"a":2},{"\u0061":3}]`, true},
		{"[{\"a\":1},{\"\x00\x00\x00\x00\x00\x00\x00\x00\":1}]", false},
	} {
		var b column.Batch
		if got := checkColumns(t, []byte(c.data), &b); got != c.good {
			t.Errorf("%s: %v", c.data, got)
		}
	}
}

var farFrom = bytes.Repeat([]byte(" "), 800)

// FuzzColumns compares the column decoder with the naive decoder.
func FuzzColumns(f *testing.F) {
	for _, seed := range []string{
		`{"a":[null,1,2.5,-0,1e5],"b":["x","\u0000",null,"é",""],"c":[true,false,null,null,true]}`,
		`[{"a\"b":1,"é":"\ud83d\ude00\ufffd"},{"a\"b":-0,"é":"\ud800"}]`,
		`[{"time":1,"host":"a","v":0.5},{"time":2,"host":"b","v":1} , {"v":2,"time":3}]`,
		"{\"time\":1,\"host\":\"a\"}\n\r\n{\"time\":2.5}\n{\"time\":[3]}",
		`{"a":[9223372036854775807,-9223372036854775808,1e400]}`,
		`[{"a name of more than eight bytes":1},{"a name of more than eight bytez":2},{"":3}]`,
		"[{\"\xff\":\"\xff\"}]",
	} {
		f.Add([]byte(seed))
	}
	var used column.Batch
	f.Fuzz(func(t *testing.T, data []byte) {
		data = guard.Test(t, data)
		checkColumns(t, data, &used)
		// Check the same data far from the end of the input, and where the end comes into the
		// window.
		checkColumns(t, slices.Concat(farFrom, data, farFrom), &used)
		checkColumns(t, slices.Concat(farFrom, data), &used)
		limited := column.Batch{MaxRows: 20, MaxColumns: 5, MaxCells: 50}
		for rest := data; len(rest) > 0; {
			next, err := ParseRow(rest, &limited)
			if err != nil {
				limited.Undo()
			}
			for _, c := range limited.Columns {
				if err := checkColumn(c); err != nil || c.Rows != limited.Rows {
					t.Fatalf("%q: column %q has %d rows of %d: %v", data, c.Name, c.Rows, limited.Rows, err)
				}
			}
			if len(next) == len(rest) {
				break
			}
			rest = next
		}
		var c column.Column
		for rest := data; len(rest) > 0; {
			next, err := ParseCell(rest, &c)
			if err := checkColumn(&c); err != nil {
				t.Fatalf("%q: %v", data, err)
			}
			var syntax *SyntaxError
			if len(next) == len(rest) && !errors.As(err, &syntax) {
				t.Fatalf("%q: at %d: %v", data, len(data)-len(rest), err)
			}
			if len(next) == len(rest) {
				break
			}
			rest = next
		}
	})
}
