//go:build amd64 && !purego

#include "textflag.h"

// STOPS sets R8 to the bytes of the block in Z0 that are a stop or not ASCII: signed, those are the ones below 0x20 and those
// from 0x80.
//
//	Z8   backslashes   Z9   0x20   Z10  the table of what is escaped
#define STOPS \
	VPSHUFB  Z0, Z10, Z1    \
	VPCMPEQB Z0, Z1, K1     \
	VPCMPEQB Z0, Z8, K2     \
	VPCMPB   $1, Z9, Z0, K3 \
	KORQ     K1, K2, K1     \
	KORQ     K1, K3, K1     \
	KMOVQ    K1, R8

// func copyAVX512(dst, src mem.Pointer, n, kind int) (k int, good bool)
//
//	DI   dst
//	SI   src
//	CX   n
//	AX   where the block begins
//	R8   the stops in the block
//	R9   the bytes of the block that are not ASCII
//	R11  kind
//	R12  not 0 if there was an error
//	Z0   the block; the last one has zeros after the text, the first of which is the stop at n
//	Z16  the block before it, or zeros if that is ASCII or there is none
//
// There are two loops. ascii goes on as long as there is nothing but ASCII; from the first block that has more, text checks
// each block together with the end of the one before, until one has been checked that is ASCII throughout.
TEXT ·copyAVX512(SB), NOSPLIT, $0-41
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ kind+24(FP), R11

	LEAQ            ·escaped(SB), DX
	MOVQ            R11, BX
	SHLQ            $4, BX
	VBROADCASTI32X4 (DX)(BX*1), Z10
	VPBROADCASTQ    ·backslash8(SB), Z8
	VPBROADCASTQ    ·blank8(SB), Z9
	XORL            AX, AX
	XORL            R12, R12

ascii:
	LEAQ      64(AX), DX
	CMPQ      DX, CX
	JGT       asciiLast
	VMOVDQU64 (SI)(AX*1), Z0
	VMOVDQU64 Z0, (DI)(AX*1)
	STOPS
	TESTQ     R8, R8
	JNZ       hit
	MOVQ      DX, AX
	JMP       ascii

asciiLast:
	MOVQ       CX, BX
	SUBQ       AX, BX
	JZ         whole
	MOVQ       $-1, DX
	BZHIQ      BX, DX, DX
	KMOVQ      DX, K4
	VMOVDQU8.Z (SI)(AX*1), K4, Z0
	VMOVDQU8   Z0, K4, (DI)(AX*1)
	STOPS

hit:
	VPMOVB2M Z0, K1
	KMOVQ    K1, R9
	XORQ     R9, R8 // now the stops alone
	JZ       tables
	BLSMSKQ  R8, BX // up to the first stop
	TESTQ    R9, BX
	JZ       stop   // only ASCII before it

tables:
	VPXORQ          Z16, Z16, Z16
	VBROADCASTI32X4 ·firstHigh(SB), Z11
	VBROADCASTI32X4 ·firstLow(SB), Z12
	VBROADCASTI32X4 ·secondHigh(SB), Z13
	VPBROADCASTQ    ·nibble8(SB), Z14
	VPBROADCASTQ    ·sixty(SB), Z17
	VPBROADCASTQ    ·seventy(SB), Z18
	VPBROADCASTQ    ·high(SB), Z19
	VPBROADCASTQ    ·e2(SB), Z20
	VPBROADCASTQ    ·one(SB), Z21
	VPBROADCASTQ    ·a9(SB), Z22

text:
	// The bytes one, two and three places before each, in Z1, Z2 and Z3. The upper end of each quarter of Z4 goes before the
	// same quarter of Z0.
	//
	//	Z16, Z0  [  …  |  …  |  …  |  p  ][  a  |  b  |  c  |  d  ]
	//	Z4                         [  p  |  a  |  b  |  c  ]
	VALIGNQ  $6, Z16, Z0, Z4
	VPALIGNR $15, Z4, Z0, Z1
	VPALIGNR $14, Z4, Z0, Z2
	VPALIGNR $13, Z4, Z0, Z3

	// What is wrong with each byte and the one before it. A third or fourth byte is taken for an error, "two conts", of the high
	// bit. Where one has to be, after 0xe0 and above two places before or 0xf0 and above three places before, that bit is turned
	// over.
	VPSRLW     $4, Z1, Z4
	VPANDQ     Z14, Z4, Z4
	VPSHUFB    Z4, Z11, Z7
	VPANDQ     Z14, Z1, Z5
	VPSHUFB    Z5, Z12, Z5
	VPSRLW     $4, Z0, Z6
	VPANDQ     Z14, Z6, Z6
	VPSHUFB    Z6, Z13, Z6
	VPTERNLOGQ $0x80, Z5, Z6, Z7  // Z7 & Z6 & Z5
	VPSUBUSB   Z17, Z2, Z4
	VPSUBUSB   Z18, Z3, Z5
	VPORQ      Z5, Z4, Z4
	VPTERNLOGQ $0x78, Z19, Z4, Z7 // Z7 ^ (Z4 & Z19)
	VPTESTMB   Z7, Z7, K1
	KMOVQ      K1, DX
	TESTL      R11, R11
	JNZ        separators

counted:
	TESTQ R8, R8
	JNZ   stopInText
	ORQ   DX, R12
	ADDQ  $64, AX
	TESTQ R9, R9
	JZ    ascii

	VMOVDQA64  Z0, Z16
	LEAQ       64(AX), DX
	CMPQ       DX, CX
	JGT        textLast
	VMOVDQU64  (SI)(AX*1), Z0
	VMOVDQU64  Z0, (DI)(AX*1)
	STOPS
	VPMOVB2M   Z0, K1
	KMOVQ      K1, R9
	XORQ       R9, R8
	JMP        text

textLast:
	// There may be nothing left but the end of a sequence that is missing: then all of the block is zeros.
	MOVQ       CX, BX
	SUBQ       AX, BX
	MOVQ       $-1, DX
	BZHIQ      BX, DX, DX
	KMOVQ      DX, K4
	VMOVDQU8.Z (SI)(AX*1), K4, Z0
	VMOVDQU8   Z0, K4, (DI)(AX*1)
	STOPS
	VPMOVB2M   Z0, K1
	KMOVQ      K1, R9
	XORQ       R9, R8
	JMP        text

separators:
	// U+2028 and U+2029 are E2 80 A8 and E2 80 A9.
	VPCMPEQB Z20, Z2, K1
	VPCMPEQB Z19, Z1, K1, K1
	VPORQ    Z21, Z0, Z3
	VPCMPEQB Z22, Z3, K1, K1
	KMOVQ    K1, BX
	ORQ      BX, DX
	JMP      counted

stopInText:
	// An error counts up to the stop, where it is a sequence that was cut off.
	BLSMSKQ R8, BX
	ANDQ    BX, DX
	ORQ     DX, R12

stop:
	TZCNTQ R8, R8
	ADDQ   R8, AX

whole:
	MOVQ       AX, k+32(FP)
	TESTQ      R12, R12
	SETEQ      good+40(FP)
	VZEROUPPER
	RET

// func markBlocksAVX512(rows, src mem.Pointer, n int)
//
//	DI  the row, SI  the block, CX  how many are left
//	Z0  the block; Z8  backslashes, Z9  quotes, Z10  0x20, Z11  the table of white space, Z12  that of ops
TEXT ·markBlocksAVX512(SB), NOSPLIT, $0-24
	MOVQ            rows+0(FP), DI
	MOVQ            src+8(FP), SI
	MOVQ            n+16(FP), CX
	VPBROADCASTQ    ·backslash8(SB), Z8
	VPBROADCASTQ    ·quote8(SB), Z9
	VPBROADCASTQ    ·blank8(SB), Z10
	VBROADCASTI32X4 ·white(SB), Z11
	VBROADCASTI32X4 ·ops(SB), Z12

block:
	VMOVDQU64 (SI), Z0
	VPCMPEQB  Z0, Z9, K1
	VPCMPEQB  Z0, Z8, K2
	VPCMPUB   $1, Z10, Z0, K3     // below 0x20
	VPSHUFB   Z0, Z11, Z1
	VPSHUFB   Z0, Z12, Z2
	VPORQ     Z0, Z10, Z3
	VPCMPEQB  Z0, Z1, K5
	VPCMPUB   $5, Z10, Z0, K4     // the others
	VPCMPEQB  Z3, Z2, K4, K4      // without the two control characters that 0x20 makes , and :
	KMOVQ     K1, 0(DI)
	KMOVQ     K2, 8(DI)
	KMOVQ     K3, 16(DI)
	KMOVQ     K4, 24(DI)
	KMOVQ     K5, 32(DI)
	ADDQ      $64, SI
	ADDQ      $40, DI
	DECQ      CX
	JNZ       block
	VZEROUPPER
	RET

// func packAVX512(dst, src, keep mem.Pointer, n int) (k int)
//
//	DI  where the next byte goes, SI  the block, DX  its bits, CX  how many are left
//
// Each block is stored as a whole: it goes where it was, or before, so that it ends no later. A compressing store would be slow.
TEXT ·packAVX512(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ keep+16(FP), DX
	MOVQ n+24(FP), CX
	MOVQ DI, BX

block:
	KMOVQ         (DX), K1
	VMOVDQU64     (SI), Z0
	VPCOMPRESSB.Z Z0, K1, Z0
	VMOVDQU64     Z0, (DI)
	POPCNTQ       (DX), AX
	ADDQ          AX, DI
	ADDQ          $8, DX
	ADDQ          $64, SI
	DECQ          CX
	JNZ           block
	SUBQ          BX, DI
	MOVQ          DI, k+32(FP)
	VZEROUPPER
	RET
