package simd

import "github.com/slipstream-go/slipstream/internal/mem"

// CopyString copies the body of a JSON string: the bytes of src[0:n] before the first stop byte,
// which is a quote, a backslash or a control character (below 0x20). k is where that byte stands,
// or n if there is none. valid tells whether src[:k] is UTF-8 as unicode/utf8 has it; a sequence
// that is cut off at k is not, whatever follows.
//
// It reads nothing outside src[0:n] and writes nothing outside dst[0:n]; what it leaves in dst[k:n]
// is of no use. The two must not overlap.
func CopyString(dst, src mem.Pointer, n int) (k int, valid bool) { return copyString(dst, src, n) }

// FindStop is where the first stop byte of src[0:n] stands, as CopyString has it, or n if there is
// none. It reads nothing outside src[0:n].
func FindStop(src mem.Pointer, n int) (k int) { return findStop(mem.RawBytes(src, n), n) }

// CopyPlain copies what needs no escape in JSON: the bytes of src[0:n] before the first that is a
// quote, a backslash, a control character (below 0x20) or, if html is set, one of <, > and &. k is
// where that byte stands, or n if there is none. plain tells whether src[:k] is UTF-8, as
// CopyString has it, and free of U+2028 and U+2029.
//
// It reads nothing outside src[0:n] and writes nothing outside dst[0:n]; what it leaves in dst[k:n]
// is of no use. The two must not overlap.
func CopyPlain(dst, src mem.Pointer, n int, html bool) (k int, plain bool) {
	return copyPlain(dst, src, n, html)
}

// Blanks is the length of the run of JSON's white space (space, tab, newline, return) at the start
// of src[0:n]. It is made for long runs: a caller looks at the first few bytes itself. It reads
// nothing outside src[0:n].
func Blanks(src mem.Pointer, n int) int { return blanks(mem.RawBytes(src, n), n) }

// BlockSize is the number of bytes that a row of Marks describes.
const BlockSize = 64

// Marks describes a block of text. Bit i of each mask is for byte i of the block.
type Marks struct {
	Quote     uint64 // "
	Backslash uint64 // \
	Control   uint64 // below 0x20; tab, newline and return among them
	Op        uint64 // { } [ ] : ,
	Blank     uint64 // space, tab, newline, return
}

// MarkBlocks describes the first len(rows) blocks of src, all of which it reads, and nothing more.
func MarkBlocks(rows []Marks, src mem.Pointer) {
	markBlocks(rows, mem.RawBytes(src, BlockSize*len(rows)))
}

// Pack copies those bytes of src whose bit in keep is set, and tells how many they are: keep[0] is
// for the first block, its lowest bit for the first byte.
//
// It reads len(keep) blocks of src and nothing more, and writes nothing outside as many blocks of
// dst; what it leaves behind the bytes that it copied is of no use. They may overlap if dst begins
// where src does, or before.
func Pack(dst, src mem.Pointer, keep []uint64) (n int) {
	return pack(mem.RawRoom(dst, BlockSize*len(keep)), mem.RawBytes(src, BlockSize*len(keep)), keep)
}

// Tier names the kernels in use: avx512, avx2, sse2, neon or go.
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
