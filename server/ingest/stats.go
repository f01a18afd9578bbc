package ingest

import (
	"maps"
	"slices"
	"sync/atomic"

	"github.com/slipstream-go/slipstream/server/latency"
	"github.com/slipstream-go/slipstream/server/refusal"
	"github.com/slipstream-go/slipstream/server/rows"
)

// counters contains the counters that requests increase.
type counters struct {
	outcomes [refusal.Outcomes]atomic.Int64
	rows     atomic.Int64
	rejected atomic.Int64
	bytes    atomic.Int64
	unsaved  atomic.Int64
	again    atomic.Int64

	latencies map[string]*latencies // latencies by route; the map is not changed after the first request
}

func (c *counters) count(o refusal.Outcome) { c.outcomes[o].Add(1) }

func (c *counters) stored(rows, rejected, bytes int) {
	c.rows.Add(int64(rows))
	c.rejected.Add(int64(rejected))
	c.bytes.Add(int64(bytes))
}

// Stats contains counters of the write endpoints since the start, and the number of schemas.
type Stats struct {
	Outcomes [refusal.Outcomes]int64 // number of requests, by Outcome
	Rows     int64                   // rows stored in the log, or queued for it with durability=async
	Rejected int64                   // rejected rows of partial requests
	Bytes    int64                   // received bytes of bodies whose rows were accepted
	InFlight int64                   // memory, in bytes, that the bodies of current requests use
	Versions int                     // number of registered versions of all schemas
	Unsaved  int64                   // number of changes of schemas that could not be written to disk
	Ready    bool

	Again     int64 // number of requests that were not stored, because a request with the same key was stored before
	Keys      int   // number of remembered keys of stored requests
	Forgotten int64 // number of keys that were forgotten before their window ended

	Latencies []Latency // only for combinations of route and format that were used
}

// Latency contains the latencies of requests by route and format. The format is empty if a request
// contains no rows, or if its format is unknown.
type Latency struct {
	Route, Format string
	latency.Snapshot
}

// Stats returns the current counters.
func (h *Handler) Stats() Stats {
	s := Stats{
		Rows: h.counters.rows.Load(), Rejected: h.counters.rejected.Load(), Bytes: h.counters.bytes.Load(),
		InFlight: h.flight.Used(), Unsaved: h.counters.unsaved.Load(),
	}
	reason, _ := h.unready()
	s.Ready = reason == ""
	s.Versions, _ = h.schemas.Count()
	s.Again = h.counters.again.Load()
	if h.batches != nil {
		s.Keys, s.Forgotten = h.batches.stats()
	}
	for i := range s.Outcomes {
		s.Outcomes[i] = h.counters.outcomes[i].Load()
	}
	for _, route := range slices.Sorted(maps.Keys(h.counters.latencies)) {
		took := h.counters.latencies[route]
		for _, f := range append([]*rows.Format{{}}, formats...) {
			if n := took[f.Code].Read(); n.Count > 0 {
				s.Latencies = append(s.Latencies, Latency{route, f.Name, n})
			}
		}
	}
	return s
}
