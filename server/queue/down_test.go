package queue

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slipstream-go/slipstream/server/testkit"
)

// When a target recovers, its first successful call ends the pauses of all tenants that this target
// had failed. Tenants of another target, and tenants that are paused for another reason, stay
// paused.
func TestOutageEndsForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var down atomic.Bool
		down.Store(true)
		o := testOptions(nil)
		o.firstPause, o.longestPause, o.noteInterval = 100*time.Millisecond, 30*time.Second, time.Second
		o.Group = func(tenant string) string { return tenant[:1] }
		o.Deliver = func(_ context.Context, tenant string, _ []*Item) Verdict {
			switch {
			case tenant[0] == 'x':
				return Verdict{Down: true, Err: errDown}
			case tenant == "limited":
				return Verdict{After: 20 * time.Second, Err: errDown}
			case down.Load():
				return Verdict{Down: true, Err: errDown}
			}
			return Verdict{Kind: Delivered}
		}
		q := mustOpen(t, testkit.MemDir(t), o)
		for i := range 100 {
			mustPut(t, q, Item{Tenant: fmt.Sprint("l", i), Body: body("1", 10)})
		}
		mustPut(t, q, Item{Tenant: "limited", Body: body("1", 10)}, Item{Tenant: "x", Body: body("1", 10)})
		time.Sleep(10 * time.Minute)
		due := func(tenant string) time.Time {
			q.mu.Lock()
			defer q.mu.Unlock()
			return q.tenants[tenant].due
		}
		for time.Until(due("limited")) < 2*time.Second || time.Until(due("x")) < 2*time.Second { // otherwise their pauses could end during the next 1.5 s
			time.Sleep(time.Second)
		}
		limited, other := due("limited"), due("x")
		down.Store(false)
		mustPut(t, q, Item{Tenant: "l new", Body: body("1", 10)}) // this tenant is not paused
		time.Sleep(1500 * time.Millisecond)
		if n := q.Stats().Items; n != 2 {
			t.Errorf("%d items wait", n)
		}
		if due("limited") != limited || due("x") != other {
			t.Error("pauses for other reasons have ended")
		}
	})
}

// A target that accepts one call and fails the next is not flooded with retries for all tenants.
func TestFlappingTargetIsNotFlooded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int64
		o := testOptions(nil)
		o.firstPause, o.longestPause, o.noteInterval = 100*time.Millisecond, 30*time.Second, time.Second
		o.Deliver = func(_ context.Context, tenant string, _ []*Item) Verdict {
			if tenant == "good" {
				return Verdict{Kind: Delivered}
			}
			calls.Add(1)
			return Verdict{Down: true, Err: errDown}
		}
		q := mustOpen(t, testkit.MemDir(t), o)
		const tenants, seconds = 50, 60
		for i := range tenants {
			mustPut(t, q, Item{Tenant: fmt.Sprint(i), Body: body("1", 10)})
		}
		for range seconds * 100 {
			mustPut(t, q, Item{Tenant: "good", Body: body("1", 10)})
			time.Sleep(10 * time.Millisecond)
		}
		// The average pause is half a second. The first pauses are shorter.
		if n := calls.Load(); n > tenants*seconds*3 {
			t.Errorf("%d calls for %d tenants in %d s", n, tenants, seconds)
		}
	})
}
