//go:build (amd64 || arm64) && !purego

package simd

import "github.com/slipstream-go/slipstream/internal/mem"

// Here text is cut into chunks for the kernels. What a machine calls its own, in amd64.go or
// arm64.go:
//
//	copyKernel                    copies one chunk
//	findStopKernel, blanksKernel  search one chunk, of least bytes or more
//	markKernel                    describes the blocks of one chunk
//	copyLow, findStopLow,         do the work, or what is left of it, where there are no such kernels: up to the tier floor, and
//	blanksLow                     for what is too short
//
// A call here and a call there take as long as copying 30 bytes. So there is only one between a
// copy and its kernel.

// chunk is how much a kernel is given at a time: some 2 to 20 µs of work.
const chunk = 64 << 10

const (
	jsonString = iota // until a stop byte
	plainText         // the same; and there must be no U+2028 nor U+2029
	plainHTML         // the same, and until <, > or & as well
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

// copyTwin copies src[k:n], when what lies before has been copied and is ASCII.
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

// copyOn goes on when the first chunk has no stop. Only now is it time to look where in the next
// one a character ends: most strings end in the first, and what lies far behind them need not be
// fetched from memory.
func copyOn(dst, src mem.Raw, n, kind, k int, good bool) (int, bool) {
	if cut := cutOff(src, k); cut > 0 && !good {
		k, good = copyKernel(dst, src, k-cut, kind) // once more, without the character that was cut off
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

// cutOff is the number of bytes at the end of src[:k] that belong to a character which does not end
// there; or anything from 0 to 3 if src[:k] is not UTF-8 for another reason. k is 3 or more.
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
