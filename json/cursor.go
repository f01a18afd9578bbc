package json

// This file manages the position of the decoder in its input.
//
// A position is an index into d.b. Functions take and return positions by value. A negative
// position is a special result (see decodeFunc). Most reads do not check for the end of the input.
// To make this safe, the decoder reads the input through one of two windows:
//
//	the input itself   d.b = src             positions up to d.lim, which is reach bytes before its end
//	its last bytes     d.b = d.tail          [rest of the input | zeros]; d.lim is beyond any position
//
// A guard is the statement `if i > d.lim { i = d.near(i) }`. It is necessary wherever a position
// may have moved far. After a guard, at least 256 bytes can be read from i on (see the constant
// reach). Bytes after the end of the input are zero. A zero byte ends every token, and is not part
// of any token. The method near changes the window, so d.b must be loaded again after every call
// that may execute a guard. Every function with a position as a parameter may execute a guard. It
// returns a position that is at most 32 bytes after a guarded position.
//
// The method open copies input of up to tailSize-pad bytes into the tail immediately.

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

// guard executes a guard for the position i, and returns the resulting position.
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

// near replaces the window by a copy of the last bytes of the input, from i on. It returns the
// position of these bytes in the new window.
//
//go:noinline
func (d *decoder) near(i int) int {
	if d.trail != nil && i <= d.trail.lim {
		return i // d.lim is set for nearIn, not for the end of the input
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

// blanks returns the position of the first byte at or after i that is not white space.
//
// The loop executes a branch for every eight spaces instead of counting spaces. So the processor
// can predict the indentation of a line, and need not wait for the bytes.
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

// line skips the newline at i and up to 8 spaces of indentation, and returns the position after
// them. It is used where a call of blanks would be too slow.
func line(b []byte, i int) int {
	if x := mem.Load64(b, i+1) ^ spaces; x != 0 {
		return i + 1 + bits.TrailingZeros64(x)>>3
	}
	return i + 9
}
