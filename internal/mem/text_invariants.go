//go:build invariants && !purego && (386 || amd64 || arm || arm64 || loong64 || mips64le || mipsle || ppc64le || riscv64 || wasm)

package mem

// This file contains the functions of text.go, with checks of their preconditions.

func Text64(s string, i int) uint64 { return Load64(Bytes(s), i) }
func Text32(s string, i int) uint32 { return Load32(Bytes(s), i) }
func Text16(s string, i int) uint16 { return Load16(Bytes(s), i) }
