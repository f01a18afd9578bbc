//go:build purego || !(386 || amd64 || arm || arm64 || loong64 || mips64le || mipsle || ppc64le || riscv64 || wasm)

package mem

// This file contains the function of block.go, with bounds checks.

func StoreBlock(b []byte, i int, v *Block) { copy(b[i:i+BlockSize:cap(b)], v.Text[:]) }
