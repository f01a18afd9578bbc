package decimal

import (
	"slices"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// Bytes that a Put function wants between the offset and the capacity. No number takes as many, but
// it is stored in words, the last of which may reach that far.
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

// AppendInt appends the digits of v, after a minus if it is negative.
func AppendInt(b []byte, v int64) []byte {
	n := len(b)
	if cap(b)-n < IntRoom {
		b = slices.Grow(b, IntRoom)
	}
	return b[:PutInt(b, n, v)]
}

// AppendFloat64 appends f, which must be finite, as encoding/json writes it: with the fewest digits
// that no other float64 is nearer to, of these the ones nearest to f; and with an exponent if it is
// below 10⁻⁶ or not below 10²¹.
func AppendFloat64(b []byte, f float64) []byte {
	n := len(b)
	if cap(b)-n < FloatRoom {
		b = slices.Grow(b, FloatRoom)
	}
	return b[:PutFloat64(b, n, f)]
}

// AppendFloat32 appends f, which must be finite, as AppendFloat64 does, with the fewest digits that
// no other float32 is nearer to.
func AppendFloat32(b []byte, f float32) []byte {
	n := len(b)
	if cap(b)-n < FloatRoom {
		b = slices.Grow(b, FloatRoom)
	}
	return b[:PutFloat32(b, n, f)]
}

// PutInt writes v at b[n:], which has IntRoom, and returns where it ends.
func PutInt(b []byte, n int, v int64) int {
	sign := uint64(v >> 63)
	mem.Store8(b, n, '-') // overwritten if v is not negative
	return PutUint(b, n+int(sign&1), uint64(v)^sign-sign)
}

// PutUint writes v at b[n:], which has IntRoom, and returns where it ends. Lengths of numbers are
// hard to foretell: it has no branches but those between 8, 10, 16 and more digits. Up to 10 have
// identifiers and times in seconds.
func PutUint(b []byte, n int, v uint64) int {
	if v < 1e8 {
		text, length := trimmed(eight(v))
		mem.Store64(b, n, text)
		return n + length
	}
	if v < 1e10 {
		top := v / 1e8
		lone := (top - 10) >> 63 // 1 if that is one digit
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
