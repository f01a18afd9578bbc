package sim

import (
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"github.com/slipstream-go/slipstream/server/wal"
)

// carrier remembers each record forever, by its first row. The service similarly remembers keys of
// requests for a while.
type carrier struct {
	mu   sync.Mutex
	seqs map[int64]uint64 // sequence number of the record, by the id of its first row
}

func newCarrier() *carrier { return &carrier{seqs: make(map[int64]uint64)} }

func (c *carrier) add(seq uint64, ids ...int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range ids {
		c.seqs[id] = max(c.seqs[id], seq)
	}
}

// Recall implements table.Carrier.
func (c *carrier) Recall(r *wal.Record, carried bool) error {
	if !carried {
		c.commit(r)
		return nil
	}
	var ids []int64
	if err := json.Unmarshal(r.Payload, &ids); err != nil {
		return err
	}
	c.add(r.Seq, ids...)
	return nil
}

// commit remembers a record of rows.
func (c *carrier) commit(r *wal.Record) {
	var rows []row
	if err := json.Unmarshal(r.Payload, &rows); err != nil {
		panic(err)
	}
	c.add(r.Seq, rows[0].ID)
}

// stored returns the function that is called when the append of r has ended.
func (c *carrier) stored(r *wal.Record) func(error) {
	return func(err error) {
		if err == nil {
			c.commit(r)
		}
	}
}

// Carry implements table.Carrier.
func (c *carrier) Carry(to uint64) ([]byte, func(uint64)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var ids []int64
	for _, id := range slices.Sorted(maps.Keys(c.seqs)) {
		if c.seqs[id] <= to {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	payload, err := json.Marshal(ids)
	if err != nil {
		panic(err)
	}
	return payload, func(seq uint64) { c.add(seq, ids...) }
}

// recalled checks the records that were recalled since the last start of the service. They must
// include all records that were acknowledged before that start, and no rejected record.
func (m *tables) recalled(c *carrier) {
	c.mu.Lock()
	defer c.mu.Unlock()
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, f := range m.firsts {
		switch _, there := c.seqs[id]; {
		case f == Acknowledged && !there:
			m.Fatal("the log has forgotten the record of row %d, which was acknowledged", id)
		case f == Refused && there:
			m.Fatal("the log has the record of row %d, which was refused", id)
		}
	}
}
