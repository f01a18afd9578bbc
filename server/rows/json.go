package rows

import (
	"slices"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/json"
)

// A JSON body contains rows for one table. The URL specifies the table. The body has one of two
// forms:
//
//	columns   {"time": [1, 2, 3], "host": ["a", "b", "c"]}
//	rows      [{"time": 1, "host": "a"}, {"time": 2, "host": "b"}]
//
// Rows are checked one by one only in a body that is valid JSON. So the functions below need not
// check the syntax between values.

// decodeJSON decodes a body in either form.
func (j *Job) decodeJSON() error {
	at := j.blanks(0)
	columns := at < len(j.Body) && j.Body[at] == '{'
	where := inRows
	if columns {
		where = inColumns
	}
	j.name = append(j.name[:0], j.Target.Table...)
	g, err := j.Group(j.name, columns)
	if err != nil {
		return err
	}
	if j.byRow() && at < len(j.Body) && (columns || j.Body[at] == '[') {
		if !json.Valid(j.Body) {
			// The error only reports invalid JSON, so the batch needs a single row.
			return j.fault(json.ParseColumns(j.Body, &column.Batch{MaxRows: 1, MaxColumns: 1}), none)
		}
		if columns {
			return j.readJSONColumnsByRow(g, at)
		}
		return j.readJSONRowsByRow(g, at)
	}
	if err := json.ParseColumns(j.Body, g.Batch); err != nil {
		return j.fault(err, where)
	}
	if columns {
		return j.takeColumns(g)
	}
	j.Row += g.Batch.Rows
	return nil
}

// blanks skips white space, starting at an offset. It returns the offset of the next byte that is
// not white space.
func (j *Job) blanks(at int) int {
	for at < len(j.Body) && isBlank(j.Body[at]) {
		at++
	}
	return at
}

func isBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// element returns the offset of the next element of an array or object, or of its closing bracket.
// The argument is the offset after the previous element and the white space that follows it.
func (j *Job) element(at int) int {
	if j.Body[at] == ',' {
		return j.blanks(at + 1)
	}
	return at
}

// passJSON skips the value at an offset, and the white space after the value. It returns the offset
// of the next byte.
func (j *Job) passJSON(at int) (int, error) {
	rest, err := json.Parse(j.Body[at:], &j.passed, json.DontCopyRawMessage)
	if err != nil {
		return at, j.fault(err, none)
	}
	return len(j.Body) - len(rest), nil
}

// readJSONRowsByRow decodes and checks each row of the array at an offset.
func (j *Job) readJSONRowsByRow(g *Group, at int) error {
	at = j.blanks(at + 1)
	end := at
	read := func() (*Group, error) {
		j.base = at
		rest, err := json.ParseRow(j.Body[at:], g.Batch)
		if err != nil {
			return g, j.fault(err, inRow)
		}
		end = len(j.Body) - len(rest)
		return g, nil
	}
	pass := func() (err error) {
		end, err = j.passJSON(at)
		return err
	}
	for ; j.Body[at] != ']'; at = j.element(end) {
		if err := j.Counted(1); err != nil {
			return err
		}
		if err := j.takeRow(read, pass); err != nil {
			return err
		}
	}
	return nil
}

// readJSONColumnsByRow decodes and checks each row in the object of columns at an offset, and
// finishes the group.
func (j *Job) readJSONColumnsByRow(g *Group, at int) error {
	cells, rows, err := j.findJSONColumns(g, at)
	if err != nil {
		return err
	}
	cell := func(c *column.Column, at int) (next int, err error) {
		j.base = at
		rest, err := json.ParseCell(j.Body[at:], c)
		if err != nil {
			return 0, j.fault(err, in(c.Name))
		}
		return j.element(len(j.Body) - len(rest)), nil
	}
	pass := func(at int) (next int, err error) {
		if next, err = j.passJSON(at); err != nil {
			return 0, err
		}
		return j.element(next), nil
	}
	if err := j.takeSideBySide(g, cells, rows, cell, pass); err != nil {
		return err
	}
	return j.finish(g)
}

// findJSONColumns is like findColumns, for the object of columns at an offset.
func (j *Job) findJSONColumns(g *Group, at int) (cells []int, rows int, err error) {
	b := g.Batch
	next := 0
	for at = j.blanks(at + 1); j.Body[at] != '}'; at = j.element(next) {
		key := at
		if next, err = j.passJSON(key); err != nil {
			return nil, 0, err
		}
		j.name = json.AppendUnescape(j.name[:0], j.Body[key:next], 0)
		c, err := b.Column(j.name)
		if err != nil {
			return nil, 0, j.fault(err, none)
		}
		if len(b.Columns) == len(cells) {
			return nil, 0, errTwice(c, key)
		}
		array := j.blanks(next + 1)
		if next, err = j.passJSON(array); err != nil {
			return nil, 0, err
		}
		if j.Body[array] != '[' {
			j.base = key - 1
			return nil, 0, j.fault(json.ParseColumns(slices.Concat([]byte("{"), j.Body[key:next], []byte("}")), new(column.Batch)), inColumns)
		}
		n := 0
		first := j.blanks(array + 1)
		for at = first; j.Body[at] != ']'; n++ {
			if at, err = j.passJSON(at); err != nil {
				return nil, 0, err
			}
			at = j.element(at)
		}
		if len(cells) == 0 {
			rows = n
		}
		if n != rows {
			return nil, 0, errLength(c, n, b.Columns[0], rows, array)
		}
		cells = append(cells, first)
	}
	return cells, rows, j.Counted(rows)
}
