//go:build purego || !(386 || amd64 || arm || arm64 || loong64 || mips64le || mipsle || ppc64le || riscv64 || wasm)

package mem

import "encoding/binary"

// This file contains the functions of text.go, with bounds checks. They also work on big-endian
// machines.

func Text64(s string, i int) uint64 { return binary.LittleEndian.Uint64(Bytes(s[i : i+8])) }
func Text32(s string, i int) uint32 { return binary.LittleEndian.Uint32(Bytes(s[i : i+4])) }
func Text16(s string, i int) uint16 { return binary.LittleEndian.Uint16(Bytes(s[i : i+2])) }
