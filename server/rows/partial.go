package rows

import (
	"slices"
	"unicode/utf8"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/server/names"
	"github.com/slipstream-go/slipstream/server/refusal"
	"github.com/slipstream-go/slipstream/server/table"
)

// In a partial request, rows are decoded and checked one at a time. If a row is invalid, it is
// removed from the batch and added to the list of rejected rows.
//
// The log stores the list of rejected rows after the body (see package ingest). The replay of the
// log skips the rows in this list. It does not check rows again, so it always returns the same
// rows.

// MaxReasons is the maximum number of rejected rows that a response lists with their reasons.
// Further rejected rows are only counted.
const MaxReasons = 1000

// Rejection describes a row that was not stored, and contains the reason.
type Rejection struct {
	Row    int    `json:"row"`
	Line   int    `json:"line,omitempty"`  // for NDJSON, starting with 1
	Field  string `json:"field,omitempty"` // invalid column or key; empty if the row itself is malformed
	Reason string `json:"reason"`
}

// Rejected contains the rejected rows of a body, in ascending order.
type Rejected struct {
	Rows    []int
	Reasons []Rejection // reasons for the first MaxReasons rows
}

func (r *Rejected) reset() { r.Rows, r.Reasons = r.Rows[:0], r.Reasons[:0] }

func (r *Rejected) add(row, line int, why *refusal.Error) {
	r.Rows = append(r.Rows, row)
	if len(r.Reasons) < MaxReasons {
		r.Reasons = append(r.Reasons, Rejection{row, line, why.Field, why.Text})
	}
}

// skips reports whether the replay skips the current row.
func (j *Job) skips() bool {
	_, found := slices.BinarySearch(j.Skip, j.Row)
	return found
}

// skipsAll reports whether the replay skips all of the next n rows.
func (j *Job) skipsAll(n int) bool {
	at, found := slices.BinarySearch(j.Skip, j.Row)
	return n > 0 && found && len(j.Skip) >= at+n && j.Skip[at+n-1] == j.Row+n-1
}

// reject rejects the next n rows, all for the same reason.
func (j *Job) reject(n int, why *refusal.Error) {
	for range n {
		j.Rejected.add(j.Row, j.line, why)
		j.Row++
	}
}

// pass skips the value at the given offset.
func (j *Job) pass(at int) error {
	j.seek(at)
	if err := j.d.Skip(); err != nil {
		return j.fault(err, none)
	}
	return nil
}

// takeRow reads the next row by calling the function `read`. This function decodes and closes the
// row, and returns the group of the row. Together with an error, it returns the group if the group
// is known. If the row is invalid, or if the replay skips the row, takeRow calls the function
// `pass`, which moves to the end of the row. If `pass` returns an error, the whole body is invalid.
func (j *Job) takeRow(read func() (*Group, error), pass func() error) error {
	if j.skips() {
		j.Row++
		return pass()
	}
	g, err := read()
	if err == nil && j.Partial {
		err = g.checked.add(j, g)
	}
	if err != nil {
		r := refusal.Of(err)
		if !j.Partial {
			return r.OfRow(j.Row)
		}
		if g != nil {
			g.Batch.Rows = g.checked.rows
			g.Batch.Undo()
		}
		if err := pass(); err != nil {
			return err
		}
		j.Rejected.add(j.Row, j.line, r)
	}
	j.Row++
	return nil
}

// readRowsByRow is like readRows, but checks each row.
func (j *Job) readRowsByRow(g *Group) error {
	n, err := j.d.DecodeArrayLen()
	if err != nil {
		return j.fault(err, none)
	}
	if err := j.Counted(n); err != nil {
		return err
	}
	at := 0
	read := func() (*Group, error) {
		if err := j.d.DecodeRow(g.Batch); err != nil {
			return g, j.fault(err, inRow)
		}
		return g, nil
	}
	pass := func() error { return j.pass(at) }
	for range n {
		at = j.offset()
		if err := j.takeRow(read, pass); err != nil {
			return err
		}
	}
	return nil
}

// readColumnsByRow is like readColumns, but checks each row. For each row, it reads one cell of
// every column.
func (j *Job) readColumnsByRow(g *Group) error {
	at, rows, err := j.findColumns(g)
	if err != nil {
		return err
	}
	end := j.offset()
	cell := func(c *column.Column, at int) (next int, err error) {
		j.seek(at)
		if err := j.d.DecodeCell(c); err != nil {
			return 0, j.fault(err, in(c.Name))
		}
		return j.offset(), nil
	}
	pass := func(at int) (next int, err error) {
		err = j.pass(at)
		return j.offset(), err
	}
	if err := j.takeSideBySide(g, at, rows, cell, pass); err != nil {
		return err
	}
	j.seek(end)
	return nil
}

// takeSideBySide reads rows whose cells are in columns. The slice `at` contains the offset of each
// column's first cell in the body. The function `cell` decodes the cell at an offset into a column,
// and the function `pass` skips the cell at an offset. Both functions return the offset of the next
// cell in the same column.
func (j *Job) takeSideBySide(g *Group, at []int, rows int, cell func(*column.Column, int) (int, error), pass func(int) (int, error)) error {
	next := make([]int, len(at)) // offsets of the next row's cells
	read := func() (_ *Group, err error) {
		for i, c := range g.Batch.Columns {
			if next[i], err = cell(c, at[i]); err != nil {
				return g, err
			}
		}
		if err := g.Batch.CloseRow(); err != nil {
			return g, j.fault(err, none)
		}
		return g, nil
	}
	passRow := func() (err error) {
		for i := range at {
			if next[i], err = pass(at[i]); err != nil {
				return err
			}
		}
		return nil
	}
	for range rows {
		if err := j.takeRow(read, passRow); err != nil {
			return err
		}
		at, next = next, at
	}
	return j.Charge(g.Batch, 0, 0)
}

// findColumns scans a map of columns. It returns the offset of each column's first cell, and the
// number of cells in each column.
func (j *Job) findColumns(g *Group) (at []int, rows int, err error) {
	n, err := j.d.DecodeMapLen()
	if err != nil {
		return nil, 0, j.fault(err, none)
	}
	b := g.Batch
	for range n {
		key := j.offset()
		name, err := j.d.DecodeView()
		if err != nil {
			return nil, 0, j.fault(err, none)
		}
		c, err := b.Column(name)
		if err != nil {
			return nil, 0, j.fault(err, none)
		}
		if len(b.Columns) == len(at) {
			return nil, 0, errTwice(c, key)
		}
		array := j.offset()
		cells, err := j.d.DecodeArrayLen()
		if err != nil {
			return nil, 0, j.fault(err, in(c.Name))
		}
		if len(at) == 0 {
			rows = max(cells, 0)
		}
		if cells != rows {
			return nil, 0, errLength(c, max(cells, 0), b.Columns[0], rows, array)
		}
		at = append(at, j.offset())
		if err := j.pass(array); err != nil {
			return nil, 0, err
		}
	}
	return at, rows, j.Counted(rows)
}

func errTwice(c *column.Column, at int) error {
	return refusal.Errorf("column %q: the column is repeated: send it once", refusal.Clip(c.Name)).In(c.Name).At(int64(at))
}

func errLength(c *column.Column, cells int, first *column.Column, rows, at int) error {
	return refusal.Errorf("column %q: the column has %d rows, but %q has %d: give all columns the same number of rows", refusal.Clip(c.Name), cells, refusal.Clip(first.Name), rows).In(c.Name).At(int64(at))
}

// checked is the state of the checks of a group's rows, up to the last accepted row.
type checked struct {
	rows  int                // number of accepted rows
	named []bool             // for each column: whether its name has been checked
	unit  Unit               // unit of the rows' times
	fit   *fit               // limits of the catalog; nil if the catalog's limits are not checked
	hours map[int64]struct{} // hours of the rows' times; nil if the number of hours is not checked
	begun bool
}

// fit contains the limits for the rows of a table, and the effects of the accepted rows. A table
// can have two groups, one in each form. Both share the same fit.
type fit struct {
	table.Bounds
	fields map[string]table.Field // fields of the table after the accepted rows are stored
	taken  bool                   // a row was accepted, so the table has been counted if it is new
}

// fitOf returns the fit of a table. The first call for a table creates it.
func (j *Job) fitOf(name table.Name) *fit {
	f := j.fits[name.Table]
	if f != nil {
		return f
	}
	f = &fit{Bounds: j.Known(name), fields: make(map[string]table.Field)}
	for _, have := range f.Fields {
		f.fields[have.Name] = have
	}
	f.fields[TimeColumn] = table.Field{Name: TimeColumn, Kind: column.Time}
	if j.fits == nil {
		j.fits = make(map[string]*fit)
	}
	j.fits[name.Table] = f
	return f
}

// add checks the last row of the group. It makes the same checks as the method `finish` makes for
// all rows. If the limits of the catalog are known, it also checks whether the row exceeds them.
func (k *checked) add(j *Job, g *Group) error {
	b, i := g.Batch, g.Batch.Rows-1
	if !k.begun {
		k.begin(j, g)
	}
	for n, c := range b.Columns {
		if c.IsNull(i) {
			continue
		}
		if n >= len(k.named) || !k.named[n] {
			if err := names.CheckColumn(c.Name); err != nil {
				return err
			}
			k.named = append(k.named, make([]bool, max(0, n+1-len(k.named)))...)
			k.named[n] = true
		}
		if c.Kind == column.String && !utf8.Valid(c.StringAt(i)) {
			return errText(c)
		}
		if why := conflictWith(g.after, c, i); why != nil {
			return refusal.Errorf("%s", why.Reason()).In(c.Name)
		}
	}
	us, err := k.addTime(j, g, i)
	if err != nil {
		return err
	}
	if k.fit != nil {
		if err := k.addToTable(j, g, i, us); err != nil {
			return err
		}
	}
	k.rows = b.Rows
	return nil
}

func (k *checked) begin(j *Job, g *Group) {
	k.begun, k.unit = true, j.Unit
	if j.Known != nil {
		k.fit = j.fitOf(g.name)
		if k.hours == nil {
			k.hours = make(map[int64]struct{})
		}
	}
}

// conflictWith returns the reason why row i of the column c cannot be added to the group g, or nil.
// The argument `g` may be nil. The column named time is not checked, because its values are
// converted to one type.
func conflictWith(g *Group, c *column.Column, i int) *table.TypeError {
	if g == nil || c.Name == TimeColumn {
		return nil
	}
	o := g.Batch.Find(c.Name)
	if o == nil || o.Kind == column.Null {
		return nil
	}
	have := table.Field{Name: o.Name, Kind: o.Kind, Inexact: o.Kind == column.Int64 && c.Kind == column.Float64 && g.inexact(o)}
	return have.Conflict(cellOf(c, i))
}

// addToTable returns an error if the table cannot accept row i. Otherwise it records the effects of
// the row. The argument `us` is the time of the row in microseconds.
func (k *checked) addToTable(j *Job, g *Group, i int, us int64) error {
	f := k.fit
	fresh := len(f.Fields) == 0 && !f.taken
	if fresh && j.fresh >= f.Tables {
		return refusal.Errorf("table %s: the database already has the maximum number of tables: raise the limit, or use fewer names", g.name).In("table")
	}
	hour := table.HourOf(us)
	if _, ok := k.hours[hour]; !ok && len(k.hours) >= f.Hours {
		return refusal.Errorf("earlier rows are from %d different hours, which is the maximum per request: split the request, or check the unit of time", f.Hours).In(TimeColumn)
	}
	columns := len(f.fields)
	for _, c := range g.Batch.Columns {
		if c.IsNull(i) || c.Name == TimeColumn {
			continue
		}
		have, ok := f.fields[c.Name]
		if !ok {
			if columns++; columns > f.Columns {
				return refusal.Errorf("column %q: the table already has the maximum of %d columns", refusal.Clip(c.Name), f.Columns).In(refusal.Clip(c.Name))
			}
		} else if why := have.Conflict(cellOf(c, i)); why != nil {
			return refusal.Errorf("%s", why.Reason()).In(c.Name)
		}
	}
	for _, c := range g.Batch.Columns {
		if c.IsNull(i) || c.Name == TimeColumn {
			continue
		}
		cell := cellOf(c, i)
		have, ok := f.fields[c.Name]
		if !ok {
			have = table.Field{Name: c.Name, Kind: cell.Kind}
		}
		f.fields[c.Name], _ = have.With(cell)
	}
	if fresh {
		j.fresh++
	}
	f.taken = true
	k.hours[hour] = struct{}{}
	return nil
}

// cellOf returns a column that contains only row i of c. It is sufficient for comparing types.
func cellOf(c *column.Column, i int) *column.Column {
	cell := &column.Column{Kind: c.Kind, Rows: 1}
	switch c.Kind {
	case column.Int64:
		cell.Ints = c.Ints[i : i+1]
	case column.Float64:
		cell.Floats = c.Floats[i : i+1]
	}
	return cell
}

// addTime checks the time of row i, and returns it in microseconds.
func (k *checked) addTime(j *Job, g *Group, i int) (int64, error) {
	c := g.Batch.Find(TimeColumn)
	if c == nil || c.Kind == column.Null && !g.columns || c.IsNull(i) && g.fill {
		return j.Received, nil
	}
	if !g.columns && !g.fill && i > 0 && c.IsNull(0) {
		return 0, refusal.Errorf("this row has a time, but earlier rows have none: give every row a time, or none").In(TimeColumn)
	}
	us, u, err := timeOf(c, i, j.Unit)
	if err != nil {
		return 0, err
	}
	if c.Kind == column.Time || c.Kind == column.String { // the unit of these is known
		return us, nil
	}
	if k.unit == Auto {
		k.unit = u
	} else if u != k.unit {
		return 0, errUnits(c, i, u, k.unit)
	}
	return us, nil
}
