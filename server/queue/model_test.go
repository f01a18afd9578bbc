package queue

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/server/testkit"
)

// model is a simple model of a queue: for each tenant, all items that were put, and the position of
// the next delivery.
type model struct {
	t   *testing.T
	rnd *rand.Rand

	mu          sync.Mutex
	tenants     map[string]*history
	incarnation int   // counts restarts; verdicts for earlier queues are ignored
	settled     int64 // items that verdicts of this incarnation removed from the queue
}

type history struct {
	ids   []string
	bad   map[string]bool // items that the target rejects
	dead  bool
	next  int // number of ids that are complete
	done  int // number of ids that were complete before a crash; some of them may be delivered again
	noted int // number of ids that are never delivered again; noted ≤ next ≤ done, or done ≤ next
}

func (m *model) tenant(name string) *history {
	h := m.tenants[name]
	if h == nil {
		h = &history{bad: map[string]bool{}}
		m.tenants[name] = h
	}
	return h
}

// verdict compares a delivery with the model: it must contain the next items. Items that were
// complete before a crash may be missing.
func (m *model) verdict(incarnation int, name string, ids []string) Verdict {
	m.mu.Lock()
	defer m.mu.Unlock()
	if incarnation != m.incarnation {
		return Verdict{Err: errDown}
	}
	h := m.tenant(name)
	next := h.next
	for _, id := range ids {
		at := slices.Index(h.ids, id)
		if at < next || at > max(next, h.done) {
			m.t.Errorf("%s got %v, due are %v, up to %d may be left out", name, ids, h.ids[h.next:], h.done-h.next)
		}
		next = at + 1
	}
	if h.dead || m.rnd.IntN(10) == 0 {
		return Verdict{Err: errDown}
	}
	v := Verdict{Kind: Delivered}
	if slices.ContainsFunc(ids, func(id string) bool { return h.bad[id] }) {
		v.Kind = Refused
	}
	if v.Kind == Delivered || len(ids) == 1 {
		h.next = next
		m.settled += int64(len(ids))
	}
	return v
}

// restarted begins a new incarnation. If the argument `noted` is true, it keeps the progress of
// each tenant. Otherwise it returns to the progress in the last progress note.
func (m *model) restarted(noted bool) {
	m.incarnation++
	m.settled = 0
	for _, h := range m.tenants {
		h.done = max(h.done, h.next)
		if noted {
			h.noted = h.next
		}
		h.next = h.noted
	}
}

// crash copies the log at a moment without verdicts. It does not close q.
func (m *model) crash(q *Queue, dir string, noted bool) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if noted {
		eventually(m.t, "the queue has heard all verdicts", func() bool {
			st := q.Stats()
			return st.Delivered.Items+st.Refused.Items == m.settled
		})
		q.mu.Lock()
		for _, tn := range q.tenants { // the keeper may be about to note the progress of some tenants
			q.markDone(tn)
		}
		q.mu.Unlock()
		if err := q.note(); err != nil {
			m.t.Fatal(err)
		}
	}
	dir = crash(m.t, dir)
	m.restarted(noted)
	return dir
}

// The queue agrees with the model during random sequences of operations.
func TestModel(t *testing.T) {
	moved := int64(0)
	for seed := range uint64(12) {
		m := &model{t: t, rnd: rand.New(rand.NewPCG(seed, 1)), tenants: map[string]*history{}}
		rnd := rand.New(rand.NewPCG(seed, 2))
		open := func(dir string) *Queue {
			g, incarnation := newTarget(), m.incarnation
			g.verdict = func(tenant string, ids []string) Verdict { return m.verdict(incarnation, tenant, ids) }
			o := testOptions(g)
			o.Workers, o.MaxJoinItems, o.MaxJoinBytes = 1+rnd.IntN(5), 1+rnd.IntN(6), 1+rnd.Int64N(4000)
			o.Memory = rnd.Int64N(40_000) - 10_000
			o.WAL.SegmentBytes = 4_000 + rnd.Int64N(20_000)
			o.noteInterval = time.Duration(1+rnd.IntN(30)) * time.Millisecond
			return mustOpen(t, dir, o)
		}
		some := func() string { return fmt.Sprint("t", rnd.IntN(6)*rnd.IntN(3)) }
		dir := testkit.MemDir(t)
		q := open(dir)
		put := 0
		for range 400 {
			switch n := rnd.IntN(100); {
			case n < 80:
				var items []Item
				m.mu.Lock()
				for range 1 + rnd.IntN(5) {
					put++
					id, name := fmt.Sprint(put), some()
					h := m.tenant(name)
					h.ids = append(h.ids, id)
					h.bad[id] = rnd.IntN(12) == 0
					items = append(items, Item{Tenant: name, Codec: uint8(rnd.IntN(8) / 7), Body: body(id, rnd.IntN(1000))})
				}
				m.mu.Unlock()
				mustPut(t, q, items...)
			case n < 94:
				m.mu.Lock()
				h := m.tenant(some())
				h.dead = !h.dead
				m.mu.Unlock()
			case n < 96:
				moved += q.Stats().Rewritten
				mustClose(t, q)
				m.restarted(true)
				q = open(dir)
			case n < 98:
				moved += q.Stats().Rewritten
				dir = m.crash(q, dir, n == 96)
				closeNow(q)
				q = open(dir)
			default:
				checkStats(t, q)
				time.Sleep(3 * time.Millisecond)
			}
			if t.Failed() {
				checkStats(t, q)
				t.Fatalf("seed %d, after %d items", seed, put)
			}
		}
		m.mu.Lock()
		for _, h := range m.tenants {
			h.dead = false
		}
		m.mu.Unlock()
		drained(t, q)
		checkStats(t, q)
		moved += q.Stats().Rewritten
		mustClose(t, q)
		m.restarted(true)
		for name, h := range m.tenants {
			if max(h.next, h.done) != len(h.ids) {
				t.Errorf("seed %d: %s was not given %v", seed, name, h.ids[h.next:])
			}
		}
		q = open(dir)
		if st := q.Stats(); st.Taken.Items != 0 {
			t.Errorf("seed %d: after a restart %+v", seed, st)
		}
		mustClose(t, q)
	}
	if moved < 10_000 {
		t.Errorf("only %d bytes were moved", moved)
	}
}
