//go:build go1.26 && !go1.27 && !purego && !race && (386 || amd64 || arm || arm64 || loong64 || mips64le || mipsle || ppc64le || riscv64 || wasm)

package mem

import (
	"math/bits"
	"unsafe"
)

// The runtime's own iterator costs more than most maps have to tell: it chooses where to start, and
// minds growth at each step. A Walk reads the slots one after the other. It knows how maps lie in
// memory in the releases of Go that the build tag names, from internal/runtime/maps; others, and
// the race detector, which has to see each access, use walk_safe.go.
//
//	Map     used, seed, directory, its length, …
//	         └─ of a map of 8 or fewer: its only group
//	         └─ else: tables, which may stand there more than once; each has a run of groups
//	group   8 control bytes, 8 slots; the high bit of a control byte is clear where the slot holds an entry

// Slot is an entry of a map.
type Slot[V any] struct {
	Key   string
	Value V
}

type mapHeader struct {
	_       uint64         // entries
	_       uintptr        // the seed
	dir     unsafe.Pointer // *group, or *[dirLen]*mapTable
	dirLen  int
	_, _    uint8 // how the directory is indexed
	writing uint8
}

type mapTable struct {
	_, _, _    uint16 // entries, slots, and how many may still be filled
	_          uint8  // how many bits of a hash lead here
	index      int    // of its first place in the directory
	groups     unsafe.Pointer
	lengthMask uint64 // one less than there are groups
}

type mapGroup[V any] struct {
	control uint64
	slots   [8]Slot[V]
}

const highBits = 0x8080808080808080

// Walk goes through a map. The map must not change meanwhile; if it does all the same, entries may
// be missing or zero.
type Walk[V any] struct {
	full  uint64       // a bit for each entry of the current group that is still to come
	group *mapGroup[V] // the current group

	more uint64 // groups of the table that follow it

	// The directory as it was: entries that are added meanwhile cannot keep the walk from its end.
	dir    unsafe.Pointer
	dirLen int
	next   int
}

// WalkMap starts a Walk of m, which must have entries, and reports whether it can.
func WalkMap[V any](m map[string]V) (w Walk[V], ok bool) {
	h := *(**mapHeader)(unsafe.Pointer(&m))
	if !walkWorks || h.writing != 0 { // what the runtime makes of that is left to it
		return w, false
	}
	if h.dirLen == 0 {
		w.enter((*mapGroup[V])(h.dir))
		return w, true
	}
	w.dir, w.dirLen = h.dir, h.dirLen
	return w, true
}

func (w *Walk[V]) enter(g *mapGroup[V]) {
	w.group, w.full = g, ^g.control&highBits
}

// Next is the next entry, or nil at the end. It is valid as long as the map does not change.
func (w *Walk[V]) Next() *Slot[V] {
	if w.full == 0 {
		return w.nextGroup()
	}
	slot := &w.group.slots[bits.TrailingZeros64(w.full)>>3]
	w.full &= w.full - 1
	return slot
}

// nextGroup is the first entry of the next group that has one.
func (w *Walk[V]) nextGroup() *Slot[V] {
	for {
		switch {
		case w.more > 0:
			w.more--
			w.enter((*mapGroup[V])(unsafe.Add(unsafe.Pointer(w.group), unsafe.Sizeof(*w.group))))
		case !w.nextTable():
			return nil
		}
		if w.full != 0 {
			return w.Next()
		}
	}
}

// nextTable enters the first group of the next table.
func (w *Walk[V]) nextTable() bool {
	for w.next < w.dirLen {
		t := *(**mapTable)(unsafe.Add(w.dir, uintptr(w.next)*unsafe.Sizeof(w.dir)))
		w.next++
		if t.index != w.next-1 {
			continue // it was there before
		}
		w.more = t.lengthMask
		w.enter((*mapGroup[V])(t.groups))
		return true
	}
	return false
}

// walkWorks tells whether maps lie in memory as described.
var walkWorks = true

func init() { walkWorks = tryWalks() }

func tryWalks() bool {
	for _, n := range []int{1, 2, 8, 9, 40} {
		m := make(map[string]any)
		for i := range n + n/3 {
			m[string(rune('a'+i))] = i
		}
		for i := range n / 3 {
			delete(m, string(rune('a'+2*i)))
		}
		w, ok := WalkMap(m)
		seen := 0
		for s := w.Next(); s != nil; s = w.Next() {
			if v, there := m[s.Key]; !there || v != s.Value {
				return false
			}
			seen++
		}
		if !ok || seen != len(m) {
			return false
		}
	}
	return true
}
