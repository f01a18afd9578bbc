package queue

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slipstream-go/slipstream/server/disk"
	"github.com/slipstream-go/slipstream/server/testkit"
	"github.com/slipstream-go/slipstream/server/wal"
)

// The function stall makes deliveries wait until letGo is called.
func stall(o *Options) (letGo func()) {
	over, deliver := make(chan struct{}), o.Deliver
	o.Deliver = func(ctx context.Context, tenant string, items []*Item) Verdict {
		select {
		case <-over:
			return deliver(ctx, tenant, items)
		case <-ctx.Done():
			return Verdict{Err: ctx.Err()}
		}
	}
	return func() { close(over) }
}

func TestFull(t *testing.T) {
	g := newTarget()
	o := testOptions(g)
	letGo := stall(&o)
	o.MaxTenantBytes, o.MaxBytes = 3*(itemCost+100), 5*(itemCost+100)
	q := mustOpen(t, testkit.MemDir(t), o)
	item := func(tenant, id string) Item { return Item{Tenant: tenant, Body: body(id, 100)} }
	mustPut(t, q, item("a", "1"), item("a", "2"), item("a", "3"))
	full := func(want FullError, items ...Item) {
		t.Helper()
		err, got := q.Put(items), new(FullError)
		if !errors.Is(err, ErrFull) || !errors.As(err, &got) || *got != want || !strings.Contains(err.Error(), fmt.Sprintf("%q", want.Tenant)) {
			t.Errorf("%v, want %+v", err, want)
		}
		checkStats(t, q)
	}
	full(FullError{Tenant: "a", Held: 684, Limit: 684}, item("a", "4"))
	full(FullError{Tenant: "a", Held: 684, Limit: 684}, item("b", "1"), item("a", "4")) // Put accepts all items or none
	full(FullError{Tenant: "b", Held: 1140, Limit: 1140, All: true}, item("b", "1"), item("b", "2"), item("b", "3"))
	mustPut(t, q, item("b", "1"), item("b", "2"))
	full(FullError{Tenant: "c", Held: 1140, Limit: 1140, All: true}, Item{Tenant: "c"})
	if st := q.Stats(); st.Items != 5 || st.Bytes != 1140 || st.Taken.Items != 5 {
		t.Errorf("%+v", st)
	}
	letGo()
	drained(t, q)
	mustPut(t, q, item("c", "1"))
	drained(t, q)
	for tenant, want := range map[string][]string{"a": {"1", "2", "3"}, "b": {"1", "2"}, "c": {"1"}} {
		if got := g.delivered(tenant); !slices.Equal(got, want) {
			t.Errorf("%s got %v", tenant, got)
		}
	}
}

// The error of a Put names all full tenants. So a caller that leaves out the items of these tenants
// needs only one more Put, not one for each tenant.
func TestFullNamesEachTenant(t *testing.T) {
	g := newTarget()
	letGo := hold(g)
	o := testOptions(g)
	o.MaxTenantBytes = itemCost + 100
	q := mustOpen(t, testkit.MemDir(t), o)
	var items []Item
	for i := range 10 {
		items = append(items, Item{Tenant: fmt.Sprintf("t%d", i), Body: body("1", 100)})
	}
	mustPut(t, q, items[:9]...)
	err := q.Put(items)
	var full *FullError
	if !errors.As(err, &full) {
		t.Fatal(err)
	}
	var tenants []string
	for ; full != nil; full = full.Next {
		tenants = append(tenants, full.Tenant)
	}
	if want := strings.Fields("t0 t1 t2 t3 t4 t5 t6 t7 t8"); !slices.Equal(tenants, want) {
		t.Errorf("full are %v, want %v", tenants, want)
	}
	checkStats(t, q)
	mustPut(t, q, items[9])
	letGo()
	drained(t, q)
}

// With DropOldest, a tenant that exceeds a limit loses its own oldest items, and no other tenant
// loses any. The newest item is always kept.
func TestDropOldest(t *testing.T) {
	g := newTarget()
	o := testOptions(g)
	letGo := stall(&o)
	o.DropOldest, o.MaxTenantBytes, o.MaxBytes, o.MaxJoinItems = true, 10*(itemCost+100), 16*(itemCost+100), 4
	dir := testkit.MemDir(t)
	q := mustOpen(t, dir, o)
	put := func(tenant string, from, to int) {
		for i := from; i <= to; i++ {
			mustPut(t, q, Item{Tenant: tenant, Note: [4]uint32{uint32(i)}, Body: body(fmt.Sprint(i), 100)})
		}
	}
	put("a", 1, 6)
	put("b", 1, 13) // 3 are dropped because of b's own limit: 10 of b remain, 16 in total
	put("a", 7, 8)  // drops 2 items of a, because of the limit for all tenants
	for what, item := range map[string]Item{
		"larger than the tenant's bound":   {Tenant: "a", Body: make([]byte, 3000)},
		"no room, and nothing of its own":  {Tenant: "c"},
		"more than its own makes room for": {Tenant: "c", Body: make([]byte, 200)},
	} {
		if err := q.Put([]Item{item}); !errors.Is(err, ErrFull) {
			t.Errorf("%s: %v", what, err)
		}
	}
	checkStats(t, q)
	st := q.Stats()
	busy := int64(4) // workers hold up to this many items of each tenant; these are not dropped meanwhile
	if n := st.Dropped.Bytes.Items; n < 5 || n > 5+2*busy || int64(st.Items) != 21-n || st.Taken.Items != 21 {
		t.Errorf("%+v", st)
	}
	letGo()
	drained(t, q)
	for tenant, newest := range map[string]int{"a": 8, "b": 13} {
		if got := g.delivered(tenant); len(got) == 0 || got[len(got)-1] != fmt.Sprint(newest) || !slices.IsSortedFunc(got, byNumber) {
			t.Errorf("%s got %v", tenant, got)
		}
	}
	// Dropped items do not return after a restart.
	mustClose(t, q)
	q = mustOpen(t, dir, o)
	if st := q.Stats(); st.Taken.Items != 0 {
		t.Errorf("dropped items are there again: %+v", st)
	}
}

func byNumber(a, b string) int {
	return strings.Compare(fmt.Sprintf("%9s", a), fmt.Sprintf("%9s", b))
}

// Items that Deliver currently holds are kept. They are dropped when Deliver returns them for a
// retry.
func TestDropOldestAfterBusy(t *testing.T) { synctest.Test(t, testDropOldestAfterBusy) }

func testDropOldestAfterBusy(t *testing.T) {
	g := newTarget()
	entered, leave := make(chan []string, 9), make(chan Verdict)
	g.verdict = func(_ string, ids []string) Verdict {
		entered <- ids
		return <-leave
	}
	o := testOptions(g)
	o.DropOldest, o.MaxTenantBytes, o.firstPause = true, 3*(itemCost+2), 30*time.Millisecond
	o.MaxJoinItems, o.MaxJoinBytes = 2, 1000
	q := mustOpen(t, testkit.MemDir(t), o)
	put := func(from, to int) {
		for i := from; i <= to; i++ {
			mustPut(t, q, Item{Tenant: "t", Body: body(fmt.Sprint(i), 2)[:2]})
		}
	}
	put(0, 0)
	if got := <-entered; !slices.Equal(got, []string{"0"}) {
		t.Fatal(got)
	}
	put(1, 7) // the limit allows two items in addition to item 0, which Deliver holds
	checkStats(t, q)
	line := func() (all []uint64) {
		q.mu.Lock()
		defer q.mu.Unlock()
		for _, it := range q.tenants["t"].items {
			all = append(all, it.order>>indexBits-1)
		}
		return all
	}
	if got := line(); !slices.Equal(got, []uint64{0, 6, 7}) {
		t.Errorf("in line: %v", got)
	}
	put(8, 8)
	leave <- Verdict{Err: errDown}
	eventually(t, "it comes back", func() bool { return q.Stats().Retries == 1 })
	put(9, 9)
	if got := line(); !slices.Equal(got, []uint64{7, 8, 9}) {
		t.Errorf("in line: %v", got)
	}
	for range 2 {
		<-entered
		leave <- Verdict{Kind: Delivered}
	}
	drained(t, q)
	checkStats(t, q)
	if st := q.Stats(); st.Dropped.Bytes.Items != 7 || st.Delivered.Items != 3 {
		t.Errorf("%+v", st)
	}
}

// If the limit allows only one item, the queue contains the item that Deliver holds and the newest
// item. When Deliver fails, only the newest item remains.
func TestDropOldestWhenItComesBack(t *testing.T) {
	g := newTarget()
	entered, leave := make(chan bool, 9), make(chan Verdict)
	g.verdict = func(string, []string) Verdict {
		entered <- true
		return <-leave
	}
	o := testOptions(g)
	o.DropOldest, o.MaxTenantBytes = true, itemCost+2
	q := mustOpen(t, testkit.MemDir(t), o)
	for i, items := range []int{1, 2, 2} {
		mustPut(t, q, Item{Tenant: "t", Body: []byte{byte('0' + i), '/'}})
		if i == 0 {
			<-entered
		}
		if st := q.Stats(); st.Items != items {
			t.Errorf("%d items after %d were put", st.Items, i+1)
		}
	}
	leave <- Verdict{Err: errDown}
	<-entered
	if st := q.Stats(); st.Items != 1 || st.Bytes != o.MaxTenantBytes || st.Dropped.Bytes.Items != 2 {
		t.Errorf("%+v", st)
	}
	leave <- Verdict{Kind: Delivered}
	drained(t, q)
	if got := g.delivered("t"); !slices.Equal(got, []string{"2"}) {
		t.Errorf("got %v", got)
	}
}

// MaxAge drops items only if DropOldest is set.
func TestMaxAge(t *testing.T) { synctest.Test(t, testMaxAge) }

func testMaxAge(t *testing.T) {
	for _, drop := range []bool{false, true} {
		g := newTarget()
		letGo := hold(g)
		o := testOptions(g)
		o.MaxAge, o.DropOldest = 100*time.Millisecond, drop
		q := mustOpen(t, testkit.MemDir(t), o)
		mustPut(t, q, Item{Tenant: "t", Note: [4]uint32{5}, Body: body("old", 0)}, Item{Tenant: "u", Body: body("old", 0)})
		if drop {
			eventually(t, "the old ones go", func() bool { return q.Stats().Dropped.Age == Count{2, [4]uint64{5}} })
		} else {
			time.Sleep(150 * time.Millisecond)
			if st := q.Stats(); st.Items != 2 || st.Oldest < o.MaxAge {
				t.Errorf("%+v", st)
			}
		}
		mustPut(t, q, Item{Tenant: "t", Body: body("new", 0)})
		letGo()
		drained(t, q)
		if got, want := g.delivered("t"), map[bool][]string{false: {"old", "new"}, true: {"new"}}[drop]; !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		checkStats(t, q)
	}
}

// MaxAge drops no item while Deliver holds it, and no younger item instead of it.
func TestMaxAgeAfterBusy(t *testing.T) { synctest.Test(t, testMaxAgeAfterBusy) }

func testMaxAgeAfterBusy(t *testing.T) {
	g := newTarget()
	entered, leave := make(chan bool, 9), make(chan Verdict)
	g.verdict = func(string, []string) Verdict {
		entered <- true
		return <-leave
	}
	o := testOptions(g)
	o.MaxAge, o.DropOldest, o.noteInterval = 2*time.Second, true, 10*time.Millisecond
	q := mustOpen(t, testkit.MemDir(t), o)
	mustPut(t, q, Item{Tenant: "t", Body: body("old", 0)})
	<-entered
	q.mu.Lock()
	q.tenants["t"].items[0].time -= 3_000_000
	q.mu.Unlock()
	mustPut(t, q, Item{Tenant: "t", Body: body("new", 0)})
	time.Sleep(50 * time.Millisecond)
	if st := q.Stats(); st.Items != 2 || st.Oldest < 3*time.Second {
		t.Errorf("%+v", st)
	}
	leave <- Verdict{Err: errDown, After: 50 * time.Millisecond}
	eventually(t, "the old one goes", func() bool { return q.Stats().Dropped.Age.Items == 1 })
	<-entered
	leave <- Verdict{Kind: Delivered}
	drained(t, q)
	if got := g.delivered("t"); !slices.Equal(got, []string{"new"}) {
		t.Errorf("got %v", got)
	}
}

// Put returns the log's own errors: a full log and a full disk. Queued items are delivered
// nevertheless.
func TestLogRefuses(t *testing.T) {
	g := newTarget()
	letGo := hold(g)
	dir := testkit.MemDir(t)
	o := testOptions(g)
	o.WAL.MaxBytes = 100_000
	q := mustOpen(t, dir, o)
	n := 0
	for ; ; n++ {
		err := q.Put([]Item{{Tenant: "t", Body: body(fmt.Sprint(n), 5000)}})
		if errors.Is(err, wal.ErrFull) {
			break
		} else if err != nil || n > 50 {
			t.Fatal(n, err)
		}
	}
	checkStats(t, q)
	mustClose(t, q)

	o.WAL.MinFree, o.WAL.Disk = 2000, nearlyFull{disk.OS}
	q = mustOpen(t, dir, o)
	if err := q.Put([]Item{{Tenant: "t", Body: body("no", 0)}}); !errors.Is(err, wal.ErrLowDisk) {
		t.Errorf("on a full disk: %v", err)
	}
	checkStats(t, q)
	letGo()
	drained(t, q)
	mustClose(t, q) // Close writes its notes although the disk is full
	if got := g.delivered("t"); !slices.Equal(got, ids("", 0, n-1)) {
		t.Errorf("got %v of %d", got, n)
	}
	o.WAL.MinFree, o.WAL.Disk = 0, nil
	q = mustOpen(t, dir, o)
	if st := q.Stats(); st.Items != 0 {
		t.Errorf("%+v", st)
	}
	eventually(t, "segments without items are released", func() bool { return q.Stats().Log.Size <= 60_000 })
	mustPut(t, q, Item{Tenant: "t", Body: body("yes", 0)})
	drained(t, q)
}

// The queue forgets all tenants without items, and all data about them, except the latest tenants.
func TestTenantsAreForgotten(t *testing.T) {
	g := newTarget()
	g.verdict = func(string, []string) Verdict { return Verdict{Kind: Refused} }
	o := testOptions(g)
	q := mustOpen(t, testkit.MemDir(t), o)
	var wg sync.WaitGroup
	for p := range 4 {
		wg.Go(func() {
			for i := range 1000 {
				if err := q.Put([]Item{{Tenant: fmt.Sprint(p, "-", i), Body: body("1", 0)}}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	drained(t, q)
	eventually(t, "notes", func() bool { q.mu.Lock(); defer q.mu.Unlock(); return len(q.unnoted) == 0 })
	checkStats(t, q)
	known, st := 0, q.Stats()
	for range q.Tenants {
		known++
	}
	if known != keptIdle || len(q.tenants) != keptIdle || q.idle.Len() != keptIdle || st.Tenants != 0 || st.Refused.Items != 4000 {
		t.Errorf("%d tenants are known, %d rest; %+v", known, q.idle.Len(), st)
	}
	for range q.Tenants {
		break // Tenants stops when the loop does
	}
}

// nearlyFull is the system's disk, but reports that only 1000 bytes are free.
type nearlyFull struct{ disk.Disk }

func (nearlyFull) Free(string) (int64, error) { return 1000, nil }

// Explain returns an error text for strangers, without paths.
func TestExplain(t *testing.T) {
	for _, cause := range []error{wal.ErrLowDisk, wal.ErrFull, wal.ErrFailed, ErrClosed, os.ErrPermission} {
		err := fmt.Errorf("queue: %w: %w", cause, &os.PathError{Op: "write", Path: "/secret/00000001.wal", Err: os.ErrInvalid})
		if text := Explain(err); !strings.HasPrefix(text, "queue: ") || strings.Contains(text, "secret") {
			t.Errorf("%v: %q", err, text)
		}
	}
	full := &FullError{Tenant: "t", Held: 1, Limit: 2}
	if text := Explain(fmt.Errorf("put: %w", full)); text != full.Error() {
		t.Error(text)
	}
}

// The tenants of a group share a limit, which does not affect other tenants. It also holds after a
// restart.
func TestGroups(t *testing.T) {
	g := newTarget()
	o := testOptions(g)
	letGo := stall(&o)
	o.Group = func(tenant string) string { return tenant[:1] }
	o.MaxGroupBytes = 4 * (itemCost + 100)
	dir := testkit.MemDir(t)
	q := mustOpen(t, dir, o)
	item := func(tenant, id string) Item { return Item{Tenant: tenant, Body: body(id, 100)} }
	for range 2 {
		mustPut(t, q, item("a1", "1"), item("a2", "1"))
	}
	full := func(q *Queue) {
		t.Helper()
		err, got := q.Put([]Item{item("b", "1"), item("a3", "1"), item("a1", "1")}), new(FullError)
		if !errors.As(err, &got) || got.All || !got.Group || got.Tenant != "a3" || got.Held != 912 || got.Limit != 912 || got.Next == nil || got.Next.Tenant != "a1" {
			t.Errorf("%v: %+v", err, got)
		}
		checkStats(t, q)
	}
	full(q)
	mustPut(t, q, item("b", "1"), item("b", "2"), item("b", "3"))
	mustClose(t, q)
	q = mustOpen(t, dir, o)
	full(q)
	var never *FullError
	if err := q.Put([]Item{{Tenant: "c", Body: make([]byte, 1000)}}); !errors.As(err, &never) || !never.Never {
		t.Error(err)
	}
	mustClose(t, q)

	o.DropOldest = true
	q = mustOpen(t, dir, o)
	mustPut(t, q, item("a1", "2"), item("a2", "2"))
	if st := q.Stats(); st.Dropped.Bytes.Items != 2 || st.Items != 7 {
		t.Errorf("%+v", st)
	}
	letGo()
	drained(t, q)
	mustPut(t, q, item("a3", "1"))
	drained(t, q)
	// Each new item drops the oldest item of its own tenant, unless Deliver holds it.
	if a1, a2, a3, b := g.delivered("a1"), g.delivered("a2"), g.delivered("a3"), g.delivered("b"); len(a1)+len(a2) != 4 || len(a3) != 1 || len(b) != 3 {
		t.Errorf("%v, %v, %v, %v", a1, a2, a3, b)
	}
}

// However many tenants fail, the reserved part of the limit remains available to tenants whose
// items are accepted. This holds for the limit of the queue and for the limit of a group, with and
// without DropOldest. When the failed tenants recover, they can use the whole limit again.
func TestRoomIsKept(t *testing.T) {
	for _, c := range []struct{ grouped, drop bool }{{false, false}, {true, false}, {false, true}, {true, true}} {
		g := newTarget()
		var down atomic.Bool
		down.Store(true)
		g.verdict = func(tenant string, _ []string) Verdict {
			if tenant[0] == 'd' && down.Load() {
				return Verdict{Err: errDown}
			}
			return Verdict{Kind: Delivered}
		}
		o := testOptions(g)
		const most = 64 * (itemCost + 100)
		if o.MaxBytes, o.DropOldest = most, c.drop; c.grouped {
			o.MaxBytes, o.MaxGroupBytes = 0, most
		}
		q := mustOpen(t, testkit.MemDir(t), o)
		item := func(tenant string) Item { return Item{Tenant: tenant, Body: body("1", 100)} }
		for i := range 10 { // so that the queue learns that these tenants fail
			mustPut(t, q, item(fmt.Sprint("dead", i)))
		}
		eventually(t, "all of them to have failed", func() bool {
			for ts := range q.Tenants {
				if ts.Pause == 0 {
					return false
				}
			}
			return true
		})
		var full *FullError
		for i := range 1000 {
			if err := q.Put([]Item{item(fmt.Sprint("dead", i%10))}); err != nil && (!errors.As(err, &full) || !full.Kept || full.All) {
				t.Fatal(err)
			}
			if i%10 == 0 {
				if err := q.Put([]Item{item("good"), item("dead0")}); err != nil && (!errors.As(err, &full) || full.Tenant != "dead0" || full.Next != nil) {
					t.Fatal(err)
				}
				mustPut(t, q, item("good"))
				eventually(t, "the good one's items to be taken", func() bool {
					for ts := range q.Tenants {
						if ts.Tenant == "good" && ts.Items > 0 {
							return false
						}
					}
					return true
				})
			}
		}
		if n := q.Stats().Bytes; n < most*3/4 || n > most {
			t.Errorf("%+v: %d bytes of %d wait", c, n, most)
		}
		if !c.drop && !strings.Contains(full.Error(), "reserved for other tenants") {
			t.Error(full)
		}
		down.Store(false)
		drained(t, q)
		checkStats(t, q)
		letGo := hold(g)
		for i := range 64 {
			if err := q.Put([]Item{item(fmt.Sprint("new", i))}); err != nil {
				t.Errorf("%+v: item %d: %v", c, i, err)
			}
		}
		letGo()
		drained(t, q)
	}
}
