//go:build amd64 && !purego

#include "textflag.h"

// The kernels for machines without AVX2. They use nothing that the first amd64 machines lack.

// SPREAD fills the register x with the four bytes of value, by way of AX.
#define SPREAD(value, x) \
	MOVL   value, AX    \
	MOVQ   AX, x        \
	PSHUFD $0, x, x

// func copySSE2(dst, src mem.Pointer, n, kind int) (k int, done bool)
//
//	DI  dst, SI  src, CX  n-16, the last place for a block, AX  where the block begins
//	R8  the stops in the block, R9  its bytes that are not ASCII
//	X0  the block, X1 to X4  what is found in it
//	X8  backslashes, X9  0x20
//	X10, X11  a byte that is X11 when or-ed with X10 is a stop: the quote, or with bit 2 the quote and &
//	X12, X13  the same: with bit 1 < and >; else nothing, as 0 has not this bit
TEXT ·copySSE2(SB), NOSPLIT, $0-41
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ kind+24(FP), BX
	SPREAD($0x5c5c5c5c, X8)
	SPREAD($0x20202020, X9)
	SPREAD($0x22222222, X11)
	SPREAD($0x02020202, X12)
	PXOR X10, X10
	PXOR X13, X13
	CMPQ BX, $2
	JNE  begin
	SPREAD($0x04040404, X10)
	SPREAD($0x26262626, X11)
	SPREAD($0x3e3e3e3e, X13)

begin:
	XORL AX, AX
	SUBQ $16, CX

block:
	MOVOU    (SI)(AX*1), X0
	MOVOU    X0, (DI)(AX*1)
	MOVO     X9, X1
	PCMPGTB  X0, X1
	MOVO     X8, X2
	PCMPEQB  X0, X2
	MOVO     X10, X3
	POR      X0, X3
	PCMPEQB  X11, X3
	MOVO     X12, X4
	POR      X0, X4
	PCMPEQB  X13, X4
	POR      X2, X1
	POR      X4, X3
	POR      X3, X1
	PMOVMSKB X1, R8 // signed, 0x20 is above all from 0x80 too
	TESTL    R8, R8
	JNZ      hit
	ADDQ     $16, AX
	CMPQ     AX, CX
	JLE      block
	LEAQ     16(CX), BX
	CMPQ     AX, BX
	JEQ      left
	MOVQ     CX, AX
	JMP      block

hit:
	PMOVMSKB X0, R9
	XORL     R9, R8
	JZ       left         // no stop here
	LEAL     -1(R8), BX
	XORL     R8, BX       // up to the first stop
	TESTL    R9, BX
	JNZ      left         // there is more than ASCII before it
	BSFL     R8, R8
	ADDQ     R8, AX
	MOVQ     AX, k+32(FP)
	MOVB     $1, done+40(FP)
	RET

left:
	MOVQ AX, k+32(FP)
	MOVB $0, done+40(FP)
	RET

// func findStopSSE2(src mem.Pointer, n int) (k int)
//
//	SI  src, CX  n-16, AX  where the block begins, R8  the stops in it
//	X8  backslashes, X9  0x20, X10  0x02, which makes 0x20 of a quote
TEXT ·findStopSSE2(SB), NOSPLIT, $0-24
	MOVQ src+0(FP), SI
	MOVQ n+8(FP), CX
	SPREAD($0x5c5c5c5c, X8)
	SPREAD($0x20202020, X9)
	SPREAD($0x02020202, X10)
	XORL AX, AX
	SUBQ $16, CX

block:
	MOVOU    (SI)(AX*1), X0
	MOVO     X10, X1
	PXOR     X0, X1
	MOVO     X9, X2
	PMINUB   X1, X2
	PCMPEQB  X1, X2
	PCMPEQB  X8, X0
	POR      X2, X0
	PMOVMSKB X0, R8
	TESTL    R8, R8
	JNZ      found
	ADDQ     $16, AX
	CMPQ     AX, CX
	JLE      block
	LEAQ     16(CX), BX
	CMPQ     AX, BX
	JEQ      none
	MOVQ     CX, AX
	JMP      block

found:
	BSFL R8, R8
	ADDQ R8, AX

none:
	MOVQ AX, k+16(FP)
	RET

// func blanksSSE2(src mem.Pointer, n int) (k int)
//
//	SI  src, CX  n-16, AX  where the block begins, R8  the bytes in it that are no white space
//	X8  spaces, X9  newlines, X10  returns, X11  0x04, which makes a return of a tab
TEXT ·blanksSSE2(SB), NOSPLIT, $0-24
	MOVQ src+0(FP), SI
	MOVQ n+8(FP), CX
	SPREAD($0x20202020, X8)
	SPREAD($0x0a0a0a0a, X9)
	SPREAD($0x0d0d0d0d, X10)
	SPREAD($0x04040404, X11)
	XORL AX, AX
	SUBQ $16, CX

block:
	MOVOU    (SI)(AX*1), X0
	MOVO     X0, X1
	PCMPEQB  X8, X1
	MOVO     X0, X2
	PCMPEQB  X9, X2
	POR      X11, X0
	PCMPEQB  X10, X0
	POR      X2, X1
	POR      X1, X0
	PMOVMSKB X0, R8
	XORL     $0xffff, R8
	JNZ      found
	ADDQ     $16, AX
	CMPQ     AX, CX
	JLE      block
	LEAQ     16(CX), BX
	CMPQ     AX, BX
	JEQ      none
	MOVQ     CX, AX
	JMP      block

found:
	BSFL R8, R8
	ADDQ R8, AX

none:
	MOVQ AX, k+16(FP)
	RET

// PUSH puts the 16 bits of x below the bits that a mask has so far.
#define PUSH(x, mask) \
	PMOVMSKB x, AX    \
	SHLQ     $16, mask \
	ORQ      AX, mask

// QUARTER adds 16 bytes to the masks in R8 to R12, which are in the order of Marks.
#define QUARTER(place) \
	MOVOU   place, X0 \
	MOVO    X5, X1    \
	PCMPEQB X0, X1    \
	PUSH(X1, R8)      \
	MOVO    X6, X1    \
	PCMPEQB X0, X1    \
	PUSH(X1, R9)      \
	MOVO    X7, X1    \
	PMINUB  X0, X1    \
	PCMPEQB X0, X1    \
	PUSH(X1, R10)     \
	MOVO    X8, X1    \
	POR     X0, X1    \
	MOVO    X9, X2    \
	PCMPEQB X1, X2    \
	PCMPEQB X10, X1   \
	MOVO    X11, X3   \
	PCMPEQB X0, X3    \
	MOVO    X12, X4   \
	PCMPEQB X0, X4    \
	POR     X2, X1    \
	POR     X4, X3    \
	POR     X3, X1    \
	PUSH(X1, R11)     \
	MOVO    X8, X1    \
	PCMPEQB X0, X1    \
	MOVO    X13, X2   \
	PCMPEQB X0, X2    \
	POR     X14, X0   \
	PCMPEQB X15, X0   \
	POR     X2, X1    \
	POR     X0, X1    \
	PUSH(X1, R12)

// func markBlocksSSE2(rows, src mem.Pointer, n int)
//
//	DI  the row, SI  the block, CX  how many are left
//	X5  quotes, X6  backslashes, X7  0x1f
//	X8  0x20, which makes { and } of [ and ], X9  {, X10  }, X11  :, X12  ,
//	X13  newlines, X14  0x04, which makes a return of a tab, X15  returns
TEXT ·markBlocksSSE2(SB), NOSPLIT, $0-24
	MOVQ rows+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	SPREAD($0x22222222, X5)
	SPREAD($0x5c5c5c5c, X6)
	SPREAD($0x1f1f1f1f, X7)
	SPREAD($0x20202020, X8)
	SPREAD($0x7b7b7b7b, X9)
	SPREAD($0x7d7d7d7d, X10)
	SPREAD($0x3a3a3a3a, X11)
	SPREAD($0x2c2c2c2c, X12)
	SPREAD($0x0a0a0a0a, X13)
	SPREAD($0x04040404, X14)
	SPREAD($0x0d0d0d0d, X15)

block:
	QUARTER(48(SI))
	QUARTER(32(SI))
	QUARTER(16(SI))
	QUARTER(0(SI))
	MOVQ R8, 0(DI)
	MOVQ R9, 8(DI)
	MOVQ R10, 16(DI)
	MOVQ R11, 24(DI)
	MOVQ R12, 32(DI)
	ADDQ $64, SI
	ADDQ $40, DI
	DECQ CX
	JNZ  block
	RET
