package column

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The same random calls on a bitmap and on a set of integers have the same results.
func TestBitmapAgainstMap(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var b Bitmap
		model := map[int]bool{}
		for range 60 {
			switch r.IntN(5) {
			case 0, 1:
				i := r.IntN(300)
				b = b.Set(i)
				model[i] = true
			case 2:
				from := r.IntN(300)
				to := from + r.IntN(200) - 5 // sometimes an empty range
				b = b.SetRange(from, to)
				for i := from; i < to; i++ {
					model[i] = true
				}
			case 3:
				n := r.IntN(520)
				b = b.Truncate(n)
				for i := range model {
					if i >= n {
						delete(model, i)
					}
				}
			case 4:
				if r.IntN(4) == 0 {
					b = b[:0] // the old words must not reappear
					clear(model)
				}
			}
			if b.Count() != len(model) || b.Any() != (len(model) > 0) {
				t.Fatalf("count %d, any %v; want %d", b.Count(), b.Any(), len(model))
			}
			for i := range 560 {
				if b.Get(i) != model[i] {
					t.Fatalf("bit %d is %v", i, b.Get(i))
				}
			}
		}
	}
}

// Ranges that begin and end at every position near the end of a word are set and truncated.
func TestBitmapEdges(t *testing.T) {
	for from := 60; from < 70; from++ {
		for to := from; to < 200; to++ {
			b := Bitmap(nil).SetRange(from, to)
			if b.Count() != to-from || b.Get(from-1) || b.Get(to) || to > from && (!b.Get(from) || !b.Get(to-1)) {
				t.Fatalf("%d..%d: %x", from, to, b)
			}
			for n := range 210 {
				cut := append(Bitmap(nil), b...).Truncate(n)
				if want := max(0, min(to, n)-from); cut.Count() != want {
					t.Fatalf("%d..%d cut at %d: %d bits, want %d", from, to, n, cut.Count(), want)
				}
			}
		}
	}
	if Bitmap(nil).Get(-1) || Bitmap(nil).Get(math.MaxInt) {
		t.Error("a bit that was never set")
	}
}
