package msgpack

// This file contains functions that read or skip a single value in a []byte. They do not depend on
// Go types, options or streams. Package internal/msgpwire defines the codes, and appends values.
//
// Each read function takes a []byte and an offset, and returns a value and the offset after it. The
// returned offset is -1 if the value has another kind or is incomplete. In this case, the slow
// methods of Decoder (read.go) read more bytes if the input is a stream, or create an error.

import (
	"math"

	"github.com/slipstream-go/slipstream/internal/msgpwire"
	"github.com/slipstream-go/slipstream/internal/wire"
)

// skip returns the offset after the value at i, or -1 if the value is incomplete or contains an
// undefined code. It does not recurse or allocate, and stops at the first length or count that
// exceeds the input.
//
// After skip has increased an offset, it does not check the offset immediately, but in the next
// iteration or after the loop.
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
			i += int(c) - msgpwire.Fixstr + 1
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

// skipLong skips the header at i if the function `skip` has no case for the header's code. For a
// str, bin or ext, it also skips the bytes. It returns the offset after the skipped bytes, and the
// number of values in an array or map. If `skip` must return -1, the offset is -1.
func skipLong(b []byte, i int, pending uint64) (next int, n uint64) {
	f := msgpwire.Forms[b[i]]
	if f.Kind == msgpwire.FormNever || int(f.Head) > len(b)-i {
		return -1, 0
	}
	n = msgpwire.CountAt(b, i)
	i += int(f.Head)
	switch f.Kind {
	case msgpwire.FormBytes:
		if n > uint64(len(b)-i) {
			return -1, 0
		}
		return i + int(n), 0
	case msgpwire.FormArray:
	case msgpwire.FormMap:
		n *= 2
	default:
		return i, 0
	}
	if pending-1+n > uint64(len(b)-i) {
		return -1, 0
	}
	return i, n
}

// These constants select how a value is skipped.
const (
	skipOther uint8 = iota
	skip1           // 1, 2, 3, 5 or 9 bytes
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
		switch f := msgpwire.Forms[c]; {
		case f.Kind == msgpwire.FormFixBytes:
			t[c] = skipStr
		case f.Kind == msgpwire.FormFixMap:
			t[c] = skipFixMap
		case f.Kind == msgpwire.FormFixArray:
			t[c] = skipFixArray
		case c == msgpwire.Str8:
			t[c] = skipStr8
		case f.Kind == msgpwire.FormScalar && f.Head <= 9:
			t[c] = [10]uint8{1: skip1, 2: skip2, 3: skip3, 5: skip5, 9: skip9}[f.Head]
		}
	}
	return t
}()

// intSizes contains the number of bytes after each code of an int or a float (ca..d3). For every
// other code, it contains 0.
var intSizes = [256]uint8{
	msgpwire.Uint8: 1, msgpwire.Uint16: 2, msgpwire.Uint32: 4, msgpwire.Uint64: 8,
	msgpwire.Int8: 1, msgpwire.Int16: 2, msgpwire.Int32: 4, msgpwire.Int64: 8,
	msgpwire.Float32: 4, msgpwire.Float64: 8,
}

// readInt reads an int of any width. A uint64 out of the range of int64 wraps around.
func readInt(b []byte, i int) (int64, int) {
	if uint(i) >= uint(len(b)) {
		return 0, -1
	}
	c := b[i]
	if c <= msgpwire.FixintMax || c >= msgpwire.Negfixint {
		return int64(int8(c)), i + 1
	}
	n := int(intSizes[c])
	if n >= len(b)-i {
		return 0, -1
	}
	switch c {
	case msgpwire.Uint8:
		return int64(b[i+1]), i + 2
	case msgpwire.Uint16:
		return int64(wire.BE16(b, i+1)), i + 3
	case msgpwire.Uint32:
		return int64(wire.BE32(b, i+1)), i + 5
	case msgpwire.Uint64, msgpwire.Int64:
		return int64(wire.BE64(b, i+1)), i + 9
	case msgpwire.Int8:
		return int64(int8(b[i+1])), i + 2
	case msgpwire.Int16:
		return int64(int16(wire.BE16(b, i+1))), i + 3
	case msgpwire.Int32:
		return int64(int32(wire.BE32(b, i+1))), i + 5
	}
	return 0, -1
}

// readFloat reads a float32 or a float64.
func readFloat(b []byte, i int) (float64, int) {
	if i+9 <= len(b) && b[i] == msgpwire.Float64 {
		return math.Float64frombits(wire.BE64(b, i+1)), i + 9
	}
	if i+5 <= len(b) && b[i] == msgpwire.Float32 {
		return float64(math.Float32frombits(wire.BE32(b, i+1))), i + 5
	}
	return 0, -1
}

// readStr reads the header of a str or bin. The bytes after the header are b[start:next].
func readStr(b []byte, i int) (start, next int) {
	if uint(i) >= uint(len(b)) {
		return 0, -1
	}
	c := b[i]
	if c >= msgpwire.Fixstr && c <= msgpwire.FixstrMax {
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
	case msgpwire.Str8, msgpwire.Bin8:
		if left < 2 {
			return 0, -1
		}
		n, start = uint(b[i+1]), i+2
	case msgpwire.Str16, msgpwire.Bin16:
		if left < 3 {
			return 0, -1
		}
		n, start = uint(wire.BE16(b, i+1)), i+3
	case msgpwire.Str32, msgpwire.Bin32:
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

// readCount reads the header of an array. If pairs is true, it reads the header of a map.
func readCount(b []byte, i int, pairs bool) (n, next int) {
	if uint(i) >= uint(len(b)) {
		return 0, -1
	}
	fix, c16, c32 := byte(msgpwire.Fixarray), byte(msgpwire.Array16), byte(msgpwire.Array32)
	if pairs {
		fix, c16, c32 = msgpwire.Fixmap, msgpwire.Map16, msgpwire.Map32
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
