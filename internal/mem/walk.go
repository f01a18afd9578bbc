//go:build go1.26 && !go1.27 && !purego && !race && (386 || amd64 || arm || arm64 || loong64 || mips64le || mipsle || ppc64le || riscv64 || wasm)

package mem

import (
	"math/bits"
	"unsafe"
)

// For most maps, the runtime's own iterator costs more than reading the entries. The iterator
// chooses a random start, and checks for growth at each step. A Walk reads the slots one after the
// other. It relies on the memory layout of maps that internal/runtime/maps defines in the releases
// of Go listed in the build tag. With other releases, walk_safe.go is used. It is also used in
// builds with the race detector, because the race detector must see each access.
//
//	Map     used, seed, directory, its length, …
//	         └─ map of up to 8 entries: its only group
//	         └─ larger map: tables, each with an array of groups; a table may occur more than once
//	group   8 control bytes, 8 slots; the high bit of a control byte is clear where the slot holds an entry

// Slot is an entry of a map.
type Slot[V any] struct {
	Key   string
	Value V
}

type mapHeader struct {
	_       uint64         // number of entries
	_       uintptr        // the seed
	dir     unsafe.Pointer // *group, or *[dirLen]*mapTable
	dirLen  int
	_, _    uint8 // fields that define the index into the directory
	writing uint8
}

type mapTable struct {
	_, _, _    uint16 // numbers of entries, of slots, and of slots that may still be filled
	_          uint8  // number of bits of a hash that select the table
	index      int    // index of the table's first occurrence in the directory
	groups     unsafe.Pointer
	lengthMask uint64 // number of groups minus one
}

type mapGroup[V any] struct {
	control uint64
	slots   [8]Slot[V]
}

const highBits = 0x8080808080808080

// Walk iterates over the entries of a map. The map must not change during the walk. If the map
// changes, entries may be missing or zero.
type Walk[V any] struct {
	full  uint64       // one bit for each entry of the current group that Next has not returned yet
	group *mapGroup[V] // the current group

	more uint64 // number of groups that follow the current group in its table

	// dir is the directory at the start of the walk. Because the walk uses this directory, it ends
	// even if entries are added during the walk.
	dir    unsafe.Pointer
	dirLen int
	next   int
}

// WalkMap starts a Walk of m, and reports whether the Walk can be used. The map m must not be
// empty.
func WalkMap[V any](m map[string]V) (w Walk[V], ok bool) {
	h := *(**mapHeader)(unsafe.Pointer(&m))
	if !walkWorks || h.writing != 0 { // another goroutine writes to the map: the runtime's own iterator must handle this
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

// Next returns the next entry, or nil at the end. The entry is valid until the map changes.
func (w *Walk[V]) Next() *Slot[V] {
	if w.full == 0 {
		return w.nextGroup()
	}
	slot := &w.group.slots[bits.TrailingZeros64(w.full)>>3]
	w.full &= w.full - 1
	return slot
}

// nextGroup returns the first entry of the next group that contains an entry, or nil at the end.
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

// nextTable moves to the first group of the next table. It returns false at the end.
func (w *Walk[V]) nextTable() bool {
	for w.next < w.dirLen {
		t := *(**mapTable)(unsafe.Add(w.dir, uintptr(w.next)*unsafe.Sizeof(w.dir)))
		w.next++
		if t.index != w.next-1 {
			continue // this table also occurs earlier in the directory
		}
		w.more = t.lengthMask
		w.enter((*mapGroup[V])(t.groups))
		return true
	}
	return false
}

// walkWorks reports whether maps have the memory layout described above.
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
