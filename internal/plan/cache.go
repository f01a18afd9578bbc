package plan

import (
	"sync"
	"sync/atomic"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// Cache maps a type word (see mem.TypeWord) to the value that was compiled for the type. The zero
// value is an empty cache that is ready for use.
//
// In the common case, a lookup takes a few nanoseconds in a direct-mapped table of atomic pointers.
// A sync.Map contains all values. If two types have the same slot, they evict each other only from
// the table, not from the sync.Map.
type Cache[V any] struct {
	slots [256]atomic.Pointer[entry[V]]
	all   sync.Map // mem.Raw → *entry[V]
}

// entry contains a value and its key. Clear sets the key to nil, so that Get no longer finds the
// entry, even if the entry is still in the table.
type entry[V any] struct {
	key   mem.Raw
	value V
}

// Get returns the value for the type word t, and reports whether the cache contains one.
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

// Put stores v for the type word t, unless the cache already contains a value for t. It returns the
// value in the cache.
func (c *Cache[V]) Put(t mem.Raw, v V) V {
	e, _ := c.all.LoadOrStore(t, &entry[V]{t, v})
	found := e.(*entry[V])
	c.slots[slotOf(t)].Store(found)
	return found.value
}

// Clear removes all values. A concurrent call of Get may still find a value. A call of Get that
// begins after Clear has returned does not.
func (c *Cache[V]) Clear() {
	for t := range c.all.Range {
		if e, ok := c.all.LoadAndDelete(t); ok {
			atomic.StorePointer(&e.(*entry[V]).key, nil)
		}
	}
	for i := range c.slots {
		c.slots[i].Store(nil) // a concurrent call of find may store a cleared entry again: the entry retains memory, but Get does not return it
	}
}

// slotOf returns the slot of a type word. The addresses of types are at least 32 bytes apart, so
// the lowest bits distinguish only few types.
func slotOf(t mem.Raw) uint8 {
	x := uintptr(t)
	return uint8(x>>5 ^ x>>13)
}
