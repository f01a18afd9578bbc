package mem

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"
)

// walk collects the entries of a Walk of m. It returns false if this build has no Walks.
func walk[V comparable](t *testing.T, m map[string]V) (map[string]V, bool) {
	t.Helper()
	w, ok := WalkMap(m)
	if !ok {
		return nil, false
	}
	got := make(map[string]V)
	for s := w.Next(); s != nil; s = w.Next() {
		if _, twice := got[s.Key]; twice {
			t.Fatalf("%q came twice", s.Key)
		}
		got[s.Key] = s.Value
	}
	if w.Next() != nil {
		t.Fatal("an entry after the end")
	}
	return got, true
}

func checkWalk[V comparable](t *testing.T, value func(int) V) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	m := make(map[string]V)
	for step := range 20_000 {
		switch k := fmt.Sprint(r.IntN(1 + step/4)); r.IntN(5) {
		case 0, 1:
			delete(m, k)
		default:
			m[k] = value(step)
		}
		if step == 15_000 {
			clear(m)
		}
		if len(m) == 0 || step > 100 && step%97 != 0 && (step < 15_000 || step > 15_100) {
			continue
		}
		got, ok := walk(t, m)
		if !ok {
			t.Skip("maps are left to the runtime")
		}
		if !maps.Equal(got, m) {
			t.Fatalf("after %d steps, a walk gives %d entries of %d", step, len(got), len(m))
		}
	}
}

// A Walk returns the entries of the map, while the map grows, shrinks and is cleared between walks.
func TestWalk(t *testing.T) {
	t.Run("string", func(t *testing.T) { checkWalk(t, func(i int) string { return fmt.Sprint(i) }) })
	t.Run("float64", func(t *testing.T) { checkWalk(t, func(i int) float64 { return float64(i) }) })
	t.Run("bool", func(t *testing.T) { checkWalk(t, func(i int) bool { return i%2 == 0 }) })
	t.Run("any", func(t *testing.T) { checkWalk(t, func(i int) any { return i }) })
	t.Run("struct", func(t *testing.T) { checkWalk(t, func(i int) [3]uint8 { return [3]uint8{uint8(i)} }) })
}

// A Walk works on a map that was created with a large capacity and contains few entries.
func TestWalkOfAMapMadeLarge(t *testing.T) {
	m := make(map[string]int, 5000)
	for i := range 20 {
		m[fmt.Sprint(i)] = i
	}
	if got, ok := walk(t, m); ok && !maps.Equal(got, m) {
		t.Errorf("%v, want %v", got, m)
	}
}
