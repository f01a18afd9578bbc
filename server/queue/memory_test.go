package queue

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/slipstream-go/slipstream/server/testkit"
)

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// An item and a tenant need no more memory than the package comment says.
func TestMemory(t *testing.T) {
	if size := unsafe.Sizeof(item{}); size > 112 {
		t.Errorf("an item takes %d bytes", size)
	}
	for _, tc := range []struct{ tenants, items, most int }{{1, 200_000, itemCost}, {100_000, 1, 800 + itemCost}} {
		o := testOptions(nil)
		var tries atomic.Int64
		o.Deliver = func(context.Context, string, []*Item) Verdict { tries.Add(1); return Verdict{} }
		o.Memory, o.WAL.SegmentBytes, o.noteInterval = -1, 4<<20, time.Hour
		o.firstPause, o.longestPause = time.Hour, time.Hour
		dir := testkit.MemDir(t)
		q := mustOpen(t, dir, o)
		before := heap()
		n := tc.tenants * tc.items
		for i := 0; i < n; i += 1000 {
			items := make([]Item, 1000)
			for j := range items {
				items[j] = Item{Tenant: fmt.Sprint("a tenant ", (i+j)%tc.tenants), Body: []byte{1}}
			}
			mustPut(t, q, items...)
		}
		for range 2 {
			if st := q.Stats(); st.Items != n || st.Memory != 0 {
				t.Errorf("%+v", st)
			}
			eventually(t, "each tenant was tried", func() bool { return tries.Load() >= int64(tc.tenants) }) // and waits for its next call
			each := (heap() - before) / int64(n)
			t.Logf("%d tenants with %d items: %d bytes for each item", tc.tenants, tc.items, each)
			if each > int64(tc.most) {
				t.Errorf("more than %d", tc.most)
			}
			mustClose(t, q)
			q = nil
			before = heap()
			tries.Store(0)
			q = mustOpen(t, dir, o)
		}
		mustClose(t, q)
	}
}
