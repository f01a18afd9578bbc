//go:build arm64 && !purego

#include "textflag.h"

// The instructions that Go's assembler does not know, on whole registers of bytes. d, n and m are numbers of registers.

// GREATER sets the bytes of d where n is greater than m, signed: CMGT.
#define GREATER(m, n, d) WORD $(0x4e203400 | (m)<<16 | (n)<<5 | (d))

// NOTBELOW sets the bytes of d where n is not below m, unsigned: CMHS.
#define NOTBELOW(m, n, d) WORD $(0x6e203c00 | (m)<<16 | (n)<<5 | (d))

// LESS is n-m, or 0 where that is negative: UQSUB.
#define LESS(m, n, d) WORD $(0x6e202c00 | (m)<<16 | (n)<<5 | (d))

// NIBBLES makes four bits of each byte of n, in the low half of d; n is all ones or all zeros in each byte: SHRN by 4.
#define NIBBLES(n, d) WORD $(0x0f0c8400 | (n)<<5 | (d))

// Tables: entry i is for the bytes whose low nibble is i, and a byte is found if it is its own entry. Entries that are not used
// are zero, which finds nothing, or, as entry 0, a byte that is a stop anyway.

// What a copy looks for, by its kind: the quote, the quote, the quote with < > &.
DATA escaped<>+0(SB)/8, $0x0000000000220000
DATA escaped<>+8(SB)/8, $0x0000000000000000
DATA escaped<>+16(SB)/8, $0x0000000000220000
DATA escaped<>+24(SB)/8, $0x0000000000000000
DATA escaped<>+32(SB)/8, $0x0026000000220000
DATA escaped<>+40(SB)/8, $0x003e003c00000000
GLOBL escaped<>(SB), RODATA|NOPTR, $48

// Space; tab, newline and return. Then : { , and }; the byte is or-ed with 0x20 before it is compared, which makes { and } of
// [ and ].
DATA marks<>+0(SB)/8, $0x0000000000000020
DATA marks<>+8(SB)/8, $0x00000d00000a0900
DATA marks<>+16(SB)/8, $0x0000000000000000
DATA marks<>+24(SB)/8, $0x00007d2c7b3a0000
GLOBL marks<>(SB), RODATA|NOPTR, $32

// The errors that a nibble allows, see doc.go: the high and the low one of the first byte, and the high one of the second. Then
// what the last three bytes of a text may be at most, or a sequence is cut off.
DATA errors<>+0(SB)/8, $0x0202020202020202
DATA errors<>+8(SB)/8, $0x4915012180808080
DATA errors<>+16(SB)/8, $0xcbcbcb8b8383a3e7
DATA errors<>+24(SB)/8, $0xcbcbdbcbcbcbcbcb
DATA errors<>+32(SB)/8, $0x0101010101010101
DATA errors<>+40(SB)/8, $0x01010101babaaee6
DATA errors<>+48(SB)/8, $0xffffffffffffffff
DATA errors<>+56(SB)/8, $0xbfdfefffffffffff
GLOBL errors<>(SB), RODATA|NOPTR, $64

// All but the first three bytes.
DATA butThree<>+0(SB)/8, $0xffffffffff000000
DATA butThree<>+8(SB)/8, $0xffffffffffffffff
GLOBL butThree<>(SB), RODATA|NOPTR, $16

// 1, 2, 4, … 128, twice.
DATA weights<>+0(SB)/8, $0x8040201008040201
DATA weights<>+8(SB)/8, $0x8040201008040201
GLOBL weights<>(SB), RODATA|NOPTR, $16

// STOPS sets R8 to the bytes of the block in V0 that are a stop or not ASCII, four bits for each: signed, 0x20 is above both the
// control characters and all from 0x80.
//
//	V8   backslashes   V9   0x20   V10  the table of what is escaped   V14  0x0f
#define STOPS \
	VAND  V14.B16, V0.B16, V1.B16     \
	VTBL  V1.B16, [V10.B16], V1.B16   \
	VCMEQ V0.B16, V1.B16, V1.B16      \
	VCMEQ V0.B16, V8.B16, V2.B16      \
	GREATER(0, 9, 3)                  \
	VORR  V1.B16, V2.B16, V1.B16      \
	VORR  V1.B16, V3.B16, V1.B16      \
	NIBBLES(1, 1)                     \
	VMOV  V1.D[0], R8

// NOTASCII sets R9 to the bytes of the block that are not ASCII, and leaves the stops alone in R8.
//
//	V19  0x80
#define NOTASCII \
	VCMTST V19.B16, V0.B16, V1.B16 \
	NIBBLES(1, 1)                  \
	VMOV   V1.D[0], R9             \
	EOR    R9, R8, R8

// ERRORS sets the bytes of V7 that are wrong in the block in V0, or follow something that is wrong. The bytes one, two and three
// places before each are in V1, V2 and V3. V1 and V2 are kept.
//
// The tables tell what is wrong with each byte and the one before it, and take a third or fourth byte for an error, "two conts",
// of the high bit. Where a third or fourth byte has to be, after 0xe0 and above two places before or 0xf0 and above three places
// before, that bit is turned over.
//
//	V14  0x0f   V17  0x60   V18  0x70   V19  0x80   V20, V21, V22  the tables
#define ERRORS \
	VUSHR $4, V1.B16, V4.B16        \
	VTBL  V4.B16, [V20.B16], V7.B16 \
	VAND  V14.B16, V1.B16, V5.B16   \
	VTBL  V5.B16, [V21.B16], V5.B16 \
	VAND  V5.B16, V7.B16, V7.B16    \
	VUSHR $4, V0.B16, V6.B16        \
	VTBL  V6.B16, [V22.B16], V6.B16 \
	VAND  V6.B16, V7.B16, V7.B16    \
	LESS(17, 2, 4)                  \
	LESS(18, 3, 5)                  \
	VORR  V5.B16, V4.B16, V4.B16    \
	VAND  V19.B16, V4.B16, V4.B16   \
	VEOR  V4.B16, V7.B16, V7.B16

// func copyKernel(dst, src mem.Pointer, n, kind int) (k int, good bool)
//
//	R0   dst
//	R1   src
//	R2   n-16, the last place for a block
//	R3   where the block begins
//	R8   the stops in the block, four bits for each byte
//	R9   the bytes of the block that are not ASCII, likewise
//	R11  kind
//	V0   the block
//	V15  the errors so far
//
// There are two loops. ascii goes on as long as there is nothing but ASCII; from the first block that has more, text checks
// each block against the bytes before it, until one has been checked that is ASCII throughout.
TEXT ·copyKernel(SB), NOSPLIT, $0-41
	MOVD dst+0(FP), R0
	MOVD src+8(FP), R1
	MOVD n+16(FP), R2
	MOVD kind+24(FP), R11

	MOVD  $escaped<>(SB), R6
	ADD   R11<<4, R6, R6
	VLD1  (R6), [V10.B16]
	VMOVI $0x5c, V8.B16
	VMOVI $0x20, V9.B16
	VMOVI $0x0f, V14.B16
	VMOVI $0x80, V19.B16
	VEOR  V15.B16, V15.B16, V15.B16
	MOVD  $0, R3
	MOVD  $0, R9
	SUBS  $16, R2, R2
	BLT   short

ascii:
	ADD   R1, R3, R4
	ADD   R0, R3, R5
	FMOVQ (R4), F0
	FMOVQ F0, (R5)
	STOPS
	CBNZ  R8, hit
	ADD   $16, R3, R3
	CMP   R2, R3
	BLE   ascii

	// Fewer than 16 bytes are left. They are looked at together with the end of the block before, unless there are none.
	ADD $16, R2, R4
	CMP R4, R3
	BEQ whole
	MOVD R2, R3
	B    ascii

hit:
	NOTASCII
	CBZ R8, tables // no stop here
	SUB $1, R8, R4
	EOR R8, R4, R4 // up to the first stop
	TST R9, R4
	BEQ stop       // only ASCII before it

tables:
	MOVD  $errors<>(SB), R6
	VLD1  (R6), [V20.B16, V21.B16, V22.B16, V23.B16]
	VMOVI $0x60, V17.B16
	VMOVI $0x70, V18.B16

text:
	CMP   $3, R3
	BLT   edge
	ADD   R1, R3, R4
	FMOVQ -1(R4), F1
	FMOVQ -2(R4), F2
	FMOVQ -3(R4), F3
	ERRORS

checked:
	CBNZ R11, separators

counted:
	CBNZ R8, stopInText
	VORR V7.B16, V15.B16, V15.B16
	ADD  $16, R3, R3
	CMP  R2, R3
	BLE  next
	ADD  $16, R2, R4
	CMP  R4, R3
	BEQ  wholeText
	MOVD R2, R3

next:
	CBZ   R9, ascii
	ADD   R1, R3, R4
	ADD   R0, R3, R5
	FMOVQ (R4), F0
	FMOVQ F0, (R5)
	STOPS
	NOTASCII
	B     text

edge:
	// There are no three bytes before the block. Zeros take their place.
	VEOR V4.B16, V4.B16, V4.B16
	VEXT $15, V0.B16, V4.B16, V1.B16
	VEXT $14, V0.B16, V4.B16, V2.B16
	VEXT $13, V0.B16, V4.B16, V3.B16
	ERRORS
	CBZ  R3, checked

	// But there are one or two: this is the last block of 17 or 18 bytes. Its first three have been checked before.
	MOVD $butThree<>(SB), R6
	VLD1 (R6), [V4.B16]
	VAND V4.B16, V7.B16, V7.B16
	B    checked

separators:
	// U+2028 and U+2029 are E2 80 A8 and E2 80 A9.
	VMOVI $0xe2, V4.B16
	VMOVI $0x01, V5.B16
	VMOVI $0xa9, V6.B16
	VCMEQ V4.B16, V2.B16, V2.B16
	VCMEQ V19.B16, V1.B16, V1.B16
	VORR  V5.B16, V0.B16, V3.B16
	VCMEQ V6.B16, V3.B16, V3.B16
	VAND  V1.B16, V2.B16, V2.B16
	VAND  V2.B16, V3.B16, V3.B16
	VORR  V3.B16, V7.B16, V7.B16
	B     counted

stopInText:
	// An error counts up to the stop, where it is a sequence that was cut off.
	VCMTST V7.B16, V7.B16, V1.B16
	NIBBLES(1, 1)
	VMOV   V1.D[0], R5
	SUB    $1, R8, R4
	EOR    R8, R4, R4
	TST    R5, R4
	BEQ    stop
	MOVD   $1, R5
	VMOV   R5, V15.D[0]

stop:
	RBIT R8, R8
	CLZ  R8, R8
	ADD  R8>>2, R3, R3
	B    whole

wholeText:
	// V0 ends where the text does.
	LESS(23, 0, 0)
	VORR V0.B16, V15.B16, V15.B16

whole:
	MOVD R3, k+32(FP)
	VMOV V15.D[0], R4
	VMOV V15.D[1], R5
	ORR  R5, R4, R4
	CMP  $0, R4
	CSET EQ, R4
	MOVB R4, good+40(FP)
	RET

short:
	// Fewer than 16 bytes become a block with zeros after them: two pieces that overlap, the second moved down to where the
	// first ends. The first of the zeros is the stop at n.
	ADDS $16, R2, R2
	BEQ  whole
	ADD  R1, R2, R4 // where the text ends
	ADD  R0, R2, R5 // and the copy
	CMP  $8, R2
	BLT  under8
	MOVD (R1), R6
	MOVD -8(R4), R7
	MOVD R6, (R0)
	MOVD R7, -8(R5)
	MOVD $15, R4
	SUB  R2, R4, R4
	LSL  $3, R4, R4
	LSR  $8, R7, R7 // 16-n bytes, in two steps: eight bytes are too far for one
	LSR  R4, R7, R7
	FMOVD R6, F0
	VMOV R7, V0.D[1]
	STOPS
	B    hit

under8:
	CMP   $4, R2
	BLT   under4
	MOVWU (R1), R6
	MOVWU -4(R4), R7
	MOVW  R6, (R0)
	MOVW  R7, -4(R5)
	MOVD  $8, R4
	SUB   R2, R4, R4
	LSL   $3, R4, R4
	LSR   R4, R7, R7
	ORR   R7<<32, R6, R6
	FMOVD R6, F0
	STOPS
	B     hit

under4:
	// The first byte, the one in the middle and the last one are all there are. Two of them, or all, may be the same.
	LSR   $1, R2, R10
	MOVBU (R1), R6
	MOVBU (R1)(R10), R7
	MOVBU -1(R4), R12
	MOVB  R6, (R0)
	MOVB  R7, (R0)(R10)
	MOVB  R12, -1(R5)
	LSL   $3, R10, R10
	LSL   R10, R7, R7
	SUB   $1, R2, R10
	LSL   $3, R10, R10
	LSL   R10, R12, R12
	ORR   R7, R6, R6
	ORR   R12, R6, R6
	FMOVD R6, F0
	STOPS
	B     hit

// func findStopKernel(src mem.Pointer, n int) (k int)
//
//	R1  src, R2  n-16, R3  where the block begins, R8  the stops in it, four bits for each byte
//	V8  backslashes, V9  0x20, V10  0x02
//
// A quote is 0x22: with its second bit turned over, it is no more than 0x20, as are the control characters, and nothing else.
TEXT ·findStopKernel(SB), NOSPLIT, $0-24
	MOVD  src+0(FP), R1
	MOVD  n+8(FP), R2
	VMOVI $0x5c, V8.B16
	VMOVI $0x20, V9.B16
	VMOVI $0x02, V10.B16
	MOVD  $0, R3
	SUB   $16, R2, R2

block:
	ADD   R1, R3, R4
	FMOVQ (R4), F0
	VEOR  V10.B16, V0.B16, V1.B16
	NOTBELOW(1, 9, 1)
	VCMEQ V8.B16, V0.B16, V2.B16
	VORR  V1.B16, V2.B16, V1.B16
	NIBBLES(1, 1)
	VMOV  V1.D[0], R8
	CBNZ  R8, found
	ADD   $16, R3, R3
	CMP   R2, R3
	BLE   block
	ADD   $16, R2, R4
	CMP   R4, R3
	BEQ   none
	MOVD  R2, R3
	B     block

found:
	RBIT R8, R8
	CLZ  R8, R8
	ADD  R8>>2, R3, R3

none:
	MOVD R3, k+16(FP)
	RET

// func blanksKernel(src mem.Pointer, n int) (k int)
//
//	R1  src, R2  n-16, R3  where the block begins, R8  the bytes in it that are no white space, four bits for each
//	V9  the table of white space, V14  0x0f
TEXT ·blanksKernel(SB), NOSPLIT, $0-24
	MOVD  src+0(FP), R1
	MOVD  n+8(FP), R2
	MOVD  $marks<>(SB), R6
	VLD1  (R6), [V9.B16]
	VMOVI $0x0f, V14.B16
	MOVD  $0, R3
	SUB   $16, R2, R2

block:
	ADD   R1, R3, R4
	FMOVQ (R4), F0
	VAND  V14.B16, V0.B16, V1.B16
	VTBL  V1.B16, [V9.B16], V1.B16
	VCMEQ V1.B16, V0.B16, V1.B16
	NIBBLES(1, 1)
	VMOV  V1.D[0], R8
	MVN   R8, R8
	CBNZ  R8, found
	ADD   $16, R3, R3
	CMP   R2, R3
	BLE   block
	ADD   $16, R2, R4
	CMP   R4, R3
	BEQ   none
	MOVD  R2, R3
	B     block

found:
	RBIT R8, R8
	CLZ  R8, R8
	ADD  R8>>2, R3, R3

none:
	MOVD R3, k+16(FP)
	RET

// BITS makes a mask of 64 bits of the bytes in V4 to V7, which are all ones or all zeros: each keeps the bit of its place, and
// three rounds of adding neighbours gather eight of them in a byte.
//
//	V15  weights
#define BITS(mask) \
	VAND  V15.B16, V4.B16, V4.B16  \
	VAND  V15.B16, V5.B16, V5.B16  \
	VAND  V15.B16, V6.B16, V6.B16  \
	VAND  V15.B16, V7.B16, V7.B16  \
	VADDP V5.B16, V4.B16, V4.B16   \
	VADDP V7.B16, V6.B16, V6.B16   \
	VADDP V6.B16, V4.B16, V4.B16   \
	VADDP V4.B16, V4.B16, V4.B16   \
	VMOV  V4.D[0], mask

// func markKernel(rows, src mem.Pointer, n int)
//
//	R0  the row, R1  the block, R2  how many are left, R4 to R8  the masks, in the order of Marks
//	V0 to V3    the block; V4 to V7  what is found in it; V16 to V19  its low nibbles
//	V8  quotes, V9  backslashes, V10  0x1f, V11  0x20, V12  the table of white space, V13  that of ops, V14  0x0f
TEXT ·markKernel(SB), NOSPLIT, $0-24
	MOVD  rows+0(FP), R0
	MOVD  src+8(FP), R1
	MOVD  n+16(FP), R2
	VMOVI $0x22, V8.B16
	VMOVI $0x5c, V9.B16
	VMOVI $0x1f, V10.B16
	VMOVI $0x20, V11.B16
	MOVD  $marks<>(SB), R3
	VLD1  (R3), [V12.B16, V13.B16]
	VMOVI $0x0f, V14.B16
	MOVD  $weights<>(SB), R3
	VLD1  (R3), [V15.B16]

block:
	VLD1.P 64(R1), [V0.B16, V1.B16, V2.B16, V3.B16]

	VCMEQ V8.B16, V0.B16, V4.B16
	VCMEQ V8.B16, V1.B16, V5.B16
	VCMEQ V8.B16, V2.B16, V6.B16
	VCMEQ V8.B16, V3.B16, V7.B16
	BITS(R4)

	VCMEQ V9.B16, V0.B16, V4.B16
	VCMEQ V9.B16, V1.B16, V5.B16
	VCMEQ V9.B16, V2.B16, V6.B16
	VCMEQ V9.B16, V3.B16, V7.B16
	BITS(R5)

	NOTBELOW(0, 10, 4)
	NOTBELOW(1, 10, 5)
	NOTBELOW(2, 10, 6)
	NOTBELOW(3, 10, 7)
	BITS(R6)

	VAND  V14.B16, V0.B16, V16.B16
	VAND  V14.B16, V1.B16, V17.B16
	VAND  V14.B16, V2.B16, V18.B16
	VAND  V14.B16, V3.B16, V19.B16
	VTBL  V16.B16, [V12.B16], V4.B16
	VTBL  V17.B16, [V12.B16], V5.B16
	VTBL  V18.B16, [V12.B16], V6.B16
	VTBL  V19.B16, [V12.B16], V7.B16
	VCMEQ V4.B16, V0.B16, V4.B16
	VCMEQ V5.B16, V1.B16, V5.B16
	VCMEQ V6.B16, V2.B16, V6.B16
	VCMEQ V7.B16, V3.B16, V7.B16
	BITS(R8)

	// The two control characters that 0x20 makes , and : are taken out again.
	VTBL  V16.B16, [V13.B16], V4.B16
	VTBL  V17.B16, [V13.B16], V5.B16
	VTBL  V18.B16, [V13.B16], V6.B16
	VTBL  V19.B16, [V13.B16], V7.B16
	VORR  V11.B16, V0.B16, V0.B16
	VORR  V11.B16, V1.B16, V1.B16
	VORR  V11.B16, V2.B16, V2.B16
	VORR  V11.B16, V3.B16, V3.B16
	VCMEQ V4.B16, V0.B16, V4.B16
	VCMEQ V5.B16, V1.B16, V5.B16
	VCMEQ V6.B16, V2.B16, V6.B16
	VCMEQ V7.B16, V3.B16, V7.B16
	BITS(R7)
	BIC   R6, R7, R7

	MOVD.P R4, 8(R0)
	MOVD.P R5, 8(R0)
	MOVD.P R6, 8(R0)
	MOVD.P R7, 8(R0)
	MOVD.P R8, 8(R0)
	SUBS   $1, R2, R2
	BNE    block
	RET
