package simd

import "github.com/slipstream-go/slipstream/internal/mem"

// CopyString copies the body of a JSON string: the bytes of src[0:n] before the first stop byte,
// which is a quote, a backslash or a control character (below 0x20). The result `k` is the index of
// that byte, or n if there is no such byte. The result `valid` reports whether src[:k] is valid
// UTF-8, as defined by unicode/utf8. A sequence that is truncated at k is invalid, regardless of
// the following bytes.
//
// CopyString reads nothing outside src[0:n] and writes nothing outside dst[0:n]. The content of
// dst[k:n] is undefined afterwards. dst and src must not overlap.
func CopyString(dst, src mem.Pointer, n int) (k int, valid bool) { return copyString(dst, src, n) }

// FindStop returns the index of the first stop byte of src[0:n], or n if there is no stop byte. The
// stop bytes are the same as for CopyString. FindStop reads nothing outside src[0:n].
func FindStop(src mem.Pointer, n int) (k int) { return findStop(mem.RawBytes(src, n), n) }

// CopyPlain copies text that needs no escape in JSON: the bytes of src[0:n] before the first quote,
// backslash or control character (below 0x20). If html is true, it also stops at <, > and &. The
// result `k` is the index of the byte at which it stops, or n if there is no such byte. The result
// `plain` reports whether src[:k] is valid UTF-8, as in CopyString, and contains neither U+2028 nor
// U+2029.
//
// CopyPlain reads nothing outside src[0:n] and writes nothing outside dst[0:n]. The content of
// dst[k:n] is undefined afterwards. dst and src must not overlap.
func CopyPlain(dst, src mem.Pointer, n int, html bool) (k int, plain bool) {
	return copyPlain(dst, src, n, html)
}

// Blanks returns the length of the JSON white space (space, tab, newline, return) at the start of
// src[0:n]. It is optimized for long sequences; callers check the first few bytes themselves. It
// reads nothing outside src[0:n].
func Blanks(src mem.Pointer, n int) int { return blanks(mem.RawBytes(src, n), n) }

// BlockSize is the number of bytes that one value of type Marks describes.
const BlockSize = 64

// Marks describes a block of text. Bit i of each mask describes byte i of the block.
type Marks struct {
	Quote     uint64 // "
	Backslash uint64 // \
	Control   uint64 // below 0x20, including tab, newline and return
	Op        uint64 // { } [ ] : ,
	Blank     uint64 // space, tab, newline, return
}

// MarkBlocks writes the masks of the first len(rows) blocks of src to rows. It reads only these
// blocks.
func MarkBlocks(rows []Marks, src mem.Pointer) {
	markBlocks(rows, mem.RawBytes(src, BlockSize*len(rows)))
}

// Pack copies the bytes of src whose bits are set in the masks `keep`, and returns the number of
// these bytes. The word keep[0] describes the first block, and the lowest bit of each word
// describes the first byte of its block.
//
// It reads only len(keep) blocks of src, and writes only to the first len(keep) blocks of dst.
// After the copied bytes, the content of these blocks is undefined. dst and src may overlap if dst
// begins at src or before it.
func Pack(dst, src mem.Pointer, keep []uint64) (n int) {
	return pack(mem.RawRoom(dst, BlockSize*len(keep)), mem.RawBytes(src, BlockSize*len(keep)), keep)
}

// Tier returns the name of the kernels in use: avx512, avx2, sse2, neon or go.
func Tier() string { return tier.String() }

// A level is a set of kernels.
type level uint8

const (
	twins level = iota
	sse2
	avx2
	avx512
	neon
)

func (l level) String() string { return [...]string{"go", "sse2", "avx2", "avx512", "neon"}[l] }

// tier is the level in use. It changes only in tests.
var tier = best()
