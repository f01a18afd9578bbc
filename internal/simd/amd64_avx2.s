//go:build amd64 && !purego

#include "textflag.h"

// STOPS sets R8 to the bytes of the block in Y0 that are a stop or not ASCII: signed, 0x20 is above both the control characters
// and all from 0x80.
//
//	Y8   backslashes   Y9   0x20   Y10  the table of what is escaped
#define STOPS \
	VPSHUFB   Y0, Y10, Y1 \
	VPCMPEQB  Y0, Y1, Y1  \
	VPCMPEQB  Y0, Y8, Y2  \
	VPCMPGTB  Y0, Y9, Y3  \
	VPOR      Y1, Y2, Y1  \
	VPOR      Y1, Y3, Y1  \
	VPMOVMSKB Y1, R8

// ERRORS sets the bytes of Y7 that are wrong in the block in Y0, or follow something that is wrong. The bytes one, two and three
// places before each are in Y1, Y2 and Y3. Y1 and Y2 are kept.
//
// The tables tell what is wrong with each byte and the one before it, and take a third or fourth byte for an error, "two conts",
// of the high bit. Where a third or fourth byte has to be, after 0xe0 and above two places before or 0xf0 and above three places
// before, that bit is turned over.
//
//	Y11  firstHigh   Y12  firstLow   Y13  secondHigh   Y14  0x0f
#define ERRORS \
	VPSRLW   $4, Y1, Y4          \
	VPAND    Y14, Y4, Y4         \
	VPSHUFB  Y4, Y11, Y7         \
	VPAND    Y14, Y1, Y5         \
	VPSHUFB  Y5, Y12, Y5         \
	VPAND    Y5, Y7, Y7          \
	VPSRLW   $4, Y0, Y6          \
	VPAND    Y14, Y6, Y6         \
	VPSHUFB  Y6, Y13, Y6         \
	VPAND    Y6, Y7, Y7          \
	VPSUBUSB ·sixty(SB), Y2, Y4 \
	VPSUBUSB ·seventy(SB), Y3, Y5 \
	VPOR     Y5, Y4, Y4          \
	VPAND    ·high(SB), Y4, Y4  \
	VPXOR    Y4, Y7, Y7

// func copyAVX2(dst, src mem.Pointer, n, kind int) (k int, good bool)
//
//	DI   dst
//	SI   src
//	CX   n-32, the last place for a block
//	AX   where the block begins
//	R8   the stops in the block
//	R9   the bytes of the block that are not ASCII
//	R11  kind
//	Y0   the block
//	Y15  the errors so far
//
// There are two loops. ascii goes on as long as there is nothing but ASCII; from the first block that has more, text checks
// each block against the bytes before it, until one has been checked that is ASCII throughout.
TEXT ·copyAVX2(SB), NOSPLIT, $0-41
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ kind+24(FP), R11

	LEAQ           ·escaped(SB), DX
	MOVQ           R11, BX
	SHLQ           $4, BX
	VBROADCASTI128 (DX)(BX*1), Y10
	VPBROADCASTQ   ·backslash8(SB), Y8
	VPBROADCASTQ   ·blank8(SB), Y9
	VPXOR          Y15, Y15, Y15
	XORL           AX, AX
	XORL           R9, R9
	SUBQ           $32, CX
	JLT            short

ascii:
	VMOVDQU (SI)(AX*1), Y0
	VMOVDQU Y0, (DI)(AX*1)
	STOPS
	TESTL   R8, R8
	JNZ     hit
	ADDQ    $32, AX
	CMPQ    AX, CX
	JLE     ascii

	// Fewer than 32 bytes are left. They are looked at together with the end of the block before, unless there are none.
	LEAQ 32(CX), BX
	CMPQ AX, BX
	JEQ  whole
	MOVQ CX, AX
	JMP  ascii

hit:
	VPMOVMSKB Y0, R9
	XORL      R9, R8 // now the stops alone
	JZ        tables
	BLSMSKL   R8, BX // up to the first stop
	TESTL     R9, BX
	JZ        stop   // only ASCII before it

tables:
	VBROADCASTI128 ·firstHigh(SB), Y11
	VBROADCASTI128 ·firstLow(SB), Y12
	VBROADCASTI128 ·secondHigh(SB), Y13
	VPBROADCASTQ   ·nibble8(SB), Y14

text:
	CMPQ    AX, $3
	JLT     edge
	VMOVDQU -1(SI)(AX*1), Y1
	VMOVDQU -2(SI)(AX*1), Y2
	VMOVDQU -3(SI)(AX*1), Y3
	ERRORS

checked:
	TESTL R11, R11
	JNZ   separators

counted:
	TESTL R8, R8
	JNZ   stopInText
	VPOR  Y7, Y15, Y15
	ADDQ  $32, AX
	CMPQ  AX, CX
	JLE   next
	LEAQ  32(CX), BX
	CMPQ  AX, BX
	JEQ   wholeText
	MOVQ  CX, AX

next:
	TESTL     R9, R9
	JZ        ascii
	VMOVDQU   (SI)(AX*1), Y0
	VMOVDQU   Y0, (DI)(AX*1)
	STOPS
	VPMOVMSKB Y0, R9
	XORL      R9, R8
	JMP       text

edge:
	// There are no three bytes before the block. Zeros take their place.
	//
	//	Y0              [ low   | high  ]
	//	Y4      [ zeros | low   ]
	//	Y1             0[ low   | high ]
	VPERM2I128 $0x08, Y0, Y0, Y4
	VPALIGNR   $15, Y4, Y0, Y1
	VPALIGNR   $14, Y4, Y0, Y2
	VPALIGNR   $13, Y4, Y0, Y3
	ERRORS
	TESTQ      AX, AX
	JZ         checked

	// But there are one or two: this is the last block of 33 or 34 bytes. Its first three have been checked before.
	VPAND ·butThree(SB), Y7, Y7
	JMP   checked

separators:
	// U+2028 and U+2029 are E2 80 A8 and E2 80 A9.
	VPCMPEQB ·e2(SB), Y2, Y2
	VPCMPEQB ·high(SB), Y1, Y1
	VPOR     ·one(SB), Y0, Y3
	VPCMPEQB ·a9(SB), Y3, Y3
	VPAND    Y1, Y2, Y2
	VPAND    Y2, Y3, Y3
	VPOR     Y3, Y7, Y7
	JMP      counted

stopInText:
	// An error counts up to the stop, where it is a sequence that was cut off.
	VPXOR     Y1, Y1, Y1
	VPCMPEQB  Y1, Y7, Y1
	VPMOVMSKB Y1, DX
	NOTL      DX
	BLSMSKL   R8, BX
	TESTL     BX, DX
	JNZ       bad

stop:
	TZCNTL     R8, R8
	ADDQ       R8, AX
	MOVQ       AX, k+32(FP)
	VPTEST     Y15, Y15
	SETEQ      good+40(FP)
	VZEROUPPER
	RET

bad:
	TZCNTL     R8, R8
	ADDQ       R8, AX
	MOVQ       AX, k+32(FP)
	MOVB       $0, good+40(FP)
	VZEROUPPER
	RET

wholeText:
	// Y0 ends where the text does.
	VPSUBUSB ·highest(SB), Y0, Y0
	VPOR     Y0, Y15, Y15

whole:
	MOVQ       AX, k+32(FP)
	VPTEST     Y15, Y15
	SETEQ      good+40(FP)
	VZEROUPPER
	RET

short:
	// Fewer than 32 bytes become a block with zeros after them: two pieces that overlap, the second moved down to where the
	// first ends. The first of the zeros is the stop at n.
	ADDQ        $32, CX
	CMPQ        CX, $16
	JLT         under16
	VMOVDQU     (SI), X0
	VMOVDQU     -16(SI)(CX*1), X1
	VMOVDQU     X0, (DI)
	VMOVDQU     X1, -16(DI)(CX*1)
	LEAQ        ·slide+32(SB), BX
	SUBQ        CX, BX
	VPSHUFB     (BX), X1, X1
	VINSERTI128 $1, X1, Y0, Y0
	STOPS
	JMP         hit

under16:
	CMPQ    CX, $8
	JLT     under8
	MOVQ    (SI), R8
	MOVQ    -8(SI)(CX*1), R9
	MOVQ    R8, (DI)
	MOVQ    R9, -8(DI)(CX*1)
	MOVL    $15, BX
	SUBL    CX, BX
	SHLL    $3, BX
	SHRQ    $8, R9      // 16-n bytes, in two steps: eight bytes are too far for one
	SHRXQ   BX, R9, R9
	VMOVQ   R8, X0
	VPINSRQ $1, R9, X0, X0
	STOPS
	JMP     hit

under8:
	CMPQ  CX, $4
	JLT   under4
	MOVL  (SI), R8
	MOVL  -4(SI)(CX*1), R9
	MOVL  R8, (DI)
	MOVL  R9, -4(DI)(CX*1)
	MOVL  $8, BX
	SUBL  CX, BX
	SHLL  $3, BX
	SHRXQ BX, R9, R9
	SHLQ  $32, R9
	ORQ   R9, R8
	VMOVQ R8, X0
	STOPS
	JMP   hit

under4:
	// The first byte, the one in the middle and the last one are all there are. Two of them, or all, may be the same.
	TESTQ   CX, CX
	JZ      whole
	MOVQ    CX, DX
	SHRQ    $1, DX
	MOVBLZX (SI), R8
	MOVBLZX (SI)(DX*1), R9
	MOVBLZX -1(SI)(CX*1), R10
	MOVB    R8, (DI)
	MOVB    R9, (DI)(DX*1)
	MOVB    R10, -1(DI)(CX*1)
	SHLL    $3, DX
	SHLXL   DX, R9, R9
	LEAL    -8(CX*8), DX
	SHLXL   DX, R10, R10
	ORL     R9, R8
	ORL     R10, R8
	VMOVD   R8, X0
	STOPS
	JMP     hit

// func findStopAVX2(src mem.Pointer, n int) (k int)
//
//	SI  src, CX  n-32, AX  where the block begins, R8  the stops in it
//	Y8  backslashes, Y9  0x20, Y10  0x02
//
// A quote is 0x22: with its second bit turned over, it is no more than 0x20, as are the control characters, and nothing else.
TEXT ·findStopAVX2(SB), NOSPLIT, $0-24
	MOVQ         src+0(FP), SI
	MOVQ         n+8(FP), CX
	VPBROADCASTQ ·backslash8(SB), Y8
	VPBROADCASTQ ·blank8(SB), Y9
	VPBROADCASTQ ·two8(SB), Y10
	XORL         AX, AX
	SUBQ         $32, CX

block:
	VMOVDQU   (SI)(AX*1), Y0
	VPXOR     Y10, Y0, Y1
	VPMINUB   Y9, Y1, Y2
	VPCMPEQB  Y1, Y2, Y2
	VPCMPEQB  Y0, Y8, Y3
	VPOR      Y2, Y3, Y3
	VPMOVMSKB Y3, R8
	TESTL     R8, R8
	JNZ       found
	ADDQ      $32, AX
	CMPQ      AX, CX
	JLE       block
	LEAQ      32(CX), BX
	CMPQ      AX, BX
	JEQ       none
	MOVQ      CX, AX
	JMP       block

found:
	TZCNTL R8, R8
	ADDQ   R8, AX

none:
	MOVQ       AX, k+16(FP)
	VZEROUPPER
	RET

// func blanksAVX2(src mem.Pointer, n int) (k int)
//
//	SI  src, CX  n-32, AX  where the block begins, R8  the bytes in it that are white space
//	Y9  the table of white space
TEXT ·blanksAVX2(SB), NOSPLIT, $0-24
	MOVQ           src+0(FP), SI
	MOVQ           n+8(FP), CX
	VBROADCASTI128 ·white(SB), Y9
	XORL           AX, AX
	SUBQ           $32, CX

block:
	VMOVDQU   (SI)(AX*1), Y0
	VPSHUFB   Y0, Y9, Y1
	VPCMPEQB  Y0, Y1, Y1
	VPMOVMSKB Y1, R8
	XORL      $-1, R8
	JNZ       found
	ADDQ      $32, AX
	CMPQ      AX, CX
	JLE       block
	LEAQ      32(CX), BX
	CMPQ      AX, BX
	JEQ       none
	MOVQ      CX, AX
	JMP       block

found:
	TZCNTL R8, R8
	ADDQ   R8, AX

none:
	MOVQ       AX, k+16(FP)
	VZEROUPPER
	RET

// MARK stores at place the bytes of the 64 that lo and hi have set.
#define MARK(lo, hi, place) \
	VPMOVMSKB lo, R8     \
	VPMOVMSKB hi, R9     \
	SHLQ      $32, R9    \
	ORQ       R9, R8     \
	MOVQ      R8, place

// func markBlocksAVX2(rows, src mem.Pointer, n int)
//
//	DI  the row, SI  the block, CX  how many are left
//	Y0, Y1  the two halves of the block; Y2 to Y5 what is found in them
//	Y8  backslashes, Y9  quotes, Y10  0x1f, Y11  0x20, Y12  the table of white space, Y13  that of ops
TEXT ·markBlocksAVX2(SB), NOSPLIT, $0-24
	MOVQ           rows+0(FP), DI
	MOVQ           src+8(FP), SI
	MOVQ           n+16(FP), CX
	VPBROADCASTQ   ·backslash8(SB), Y8
	VPBROADCASTQ   ·quote8(SB), Y9
	VPBROADCASTQ   ·control8(SB), Y10
	VPBROADCASTQ   ·blank8(SB), Y11
	VBROADCASTI128 ·white(SB), Y12
	VBROADCASTI128 ·ops(SB), Y13

block:
	VMOVDQU (SI), Y0
	VMOVDQU 32(SI), Y1

	VPCMPEQB Y0, Y9, Y2
	VPCMPEQB Y1, Y9, Y3
	MARK(Y2, Y3, 0(DI))

	VPCMPEQB Y0, Y8, Y4
	VPCMPEQB Y1, Y8, Y5
	MARK(Y4, Y5, 8(DI))

	VPSHUFB  Y0, Y12, Y2
	VPSHUFB  Y1, Y12, Y3
	VPCMPEQB Y0, Y2, Y2
	VPCMPEQB Y1, Y3, Y3
	MARK(Y2, Y3, 32(DI))

	VPMINUB  Y0, Y10, Y4
	VPMINUB  Y1, Y10, Y5
	VPCMPEQB Y0, Y4, Y4
	VPCMPEQB Y1, Y5, Y5
	MARK(Y4, Y5, 16(DI))

	// The two control characters that 0x20 makes , and : are taken out again.
	VPSHUFB   Y0, Y13, Y2
	VPSHUFB   Y1, Y13, Y3
	VPOR      Y0, Y11, Y0
	VPOR      Y1, Y11, Y1
	VPCMPEQB  Y0, Y2, Y2
	VPCMPEQB  Y1, Y3, Y3
	VPMOVMSKB Y2, R10
	VPMOVMSKB Y3, R11
	SHLQ      $32, R11
	ORQ       R11, R10
	ANDNQ     R10, R8, R10
	MOVQ      R10, 24(DI)

	ADDQ       $64, SI
	ADDQ       $40, DI
	DECQ       CX
	JNZ        block
	VZEROUPPER
	RET
