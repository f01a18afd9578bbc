//go:build amd64 && !purego

package simd

import "github.com/slipstream-go/slipstream/internal/mem"

const (
	floor = sse2
	least = 32
)

// The parameter `kind` of a copying kernel determines at which bytes it stops, and which checks it
// makes. The kernel's result `good` has the same meaning as the result `valid` or `plain` of the
// kernel's twin.

// copyKernel jumps to copyAVX512 or copyAVX2.
//
//go:noescape
func copyKernel(dst, src mem.Raw, n, kind int) (k int, good bool)

//
//lint:ignore U1000 copyKernel jumps here
//go:noescape
func copyAVX512(dst, src mem.Raw, n, kind int) (k int, good bool)

//
//lint:ignore U1000 copyKernel jumps here
//go:noescape
func copyAVX2(dst, src mem.Raw, n, kind int) (k int, good bool)

//go:noescape
func markBlocksAVX512(rows, src mem.Raw, n int) // n > 0 blocks

//go:noescape
func packAVX512(dst, src, keep mem.Raw, n int) (k int) // n > 0 blocks

//go:noescape
func findStopAVX2(src mem.Raw, n int) (k int) // n ≥ 32

//go:noescape
func blanksAVX2(src mem.Raw, n int) (k int) // n ≥ 32

//go:noescape
func markBlocksAVX2(rows, src mem.Raw, n int) // n > 0 blocks

// copySSE2 copies ASCII. If done is false, it has copied the first k bytes without finding a stop
// byte, and the twin must copy the remaining bytes.
//
//go:noescape
func copySSE2(dst, src mem.Raw, n, kind int) (k int, done bool) // n ≥ 16

//go:noescape
func findStopSSE2(src mem.Raw, n int) (k int) // n ≥ 16

//go:noescape
func blanksSSE2(src mem.Raw, n int) (k int) // n ≥ 16

//go:noescape
func markBlocksSSE2(rows, src mem.Raw, n int) // n > 0 blocks

func copyLow(dst, src mem.Raw, n, kind int) (k int, good bool) {
	for tier == sse2 && n-k >= 16 {
		m := min(n-k, chunk)
		some, done := copySSE2(mem.RawAdd(dst, uintptr(k)), mem.RawAdd(src, uintptr(k)), m, kind)
		if k += some; done || k == n {
			return k, true
		}
		if some < m {
			break
		}
	}
	return copyTwin(dst, src, n, kind, k)
}

func findStopKernel(src mem.Raw, n int) int { return findStopAVX2(src, n) }
func blanksKernel(src mem.Raw, n int) int   { return blanksAVX2(src, n) }

func findStopLow(src mem.Raw, n, k int) int {
	for tier != twins && n-k >= 16 {
		m := min(n-k, chunk)
		some := findStopSSE2(mem.RawAdd(src, uintptr(k)), m)
		if k += some; some < m || k == n {
			return k
		}
	}
	return k + findStopTwin(mem.RawAdd(src, uintptr(k)), n-k)
}

func blanksLow(src mem.Raw, n, k int) int {
	for tier != twins && n-k >= 16 {
		m := min(n-k, chunk)
		some := blanksSSE2(mem.RawAdd(src, uintptr(k)), m)
		if k += some; some < m || k == n {
			return k
		}
	}
	return k + blanksTwin(mem.RawAdd(src, uintptr(k)), n-k)
}

func markKernel(rows, src mem.Raw, n int) {
	switch {
	case tier >= avx512:
		markBlocksAVX512(rows, src, n)
	case tier >= avx2:
		markBlocksAVX2(rows, src, n)
	default:
		markBlocksSSE2(rows, src, n)
	}
}

// pack calls the kernel if the machine has AVX-512, and the twin otherwise.
func pack(dst, src mem.Raw, keep []uint64) (k int) {
	if tier < avx512 {
		return packTwin(dst, src, keep)
	}
	for i := 0; i < len(keep); {
		n := min(len(keep)-i, chunk/BlockSize)
		k += packAVX512(mem.RawAdd(dst, uintptr(k)), mem.RawAdd(src, uintptr(i)*BlockSize), mem.RawTo(&keep[i]), n)
		i += n
	}
	return k
}

// The functions below detect the features of the machine.

func cpuid(leaf, subleaf uint32) (a, b, c, d uint32)

// xgetbv0 returns a bit mask. Each bit reports whether the operating system saves certain registers
// when it switches between threads.
func xgetbv0() uint32

// best returns the highest level that the machine and the operating system support.
func best() level {
	has := func(word uint32, bits ...int) bool {
		for _, b := range bits {
			if word>>b&1 == 0 {
				return false
			}
		}
		return true
	}
	const (
		osxsave, avx                                     = 27, 28              // leaf 1, ECX
		bmi1, avx2Bit, bmi2, avx512F, avx512BW, avx512VL = 3, 5, 8, 16, 30, 31 // leaf 7, EBX
		vbmi2                                            = 6                   // leaf 7, ECX

		ymmState = 0x06
		zmmState = 0xe6
	)
	if leaves, _, _, _ := cpuid(0, 0); leaves < 7 {
		return sse2
	}
	_, _, c1, _ := cpuid(1, 0)
	if !has(c1, osxsave, avx) {
		return sse2
	}
	state := xgetbv0()
	_, b7, c7, _ := cpuid(7, 0)
	switch {
	case state&ymmState != ymmState || !has(b7, bmi1, avx2Bit, bmi2):
		return sse2
	// The first machines with AVX-512 slow down when it is used. Machines that also have VBMI2 slow
	// down little or not at all.
	case state&zmmState != zmmState || !has(b7, avx512F, avx512BW, avx512VL) || !has(c7, vbmi2):
		return avx2
	}
	return avx512
}

// levels returns the levels that this machine supports.
func levels() []level {
	all := []level{twins, sse2, avx2, avx512}
	return all[:best()+1]
}
