package buffer

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/slipstream-go/slipstream/internal/guard"
)

// Find returns strings of every length, at every distance from both ends of the input. It returns a
// known string unchanged.
func TestRecent(t *testing.T) {
	var r Recent
	r0 := rand.New(rand.NewPCG(1, 2))
	kept := map[string]string{}
	for range 20_000 {
		n := r0.IntN(RecentMax + 1)
		before, after := r0.IntN(10), r0.IntN(10)
		b := make([]byte, before+n+after)
		for i := range b {
			b[i] = byte(r0.IntN(3)) // including zeros, which Find must not mistake for the end of a string
		}
		want := string(b[before : before+n])
		s, known := r.Find(b, before, n)
		if s != want {
			t.Fatalf("%q at %d of %d: got %q", want, before, len(b), s)
		}
		if _, seen := kept[want]; known && !seen && n > 0 {
			t.Fatalf("%q is known, but was never there", want)
		}
		for i := range b {
			b[i] = 0xff // the change of the input must not affect the result
		}
		kept[want] = s
	}
	for want, s := range kept {
		if s != want {
			t.Fatalf("%q has become %q", want, s)
		}
	}
}

// If a few strings recur, Find knows all of them and allocates nothing.
func TestRecentRecurs(t *testing.T) {
	var r Recent
	find := func() (known int) {
		for i := range 20 {
			b := fmt.Appendf(nil, "key_%d........", i)
			if _, ok := r.Find(b, 0, len(b)-8); ok {
				known++
			}
		}
		return known
	}
	find()
	if known := find(); known < 18 { // two strings may share a slot
		t.Errorf("%d of 20 strings are known", known)
	}
}

// Recent keeps only a bounded amount of memory. Strings that evict one another fill chunk after
// chunk, and each chunk contains one string that is kept.
func TestRecentHolds(t *testing.T) {
	if guard.Enabled {
		t.Skip("the checks keep copies")
	}
	live := func() int {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	// keys contains one key for each slot. rivals contains keys that all use slot 0.
	probe := new(Recent)
	slotOf := func(key string) int {
		probe.Find([]byte(key), 0, len(key))
		for i := range probe.slots {
			if probe.slots[i].s != "" {
				probe.slots[i].s = ""
				probe.slots[i].lo, probe.slots[i].hi = 0, 0
				return i
			}
		}
		t.Fatal("no slot")
		return 0
	}
	keys, rivals := map[int][]byte{}, [][]byte{}
	for i := 0; len(keys) < recentSlots || len(rivals) < 2; i++ {
		key := fmt.Sprintf("%016d", i)
		at := slotOf(key)
		if at == 0 {
			rivals = append(rivals, []byte(key))
		}
		keys[at] = []byte(key)
	}
	r := new(Recent)
	before := live()
	for at := range recentSlots {
		r.Find(keys[at], 0, RecentMax)
		for i := range ChunkSize / RecentMax {
			r.Find(rivals[i%2], 0, RecentMax)
		}
	}
	if held := live() - before; held > 128<<10 {
		t.Errorf("%d KB stay", held>>10)
	}
	runtime.KeepAlive(r)
}
