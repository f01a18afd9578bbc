package schema

// The columnar road: messages straight into typed columns (package column), in either of two forms.
//
//	rows     {time i64, host str8}                  a message is a row, and the next one follows it
//	columns  {time list32(i64), host list32(str8)}  one message is all rows: nothing but lists, as long as each other
//
//	columns.go        what schemas can be columns, the calls, and their errors
//	columns_cells.go  the loops: cells, and lists of them

import (
	"errors"
	"fmt"
	"iter"
	"math"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/internal/wire"
)

// ErrCell reports a value that its column cannot hold: an unsigned integer beyond int64, an integer
// that a column of floats would round, or text that is not UTF-8. The message itself is valid, and
// the reader continues after it. Use errors.Is.
var ErrCell = errors.New("schema: a number beyond the range of int64 cannot be stored; send it as a float or a string")

// cellError is an ErrCell with a text of its own.
type cellError string

func (e cellError) Error() string        { return "schema: " + string(e) }
func (e cellError) Is(target error) bool { return target == ErrCell }

const errText = cellError("a string is not UTF-8")

// Columns converts messages to columns of a [column.Batch]. A message is a row or, if all fields of
// the schema are lists, a set of columns. Columns never change, and may be used concurrently.
//
//	integers         int64; an integer beyond int64 is an error, and one that a column of floats would round
//	f32, f64         float64
//	bool             bool
//	time             time, rounded down to microseconds
//	str              string; text that is not UTF-8 is an error
//	opt              null, or the value; for a missing struct, null in all its columns
//	struct           columns named outer.inner
//	skip             no column
//	fields of a Tail null if the message ends before them; a missing list is no column
//
// Other types cannot be converted.
type Columns struct {
	fields []columnField
	steps  []cellStep // of a row
	lists  []listPart // of columns; nil if messages are rows
	must   int        // how many columns lists always are: those not of a Tail
	whole  bool       // there is a Tail: one message is all that may come
}

type columnField struct {
	name string
	kind column.Kind
}

// listPart is a list, or bytes that are skipped.
type listPart struct {
	column int
	header Header
	steps  []cellStep // of an element
	skip   int
	tail   bool // the message may end here
}

// Columns returns the conversion of messages to columns. If a field cannot be converted, it returns
// an *[Error] with the path of the field.
func (s *Shape) Columns() (*Columns, error) { return columnsOf(s.root()) }

// columnsOf is n, a message, as columns. The error has the path of the field that cannot be one.
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

// maxColumnName is in bytes. All fields of a struct repeat the names around it, so that a small
// schema would have large ones.
const maxColumnName = 1 << 10

// row appends the steps of n.
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

// noCell says that n is nothing that a cell could hold.
func noCell(path string, n *node) error {
	what, hint := map[kind]string{
		kindBlob: "a blob", kindArray: "an array", kindMap: "a map", kindStruct: "a list of structs", kindList: "a list",
		kindTimeZone: "a timezone", kindCustom: "what only functions read", kindSelf: "a struct within itself",
	}[n.kind], "columns have numbers, bools, times and strings, and options of these"
	switch n.kind {
	case kindList:
		hint = "lists are columns, if every field is one"
	case kindTimeZone:
		hint = "columns have times without a zone: use time"
	}
	return &Error{Offset: nowhere, Path: path, Cause: fmt.Errorf("schema: %s has no cell: %s", what, hint)}
}

// reserveCells ends the steps, and sets their rooms.
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

// Lists reports whether a message is a set of columns, and not a row.
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

// Parse reads all messages in data into b. Rows are added to those of b; for columns, b must be
// empty. Only one message of a schema with a Tail can be read.
//
// An error is an *[Error]. Its Path is [3].host (row and column) for rows, and host[3] for columns.
// After an error b contains the values that were read before: call b.Reset to remove all, or b.Undo
// to remove the incomplete row. Memory is proportional to the input and within the limits of b; the
// nulls of a missing struct take no bytes of the input. b does not refer to data.
func (c *Columns) Parse(data []byte, b *column.Batch) error {
	r := cellReader{b: data}
	if c.lists != nil {
		return r.parseLists(c, b)
	}
	if !r.bind(c.fields, b, 0) {
		return r.inRow(0)
	}
	if len(data) > 0 && !r.accept(c.steps, 0) { // without a cell, a column takes on no kind
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

// Rows returns a reader for the rows of data, in either form. It returns an error if data is a set
// of columns and not valid.
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
	at, next []int // where the next message begins, or the next cell of each list that is there; the same after that
	left     int   // of the cells of lists
}

// More reports whether there is another row.
func (r *RowReader) More() bool {
	if r.columns.lists != nil {
		return r.left > 0
	}
	return r.at[0] < len(r.cells.b)
}

// Read adds the next row to b. After an error, b.Undo removes the incomplete row. After [ErrCell]
// the reader continues with the next row; after any other error it stays where it was. The Path of
// an *[Error] is that of the column.
func (r *RowReader) Read(b *column.Batch) error {
	r.cells.cellFault = cellFault{}
	fields := r.columns.fields
	if r.columns.lists != nil {
		fields = fields[:len(r.at)] // a list that is not there is no column
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
			break // there is no more, or r.next has no place for the cell
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

// cellFault is what is wrong, and where.
type cellFault struct {
	path  string
	cell  int // of a list; below zero: none, or all of them
	at    int
	cause error
}

// inRow is the fault as an error: in a row, or in one that is told by itself if that is below zero.
func (r *cellReader) inRow(row int) error {
	var p wire.Path
	p.Inner(r.path)
	if row >= 0 {
		p.Index(row)
	}
	return &Error{Offset: int64(r.at), Path: p.String(), Cause: r.cause}
}

// inList is the fault as an error: in a cell of a list, or in the list.
func (r *cellReader) inList() error {
	var p wire.Path
	if r.cell >= 0 {
		p.Index(r.cell)
	}
	p.Inner(r.path)
	return &Error{Offset: int64(r.at), Path: p.String(), Cause: r.cause}
}

// bind finds the columns of b for the fields of a row that begins at i.
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
