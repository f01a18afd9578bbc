package ingest

import (
	"bytes"
	"iter"

	"github.com/slipstream-go/slipstream/json"
)

// NDJSON of one table, which the URL names: a row on each line. Lines of white space are no rows,
// but are counted as lines, so that the number in an error is the one that an editor shows.
//
//	{"time": 1, "host": "a"}
//	{"time": 2, "host": "b"}

// decodeLines reads a body of lines.
func (j *job) decodeLines() error {
	j.name = append(j.name[:0], j.target.Table...)
	g, err := j.group(j.name, false)
	if err != nil {
		return err
	}
	if j.byRow() {
		return j.readLinesByRow(g)
	}
	if err := json.ParseLines(j.body, g.batch); err != nil {
		return j.fault(err, inRows)
	}
	j.row += g.batch.Rows
	return nil
}

// readLinesByRow judges each line. One that is not valid JSON is a row that is wrong, like others.
func (j *job) readLinesByRow(g *group) error {
	var text []byte
	read := func() (*group, error) {
		if err := json.ParseLines(text, g.batch); err != nil {
			return g, j.fault(err, inLine)
		}
		return g, nil
	}
	pass := func() error { return nil }
	for line, at := range rowLines(j.body) {
		if err := j.counted(1); err != nil {
			return err
		}
		j.line, j.base = line, at
		text = j.body[at:]
		if n := bytes.IndexByte(text, '\n'); n >= 0 {
			text = text[:n]
		}
		if err := j.takeRow(read, pass); err != nil {
			return err
		}
	}
	return nil
}

// rowLines are the lines of a body that hold rows: their numbers, counted from 1, and where their
// first byte is that is no white space.
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

// lineOf is the number of the line in which a row stands.
func lineOf(body []byte, row int) int {
	for line := range rowLines(body) {
		if row--; row < 0 {
			return line
		}
	}
	return 0
}
