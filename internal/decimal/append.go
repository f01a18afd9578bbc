package decimal

import (
	"slices"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// IntRoom and FloatRoom are the numbers of bytes that a Put function needs between the offset and
// the capacity. The text of a number is shorter, but it is stored in whole words, and the last word
// may extend beyond the text.
const (
	IntRoom   = 24
	FloatRoom = 32
)

// AppendUint appends the digits of v.
func AppendUint(b []byte, v uint64) []byte {
	n := len(b)
	if cap(b)-n < IntRoom {
		b = slices.Grow(b, IntRoom)
	}
	return b[:PutUint(b, n, v)]
}

// AppendInt appends the digits of v. If v is negative, it appends a minus sign first.
func AppendInt(b []byte, v int64) []byte {
	n := len(b)
	if cap(b)-n < IntRoom {
		b = slices.Grow(b, IntRoom)
	}
	return b[:PutInt(b, n, v)]
}

// AppendFloat64 appends the shortest decimal form of f that parses back to f, in the format of
// encoding/json. If several forms are equally short, it chooses the form that is nearest to f. If f
// is not 0, and |f| is below 10⁻⁶ or at least 10²¹, the text has an exponent. f must be finite.
func AppendFloat64(b []byte, f float64) []byte {
	n := len(b)
	if cap(b)-n < FloatRoom {
		b = slices.Grow(b, FloatRoom)
	}
	return b[:PutFloat64(b, n, f)]
}

// AppendFloat32 is like AppendFloat64, but appends the shortest decimal form that parses back to f
// as a float32. f must be finite.
func AppendFloat32(b []byte, f float32) []byte {
	n := len(b)
	if cap(b)-n < FloatRoom {
		b = slices.Grow(b, FloatRoom)
	}
	return b[:PutFloat32(b, n, f)]
}

// PutInt writes v at b[n:], and returns the offset after v. IntRoom bytes must be available there.
func PutInt(b []byte, n int, v int64) int {
	sign := uint64(v >> 63)
	mem.Store8(b, n, '-') // overwritten if v is not negative
	return PutUint(b, n+int(sign&1), uint64(v)^sign-sign)
}

// PutUint writes v at b[n:], and returns the offset after v. IntRoom bytes must be available there.
// A processor can hardly predict the length of a number. So PutUint distinguishes only four cases:
// up to 8, up to 10, up to 16, and more digits. Identifiers and times in seconds have up to 10
// digits.
func PutUint(b []byte, n int, v uint64) int {
	if v < 1e8 {
		text, length := trimmed(eight(v))
		mem.Store64(b, n, text)
		return n + length
	}
	if v < 1e10 {
		top := v / 1e8
		lone := (top - 10) >> 63 // 1 if top is one digit
		mem.Store16(b, n, pairs[top]>>(lone*8))
		n += 2 - int(lone)
		mem.Store64(b, n, eight(v-top*1e8)+zeros)
		return n + 8
	}
	if v < 1e16 {
		high := v / 1e8
		text, length := trimmed(eight(high))
		mem.Store64(b, n, text)
		n += length
		mem.Store64(b, n, eight(v-high*1e8)+zeros)
		return n + 8
	}
	top := v / 1e16
	text, length := trimmed(eight(top))
	mem.Store64(b, n, text)
	n += length
	v -= top * 1e16
	high := v / 1e8
	mem.Store64(b, n, eight(high)+zeros)
	mem.Store64(b, n+8, eight(v-high*1e8)+zeros)
	return n + 16
}
