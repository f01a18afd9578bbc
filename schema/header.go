package schema

import (
	"math"
	"strings"

	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/internal/wire"
)

// Header is the encoding of a length or a number of elements. It has 1, 2, 4 or 8 bytes, and is
// little-endian unless the name ends in BE. Headers with an I in their names are signed, as in
// parts of Parco, so their range is half as large.
type Header uint8

const (
	H8 Header = iota
	H16
	H16BE
	H32
	H32BE
	H64
	H64BE
	HI8
	HI16
	HI16BE
	HI32
	HI32BE
	HI64
	HI64BE

	headers
)

var headerTexts = [headers]string{"8", "16", "16be", "32", "32be", "64", "64be", "i8", "i16", "i16be", "i32", "i32be", "i64", "i64be"}

// big reports whether the number is big-endian.
func (h Header) big() bool { return strings.HasSuffix(headerTexts[h], "be") }

var headerSizes = [headers]uint8{1, 2, 2, 4, 4, 8, 8, 1, 2, 2, 4, 4, 8, 8}

// headerMax contains the largest number of each header.
var headerMax = [headers]uint64{
	math.MaxUint8, math.MaxUint16, math.MaxUint16, math.MaxUint32, math.MaxUint32, math.MaxUint64, math.MaxUint64,
	math.MaxInt8, math.MaxInt16, math.MaxInt16, math.MaxInt32, math.MaxInt32, math.MaxInt64, math.MaxInt64,
}

// String returns the name of the header in the notation of [Schema.String].
func (h Header) String() string {
	if h >= headers {
		return "?"
	}
	return headerTexts[h]
}

func (h Header) size() int { return int(headerSizes[h]) }

// node returns a node of kind k with this header.
func (h Header) node(k kind) node {
	n := node{kind: k, header: h}
	if h >= headers {
		n.wrong("header %d does not exist", h)
		n.header = H8
	}
	return n
}

// Read reads a length or a number of elements, and returns the rest of b. If the number is larger
// than an int, Read returns the largest int. The error is [ErrShort] or, for a negative number,
// [ErrOverflow].
func (h Header) Read(b []byte) (n int, rest []byte, err error) {
	switch {
	case h >= headers:
		return 0, b, ErrOverflow
	case len(b) < h.size():
		return 0, b, ErrShort
	}
	if n = h.read(b, 0); n < 0 {
		return 0, b, ErrOverflow
	}
	return n, b[h.size():], nil
}

// put writes n at b[i:], and reports whether n is in the range of the header. The slice b must be
// long enough.
func (h Header) put(b []byte, i int, n int) bool {
	if uint64(n) > headerMax[h] {
		return false
	}
	switch h {
	case H8, HI8:
		mem.Store8(b, i, byte(n))
	case H16, HI16:
		mem.Store16(b, i, uint16(n))
	case H16BE, HI16BE:
		wire.PutBE16(b, i, uint16(n))
	case H32, HI32:
		mem.Store32(b, i, uint32(n))
	case H32BE, HI32BE:
		wire.PutBE32(b, i, uint32(n))
	case H64, HI64:
		mem.Store64(b, i, uint64(n))
	default:
		wire.PutBE64(b, i, uint64(n))
	}
	return true
}

// read returns the number at b[i:]. If the number is larger than the largest int, it returns the
// largest int. For a negative number, it returns -1. The slice b must contain the whole number.
func (h Header) read(b []byte, i int) int {
	var n uint64
	switch h {
	case H8, HI8:
		n = uint64(mem.Load8(b, i))
	case H16, HI16:
		n = uint64(mem.Load16(b, i))
	case H16BE, HI16BE:
		n = uint64(wire.BE16(b, i))
	case H32, HI32:
		n = uint64(mem.Load32(b, i))
	case H32BE, HI32BE:
		n = uint64(wire.BE32(b, i))
	case H64, HI64:
		n = mem.Load64(b, i)
	default:
		n = wire.BE64(b, i)
	}
	if n > headerMax[h] {
		return -1
	}
	return int(min(n, math.MaxInt))
}
