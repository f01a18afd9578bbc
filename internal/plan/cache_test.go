package plan

import (
	"sync"
	"testing"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// TestCacheConcurrent puts and gets many keys from many goroutines. Keys share slots; each has one value for all.
func TestCacheConcurrent(t *testing.T) {
	var c Cache[*int]
	keys := make([][64]byte, 2000)
	kept := make([][]*int, 8)
	var all sync.WaitGroup
	for g := range kept {
		kept[g] = make([]*int, len(keys))
		all.Go(func() {
			for round := range 3 {
				for i := range keys {
					i = (i*7 + g*100) % len(keys)
					key := mem.PointerTo(&keys[i])
					v, ok := c.Get(key)
					if !ok {
						if round > 0 {
							t.Error("a key was forgotten")
						}
						mine := i
						v = c.Put(key, &mine)
					}
					if *v != i || kept[g][i] != nil && kept[g][i] != v {
						t.Errorf("key %d has the value %d", i, *v)
					}
					kept[g][i] = v
				}
			}
		})
	}
	all.Wait()
	for i := range keys {
		for g := range kept {
			if kept[g][i] != kept[0][i] {
				t.Fatalf("key %d has two values", i)
			}
		}
	}
	var other byte
	if v, ok := c.Get(mem.PointerTo(&other)); ok || v != nil {
		t.Error("a key that was never put is found")
	}
}
