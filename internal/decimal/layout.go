package decimal

import "github.com/slipstream-go/slipstream/internal/mem"

// layout writes 17 digits with a decimal point. The text of the digits is in w1, w2 and last. The
// argument `point` is the number of digits before the decimal point. All digits after the first
// `end` digits are zeros, and layout omits them unless they precede the decimal point. It returns
// the offset after the number. Later stores may overwrite bytes of earlier stores:
//
//	point 3     w1 w1 w1 .  w1 w1 w1 w1 w1 w2 w2 w2 w2 w2 w2 w2 w2 last
//	point 11    w1 w1 w1 w1 w1 w1 w1 w1 w2 w2 w2 .  w2 w2 w2 w2 w2 last
//	point -2    0  .  0  0  w1 w1 w1 w1 w1 w1 w1 w1 w2 w2 w2 w2 w2 w2 w2 w2 last
//	point 19    w1 w1 w1 w1 w1 w1 w1 w1 w2 w2 w2 w2 w2 w2 w2 w2 last 0 0
func layout(b []byte, n int, w1, w2 uint64, last byte, end, point int) int {
	switch {
	case uint(point-1) < 8:
		mem.Store64(b, n, w1)
		mem.Store64(b, n+point+1, w1>>(uint(point)*8&63)) // if no digit of w1 is left, w2 overwrites this
		mem.Store8(b, n+point, '.')
		mem.Store64(b, n+9, w2)
		mem.Store8(b, n+17, last)
	case uint(point-9) < 8:
		mem.Store64(b, n, w1)
		mem.Store64(b, n+8, w2)
		mem.Store64(b, n+point+1, w2>>(uint(point-8)*8&63))
		mem.Store8(b, n+point, '.')
		mem.Store8(b, n+17, last)
	case uint(point+5) < 6:
		mem.Store64(b, n, zeroPoint)
		n += 2 - point
		mem.Store64(b, n, w1)
		mem.Store64(b, n+8, w2)
		mem.Store8(b, n+16, last)
		return n + end
	case uint(point-17) < 5:
		mem.Store64(b, n, w1)
		mem.Store64(b, n+8, w2)
		mem.Store8(b, n+16, last)
		mem.Store64(b, n+17, zeros)
		return n + point
	default:
		return withExponent(b, n, w1, w2, last, end, point-1)
	}
	if end <= point {
		return n + point
	}
	return n + end + 1
}

// zeroPoint is the text "0.000000".
const zeroPoint = zeros - '0'<<8 + '.'<<8

// withExponent writes the number in the form d.ddde±x or de±x.
func withExponent(b []byte, n int, w1, w2 uint64, last byte, end, exp10 int) int {
	mem.Store8(b, n, byte(w1))
	mem.Store64(b, n+1, '.'|w1&^0xff)
	mem.Store64(b, n+9, w2)
	mem.Store8(b, n+17, last)
	n += end
	if end > 1 {
		n++
	}
	sign := uint64('+')
	if exp10 < 0 {
		sign, exp10 = '-', -exp10
	}
	mem.Store16(b, n, uint16('e'|sign<<8))
	text, length := trimmed(eight(uint64(exp10)))
	mem.Store64(b, n+2, text)
	return n + 2 + length
}
