//go:build !go1.26 || go1.27 || purego || race || !(386 || amd64 || arm || arm64 || loong64 || mips64le || mipsle || ppc64le || riscv64 || wasm)

package mem

import "reflect"

// MapShape is never known: ShapeOf is false.
type MapShape struct{}

// Slots are never used.
type Slots struct{}

// SlotWalk is never used.
type SlotWalk struct{}

// ShapeOf is false: the map has to be ranged over.
func ShapeOf(t reflect.Type) (s MapShape, ok bool) { return s, false }

// KeyOf is nil.
func (s *MapShape) KeyOf(slot Raw) (p Pointer) { return p }

// EntryOf is nil.
func (s *MapShape) EntryOf(slot Raw) (p Pointer) { return p }

// ValueOf is nil.
func (s *MapShape) ValueOf(slot Raw) (p Pointer) { return p }

// Open is false.
func (s *MapShape) Open(m Raw) (slots Slots, ok bool) { return slots, false }

// At is nil.
func (s *Slots) At(number uint32) Raw { return nil }

// Start begins a walk that is at its end.
func (w *SlotWalk) Start(s Slots) {}

// Next is nil.
func (w *SlotWalk) Next() (number uint32, slot Raw) { return 0, nil }
