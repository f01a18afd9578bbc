//go:build !invariants && !purego && (386 || amd64 || arm || arm64 || loong64 || mips64le || mipsle || ppc64le || riscv64 || wasm)

package mem

import "unsafe"

// Checked reports whether the compiler checks the bounds in Load and Store functions. Checked is
// true in builds that use load_safe.go.
const Checked = false

// Load64 returns the little-endian word at b[i:i+8]. The caller must have checked that 0 ≤ i ≤
// len(b)-8.
func Load64(b []byte, i int) uint64 {
	return *(*uint64)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), i))
}

// LoadPadded64 is like Load64, but for bytes that are padded to a multiple of 8. It may read the
// padding after len(b). The caller must have checked that 0 ≤ i < len(b), and that i is a multiple
// of 8.
func LoadPadded64(b []byte, i int) uint64 {
	return *(*uint64)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), i))
}

// Load32 returns the little-endian word at b[i:i+4]. The caller must have checked that 0 ≤ i ≤
// len(b)-4.
func Load32(b []byte, i int) uint32 {
	return *(*uint32)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), i))
}

// Load16 returns the little-endian word at b[i:i+2]. The caller must have checked that 0 ≤ i ≤
// len(b)-2.
func Load16(b []byte, i int) uint16 {
	return *(*uint16)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), i))
}

// Load8 returns b[i]. The caller must have checked that 0 ≤ i < len(b).
func Load8(b []byte, i int) byte {
	return *(*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), i))
}

// Store64 writes v to b[i:i+8], little-endian. The caller must have checked that 0 ≤ i ≤ cap(b)-8,
// and must own that memory.
func Store64(b []byte, i int, v uint64) {
	*(*uint64)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), i)) = v
}

// Store32 writes v to b[i:i+4], little-endian. The caller must have checked that 0 ≤ i ≤ cap(b)-4,
// and must own that memory.
func Store32(b []byte, i int, v uint32) {
	*(*uint32)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), i)) = v
}

// Store16 writes v to b[i:i+2], little-endian. The caller must have checked that 0 ≤ i ≤ cap(b)-2,
// and must own that memory.
func Store16(b []byte, i int, v uint16) {
	*(*uint16)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), i)) = v
}

// Store8 writes v to b[i]. The caller must have checked that 0 ≤ i < cap(b), and must own that
// memory.
func Store8(b []byte, i int, v byte) {
	*(*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), i)) = v
}
