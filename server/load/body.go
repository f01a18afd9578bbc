package load

import "github.com/slipstream-go/slipstream/column"

// form is one of the four forms of a body; see the package comment.
type form struct {
	v1   bool // else Arc's
	rows bool // else columnar
}

// slots say where the times of a body or request are: the first at byte `first`, each further one `stride` bytes on.
type slots struct{ first, stride int }

// appendBody appends the batch as a body. The slots count from the start of dst; they are right for every row of a columnar
// body, and of a body of rows when its rows are equally long.
func (f form) appendBody(dst []byte, table string, b *column.Batch) ([]byte, slots) {
	switch {
	case !f.rows && f.v1:
		return appendColumns(dst, b)
	case !f.rows:
		dst = appendMapLen(dst, 2)
		dst = appendString(appendString(dst, "m"), table)
		return appendColumns(appendString(dst, "columns"), b)
	case f.v1:
		return appendRows(dst, b, appendFlatRow)
	default:
		dst = appendString(appendMapLen(dst, 1), "batch")
		arc := splitForArc(table, b)
		return appendRows(dst, b, arc.appendRow)
	}
}

func appendColumns(dst []byte, b *column.Batch) ([]byte, slots) {
	var times slots
	dst = appendMapLen(dst, len(b.Columns))
	for _, c := range b.Columns {
		dst = appendArrayLen(appendString(dst, c.Name), c.Rows)
		if c.Kind == column.Time {
			times = slots{first: len(dst) + 1, stride: 9}
		}
		for i := range c.Rows {
			dst = appendCell(dst, c, i)
		}
	}
	return dst, times
}

// appendRows appends an array of the batch's rows, each by appendRow, which also says where the row's time is.
func appendRows(dst []byte, b *column.Batch, appendRow func([]byte, *column.Batch, int) ([]byte, int)) ([]byte, slots) {
	var times slots
	dst = appendArrayLen(dst, b.Rows)
	for i := range b.Rows {
		var at int
		dst, at = appendRow(dst, b, i)
		switch i {
		case 0:
			times.first = at
		case 1:
			times.stride = at - times.first
		}
	}
	return dst, times
}

func appendFlatRow(dst []byte, b *column.Batch, row int) (_ []byte, at int) {
	dst = appendMapLen(dst, len(b.Columns))
	for _, c := range b.Columns {
		dst = appendString(dst, c.Name)
		if c.Kind == column.Time {
			at = len(dst) + 1
		}
		dst = appendCell(dst, c, row)
	}
	return dst, at
}

// arcRow is how Arc's rows sort the columns: the time is t, the host is h, the other strings are tags, the rest are fields.
type arcRow struct {
	table        string
	time, host   *column.Column
	tags, fields []*column.Column
}

func splitForArc(table string, b *column.Batch) *arcRow {
	r := &arcRow{table: table}
	for _, c := range b.Columns {
		switch {
		case c.Kind == column.Time:
			r.time = c
		case c.Name == "host":
			r.host = c
		case c.Kind == column.String:
			r.tags = append(r.tags, c)
		default:
			r.fields = append(r.fields, c)
		}
	}
	return r
}

func (r *arcRow) appendRow(dst []byte, _ *column.Batch, row int) (_ []byte, at int) {
	n := 4
	if len(r.tags) > 0 {
		n++
	}
	dst = appendMapLen(dst, n)
	dst = appendString(appendString(dst, "m"), r.table)
	dst = appendString(dst, "t")
	at = len(dst) + 1
	dst = appendCell(dst, r.time, row)
	dst = appendCell(appendString(dst, "h"), r.host, row)
	if len(r.tags) > 0 {
		dst = appendCells(appendString(dst, "tags"), r.tags, row)
	}
	return appendCells(appendString(dst, "fields"), r.fields, row), at
}

// appendCells appends a map of one row's cells.
func appendCells(dst []byte, columns []*column.Column, row int) []byte {
	dst = appendMapLen(dst, len(columns))
	for _, c := range columns {
		dst = appendCell(appendString(dst, c.Name), c, row)
	}
	return dst
}

func appendCell(dst []byte, c *column.Column, row int) []byte {
	if c.IsNull(row) {
		return appendNil(dst)
	}
	switch c.Kind {
	case column.Float64:
		return appendFloat64(dst, c.Floats[row])
	case column.String:
		return appendString(dst, c.StringAt(row))
	default: // Int64 and Time; no source has a Bool
		return appendInt64(dst, c.Ints[row])
	}
}
