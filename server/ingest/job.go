package ingest

import (
	"slices"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/json"
	"github.com/slipstream-go/slipstream/msgpack"
	"github.com/slipstream-go/slipstream/server/table"
)

// job is the decoding of one body. Requests and the replay of the log use it alike, and get the
// same rows: what it does depends on its inputs alone, not on the clock.
//
//	body ──▶ groups: a batch for each table and form ──▶ finish: names, text, times ──▶ writes
type job struct {
	body     []byte // decompressed
	target   table.Name
	unit     Unit
	received int64 // in microseconds: the time of rows that come without one
	limits   *Limits
	pool     *table.Pool
	partial  bool                          // a bad row is rejected, and the others are taken
	judged   bool                          // the rows have been checked before, when the record was written
	skip     []int                         // rows that were rejected when the record was written, ascending
	take     func(n int64) error           // of Remote Write: asked for memory for text beyond the body's size; nil: there is enough
	known    func(table.Name) table.Bounds // partial only: if set, rows that are beyond these are rejected
	fits     map[string]*fit               // by table, where known is set
	fresh    int                           // tables among these that are new and have a row
	index    [2]map[string]int             // of groups, by table, for each form; used when there are many
	groups   []group
	last     int // the group that was used last
	row      int // how many rows of the body are done
	line     int // of a format of lines, the one in which the present row stands, counted from 1; else 0
	cells    int // how many cells all groups have, and what columns cost
	maxCells int
	rejected rejected
	writes   []table.Write
	spare    *column.Batch // for rows that are copied elsewhere
	name     []byte        // a name in the making

	d      *msgpack.Decoder // of MessagePack
	base   int              // of the decoder's input in the body
	passed json.RawMessage  // of JSON, the value that was passed over last
	series *seriesReader    // of Remote Write
	schema *version         // of Schema
}

// group is what a body brings for one table in one form.
type group struct {
	name    table.Name
	columns bool // the rows came as columns, else one by one
	fill    bool // rows without a time have the time of receipt
	batch   *column.Batch
	first   int                   // the row of the body that the first row is
	numbers []int                 // the row of the body that each row is, if they do not follow one another
	write   int                   // which of the job's writes it became, counted from 1
	after   *group                // whose rows will stand before these
	exact   map[string]*exactness // of columns of ints; made when asked for
	checked checked               // partial only
}

// number is which row of the body row i is.
func (g *group) number(i int) int {
	if i < len(g.numbers) {
		return g.numbers[i]
	}
	return g.first + i
}

// exactness is what is known of a column of ints: whether a float64 would round one of the first
// rows.
type exactness struct {
	rows    int
	inexact bool
}

// inexact reports whether a float64 would round an int of c, a column of the group. Each row is
// looked at once.
func (g *group) inexact(c *column.Column) bool {
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

// free forgets what was decoded; batches that nobody took over go back to the pool.
func (j *job) free() {
	for i := range j.groups {
		g := &j.groups[i]
		if g.batch != nil {
			j.pool.Put(g.batch)
		}
		*g = group{numbers: g.numbers[:0]}
	}
	if j.spare != nil {
		j.pool.Put(j.spare)
		j.spare = nil
	}
	j.groups = j.groups[:0]
	clear(j.fits)
	j.fresh = 0
	clear(j.index[0])
	clear(j.index[1])
	clear(j.writes)
	j.writes = j.writes[:0]
	j.row, j.line, j.cells, j.last, j.base = 0, 0, 0, 0, 0
	j.rejected.reset()
	j.passed = nil
	if j.series != nil && j.series.large() {
		j.series = nil
	}
}

// decode reads the whole body. The batches are the caller's, the slice is valid until the next
// call.
func (j *job) decode(f *Format) ([]table.Write, error) {
	j.free()
	if j.maxCells = j.limits.cells(len(j.body)); j.judged {
		j.maxCells = j.limits.Cells
	}
	if err := f.decode(j); err != nil {
		return nil, j.told(f, err)
	}
	if j.row == 0 && !f.hollow {
		return nil, invalid("the body has no rows: send at least one")
	}
	for i := range j.groups {
		g := &j.groups[i]
		if !g.columns { // which is finished
			if err := j.finish(g); err != nil {
				return nil, j.told(f, err)
			}
		}
		if g.batch.Rows > 0 {
			j.writes = append(j.writes, table.Write{Name: g.name, Batch: g.batch})
			g.write = len(j.writes)
			g.batch = nil
		}
	}
	return j.writes, nil
}

// conflict is an error of the catalog as one of the body. Of a partial body it names no row: the
// rows that were rejected are not in the batch.
func (j *job) conflict(f *Format, e *table.TypeError) error {
	r := asRefusal(e)
	for i := range j.groups {
		if g := &j.groups[i]; g.write == e.Write+1 && e.Row >= 0 && !j.partial {
			r.row = g.number(e.Row)
		}
	}
	return j.told(f, r)
}

// told is err as a client of the format is told it.
func (j *job) told(f *Format, err error) error {
	if r := asRefusal(err); f.lines && r.row >= 0 {
		return r.inLine(lineOf(j.body, r.row))
	}
	return err
}

// unpack has read go through a body of MessagePack, which must be all of it.
func (j *job) unpack(read func(*job) error) error {
	j.d = msgpack.GetDecoder()
	defer func() {
		msgpack.PutDecoder(j.d)
		j.d = nil
	}()
	j.seek(0)
	if err := read(j); err != nil {
		return err
	}
	if at := j.offset(); at < len(j.body) {
		return invalid("the body goes on for %d bytes after its value: send one value in a request", len(j.body)-at).at(int64(at))
	}
	return nil
}

// seek has the decoder go on at an offset of the body.
func (j *job) seek(at int) {
	j.d.ResetBytes(j.body[at:])
	j.base = at
}

func (j *job) offset() int { return j.base + int(j.d.InputOffset()) }

// batch is an empty batch that is bounded by the limits.
func (j *job) batch() *column.Batch {
	b := j.pool.Get()
	j.limits.bound(b, j.maxCells)
	return b
}

// group is the group of a table and form, made when there is none.
func (j *job) group(name []byte, columns bool) (*group, error) {
	if i := j.find(name, columns); i >= 0 {
		j.last = i
		return &j.groups[i], nil
	}
	if len(j.groups) >= j.limits.Tables {
		return nil, invalid("more than %d tables in one request: split it", j.limits.Tables)
	}
	text := j.target.Table
	if text != string(name) {
		text = string(name)
	}
	if err := checkTable(text); err != nil {
		return nil, err
	}
	n := len(j.groups)
	j.groups = slices.Grow(j.groups, 1)[:n+1] // keeps the numbers of a former group
	g := &j.groups[n]
	*g = group{name: table.Name{DB: j.target.DB, Table: text}, columns: columns, batch: j.batch(), first: j.row, numbers: g.numbers[:0]}
	j.last = n
	if n >= fewGroups {
		j.enter(n)
	}
	return g, nil
}

// fewGroups is up to how many groups a search walks instead of hashing.
const fewGroups = 8

func (j *job) find(name []byte, columns bool) int {
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

// enter enters group n into the index, and on crossing the bound every group before it.
func (j *job) enter(n int) {
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

// charge counts what a batch has grown by. What is bounded for each batch is so bounded for all of
// them.
func (j *job) charge(b *column.Batch, rows, columns int) error {
	more := b.Rows*len(b.Columns) - rows*columns + columnCost*(len(b.Columns)-columns)
	if j.cells+more > j.maxCells {
		return invalid("the rows are too sparse: most cells would be null; send fewer columns, or the tables in requests of their own")
	}
	j.cells += more
	return nil
}

// counted checks a count of rows before anything is made for them.
func (j *job) counted(n int) error {
	if n > j.limits.Rows-j.row {
		return invalid("more than %d rows in one request: split it", j.limits.Rows)
	}
	return nil
}

// finish checks the names and the text of a group, and makes its times what they stand for.
func (j *job) finish(g *group) error {
	b := g.batch
	if b.Rows == 0 {
		return nil
	}
	if !j.partial && !j.judged { // else the rows have been checked one by one
		if err := checkColumns(b); err != nil {
			return err
		}
		for _, c := range b.Columns {
			if i := c.InvalidText(0); i >= 0 {
				return errText(c).ofRow(g.number(i))
			}
		}
	}
	err := j.finishTimes(g)
	if r, ok := err.(*refusal); ok && r.row >= 0 {
		r.row = g.number(r.row)
	}
	return err
}

// finishTimes makes the column "time" one of Kind Time. Its error counts rows in the group.
func (j *job) finishTimes(g *group) error {
	c := g.batch.Find(timeColumn)
	if c == nil {
		var err error
		if c, err = g.batch.Column(timeName); err != nil {
			return j.fault(err, none)
		}
		j.fillAll(c)
		return nil
	}
	if c.Kind == column.Null && (g.fill || !g.columns) { // to a row, a null is a time that it does not have
		j.fillAll(c)
		return nil
	}
	if g.fill && c.HasNulls() {
		return j.fillSome(c)
	}
	return convertTimes(c, j.unit)
}

// fillAll gives every row of a column of nulls the time of receipt.
func (j *job) fillAll(c *column.Column) {
	c.Accepts(column.Time)
	c.Nulls = c.Nulls[:0]
	for i := range c.Ints {
		c.Ints[i] = j.received
	}
}

// fillSome gives the rows that are null the time of receipt, and converts the others.
func (j *job) fillSome(c *column.Column) error {
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
	for i := range c.Rows { // for as long as the column is converted, they have a time that another row has
		switch {
		case !missing.Get(i):
		case c.Kind == column.Float64:
			c.Floats[i] = c.Floats[some]
		case c.Kind == column.Int64 || c.Kind == column.Time:
			c.Ints[i] = c.Ints[some]
		}
	}
	err := convertTimes(c, j.unit)
	for i := range c.Ints {
		if missing.Get(i) {
			c.Ints[i] = j.received
		}
	}
	c.Nulls = missing[:0]
	return err
}

var timeName = []byte(timeColumn)

func errText(c *column.Column) *refusal {
	return invalid("column %q: a string is not UTF-8: send UTF-8", c.Name).in(c.Name)
}
