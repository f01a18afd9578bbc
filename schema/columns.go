package schema

// This file decodes messages directly into typed columns (package column). Messages have one of two
// forms:
//
//	rows     {time i64, host str8}                  a message is a row, and the next one follows it
//	columns  {time list32(i64), host list32(str8)}  one message contains all rows: only lists, all of the same length
//
//	columns.go        which schemas can be converted, the API, and its errors
//	columns_cells.go  the loops over cells, and over lists of cells

import (
	"errors"
	"fmt"
	"iter"
	"math"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/internal/wire"
)

// ErrCell reports a value that does not fit its column: an unsigned integer that exceeds int64, an
// integer that would be rounded in a float column, or text that is not UTF-8. The message itself is
// valid, and the reader continues after it. To test for this error, use errors.Is.
var ErrCell = errors.New("schema: a number beyond the range of int64 cannot be stored; send it as a float or a string")

// cellError is an ErrCell with its own text.
type cellError string

func (e cellError) Error() string        { return "schema: " + string(e) }
func (e cellError) Is(target error) bool { return target == ErrCell }

const errText = cellError("a string is not UTF-8")

// Columns converts messages to columns of a [column.Batch]. Usually, a message is one row. If all
// fields of the schema are lists, a message contains one list per column instead. A value of type
// Columns is immutable, and may be used concurrently.
//
//	integers         int64; an error if it exceeds int64, or if a float column would round it
//	f32, f64         float64
//	bool             bool
//	time             time, rounded down to microseconds
//	str              string; text that is not UTF-8 is an error
//	opt              null, or the value; for a missing struct, null in all its columns
//	struct           columns named outer.inner
//	skip             no column
//	fields of a Tail null if the message ends before them; a missing list adds no column
//
// Other types cannot be converted.
type Columns struct {
	fields []columnField
	steps  []cellStep // the steps of a row
	lists  []listPart // one for each field, if messages contain columns; nil if they are rows
	must   int        // number of lists outside the Tail, which every message contains
	whole  bool       // the schema has a Tail, so the input is a single message
}

type columnField struct {
	name string
	kind column.Kind
}

// listPart is a field of a message that contains columns. The field is a list, or skipped bytes.
type listPart struct {
	column int
	header Header
	steps  []cellStep // the steps of an element
	skip   int
	tail   bool // the message may end here
}

// Columns returns a Columns that converts messages of this shape. If a field cannot be converted,
// it returns an *[Error] with the path of the field.
func (s *Shape) Columns() (*Columns, error) { return columnsOf(s.root()) }

// columnsOf returns a Columns that converts messages of n. If a field cannot be converted, the
// error contains the path of the field.
func columnsOf(n *node) (*Columns, error) {
	c := &Columns{whole: n.hasTail()}
	var err error
	switch {
	case n.kind != kindStruct:
		err = &Error{Offset: nowhere, Cause: errors.New("schema: a message must be a struct: its fields name the columns")}
	case n.onlyLists():
		err = c.addLists(n)
	default:
		c.steps, err = c.row(nil, n, "")
		c.steps = reserveCells(c.steps)
	}
	if err != nil {
		return nil, err
	}
	if len(c.fields) == 0 {
		return nil, &Error{Offset: nowhere, Cause: errors.New("schema: no field can be a column")}
	}
	seen := make(map[string]bool)
	for _, f := range c.fields {
		if seen[f.name] {
			return nil, &Error{Offset: nowhere, Path: f.name, Cause: errors.New("schema: two columns would have this name")}
		}
		seen[f.name] = true
	}
	return c, nil
}

func (n *node) onlyLists() bool {
	lists := 0
	for _, p := range n.parts {
		if p.kind != kindList {
			return false
		}
		lists++
	}
	return lists > 0
}

func (c *Columns) addLists(n *node) error {
	for _, f := range n.fields {
		l := listPart{skip: f.skip, tail: f.tail}
		if f.n != nil {
			l.column, l.header = len(c.fields), f.n.header
			cell := f.n.elem
			for cell.kind == kindOpt {
				cell = cell.elem
			}
			if cell.kind == kindStruct {
				return noCell(f.name, cell)
			}
			steps, err := c.row(nil, f.n.elem, f.name)
			if err != nil {
				return err
			}
			l.steps = reserveCells(steps)
			if !l.tail {
				c.must++
			}
		}
		c.lists = append(c.lists, l)
	}
	return nil
}

// maxColumnName is the maximum length of a column name, in bytes. A column name repeats the names
// of all enclosing structs, so even a small schema could produce very long names.
const maxColumnName = 1 << 10

// row appends the steps that read n, and adds the columns of n to c.fields.
func (c *Columns) row(steps []cellStep, n *node, path string) (_ []cellStep, err error) {
	if len(path) > maxColumnName {
		return nil, &Error{Offset: nowhere, Path: path, Cause: fmt.Errorf("schema: the name of a column would have more than %d bytes", maxColumnName)}
	}
	s := cellStep{path: path, size: n.size, signed: n.signed, big: n.big, column: len(c.fields)}
	switch n.kind {
	case kindInt:
		s.kind, s.holds = cellInt, column.Int64
		if n.size == 8 && n.signed && !n.big {
			s.kind = cellInt64
		}
	case kindFloat:
		s.kind, s.holds = cellFloat, column.Float64
		if n.size == 8 && !n.big {
			s.kind = cellFloat64
		}
	case kindBool:
		s.kind, s.holds = cellBool, column.Bool
	case kindTime:
		s.kind, s.holds, s.size = cellTime, column.Time, 8
	case kindString:
		s.kind, s.holds, s.header, s.size = cellString, column.String, n.header, n.header.size()
	case kindOpt:
		at := len(steps)
		s.kind, s.size = cellOpt, 1
		if steps, err = c.row(append(steps, s), n.elem, path); err == nil {
			steps[at].span = len(steps) - at - 1
		}
		return steps, err
	case kindStruct:
		for _, f := range n.fields {
			at := join(path, f.name)
			if f.tail {
				steps = append(steps, cellStep{kind: cellTail, path: at})
			}
			if f.n == nil {
				steps = append(steps, cellStep{kind: cellSkip, size: f.skip, path: at})
			} else if steps, err = c.row(steps, f.n, at); err != nil {
				return nil, err
			}
		}
		return steps, nil
	default:
		return nil, noCell(path, n)
	}
	c.fields = append(c.fields, columnField{path, s.holds})
	return append(steps, s), nil
}

// noCell returns the error for the type n, whose values do not fit any column.
func noCell(path string, n *node) error {
	what, hint := map[kind]string{
		kindBlob: "a blob", kindArray: "an array", kindMap: "a map", kindStruct: "a list of structs", kindList: "a list",
		kindTimeZone: "a timezone", kindCustom: "a custom type", kindSelf: "a struct within itself",
	}[n.kind], "columns store numbers, bools, times and strings, and options of these"
	switch n.kind {
	case kindList:
		hint = "lists can be columns only if every field is a list"
	case kindTimeZone:
		hint = "columns store times without a zone: use time"
	}
	return &Error{Offset: nowhere, Path: path, Cause: fmt.Errorf("schema: %s cannot be stored in a column: %s", what, hint)}
}

// reserveCells appends the final step, and sets the field `room` of each step.
func reserveCells(steps []cellStep) []cellStep {
	steps = append(steps, cellStep{kind: cellEnd})
	for k := len(steps) - 2; k >= 0; k-- {
		s := &steps[k]
		switch next := steps[k+1+s.span].room; {
		case s.kind == cellTail:
		case s.size > math.MaxInt-next:
			s.room = math.MaxInt
		default:
			s.room = s.size + next
		}
	}
	return steps
}

// Lists reports whether each message contains one list per column instead of a single row.
func (c *Columns) Lists() bool { return c.lists != nil }

// All returns an iterator over the names and kinds of the columns.
func (c *Columns) All() iter.Seq2[string, column.Kind] {
	return func(yield func(string, column.Kind) bool) {
		for _, f := range c.fields {
			if !yield(f.name, f.kind) {
				return
			}
		}
	}
}

// Parse reads all messages in data, and appends their rows to b. If messages contain columns, b
// must be empty. If the schema has a Tail, data may contain only one message.
//
// An error is an *[Error]. If messages are rows, the Path of the error has the form [3].host (row
// and column). If messages contain columns, the Path has the form host[3]. After an error, b
// contains the values before the error. Call b.Reset to remove all values, or b.Undo to remove the
// incomplete row. Memory use is proportional to the size of the input, with one exception: a
// missing struct adds nulls that take no bytes of the input. Memory use never exceeds the limits of
// b. After the call, b does not refer to data.
func (c *Columns) Parse(data []byte, b *column.Batch) error {
	r := cellReader{b: data}
	if c.lists != nil {
		return r.parseLists(c, b)
	}
	if !r.bind(c.fields, b, 0) {
		return r.inRow(0)
	}
	if len(data) > 0 && !r.accept(c.steps, 0) { // without cells, the columns must not get a kind
		return r.inRow(0)
	}
	for i, row := 0, 0; i < len(data); row++ {
		start := i
		if i = r.row(c, i); i < 0 || r.cause != nil {
			return r.inRow(row)
		}
		if err := b.CloseRow(); err != nil {
			r.wrong("", start, err)
			return r.inRow(row)
		}
	}
	return nil
}

// Rows returns a reader of the rows in data. It supports both forms of messages. If messages
// contain columns, Rows checks the encoding of the whole input, and returns the first error.
func (c *Columns) Rows(data []byte) (*RowReader, error) {
	r := &RowReader{columns: c, at: []int{0}}
	r.cells.b = data
	var err error
	if c.lists != nil {
		r.at, r.left, err = r.cells.findLists(c)
	}
	return r, err
}

// RowReader reads rows one by one.
type RowReader struct {
	columns  *Columns
	cells    cellReader
	at, next []int // at contains the offset of the next row's message, or of its cell in each list that is present; next contains the offsets of the following row
	left     int   // remaining rows, if messages contain columns
}

// More reports whether the input contains a row that has not been read.
func (r *RowReader) More() bool {
	if r.columns.lists != nil {
		return r.left > 0
	}
	return r.at[0] < len(r.cells.b)
}

// Read appends the next row to b. After an error, b.Undo removes the incomplete row. If the error
// is [ErrCell], the next call reads the following row. After any other error, the next call reads
// the same row again. The Path of an *[Error] is the name of the column.
func (r *RowReader) Read(b *column.Batch) error {
	r.cells.cellFault = cellFault{}
	fields := r.columns.fields
	if r.columns.lists != nil {
		fields = fields[:len(r.at)] // a missing list adds no column
	}
	if !r.cells.bind(fields, b, r.at[0]) {
		return r.cells.inRow(-1)
	}
	r.next = r.next[:0]
	if r.columns.lists == nil {
		if r.cells.accept(r.columns.steps, r.at[0]) {
			r.next = append(r.next, r.cells.row(r.columns, r.at[0]))
		}
	}
	for _, l := range r.columns.lists {
		if l.steps == nil {
			continue
		}
		k := len(r.next)
		if k == len(r.at) || !r.cells.accept(l.steps, r.at[k]) {
			break // no more lists are present, or the column cannot hold the cell
		}
		r.next = append(r.next, r.cells.run(l.steps, r.at[k]))
	}
	if r.cells.cause == nil {
		if err := b.CloseRow(); err != nil {
			r.cells.wrong("", r.at[0], err)
			return r.cells.inRow(-1)
		}
	} else if !errors.Is(r.cells.cause, ErrCell) {
		return r.cells.inRow(-1)
	}
	r.at, r.next = r.next, r.at
	r.left--
	if r.cells.cause != nil {
		return r.cells.inRow(-1)
	}
	return nil
}

// cellFault contains an error and its position.
type cellFault struct {
	path  string
	cell  int // index in a list; negative for an error outside a list, or in the list itself
	at    int
	cause error
}

// inRow returns the fault as an error in the given row. If row is negative, the path of the error
// does not contain the row.
func (r *cellReader) inRow(row int) error {
	var p wire.Path
	p.Inner(r.path)
	if row >= 0 {
		p.Index(row)
	}
	return &Error{Offset: int64(r.at), Path: p.String(), Cause: r.cause}
}

// inList returns the fault as an error in a cell of a list. If r.cell is negative, the error is in
// the list itself.
func (r *cellReader) inList() error {
	var p wire.Path
	if r.cell >= 0 {
		p.Index(r.cell)
	}
	p.Inner(r.path)
	return &Error{Offset: int64(r.at), Path: p.String(), Cause: r.cause}
}

// bind finds the columns of b for the given fields, and reports whether it succeeded. The row
// begins at offset i.
func (r *cellReader) bind(fields []columnField, b *column.Batch, i int) bool {
	r.columns = r.columns[:0]
	for k := range fields {
		col, err := b.Column(mem.Bytes(fields[k].name))
		if err != nil {
			r.wrong(fields[k].name, i, err)
			return false
		}
		r.columns = append(r.columns, col)
	}
	return true
}
