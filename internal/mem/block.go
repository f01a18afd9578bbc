//go:build !invariants && !purego && (386 || amd64 || arm || arm64 || loong64 || mips64le || mipsle || ppc64le || riscv64 || wasm)

package mem

import "unsafe"

// StoreBlock writes v to b[i:i+BlockSize]. The caller must have checked that 0 ≤ i ≤
// cap(b)-BlockSize, and must own that memory.
func StoreBlock(b []byte, i int, v *Block) {
	*(*Block)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), i)) = *v
}
