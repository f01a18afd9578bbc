package queue

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/slipstream-go/slipstream/server/testkit"
)

// BenchmarkPut measures putting and delivery without the cost of a disk: its directory is in
// memory.
func BenchmarkPut(b *testing.B) {
	for _, tc := range []struct {
		name   string
		memory int64
	}{{"memory", 1 << 30}, {"log", -1}} {
		b.Run(tc.name, func(b *testing.B) {
			o := testOptions(newTarget())
			o.Deliver = func(_ context.Context, _ string, items []*Item) Verdict { return Verdict{Kind: Delivered} }
			o.WAL.SegmentBytes, o.Memory, o.MaxJoinItems = 32<<20, tc.memory, 64
			q := mustOpen(b, testkit.MemDir(b), o)
			b.SetBytes(10 * 1000)
			b.ReportAllocs()
			b.SetParallelism(8)
			var id atomic.Int64
			b.RunParallel(func(pb *testing.PB) {
				own := id.Add(1)
				items := make([]Item, 10)
				for i := range items {
					items[i] = Item{Tenant: fmt.Sprint("tenant ", own*3+int64(i)), Body: make([]byte, 1000)}
				}
				for pb.Next() {
					if err := q.Put(items); err != nil {
						b.Error(err)
					}
				}
			})
			drained(b, q)
		})
	}
}
