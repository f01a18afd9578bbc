package transcode

// The codes of MessagePack: see the table in package msgpack. A fixed code carries its value, length or count in its low bits.

import (
	"math"

	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/internal/wire"
)

const (
	codeFixintMax   = 0x7f
	codeFixmap      = 0x80
	codeFixarray    = 0x90
	codeFixstr      = 0xa0
	codeNil         = 0xc0
	codeFalse       = 0xc2
	codeTrue        = 0xc3
	codeBin8        = 0xc4
	codeBin16       = 0xc5
	codeBin32       = 0xc6
	codeExt8        = 0xc7
	codeExt16       = 0xc8
	codeExt32       = 0xc9
	codeFloat32     = 0xca
	codeFloat64     = 0xcb
	codeUint8       = 0xcc
	codeUint16      = 0xcd
	codeUint32      = 0xce
	codeUint64      = 0xcf
	codeInt8        = 0xd0
	codeInt16       = 0xd1
	codeInt32       = 0xd2
	codeInt64       = 0xd3
	codeFixext1     = 0xd4
	codeFixext16    = 0xd8
	codeStr8        = 0xd9
	codeStr16       = 0xda
	codeStr32       = 0xdb
	codeArray16     = 0xdc
	codeArray32     = 0xdd
	codeMap16       = 0xde
	codeMap32       = 0xdf
	codeNegfixint   = 0xe0
	codeFixstrMax   = codeNil - 1
	codeFixmapMax   = codeFixarray - 1
	codeFixarrayMax = codeFixstr - 1
)

// heads is how many bytes the codes from c0 to df take with the number, length or type that follows them.
var heads = [32]uint8{
	1, 1, 1, 1, // nil, a code without a meaning, false, true
	2, 3, 5, 3, 4, 6, // bin, ext
	5, 9, 2, 3, 5, 9, 2, 3, 5, 9, // float, uint, int
	2, 2, 2, 2, 2, // fixext
	2, 3, 5, 3, 5, 3, 5, // str, array, map
}

// lengthAt is the length or count that the bin, ext, str, array or map at b[i] claims. Its head is there whole.
func lengthAt(b []byte, i int) uint64 {
	switch c := b[i]; c {
	case codeBin8, codeExt8, codeStr8:
		return uint64(b[i+1])
	case codeBin16, codeExt16, codeStr16, codeArray16, codeMap16:
		return uint64(wire.BE16(b, i+1))
	case codeBin32, codeExt32, codeStr32, codeArray32, codeMap32:
		return uint64(wire.BE32(b, i+1))
	default: // fixext
		return 1 << (c - codeFixext1)
	}
}

func appendInt(b []byte, v int64) []byte {
	switch {
	case v >= 0:
		return appendUint(b, uint64(v))
	case v >= -32:
		return append(b, byte(v))
	case v >= math.MinInt8:
		return append(b, codeInt8, byte(v))
	case v >= math.MinInt16:
		return append16(b, codeInt16, uint16(v))
	case v >= math.MinInt32:
		return append32(b, codeInt32, uint32(v))
	}
	return append64(b, codeInt64, uint64(v))
}

func appendUint(b []byte, v uint64) []byte {
	switch {
	case v <= codeFixintMax:
		return append(b, byte(v))
	case v <= math.MaxUint8:
		return append(b, codeUint8, byte(v))
	case v <= math.MaxUint16:
		return append16(b, codeUint16, uint16(v))
	case v <= math.MaxUint32:
		return append32(b, codeUint32, uint32(v))
	}
	return append64(b, codeUint64, v)
}

func append16(b []byte, code byte, v uint16) []byte { return append(b, code, byte(v>>8), byte(v)) }

func append32(b []byte, code byte, v uint32) []byte {
	return append(b, code, byte(v>>24), byte(v>>16), byte(v>>8), byte(v))
}

func append64(b []byte, code byte, v uint64) []byte {
	return append(b, code, byte(v>>56), byte(v>>48), byte(v>>40), byte(v>>32), byte(v>>24), byte(v>>16), byte(v>>8), byte(v))
}

// appendStringLen appends the head of a str of n bytes, which fit 32 bits.
func appendStringLen(b []byte, n int) []byte {
	switch {
	case n < 32:
		return append(b, codeFixstr|byte(n))
	case n <= math.MaxUint8:
		return append(b, codeStr8, byte(n))
	case n <= math.MaxUint16:
		return append16(b, codeStr16, uint16(n))
	}
	return append32(b, codeStr32, uint32(n))
}

// stringHead is how many bytes appendStringLen appends.
func stringHead(n int) int {
	switch {
	case n < 32:
		return 1
	case n <= math.MaxUint8:
		return 2
	case n <= math.MaxUint16:
		return 3
	}
	return 5
}

// listHead is how many bytes the head of an array or map of n elements or pairs takes.
func listHead(n int) int {
	switch {
	case n < 16:
		return 1
	case n <= math.MaxUint16:
		return 3
	}
	return 5
}

// putListLen writes the head of an array or map, as its code for few elements tells, of n, which are 16 or more and fit 32 bits.
func putListLen(b []byte, at int, fixed byte, n int) {
	code := byte(codeArray16)
	if fixed == codeFixmap {
		code = codeMap16
	}
	if n <= math.MaxUint16 {
		mem.Store8(b, at, code)
		wire.PutBE16(b, at+1, uint16(n))
		return
	}
	mem.Store8(b, at, code+1)
	wire.PutBE32(b, at+1, uint32(n))
}
