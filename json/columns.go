package json

// The following files decode a batch of records directly into typed columns (package column). A
// batch can have one of three forms in JSON:
//
//	columns  {"time": [1, 2, 3], "host": ["a", "b", "c"]}
//	rows     [{"time": 1, "host": "a"}, {"time": 2, "host": "b"}]
//	lines    {"time": 1, "host": "a"}
//	         {"time": 2, "host": "b"}
//
//	columns.go        the exported functions, and their errors
//	columns_rows.go   rows, and the prediction of their keys
//	columns_cells.go  cells, and sequences of cells

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

// Error is the error type of ParseColumns, ParseLines, ParseRow and ParseCell. It contains the
// cause of the error, and the position of the invalid value.
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
// Cause is a *SyntaxError if the input is not valid JSON. The verb %+v adds the position to the
// text, as in "json: a bool in a column of int64 in host[3], at byte 96".
type Error = wire.Error

// ParseColumns decodes a JSON document into b. The document is an object of arrays or an array of
// objects. Each array of the object becomes a column; all arrays must have the same length. Each
// object of the array becomes a row.
//
//	{"time": [1, 2], "host": ["a", "b"]}
//	[{"time": 1, "host": "a"}, {"time": 2, "host": "b"}]
//
// If the document is an object, b must be empty. If it is an array, its rows are appended to b. A
// key that is missing in a row becomes a null.
//
// A cell is null, a boolean, a number or a string. A number with neither a fraction nor an exponent
// is an int64, and any other number is a float64. For a number out of the range of its type,
// ParseColumns returns an error. The first non-null value of a column determines the kind of the
// column. If a float follows ints, the ints in the column become floats. In a column of floats, the
// number -0 becomes the float -0. A column of floats rejects an integer above 2^53 that a float64
// would round (see package column). ParseColumns also returns an error for a repeated name, and for
// a cell that is an array or object. It does the same for a string or name that is not UTF-8, or
// that contains an unpaired surrogate. (Unmarshal replaces the invalid part.)
//
// Errors are of type *[Error]. If data is not valid JSON, the error has the text of encoding/json's
// error. After an error, b contains the values that precede the error. b.Reset removes all values.
// If the document is an array, b.Undo removes only the incomplete row.
//
// Memory use is proportional to the size of data, with one exception: each row has a cell in every
// column, so n rows that each add a column need n² cells. The fields MaxColumns, MaxCells and
// MaxRows of b limit the size of the batch.
//
// After the call, b does not refer to data. If a batch is reused for the same columns, ParseColumns
// does not allocate.
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

// ParseLines decodes NDJSON, also called JSON Lines. Each line contains an object, and ParseLines
// appends the object to b as a row. It skips lines that contain only white space. Lines end with \n
// or \r\n. The last line need not end with a newline.
//
// ParseLines decodes rows and returns errors like [ParseColumns], but checks each line separately.
// The error reports the first invalid line; rows from earlier lines are kept. The Path of the error
// contains the number of the row, starting with 0. The Offset of the error is relative to the
// beginning of data.
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

// ParseRow decodes the object at the beginning of data, and adds it to b as a row, as
// [ParseColumns] does with an element of an array. It skips the object and the white space after
// the object, and returns the rest of data. It does so even if the object is valid JSON but not a
// valid row. If the object is not valid JSON, ParseRow returns its argument data unchanged. After
// an error, b.Undo removes the incomplete row.
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

// ParseCell decodes the value at the beginning of data, and adds it to c as a cell, as
// [ParseColumns] does with an element of a column. It skips the value and the white space after the
// value, and returns the rest of data. It does so even if the value is valid JSON but does not fit
// the column. If the value is not valid JSON, ParseCell returns its argument data unchanged. After
// an error, c is unchanged.
func ParseCell(data []byte, c *column.Column) (rest []byte, err error) {
	r := newColumnReader(data, nil)
	defer r.release()
	if i := r.cell(c, r.d.blanks(0)); i >= 0 {
		return data[r.d.ending(i, firstValue):], nil
	}
	return r.restAfter(data)
}

// columnReader contains the state of a call of ParseColumns, ParseLines, ParseRow or ParseCell. Its
// methods accept and return positions, like the methods of type decoder. If a method returns the
// constant failed, the field `cause` contains the error. If `cause` is then nil, the input is not
// valid JSON.
type columnReader struct {
	d    *decoder
	b    *column.Batch
	keys []writtenKey // keys[k] is the encoded name of b.Columns[k]: columns_rows.go

	cause error
	at    int // offset in the input of the value that cause reports
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

// keysMax is the maximum capacity of keys, in columns, that a pooled columnReader keeps.
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

// fail records cause as the error for the value at i, and returns failed.
func (r *columnReader) fail(i int, cause error) int { return r.failAt(r.d.off+i, cause) }

// failAt is like fail, but its argument is an offset in the input instead of a position.
func (r *columnReader) failAt(offset int, cause error) int {
	r.cause, r.at = cause, offset
	return failed
}

const noRow = -1

// error returns the error of a call that failed in `text`, which is a part of the input and begins
// at the offset `start`. If `text` is a single row, `row` is the number of this row. Otherwise,
// `row` is the constant noRow. A syntax error anywhere in `text` takes precedence over r.cause. To
// find a syntax error, the method reads `text` a second time, because the error case need not be
// fast.
func (r *columnReader) error(text []byte, start, row int, all extent) error {
	e := &Error{Offset: int64(r.at), Cause: r.cause}
	if r.cause == nil || r.d.check(text, all) == failed {
		if r.cause != nil {
			r.path = nil // the path leads to the value that cause reports
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

// faultIn returns the offset of the invalid byte that an error from encoding/json reports.
func faultIn(err error) int {
	e, ok := err.(*SyntaxError)
	switch {
	case !ok:
		return 0
	case onV2 || strings.HasPrefix(e.Error(), "unexpected end"):
		return int(e.Offset)
	}
	return int(e.Offset) - 1 // Offset is the number of bytes read, including the invalid byte
}

// restAfter returns the results of ParseRow and ParseCell after a failure.
func (r *columnReader) restAfter(data []byte) ([]byte, error) {
	err := r.error(data, 0, noRow, firstValue)
	if n := r.d.check(data, firstValue); n != failed {
		data = data[n:]
	}
	return data, err
}

// what returns a description of the value at i for error texts. The description contains the kind
// of the value.
func (r *columnReader) what(i int) string { return valueName(mem.Load8(r.d.b, i)) }

// valueName returns a description of the kind of a value. The argument `first` is the first byte of
// the value.
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
