package table

import (
	"fmt"
	"time"

	"github.com/slipstream-go/slipstream/server/wal"
)

// The types of the store's records. They are part of the log's format.
const (
	typeRows    wal.Type = 1 // rows as they were received
	typeIntent  wal.Type = 2 // an Intent note: files that are about to be created
	typeLanded  wal.Type = 3 // a Landed note: files that were created
	typeCarried wal.Type = 5 // data that is needed longer than its record: see Carrier
)

// Carrier keeps data from records for a longer time than the log keeps the records. Before the log
// releases records, this data is written again at the end of the log. So after a crash, the log
// contains all of the data once or twice.
type Carrier interface {
	// Recall is called at start for each record of rows and each record from Carry, in the order of
	// the log. The argument `carried` is true for a record from Carry. The record is valid until
	// Recall returns.
	Recall(r *wal.Record, carried bool) error

	// Carry returns the payload of a new record. The payload contains data from the records up to
	// the sequence number `to` that must outlive these records. When the new record is on disk, the
	// store calls the function `done` with its sequence number. If there is no such data, Carry
	// returns nil and nil.
	Carry(to uint64) (payload []byte, done func(seq uint64))
}

// carry appends to the log the data that must outlive the records up to the sequence number `to`.
func (s *Store) carry(to uint64) error {
	if s.o.Carrier == nil {
		return nil
	}
	payload, done := s.o.Carrier.Carry(to)
	if len(payload) == 0 {
		return nil
	}
	r := wal.Record{Type: typeCarried, Time: time.Now().UnixMicro(), Payload: payload}
	if err := s.append(&r); err != nil {
		return err
	}
	done(r.Seq)
	return nil
}

func (s *Store) recall(r *wal.Record) error {
	if s.o.Carrier == nil {
		return nil
	}
	if err := s.o.Carrier.Recall(r, r.Type == typeCarried); err != nil {
		return fmt.Errorf("table: record %d of the log: %w", r.Seq, err)
	}
	return nil
}

// SegmentBytes returns the size of the log's segments. This size depends on the size of the volume.
func (s *Store) SegmentBytes() int64 { return s.log.SegmentBytes() }
