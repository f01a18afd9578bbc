package wal

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/slipstream-go/slipstream/server/testkit"
)

const payload46K = 46_000

func BenchmarkAppend46K(b *testing.B) {
	benchmarkAppend(b, b.TempDir(), payload46K)
}

// In memory, a sync takes no time. The log's own time and the kernel's copy remain.
func BenchmarkAppend46KNoDisk(b *testing.B) {
	benchmarkAppend(b, testkit.MemDir(b), payload46K)
}

func BenchmarkAppend100NoDisk(b *testing.B) {
	benchmarkAppend(b, testkit.MemDir(b), 100)
}

// benchmarkAppend appends from twelve goroutines. The load generator has as many connections.
func benchmarkAppend(b *testing.B, dir string, size int) {
	l := mustOpen(b, dir, Options{})
	b.SetBytes(int64(size))
	b.ReportAllocs()
	var left atomic.Int64
	left.Store(int64(b.N))
	b.ResetTimer()
	var wg sync.WaitGroup
	for range 12 {
		wg.Go(func() {
			r := data(make([]byte, size))
			for left.Add(-1) >= 0 {
				if err := l.Append(r, nil); err != nil {
					b.Error(err)
					return
				}
				if r.Seq%4096 == 0 {
					l.Release(r.Seq)
				}
			}
		})
	}
	wg.Wait()
	b.StopTimer()
	st := l.Stats()
	b.ReportMetric(float64(st.Records)/float64(max(st.Commits, 1)), "records/commit")
	mustClose(b, l)
}

func BenchmarkReplay46K(b *testing.B) {
	dir := testkit.MemDir(b)
	l := mustOpen(b, dir, Options{})
	for range 500 {
		mustAppend(b, l, data(make([]byte, payload46K)))
	}
	mustClose(b, l)
	l, err := Open(dir, Options{Logger: quiet})
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	b.SetBytes(500 * payload46K)
	for b.Loop() {
		if err := l.Replay(func(*Record) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
