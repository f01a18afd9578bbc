package ingest

import (
	"fmt"
	"slices"

	"github.com/slipstream-go/slipstream/server/admission"
	"github.com/slipstream-go/slipstream/server/table"
	"github.com/slipstream-go/slipstream/server/wal"
)

// Replay returns the function that decodes records of the log after a restart. The function takes
// its batches from the pool.
func Replay(pool *table.Pool) func(*wal.Record) ([]table.Write, error) {
	var last *version // last schema in the log: adjacent records usually use the same schema
	return func(r *wal.Record) ([]table.Write, error) {
		c, err := codecOf(r.Codec)
		if err != nil {
			return nil, err
		}
		j := &job{
			body:     r.Payload,
			target:   table.Name{DB: r.DB, Table: r.Table},
			unit:     c.unit,
			received: r.Time,
			limits:   &unbounded,
			pool:     pool,
			judged:   true,
		}
		if c.keyed {
			if j.body, _, _, err = cutKey(j.body); err != nil {
				return nil, err
			}
		}
		if c.rejected {
			if j.body, j.skip, err = cutRejected(j.body); err != nil {
				return nil, err
			}
		}
		if c.format == Schema {
			if j.body, j.schema, err = cutSchema(j.body, last); err != nil {
				return nil, err
			}
			last = j.schema
		}
		if c.compression != admission.Identity {
			plain, err := new(admission.Hold).Inflate(c.compression, j.body, unbounded.Decompressed)
			if err != nil {
				return nil, fmt.Errorf("ingest: the body is not %v, or is damaged: %w", c.compression, err)
			}
			defer plain.Free() // runs after j.free
			j.body = plain.B
		}
		defer j.free()
		writes, err := j.decode(c.format)
		if err != nil {
			return nil, fmt.Errorf("ingest: %w", err)
		}
		return slices.Clone(writes), nil
	}
}
