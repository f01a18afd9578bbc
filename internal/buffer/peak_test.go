package buffer

import "testing"

// TooLarge keeps a large buffer during a few small operations, and then releases it. It always
// keeps a small buffer.
func TestPeak(t *testing.T) {
	const keep, large = 1 << 10, 1 << 20
	var p Peak
	if p.TooLarge(large, large, keep) {
		t.Error("memory in use is too large")
	}
	uses := 0
	for ; !p.TooLarge(10, large, keep); uses++ {
		if uses > 200 {
			t.Fatal("memory that is not needed stays")
		}
	}
	if uses < 10 {
		t.Errorf("memory goes after %d uses", uses)
	}
	for range 300 {
		if p.TooLarge(0, keep, keep) {
			t.Fatal("memory that may be kept goes")
		}
	}
	if p != 0 {
		t.Errorf("the peak of nothing is %d", p)
	}
}
