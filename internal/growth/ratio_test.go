package growth

import "testing"

// TestRatio has calls of which one works ten times as much as the other, and preparations that work
// more than both.
func TestRatio(t *testing.T) {
	if testing.Short() {
		t.Skip("-short has no time")
	}
	sink := 0
	work := func(n int) func() func() {
		return func() func() {
			for i := range 1 << 22 {
				sink += i * i
			}
			return func() {
				for i := range n {
					sink ^= i * i
				}
			}
		}
	}
	ratio, ok := Ratio(attempts, 0, work(10<<16), work(1<<16))
	if ok != hasClock || ok && (ratio < 5 || ratio > 20) {
		t.Errorf("%.1f, %t", ratio, ok)
	}
}
