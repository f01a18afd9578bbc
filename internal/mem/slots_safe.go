//go:build !go1.26 || go1.27 || purego || race || !(386 || amd64 || arm || arm64 || loong64 || mips64le || mipsle || ppc64le || riscv64 || wasm)

package mem

import "reflect"

// MapShape is never used, because ShapeOf returns false.
type MapShape struct{}

// Slots is never used.
type Slots struct{}

// SlotWalk is never used.
type SlotWalk struct{}

// ShapeOf returns false. The caller must then range over the map.
func ShapeOf(t reflect.Type) (s MapShape, ok bool) { return s, false }

// KeyOf returns nil.
func (s *MapShape) KeyOf(slot Raw) (p Pointer) { return p }

// EntryOf returns nil.
func (s *MapShape) EntryOf(slot Raw) (p Pointer) { return p }

// ValueOf returns nil.
func (s *MapShape) ValueOf(slot Raw) (p Pointer) { return p }

// Open returns false.
func (s *MapShape) Open(m Raw) (slots Slots, ok bool) { return slots, false }

// At returns nil.
func (s *Slots) At(number uint32) Raw { return nil }

// Start does nothing, because there is nothing to walk.
func (w *SlotWalk) Start(s Slots) {}

// Next returns nil.
func (w *SlotWalk) Next() (number uint32, slot Raw) { return 0, nil }
