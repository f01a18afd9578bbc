package load

import "time"

// tally contains the counts of one worker, or of all workers together.
type tally struct {
	acknowledged int64 // rows or series
	inDoubt      int64 // rows or series with an unknown outcome; counted again for each repeated request
	bytes        int64 // bytes of acknowledged requests
	plain        int64 // size of the bodies of these requests before compression
	requests     int64 // requests with a reply of any status
	statuses     map[int]int64
	retries      int64
	errors       int64
	connections  int64
	firstError   string // first error or unsuccessful reply
	latency      histogram
}

func newTally() *tally { return &tally{statuses: make(map[int]int64)} }

func (t *tally) answered(status int) {
	t.requests++
	t.statuses[status]++
}

func (t *tally) acknowledge(r *request, took time.Duration) {
	t.acknowledged += int64(r.rows)
	t.bytes += int64(len(r.wire))
	t.plain += int64(r.plain)
	t.latency.add(took)
}

// note records an error, unless an earlier error has been recorded.
func (t *tally) note(what string) {
	if t.firstError == "" {
		t.firstError = what
	}
}

func (t *tally) merge(o *tally) {
	t.acknowledged += o.acknowledged
	t.inDoubt += o.inDoubt
	t.bytes += o.bytes
	t.plain += o.plain
	t.requests += o.requests
	for status, n := range o.statuses {
		t.statuses[status] += n
	}
	t.retries += o.retries
	t.errors += o.errors
	t.connections += o.connections
	t.note(o.firstError)
	t.latency.merge(&o.latency)
}
