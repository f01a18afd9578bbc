package plan

import (
	"sync"
	"sync/atomic"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// Cache finds what was compiled for a type by the type's word (mem.TypeWord). Its zero value is
// empty and ready.
//
// A direct-mapped table of atomic pointers answers the common case in a few nanoseconds; a sync.Map
// holds all of them. Two types that share a slot evict each other from the table only.
type Cache[V any] struct {
	slots [256]atomic.Pointer[entry[V]]
	all   sync.Map // mem.Raw → *entry[V]
}

// entry is a value and its key, which Clear sets to nil: then no one finds the entry any more,
// wherever it may still be.
type entry[V any] struct {
	key   mem.Raw
	value V
}

// Get is the value for the type word t.
func (c *Cache[V]) Get(t mem.Raw) (v V, ok bool) {
	slot := &c.slots[slotOf(t)]
	if e := slot.Load(); e != nil && atomic.LoadPointer(&e.key) == t {
		return e.value, true
	}
	return c.find(t)
}

func (c *Cache[V]) find(t mem.Raw) (v V, ok bool) {
	e, ok := c.all.Load(t)
	if !ok {
		return v, false
	}
	found := e.(*entry[V])
	c.slots[slotOf(t)].Store(found)
	return found.value, true
}

// Put keeps v for the type word t, unless one is there already, and gives the one that is kept.
func (c *Cache[V]) Put(t mem.Raw, v V) V {
	e, _ := c.all.LoadOrStore(t, &entry[V]{t, v})
	found := e.(*entry[V])
	c.slots[slotOf(t)].Store(found)
	return found.value
}

// Clear forgets all that was put before. A Get at the same time may still find it; one that begins
// later does not.
func (c *Cache[V]) Clear() {
	for t := range c.all.Range {
		if e, ok := c.all.LoadAndDelete(t); ok {
			atomic.StorePointer(&e.(*entry[V]).key, nil)
		}
	}
	for i := range c.slots {
		c.slots[i].Store(nil) // a find at the same time may put a dead entry back: that pins memory and is not found
	}
}

// slotOf folds a type word. Types lie 32 bytes apart or more, so the lowest bits say little.
func slotOf(t mem.Raw) uint8 {
	x := uintptr(t)
	return uint8(x>>5 ^ x>>13)
}
