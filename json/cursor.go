package json

// Where the decoder is in its input.
//
// A position is an index into d.b, handed from function to function by value; negative ones are
// results (see decodeFunc). Most reads are not checked against the end of the input. Instead, input
// is read through one of two windows:
//
//	the input itself   d.b = src             positions up to d.lim, which is reach bytes before its end
//	its last bytes     d.b = d.tail          [rest of the input | zeros]; d.lim is beyond any position
//
// A guard, `if i > d.lim { i = d.near(i) }`, stands wherever a position may have come far: after
// it, reach bytes from i can be read, and what lies after the end of the input reads as zero, which
// ends every token and is part of none. near changes the window, so d.b must be loaded again after
// every call that may pass a guard. Every function that takes a position may pass one, and gives
// back a position that is at most 32 bytes from one.
//
// Input of up to tailSize-pad bytes is copied into the tail at once.

import (
	"math"
	"math/bits"

	"github.com/slipstream-go/slipstream/internal/mem"
)

const (
	reach    = 256 // bytes that may be read from a guarded position
	pad      = 64  // zeros after the rest of the input
	tailSize = 832
)

// guard is the guard of positions that are handed back.
func (d *decoder) guard(i int) int {
	if i > d.lim {
		return d.near(i)
	}
	return i
}

const spaces = 0x2020202020202020

// open starts reading src.
func (d *decoder) open(src []byte) {
	d.src = src
	d.off = 0
	if len(src) <= tailSize-pad {
		d.lim = -1
		d.near(0)
		return
	}
	d.b, d.inTail = src, false
	d.end = len(src)
	d.lim = len(src) - reach
}

// near moves the window to the last bytes of the input, from i on, and gives their position there.
//
//go:noinline
func (d *decoder) near(i int) int {
	if d.trail != nil && i <= d.trail.lim {
		return i // d.lim is there for nearIn
	}
	n := copy(d.tail[:], d.src[i:])
	clear(d.tail[n : n+pad])
	if !d.inTail {
		d.b, d.inTail = d.tail[:], true
	}
	d.end = n
	d.off = i
	d.lim = math.MaxInt
	return 0
}

// blanks is the position of the first byte at or after i that is no white space.
//
// Eight spaces are a branch, not a count: the processor foresees how deep a line is indented, and
// need not wait for the bytes.
func (d *decoder) blanks(i int) int {
	b := d.b
	for {
		for {
			x := mem.Load64(b, i) ^ spaces
			if x != 0 {
				i += bits.TrailingZeros64(x) >> 3
				break
			}
			if i += 8; i > d.lim {
				i = d.near(i)
				b = d.b
			}
		}
		switch mem.Load8(b, i) {
		case '\n', '\t', '\r':
			if i++; i > d.lim {
				i = d.near(i)
				b = d.b
			}
		default:
			return i
		}
	}
}

// line is the position after the new line at i and what it is indented by, up to 8 spaces. It is
// the part of blanks that pays where a call does not.
func line(b []byte, i int) int {
	if x := mem.Load64(b, i+1) ^ spaces; x != 0 {
		return i + 1 + bits.TrailingZeros64(x)>>3
	}
	return i + 9
}
