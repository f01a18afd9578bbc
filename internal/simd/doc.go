// Package simd is where text is read a block at a time: the body of a JSON string on its way in
// (CopyString), on its way out (CopyPlain) and passed over (FindStop), runs of blanks (Blanks), and
// the masks from which a compactor works, with what it does then (MarkBlocks, Pack).
//
// Each of these is a kernel in assembly for amd64 and arm64, chosen once when the program starts,
// and a twin in Go (twin.go):
//
//	amd64_avx512.s   Ice Lake, Zen 4 and later: 64 bytes a step, where that pays (not in FindStop and Blanks)
//	amd64_avx2.s     Haswell, Zen and later: 32 bytes a step. From here on, Pack is left to the twin
//	amd64_sse2.s     the rest: 16 bytes a step; from the first block on that is not ASCII, a string is left to the twin
//	arm64.s          NEON: 16 bytes a step
//	other.go         other machines, and the tag purego: the twin
//
// # What the kernels may touch
//
// A kernel reads src[0:n] and not a byte more: no page tricks. What is left after the last whole
// block is read again together with the end of that block, in which nothing was found,
//
//	         0         32        64     n
//	blocks   [ first   ][ second ]······
//	last                    [ n-32 …    ]
//
// and text shorter than a block is put together from two overlapping pieces, with zeros after it,
// which count as a stop. The AVX-512 kernels use masked loads instead, which do not fault on what
// they leave out.
//
// The kernels do not give way to the scheduler. They are given 64 KB at a time, cut between two
// characters (chunks.go).
//
// # UTF-8
//
// Text is checked while it is copied, by the method of John Keiser and Daniel Lemire, "Validating
// UTF-8 In Less Than One Instruction Per Byte", Software: Practice and Experience 51 (5), 2021.
// Whether two bytes may follow each other depends on three nibbles: both of the first and the high
// one of the second. Each is looked up in a table whose entries are sets of errors that this nibble
// allows, one bit for each kind of error; the intersection of the three sets is what is wrong:
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
// The last is an error unless the byte is the third or fourth of a sequence, and the other way
// round: it is compared with what the bytes two and three places before ask for. A block of ASCII
// skips all this, but the one after a block of other characters does not: a sequence may have been
// cut off between the two.
//
// An error shows at the byte that makes it one. With a stop byte in the block, the errors after it
// are not ours; the one at the stop byte itself is, as it can only be a sequence that was cut off.
//
// # Marks
//
// Classes of bytes are found by looking up the low nibble and comparing, after Geoff Langdale and
// Daniel Lemire, "Parsing Gigabytes of JSON per Second", The VLDB Journal 28 (6), 2019.
package simd
