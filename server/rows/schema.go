package rows

import (
	"errors"

	"github.com/slipstream-go/slipstream/schema"
	"github.com/slipstream-go/slipstream/server/refusal"
)

// A body that is encoded with a registered schema (see package registry) contains rows for one
// table. The form of the schema determines the form of the body:
//
//	columns   {time list32(i64), host list32(str8)}   one message, of lists of equal length
//	rows      {time i64, host str8}                   messages, one after the other
//
// The log stores the schema with each body, so that the body can be decoded without the registry.

// decodeSchema decodes a body in either form.
func (j *Job) decodeSchema() error {
	columns := j.Schema
	j.name = append(j.name[:0], j.Target.Table...)
	g, err := j.Group(j.name, columns.Lists())
	if err != nil {
		return err
	}
	switch {
	case j.byRow():
		return j.readSchemaByRow(g)
	case columns.Lists():
		if err := columns.Parse(j.Body, g.Batch); err != nil {
			return j.fault(err, inColumns)
		}
		return j.takeColumns(g)
	}
	if err := columns.Parse(j.Body, g.Batch); err != nil {
		return j.fault(err, inRows)
	}
	j.Row += g.Batch.Rows
	return nil
}

// readSchemaByRow decodes and checks each row. A malformed message is an error of the body, not of
// a row.
func (j *Job) readSchemaByRow(g *Group) error {
	rows, err := j.Schema.Rows(j.Body)
	if err != nil {
		return j.fault(err, inColumns)
	}
	passed := false // rows has moved past the row
	read := func() (*Group, error) {
		err := rows.Read(g.Batch)
		if passed = err == nil || errors.Is(err, schema.ErrCell); err != nil {
			return g, j.fault(err, inRow)
		}
		return g, nil
	}
	pass := func() error {
		if !passed {
			had := g.Batch.Rows
			_, err := read()
			g.Batch.Rows = had
			if g.Batch.Undo(); !passed {
				return refusal.Of(err).OfRow(j.Row)
			}
		}
		return nil
	}
	for rows.More() {
		if err := j.Counted(1); err != nil {
			return err
		}
		passed = false
		if err := j.takeRow(read, pass); err != nil {
			return err
		}
	}
	if !g.columns {
		return nil
	}
	if err := j.Charge(g.Batch, 0, 0); err != nil {
		return err
	}
	return j.finish(g)
}
