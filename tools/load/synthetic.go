package load

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// source supplies a worker with requests. The worker may use a request until it asks for the next
// one.
type source interface {
	// next waits for the next request and returns it. It returns an error if there are no more
	// requests, or if ctx is done.
	next(ctx context.Context) (*request, error)
}

// kinds lists the kinds of telemetry. Tables are named after them.
var kinds = [...]string{"cpu", "mem", "disk", "net"}

// tableName returns the name of synthetic table i: cpu, mem, disk, net, cpu_2, mem_2, …
func tableName(i int) string {
	name := kinds[i%len(kinds)]
	if round := i / len(kinds); round > 0 {
		name += "_" + strconv.Itoa(round+1)
	}
	return name
}

// clock returns times that are used only once. They differ by at least a microsecond. So if a table
// gets more than a million rows per second, its clock runs ahead of the wall clock.
type clock struct{ next atomic.Int64 }

// take reserves n consecutive times, and returns the first. This is the argument `now` or the time
// after the last reserved time, whichever is later.
func (c *clock) take(now int64, n int) int64 {
	for {
		last := c.next.Load()
		start := max(now, last)
		if c.next.CompareAndSwap(last, start+int64(n)) {
			return start
		}
	}
}

// synthetic is a source of prepared telemetry. It returns its requests in turn, and starts from the
// beginning after the last request.
type synthetic struct {
	requests []*request
	at       int
	clocks   []clock // one clock per table, shared by all workers; nil if the times do not change
}

func (s *synthetic) next(ctx context.Context) (*request, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r := s.requests[s.at]
	if s.at++; s.at == len(s.requests) {
		s.at = 0
	}
	if s.clocks != nil {
		r.setTimes(s.clocks[r.table].take(time.Now().UnixMicro(), r.rows))
	}
	return r, nil
}

// newSynthetic builds the requests of all workers. Each worker has its own range of requests,
// because times are changed in place. The content of the requests depends only on the options. The
// times start at the argument `now`.
func newSynthetic(t *target, o *Options, now time.Time) ([]*synthetic, error) {
	var clocks []clock
	if o.UniqueTime && o.Compress == "none" {
		clocks = make([]clock, o.Tables)
	}
	sources := make([]*synthetic, o.Workers)
	errs := make([]error, o.Workers)
	var wg sync.WaitGroup
	for w := range sources {
		from, to := w*o.requests()/o.Workers, (w+1)*o.requests()/o.Workers
		sources[w] = &synthetic{requests: make([]*request, 0, to-from), clocks: clocks}
		wg.Go(func() { errs[w] = sources[w].make(t, o, from, to, now.UnixMicro()) })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return sources, nil
}

// make builds the requests with the indexes [from, to).
func (s *synthetic) make(t *target, o *Options, from, to int, now int64) error {
	b, err := newBuilder(t, o)
	if err != nil {
		return err
	}
	var f filler
	for i := from; i < to; i++ {
		fillSynthetic(&f, o, uint64(i), now)
		if f.err != nil {
			return f.err
		}
		table := i % o.Tables
		r, err := b.build(tableName(table), &f.batch)
		if err != nil {
			return err
		}
		r.table = table
		s.requests = append(s.requests, r)
	}
	return nil
}

// fillSynthetic fills f with the rows of one request. In every form, all rows have the same length.
// The reason is that all host names have the same number of digits, and that numbers always occupy
// nine bytes.
func fillSynthetic(f *filler, o *Options, seed uint64, now int64) {
	rng := rand.New(rand.NewPCG(seed, 0))
	digits := max(3, len(strconv.Itoa(o.Hosts-1)))
	percent := func() float64 { return float64(rng.IntN(10_000)) / 100 }
	f.reset()
	for j := range o.Rows {
		f.time(now + int64(j))
		f.text("host", fmt.Sprintf("server%0*d", digits, rng.IntN(o.Hosts)))
		f.float64("value", percent())
		f.float64("cpu_idle", percent())
		f.float64("cpu_user", percent())
		f.closeRow()
	}
}
