//go:build go1.26 && !go1.27 && !purego && !race && (386 || amd64 || arm || arm64 || loong64 || mips64le || mipsle || ppc64le || riscv64 || wasm)

package mem

import (
	"math/bits"
	"reflect"
	"unsafe"
)

// The file walk.go reads maps from strings to a type that is known at compile time. This file reads
// maps whose types are known only at run time. It numbers the slots, so that a sequence of slots
// can be stored as a list of numbers without pointers.
//
//	number of a slot   table << 10 | group << 3 | slot
//
// A table contains at most 1024 slots. The slots of a map without tables are numbered as if it had
// one table with one group.

// MapShape describes the positions of the key and the value in a slot, for maps of one type.
type MapShape struct {
	types    mapTypes
	value    uintptr // the offset of the value; the key is at 0
	slot     uintptr // the size of a slot
	indirect bool    // the slot contains a pointer to the value
}

// inSlot is the maximum size of a key or value that is stored in the slot itself.
const inSlot = 128

// ShapeOf returns the shape of maps of type t, and reports whether the shape is known. Keys must be
// of a string or integer type, named or not.
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

// holds reports whether the shape is correct for some test maps of type t.
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

// KeyOf returns the address of the key in a slot.
func (s *MapShape) KeyOf(slot Raw) Pointer { return s.types.key(slot) }

// EntryOf returns the address of the entry in a slot. The entry is a struct of a key and a value.
// The value must be stored in the slot itself.
func (s *MapShape) EntryOf(slot Raw) Pointer { return s.types.entry(slot) }

// ValueOf returns the address of the value that belongs to a slot.
func (s *MapShape) ValueOf(slot Raw) Pointer {
	v := unsafe.Add(slot, s.value)
	if s.indirect {
		return s.types.value(*(*unsafe.Pointer)(v))
	}
	return s.types.value(v)
}

// Slots refers to the slots that a map had at the call of Open. If the map changes later, a slot
// may contain any entry that has been in this slot since the call.
type Slots struct {
	dir    unsafe.Pointer // *group, or *[dirLen]*mapTable
	dirLen int
	size   uintptr
}

// Open returns the slots of m, and reports whether they can be read. The map m must have this shape
// and must not be empty.
func (s *MapShape) Open(m Raw) (Slots, bool) {
	h := (*mapHeader)(m)
	return Slots{h.dir, h.dirLen, s.slot}, h.writing == 0
}

const (
	slotBits   = 10
	groupSlots = 8
	controls   = 8 // number of bytes before the slots of a group
)

// At returns the address of the slot with the given number. Next must have returned the number.
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

// SlotWalk iterates over slots.
type SlotWalk struct {
	full   uint64         // one bit for each entry of the current group that Next has not returned yet
	slots  unsafe.Pointer // slots of the current group
	size   uintptr
	number uint32 // number of the first slot of the current group
	next   uint32 // the next table
	more   uint64 // number of groups that follow the current group in its table
	dir    unsafe.Pointer
	dirLen int
}

// Start begins a walk of all slots of s that contain an entry. It fills w instead of returning a
// SlotWalk. A returned struct of this size would be written word by word, and then copied in larger
// units. The copy would have to wait for the writes.
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

// Next returns the number and the address of the next slot. The address is nil at the end.
func (w *SlotWalk) Next() (number uint32, slot Raw) {
	if w.full == 0 && !w.nextGroup() {
		return 0, nil
	}
	k := uint32(bits.TrailingZeros64(w.full)) >> 3
	w.full &= w.full - 1
	return w.number + k, unsafe.Add(w.slots, uintptr(k)*w.size)
}

// nextGroup moves to the next group that contains an entry. It returns false at the end.
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

// nextTable moves to the first group of the next table. It returns false at the end.
func (w *SlotWalk) nextTable() bool {
	for int(w.next) < w.dirLen {
		t := *(**mapTable)(unsafe.Add(w.dir, uintptr(w.next)*unsafe.Sizeof(w.dir)))
		w.next++
		if t.index != int(w.next-1) {
			continue // this table also occurs earlier in the directory
		}
		w.more = t.lengthMask
		w.number = (w.next - 1) << slotBits
		w.enter(t.groups)
		return true
	}
	return false
}
