package rows

import (
	"errors"
	"strconv"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/msgpack/msgpcode"
	"github.com/slipstream-go/slipstream/server/names"
	"github.com/slipstream-go/slipstream/server/refusal"
)

// A body in Arc's format consists of envelopes. An envelope contains the name of its table, so a
// body may contain rows of several tables.
//
//	columnar  {"m": "cpu", "columns": {"time": [1, 2], "host": ["a", "b"]}}
//	row       {"m": "cpu", "t": 1, "h": "a", "tags": {"dc": "x"}, "fields": {"v": 0.5}}
//	          {"m": "cpu", "t": 1, "f": [0.5, 7]}          fields field_0 and field_1
//	batch     {"batch": [columnar or row, …]}
//	array     [columnar or row, …]
//
// The keys of an envelope may be in any order. So the decoder first skips the values in the
// envelope, and records the offset of each part. Usually the key m precedes the columns. In this
// case, the decoder decodes the columns immediately.

// part identifies a part of an envelope.
type part uint8

const (
	partM part = iota
	partT
	partH
	partF
	partFields
	partTags
	partColumns
	partBatch

	parts
)

func partOf(key []byte) part {
	switch string(key) {
	case "m":
		return partM
	case "t":
		return partT
	case "h":
		return partH
	case "f":
		return partF
	case "fields":
		return partFields
	case "tags":
		return partTags
	case "columns":
		return partColumns
	case "batch":
		return partBatch
	}
	return parts
}

var hostName = []byte("host") // the column for the key h

// envelope contains the offsets of an envelope's parts in the body. The offset of a part is 0 if
// the part is missing or nil.
type envelope struct {
	at   [parts]int
	end  int
	read bool // columns or batch have already been decoded
}

func (e *envelope) has(p part) bool { return e.at[p] > 0 }

// check returns an error if the envelope mixes columns, a batch and the parts of a row.
func (e *envelope) check() error {
	row := e.has(partFields) || e.has(partF) || e.has(partT) || e.has(partH) || e.has(partTags)
	switch {
	case e.has(partBatch) && (row || e.has(partM) || e.has(partColumns)):
		return refusal.Errorf(`the key "batch" is combined with keys of other rows: put these rows into the batch`).In("batch").At(int64(e.at[partBatch]))
	case e.has(partColumns) && row:
		return refusal.Errorf(`the key "columns" is combined with "t", "h", "f", "fields" or "tags": put these values into the columns`).In("columns").At(int64(e.at[partColumns]))
	}
	return nil
}

// decodeArc decodes a body of envelopes.
func (j *Job) decodeArc() error {
	code, err := j.d.PeekCode()
	switch {
	case err != nil:
		return j.fault(err, none)
	case isArray(code):
		return j.readItems()
	case !isMap(code):
		return refusal.Errorf(`the body is %s: send a map with the keys "m" and "columns" (or "fields"), a map with the key "batch", or an array of such maps`, describe(code)).At(0)
	}
	return j.readItem(true)
}

func (j *Job) readItems() error {
	n, err := j.d.DecodeArrayLen()
	if err != nil {
		return j.fault(err, none)
	}
	if err := j.Counted(n); err != nil {
		return err
	}
	for range n {
		if err := j.readItem(false); err != nil {
			return err
		}
	}
	return nil
}

// readItem decodes one envelope. Only the outermost envelope may be a batch.
func (j *Job) readItem(outermost bool) error {
	at := j.offset()
	e, err := j.readEnvelope(outermost)
	if err == nil {
		err = e.check()
	}
	switch {
	case e.read && err != nil:
		return err
	case e.read:
		return nil
	case e.has(partColumns) && j.byRow():
		return j.readArcColumnsByRow(&e, at, err)
	case err == nil && e.has(partColumns):
		if err := j.readArcColumns(&e); err != nil {
			return err
		}
	case !j.byRow():
		if err == nil {
			_, err = j.readArcRow(&e)
		}
		if err != nil {
			return refusal.Of(err).OfRow(j.Row)
		}
		j.Row++
	default:
		broken := err
		if err := j.takeRow(func() (*Group, error) {
			if broken != nil {
				return nil, broken
			}
			return j.readArcRow(&e)
		}, func() error { return j.pass(at) }); err != nil || broken != nil {
			return err
		}
	}
	j.seek(e.end)
	return nil
}

// readEnvelope skips the next envelope, and records the offset of each of its parts. It ignores
// unknown keys. It decodes large parts immediately, so that they are not scanned twice. These are
// the items of a batch, and columns that follow the key m, as they usually do.
func (j *Job) readEnvelope(outermost bool) (e envelope, err error) {
	begin := j.offset()
	if code, err := j.d.PeekCode(); err == nil && !isMap(code) {
		return e, refusal.Errorf(`got %s, want a map with the keys "m" and "columns" (or "fields")`, describe(code)).At(int64(begin))
	}
	n, err := j.d.DecodeMapLen()
	if err != nil {
		return e, j.fault(err, none)
	}
	for range n {
		key, err := j.d.DecodeView()
		if err != nil {
			return e, j.fault(err, none)
		}
		at := j.offset()
		code, err := j.d.PeekCode()
		if err != nil {
			return e, j.fault(err, none)
		}
		p := partOf(key)
		if code == msgpcode.Nil {
			p = parts
		}
		if p < parts {
			if e.has(p) {
				return e, refusal.Errorf("the key %q is repeated: send it once", key).In(string(key)).At(int64(at))
			}
			e.at[p] = at
		}
		switch {
		case p == partColumns && e.has(partM) && !j.byRow():
			e.read = true
			err = j.readArcColumns(&e)
		case p == partBatch && outermost:
			e.read = true
			err = j.readItems()
		default:
			if err = j.d.Skip(); err != nil {
				err = j.fault(err, none)
			}
		}
		if err != nil {
			return e, err
		}
	}
	e.end = j.offset()
	return e, nil
}

// The method table returns the name of the envelope's table, which is the value of the key m. The
// name is valid until the next name is read.
func (j *Job) table(e *envelope) ([]byte, error) {
	if !e.has(partM) {
		return nil, refusal.Errorf(`the key "m" is missing: its value is the name of the table`).In("m")
	}
	j.seek(e.at[partM])
	return j.readName("m", "measurement_")
}

// readName reads a name, which is a string or an int. For an int, the name is the prefix followed
// by the decimal digits.
func (j *Job) readName(key, prefix string) ([]byte, error) {
	at := j.offset()
	code, err := j.d.PeekCode()
	if err != nil {
		return nil, j.fault(err, none)
	}
	switch {
	case msgpcode.IsString(code):
		name, err := j.d.DecodeView()
		if err != nil {
			return nil, j.fault(err, none)
		}
		return name, nil
	case isInt(code):
		n, err := j.d.DecodeInt64()
		if err != nil {
			return nil, j.fault(err, none)
		}
		j.name = strconv.AppendInt(append(j.name[:0], prefix...), n, 10)
		return j.name, nil
	}
	return nil, refusal.Errorf("the value of %q is %s: it must be a string or an int", refusal.Clip(key), describe(code)).In(refusal.Clip(key)).At(int64(at))
}

// readArcColumnsByRow checks the rows of an envelope with columns one by one. The argument `at` is
// the offset of the envelope. If the envelope itself is invalid, all of its rows are rejected. The
// argument `broken` is an error in the envelope that is already known, or nil. Decoding may find
// another such error. If an invalid envelope has no rows, it is rejected as one row, so that the
// replay of the log skips the whole envelope.
func (j *Job) readArcColumnsByRow(e *envelope, at int, broken error) error {
	n, err := j.countColumns(e.at[partColumns])
	if err != nil {
		return err
	}
	if err := j.Counted(max(n, 1)); err != nil {
		return err
	}
	if j.skipsAll(max(n, 1)) {
		j.Row += max(n, 1)
		return j.pass(at)
	}
	if n == 0 && j.Partial && broken == nil {
		broken = refusal.Errorf(`the value of "columns" has no rows: leave the item out`).In("columns")
	}
	if broken == nil {
		row := j.Row
		if err := j.readArcColumns(e); err == nil || j.Row > row { // an error after complete rows is an error of the body
			if err == nil {
				err = j.pass(at)
			}
			return err
		} else {
			broken = err
		}
	}
	if !j.Partial {
		return broken
	}
	j.reject(max(n, 1), refusal.Of(broken))
	return j.pass(at)
}

// countColumns returns the number of rows in the map of columns at an offset: the length of the
// longest column. A value that is not an array counts as a column with one row.
func (j *Job) countColumns(at int) (rows int, err error) {
	j.seek(at)
	if code, err := j.d.PeekCode(); err == nil && !isMap(code) {
		return 1, nil
	}
	n, err := j.d.DecodeMapLen()
	if err != nil {
		return 0, j.fault(err, none)
	}
	for range n {
		if err := j.d.Skip(); err != nil {
			return 0, j.fault(err, none)
		}
		array := j.offset()
		code, err := j.d.PeekCode()
		if err != nil {
			return 0, j.fault(err, none)
		}
		cells := 1
		if isArray(code) {
			if cells, err = j.d.DecodeArrayLen(); err != nil {
				return 0, j.fault(err, none)
			}
		}
		rows = max(rows, cells)
		if err := j.pass(array); err != nil {
			return 0, err
		}
	}
	return rows, nil
}

// readArcColumns decodes the columns of an envelope.
func (j *Job) readArcColumns(e *envelope) error {
	name, err := j.table(e)
	if err != nil {
		return refusal.Of(err).OfRow(j.Row)
	}
	g, err := j.Group(name, true)
	if err != nil {
		return refusal.Of(err).OfRow(j.Row)
	}
	j.seek(e.at[partColumns])
	if g.Batch.Rows == 0 {
		g.Batch.Reset()
		g.first, g.numbers, g.checked = j.Row, g.numbers[:0], checked{}
		return j.readColumns(g)
	}
	if j.spare == nil {
		j.spare = j.batch()
	}
	j.spare.Reset()
	more := Group{name: g.name, columns: true, Batch: j.spare, first: j.Row, after: g,
		checked: checked{hours: g.checked.hours}}
	if err := j.readColumns(&more); err != nil {
		return err
	}
	return j.merge(g, &more)
}

// merge appends the rows of the group `src` to the group `dst`. Both groups belong to the same
// table.
func (j *Job) merge(dst, src *Group) error {
	to, from := dst.Batch, src.Batch
	if from.Rows == 0 {
		return nil
	}
	rows, columns := to.Rows, len(to.Columns)
	for _, c := range from.Columns {
		if c.Kind == column.Null {
			continue
		}
		j.name = append(j.name[:0], c.Name...)
		t, err := to.Column(j.name)
		if err != nil {
			return j.fault(err, none)
		}
		have := t.Kind
		if !t.Accepts(c.Kind) {
			if have == column.Int64 && c.Kind == column.Float64 {
				return refusal.Errorf("column %q: %s", c.Name, t.Mismatch(c.Kind)).In(c.Name).OfRow(src.first)
			}
			return refusal.Errorf("column %q: %v here, but %v in earlier rows: a column has one type, or ints and floats", c.Name, c.Kind, have).In(c.Name).OfRow(src.first)
		}
		if err := t.AppendColumn(c, 0, c.Rows); err != nil {
			if errors.Is(err, column.ErrInexact) {
				return refusal.Errorf("column %q: an integer cannot be stored exactly as a float64, and earlier rows contain floats", c.Name).In(c.Name).OfRow(src.first)
			}
			return j.fault(err, none)
		}
	}
	if len(dst.numbers) > 0 || src.first != dst.first+rows { // rows of other groups are between the rows of both groups
		for i := len(dst.numbers); i < rows; i++ {
			dst.numbers = append(dst.numbers, dst.first+i)
		}
		for i := range from.Rows {
			dst.numbers = append(dst.numbers, src.number(i))
		}
	}
	to.Rows += from.Rows - 1
	if err := to.CloseRow(); err != nil {
		return j.fault(err, none)
	}
	if len(to.Columns) > columns { // otherwise each of many small envelopes would check all columns
		if err := names.CheckColumns(to); err != nil {
			return err
		}
	}
	return j.Charge(to, rows, columns)
}

// readArcRow decodes the row of an envelope.
func (j *Job) readArcRow(e *envelope) (*Group, error) {
	if !e.has(partFields) && !e.has(partF) {
		return nil, refusal.Errorf(`the keys "columns", "fields" and "f" are missing: a row has at least one of them, and a batch must not contain a batch`).In("fields")
	}
	name, err := j.table(e)
	if err != nil {
		return nil, err
	}
	g, err := j.Group(name, false)
	if err != nil {
		return nil, err
	}
	g.fill = true
	rows, columns := g.Batch.Rows, len(g.Batch.Columns)
	if err := j.readTime(g, e); err != nil {
		return g, err
	}
	if e.has(partH) {
		j.seek(e.at[partH])
		if err := j.readTag(g, hostName, "host_"); err != nil {
			return g, err
		}
	}
	if err := j.readTags(g, e); err != nil {
		return g, err
	}
	if err := j.readFields(g, e); err != nil {
		return g, err
	}
	if err := g.Batch.CloseRow(); err != nil {
		return g, j.fault(err, none)
	}
	if !j.byRow() {
		g.numbers = append(g.numbers, j.Row)
	}
	return g, j.Charge(g.Batch, rows, columns)
}

func (j *Job) readTime(g *Group, e *envelope) error {
	c, err := g.Batch.Column(timeName)
	if err != nil {
		return j.fault(err, none)
	}
	if !e.has(partT) {
		c.AppendNull()
		return nil
	}
	j.seek(e.at[partT])
	return j.readCell(c)
}

func (j *Job) readCell(c *column.Column) error {
	if err := j.d.DecodeCell(c); err != nil {
		return j.fault(err, in(c.Name))
	}
	return nil
}

// newCell returns the column for a cell of the current row. If the row already has a cell in this
// column, newCell returns an error.
func (j *Job) newCell(g *Group, name []byte) (*column.Column, error) {
	c, err := g.Batch.Column(name)
	if err != nil {
		return nil, j.fault(err, none)
	}
	if c.Rows > g.Batch.Rows {
		return nil, refusal.Errorf(`column %q: the row contains it twice, in "t", "h", "tags" or "fields" ("t" is the column "time", and "h" is the column "host"): send it once`, refusal.Clip(c.Name)).In(c.Name)
	}
	return c, nil
}

// readTag reads the value of a tag into a column of strings. The value is a string, or an int,
// which readTag converts to text.
func (j *Job) readTag(g *Group, name []byte, prefix string) error {
	c, err := j.newCell(g, name)
	if err != nil {
		return err
	}
	code, err := j.d.PeekCode()
	if err == nil && code == msgpcode.Nil {
		c.AppendNull()
		return j.d.DecodeNil()
	}
	text, err := j.readName(c.Name, prefix)
	if err != nil {
		return err
	}
	if !c.Accepts(column.String) {
		return refusal.Errorf("column %q: a tag cannot be stored in a column of %v: give the tag another name", refusal.Clip(c.Name), c.Kind).In(c.Name)
	}
	if err := c.AppendString(text); err != nil {
		return j.fault(err, none)
	}
	return nil
}

func (j *Job) readTags(g *Group, e *envelope) error {
	if !e.has(partTags) {
		return nil
	}
	return j.eachPair(e.at[partTags], "tags", func(name []byte) error { return j.readTag(g, name, "") })
}

func (j *Job) readFields(g *Group, e *envelope) error {
	if e.has(partFields) {
		err := j.eachPair(e.at[partFields], "fields", func(name []byte) error {
			c, err := j.newCell(g, name)
			if err != nil {
				return err
			}
			return j.readCell(c)
		})
		if err != nil {
			return err
		}
	}
	if !e.has(partF) {
		return nil
	}
	j.seek(e.at[partF])
	if code, err := j.d.PeekCode(); err == nil && !isArray(code) {
		return refusal.Errorf(`the value of "f" is %s: it must be an array of values`, describe(code)).In("f").At(int64(e.at[partF]))
	}
	n, err := j.d.DecodeArrayLen()
	if err != nil {
		return j.fault(err, none)
	}
	for i := range n {
		j.name = strconv.AppendInt(append(j.name[:0], "field_"...), int64(i), 10)
		c, err := j.newCell(g, j.name)
		if err != nil {
			return err
		}
		if err := j.readCell(c); err != nil {
			return err
		}
	}
	return nil
}

// eachPair calls the function `fn` with each key of the map at an offset. This function must read
// the value of the key.
func (j *Job) eachPair(at int, part string, fn func(name []byte) error) error {
	j.seek(at)
	if code, err := j.d.PeekCode(); err == nil && !isMap(code) {
		return refusal.Errorf("the value of %q is %s: it must be a map from names to values", part, describe(code)).In(part).At(int64(at))
	}
	n, err := j.d.DecodeMapLen()
	if err != nil {
		return j.fault(err, none)
	}
	for range n {
		name, err := j.d.DecodeView()
		if err != nil {
			return j.fault(err, none)
		}
		if err := fn(name); err != nil {
			return err
		}
	}
	return nil
}
