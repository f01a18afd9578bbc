//go:build invariants && !purego && (386 || amd64 || arm || arm64 || loong64 || mips64le || mipsle || ppc64le || riscv64 || wasm)

package mem

import (
	"fmt"
	"unsafe"
)

// This file contains the functions of load.go, with checks. All functions check their bounds. The
// Store functions also check that the memory is not part of a string that Seal has marked.

const Checked = false

func Load64(b []byte, i int) uint64 { return *(*uint64)(loaded(b, i, 8)) }
func LoadPadded64(b []byte, i int) uint64 {
	if i%8 != 0 {
		panic(fmt.Sprintf("mem: load of a padded word at %d", i))
	}
	return *(*uint64)(loaded(b[:len(b):len(b)], i, min(8, len(b)-i)))
}

func Load32(b []byte, i int) uint32 { return *(*uint32)(loaded(b, i, 4)) }
func Load16(b []byte, i int) uint16 { return *(*uint16)(loaded(b, i, 2)) }
func Load8(b []byte, i int) byte    { return *(*byte)(loaded(b, i, 1)) }

func Store64(b []byte, i int, v uint64) { *(*uint64)(stored(b, i, 8)) = v }
func Store32(b []byte, i int, v uint32) { *(*uint32)(stored(b, i, 4)) = v }
func Store16(b []byte, i int, v uint16) { *(*uint16)(stored(b, i, 2)) = v }
func Store8(b []byte, i int, v byte)    { *(*byte)(stored(b, i, 1)) = v }

// loaded returns the address of b[i:i+n].
func loaded(b []byte, i, n int) unsafe.Pointer {
	if i < 0 || i > len(b)-n {
		panic(fmt.Sprintf("mem: load of %d bytes at %d of %d", n, i, len(b)))
	}
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), i)
}

// stored returns the address of b[i:i+n:cap(b)].
func stored(b []byte, i, n int) unsafe.Pointer {
	if i < 0 || i > cap(b)-n {
		panic(fmt.Sprintf("mem: store of %d bytes at %d of %d, capacity %d", n, i, len(b), cap(b)))
	}
	p := unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), i)
	writable(p, n)
	return p
}
