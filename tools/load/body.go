package load

import (
	"bytes"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/msgpack"
)

// form is one of the five forms of a body; see the package comment.
type form struct {
	v1    bool // format of the v1 endpoint; otherwise Arc's format
	rows  bool // rows; otherwise columns
	coded bool // encoded with a schema
}

// slots contains the positions of the times in a body or request. The first time is at byte
// `first`, and each further time is `stride` bytes later.
type slots struct {
	first, stride int
	little        bool // the times are little-endian
}

// body builds a body. It keeps the first error, which the method `write` returns.
type body struct {
	bytes.Buffer
	encoder *msgpack.Encoder
	times   slots // correct for columnar bodies; correct for bodies of rows only if all rows have the same length
	err     error
}

func newBody() *body {
	b := new(body)
	b.encoder = msgpack.NewEncoder(&b.Buffer)
	return b
}

// write replaces the content of the body by the batch, encoded in the form f.
func (b *body) write(f form, table string, batch *column.Batch) error {
	b.Reset()
	b.times, b.err = slots{}, nil
	switch {
	case f.coded:
		b.coded(batch)
	case !f.rows && f.v1:
		b.columns(batch)
	case !f.rows:
		b.mapLen(2)
		b.text("m")
		b.text(table)
		b.text("columns")
		b.columns(batch)
	case f.v1:
		b.rows(batch, func(row int) { b.cells(batch.Columns, row) })
	default:
		arc := splitForArc(table, batch)
		b.mapLen(1)
		b.text("batch")
		b.rows(batch, func(row int) { b.arcRow(arc, row) })
	}
	return b.err
}

func (b *body) columns(batch *column.Batch) {
	b.mapLen(len(batch.Columns))
	for _, c := range batch.Columns {
		b.text(c.Name)
		b.arrayLen(c.Rows)
		for row := range c.Rows {
			b.cell(c, row)
		}
	}
}

// rows writes an array of the batch's rows. It calls the function `write` for each row.
func (b *body) rows(batch *column.Batch, write func(row int)) {
	b.arrayLen(batch.Rows)
	for row := range batch.Rows {
		write(row)
	}
}

// arcColumns groups the columns for the rows of Arc's format. The time is written under the key t
// and the host under h. Other strings are tags, and the rest are fields.
type arcColumns struct {
	table        string
	time, host   *column.Column
	tags, fields []*column.Column
}

func splitForArc(table string, batch *column.Batch) *arcColumns {
	a := &arcColumns{table: table}
	for _, c := range batch.Columns {
		switch {
		case c.Kind == column.Time:
			a.time = c
		case c.Name == "host":
			a.host = c
		case c.Kind == column.String:
			a.tags = append(a.tags, c)
		default:
			a.fields = append(a.fields, c)
		}
	}
	return a
}

func (b *body) arcRow(a *arcColumns, row int) {
	b.mapLen(5)
	b.text("m")
	b.text(a.table)
	b.text("t")
	b.cell(a.time, row)
	b.text("h")
	b.cell(a.host, row)
	b.text("tags")
	b.cells(a.tags, row)
	b.text("fields")
	b.cells(a.fields, row)
}

// cells writes a map of one row's cells.
func (b *body) cells(columns []*column.Column, row int) {
	b.mapLen(len(columns))
	for _, c := range columns {
		b.text(c.Name)
		b.cell(c, row)
	}
}

func (b *body) cell(c *column.Column, row int) {
	switch {
	case c.IsNull(row):
		b.keep(b.encoder.EncodeNil())
	case c.Kind == column.Time:
		b.time(c.Ints[row], row)
	case c.Kind == column.Float64:
		b.keep(b.encoder.EncodeFloat64(c.Floats[row]))
	case c.Kind == column.String:
		b.text(string(c.StringAt(row)))
	default: // Int64; no source contains a Bool
		b.keep(b.encoder.EncodeInt64(c.Ints[row]))
	}
}

// time writes a row's time, and records the position of the integer. This is the position after the
// MessagePack code.
func (b *body) time(us int64, row int) {
	at := b.Len() + 1
	switch row {
	case 0:
		b.times.first = at
	case 1:
		b.times.stride = at - b.times.first
	}
	b.keep(b.encoder.EncodeInt64(us))
}

func (b *body) mapLen(n int)   { b.keep(b.encoder.EncodeMapLen(n)) }
func (b *body) arrayLen(n int) { b.keep(b.encoder.EncodeArrayLen(n)) }
func (b *body) text(s string)  { b.keep(b.encoder.EncodeString(s)) }

func (b *body) keep(err error) {
	if b.err == nil {
		b.err = err
	}
}
