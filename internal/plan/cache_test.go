package plan

import (
	"sync"
	"testing"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// Many goroutines put and get many keys. Some keys share a slot, and all goroutines see one value
// for each key.
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
					key := mem.RawTo(&keys[i])
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
	if v, ok := c.Get(mem.RawTo(&other)); ok || v != nil {
		t.Error("a key that was never put is found")
	}
}

// After Clear, Get does not find earlier values, although other goroutines call Get all the time
// and could put a value back into its slot.
func TestCacheClear(t *testing.T) {
	var c Cache[int]
	var keys [3][1 << 13]byte
	key := func(i int) mem.Raw { return mem.RawTo(&keys[i%3][i/3*64]) }
	done := make(chan bool)
	var all sync.WaitGroup
	defer all.Wait()
	defer close(done)
	for range 4 {
		all.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-done:
					return
				default:
					c.Get(key(i % 300))
				}
			}
		})
	}
	for round := range 200 {
		for i := range 300 {
			if v, ok := c.Get(key(i)); ok {
				t.Fatalf("round %d: key %d still has the value %d", round, i, v)
			}
			if v := c.Put(key(i), round); v != round {
				t.Fatalf("round %d: key %d is kept with the value %d", round, i, v)
			}
		}
		for i := range 300 {
			if v, ok := c.Get(key(i)); !ok || v != round {
				t.Fatalf("round %d: key %d has the value %d, %t", round, i, v, ok)
			}
		}
		c.Clear()
	}
}

// A call of Get finds an entry, is delayed, and stores the entry in its slot after a Clear. Later
// calls must not find the entry.
func TestCacheClearDuringFind(t *testing.T) {
	var c Cache[int]
	key := mem.RawTo(new(byte))
	c.Put(key, 1)
	found, _ := c.all.Load(key)
	c.Clear()
	c.slots[slotOf(key)].Store(found.(*entry[int]))
	if v, ok := c.Get(key); ok {
		t.Errorf("the value %d is found after Clear", v)
	}
	if v := c.Put(key, 2); v != 2 {
		t.Errorf("the value %d is kept", v)
	}
	if v, ok := c.Get(key); !ok || v != 2 {
		t.Errorf("the value is %d, %t", v, ok)
	}
}
