package queue

import (
	"maps"
	"slices"
	"time"

	"github.com/slipstream-go/slipstream/server/wal"
)

// keep runs the keeper, the goroutine that does all work that need not be done immediately.
func (q *Queue) keep() {
	defer close(q.ended)
	tick := time.NewTicker(q.o.noteInterval)
	defer tick.Stop()
	reported := time.Now()
	for {
		var now time.Time // time of the tick; zero if there is no tick
		select {
		case <-q.ending:
		case now = <-tick.C:
		case <-q.nudge:
		}
		// Select chooses one of several pending events at random. So all pending events are handled
		// here, always in the same order.
		select {
		case <-q.ending:
			return
		default:
		}
		select {
		case <-q.nudge:
		default:
		}
		select {
		case now = <-tick.C:
		default:
		}
		if !now.IsZero() {
			q.expire(now)
			_ = q.note() // if that fails, the next tick tries again
			if now.Sub(reported) >= q.o.reportInterval {
				q.report()
				reported = now
			}
		}
		q.release()
		q.makeRoom()
	}
}

// wake wakes the keeper.
func (q *Queue) wake() {
	select {
	case q.nudge <- struct{}{}:
	default:
	}
}

// expire drops items that have waited longer than MaxAge.
func (q *Queue) expire(now time.Time) {
	if !q.o.DropOldest || q.o.MaxAge <= 0 {
		return
	}
	limit := now.Add(-q.o.MaxAge).UnixMicro()
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, t := range q.tenants {
		n := 0
		for _, it := range t.items[t.busy:] {
			if it.time >= limit {
				break
			}
			n++
		}
		if n > 0 {
			q.drop(t, n, tooOld)
			q.blame(tooOld, t, nil)
		}
	}
}

// note appends a progress note to the log. The note contains the progress of all tenants since the
// last note.
func (q *Queue) note() error {
	q.mu.Lock()
	unnoted := q.unnoted
	q.unnoted = make(map[string]uint64)
	q.mu.Unlock()
	if len(unnoted) == 0 {
		return nil
	}
	r := &wal.Record{Type: typeProgress, Codec: version, Time: time.Now().UnixMicro(), UseReserve: true}
	for _, tenant := range slices.Sorted(maps.Keys(unnoted)) {
		r.Payload = appendNote(r.Payload, tenant, unnoted[tenant])
	}
	err := q.append(r, func(*segment) {})
	if err == nil {
		return nil
	}
	q.mu.Lock()
	for tenant, to := range unnoted {
		q.unnoted[tenant] = max(q.unnoted[tenant], to)
	}
	q.mu.Unlock()
	q.o.Logger.Error("queue: recording deliveries failed; the same items will be delivered again after a restart", "error", err)
	return err
}
