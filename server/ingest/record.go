package ingest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/slipstream-go/slipstream/schema"
	"github.com/slipstream-go/slipstream/server/admission"
	"github.com/slipstream-go/slipstream/server/registry"
	"github.com/slipstream-go/slipstream/server/rows"
	"github.com/slipstream-go/slipstream/server/series"
	"github.com/slipstream-go/slipstream/server/table"
	"github.com/slipstream-go/slipstream/server/wal"
)

// formats contains all formats of bodies in the log.
var formats = append(slices.Clone(rows.Formats), series.Format)

// codec describes how to decode the payload of a record. The package comment lists its bits.
type codec struct {
	format      *rows.Format
	compression admission.Compression
	unit        rows.Unit
	rejected    bool // a list of rejected rows follows the body
	keyed       bool // the request's key is at the end
}

func (c codec) bits() uint16 {
	b := uint16(c.format.Code) | uint16(c.compression)<<4 | uint16(c.unit)<<6
	if c.rejected {
		b |= 1 << 9
	}
	if c.keyed {
		b |= 1 << 10
	}
	return b
}

func codecOf(bits uint16) (codec, error) {
	c := codec{compression: admission.Compression(bits >> 4 & 3), unit: rows.Unit(bits >> 6 & 7), rejected: bits>>9&1 != 0, keyed: bits>>10&1 != 0}
	for _, f := range formats {
		if f.Code == uint8(bits&15) {
			c.format = f
		}
	}
	if c.format == nil || c.unit > rows.Nanoseconds || bits>>11 != 0 || (c.format == series.Format) != (c.compression == admission.Snappy) {
		return c, fmt.Errorf("ingest: codec %#04x is unknown", bits)
	}
	return c, nil
}

// appendRejected appends the list of rejected rows to a payload. The list contains, as uvarints,
// the differences between consecutive row numbers. The length of the list follows the list.
func appendRejected(payload []byte, rows []int) []byte {
	body, last := len(payload), 0
	for _, row := range rows {
		payload = binary.AppendUvarint(payload, uint64(row-last))
		last = row
	}
	return binary.LittleEndian.AppendUint32(payload, uint32(len(payload)-body))
}

// cutRejected splits a payload into the body and the list of rejected rows.
func cutRejected(payload []byte) (body []byte, skip []int, err error) {
	errList := fmt.Errorf("ingest: the list of rejected rows is damaged")
	body, list, ok := cutCounted(payload)
	if !ok {
		return nil, nil, errList
	}
	for last := 0; len(list) > 0; {
		step, k := binary.Uvarint(list)
		if k <= 0 || step > uint64(rows.Unbounded.Rows-last) {
			return nil, nil, errList
		}
		last += int(step)
		skip, list = append(skip, last), list[k:]
	}
	return body, skip, nil
}

// cutCounted splits a payload into the body and a tail. In the payload, the tail is followed by its
// length.
func cutCounted(payload []byte) (body, tail []byte, ok bool) {
	end := len(payload) - 4
	if end < 0 {
		return nil, nil, false
	}
	n := binary.LittleEndian.Uint32(payload[end:])
	if uint64(n) > uint64(end) {
		return nil, nil, false
	}
	return payload[:end-int(n)], payload[end-int(n) : end], true
}

// appendSchema appends the notation of a schema to a payload.
func appendSchema(payload []byte, notation string) []byte {
	return binary.LittleEndian.AppendUint32(append(payload, notation...), uint32(len(notation)))
}

// cutSchema splits a payload into the body and the schema. The argument `last` is a schema or nil.
// If the payload contains the same schema as `last`, cutSchema returns `last`, and does not parse
// the notation.
func cutSchema(payload []byte, last *registry.Version) (body []byte, v *registry.Version, err error) {
	body, notation, ok := cutCounted(payload)
	if !ok {
		return nil, nil, errors.New("ingest: the schema after the body is damaged")
	}
	if last != nil && last.Notation == string(notation) {
		return body, last, nil
	}
	shape, err := schema.ParseShape(string(notation))
	if err == nil {
		v, err = registry.NewVersion(shape)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("ingest: the schema after the body: %w", err)
	}
	return body, v, nil
}

// Replay returns a function that decodes records of the log after a restart. This function takes
// its batches from the pool.
func Replay(pool *table.Pool) func(*wal.Record) ([]table.Write, error) {
	var last *registry.Version // last schema in the log: adjacent records usually use the same schema
	return func(r *wal.Record) ([]table.Write, error) {
		c, err := codecOf(r.Codec)
		if err != nil {
			return nil, err
		}
		j := &rows.Job{
			Body:     r.Payload,
			Target:   table.Name{DB: r.DB, Table: r.Table},
			Unit:     c.unit,
			Received: r.Time,
			Limits:   &rows.Unbounded,
			MaxText:  math.MaxInt64 / 2,
			Pool:     pool,
			Judged:   true,
		}
		if c.keyed {
			if j.Body, _, _, err = cutKey(j.Body); err != nil {
				return nil, err
			}
		}
		if c.rejected {
			if j.Body, j.Skip, err = cutRejected(j.Body); err != nil {
				return nil, err
			}
		}
		if c.format == rows.Schema {
			if j.Body, last, err = cutSchema(j.Body, last); err != nil {
				return nil, err
			}
			j.Schema = last.Columns
		}
		if c.compression != admission.Identity {
			plain, err := new(admission.Hold).Inflate(c.compression, j.Body, math.MaxInt64/2)
			if err != nil {
				return nil, fmt.Errorf("ingest: the body is not %v, or is damaged: %w", c.compression, err)
			}
			defer plain.Free() // runs after j.Free
			j.Body = plain.B
		}
		defer j.Free()
		writes, err := j.Decode(c.format)
		if err != nil {
			return nil, fmt.Errorf("ingest: %w", err)
		}
		return slices.Clone(writes), nil
	}
}
