package sim

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/server/disk/faulty"
	"github.com/slipstream-go/slipstream/server/queue"
	"github.com/slipstream-go/slipstream/server/wal"
)

const queueDir = "/queue"

// TestQueue puts items of some tenants, whose targets answer as they like, fail, and are away.
func TestQueue(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		m := &items{world: w, fates: make(map[string]fate), delivered: make(map[string]int), refusals: make(map[string]bool), last: make(map[string]uint64)}
		for range 1 + w.r.IntN(4) {
			m.live()
		}
		m.end()
	})
}

// items is a world with a queue.
type items struct {
	*world
	mu        sync.Mutex
	put       int
	fates     map[string]fate // by body
	delivered map[string]int
	refusals  map[string]bool   // bodies that the target refused
	last      map[string]uint64 // the order of the last item of each tenant that was delivered in this life
	lives     int
	sound     bool // the target takes everything
}

func (m *items) open(r *rand.Rand) (*queue.Queue, error) {
	clear(m.last)
	m.lives++
	life := m.lives
	target := rand.New(rand.NewPCG(m.r.Uint64(), 0))
	return queue.Open(queueDir, queue.Options{
		WAL: wal.Options{
			Disk: m.disk, SegmentBytes: int64(1<<10 + r.IntN(16<<10)),
			MinFree: []int64{0, 20 << 10}[r.IntN(2)], Reserve: []int64{0, 30 << 10}[r.IntN(2)],
		},
		Workers: 1 + r.IntN(4), MaxSlow: 1 + r.IntN(8), MaxJoinItems: 1 + r.IntN(20), MaxJoinBytes: int64(1 + r.IntN(4<<10)),
		Memory: []int64{-1, 1 << 10, 0}[r.IntN(3)], MaxBytes: []int64{0, 64 << 10}[r.IntN(2)],
		Logger: slog.New(slog.DiscardHandler),
		Deliver: func(ctx context.Context, tenant string, all []*queue.Item) queue.Verdict {
			return m.deliver(ctx, target, life, tenant, all)
		},
	})
}

// deliver is the target. Each call is of one tenant, and the items are in their order.
func (m *items) deliver(ctx context.Context, r *rand.Rand, life int, tenant string, all []*queue.Item) queue.Verdict {
	m.mu.Lock()
	takes := time.Duration(1 + r.Int64N(int64(200*time.Millisecond)))
	if r.IntN(20) == 0 {
		takes = time.Duration(r.Int64N(int64(time.Minute)))
	}
	answer := r.IntN(10)
	alive := m.lives == life
	m.mu.Unlock()
	select {
	case <-time.After(takes):
	case <-ctx.Done():
		return queue.Verdict{Err: ctx.Err()}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if !alive || m.lives != life { // the process has ended meanwhile
		return queue.Verdict{Err: errors.New("the process has ended")}
	}
	for _, it := range all {
		switch {
		case it.Tenant != tenant:
			m.t.Errorf("an item of %s in a call of %s", it.Tenant, tenant)
		case it.Order <= m.last[tenant] && m.last[tenant] > 0 && !m.redelivered(it):
			m.t.Errorf("%s came after an item of a later order", it.Body)
		}
	}
	switch {
	case m.sound:
	case answer == 0:
		return queue.Verdict{Err: errors.New("503"), After: time.Duration(r.Int64N(int64(10 * time.Second)))}
	case answer == 1:
		return queue.Verdict{Err: errors.New("429"), Fewer: true}
	case answer == 2 && len(all) > 1:
		return queue.Verdict{Kind: queue.TooLarge, Err: errors.New("413")}
	case answer == 3:
		if len(all) == 1 {
			m.refusals[string(all[0].Body)] = true
		}
		return queue.Verdict{Kind: queue.Refused, Err: errors.New("400")}
	case answer == 4: // the target took it, and its answer was lost
		for _, it := range all {
			m.delivered[string(it.Body)]++
		}
		return queue.Verdict{Err: errors.New("timeout"), Fewer: r.IntN(2) == 0}
	}
	for _, it := range all {
		m.delivered[string(it.Body)]++
		m.last[tenant] = it.Order
	}
	return queue.Verdict{Kind: queue.Delivered}
}

// redelivered reports whether an item was delivered before, as after a lost answer.
func (m *items) redelivered(it *queue.Item) bool { return m.delivered[string(it.Body)] > 0 }

// live is a life of the service, on a disk that may fail.
func (m *items) live() {
	m.faults(queueDir)
	q, err := m.open(m.r)
	if err != nil {
		m.say("it does not start: %v", err)
		m.next()
		return
	}
	var clients sync.WaitGroup
	for range 1 + m.r.IntN(4) {
		r := rand.New(rand.NewPCG(m.r.Uint64(), 0))
		clients.Go(func() { m.client(q, r) })
	}
	clients.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(m.r.IntN(30))*time.Second)
	defer cancel()
	if m.crashed() {
		cancel()
	}
	err = q.Close(ctx)
	m.say("%d items so far; closed: %v", m.put, err)
	m.mu.Lock()
	m.lives++
	m.mu.Unlock()
	m.next()
}

// client puts items.
func (m *items) client(q *queue.Queue, r *rand.Rand) {
	for range r.IntN(60) {
		time.Sleep(time.Duration(r.Int64N(int64(500 * time.Millisecond))))
		if m.crashed() {
			return
		}
		m.mu.Lock()
		all := make([]queue.Item, 1+r.IntN(5))
		for i := range all {
			m.put++
			all[i] = queue.Item{Tenant: fmt.Sprint("tenant", r.IntN(4)), Codec: uint8(r.IntN(2)), Note: [4]uint32{uint32(r.IntN(3))},
				Body: fmt.Appendf(nil, "%d %s", m.put, strings.Repeat("x", r.IntN(300)))}
		}
		m.mu.Unlock()
		err := q.Put(all)
		f := acknowledged
		switch {
		case errors.Is(err, wal.ErrFailed):
			f = unknown
		case err != nil:
			f = refused
		}
		m.mu.Lock()
		for _, it := range all {
			m.fates[string(it.Body)] = f
		}
		m.mu.Unlock()
	}
}

// end is the last life, on a sound disk and with a sound target, and the comparison of what was delivered with what should be.
func (m *items) end() {
	m.disk.Set(faulty.Options{})
	m.sound = true
	q, err := m.open(m.r)
	if err != nil {
		m.fatal("a queue on a sound disk does not start: %v", err)
	}
	for began := time.Now(); q.Stats().Items > 0; time.Sleep(time.Second) {
		if time.Since(began) > time.Hour {
			m.fatal("%d items are not delivered", q.Stats().Items)
		}
	}
	if err := q.Close(context.Background()); err != nil {
		m.fatal("%v", err)
	}
	for body, f := range m.fates {
		switch n := m.delivered[body]; {
		case f == acknowledged && n == 0 && !m.refusals[body]:
			m.fatal("%.20s was acknowledged and not delivered", body)
		case f == refused && n > 0:
			m.fatal("%.20s was refused and delivered", body)
		}
	}
	for body := range m.delivered {
		if _, known := m.fates[body]; !known {
			m.fatal("%.20s was never put", body)
		}
	}
}
