package queue

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slipstream-go/slipstream/server/testkit"
)

// waits measures the time from the Put of healthy tenants' items to the end of their delivery,
// while calls for other tenants hang. A hanging call takes 15 s and fails; a healthy call takes 5
// ms. The clock is that of synctest, so measurements are exact.
type waits struct {
	mu   sync.Mutex
	took []time.Duration
	most int // maximum of now
	now  int
}

func (w *waits) deliver(ctx context.Context, tenant string, items []*Item) Verdict {
	w.mu.Lock()
	w.now++
	w.most = max(w.most, w.now)
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		w.now--
		w.mu.Unlock()
	}()
	if tenant[0] == 'h' {
		select {
		case <-time.After(15 * time.Second):
		case <-ctx.Done():
		}
		return Verdict{Err: errDown}
	}
	time.Sleep(5 * time.Millisecond)
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, it := range items {
		w.took = append(w.took, time.Since(it.Time))
	}
	return Verdict{Kind: Delivered}
}

// calls returns the current and the maximum number of concurrent calls.
func (w *waits) calls() (now, most int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now, w.most
}

// p99 returns the 99th percentile of the measured times, and discards these times.
func (w *waits) p99() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	slices.Sort(w.took)
	d := w.took[len(w.took)*99/100]
	w.took = w.took[:0]
	return d
}

// If 500 of 1000 tenants hang, the p99 of healthy tenants is at most twice their p99 without
// hanging tenants. While the queue detects the hanging tenants, it is at most one second.
func TestHangingTenantsDelayNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const tenants = 500 // number of healthy tenants, and of hanging tenants
		measure := func(hanging bool) (onset, later time.Duration) {
			w := new(waits)
			o := testOptions(newTarget())
			o.Deliver, o.Workers, o.noteInterval = w.deliver, 32, time.Second
			o.firstPause, o.longestPause = 100*time.Millisecond, 30*time.Second
			q := mustOpen(t, testkit.MemDir(t), o)
			defer mustClose(t, q)
			rnd := rand.New(rand.NewPCG(1, 2))
			send := func(d time.Duration) {
				for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
					for range 30 { // the workers can make 640 calls in this time
						mustPut(t, q, Item{Tenant: fmt.Sprint("quiet", rnd.IntN(tenants)), Body: body("x", 10)})
					}
				}
			}
			send(5 * time.Second)
			w.p99()
			if hanging {
				for i := range tenants {
					mustPut(t, q, Item{Tenant: fmt.Sprint("h", i), Body: body("x", 10)}, Item{Tenant: fmt.Sprint("h", i), Body: body("y", 10)})
				}
			}
			send(3 * time.Second)
			onset = w.p99()
			send(2 * time.Minute)
			return onset, w.p99()
		}
		quiet, _ := measure(false)
		onset, later := measure(true)
		if later > 2*quiet {
			t.Errorf("the p99 of a healthy tenant is %v, without the hanging ones %v", later, quiet)
		}
		if onset > time.Second {
			t.Errorf("while the hanging tenants are found out, it is %v", onset)
		}
	})
}

// An endless series of new tenants for which the target hangs does not delay tenants with earlier
// successful calls.
func TestNewTenantsDelayNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := new(waits)
		o := testOptions(newTarget())
		o.Deliver, o.Workers, o.MaxSlow, o.noteInterval = w.deliver, 8, 64, time.Second
		q := mustOpen(t, testkit.MemDir(t), o)
		defer mustClose(t, q)
		send := func(healthy, hanging int) time.Duration {
			for i := range 200 {
				for tenant := range healthy {
					mustPut(t, q, Item{Tenant: fmt.Sprint("g", tenant), Body: body("x", 10)})
				}
				for name := range hanging {
					mustPut(t, q, Item{Tenant: fmt.Sprint("h", i, "-", name), Body: body("x", 10)})
				}
				time.Sleep(100 * time.Millisecond)
			}
			w.mu.Lock()
			n := len(w.took)
			w.mu.Unlock()
			if n < healthy*200 {
				t.Errorf("%d of %d healthy items have been delivered", n, healthy*200)
			}
			return w.p99()
		}
		quiet := send(5, 0)
		if beside := send(5, 10); beside > 2*quiet {
			t.Errorf("the 99th percentile is %v beside new tenants, and %v without them", beside, quiet)
		}
	})
}

// The limits of concurrent calls hold: new tenants and suspects leave half of all places to other
// tenants.
func TestBoundsOfCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := new(waits)
		o := testOptions(newTarget())
		o.Deliver, o.Workers, o.MaxSlow = w.deliver, 3, 10
		q := mustOpen(t, testkit.MemDir(t), o)
		for i := range 40 {
			mustPut(t, q, Item{Tenant: fmt.Sprint("h", i), Body: body("x", 10)})
		}
		time.Sleep(10 * time.Second)
		if now, _ := w.calls(); now != 6 {
			t.Errorf("%d calls", now)
		}
		mostSuspected := 0
		for range 1000 {
			time.Sleep(100 * time.Millisecond)
			q.mu.Lock()
			mostSuspected = max(mostSuspected, q.doubtful)
			if q.quick > 3 || q.slow > 10 || q.doubtful > 5 {
				t.Errorf("%+v", q.schedule)
			}
			q.mu.Unlock()
		}
		if _, most := w.calls(); most != 6 || mostSuspected != 5 {
			t.Errorf("%d calls at most, %d of them slow", most, mostSuspected)
		}
	})
}

// A suspect whose calls are quick again is no longer a suspect.
func TestSuspectRecovers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newTarget()
		var slow atomic.Bool
		slow.Store(true)
		g.verdict = func(string, []string) Verdict {
			if slow.Load() {
				time.Sleep(time.Second)
				return Verdict{Err: errDown}
			}
			return Verdict{Kind: Delivered}
		}
		o := testOptions(g)
		q := mustOpen(t, testkit.MemDir(t), o)
		mustPut(t, q, Item{Tenant: "t", Body: body("x", 10)})
		time.Sleep(2500 * time.Millisecond)
		suspect := func() bool {
			q.mu.Lock()
			defer q.mu.Unlock()
			return q.tenants["t"].suspect
		}
		if !suspect() {
			t.Error("a tenant whose calls hang is no suspect")
		}
		slow.Store(false)
		drained(t, q)
		time.Sleep(time.Millisecond)
		if suspect() {
			t.Error("a tenant whose calls are quick is a suspect")
		}
		q.mu.Lock()
		defer q.mu.Unlock()
		if s := q.schedule; s.quick != 0 || s.slow != 0 || s.doubtful != 0 || s.flying != 0 {
			t.Errorf("%+v", s)
		}
	})
}

// If a slow call finds no free slow place, it moves to the first slow place that becomes free. It
// does not occupy a place among Workers until its end.
func TestCallMovesWhenASlowPlaceIsFree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		var healthy atomic.Int64 // nanoseconds from the start to the call for the healthy tenant
		o := testOptions(newTarget())
		o.Workers, o.MaxSlow = 1, 1
		o.Deliver = func(_ context.Context, tenant string, _ []*Item) Verdict {
			switch tenant {
			case "second":
				time.Sleep(time.Second)
			case "minute":
				time.Sleep(time.Minute)
			default:
				healthy.Store(int64(time.Since(begin)))
			}
			return Verdict{Kind: Delivered}
		}
		q := mustOpen(t, t.TempDir(), o)
		for _, tenant := range []string{"second", "minute", "healthy"} {
			mustPut(t, q, Item{Tenant: tenant, Body: []byte("x")})
		}
		time.Sleep(2 * time.Minute)
		if waited := time.Duration(healthy.Load()); waited == 0 || waited > 2*time.Second {
			t.Errorf("the healthy tenant waited %v", waited)
		}
		closeNow(q)
	})
}
