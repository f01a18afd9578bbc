package json

// What stands between values: brackets, commas, colons.

import (
	"math/bits"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// enter enters the array or object at i, which ends with the byte end. It gives the position of the first element or key, or ^the
// position after a container without any.
func (d *decoder) enter(i int, end byte) int {
	i++
	if mem.Load8(d.b, i) <= ' ' {
		i = d.blanks(i)
	}
	if mem.Load8(d.b, i) == end {
		i = ^(i + 1)
	}
	return d.guard(i)
}

// next gives the position of the next element or key after an element that ends at i, or ^the position after the container, or failed.
func (d *decoder) next(i int, end byte) int {
	b := d.b
	c := mem.Load8(b, i)
	if c <= ' ' {
		i = d.blanks(i)
		b = d.b
		c = mem.Load8(b, i)
	}
	i++
	switch c {
	case ',':
		if c := mem.Load8(b, i); c <= ' ' {
			if c == '\n' {
				if x := mem.Load64(b, i+1) ^ spaces; x != 0 { // the indentation
					i += 1 + bits.TrailingZeros64(x)>>3
				} else {
					i += 9
				}
			}
			if mem.Load8(b, i) <= ' ' {
				i = d.blanks(i)
			}
		}
	case end:
		i = ^i
	default:
		return failed
	}
	return d.guard(i)
}

// guard is a guard for a position or ^position.
func (d *decoder) guard(i int) int {
	if i > d.lim {
		return d.near(i)
	}
	if ^i > d.lim {
		return ^d.near(^i)
	}
	return i
}

// colon is the position of the value after the key that ends at i, or failed.
func (d *decoder) colon(i int) int {
	b := d.b
	if mem.Load8(b, i) != ':' {
		i = d.blanks(i)
		b = d.b
		if mem.Load8(b, i) != ':' {
			return failed
		}
	}
	i++
	if mem.Load8(b, i) == ' ' {
		i++
	}
	if mem.Load8(b, i) <= ' ' {
		i = d.blanks(i)
	}
	if i > d.lim {
		i = d.near(i)
	}
	return i
}
