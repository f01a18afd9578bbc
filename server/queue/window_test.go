package queue

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slipstream-go/slipstream/server/testkit"
)

// The window halves after each call that is too large for its target, until a call succeeds. Then
// it grows again.
func TestWindow(t *testing.T) {
	const limit = 5000
	w := NewWindow(100_000)
	weight := func() int64 { // returns the weight of the largest allowed call with items of weight 100
		n := int64(1)
		for w.Takes(100 * (n + 1)) {
			n++
		}
		return 100 * n
	}
	failures, calls := 0, 0
	for range 1000 {
		n := weight()
		calls++
		if n > limit {
			failures++
			w.Failed(n)
			continue
		}
		w.Passed(n)
	}
	if failures > 5+calls/retryWeight+1 {
		t.Errorf("%d of %d calls failed", failures, calls)
	}
	if n := weight(); n < limit/2 || n > limit+limit/8+100 {
		t.Errorf("calls of weight %d, of at most %d that pass", n, limit)
	}
	for range 10_000 { // now all calls succeed
		w.Passed(weight())
	}
	if !w.Takes(100_000) || w.Takes(100_001) {
		t.Errorf("the window is %+v", w)
	}
}

// A window that has shrunk to single items grows again. Calls of at most half of the window do not
// make it grow.
func TestWindowOfSmallCalls(t *testing.T) {
	w := NewWindow(1000)
	w.Failed(1000)
	before := w
	for range 10_000 {
		w.Passed(100)
	}
	if w != before {
		t.Errorf("%+v became %+v", before, w)
	}
	for range 20 {
		w.Failed(w.now)
	}
	if !w.Takes(1) || w.Takes(2) {
		t.Errorf("%+v", w)
	}
	for range 10_000 {
		w.Passed(w.now)
	}
	if !w.Takes(1000) {
		t.Errorf("%+v", w)
	}
}

// After an outage, the queued items together exceed the size of a call that the target accepts or
// completes in time. All items arrive, in order, whatever error the target returns.
func TestBacklogThatIsTooLarge(t *testing.T) {
	for name, refusal := range map[string]Verdict{
		"a rate":    {Fewer: true, Err: errDown},
		"a size":    {Kind: TooLarge, Err: errDown},
		"a timeout": {Fewer: true, After: 15 * time.Second, Err: errDown},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newTarget()
				failed, most := 0, 50 // most: maximum number of items per accepted call
				g.verdict = func(_ string, ids []string) Verdict {
					if len(ids) > most {
						failed++
						return refusal
					}
					return Verdict{Kind: Delivered}
				}
				letGo := hold(g)
				o := testOptions(g)
				o.MaxJoinItems = 128
				q := mustOpen(t, testkit.MemDir(t), o)
				want := ids("x", 1, 1000)
				for _, id := range want {
					mustPut(t, q, Item{Tenant: "t", Note: [4]uint32{10, 10}, Body: body(id, 20)})
				}
				letGo()
				drained(t, q)
				checkStats(t, q)
				if got := g.delivered("t"); !slices.Equal(got, want) {
					t.Errorf("got %v", got)
				}
				if failed < 1 || failed > 3 {
					t.Errorf("%d calls failed: %v", failed, g.calls["t"])
				}
			})
		})
	}
}

// An item that is too large by itself is rejected. Its neighbours are delivered.
func TestItemThatIsTooLarge(t *testing.T) {
	g := newTarget()
	g.verdict = func(_ string, ids []string) Verdict {
		if slices.Contains(ids, "x5") {
			return Verdict{Kind: TooLarge, Err: errors.New("too large")}
		}
		return Verdict{Kind: Delivered}
	}
	letGo := hold(g)
	o := testOptions(g)
	o.MaxJoinItems = 100
	q := mustOpen(t, testkit.MemDir(t), o)
	all := ids("x", 1, 9)
	for _, id := range all {
		mustPut(t, q, Item{Tenant: "t", Body: body(id, 20)})
	}
	letGo()
	drained(t, q)
	checkStats(t, q)
	want := slices.DeleteFunc(all, func(id string) bool { return id == "x5" })
	if got := g.delivered("t"); !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	if n := q.Stats().Refused.Items; n != 1 {
		t.Errorf("%d items were refused", n)
	}
}

// The items of one call weigh at most MaxJoinWeight. The weight of an item is one plus the sum of
// its notes.
func TestMaxJoinWeight(t *testing.T) {
	g := newTarget()
	letGo := hold(g)
	o := testOptions(g)
	o.MaxJoinItems, o.MaxJoinWeight = 100, 25
	dir := testkit.MemDir(t)
	q := mustOpen(t, dir, o)
	for i, note := range [][4]uint32{{1, 2, 3, 3}, {9}, {0, 4}, {0, 0, 0, 1000}, {23}, {}, {24}} {
		mustPut(t, q, Item{Tenant: "t", Note: note, Body: body(ids("x", i, i)[0], 20)})
	}
	mustClose(t, q)
	letGo()
	q = mustOpen(t, dir, o)
	drained(t, q)
	if want := []int{3, 1, 2, 1}; !slices.Equal(g.calls["t"], want) {
		t.Errorf("calls of %v items, want %v", g.calls["t"], want)
	}
}
