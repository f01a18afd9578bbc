//go:build !go1.26 || go1.27 || purego || race || !(386 || amd64 || arm || arm64 || loong64 || mips64le || mipsle || ppc64le || riscv64 || wasm)

package mem

// Slot is an entry of a map.
type Slot[V any] struct {
	Key   string
	Value V
}

// Walk is never used, because WalkMap returns false.
type Walk[V any] struct{}

// WalkMap returns false. The caller must then range over the map.
func WalkMap[V any](m map[string]V) (w Walk[V], ok bool) { return w, false }

// Next returns nil.
func (w *Walk[V]) Next() *Slot[V] { return nil }
