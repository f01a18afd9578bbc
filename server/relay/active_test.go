package relay

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"
	"unsafe"
)

// memory returns the size of the tables in bytes.
func (a *active) memory() (n int) {
	for _, t := range a.list() {
		n += len(t.buckets) * int(unsafe.Sizeof(bucketOf16{}))
	}
	return n
}

// The active series are compared with a set that forgets nothing. A series that was received within
// the last span passes. A new series passes while the number of series is below the limit. A series
// that was received earlier may be forgotten or not.
func TestActiveModel(t *testing.T) {
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 7))
		var a active
		now := time.Now()
		last := make(map[uint64]time.Time)
		limit := 300
		var pool []uint64
		passed, held := 0, 0
		for range 400 {
			now = now.Add(time.Duration(r.IntN(90)) * time.Second)
			if r.IntN(40) == 0 {
				now = now.Add(time.Duration(r.IntN(40)) * time.Minute)
			}
			if r.IntN(20) == 0 {
				limit = 1 + r.IntN(3000)
			}
			a.turn(now)
			within, longer := 0, 0
			for hash, at := range last {
				switch age := now.Sub(at); {
				case age < activeSpan:
					within++
				case age > 3*activeSpan:
					delete(last, hash)
					continue
				}
				longer++
			}
			for range r.IntN(400) {
				hash := r.Uint64()
				if len(pool) > 0 && r.IntN(3) > 0 {
					hash = pool[r.IntN(len(pool))]
				} else if pool = append(pool, hash); len(pool) > 2000 {
					pool = pool[500:]
				}
				at, there := last[hash]
				known := there && now.Sub(at) < activeSpan
				ok := a.admit(hash, limit)
				switch {
				case known && !ok:
					t.Fatalf("a series that came %v ago is held back", now.Sub(at))
				case !there && ok && within >= limit:
					t.Fatalf("a new series passes: there are %d, the limit is %d", within, limit)
				case !ok && longer < limit:
					t.Fatalf("a series is held back: there are at most %d, the limit is %d", longer, limit)
				}
				if !ok {
					held++
					continue
				}
				passed++
				if !there {
					longer++
				}
				if !known {
					within++
				}
				last[hash] = now
			}
			if n := a.count(); n < within || n > longer {
				t.Fatalf("count %d, not within %d and %d", n, within, longer)
			}
		}
		if passed < 10_000 || held < 10_000 {
			t.Errorf("%d passed, %d were held back: that tells little", passed, held)
		}
	}
}

func TestActiveForgets(t *testing.T) {
	var a active
	now := time.Now()
	admit := func(hash uint64, want bool) {
		t.Helper()
		a.turn(now)
		if got := a.admit(hash, 2); got != want {
			t.Fatalf("%d: %v", hash, got)
		}
	}
	const x, y, z = 1 << 40, 2 << 50, 3 << 60
	if !a.admit(x, 0) || a.count() != 0 {
		t.Fatal("without a limit it is counted")
	}
	admit(x, true)
	admit(y, true)
	admit(z, false)
	now = now.Add(activeSpan)
	admit(x, true)
	admit(z, false)
	now = now.Add(activeSpan) // y was idle for two spans
	admit(z, true)
	admit(y, false)
	if n := a.count(); n != 2 {
		t.Errorf("%d", n)
	}
	now = now.Add(activeSpan)
	a.turn(now)
	now = now.Add(activeSpan)
	a.turn(now)
	if a.count() != 0 || a.memory() != 0 {
		t.Errorf("%d series, %d bytes", a.count(), a.memory())
	}
	admit(x, true)
	now = now.Add(5 * activeSpan)
	a.turn(now)
	if a.count() != 0 {
		t.Error("idle for five spans, and still there")
	}
}

// A tenant at its limit keeps all its series, and new series are rejected. The tables stay small.
func TestActiveMemory(t *testing.T) {
	const limit = 50_000
	r := rand.New(rand.NewPCG(1, 1))
	hashes := make([]uint64, limit)
	for i := range hashes {
		hashes[i] = r.Uint64()
	}
	var a active
	now := time.Now()
	for span := range 4 {
		a.turn(now)
		for _, hash := range hashes {
			if !a.admit(hash, limit) {
				t.Fatal("held back below the limit")
			}
		}
		mistaken, tries := 0, 300_000
		if testing.Short() {
			tries = 20_000
		}
		for range tries {
			if a.admit(r.Uint64(), limit) {
				mistaken++
			}
		}
		// A new series passes by mistake if its mark equals one of at most 24 used lanes in one of
		// two tables. This happens once in 90 million tries, while no table grows.
		if mistaken > 1 {
			t.Errorf("%d of %d that are new pass", mistaken, tries)
		}
		if a.count() != limit {
			t.Errorf("span %d: %d series", span, a.count())
		}
		perSeries := float64(a.memory()) / limit
		t.Logf("span %d: %d tables, %.1f bytes a series", span, len(a.list()), perSeries)
		if most := []float64{11, 17, 12.1, 12.1}[span]; perSeries > most {
			t.Errorf("span %d: %.1f bytes a series", span, perSeries)
		}
		now = now.Add(activeSpan)
	}
}

// A tenant that grows to its limit does not get a table with twice the necessary size.
func TestActiveGrows(t *testing.T) {
	const limit = 10_000
	var a active
	now := time.Now()
	for _, n := range []uint64{limit * 8 / 10, limit} {
		a.turn(now)
		for i := range n {
			a.admit((i+1)*0x9e3779b97f4a7c15, limit)
		}
		now = now.Add(activeSpan)
	}
	if n := a.count(); n != limit || a.memory() > 17*limit {
		t.Errorf("%d series, %d bytes", n, a.memory())
	}
}

// A series that is received in each span always passes, even if other series are added
// concurrently.
func TestActiveConcurrent(t *testing.T) {
	var a active
	var wg sync.WaitGroup
	now := time.Now()
	const limit, known = 1500, 1000
	a.turn(now)
	for i := range uint64(known) {
		a.admit((i+1)*0x9e3779b97f4a7c15, limit)
	}
	for g := range uint64(4) {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(g, 3))
			for i := range uint64(10_000) {
				a.turn(now.Add(time.Duration(i/2000) * activeSpan))
				if !a.admit((i%known+1)*0x9e3779b97f4a7c15, limit) {
					t.Error("a series that came within the span is held back")
					return
				}
				a.admit(r.Uint64(), limit)
				if n := a.count(); n > limit {
					t.Errorf("%d series", n)
					return
				}
			}
		})
	}
	wg.Wait()
}

func BenchmarkActive(b *testing.B) {
	const limit = 1 << 20
	r := rand.New(rand.NewPCG(1, 1))
	hashes := make([]uint64, 1<<16)
	for i := range hashes {
		hashes[i] = r.Uint64()
	}
	b.Run("known", func(b *testing.B) {
		var a active
		for i := range limit {
			a.admit(uint64(i)*0x9e3779b97f4a7c15, limit+len(hashes))
		}
		for _, hash := range hashes {
			a.admit(hash, limit+len(hashes))
		}
		for i := 0; b.Loop(); i++ {
			a.admit(hashes[i%len(hashes)], limit)
		}
	})
	b.Run("refused", func(b *testing.B) {
		var a active
		for i := range limit {
			a.admit(uint64(i)*0x9e3779b97f4a7c15, limit)
		}
		for i := 0; b.Loop(); i++ {
			a.admit(hashes[i%len(hashes)], limit)
		}
	})
}
