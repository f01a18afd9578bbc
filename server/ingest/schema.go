package ingest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"

	"github.com/slipstream-go/slipstream/schema"
	"github.com/slipstream-go/slipstream/server/access"
)

// A body that is encoded with a registered schema (see Schemas) contains rows for one table. The
// form of the schema determines the form of the body:
//
//	columns   {time list32(i64), host list32(str8)}   one message, of lists of equal length
//	rows      {time i64, host str8}                   messages, one after the other
//
// The log stores the schema with each body, so that the body can be decoded without the registry.

// readSchema finds the schema of the body. The parameters of the Content-Type identify it.
func (q *request) readSchema(r *http.Request, g *access.Grant, params map[string]string) (err error) {
	name, fingerprint := params["schema"], params["fingerprint"]
	if err := checkSchema(name); err != nil {
		return err
	}
	if !isFingerprint(fingerprint) {
		return invalid("Content-Type: fingerprint=%q: it is the 16 hex digits, in lower case, of the schema's "+
			"NamedFingerprint, which GET /v1/schemas/%s tells too", clip(fingerprint), name).in("fingerprint")
	}
	q.job.schema, err = q.handler.schemas.find(name, fingerprint, r.Header.Get("Slipstream-Schema"))
	if err != nil && !g.SeesAll() {
		return errUnseen(name, fingerprint)
	}
	return err
}

func checkSchema(name string) error { return checkPlain("schema", name, maxName) }

func isFingerprint(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isDigit(c) && (c < 'a' || c > 'f') {
			return false
		}
	}
	return len(s) == 16
}

// decodeSchema decodes a body in either form.
func (j *job) decodeSchema() error {
	columns := j.schema.columns
	j.name = append(j.name[:0], j.target.Table...)
	g, err := j.group(j.name, columns.Lists())
	if err != nil {
		return err
	}
	switch {
	case j.byRow():
		return j.readSchemaByRow(g)
	case columns.Lists():
		if err := columns.Parse(j.body, g.batch); err != nil {
			return j.fault(err, inColumns)
		}
		return j.takeColumns(g)
	}
	if err := columns.Parse(j.body, g.batch); err != nil {
		return j.fault(err, inRows)
	}
	j.row += g.batch.Rows
	return nil
}

// readSchemaByRow decodes and checks each row. A malformed message is an error of the body, not of
// a row.
func (j *job) readSchemaByRow(g *group) error {
	rows, err := j.schema.columns.Rows(j.body)
	if err != nil {
		return j.fault(err, inColumns)
	}
	passed := false // rows has moved past the row
	read := func() (*group, error) {
		err := rows.Read(g.batch)
		if passed = err == nil || errors.Is(err, schema.ErrCell); err != nil {
			return g, j.fault(err, inRow)
		}
		return g, nil
	}
	pass := func() error {
		if !passed {
			had := g.batch.Rows
			_, err := read()
			g.batch.Rows = had
			if g.batch.Undo(); !passed {
				return asRefusal(err).ofRow(j.row)
			}
		}
		return nil
	}
	for rows.More() {
		if err := j.counted(1); err != nil {
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
	if err := j.charge(g.batch, 0, 0); err != nil {
		return err
	}
	return j.finish(g)
}

// appendSchema appends the notation of a schema to a payload.
func appendSchema(payload []byte, notation string) []byte {
	return binary.LittleEndian.AppendUint32(append(payload, notation...), uint32(len(notation)))
}

// cutSchema splits a payload into the body and the schema. If the schema equals the argument last,
// cutSchema returns last and does not parse the notation. The argument last may be nil.
func cutSchema(payload []byte, last *version) (body []byte, v *version, err error) {
	body, notation, ok := cutCounted(payload)
	if !ok {
		return nil, nil, errors.New("ingest: the schema after the body is damaged")
	}
	if last != nil && last.notation == string(notation) {
		return body, last, nil
	}
	shape, err := schema.ParseShape(string(notation))
	if err == nil {
		v, err = newVersion(shape)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("ingest: the schema after the body: %w", err)
	}
	return body, v, nil
}
