package buffer

import (
	"bytes"
	"math/rand/v2"
	"sync"
	"testing"
)

// all returns the queued bytes.
func all(q *Queue) []byte {
	b := make([]byte, q.Len()+1)
	return b[:q.Copy(b)]
}

// fill returns n random bytes.
func fill(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// The same random operations on a queue and on a slice have the same results. Kept views and
// referenced memory do not change later.
func TestQueueAgainstSlice(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 1))
		var q Queue
		var want []byte
		type pair struct{ view, copied []byte }
		var kept []pair
		var window pair
		size := func() int {
			switch r.IntN(8) {
			case 0:
				return r.IntN(3 * PageSize)
			case 1:
				return r.IntN(2 * headroom)
			}
			return r.IntN(20)
		}
		for range 2000 {
			b := fill(r, size())
			switch r.IntN(12) {
			case 0, 1, 2:
				q.Append(b)
				want = append(want, b...)
			case 3:
				q.Prepend(b)
				want = append(bytes.Clone(b), want...)
			case 4:
				q.Refer(b)
				want = append(want, b...)
				kept = append(kept, pair{b, bytes.Clone(b)})
			case 5:
				q.Grow(len(b))
				if len(q.Room()) < len(b) {
					t.Fatalf("room for %d, want %d", len(q.Room()), len(b))
				}
				n := copy(q.Room(), b)
				q.Extend(n)
				want = append(want, b...)
			case 6, 7, 8:
				n := min(len(b), len(want))
				q.Discard(n)
				want = want[n:]
			case 9:
				first := q.First()
				if r.IntN(3) > 0 {
					if q.Ours() {
						q.Keep()
					}
					kept = append(kept, pair{first, bytes.Clone(first)})
					q.Discard(len(first))
					want = want[len(first):]
				} else {
					q.Detach()
				}
			case 10:
				if !bytes.Equal(window.view, window.copied) {
					t.Fatalf("seed %d: the window changed before the next", seed)
				}
				w := q.Window()
				window = pair{w, bytes.Clone(w)}
			case 11:
				if r.IntN(10) == 0 {
					q.Reset()
					want, window = nil, pair{}
				}
			}
			if q.Len() != len(want) || !bytes.Equal(all(&q), want) {
				t.Fatalf("seed %d: %d bytes, want %d", seed, q.Len(), len(want))
			}
			if listed := bytes.Join(q.Chunks(nil), nil); !bytes.Equal(listed, want) {
				t.Fatalf("seed %d: the chunks are %d bytes, want %d", seed, len(listed), len(want))
			}
		}
		for _, k := range kept {
			if !bytes.Equal(k.view, k.copied) {
				t.Fatalf("seed %d: what was kept has changed", seed)
			}
		}
	}
}

// This test checks for a bug of msgpack-ruby 1.8.2. Its Buffer#clear returned pages to the pool but
// kept pointers to them, so one buffer read the bytes that another wrote. Here two queues
// alternate. Each operation that empties a queue must also drop its pages.
func TestPagesAreForgotten(t *testing.T) {
	for name, empty := range map[string]func(*Queue){
		"Reset":   (*Queue).Reset,
		"Discard": func(q *Queue) { q.Discard(q.Len()) },
		"byte by byte": func(q *Queue) {
			for q.Len() > 0 {
				q.Discard(1)
			}
		},
		"Window, Discard and Reset": func(q *Queue) { q.Window(); q.Discard(q.Len()); q.Reset() },
	} {
		var a, b Queue
		for range 50 {
			a.Append(bytes.Repeat([]byte{'a'}, 5000))
			a.Prepend([]byte("aa"))
			empty(&a)
			if a.Len() != 0 || a.n != 0 || a.tail != nil || a.First() != nil {
				t.Fatalf("%s: the queue still refers to %+v", name, a)
			}
			for _, c := range a.ring {
				if c.page != nil || c.b != nil {
					t.Fatalf("%s: the ring still refers to %+v", name, c)
				}
			}
			b.Append(bytes.Repeat([]byte{'b'}, 9000)) // reuses the pages of a
			a.Append(bytes.Repeat([]byte{'c'}, 9000))
			a.Prepend([]byte("cc"))
			b.Prepend([]byte("bb"))
			if got := all(&a); !bytes.Equal(got, bytes.Repeat([]byte{'c'}, 9002)) {
				t.Fatalf("%s: one queue reads what the other wrote", name)
			}
			if got := all(&b); !bytes.Equal(got, bytes.Repeat([]byte{'b'}, 9002)) {
				t.Fatalf("%s: one queue reads what the other wrote", name)
			}
			a.Reset()
			b.Reset()
		}
	}
}

// Many queues share the pool, each in its own goroutine. Each queue reads only its own bytes.
func TestPagesAcrossGoroutines(t *testing.T) {
	var wait sync.WaitGroup
	for g := range 8 {
		wait.Go(func() {
			r := rand.New(rand.NewPCG(uint64(g), 2))
			var q Queue
			own := byte('A' + g)
			for range 300 {
				q.Append(bytes.Repeat([]byte{own}, r.IntN(10_000)))
				q.Prepend([]byte{own})
				if r.IntN(4) == 0 && q.Ours() {
					q.Keep()
				}
				for _, c := range all(&q) {
					if c != own {
						t.Errorf("queue %c has a byte of %c", own, c)
						return
					}
				}
				if r.IntN(2) == 0 {
					q.Reset()
				} else {
					q.Discard(r.IntN(q.Len() + 1))
				}
			}
		})
	}
	wait.Wait()
}

// A queue that is repeatedly filled and emptied allocates nothing new. A kept page is not given to
// another queue.
func TestPagesAreReused(t *testing.T) {
	var q Queue
	b := make([]byte, 10_000)
	cycle := func() {
		for range 3 {
			q.Append(b[:3000])
			q.Prepend(b[:10])
		}
		q.Window()
		q.Discard(q.Len())
	}
	cycle()
	if n := testing.AllocsPerRun(100, cycle); n > 1 && !raceEnabled { // a garbage collection may empty the pool
		t.Errorf("%v allocations", n)
	}
	q.Reset()
	q.Append([]byte("kept"))
	view := q.First()
	q.Keep()
	q.Reset()
	for range 100 {
		q.Append(b)
		q.Reset()
	}
	if string(view) != "kept" {
		t.Errorf("a view became %q", view)
	}
}

// Short pieces that are appended between foreign chunks share pages. So the memory use depends on
// the number of bytes, not on the number of pieces.
func TestSmallReferences(t *testing.T) {
	var q Queue
	foreign := []byte("foreign")
	for range 1000 {
		q.Append([]byte("ab"))
		q.Refer(foreign)
	}
	seen := map[*page]bool{}
	for k := range q.n {
		if p := q.at(k).page; p != nil {
			seen[p] = true
		}
	}
	if len(seen) != 1 {
		t.Errorf("2000 bytes lie in %d pages", len(seen))
	}
}

// A header can be prepended in the headroom of the first page, and to a message that begins in
// foreign memory.
func TestHeadroom(t *testing.T) {
	var q Queue
	q.Append([]byte("body"))
	for range 4 {
		q.Prepend(make([]byte, headroom/4))
	}
	if q.n != 1 {
		t.Errorf("headers of %d bytes take %d chunks more", headroom, q.n-1)
	}
	q.Prepend([]byte("more"))
	q.Prepend([]byte("and more"))
	if q.n != 2 {
		t.Errorf("%d chunks", q.n)
	}
	q.Reset()
	q.Refer([]byte("foreign"))
	q.Prepend([]byte("header "))
	if got := string(all(&q)); got != "header foreign" {
		t.Error(got)
	}
}

// A queue of many chunks is filled and drained, completely or almost. The ring shrinks to the size
// that the remaining chunks need.
func TestRingShrinks(t *testing.T) {
	var q Queue
	for _, left := range []int{1, 0, 3} {
		var want []byte
		want = append(want, all(&q)...)
		for k := range 5000 {
			q.Refer([]byte{byte(k), byte(k >> 8)})
			want = append(want, byte(k), byte(k>>8))
		}
		for q.Len() > left {
			n := min(7, q.Len()-left)
			q.Discard(n)
			if want = want[n:]; len(q.ring) > max(ringMax, 8*q.n) {
				t.Fatalf("a ring of %d for %d chunks", len(q.ring), q.n)
			}
		}
		if got := all(&q); !bytes.Equal(got, want) {
			t.Fatalf("%x waits, want %x", got, want)
		}
	}
}
