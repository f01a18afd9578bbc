package json

// The columnar road: a batch of records straight into typed columns (package column), from any of
// its forms in JSON.
//
//	columns  {"time": [1, 2, 3], "host": ["a", "b", "c"]}
//	rows     [{"time": 1, "host": "a"}, {"time": 2, "host": "b"}]
//	lines    {"time": 1, "host": "a"}
//	         {"time": 2, "host": "b"}
//
//	columns.go        the calls, and how their errors come about
//	columns_rows.go   rows, and how their keys are foretold
//	columns_cells.go  cells, and runs of them

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/internal/wire"
)

// Error reports what ParseColumns, ParseLines, ParseRow or ParseCell could not read, and where.
//
//	type Error struct {
//		Offset int64  // of the byte or value at fault, from the start of the input
//		Path   string // host[3] (a column, its row), [3].host (a row, its column) or host
//		Cause  error  // what is wrong
//	}
//
//	func (e *Error) Error() string                   // returns the text of Cause alone
//	func (e *Error) Unwrap() error                   // returns Cause, for errors.Is and errors.As
//	func (e *Error) Where() string                   // returns Path and Offset in words
//	func (e *Error) Format(s fmt.State, verb rune)   // prints Cause; %+v adds Where
//
// Cause is a *SyntaxError if the input is not valid JSON. The verb %+v prints the place after the
// text, as in "json: a bool in a column of int64 in host[3], at byte 96".
type Error = wire.Error

// ParseColumns decodes a JSON document into b: an object of arrays of equal length, which become
// columns, or an array of objects, which become rows.
//
//	{"time": [1, 2], "host": ["a", "b"]}
//	[{"time": 1, "host": "a"}, {"time": 2, "host": "b"}]
//
// For an object, b must be empty. Rows of an array are added to those of b; a key that is missing
// in a row is a null.
//
// A cell is null, a boolean, a number or a string. A number without a fraction and an exponent is
// an int64, and an error beyond its range. Any other number is a float64, and an error beyond its
// range. A column has the kind of its first value that is not null. Ints become floats when a float
// follows; -0 is a float in a column of floats. An integer beyond 2^53 that a float64 would round
// is an error in a column of floats (see package column). These are errors, too: a string or name
// that is not UTF-8 or has half of a surrogate pair (Unmarshal replaces it), a repeated name, and
// an array or object as a cell.
//
// An error is an [Error]. If data is not valid JSON, it has the text of encoding/json's error.
// After an error b contains the values that were read before: b.Reset removes all of them, and for
// an array b.Undo removes the incomplete row.
//
// Memory grows with the size of data, with one exception: a row has a cell in every column, so n
// rows that each add a column take n² cells. Limit these with MaxColumns, MaxCells and MaxRows of
// b.
//
// b does not refer to data. If a batch is used again for the same columns, ParseColumns does not
// allocate.
func ParseColumns(data []byte, b *column.Batch) error {
	r := newColumnReader(data, b)
	defer r.release()
	d := r.d
	i := d.blanks(0)
	switch mem.Load8(d.b, i) {
	case '[':
		i = r.rows(i)
	case '{':
		i = r.columns(i)
	default:
		i = r.fail(i, fmt.Errorf("json: %s instead of an array of rows or an object of columns", r.what(i)))
	}
	if i >= 0 && d.ending(i, oneValue) != failed {
		return nil
	}
	return r.error(data, 0, noRow, oneValue)
}

// ParseLines decodes NDJSON, also called JSON Lines: an object on each line, which is added to b as
// a row. It skips lines of white space. Lines end with \n or \r\n, which the last line may lack.
//
// Rows and errors are the same as in [ParseColumns], except that each line is checked separately:
// the error is that of the first invalid line, and the rows of the lines before it stay. Its Path
// has the number of the row, starting with 0, and its Offset counts from the beginning of data.
func ParseLines(data []byte, b *column.Batch) error {
	r := newColumnReader(data, b)
	defer r.release()
	d := r.d
	i := 0
	for row := 0; ; row++ {
		i = d.blanks(i)
		start := d.off + i
		if start == len(data) {
			return nil
		}
		end := len(data)
		if n := bytes.IndexByte(data[start:], '\n'); n >= 0 {
			end = start + n
		}
		if i = r.cells(i); i >= 0 {
			if after := d.off + i; after <= end && allBlank(data[after:end]) {
				i = d.guard(end - d.off)
				if r.closeRow(start) {
					continue
				}
			}
		}
		return r.error(data[start:end], start, row, oneValue)
	}
}

// ParseRow decodes the object at the beginning of data as a new row of b, as [ParseColumns] does
// with an element of an array. It returns the rest of data after the object and the white space
// that follows, also if the object is valid JSON but not a valid row. Otherwise it returns data.
// After an error, b.Undo removes the incomplete row.
func ParseRow(data []byte, b *column.Batch) (rest []byte, err error) {
	r := newColumnReader(data, b)
	defer r.release()
	i := r.d.blanks(0)
	start := r.d.off + i
	if i = r.cells(i); i >= 0 && r.closeRow(start) {
		return data[r.d.ending(i, firstValue):], nil
	}
	return r.restAfter(data)
}

// ParseCell decodes the value at the beginning of data as a new cell of c, as [ParseColumns] does
// with an element of a column. It returns the rest of data after the value and the white space that
// follows, also if the value is valid JSON but does not fit. Otherwise it returns data. After an
// error c is unchanged.
func ParseCell(data []byte, c *column.Column) (rest []byte, err error) {
	r := newColumnReader(data, nil)
	defer r.release()
	if i := r.cell(c, r.d.blanks(0)); i >= 0 {
		return data[r.d.ending(i, firstValue):], nil
	}
	return r.restAfter(data)
}

// columnReader is one of these calls. Its functions take and give positions as those of the decoder
// do; where they give failed, cause says why, or the input is not valid JSON.
type columnReader struct {
	d    *decoder
	b    *column.Batch
	keys []writtenKey // keys[k] is how the name of b.Columns[k] is written: columns_rows.go

	cause error
	at    int // in the input, of what cause is about
	path  wire.Path
}

var columnReaders = sync.Pool{New: func() any { return new(columnReader) }}

func newColumnReader(data []byte, b *column.Batch) *columnReader {
	r := columnReaders.Get().(*columnReader)
	r.b = b
	r.d = decoders.Get().(*decoder)
	r.d.open(data)
	r.d.depth = 0
	return r
}

// keysMax is for how many columns a pooled reader keeps room.
const keysMax = 1 << 10

func (r *columnReader) release() {
	r.d.release()
	keys := r.keys[:0]
	if cap(keys) > keysMax {
		keys = nil
	}
	*r = columnReader{keys: keys}
	columnReaders.Put(r)
}

// fail notes what is wrong with the value at i.
func (r *columnReader) fail(i int, cause error) int { return r.failAt(r.d.off+i, cause) }

// failAt is fail for a place in the input.
func (r *columnReader) failAt(offset int, cause error) int {
	r.cause, r.at = cause, offset
	return failed
}

const noRow = -1

// error is what to return when reading has failed in text, which stands in the input from start on,
// and is a row by itself or noRow. What is wrong with its syntax goes before what cause says,
// wherever it is. Errors are not where speed counts: text is read again.
func (r *columnReader) error(text []byte, start, row int, all extent) error {
	e := &Error{Offset: int64(r.at), Cause: r.cause}
	if r.cause == nil || r.d.check(text, all) == failed {
		if r.cause != nil {
			r.path = nil // which leads to what cause is about
		}
		e.Cause = explain(text)
		e.Offset = int64(start + faultIn(e.Cause))
	}
	if row != noRow {
		r.path.Index(row)
	}
	e.Path = r.path.String()
	return e
}

// faultIn is where the byte lies that an error of encoding/json is about.
func faultIn(err error) int {
	e, ok := err.(*SyntaxError)
	switch {
	case !ok:
		return 0
	case onV2 || strings.HasPrefix(e.Error(), "unexpected end"):
		return int(e.Offset)
	}
	return int(e.Offset) - 1 // it counts the bytes that were read, the one at fault among them
}

// restAfter is what ParseRow and ParseCell return when reading has failed.
func (r *columnReader) restAfter(data []byte) ([]byte, error) {
	err := r.error(data, 0, noRow, firstValue)
	if n := r.d.check(data, firstValue); n != failed {
		data = data[n:]
	}
	return data, err
}

// what names the kind of the value at i.
func (r *columnReader) what(i int) string { return valueName(mem.Load8(r.d.b, i)) }

// valueName names the kind of a value that starts with first.
func valueName(first byte) string {
	switch first {
	case '"':
		return "a string"
	case '{':
		return "an object"
	case '[':
		return "an array"
	case 't', 'f':
		return "a bool"
	case 'n':
		return "null"
	}
	return "a number"
}

func allBlank(s []byte) bool {
	for _, c := range s {
		if !isBlank(c) {
			return false
		}
	}
	return true
}

var (
	errColumnsUsed = errors.New("json: ParseColumns needs an empty batch for an object of columns")
	errColumnTwice = errors.New("json: the column is repeated")
)

// columns reads the object of columns at i.
func (r *columnReader) columns(i int) int {
	b, d := r.b, r.d
	if b.Rows > 0 || len(b.Columns) > 0 {
		return r.fail(i, errColumnsUsed)
	}
	i = d.enter(i, '}')
	for i >= 0 {
		start, had := d.off+i, len(b.Columns)
		c, j := r.newColumn(i)
		if j < 0 {
			return failed
		}
		if len(b.Columns) == had {
			r.path.Field(c.Name)
			return r.failAt(start, errColumnTwice)
		}
		if i = d.colon(j); i < 0 {
			return failed
		}
		start = d.off + i
		if i = r.column(c, i, b.MaxRows); i < 0 {
			r.path.Field(c.Name)
			return failed
		}
		if first := b.Columns[0]; c.Rows != first.Rows {
			r.path.Field(c.Name)
			return r.failAt(start, fmt.Errorf("json: the column has %d rows, but %q has %d", c.Rows, first.Name, first.Rows))
		}
		i = d.next(i, '}')
	}
	if i != failed {
		if len(b.Columns) > 0 {
			b.Rows = b.Columns[0].Rows
		}
		i = ^i
	}
	return i
}
