//go:build amd64 && !purego

#include "go_asm.h"
#include "textflag.h"

// What the processor is, which kernel copies, and what the kernels of amd64_avx2.s and amd64_avx512.s look up.

// func cpuid(leaf, subleaf uint32) (a, b, c, d uint32)
TEXT ·cpuid(SB), NOSPLIT, $0-24
	MOVL leaf+0(FP), AX
	MOVL subleaf+4(FP), CX
	CPUID
	MOVL AX, a+8(FP)
	MOVL BX, b+12(FP)
	MOVL CX, c+16(FP)
	MOVL DX, d+20(FP)
	RET

// func xgetbv0() uint32
TEXT ·xgetbv0(SB), NOSPLIT, $0-4
	XORL CX, CX
	XGETBV
	MOVL AX, ret+0(FP)
	RET

// func copyKernel(dst, src mem.Pointer, n, kind int) (k int, good bool)
//
// What it jumps to finds the arguments where they are, and returns to where this was called.
TEXT ·copyKernel(SB), NOSPLIT, $0-41
	CMPB ·tier(SB), $const_avx512
	JNE  avx2
	JMP  ·copyAVX512(SB)

avx2:
	JMP ·copyAVX2(SB)

// A byte eight times, for VPBROADCASTQ.
DATA ·blank8+0(SB)/8, $0x2020202020202020
GLOBL ·blank8(SB), RODATA|NOPTR, $8
DATA ·quote8+0(SB)/8, $0x2222222222222222
GLOBL ·quote8(SB), RODATA|NOPTR, $8
DATA ·backslash8+0(SB)/8, $0x5c5c5c5c5c5c5c5c
GLOBL ·backslash8(SB), RODATA|NOPTR, $8
DATA ·two8+0(SB)/8, $0x0202020202020202
GLOBL ·two8(SB), RODATA|NOPTR, $8
DATA ·control8+0(SB)/8, $0x1f1f1f1f1f1f1f1f
GLOBL ·control8(SB), RODATA|NOPTR, $8
DATA ·nibble8+0(SB)/8, $0x0f0f0f0f0f0f0f0f
GLOBL ·nibble8(SB), RODATA|NOPTR, $8

// A byte 32 times, for memory operands.
#define FILL32(name, value) \
	DATA name+0(SB)/8, value; \
	DATA name+8(SB)/8, value; \
	DATA name+16(SB)/8, value; \
	DATA name+24(SB)/8, value; \
	GLOBL name(SB), RODATA|NOPTR, $32

FILL32(·sixty, $0x6060606060606060)
FILL32(·seventy, $0x7070707070707070)
FILL32(·high, $0x8080808080808080)
FILL32(·e2, $0xe2e2e2e2e2e2e2e2)
FILL32(·one, $0x0101010101010101)
FILL32(·a9, $0xa9a9a9a9a9a9a9a9)

// Tables for VPSHUFB: entry i is for the bytes whose low nibble is i, and a byte is found if it is its own entry. Entries that
// are not used are zero, which finds nothing, or, as entry 0, a byte that is a stop anyway. Bytes of 0x80 and above find zero.

// What a copy looks for, by its kind: the quote, the quote, the quote with < > &.
DATA ·escaped+0(SB)/8, $0x0000000000220000
DATA ·escaped+8(SB)/8, $0x0000000000000000
DATA ·escaped+16(SB)/8, $0x0000000000220000
DATA ·escaped+24(SB)/8, $0x0000000000000000
DATA ·escaped+32(SB)/8, $0x0026000000220000
DATA ·escaped+40(SB)/8, $0x003e003c00000000
GLOBL ·escaped(SB), RODATA|NOPTR, $48

// Space; tab, newline and return.
DATA ·white+0(SB)/8, $0x0000000000000020
DATA ·white+8(SB)/8, $0x00000d00000a0900
GLOBL ·white(SB), RODATA|NOPTR, $16

// : { , and }. The byte is or-ed with 0x20 before it is compared, which makes { and } of [ and ].
DATA ·ops+0(SB)/8, $0x0000000000000000
DATA ·ops+8(SB)/8, $0x00007d2c7b3a0000
GLOBL ·ops(SB), RODATA|NOPTR, $16

// The errors that a nibble allows, see doc.go: the high and the low one of the first byte, and the high one of the second.
DATA ·firstHigh+0(SB)/8, $0x0202020202020202
DATA ·firstHigh+8(SB)/8, $0x4915012180808080
GLOBL ·firstHigh(SB), RODATA|NOPTR, $16
DATA ·firstLow+0(SB)/8, $0xcbcbcb8b8383a3e7
DATA ·firstLow+8(SB)/8, $0xcbcbdbcbcbcbcbcb
GLOBL ·firstLow(SB), RODATA|NOPTR, $16
DATA ·secondHigh+0(SB)/8, $0x0101010101010101
DATA ·secondHigh+8(SB)/8, $0x01010101babaaee6
GLOBL ·secondHigh(SB), RODATA|NOPTR, $16

// All but the first three bytes.
DATA ·butThree+0(SB)/8, $0xffffffffff000000
DATA ·butThree+8(SB)/8, $0xffffffffffffffff
DATA ·butThree+16(SB)/8, $0xffffffffffffffff
DATA ·butThree+24(SB)/8, $0xffffffffffffffff
GLOBL ·butThree(SB), RODATA|NOPTR, $32

// The last three bytes of a text may be no more than this, or a sequence is cut off.
DATA ·highest+0(SB)/8, $0xffffffffffffffff
DATA ·highest+8(SB)/8, $0xffffffffffffffff
DATA ·highest+16(SB)/8, $0xffffffffffffffff
DATA ·highest+24(SB)/8, $0xbfdfefffffffffff
GLOBL ·highest(SB), RODATA|NOPTR, $32

// The 16 bytes at slide+i move i bytes of a register down, and zeros in from above.
DATA ·slide+0(SB)/8, $0x0706050403020100
DATA ·slide+8(SB)/8, $0x0f0e0d0c0b0a0908
DATA ·slide+16(SB)/8, $0x8080808080808080
DATA ·slide+24(SB)/8, $0x8080808080808080
GLOBL ·slide(SB), RODATA|NOPTR, $32
