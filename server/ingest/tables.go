package ingest

// A MessagePack body contains rows for one table. The URL specifies the table. The body has one of
// two forms:
//
//	columns   {"time": [1, 2, 3], "host": ["a", "b", "c"]}
//	rows      [{"time": 1, "host": "a"}, {"time": 2, "host": "b"}]

// decodeTable decodes a body in either form.
func (j *job) decodeTable() error {
	code, err := j.d.PeekCode()
	if err != nil {
		return j.fault(err, none)
	}
	if !isMap(code) && !isArray(code) {
		return invalid("the body is %s: send an array of maps, or a map of columns", describe(code)).at(0)
	}
	j.name = append(j.name[:0], j.target.Table...)
	g, err := j.group(j.name, isMap(code))
	if err != nil {
		return err
	}
	if g.columns {
		return j.readColumns(g)
	}
	return j.readRows(g)
}

// byRow reports whether rows are decoded and checked one by one.
func (j *job) byRow() bool { return j.partial || len(j.skip) > 0 }

// readColumns decodes a map of columns into an empty group, and finishes the group.
func (j *job) readColumns(g *group) error {
	if j.byRow() {
		if err := j.readColumnsByRow(g); err != nil {
			return err
		}
		return j.finish(g)
	}
	if err := j.d.DecodeColumns(g.batch); err != nil {
		r := j.fault(err, inColumns)
		if r.row >= 0 {
			r.row += g.first
		}
		return r
	}
	return j.takeColumns(g)
}

// takeColumns counts the rows of a group whose columns have been decoded, and finishes the group.
func (j *job) takeColumns(g *group) error {
	if err := j.counted(g.batch.Rows); err != nil {
		return err
	}
	j.row += g.batch.Rows
	if err := j.charge(g.batch, 0, 0); err != nil {
		return err
	}
	return j.finish(g)
}

// readRows decodes an array of maps.
func (j *job) readRows(g *group) error {
	if j.byRow() {
		return j.readRowsByRow(g)
	}
	if err := j.d.DecodeRows(g.batch); err != nil {
		return j.fault(err, inRows)
	}
	j.row += g.batch.Rows
	return nil
}
