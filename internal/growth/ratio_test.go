package growth

import "testing"

// Ratio measures two calls of which one does ten times the work of the other. The preparations of
// both take longer than the calls, but are not measured.
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
