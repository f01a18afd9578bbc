package mem

import (
	"fmt"
	"reflect"
	"testing"
)

type large struct {
	a [20]int64
	p *int
}

// Walking maps returns the same entries as the runtime's iterator. The maps have many types and
// sizes, and entries are deleted and added.
func TestSlots(t *testing.T) {
	type name string
	trySlots(t, func(i int) string { return fmt.Sprint(i) }, func(i int) int { return i })
	trySlots(t, func(i int) name { return name(fmt.Sprint(i)) }, func(i int) any { return i })
	trySlots(t, func(i int) string { return fmt.Sprint(i) }, func(i int) bool { return i%3 == 0 })
	trySlots(t, func(i int) string { return fmt.Sprint(i) }, func(i int) large { return large{a: [20]int64{19: int64(i)}, p: &i} })
	trySlots(t, func(i int) int64 { return int64(i) }, func(i int) string { return fmt.Sprint(i) })
	trySlots(t, func(i int) uint8 { return uint8(i) }, func(i int) int16 { return int16(i) })
	trySlots(t, func(i int) int32 { return int32(-i) }, func(i int) float64 { return float64(i) })
	trySlots(t, func(i int) uint16 { return uint16(i) }, func(i int) [3]byte { return [3]byte{byte(i), 1, 2} })
	if _, ok := ShapeOf(reflect.TypeFor[map[float64]int]()); ok {
		t.Error("a shape for keys that are not tried")
	}
	if _, ok := ShapeOf(reflect.TypeFor[map[string]struct{}]()); ok {
		t.Error("a shape for values without a size")
	}
}

func trySlots[K, V comparable](t *testing.T, key func(int) K, value func(int) V) {
	typ := reflect.TypeFor[map[K]V]()
	shape, ok := ShapeOf(typ)
	if !ok {
		t.Logf("%v: not read by slots", typ)
		return
	}
	for _, n := range []int{1, 2, 7, 8, 9, 100, 250, 900, 5000} {
		m := map[K]V{}
		for i := range n + n/4 {
			m[key(i)] = value(i)
		}
		for i := range n / 4 {
			delete(m, key(3*i))
		}
		slots, ok := shape.Open(reflect.ValueOf(m).UnsafePointer())
		if !ok {
			t.Fatalf("%v: not opened", typ)
		}
		seen := map[K]bool{}
		var w SlotWalk
		for w.Start(slots); ; {
			number, at := w.Next()
			if at == nil {
				break
			}
			k := *RawAt[K](at, 0)
			if v, there := m[k]; !there || seen[k] || v != *At[V](shape.ValueOf(at), 0) || slots.At(number) != at {
				t.Fatalf("%v: slot %d holds %v", typ, number, k)
			}
			seen[k] = true
		}
		if len(seen) != len(m) {
			t.Errorf("%v: %d of %d entries", typ, len(seen), len(m))
		}
	}
}
