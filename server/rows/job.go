package rows

import (
	"slices"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/json"
	"github.com/slipstream-go/slipstream/msgpack"
	"github.com/slipstream-go/slipstream/schema"
	"github.com/slipstream-go/slipstream/server/names"
	"github.com/slipstream-go/slipstream/server/refusal"
	"github.com/slipstream-go/slipstream/server/table"
)

// Job decodes one body. Requests and the replay of the log both use a Job, and get the same rows.
// The result depends only on the fields that the caller sets, not on the clock.
//
//	body ──▶ groups: a batch for each table and form ──▶ finish: names, text, times ──▶ writes
type Job struct {
	Body     []byte // the decompressed body
	Target   table.Name
	Unit     Unit
	Received int64 // time of receipt in microseconds, used for rows without a time
	Limits   *Limits
	Pool     *table.Pool
	Schema   *schema.Columns // columns of bodies in the format Schema

	Partial bool                          // invalid rows are rejected, and the other rows are accepted
	Known   func(table.Name) table.Bounds // returns the limits of a table, for partial bodies; if not nil, rows that exceed the limits are rejected

	Judged bool  // the rows were already checked when the record was written
	Skip   []int // rows that were rejected when the record was written, in ascending order

	MaxText int64               // for Remote Write: maximum bytes of text in the rows
	Take    func(n int64) error // for Remote Write: reserves memory for text that exceeds the body's size; nil means that nothing is reserved

	Row      int      // number of rows of the body that have been processed
	Rejected Rejected // rejected rows of a partial body

	groups   []Group
	last     int               // index of the group that was used last
	index    [2]map[string]int // indexes of groups by table, for both forms; used if there are many groups
	fits     map[string]*fit   // limits of tables, by table; used if Known is set
	fresh    int               // number of new tables in the map `fits` that contain a row
	line     int               // number of the line with the current row, starting with 1; 0 if the format has no lines
	cells    int               // number of cells in all groups, plus columnCost for each column
	maxCells int
	writes   []table.Write
	spare    *column.Batch // batch for rows that are copied to another batch
	name     []byte        // buffer for a name

	d      *msgpack.Decoder // decoder for MessagePack bodies
	base   int              // offset of the decoder's input in the body
	passed json.RawMessage  // for JSON: the value that was skipped last
}

// Group contains the rows of a body for one table in one form.
type Group struct {
	name    table.Name
	columns bool // the rows arrived as columns, not one by one
	fill    bool // rows without a time get the time of receipt
	Batch   *column.Batch
	first   int                   // number of the group's first row in the body
	numbers []int                 // numbers of all rows in the body, if they are not consecutive
	write   int                   // number of the job's write that contains the group, starting with 1
	after   *Group                // group whose rows precede the rows of this group
	exact   map[string]*exactness // used for columns of ints; created when needed
	checked checked               // used only for partial bodies
}

// number converts a row number. The argument i is the number of the row in the group, and the
// result is the number of the row in the body.
func (g *Group) number(i int) int {
	if i < len(g.numbers) {
		return g.numbers[i]
	}
	return g.first + i
}

// exactness caches whether the checked rows of a column contain an int that a float64 would round.
type exactness struct {
	rows    int
	inexact bool
}

// inexact reports whether c, a column of the group, contains an int that a float64 would round. It
// checks each row only once.
func (g *Group) inexact(c *column.Column) bool {
	e := g.exact[c.Name]
	if e == nil {
		if g.exact == nil {
			g.exact = make(map[string]*exactness)
		}
		e = new(exactness)
		g.exact[c.Name] = e
	}
	if !e.inexact {
		fresh := column.Column{Kind: c.Kind, Rows: c.Rows - e.rows, Ints: c.Ints[e.rows:]}
		e.inexact = fresh.Inexact() >= 0
		e.rows = c.Rows
	}
	return e.inexact
}

// Free discards the decoded rows. If the store does not own a batch, the batch goes back to the
// pool.
func (j *Job) Free() {
	for i := range j.groups {
		g := &j.groups[i]
		if g.Batch != nil {
			j.Pool.Put(g.Batch)
		}
		*g = Group{numbers: g.numbers[:0]}
	}
	if j.spare != nil {
		j.Pool.Put(j.spare)
		j.spare = nil
	}
	j.groups = j.groups[:0]
	clear(j.fits)
	j.fresh = 0
	clear(j.index[0])
	clear(j.index[1])
	clear(j.writes)
	j.writes = j.writes[:0]
	j.Row, j.line, j.cells, j.last, j.base = 0, 0, 0, 0, 0
	j.Rejected.reset()
	j.passed = nil
}

// Decode decodes the whole body. The caller owns the batches in the returned slice. The slice
// itself is valid until the next call.
func (j *Job) Decode(f *Format) ([]table.Write, error) {
	j.Free()
	if j.maxCells = j.Limits.cells(len(j.Body)); j.Judged {
		j.maxCells = j.Limits.Cells
	}
	if err := f.Decode(j); err != nil {
		return nil, j.told(f, err)
	}
	if j.Row == 0 && !f.Hollow {
		return nil, refusal.Errorf("the body has no rows: send at least one")
	}
	for i := range j.groups {
		g := &j.groups[i]
		if !g.columns { // groups of columns are already finished
			if err := j.finish(g); err != nil {
				return nil, j.told(f, err)
			}
		}
		if g.Batch.Rows > 0 {
			j.writes = append(j.writes, table.Write{Name: g.name, Batch: g.Batch})
			g.write = len(j.writes)
			g.Batch = nil
		}
	}
	return j.writes, nil
}

// Conflict converts a type conflict with the catalog to an error that contains the number of the
// row in the body. If the body is partial, the error contains no row number, because the batch does
// not contain rejected rows.
func (j *Job) Conflict(f *Format, e *table.TypeError) error {
	r := refusal.Of(e)
	for i := range j.groups {
		if g := &j.groups[i]; g.write == e.Write+1 && e.Row >= 0 && !j.Partial {
			r.Row = g.number(e.Row)
		}
	}
	return j.told(f, r)
}

// told adds the line number to err, if err contains a row and the format has one row per line.
func (j *Job) told(f *Format, err error) error {
	if r := refusal.Of(err); f.Lines && r.Row >= 0 {
		return r.InLine(lineOf(j.Body, r.Row))
	}
	return err
}

// unpack calls the function `read` for a MessagePack body. If `read` does not read the whole body,
// unpack returns an error.
func (j *Job) unpack(read func(*Job) error) error {
	j.d = msgpack.GetDecoder()
	defer func() {
		msgpack.PutDecoder(j.d)
		j.d = nil
	}()
	j.seek(0)
	if err := read(j); err != nil {
		return err
	}
	if at := j.offset(); at < len(j.Body) {
		return refusal.Errorf("the body contains %d more bytes after its value: send one value per request", len(j.Body)-at).At(int64(at))
	}
	return nil
}

// seek moves the decoder to the given offset in the body.
func (j *Job) seek(at int) {
	j.d.ResetBytes(j.Body[at:])
	j.base = at
}

func (j *Job) offset() int { return j.base + int(j.d.InputOffset()) }

// batch returns an empty batch with the job's limits.
func (j *Job) batch() *column.Batch {
	b := j.Pool.Get()
	j.Limits.bound(b, j.maxCells)
	return b
}

// Group returns the group for a table and a form, and creates the group if it does not exist.
func (j *Job) Group(name []byte, columns bool) (*Group, error) {
	if i := j.find(name, columns); i >= 0 {
		j.last = i
		return &j.groups[i], nil
	}
	if len(j.groups) >= j.Limits.Tables {
		return nil, refusal.Errorf("more than %d tables in one request: split it", j.Limits.Tables)
	}
	text := j.Target.Table
	if text != string(name) {
		text = string(name)
	}
	if err := names.CheckTable(text); err != nil {
		return nil, err
	}
	n := len(j.groups)
	j.groups = slices.Grow(j.groups, 1)[:n+1] // reuses the numbers of an earlier group
	g := &j.groups[n]
	*g = Group{name: table.Name{DB: j.Target.DB, Table: text}, columns: columns, Batch: j.batch(), first: j.Row, numbers: g.numbers[:0]}
	j.last = n
	if n >= fewGroups {
		j.enter(n)
	}
	return g, nil
}

// fewGroups is the maximum number of groups for which find compares the groups one by one. If there
// are more groups, find uses the index.
const fewGroups = 8

func (j *Job) find(name []byte, columns bool) int {
	fits := func(i int) bool { return j.groups[i].columns == columns && j.groups[i].name.Table == string(name) }
	if j.last < len(j.groups) && fits(j.last) {
		return j.last
	}
	if len(j.groups) > fewGroups {
		if i, ok := j.index[form(columns)][string(name)]; ok {
			return i
		}
		return -1
	}
	for i := range j.groups {
		if fits(i) {
			return i
		}
	}
	return -1
}

func form(columns bool) int {
	if columns {
		return 1
	}
	return 0
}

// enter adds the group with the number n to the index. If n equals fewGroups, it also adds all
// earlier groups.
func (j *Job) enter(n int) {
	from := n
	if n == fewGroups {
		from = 0
	}
	for i := from; i <= n; i++ {
		g := &j.groups[i]
		at := &j.index[form(g.columns)]
		if *at == nil {
			*at = make(map[string]int)
		}
		(*at)[g.name.Table] = i
	}
}

// Charge increases j.cells by the number of cells by which a batch has grown, plus columnCost for
// each new column. So the limit on cells applies to all batches together. The arguments `rows` and
// `columns` are the numbers of rows and columns of the batch before it grew.
func (j *Job) Charge(b *column.Batch, rows, columns int) error {
	more := b.Rows*len(b.Columns) - rows*columns + columnCost*(len(b.Columns)-columns)
	if j.cells+more > j.maxCells {
		return refusal.Errorf("the rows are too sparse: most cells would be null; send fewer columns, or one request per table")
	}
	j.cells += more
	return nil
}

// Counted returns an error if n more rows would exceed the maximum number of rows in a body. It
// must be called before memory for these rows is allocated.
func (j *Job) Counted(n int) error {
	if n > j.Limits.Rows-j.Row {
		return refusal.Errorf("more than %d rows in one request: split it", j.Limits.Rows)
	}
	return nil
}

// finish checks the names and the text of a group, and converts the times of the group.
func (j *Job) finish(g *Group) error {
	b := g.Batch
	if b.Rows == 0 {
		return nil
	}
	if !j.Partial && !j.Judged { // otherwise the rows were already checked one by one
		if err := names.CheckColumns(b); err != nil {
			return err
		}
		for _, c := range b.Columns {
			if i := c.InvalidText(0); i >= 0 {
				return errText(c).OfRow(g.number(i))
			}
		}
	}
	err := j.finishTimes(g)
	if r, ok := err.(*refusal.Error); ok && r.Row >= 0 {
		r.Row = g.number(r.Row)
	}
	return err
}

// finishTimes converts the column "time" to Kind Time. Row numbers in its error are relative to the
// group.
func (j *Job) finishTimes(g *Group) error {
	c := g.Batch.Find(TimeColumn)
	if c == nil {
		var err error
		if c, err = g.Batch.Column(timeName); err != nil {
			return j.fault(err, none)
		}
		j.fillAll(c)
		return nil
	}
	if c.Kind == column.Null && (g.fill || !g.columns) { // in rows, a null means that the time is missing
		j.fillAll(c)
		return nil
	}
	if g.fill && c.HasNulls() {
		return j.fillSome(c)
	}
	return convertTimes(c, j.Unit)
}

// fillAll sets all rows of a column of nulls to the time of receipt.
func (j *Job) fillAll(c *column.Column) {
	c.Accepts(column.Time)
	c.Nulls = c.Nulls[:0]
	for i := range c.Ints {
		c.Ints[i] = j.Received
	}
}

// fillSome sets the null rows of a column to the time of receipt, and converts the other rows.
func (j *Job) fillSome(c *column.Column) error {
	if c.Kind == column.String {
		if err := parseTimes(c); err != nil {
			return err
		}
	}
	missing := c.Nulls
	c.Nulls = nil
	some := 0
	for missing.Get(some) {
		some++
	}
	for i := range c.Rows { // during the conversion, null rows contain the time of another row
		switch {
		case !missing.Get(i):
		case c.Kind == column.Float64:
			c.Floats[i] = c.Floats[some]
		case c.Kind == column.Int64 || c.Kind == column.Time:
			c.Ints[i] = c.Ints[some]
		}
	}
	err := convertTimes(c, j.Unit)
	for i := range c.Ints {
		if missing.Get(i) {
			c.Ints[i] = j.Received
		}
	}
	c.Nulls = missing[:0]
	return err
}

var timeName = []byte(TimeColumn)

func errText(c *column.Column) *refusal.Error {
	return refusal.Errorf("column %q: a string is not UTF-8: send UTF-8", c.Name).In(c.Name)
}
