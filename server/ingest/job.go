package ingest

import (
	"slices"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/json"
	"github.com/slipstream-go/slipstream/msgpack"
	"github.com/slipstream-go/slipstream/server/table"
)

// job decodes one body. Requests and the replay of the log both use it, and get the same rows. Its
// result depends only on its inputs, not on the clock.
//
//	body ──▶ groups: a batch for each table and form ──▶ finish: names, text, times ──▶ writes
type job struct {
	body     []byte // the decompressed body
	target   table.Name
	unit     Unit
	received int64 // time of receipt in microseconds, used for rows without a time
	limits   *Limits
	pool     *table.Pool
	partial  bool                          // invalid rows are rejected, and the other rows are accepted
	judged   bool                          // the rows were already checked when the record was written
	skip     []int                         // rows that were rejected when the record was written, in ascending order
	take     func(n int64) error           // for Remote Write: reserves memory for text that exceeds the body's size; nil means that nothing is reserved
	known    func(table.Name) table.Bounds // returns the limits of a table; only for partial bodies; if set, rows that exceed the limits are rejected
	fits     map[string]*fit               // limits of tables, by table; used if known is set
	fresh    int                           // number of new tables in fits that contain a row
	index    [2]map[string]int             // indexes of groups by table, for both forms; used if there are many groups
	groups   []group
	last     int // index of the group that was used last
	row      int // number of rows of the body that have been processed
	line     int // number of the line with the current row, starting with 1; 0 if the format has no lines
	cells    int // number of cells in all groups, plus the cost of the groups' columns
	maxCells int
	rejected rejected
	writes   []table.Write
	spare    *column.Batch // batch for rows that are copied to another batch
	name     []byte        // buffer for a name

	d      *msgpack.Decoder // decoder for MessagePack bodies
	base   int              // offset of the decoder's input in the body
	passed json.RawMessage  // for JSON: the value that was skipped last
	series *seriesReader    // reader for Remote Write bodies
	schema *version         // schema of bodies in the format Schema
}

// group contains the rows of a body for one table in one form.
type group struct {
	name    table.Name
	columns bool // the rows arrived as columns, not one by one
	fill    bool // rows without a time get the time of receipt
	batch   *column.Batch
	first   int                   // number of the group's first row in the body
	numbers []int                 // numbers of all rows in the body, if they are not consecutive
	write   int                   // number of the job's write that contains the group, starting with 1
	after   *group                // group whose rows precede the rows of this group
	exact   map[string]*exactness // used for columns of ints; created when needed
	checked checked               // used only for partial bodies
}

// number returns the number that row i of the group has in the body.
func (g *group) number(i int) int {
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

// free discards the decoded rows. Batches that the store does not own go back to the pool.
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

// decode decodes the whole body. The caller owns the batches in the returned slice. The slice
// itself is valid until the next call.
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
		if !g.columns { // groups of columns are already finished
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

// conflict converts a type error of the catalog to an error of the body. For a partial body, the
// error contains no row, because rejected rows are not in the batch.
func (j *job) conflict(f *Format, e *table.TypeError) error {
	r := asRefusal(e)
	for i := range j.groups {
		if g := &j.groups[i]; g.write == e.Write+1 && e.Row >= 0 && !j.partial {
			r.row = g.number(e.Row)
		}
	}
	return j.told(f, r)
}

// told adds the line number to err, if each row of the format is a line and err contains a row.
func (j *job) told(f *Format, err error) error {
	if r := asRefusal(err); f.lines && r.row >= 0 {
		return r.inLine(lineOf(j.body, r.row))
	}
	return err
}

// unpack calls read for a body of MessagePack. It returns an error if read leaves bytes of the
// body.
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

// seek moves the decoder to an offset of the body.
func (j *job) seek(at int) {
	j.d.ResetBytes(j.body[at:])
	j.base = at
}

func (j *job) offset() int { return j.base + int(j.d.InputOffset()) }

// batch returns an empty batch with the job's limits.
func (j *job) batch() *column.Batch {
	b := j.pool.Get()
	j.limits.bound(b, j.maxCells)
	return b
}

// group returns the group for a table and a form, and creates the group if it does not exist.
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
	j.groups = slices.Grow(j.groups, 1)[:n+1] // reuses the numbers of an earlier group
	g := &j.groups[n]
	*g = group{name: table.Name{DB: j.target.DB, Table: text}, columns: columns, batch: j.batch(), first: j.row, numbers: g.numbers[:0]}
	j.last = n
	if n >= fewGroups {
		j.enter(n)
	}
	return g, nil
}

// fewGroups is the maximum number of groups that find searches one by one. With more groups, it
// uses the index.
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

// enter adds the group with the number n to the index. If n equals fewGroups, it also adds all
// earlier groups.
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

// charge adds the growth of a batch to j.cells, so that the limit on cells applies to all batches
// together. The arguments rows and columns are the batch's numbers of rows and columns before it
// grew.
func (j *job) charge(b *column.Batch, rows, columns int) error {
	more := b.Rows*len(b.Columns) - rows*columns + columnCost*(len(b.Columns)-columns)
	if j.cells+more > j.maxCells {
		return invalid("the rows are too sparse: most cells would be null; send fewer columns, or the tables in requests of their own")
	}
	j.cells += more
	return nil
}

// counted returns an error if n more rows exceed the limit. It must be called before memory for the
// rows is allocated.
func (j *job) counted(n int) error {
	if n > j.limits.Rows-j.row {
		return invalid("more than %d rows in one request: split it", j.limits.Rows)
	}
	return nil
}

// finish checks the names and the text of a group, and converts its times.
func (j *job) finish(g *group) error {
	b := g.batch
	if b.Rows == 0 {
		return nil
	}
	if !j.partial && !j.judged { // otherwise the rows were already checked one by one
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

// finishTimes converts the column "time" to Kind Time. Row numbers in its error are relative to the
// group.
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
	if c.Kind == column.Null && (g.fill || !g.columns) { // in rows, a null means that the time is missing
		j.fillAll(c)
		return nil
	}
	if g.fill && c.HasNulls() {
		return j.fillSome(c)
	}
	return convertTimes(c, j.unit)
}

// fillAll sets all rows of a column of nulls to the time of receipt.
func (j *job) fillAll(c *column.Column) {
	c.Accepts(column.Time)
	c.Nulls = c.Nulls[:0]
	for i := range c.Ints {
		c.Ints[i] = j.received
	}
}

// fillSome sets the null rows of a column to the time of receipt, and converts the other rows.
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
	for i := range c.Rows { // during the conversion, null rows contain the time of another row
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
