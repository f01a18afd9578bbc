package msgpack

// The alphabet: appending, reading and skipping single values in a []byte. Nothing here knows of Go types, options or
// streams.
//
// The read functions take the bytes and an offset and give the value and the offset after it, or -1 when the value is not
// of the kind asked for or is not there whole: then Decoder's slow reading (read.go) finds out which, gets more bytes if
// there is a stream to get them from, and puts the error into words.

import (
	"math"

	"github.com/slipstream-go/slipstream/internal/wire"
)

// Codes. A fixed code carries its value or length in its low bits.
const (
	codeFixintMax = 0x7f
	codeFixmap    = 0x80
	codeFixarray  = 0x90
	codeFixstr    = 0xa0
	codeFixstrMax = 0xbf
	codeNil       = 0xc0
	codeNever     = 0xc1
	codeFalse     = 0xc2
	codeTrue      = 0xc3
	codeBin8      = 0xc4
	codeBin16     = 0xc5
	codeBin32     = 0xc6
	codeExt8      = 0xc7
	codeExt16     = 0xc8
	codeExt32     = 0xc9
	codeFloat32   = 0xca
	codeFloat64   = 0xcb
	codeUint8     = 0xcc
	codeUint16    = 0xcd
	codeUint32    = 0xce
	codeUint64    = 0xcf
	codeInt8      = 0xd0
	codeInt16     = 0xd1
	codeInt32     = 0xd2
	codeInt64     = 0xd3
	codeFixext1   = 0xd4
	codeFixext2   = 0xd5
	codeFixext4   = 0xd6
	codeFixext8   = 0xd7
	codeFixext16  = 0xd8
	codeStr8      = 0xd9
	codeStr16     = 0xda
	codeStr32     = 0xdb
	codeArray16   = 0xdc
	codeArray32   = 0xdd
	codeMap16     = 0xde
	codeMap32     = 0xdf
	codeNegfixint = 0xe0
	extTime       = -1
	extTimeNode   = 13 // the number under which encoders for Node.js write times
)

func appendNil(b []byte) []byte { return append(b, codeNil) }

func appendBool(b []byte, v bool) []byte {
	if v {
		return append(b, codeTrue)
	}
	return append(b, codeFalse)
}

// appendInt appends v in its shortest form: positive numbers as unsigned ones.
func appendInt(b []byte, v int64) []byte {
	switch {
	case v >= 0:
		return appendUint(b, uint64(v))
	case v >= -32:
		return append(b, byte(v))
	case v >= math.MinInt8:
		return append(b, codeInt8, byte(v))
	case v >= math.MinInt16:
		return append(b, codeInt16, byte(v>>8), byte(v))
	case v >= math.MinInt32:
		return appendCode32(b, codeInt32, uint32(v))
	}
	return appendCode64(b, codeInt64, uint64(v))
}

// appendUint appends v in its shortest form.
func appendUint(b []byte, v uint64) []byte {
	switch {
	case v <= codeFixintMax:
		return append(b, byte(v))
	case v <= math.MaxUint8:
		return append(b, codeUint8, byte(v))
	case v <= math.MaxUint16:
		return append(b, codeUint16, byte(v>>8), byte(v))
	case v <= math.MaxUint32:
		return appendCode32(b, codeUint32, uint32(v))
	}
	return appendCode64(b, codeUint64, v)
}

func appendCode16(b []byte, code byte, v uint16) []byte {
	return append(b, code, byte(v>>8), byte(v))
}

func appendCode32(b []byte, code byte, v uint32) []byte {
	return append(b, code, byte(v>>24), byte(v>>16), byte(v>>8), byte(v))
}

func appendCode64(b []byte, code byte, v uint64) []byte {
	return append(b, code, byte(v>>56), byte(v>>48), byte(v>>40), byte(v>>32), byte(v>>24), byte(v>>16), byte(v>>8), byte(v))
}

func appendFloat32(b []byte, v float32) []byte {
	return appendCode32(b, codeFloat32, math.Float32bits(v))
}

func appendFloat64(b []byte, v float64) []byte {
	return appendCode64(b, codeFloat64, math.Float64bits(v))
}

func appendStringLen(b []byte, n int) []byte {
	switch {
	case n < 32:
		return append(b, codeFixstr|byte(n))
	case n <= math.MaxUint8:
		return append(b, codeStr8, byte(n))
	case n <= math.MaxUint16:
		return appendCode16(b, codeStr16, uint16(n))
	}
	return appendCode32(b, codeStr32, uint32(n))
}

func appendString(b []byte, s string) []byte { return append(appendStringLen(b, len(s)), s...) }

func appendBytesLen(b []byte, n int) []byte {
	switch {
	case n <= math.MaxUint8:
		return append(b, codeBin8, byte(n))
	case n <= math.MaxUint16:
		return appendCode16(b, codeBin16, uint16(n))
	}
	return appendCode32(b, codeBin32, uint32(n))
}

// appendBytes appends v as bin, or as nil if it is.
func appendBytes(b, v []byte) []byte {
	if v == nil {
		return appendNil(b)
	}
	return append(appendBytesLen(b, len(v)), v...)
}

func appendArrayLen(b []byte, n int) []byte {
	switch {
	case n < 16:
		return append(b, codeFixarray|byte(n))
	case n <= math.MaxUint16:
		return appendCode16(b, codeArray16, uint16(n))
	}
	return appendCode32(b, codeArray32, uint32(n))
}

func appendMapLen(b []byte, n int) []byte {
	switch {
	case n < 16:
		return append(b, codeFixmap|byte(n))
	case n <= math.MaxUint16:
		return appendCode16(b, codeMap16, uint16(n))
	}
	return appendCode32(b, codeMap32, uint32(n))
}

func appendExtHeader(b []byte, id int8, n int) []byte {
	switch n {
	case 1:
		return append(b, codeFixext1, byte(id))
	case 2:
		return append(b, codeFixext2, byte(id))
	case 4:
		return append(b, codeFixext4, byte(id))
	case 8:
		return append(b, codeFixext8, byte(id))
	case 16:
		return append(b, codeFixext16, byte(id))
	}
	switch {
	case n <= math.MaxUint8:
		b = append(b, codeExt8, byte(n))
	case n <= math.MaxUint16:
		b = appendCode16(b, codeExt16, uint16(n))
	default:
		b = appendCode32(b, codeExt32, uint32(n))
	}
	return append(b, byte(id))
}

// A form tells what a code announces.
type form struct {
	head  uint8 // bytes of code, number or length field, and ext type
	count uint8 // width of the length or count field: 0, 1, 2 or 4 bytes, right after the code
	kind  uint8
}

const (
	formScalar   = iota // head bytes are all of it
	formBytes           // the length counts bytes
	formArray           // the length counts values
	formMap             // the length counts pairs
	formFixBytes        // the low bits of the code are the bytes
	formFixArray
	formFixMap
	formNever
)

var forms = func() (t [256]form) {
	for c := range t {
		switch {
		case c < 0x80 || c >= 0xe0:
			t[c] = form{head: 1, kind: formScalar}
		case c < 0x90:
			t[c] = form{head: 1, kind: formFixMap}
		case c < 0xa0:
			t[c] = form{head: 1, kind: formFixArray}
		case c < 0xc0:
			t[c] = form{head: 1, kind: formFixBytes}
		}
	}
	for c, f := range map[byte]form{
		codeNil: {1, 0, formScalar}, codeNever: {1, 0, formNever}, codeFalse: {1, 0, formScalar}, codeTrue: {1, 0, formScalar},
		codeBin8: {2, 1, formBytes}, codeBin16: {3, 2, formBytes}, codeBin32: {5, 4, formBytes},
		codeExt8: {3, 1, formBytes}, codeExt16: {4, 2, formBytes}, codeExt32: {6, 4, formBytes},
		codeFloat32: {5, 0, formScalar}, codeFloat64: {9, 0, formScalar},
		codeUint8: {2, 0, formScalar}, codeUint16: {3, 0, formScalar}, codeUint32: {5, 0, formScalar}, codeUint64: {9, 0, formScalar},
		codeInt8: {2, 0, formScalar}, codeInt16: {3, 0, formScalar}, codeInt32: {5, 0, formScalar}, codeInt64: {9, 0, formScalar},
		codeFixext1: {3, 0, formScalar}, codeFixext2: {4, 0, formScalar}, codeFixext4: {6, 0, formScalar},
		codeFixext8: {10, 0, formScalar}, codeFixext16: {18, 0, formScalar},
		codeStr8: {2, 1, formBytes}, codeStr16: {3, 2, formBytes}, codeStr32: {5, 4, formBytes},
		codeArray16: {3, 2, formArray}, codeArray32: {5, 4, formArray},
		codeMap16: {3, 2, formMap}, codeMap32: {5, 4, formMap},
	} {
		t[c] = f
	}
	return t
}()

// isStr reports whether c is the code of a str.
func isStr(c byte) bool {
	return c >= codeFixstr && c <= codeFixstrMax || c >= codeStr8 && c <= codeStr32
}

// isExt reports whether c is the code of an ext.
func isExt(c byte) bool {
	return c >= codeExt8 && c <= codeExt32 || c >= codeFixext1 && c <= codeFixext16
}

// skip gives the offset after the value at i, or -1 when it is not there whole or has a code that means nothing. It does not
// recurse, makes nothing, and stops at the first claim that the input cannot hold.
//
// What goes beyond the end is found in the next round, or after the last.
func skip(b []byte, i int) int {
	for pending := uint64(1); pending > 0; pending-- {
		if uint(i) >= uint(len(b)) {
			return -1
		}
		c := b[i]
		switch skips[c] {
		case skip1:
			i++
		case skipStr:
			i += int(c) - codeFixstr + 1
		case skip9:
			i += 9
			for pending > 1 && i < len(b) && b[i] == c {
				i += 9
				pending--
			}
		case skip5:
			i += 5
		case skip3:
			i += 3
		case skip2:
			i += 2
		case skipFixMap:
			i++
			if pending += uint64(c&0x0f) * 2; pending-1 > uint64(len(b)-i) {
				return -1
			}
		case skipFixArray:
			i++
			if pending += uint64(c & 0x0f); pending-1 > uint64(len(b)-i) {
				return -1
			}
		case skipStr8:
			if len(b)-i < 2 {
				return -1
			}
			i += 2 + int(b[i+1])
		default:
			var n uint64
			if i, n = skipLong(b, i, pending); i < 0 {
				return -1
			}
			pending += n
		}
	}
	if i > len(b) {
		return -1
	}
	return i
}

// skipLong is skip for the header at i of what the other cases leave: it gives the offset after it, or after its bytes, and how many
// values follow; or -1.
func skipLong(b []byte, i int, pending uint64) (next int, n uint64) {
	f := forms[b[i]]
	if f.kind == formNever || int(f.head) > len(b)-i {
		return -1, 0
	}
	n = countAt(b, i)
	i += int(f.head)
	switch f.kind {
	case formBytes:
		if n > uint64(len(b)-i) {
			return -1, 0
		}
		return i + int(n), 0
	case formArray:
	case formMap:
		n *= 2
	default:
		return i, 0
	}
	if pending-1+n > uint64(len(b)-i) {
		return -1, 0
	}
	return i, n
}

// The ways to skip a value.
const (
	skipOther uint8 = iota
	skip1           // so many bytes
	skip2
	skip3
	skip5
	skip9
	skipStr
	skipStr8
	skipFixMap
	skipFixArray
)

var skips = func() (t [256]uint8) {
	for c := range t {
		switch f := forms[c]; {
		case f.kind == formFixBytes:
			t[c] = skipStr
		case f.kind == formFixMap:
			t[c] = skipFixMap
		case f.kind == formFixArray:
			t[c] = skipFixArray
		case c == codeStr8:
			t[c] = skipStr8
		case f.kind == formScalar && f.head <= 9:
			t[c] = [10]uint8{1: skip1, 2: skip2, 3: skip3, 5: skip5, 9: skip9}[f.head]
		}
	}
	return t
}()

// intSizes is how many bytes follow the code of an int or a float, ca..d3; 0 for every other code.
var intSizes = [256]uint8{
	codeUint8: 1, codeUint16: 2, codeUint32: 4, codeUint64: 8,
	codeInt8: 1, codeInt16: 2, codeInt32: 4, codeInt64: 8,
	codeFloat32: 4, codeFloat64: 8,
}

// readInt reads an int of any width. One beyond int64 wraps around.
func readInt(b []byte, i int) (int64, int) {
	if uint(i) >= uint(len(b)) {
		return 0, -1
	}
	c := b[i]
	if c <= codeFixintMax || c >= codeNegfixint {
		return int64(int8(c)), i + 1
	}
	n := int(intSizes[c])
	if n >= len(b)-i {
		return 0, -1
	}
	switch c {
	case codeUint8:
		return int64(b[i+1]), i + 2
	case codeUint16:
		return int64(wire.BE16(b, i+1)), i + 3
	case codeUint32:
		return int64(wire.BE32(b, i+1)), i + 5
	case codeUint64, codeInt64:
		return int64(wire.BE64(b, i+1)), i + 9
	case codeInt8:
		return int64(int8(b[i+1])), i + 2
	case codeInt16:
		return int64(int16(wire.BE16(b, i+1))), i + 3
	case codeInt32:
		return int64(int32(wire.BE32(b, i+1))), i + 5
	}
	return 0, -1
}

// readFloat reads a float of either width.
func readFloat(b []byte, i int) (float64, int) {
	if i+9 <= len(b) && b[i] == codeFloat64 {
		return math.Float64frombits(wire.BE64(b, i+1)), i + 9
	}
	if i+5 <= len(b) && b[i] == codeFloat32 {
		return float64(math.Float32frombits(wire.BE32(b, i+1))), i + 5
	}
	return 0, -1
}

// readStr reads the header of a str or bin and gives where its bytes are: b[start:next].
func readStr(b []byte, i int) (start, next int) {
	if uint(i) >= uint(len(b)) {
		return 0, -1
	}
	c := b[i]
	if c >= codeFixstr && c <= codeFixstrMax {
		if n := int(c & 0x1f); n < len(b)-i {
			return i + 1, i + 1 + n
		}
		return 0, -1
	}
	return readStrLong(b, i)
}

func readStrLong(b []byte, i int) (start, next int) {
	var n uint
	left := len(b) - i
	switch b[i] {
	case codeStr8, codeBin8:
		if left < 2 {
			return 0, -1
		}
		n, start = uint(b[i+1]), i+2
	case codeStr16, codeBin16:
		if left < 3 {
			return 0, -1
		}
		n, start = uint(wire.BE16(b, i+1)), i+3
	case codeStr32, codeBin32:
		if left < 5 {
			return 0, -1
		}
		n, start = uint(wire.BE32(b, i+1)), i+5
	default:
		return 0, -1
	}
	if n > uint(len(b)-start) {
		return 0, -1
	}
	return start, start + int(n)
}

// readCount reads the header of an array or, with pairs set, of a map.
func readCount(b []byte, i int, pairs bool) (n, next int) {
	if uint(i) >= uint(len(b)) {
		return 0, -1
	}
	fix, c16, c32 := byte(codeFixarray), byte(codeArray16), byte(codeArray32)
	if pairs {
		fix, c16, c32 = codeFixmap, codeMap16, codeMap32
	}
	switch c := b[i]; {
	case c&0xf0 == fix:
		return int(c & 0x0f), i + 1
	case c == c16 && len(b)-i >= 3:
		return int(wire.BE16(b, i+1)), i + 3
	case c == c32 && len(b)-i >= 5:
		if n := wire.BE32(b, i+1); uint64(n) <= math.MaxInt {
			return int(n), i + 5
		}
	}
	return 0, -1
}

// countAt is the length or count field behind the code at b[i], which is there whole.
func countAt(b []byte, i int) uint64 {
	switch forms[b[i]].count {
	case 1:
		return uint64(b[i+1])
	case 2:
		return uint64(wire.BE16(b, i+1))
	case 4:
		return uint64(wire.BE32(b, i+1))
	}
	return 0
}
