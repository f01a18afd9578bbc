package rows

import (
	"bytes"
	"iter"

	"github.com/slipstream-go/slipstream/json"
)

// An NDJSON body contains rows for one table. The URL specifies the table. Each line is a row.
// Lines that contain only white space are not rows, but count as lines. So line numbers in errors
// equal the line numbers in an editor.
//
//	{"time": 1, "host": "a"}
//	{"time": 2, "host": "b"}

// decodeLines decodes a body of lines.
func (j *Job) decodeLines() error {
	j.name = append(j.name[:0], j.Target.Table...)
	g, err := j.Group(j.name, false)
	if err != nil {
		return err
	}
	if j.byRow() {
		return j.readLinesByRow(g)
	}
	if err := json.ParseLines(j.Body, g.Batch); err != nil {
		return j.fault(err, inRows)
	}
	j.Row += g.Batch.Rows
	return nil
}

// readLinesByRow decodes and checks each line. A line that is not valid JSON is an invalid row.
func (j *Job) readLinesByRow(g *Group) error {
	var text []byte
	read := func() (*Group, error) {
		if err := json.ParseLines(text, g.Batch); err != nil {
			return g, j.fault(err, inLine)
		}
		return g, nil
	}
	pass := func() error { return nil }
	for line, at := range rowLines(j.Body) {
		if err := j.Counted(1); err != nil {
			return err
		}
		j.line, j.base = line, at
		text = j.Body[at:]
		if n := bytes.IndexByte(text, '\n'); n >= 0 {
			text = text[:n]
		}
		if err := j.takeRow(read, pass); err != nil {
			return err
		}
	}
	return nil
}

// rowLines yields the lines of a body that contain rows. For each line, it yields the line number,
// starting with 1, and the offset of the first byte that is not white space.
func rowLines(body []byte) iter.Seq2[int, int] {
	return func(yield func(line, at int) bool) {
		for line, at := 1, 0; at < len(body); at++ {
			switch c := body[at]; {
			case c == '\n':
				line++
			case !isBlank(c):
				if !yield(line, at) {
					return
				}
				n := bytes.IndexByte(body[at:], '\n')
				if n < 0 {
					return
				}
				at += n
				line++
			}
		}
	}
}

// lineOf returns the number of the line that contains a row.
func lineOf(body []byte, row int) int {
	for line := range rowLines(body) {
		if row--; row < 0 {
			return line
		}
	}
	return 0
}
