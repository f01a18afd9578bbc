package buffer

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestRecent finds strings of every length at every distance from both ends of the input, and gives a known one back as it is.
func TestRecent(t *testing.T) {
	var r Recent
	r0 := rand.New(rand.NewPCG(1, 2))
	kept := map[string]string{}
	for range 20_000 {
		n := r0.IntN(RecentMax + 1)
		before, after := r0.IntN(10), r0.IntN(10)
		b := make([]byte, before+n+after)
		for i := range b {
			b[i] = byte(r0.IntN(3)) // zeros too: they must not be taken for the end
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
			b[i] = 0xff // what was found must not change with its input
		}
		kept[want] = s
	}
	for want, s := range kept {
		if s != want {
			t.Fatalf("%q has become %q", want, s)
		}
	}
}

// TestRecentRecurs holds that few strings that recur are all known, and cost nothing.
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
	if known := find(); known < 18 { // two may share a slot
		t.Errorf("%d of 20 strings are known", known)
	}
}
