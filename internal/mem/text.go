//go:build !invariants && !purego && (386 || amd64 || arm || arm64 || loong64 || mips64le || mipsle || ppc64le || riscv64 || wasm)

package mem

import "unsafe"

// Text64 returns the little-endian word at s[i:i+8]. It is faster than Load64 with the argument
// Bytes(s), because Bytes makes a check. The caller must have checked that 0 ≤ i ≤ len(s)-8.
func Text64(s string, i int) uint64 {
	return *(*uint64)(unsafe.Add(unsafe.Pointer(unsafe.StringData(s)), i))
}

// Text32 returns the little-endian word at s[i:i+4]. The caller must have checked that 0 ≤ i ≤
// len(s)-4.
func Text32(s string, i int) uint32 {
	return *(*uint32)(unsafe.Add(unsafe.Pointer(unsafe.StringData(s)), i))
}

// Text16 returns the little-endian word at s[i:i+2]. The caller must have checked that 0 ≤ i ≤
// len(s)-2.
func Text16(s string, i int) uint16 {
	return *(*uint16)(unsafe.Add(unsafe.Pointer(unsafe.StringData(s)), i))
}
