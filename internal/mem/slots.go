//go:build go1.26 && !go1.27 && !purego && !race && (386 || amd64 || arm || arm64 || loong64 || mips64le || mipsle || ppc64le || riscv64 || wasm)

package mem

import (
	"math/bits"
	"reflect"
	"unsafe"
)

// What walk.go knows of maps from strings to a type that the compiler sees, this file applies to
// maps of types that are met at run time. A slot has a number too, so that an order of slots is a
// list of numbers, without a pointer in it.
//
//	number of a slot   table << 10 | group << 3 | slot
//
// A table has 1024 slots at most. A map without tables is as one with one group.

// MapShape is where the entries of maps of one type lie in their slots.
type MapShape struct {
	types    mapTypes
	value    uintptr // the offset of the value; the key is at 0
	slot     uintptr // the size of a slot
	indirect bool    // the slot points to its value
}

// inSlot is how large a key or a value may be that stands in the slot itself.
const inSlot = 128

// ShapeOf is the shape of maps of type t, and whether it is known. Keys must be strings or
// integers, of any named type.
func ShapeOf(t reflect.Type) (s MapShape, ok bool) {
	s.types = typesOf(t)
	key, value := t.Key(), t.Elem()
	if !walkWorks || value.Size() == 0 {
		return s, false
	}
	size, align := value.Size(), uintptr(value.Align())
	if size > inSlot {
		s.indirect = true
		size, align = unsafe.Sizeof(uintptr(0)), unsafe.Alignof(uintptr(0))
	}
	up := func(n, to uintptr) uintptr { return (n + to - 1) / to * to }
	s.value = up(key.Size(), align)
	s.slot = up(s.value+size, max(align, uintptr(key.Align())))
	return s, s.holds(t)
}

// holds tries the shape on maps of t.
func (s *MapShape) holds(t reflect.Type) bool {
	for _, n := range []int{1, 8, 9, 30} {
		m := reflect.MakeMap(t)
		for i := range n {
			key := reflect.New(t.Key()).Elem()
			switch {
			case key.Kind() == reflect.String:
				key.SetString(string(rune('a' + i)))
			case key.CanInt():
				key.SetInt(int64(i))
			case key.CanUint():
				key.SetUint(uint64(i))
			default:
				return false
			}
			m.SetMapIndex(key, reflect.Zero(t.Elem()))
		}
		slots, ok := s.Open(m.UnsafePointer())
		if !ok {
			return false
		}
		seen := map[any]bool{}
		var w SlotWalk
		for w.Start(slots); ; {
			number, key := w.Next()
			if key == nil {
				break
			}
			k := reflect.NewAt(t.Key(), key).Elem()
			if slots.At(number) != key || !m.MapIndex(k).IsValid() || seen[k.Interface()] {
				return false
			}
			seen[k.Interface()] = true
		}
		if len(seen) != n {
			return false
		}
	}
	return true
}

// KeyOf is where the key of the entry in a slot is.
func (s *MapShape) KeyOf(slot Raw) Pointer { return s.types.key(slot) }

// EntryOf is where the entry in a slot is, as a struct of key and value. The value must lie in the
// slot.
func (s *MapShape) EntryOf(slot Raw) Pointer { return s.types.entry(slot) }

// ValueOf is where the value of the entry in a slot is.
func (s *MapShape) ValueOf(slot Raw) Pointer {
	v := unsafe.Add(slot, s.value)
	if s.indirect {
		return s.types.value(*(*unsafe.Pointer)(v))
	}
	return s.types.value(v)
}

// Slots are the slots of a map as it was when they were opened. If the map changes, what a slot
// holds is of some time since.
type Slots struct {
	dir    unsafe.Pointer // *group, or *[dirLen]*mapTable
	dirLen int
	size   uintptr
}

// Open gives the slots of m, a map of the shape that has entries, and whether they can be read.
func (s *MapShape) Open(m Raw) (Slots, bool) {
	h := (*mapHeader)(m)
	return Slots{h.dir, h.dirLen, s.slot}, h.writing == 0
}

const (
	slotBits   = 10
	groupSlots = 8
	controls   = 8 // bytes before the slots of a group
)

// At is the slot with this number, which Next has given.
func (s *Slots) At(number uint32) Raw {
	group := s.dir
	slot := uintptr(number)
	if s.dirLen > 0 {
		t := *(**mapTable)(unsafe.Add(s.dir, uintptr(number>>slotBits)*unsafe.Sizeof(s.dir)))
		slot &= 1<<slotBits - 1
		group = unsafe.Add(t.groups, slot/groupSlots*(controls+groupSlots*s.size))
		slot %= groupSlots
	}
	return unsafe.Add(group, controls+slot*s.size)
}

// SlotWalk goes through slots.
type SlotWalk struct {
	full   uint64         // a bit for each entry of the current group that is still to come
	slots  unsafe.Pointer // of the current group
	size   uintptr
	number uint32 // of the first slot of the current group
	next   uint32 // the next table
	more   uint64 // groups of the table that follow it
	dir    unsafe.Pointer
	dirLen int
}

// Start begins a walk of all slots of s that have an entry. It is a method of the walk, which is no
// result, because a struct of this size would be written word by word and then copied by larger
// ones, for which the processor would wait.
func (w *SlotWalk) Start(s Slots) {
	w.size, w.number, w.more = s.size, 0, 0
	w.dir, w.dirLen, w.next = s.dir, s.dirLen, 0
	w.full = 0
	if s.dirLen == 0 {
		w.enter(s.dir)
	}
}

func (w *SlotWalk) enter(group unsafe.Pointer) {
	w.slots, w.full = unsafe.Add(group, controls), ^*(*uint64)(group)&highBits
}

// Next is the number of the next slot and its address; nil at the end.
func (w *SlotWalk) Next() (number uint32, slot Raw) {
	if w.full == 0 && !w.nextGroup() {
		return 0, nil
	}
	k := uint32(bits.TrailingZeros64(w.full)) >> 3
	w.full &= w.full - 1
	return w.number + k, unsafe.Add(w.slots, uintptr(k)*w.size)
}

// nextGroup enters the next group that has an entry.
func (w *SlotWalk) nextGroup() bool {
	for {
		switch {
		case w.more > 0:
			w.more--
			w.number += groupSlots
			w.enter(unsafe.Add(w.slots, groupSlots*w.size))
		case !w.nextTable():
			return false
		}
		if w.full != 0 {
			return true
		}
	}
}

// nextTable enters the first group of the next table.
func (w *SlotWalk) nextTable() bool {
	for int(w.next) < w.dirLen {
		t := *(**mapTable)(unsafe.Add(w.dir, uintptr(w.next)*unsafe.Sizeof(w.dir)))
		w.next++
		if t.index != int(w.next-1) {
			continue // it was there before
		}
		w.more = t.lengthMask
		w.number = (w.next - 1) << slotBits
		w.enter(t.groups)
		return true
	}
	return false
}
