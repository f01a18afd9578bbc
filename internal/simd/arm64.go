//go:build arm64 && !purego

package simd

import "github.com/slipstream-go/slipstream/internal/mem"

// best returns neon, because every arm64 machine that Go supports has NEON.
func best() level { return neon }

// levels returns the levels that this machine supports.
func levels() []level { return []level{twins, neon} }

const (
	floor = twins
	least = 16
)

// The parameter `kind` of a copying kernel determines at which bytes it stops, and which checks it
// makes. The kernel's result `good` has the same meaning as the result `valid` or `plain` of the
// kernel's twin.
//
//go:noescape
func copyKernel(dst, src mem.Raw, n, kind int) (k int, good bool)

//go:noescape
func findStopKernel(src mem.Raw, n int) (k int) // n ≥ 16

//go:noescape
func blanksKernel(src mem.Raw, n int) (k int) // n ≥ 16

//go:noescape
func markKernel(rows, src mem.Raw, n int) // n > 0 blocks

func pack(dst, src mem.Raw, keep []uint64) int { return packTwin(dst, src, keep) }

func copyLow(dst, src mem.Raw, n, kind int) (k int, good bool) {
	return copyTwin(dst, src, n, kind, 0)
}

func findStopLow(src mem.Raw, n, k int) int {
	return k + findStopTwin(mem.RawAdd(src, uintptr(k)), n-k)
}

func blanksLow(src mem.Raw, n, k int) int {
	return k + blanksTwin(mem.RawAdd(src, uintptr(k)), n-k)
}
