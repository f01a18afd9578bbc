//go:build (amd64 || arm64) && !purego

package simd

import "github.com/slipstream-go/slipstream/internal/mem"

// This file cuts text into chunks for the kernels. The files amd64.go and arm64.go define the
// functions that depend on the machine:
//
//	copyKernel                    copies one chunk
//	findStopKernel, blanksKernel  search one chunk of at least `least` bytes
//	markKernel                    describes the blocks of one chunk
//	copyLow, findStopLow, do all of the work up to the tier `floor`, which has no such kernels; on
//	blanksLow                     higher tiers, process the bytes that are too few for a kernel
//
// A few function calls take as long as copying 30 bytes. So only one call lies between a copying
// function and its kernel.

// chunk is the maximum number of bytes that a kernel processes in one call. This takes 2 to 20 µs.
const chunk = 64 << 10

const (
	jsonString = iota // stop at a stop byte
	plainText         // the same, and also check that the text contains neither U+2028 nor U+2029
	plainHTML         // like plainText, and also stop at <, > and &
)

func copyString(to, from mem.Pointer, n int) (int, bool) {
	dst, src := mem.RawRoom(to, n), mem.RawBytes(from, n)
	if tier <= floor {
		return copyLow(dst, src, n, jsonString)
	}
	k, valid := copyKernel(dst, src, min(n, chunk), jsonString)
	if k == chunk && k < n {
		return copyOn(dst, src, n, jsonString, k, valid)
	}
	return k, valid
}

func copyPlain(to, from mem.Pointer, n int, html bool) (int, bool) {
	dst, src := mem.RawRoom(to, n), mem.RawBytes(from, n)
	kind := plainText
	if html {
		kind = plainHTML
	}
	if tier <= floor {
		return copyLow(dst, src, n, kind)
	}
	k, plain := copyKernel(dst, src, min(n, chunk), kind)
	if k == chunk && k < n {
		return copyOn(dst, src, n, kind, k, plain)
	}
	return k, plain
}

// copyTwin copies src[k:n] with a twin. The bytes before k have been copied and are ASCII.
func copyTwin(dst, src mem.Raw, n, kind, k int) (int, bool) {
	dst, src = mem.RawAdd(dst, uintptr(k)), mem.RawAdd(src, uintptr(k))
	var more int
	var good bool
	if kind == jsonString {
		more, good = copyStringTwin(dst, src, n-k)
	} else {
		more, good = copyPlainTwin(dst, src, n-k, kind == plainHTML)
	}
	return k + more, good
}

// copyOn continues a copy whose first chunk contains no stop byte. Only copyOn searches for the end
// of the last complete character in a chunk. Most strings end in the first chunk, so the memory far
// after the end of such a string need not be read.
func copyOn(dst, src mem.Raw, n, kind, k int, good bool) (int, bool) {
	if cut := cutOff(src, k); cut > 0 && !good {
		k, good = copyKernel(dst, src, k-cut, kind) // copy again, without the truncated character
	}
	for {
		m := n - k
		if m > chunk {
			m = chunk
			m -= cutOff(mem.RawAdd(src, uintptr(k)), m)
		}
		more, fine := copyKernel(mem.RawAdd(dst, uintptr(k)), mem.RawAdd(src, uintptr(k)), m, kind)
		k, good = k+more, good && fine
		if more < m || k == n {
			return k, good
		}
	}
}

// cutOff returns the number of bytes at the end of src[:k] that belong to an incomplete character.
// If src[:k] is not UTF-8 for another reason, the result is any number from 0 to 3. k must be at
// least 3.
func cutOff(src mem.Raw, k int) int {
	at := func(i int) byte { return *mem.RawAt[byte](src, uintptr(k-i)) }
	switch {
	case at(1) >= 0xc0:
		return 1
	case at(2) >= 0xe0:
		return 2
	case at(3) >= 0xf0:
		return 3
	}
	return 0
}

func findStop(src mem.Raw, n int) (k int) {
	for tier > floor && n-k >= least {
		m := min(n-k, chunk)
		some := findStopKernel(mem.RawAdd(src, uintptr(k)), m)
		if k += some; some < m || k == n {
			return k
		}
	}
	return findStopLow(src, n, k)
}

func blanks(src mem.Raw, n int) (k int) {
	for tier > floor && n-k >= least {
		m := min(n-k, chunk)
		some := blanksKernel(mem.RawAdd(src, uintptr(k)), m)
		if k += some; some < m || k == n {
			return k
		}
	}
	return blanksLow(src, n, k)
}

func markBlocks(rows []Marks, src mem.Raw) {
	if tier == twins {
		markBlocksTwin(rows, src)
		return
	}
	for i := 0; i < len(rows); {
		n := min(len(rows)-i, chunk/BlockSize)
		markKernel(mem.RawTo(&rows[i]), mem.RawAdd(src, uintptr(i)*BlockSize), n)
		i += n
	}
}
