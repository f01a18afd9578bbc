package sim

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/server/queue"
	"github.com/slipstream-go/slipstream/server/wal"
)

const (
	queueDir = "/queue"
	tenants  = 4
)

// queues puts items of several tenants into a queue. The tenants' targets respond at random times,
// fail, hang and are unreachable.
var queues = Plan{
	Seeds: 200,
	Life: func(w *World) {
		m := &items{World: w, delivered: make(map[string]int), refusals: make(map[string]bool), last: make(map[string]uint64), owner: make(map[string]string), settled: make(map[string]bool), flipped: make(map[string]bool)}
		w.Lives(4, m.live, m.end)
	},
	Meets: []string{
		"crash: start", "crash: put", "crash: close", "crash at Datasync", "crash at WriteVec", "crash at SyncDir", "crash at Rename", "crash at Sync",
		"Datasync fails: *", "WriteVec fails: *", "SyncDir fails: *", "Rename fails: *", "Open fails: *", "ReadAt fails: *", "Sync fails: *",
		"short WriteVec", "small disks", "slow disks", "lives that end with the process", "flipped bits", "lives beside a tenant that hangs",
		"items acknowledged", "items refused", "items of unknown fate", "starts that fail", "answers that are lost", "items that a target refuses", "deliveries after a restart", "ends in good order",
	},
}

func TestQueue(t *testing.T)        { Run(t, queues) }
func TestQueueReplays(t *testing.T) { Replays(t, queues, replayed...) }

// items is a world with a queue.
type items struct {
	*World
	mu        sync.Mutex
	n         int
	sets      []set             // all sets that were put
	owner     map[string]string // tenants, by body
	delivered map[string]int    // by body
	settled   map[string]bool   // bodies that the target confirmed before Close succeeded
	taken     []string          // bodies that the target confirmed since the last start
	refusals  map[string]bool   // bodies that the target rejected
	last      map[string]uint64 // by tenant: the order of the last item that was delivered since the last start
	lives     int
	sound     bool            // the target accepts all items
	hangs     string          // the tenant whose target does not respond until the next start
	flips     int             // number of bits of the log that were flipped
	flipped   map[string]bool // files in which a bit was flipped
	moved     bool            // records of the log may contain items of many sets
}

// set contains the items of one Put, and their fate.
type set struct {
	bodies []string
	fate   Fate
}

func (m *items) open(r *rand.Rand) (*queue.Queue, error) {
	clear(m.last)
	m.taken = nil
	m.lives++
	life := m.lives
	targets := make(map[string]*rand.Rand) // so that the outcomes of one tenant do not depend on the order in which goroutines run
	for i := range tenants {
		targets[fmt.Sprint("tenant", i)] = rand.New(rand.NewPCG(m.Rand.Uint64(), 0))
	}
	return queue.Open(queueDir, queue.Options{
		WAL: wal.Options{
			Disk: m.Disk, SegmentBytes: int64(1<<10 + r.IntN(16<<10)),
			MinFree: []int64{0, 20 << 10}[r.IntN(2)], Reserve: []int64{0, 30 << 10}[r.IntN(2)],
		},
		Workers: 1 + r.IntN(4), MaxSlow: 1 + r.IntN(8), MaxJoinItems: 1 + r.IntN(20), MaxJoinBytes: int64(1 + r.IntN(4<<10)),
		Memory: []int64{-1, 1 << 10, 0}[r.IntN(3)], MaxBytes: []int64{0, 64 << 10}[r.IntN(2)],
		Logger: slog.New(slog.DiscardHandler),
		Jitter: func(below time.Duration) time.Duration { return below / 2 },
		Deliver: func(ctx context.Context, tenant string, all []*queue.Item) queue.Verdict {
			return m.deliver(ctx, targets[tenant], life, tenant, all)
		},
	})
}

// deliver simulates the targets. Each call delivers items of one tenant, in their order.
func (m *items) deliver(ctx context.Context, r *rand.Rand, life int, tenant string, all []*queue.Item) queue.Verdict {
	m.mu.Lock()
	takes := time.Duration(1 + r.Int64N(int64(200*time.Millisecond)))
	if r.IntN(20) == 0 {
		takes = time.Duration(r.Int64N(int64(time.Minute)))
	}
	answer := r.IntN(10)
	alive := m.lives == life
	hangs := alive && tenant == m.hangs
	if hangs {
		takes = 15 * time.Second
	}
	m.mu.Unlock()
	select {
	case <-time.After(takes):
	case <-ctx.Done():
		return queue.Verdict{Err: ctx.Err()}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if !alive || m.lives != life { // the process has ended in the meantime
		return queue.Verdict{Err: errors.New("the process has ended")}
	}
	for _, it := range all {
		switch {
		case it.Tenant != tenant || m.owner[string(it.Body)] != tenant:
			m.T.Errorf("an item of %q, put for %q, in a call of %q: %.20s", it.Tenant, m.owner[string(it.Body)], tenant, it.Body)
		case m.settled[string(it.Body)] && m.flips == 0: // a flipped bit may have destroyed the record of a delivery
			m.T.Errorf("%.20s came again after an end in good order", it.Body)
		case it.Order <= m.last[tenant] && m.last[tenant] > 0 && !m.redelivered(it):
			m.T.Errorf("%.20s came after an item of a later order", it.Body)
		}
	}
	switch {
	case m.sound:
	case hangs:
		return queue.Verdict{Err: errors.New("timeout"), Fewer: true}
	case answer == 0:
		return queue.Verdict{Err: errors.New("503"), After: time.Duration(r.Int64N(int64(10 * time.Second)))}
	case answer == 1:
		return queue.Verdict{Err: errors.New("429"), Fewer: true}
	case answer == 2 && len(all) > 1:
		return queue.Verdict{Kind: queue.TooLarge, Err: errors.New("413")}
	case answer == 3:
		if len(all) == 1 {
			m.refusals[string(all[0].Body)] = true
			m.Count("items that a target refuses", 1)
		}
		return queue.Verdict{Kind: queue.Refused, Err: errors.New("400")}
	case answer == 4: // the target accepted the items, and its response was lost
		m.Count("answers that are lost", 1)
		for _, it := range all {
			m.delivered[string(it.Body)]++
		}
		return queue.Verdict{Err: errors.New("timeout"), Fewer: r.IntN(2) == 0}
	}
	for _, it := range all {
		m.delivered[string(it.Body)]++
		m.taken = append(m.taken, string(it.Body))
		m.last[tenant] = it.Order
	}
	if life > 1 {
		m.Count("deliveries after a restart", len(all))
	}
	return queue.Verdict{Kind: queue.Delivered}
}

// redelivered reports whether an item was delivered before, for example before a lost response.
func (m *items) redelivered(it *queue.Item) bool { return m.delivered[string(it.Body)] > 0 }

// live starts the service on a disk that may fail, uses it, and ends it.
func (m *items) live() {
	m.corrupt()
	var q *queue.Queue
	started := m.Begin(queueDir, "put", func() (err error) {
		m.hangs = ""
		if m.Rand.IntN(3) == 0 {
			m.hangs = "tenant0"
		}
		q, err = m.open(m.Rand)
		return err
	})
	if !started {
		return
	}
	var clients sync.WaitGroup
	for range 1 + m.Rand.IntN(4) {
		r := rand.New(rand.NewPCG(m.Rand.Uint64(), 0))
		clients.Go(func() { m.client(q, r) })
	}
	clients.Wait()
	if m.hangs != "" && m.Well && !m.Crashed() {
		m.beside(q)
	}
	m.Phase("close")
	ctx, cancel := m.Grace(30 * time.Second)
	defer cancel()
	err := q.Close(ctx)
	m.moved = m.moved || q.Stats().Rewritten > 0
	m.Say("%d items so far; closed: %v", m.n, err)
	m.mu.Lock()
	m.lives++
	if err == nil {
		m.Count("ends in good order", 1)
		for _, body := range m.taken {
			m.settled[body] = true
		}
	}
	m.mu.Unlock()
	m.Next()
}

// corrupt sometimes flips a bit of the log before the service starts.
func (m *items) corrupt() {
	if m.Rand.IntN(8) > 0 {
		return
	}
	m.Sound()
	entries, err := m.Disk.ReadDir(queueDir)
	if err != nil {
		return // the log does not exist
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return !strings.HasSuffix(e.Name(), ".wal") })
	if len(entries) == 0 {
		return
	}
	name, from := entries[m.Rand.IntN(len(entries))].Name(), int64(0)
	if m.flipped[name] {
		from = 64 // a segment begins with two copies of its header, and is lost without both
	}
	if m.Disk.Corrupt(queueDir+"/"+name, from, 1<<10) {
		m.Count("flipped bits", 1)
		m.Say("a bit of %s is flipped", name)
		m.flips++
		m.flipped[name] = true
	}
}

// beside checks that the items of all tenants are delivered, except those of the tenant whose
// target hangs.
func (m *items) beside(q *queue.Queue) {
	m.Count("lives beside a tenant that hangs", 1)
	m.Await(time.Hour, func() error {
		waiting := 0
		for st := range q.Tenants {
			if st.Tenant != m.hangs {
				waiting += st.Items
			}
		}
		if waiting == 0 || m.Crashed() {
			return nil
		}
		return fmt.Errorf("%d items wait for those of %s", waiting, m.hangs)
	})
}

// client puts items into the queue.
func (m *items) client(q *queue.Queue, r *rand.Rand) {
	for range r.IntN(60) {
		time.Sleep(time.Duration(r.Int64N(int64(500 * time.Millisecond))))
		if m.Crashed() {
			return
		}
		m.mu.Lock()
		all, s := make([]queue.Item, 1+r.IntN(5)), set{fate: Acknowledged}
		for i := range all {
			m.n++
			all[i] = queue.Item{Tenant: fmt.Sprint("tenant", r.IntN(tenants)), Codec: uint8(r.IntN(2)), Note: [4]uint32{uint32(r.IntN(3))},
				Body: fmt.Appendf(nil, "%d %s", m.n, strings.Repeat("x", r.IntN(300)))}
			body := string(all[i].Body)
			m.owner[body] = all[i].Tenant
			s.bodies = append(s.bodies, body)
		}
		m.mu.Unlock()
		err := q.Put(all)
		switch {
		case errors.Is(err, wal.ErrFailed):
			s.fate = Unknown
		case err != nil:
			s.fate = Refused
		}
		m.Count("items "+s.fate.String(), len(all))
		m.mu.Lock()
		m.sets = append(m.sets, s)
		m.mu.Unlock()
	}
}

// end starts the service for the last time, with a disk and targets that do not fail. It compares
// the delivered items with the expected items.
func (m *items) end() {
	m.Sound()
	m.Phase("end")
	m.sound, m.hangs = true, ""
	q, err := m.open(m.Rand)
	if err != nil {
		m.Fatal("a queue on a sound disk does not start: %v", err)
	}
	m.Await(time.Hour, func() error {
		if n := q.Stats().Items; n > 0 {
			return fmt.Errorf("%d items are not delivered", n)
		}
		return nil
	})
	if err := q.Close(context.Background()); err != nil {
		m.Fatal("%v", err)
	}
	lost := 0
	for _, s := range m.sets {
		missing := 0
		for _, body := range s.bodies {
			switch n := m.delivered[body]; {
			case s.fate == Refused && n > 0:
				m.Fatal("%.20s was refused and delivered", body)
			case n == 0 && !m.refusals[body]:
				missing++
			}
		}
		switch {
		case missing == 0 || s.fate == Refused || s.fate == Unknown && m.flips > 0:
		case m.flips > 0:
			lost += missing
		case s.fate == Acknowledged:
			m.Fatal("%d of %.20s and those with it were acknowledged and not delivered", missing, s.bodies[0])
		case missing < len(s.bodies):
			m.Fatal("of the items that were put with %.20s, %d of %d were delivered", s.bodies[0], len(s.bodies)-missing, len(s.bodies))
		}
	}
	if most := 5 * m.flips; lost > most && !m.moved { // a flipped bit destroys one record
		m.Fatal("%d items were lost by %d flipped bits", lost, m.flips)
	}
}
