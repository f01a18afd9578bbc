package queue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/server/testkit"
	"github.com/slipstream-go/slipstream/server/wal"
)

var errDown = errors.New("the target is down")

// target receives the deliveries of the tests' queues. Each body is an ID with padding.
type target struct {
	verdict func(tenant string, ids []string) Verdict // nil: everything is delivered
	alive   atomic.Bool                               // for deadTarget: the tenant "dead" has recovered

	mu    sync.Mutex
	held  bool // all calls fail, and are not counted
	busy  map[string]bool
	got   map[string][]string // IDs of delivered items, by tenant
	calls map[string][]int    // number of items of each call, whatever its verdict
}

func newTarget() *target {
	return &target{busy: map[string]bool{}, got: map[string][]string{}, calls: map[string][]int{}}
}

func (g *target) deliver(_ context.Context, tenant string, items []*Item) Verdict {
	var ids []string
	for i, it := range items {
		ids = append(ids, idOf(it.Body))
		if it.Tenant != tenant || it.Codec != items[0].Codec || i > 0 && it.Order <= items[i-1].Order || it.Time.IsZero() {
			panic(fmt.Sprintf("for %s: item %d is %+v", tenant, i, it))
		}
	}
	g.mu.Lock()
	if g.held {
		g.mu.Unlock()
		return Verdict{Err: errDown}
	}
	if g.busy[tenant] {
		panic("two calls for " + tenant + " at a time")
	}
	g.busy[tenant] = true
	g.calls[tenant] = append(g.calls[tenant], len(items))
	g.mu.Unlock()
	v := Verdict{Kind: Delivered}
	if g.verdict != nil {
		v = g.verdict(tenant, ids)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.busy[tenant] = false
	if v.Kind == Delivered {
		g.got[tenant] = append(g.got[tenant], ids...)
	}
	return v
}

func (g *target) delivered(tenant string) []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.got[tenant])
}

// body returns an ID, padded to size bytes.
func body(id string, size int) []byte {
	return []byte(id + "/" + strings.Repeat(".", max(0, size-len(id)-1)))
}

func idOf(body []byte) string {
	id, _, ok := strings.Cut(string(body), "/")
	if !ok {
		panic(fmt.Sprintf("the body %q has no ID", body))
	}
	return id
}

func testOptions(g *target) Options {
	return Options{
		WAL:     wal.Options{SegmentBytes: 64 << 10},
		Deliver: g.deliver, Workers: 4, MaxJoinItems: 1,
		Logger:       slog.New(slog.DiscardHandler),
		noteInterval: 20 * time.Millisecond, reportInterval: 20 * time.Millisecond, firstPause: time.Millisecond, longestPause: 10 * time.Millisecond,
	}
}

// mustOpen opens the queue in dir. The end of the test closes it, unless it is already closed.
func mustOpen(t testing.TB, dir string, o Options) *Queue {
	t.Helper()
	q, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeNow(q) })
	return q
}

func mustPut(t testing.TB, q *Queue, items ...Item) {
	t.Helper()
	if err := q.Put(items); err != nil {
		t.Fatal(err)
	}
}

// closeNow closes the queue without waiting for deliveries.
func closeNow(q *Queue) error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return q.Close(ctx)
}

func mustClose(t testing.TB, q *Queue) {
	t.Helper()
	if err := closeNow(q); err != nil {
		t.Fatal(err)
	}
}

var eventually = testkit.Eventually

func drained(t testing.TB, q *Queue) {
	t.Helper()
	eventually(t, "all items leave", func() bool { return q.Stats().Items == 0 })
}

// checkStats compares the totals of a queue with each other, with the lines of its tenants, and
// with its segments.
func checkStats(t testing.TB, q *Queue) {
	t.Helper()
	q.mu.Lock()
	defer q.mu.Unlock()
	out := int64(0)
	for _, c := range q.counts {
		out += c.Items
	}
	if q.counts[damaged].Items > 0 {
		t.Logf("DAMAGE %+v", q.blamed[damaged])
	}
	items, coming, bytes, memory, inSegments, live := 0, 0, int64(0), int64(0), 0, int64(0)
	for name, tn := range q.tenants {
		own := int64(0)
		for i, it := range tn.items {
			own += it.cost()
			memory += int64(len(it.body))
			if it.tenant != tn || it.gone || it.segment == nil && !it.lost || i > 0 && it.order <= tn.items[i-1].order {
				t.Errorf("item %d of %s is %+v", i, name, it)
			}
		}
		if coming += tn.coming; coming == 0 && own != tn.bytes {
			t.Errorf("%s has %d bytes, and says %d", name, own, tn.bytes)
		}
		if (len(tn.items)+tn.coming == 0 && tn.state == idle) != (tn.idle != nil) {
			t.Errorf("%s rests with %d items", name, len(tn.items))
		}
		items += len(tn.items)
		bytes += own
	}
	for _, s := range q.segments {
		own := int64(0)
		for it := s.ring.next; it != &s.ring; it = it.next {
			inSegments++
			own += it.disk()
		}
		if live += own; own != s.live {
			t.Errorf("segment %d has %d live bytes, and says %d", s.number, own, s.live)
		}
	}
	lost := 0
	for _, tn := range q.tenants {
		for _, it := range tn.items {
			if it.lost {
				lost++
			}
		}
	}
	if items != q.items || q.taken.Items != out+int64(items) || inSegments+lost != items || live != q.live ||
		coming == 0 && (bytes != q.bytes || memory != q.memory) {
		t.Errorf("%d items in line, %d in segments, %d counted; %d taken, %d out; bytes %d/%d, memory %d/%d, live %d/%d",
			items, inSegments, q.items, q.taken.Items, out, bytes, q.bytes, memory, q.memory, live, q.live)
	}
}

// crash copies the files that a crash at this moment would leave in the queue's directory dir.
func crash(t testing.TB, dir string) string {
	t.Helper()
	for {
		before, to := names(t, dir), testkit.MemDir(t)
		err := os.CopyFS(to, os.DirFS(dir))
		if slices.Equal(names(t, dir), before) { // otherwise a segment appeared or disappeared during the copy
			if err != nil {
				t.Fatal(err)
			}
			return to
		}
	}
}

func names(t testing.TB, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// ids returns the IDs from prefix+from to prefix+to.
func ids(prefix string, from, to int) []string {
	var all []string
	for i := from; i <= to; i++ {
		all = append(all, fmt.Sprint(prefix, i))
	}
	return all
}
