package rows

import (
	"github.com/slipstream-go/slipstream/server/refusal"
)

// A MessagePack body contains rows for one table. The URL specifies the table. The body has one of
// two forms:
//
//	columns   {"time": [1, 2, 3], "host": ["a", "b", "c"]}
//	rows      [{"time": 1, "host": "a"}, {"time": 2, "host": "b"}]

// decodeTable decodes a body in either form.
func (j *Job) decodeTable() error {
	code, err := j.d.PeekCode()
	if err != nil {
		return j.fault(err, none)
	}
	if !isMap(code) && !isArray(code) {
		return refusal.Errorf("the body is %s: send an array of maps, or a map of columns", describe(code)).At(0)
	}
	j.name = append(j.name[:0], j.Target.Table...)
	g, err := j.Group(j.name, isMap(code))
	if err != nil {
		return err
	}
	if g.columns {
		return j.readColumns(g)
	}
	return j.readRows(g)
}

// byRow reports whether rows are decoded and checked one by one.
func (j *Job) byRow() bool { return j.Partial || len(j.Skip) > 0 }

// readColumns decodes a map of columns into an empty group, and finishes the group.
func (j *Job) readColumns(g *Group) error {
	if j.byRow() {
		if err := j.readColumnsByRow(g); err != nil {
			return err
		}
		return j.finish(g)
	}
	if err := j.d.DecodeColumns(g.Batch); err != nil {
		r := j.fault(err, inColumns)
		if r.Row >= 0 {
			r.Row += g.first
		}
		return r
	}
	return j.takeColumns(g)
}

// takeColumns counts the rows of a group whose columns have been decoded, and finishes the group.
func (j *Job) takeColumns(g *Group) error {
	if err := j.Counted(g.Batch.Rows); err != nil {
		return err
	}
	j.Row += g.Batch.Rows
	if err := j.Charge(g.Batch, 0, 0); err != nil {
		return err
	}
	return j.finish(g)
}

// readRows decodes an array of maps.
func (j *Job) readRows(g *Group) error {
	if j.byRow() {
		return j.readRowsByRow(g)
	}
	if err := j.d.DecodeRows(g.Batch); err != nil {
		return j.fault(err, inRows)
	}
	j.Row += g.Batch.Rows
	return nil
}
