package ingest

import (
	"slices"
	"unicode/utf8"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/server/table"
)

// Partial acceptance: rows are read one at a time, each is judged at once, and one that is bad is
// undone and noted.
//
// Which rows were rejected is written into the log after the body (see codec), and the replay
// passes over those: it need not judge again, and so cannot judge differently.

// maxReasons is how many rejected rows a reply lists with their reasons; the others are counted.
const maxReasons = 1000

// Rejection is a row that was not stored, with the reason.
type Rejection struct {
	Row    int    `json:"row"`
	Line   int    `json:"line,omitempty"`  // of NDJSON, counted from 1
	Field  string `json:"field,omitempty"` // column or key at fault; none if the row is not one at all
	Reason string `json:"reason"`
}

// rejected are the rows of a body that were not taken, in ascending order.
type rejected struct {
	rows    []int
	reasons []Rejection // of the first ones
}

func (r *rejected) reset() { r.rows, r.reasons = r.rows[:0], r.reasons[:0] }

func (r *rejected) add(row, line int, why *refusal) {
	r.rows = append(r.rows, row)
	if len(r.reasons) < maxReasons {
		r.reasons = append(r.reasons, Rejection{row, line, why.field, why.text})
	}
}

// skips reports whether the replay passes over the present row.
func (j *job) skips() bool {
	_, found := slices.BinarySearch(j.skip, j.row)
	return found
}

// skipsAll reports whether the replay passes over the next n rows.
func (j *job) skipsAll(n int) bool {
	at, found := slices.BinarySearch(j.skip, j.row)
	return n > 0 && found && len(j.skip) >= at+n && j.skip[at+n-1] == j.row+n-1
}

// reject rejects the next n rows, for one reason.
func (j *job) reject(n int, why *refusal) {
	for range n {
		j.rejected.add(j.row, j.line, why)
		j.row++
	}
}

// pass passes over the value at an offset.
func (j *job) pass(at int) error {
	j.seek(at)
	if err := j.d.Skip(); err != nil {
		return j.fault(err, none)
	}
	return nil
}

// takeRow reads a row by read, which closes it and tells the group, if it got so far. When the row
// is bad, or the replay passes over it, pass goes to where it ends; an error of that is one of the
// whole body.
func (j *job) takeRow(read func() (*group, error), pass func() error) error {
	if j.skips() {
		j.row++
		return pass()
	}
	g, err := read()
	if err == nil && j.partial {
		err = g.checked.add(j, g)
	}
	if err != nil {
		r := asRefusal(err)
		if !j.partial {
			return r.ofRow(j.row)
		}
		if g != nil {
			g.batch.Rows = g.checked.rows
			g.batch.Undo()
		}
		if err := pass(); err != nil {
			return err
		}
		j.rejected.add(j.row, j.line, r)
	}
	j.row++
	return nil
}

// readRowsByRow is the twin of readRows that judges each row.
func (j *job) readRowsByRow(g *group) error {
	n, err := j.d.DecodeArrayLen()
	if err != nil {
		return j.fault(err, none)
	}
	if err := j.counted(n); err != nil {
		return err
	}
	at := 0
	read := func() (*group, error) {
		if err := j.d.DecodeRow(g.batch); err != nil {
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

// readColumnsByRow is the twin of readColumns that judges each row: it goes through all columns
// side by side.
func (j *job) readColumnsByRow(g *group) error {
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

// takeSideBySide takes rows whose cells are in columns. The first cell of each is at an offset of
// the body; cell reads one into a column, pass passes over one, and both tell where the next is.
func (j *job) takeSideBySide(g *group, at []int, rows int, cell func(*column.Column, int) (int, error), pass func(int) (int, error)) error {
	next := make([]int, len(at)) // where the cells of the next row are
	read := func() (_ *group, err error) {
		for i, c := range g.batch.Columns {
			if next[i], err = cell(c, at[i]); err != nil {
				return g, err
			}
		}
		if err := g.batch.CloseRow(); err != nil {
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
	return j.charge(g.batch, 0, 0)
}

// findColumns goes through a map of columns, and gives where the first cell of each is, and how
// many cells each has.
func (j *job) findColumns(g *group) (at []int, rows int, err error) {
	n, err := j.d.DecodeMapLen()
	if err != nil {
		return nil, 0, j.fault(err, none)
	}
	b := g.batch
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
	return at, rows, j.counted(rows)
}

func errTwice(c *column.Column, at int) error {
	return invalid("column %q: the column is repeated: send it once", clip(c.Name)).in(c.Name).at(int64(at))
}

func errLength(c *column.Column, cells int, first *column.Column, rows, at int) error {
	return invalid("column %q: the column has %d rows, but %q has %d: give all columns as many", clip(c.Name), cells, clip(first.Name), rows).in(c.Name).at(int64(at))
}

// checked is what the rows of a group that were taken so far have settled.
type checked struct {
	rows  int                // that were taken
	named []bool             // by column: its name has been checked
	unit  Unit               // of their times
	fit   *fit               // to the catalog, if that is asked
	hours map[int64]struct{} // of their times, if it is
	begun bool
}

// fit is what the rows of a table may bring, and what those that were taken have brought. Both
// forms of rows share it.
type fit struct {
	table.Bounds
	fields map[string]table.Field // of the table as it will be
	taken  bool                   // a row was taken, so a new table is counted
}

// fitOf is the fit of a table, made when it is first asked for.
func (j *job) fitOf(name table.Name) *fit {
	f := j.fits[name.Table]
	if f != nil {
		return f
	}
	f = &fit{Bounds: j.known(name), fields: make(map[string]table.Field)}
	for _, have := range f.Fields {
		f.fields[have.Name] = have
	}
	f.fields[timeColumn] = table.Field{Name: timeColumn, Kind: column.Time}
	if j.fits == nil {
		j.fits = make(map[string]*fit)
	}
	j.fits[name.Table] = f
	return f
}

// add judges the last row of the group, as finish judges the whole of it, and whether it fits the
// catalog if that is asked.
func (k *checked) add(j *job, g *group) error {
	b, i := g.batch, g.batch.Rows-1
	if !k.begun {
		k.begin(j, g)
	}
	for n, c := range b.Columns {
		if c.IsNull(i) {
			continue
		}
		if n >= len(k.named) || !k.named[n] {
			if err := checkColumn(c.Name); err != nil {
				return err
			}
			k.named = append(k.named, make([]bool, max(0, n+1-len(k.named)))...)
			k.named[n] = true
		}
		if c.Kind == column.String && !utf8.Valid(c.StringAt(i)) {
			return errText(c)
		}
		if why := conflictWith(g.after, c, i); why != nil {
			return invalid("%s", why.Reason()).in(c.Name)
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

func (k *checked) begin(j *job, g *group) {
	k.begun, k.unit = true, j.unit
	if j.known != nil {
		k.fit = j.fitOf(g.name)
		if k.hours == nil {
			k.hours = make(map[int64]struct{})
		}
	}
}

// conflictWith is why a group, which may be nil, does not take row i of c after its own rows, or
// nil. Times come in other types, and are converted.
func conflictWith(g *group, c *column.Column, i int) *table.TypeError {
	if g == nil || c.Name == timeColumn {
		return nil
	}
	o := g.batch.Find(c.Name)
	if o == nil || o.Kind == column.Null {
		return nil
	}
	have := table.Field{Name: o.Name, Kind: o.Kind, Inexact: o.Kind == column.Int64 && c.Kind == column.Float64 && g.inexact(o)}
	return have.Conflict(cellOf(c, i))
}

// addToTable judges whether the table can take row i, which is from a time in microseconds, and
// enters what it brings.
func (k *checked) addToTable(j *job, g *group, i int, us int64) error {
	f := k.fit
	fresh := len(f.Fields) == 0 && !f.taken
	if fresh && j.fresh >= f.Tables {
		return invalid("table %s: its database has as many tables as it may have: raise the limit, or use fewer names", g.name).in("table")
	}
	hour := table.HourOf(us)
	if _, ok := k.hours[hour]; !ok && len(k.hours) >= f.Hours {
		return invalid("the rows before are from %d different hours, which is the most that a request may have: split it, or check the unit of time", f.Hours).in(timeColumn)
	}
	columns := len(f.fields)
	for _, c := range g.batch.Columns {
		if c.IsNull(i) || c.Name == timeColumn {
			continue
		}
		have, ok := f.fields[c.Name]
		if !ok {
			if columns++; columns > f.Columns {
				return invalid("column %q: it would be one more than the %d a table may have", clip(c.Name), f.Columns).in(clip(c.Name))
			}
		} else if why := have.Conflict(cellOf(c, i)); why != nil {
			return invalid("%s", why.Reason()).in(c.Name)
		}
	}
	for _, c := range g.batch.Columns {
		if c.IsNull(i) || c.Name == timeColumn {
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

// cellOf is a column of row i of c alone, as far as types are compared.
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

// addTime judges the time of row i, and returns it in microseconds.
func (k *checked) addTime(j *job, g *group, i int) (int64, error) {
	c := g.batch.Find(timeColumn)
	if c == nil || c.Kind == column.Null && !g.columns || c.IsNull(i) && g.fill {
		return j.received, nil
	}
	if !g.columns && !g.fill && i > 0 && c.IsNull(0) {
		return 0, invalid("there is a time, and the rows before have none: give every row one, or none").in(timeColumn)
	}
	us, u, err := timeOf(c, i, j.unit)
	if err != nil {
		return 0, err
	}
	if c.Kind == column.Time || c.Kind == column.String { // their unit is not a guess
		return us, nil
	}
	if k.unit == Auto {
		k.unit = u
	} else if u != k.unit {
		return 0, errUnits(c, i, u, k.unit)
	}
	return us, nil
}
