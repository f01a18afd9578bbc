package queue

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/server/testkit"
)

// Processes that put, deliver and move items are killed, one after the other. Each item whose Put
// succeeded is delivered at least once, by its own process or by a later one. Within each process,
// each tenant's items are delivered in order.
func TestKill(t *testing.T) {
	testkit.Killed(putForEver)
	dir := testkit.MemDir(t)
	type numbers map[int]bool
	put, got := map[string]numbers{}, map[string]numbers{}
	last := map[string]int{} // last delivered number per tenant in this process
	note := func(all map[string]numbers, tenant string, n int) {
		if all[tenant] == nil {
			all[tenant] = numbers{}
		}
		all[tenant][n] = true
	}
	take := func(tenant string, n int) {
		if n <= last[tenant] {
			t.Fatalf("%s got %d after %d", tenant, n, last[tenant])
		}
		last[tenant] = n
		note(got, tenant, n)
	}
	rewritten := 0
	for round := range 5 {
		clear(last)
		testkit.Kill(t, dir, round*1_000_000, 2000+517*round, func(line string) bool {
			var what, tenant string
			var number int
			if _, err := fmt.Sscan(line, &what, &tenant, &number); err != nil {
				return false
			}
			switch what {
			case "put":
				note(put, tenant, number)
				note(put, "dead-"+tenant, number)
			case "got":
				take(tenant, number)
			case "rewritten":
				rewritten = max(rewritten, number)
			default:
				return false
			}
			return true
		})
	}
	clear(last)
	o := testOptions(nil)
	var mu sync.Mutex
	o.Deliver = func(_ context.Context, tenant string, items []*Item) Verdict {
		mu.Lock()
		defer mu.Unlock()
		for _, it := range items {
			n, err := strconv.Atoi(idOf(it.Body))
			if err != nil {
				t.Error(err)
			}
			take(tenant, n)
		}
		return Verdict{Kind: Delivered}
	}
	q := mustOpen(t, dir, o)
	drained(t, q)
	checkStats(t, q)
	mustClose(t, q)
	acked := 0
	for tenant, numbers := range put {
		for n := range numbers {
			if acked++; !got[tenant][n] {
				t.Errorf("%s never got %d", tenant, n)
			}
		}
	}
	if acked < 1000 || rewritten == 0 {
		t.Errorf("%d items were put, %d bytes rewritten", acked, rewritten)
	}
}

// putForEver puts items, numbered from first+1. The target rejects all calls for the tenants whose
// names begin with dead.
func putForEver(dir string, first int) {
	fail := func(err error) {
		if err != nil {
			testkit.Fail(err)
		}
	}
	o := testOptions(nil)
	o.MaxJoinItems, o.Memory = 3, 10_000
	var lead [4]atomic.Int64 // items put minus items delivered
	o.Deliver = func(_ context.Context, tenant string, items []*Item) Verdict {
		if strings.HasPrefix(tenant, "dead") {
			return Verdict{Err: errDown}
		}
		lines := ""
		for _, it := range items {
			lines += fmt.Sprintln("got", tenant, idOf(it.Body))
		}
		fmt.Print(lines)
		lead[tenant[1]-'0'].Add(-int64(len(items)))
		return Verdict{Kind: Delivered}
	}
	q, err := Open(dir, o)
	fail(err)
	var wg sync.WaitGroup
	for p := range 4 {
		wg.Go(func() {
			tenant := fmt.Sprint("t", p)
			for n := first + 1; ; n++ {
				id := fmt.Sprint(n)
				fail(q.Put([]Item{{Tenant: tenant, Body: body(id, 1500)}, {Tenant: "dead-" + tenant, Body: body(id, 100)}}))
				fmt.Println("put", tenant, n)
				lead[p].Add(1)
				for lead[p].Load() > 20 {
					time.Sleep(time.Millisecond)
				}
				if n%100 == 0 {
					fmt.Println("rewritten in", q.Stats().Rewritten)
				}
			}
		})
	}
	wg.Wait()
}
