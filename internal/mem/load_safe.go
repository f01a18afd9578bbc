//go:build purego || !(386 || amd64 || arm || arm64 || loong64 || mips64le || mipsle || ppc64le || riscv64 || wasm)

package mem

import "encoding/binary"

// This file contains the functions of load.go, with bounds checks. They also work on big-endian
// machines.

const Checked = true

func Load64(b []byte, i int) uint64 { return binary.LittleEndian.Uint64(b[i : i+8]) }

// LoadPadded64 is never used where Checked is true.
func LoadPadded64(b []byte, i int) uint64 { return Load64(b, i) }

func Load32(b []byte, i int) uint32 { return binary.LittleEndian.Uint32(b[i : i+4]) }
func Load16(b []byte, i int) uint16 { return binary.LittleEndian.Uint16(b[i : i+2]) }
func Load8(b []byte, i int) byte    { return b[i] }

func Store64(b []byte, i int, v uint64) { binary.LittleEndian.PutUint64(b[i:i+8:cap(b)], v) }
func Store32(b []byte, i int, v uint32) { binary.LittleEndian.PutUint32(b[i:i+4:cap(b)], v) }
func Store16(b []byte, i int, v uint16) { binary.LittleEndian.PutUint16(b[i:i+2:cap(b)], v) }
func Store8(b []byte, i int, v byte)    { b[i : i+1 : cap(b)][0] = v }
