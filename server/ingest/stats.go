package ingest

import "sync/atomic"

// counters are what a request adds to.
type counters struct {
	outcomes [outcomes]atomic.Int64
	rows     atomic.Int64
	rejected atomic.Int64
	bytes    atomic.Int64
	unsaved  atomic.Int64
}

func (c *counters) count(o Outcome) { c.outcomes[o].Add(1) }

func (c *counters) stored(rows, rejected, bytes int) {
	c.rows.Add(int64(rows))
	c.rejected.Add(int64(rejected))
	c.bytes.Add(int64(bytes))
}

// Stats are what the write endpoints have done since the start, and what schemas there are.
type Stats struct {
	Outcomes [outcomes]int64 // requests, by Outcome
	Rows     int64           // that the log has, or for durability=async will have
	Rejected int64           // rows of partial requests
	Bytes    int64           // of bodies, as received, whose rows were taken
	InFlight int64           // bytes of bodies in hand
	Versions int             // of schemas that are registered
	Unsaved  int64           // changes of these that could not be written
	Ready    bool
}

// Stats are the present counts.
func (h *Handler) Stats() Stats {
	s := Stats{
		Rows: h.counters.rows.Load(), Rejected: h.counters.rejected.Load(), Bytes: h.counters.bytes.Load(),
		InFlight: h.flight.Used(), Unsaved: h.counters.unsaved.Load(),
	}
	reason, _ := h.unready()
	s.Ready = reason == ""
	s.Versions, _ = h.schemas.count()
	for i := range s.Outcomes {
		s.Outcomes[i] = h.counters.outcomes[i].Load()
	}
	return s
}
