package table

import (
	"fmt"
	"time"

	"github.com/slipstream-go/slipstream/server/wal"
)

// Carrier remembers what records brought besides rows, for longer than the log has the records.
// Before the log releases them, what must outlive them is written to the log's end. So after a
// crash at any point the log has all of it, once or twice.
type Carrier interface {
	// Recall is called at a start for each record of the types wal.Data and wal.Carried, in the
	// order of the log. The record is lent.
	Recall(r *wal.Record) error

	// Carry returns the payload of a record of the type wal.Carried that has what must outlive the
	// records up to `to`, and the function that is called with the number of that record once it is
	// on disk; nil and nil if there is nothing.
	Carry(to uint64) (payload []byte, done func(seq uint64))
}

// carry has the log's end say what must outlive the records up to `to`.
func (s *Store) carry(to uint64) error {
	if s.o.Carrier == nil {
		return nil
	}
	payload, done := s.o.Carrier.Carry(to)
	if len(payload) == 0 {
		return nil
	}
	r := wal.Record{Type: wal.Carried, Time: time.Now().UnixMicro(), Payload: payload}
	if err := s.log.Append(&r); err != nil {
		return err
	}
	done(r.Seq)
	return nil
}

func (s *Store) recall(r *wal.Record) error {
	if s.o.Carrier == nil {
		return nil
	}
	if err := s.o.Carrier.Recall(r); err != nil {
		return fmt.Errorf("table: record %d of the log: %w", r.Seq, err)
	}
	return nil
}

// SegmentBytes returns the size of a segment of the log, which is scaled to the volume.
func (s *Store) SegmentBytes() int64 { return s.log.SegmentBytes() }
