// Package simd processes text in blocks of bytes:
//   - CopyString copies the body of a JSON string for a decoder.
//   - CopyPlain copies the body of a JSON string for an encoder.
//   - FindStop skips the body of a JSON string.
//   - Blanks skips white space.
//   - MarkBlocks computes masks that describe blocks of JSON. Pack copies the bytes that remain
//     when JSON is compacted.
//
// Each of these functions has kernels in assembly for amd64 and arm64. It also has a twin: the same
// function in Go (twin.go). The kernel is selected once, when the program starts:
//
//	amd64_avx512.s   Ice Lake, Zen 4 and later: 64 bytes per step, except in FindStop and Blanks, where this is not faster
//	amd64_avx2.s     Haswell, Zen and later: 32 bytes per step; on this level and below, Pack is the twin
//	amd64_sse2.s     others: 16 bytes per step; the twin processes a string from its first block that is not ASCII
//	arm64.s          NEON: 16 bytes per step
//	other.go         other machines, and builds with the tag purego: the twin
//
// # What the kernels may touch
//
// A kernel reads only src[0:n], even if further bytes of the memory page could be read. After the
// last whole block, it reads the last bytes of src as another block. This block overlaps the
// previous block, in which no stop byte was found:
//
//	         0         32        64     n
//	blocks   [ first   ][ second ]······
//	last                    [ n-32 …    ]
//
// If the text is shorter than a block, the block is combined from two overlapping pieces and padded
// with bytes of the value 0. Such a byte counts as a stop byte. The AVX-512 kernels use masked
// loads instead, which do not fault on the bytes that the mask excludes.
//
// The scheduler cannot interrupt a kernel. So a kernel gets at most 64 KB in one call, cut between
// two characters (chunks.go).
//
// # UTF-8
//
// Text is checked while it is copied, with the method of John Keiser and Daniel Lemire, "Validating
// UTF-8 In Less Than One Instruction Per Byte", Software: Practice and Experience 51 (5), 2021.
// Three nibbles determine whether two consecutive bytes are valid: both nibbles of the first byte,
// and the high nibble of the second byte. For each value of each nibble, a table contains the set
// of errors that are possible with this value, with one bit per kind of error. The intersection of
// the three sets is the set of actual errors:
//
//	bit  error        first byte  second byte
//	0    too short    11xxxxxx    0xxxxxxx, 11xxxxxx
//	1    too long     0xxxxxxx    10xxxxxx
//	2    overlong 3   11100000    100xxxxx
//	3    too large    11110100…   101xxxxx, 1001xxxx
//	4    surrogate    11101101    101xxxxx
//	5    overlong 2   1100000x    10xxxxxx
//	6    overlong 4   11110000    1000xxxx;  also too large: 11110101…  1000xxxx
//	7    two conts    10xxxxxx    10xxxxxx
//
// Bit 7 must be set if the second byte is the third or fourth byte of a UTF-8 sequence, and only
// then. So the bit is compared with the sequence lengths that the bytes two and three places
// earlier announce.
//
// The check skips a block of ASCII if the previous block also contains only ASCII. Otherwise, a
// sequence may be cut off at the end of the previous block.
//
// The reported position of an error is the position of the byte that causes it. If the block
// contains a stop byte, errors after the stop byte are ignored. An error at the stop byte itself is
// not ignored, because it can only be a truncated sequence.
//
// # Marks
//
// To find classes of bytes, the kernels look up the low nibble of each byte in a table, and compare
// the result with the byte. This method was described by Geoff Langdale and Daniel Lemire, "Parsing
// Gigabytes of JSON per Second", The VLDB Journal 28 (6), 2019.
package simd
