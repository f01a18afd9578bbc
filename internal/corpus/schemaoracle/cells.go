package schemaoracle

import (
	"errors"
	"fmt"
	"math"
)

// Cell is one field of a row. It represents a field of a message, or a field of a struct in the
// message.
type Cell struct {
	Name  string // preceded by the names of the enclosing structs: outer.inner
	Value any    // nil, a bool, an int64, a float64, a string or a time.Time
}

// errCell reports a number that a cell cannot represent. The message itself is valid.
var errCell = errors.New("a number is outside the range of int64")

// Rows decodes b as a sequence of messages, each of which is a row. It returns the rows before the
// first invalid message. The result `ok` reports whether all messages are valid. If a message has a
// tail, it must be the only message.
func (l *Layout) Rows(b []byte) (rows [][]Cell, ok bool) {
	for at := 0; at < len(b); {
		d := decoder{b: b, at: at}
		var row []Cell
		if d.attempt(func() { row = d.cells(nil, l, "", false) }) != nil || l.hasTail() && d.at < len(b) {
			return rows, false
		}
		rows, at = append(rows, row), d.at
	}
	return rows, true
}

// Columns decodes b as one message that contains only lists. Each list is a column. Columns returns
// the rows before the first row with a number that a cell cannot represent. The result `ok` reports
// whether the message is valid and contains no such row. If the message is invalid, Columns returns
// no rows.
func (l *Layout) Columns(b []byte) (rows [][]Cell, ok bool) {
	d := decoder{b: b}
	count, sound := -1, math.MaxInt
	err := d.attempt(func() {
		for _, f := range l.fields {
			if f.tail && d.at == len(b) {
				break
			}
			if f.layout == nil {
				d.take(f.skip)
				continue
			}
			elem := f.layout.parts[0]
			n := d.count(f.layout, elem.least(nil))
			if count < 0 {
				count, rows = n, make([][]Cell, n)
			}
			if n != count {
				d.fail(errors.New("the columns have different lengths"))
			}
			for k := range rows {
				cell := d.attempt(func() { rows[k] = d.cells(rows[k], elem, f.name, false) })
				if cell == errCell {
					sound = min(sound, k)
				} else if cell != nil {
					d.fail(cell)
				}
			}
		}
		if d.at < len(b) {
			d.fail(errors.New("bytes remain after the message"))
		}
	})
	if err != nil {
		return nil, false
	}
	return rows[:min(len(rows), sound)], sound >= len(rows)
}

func (l *Layout) hasTail() bool {
	for _, f := range l.fields {
		if f.tail || f.layout != nil && f.layout.hasTail() {
			return true
		}
	}
	return false
}

// attempt runs the function `f`, and returns the error with which f fails, or nil.
func (d *decoder) attempt(f func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			f, ok := r.(failure)
			if !ok {
				panic(r)
			}
			err = f.error
		}
	}()
	f()
	return nil
}

// cells appends the cells of a value. If the value is missing, its cells are nil, and it occupies
// no bytes.
func (d *decoder) cells(row []Cell, l *Layout, name string, missing bool) []Cell {
	var v any
	switch l.word {
	case "opt":
		return d.cells(row, l.parts[0], name, missing || !d.flag())
	case "struct":
		for _, f := range l.fields {
			inner := f.name
			if name != "" {
				inner = name + "." + f.name
			}
			missing := missing || f.tail && d.at == len(d.b)
			switch {
			case f.layout != nil:
				row = d.cells(row, f.layout, inner, missing)
			case !missing:
				d.take(f.skip)
			}
		}
		return row
	case "u", "i", "f", "bool", "str", "time":
		if !missing {
			v = d.cell(l)
		}
	default:
		panic(fmt.Sprintf("%q has no cell", l.word))
	}
	return append(row, Cell{name, v})
}

// cell decodes a value that consists of one cell.
func (d *decoder) cell(l *Layout) any {
	switch l.word {
	case "u", "i":
		w := d.word(l.size, l.big)
		if l.signed {
			return signed(w, l.size)
		}
		if w > math.MaxInt64 {
			d.fail(errCell)
		}
		return int64(w)
	case "f":
		w := d.word(l.size, l.big)
		if l.size == 4 {
			return float64(math.Float32frombits(uint32(w)))
		}
		return math.Float64frombits(w)
	case "bool":
		return d.flag()
	case "str":
		return string(d.take(d.count(l, 1)))
	}
	return instant(d.word(8, false))
}
