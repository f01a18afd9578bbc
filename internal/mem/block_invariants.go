//go:build invariants && !purego && (386 || amd64 || arm || arm64 || loong64 || mips64le || mipsle || ppc64le || riscv64 || wasm)

package mem

// This file contains the function of block.go, with checks of its preconditions.

func StoreBlock(b []byte, i int, v *Block) { *(*Block)(stored(b, i, BlockSize)) = *v }
