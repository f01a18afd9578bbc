//go:build purego || !(amd64 || arm64)

package simd

import "github.com/slipstream-go/slipstream/internal/mem"

func best() level { return twins }

// levels returns the levels that this machine supports.
func levels() []level { return []level{twins} }

func findStop(src mem.Raw, n int) int          { return findStopTwin(src, n) }
func blanks(src mem.Raw, n int) int            { return blanksTwin(src, n) }
func pack(dst, src mem.Raw, keep []uint64) int { return packTwin(dst, src, keep) }
func markBlocks(rows []Marks, src mem.Raw)     { markBlocksTwin(rows, src) }

func copyString(dst, src mem.Pointer, n int) (int, bool) {
	return copyStringTwin(mem.RawRoom(dst, n), mem.RawBytes(src, n), n)
}

func copyPlain(dst, src mem.Pointer, n int, html bool) (int, bool) {
	return copyPlainTwin(mem.RawRoom(dst, n), mem.RawBytes(src, n), n, html)
}
