package json

// What stands between values: brackets, commas, colons.

import (
	"github.com/slipstream-go/slipstream/internal/mem"
)

// enter enters the array or object at i, which ends with the byte end. It gives the position of the
// first element or key, or ^the position after a container without any.
func (d *decoder) enter(i int, end byte) int {
	i++
	if mem.Load8(d.b, i) <= ' ' {
		i = d.blanks(i)
	}
	if mem.Load8(d.b, i) == end {
		return ^d.guard(i + 1)
	}
	return d.guard(i)
}

// next gives the position of the next element or key after an element that ends at i, or ^the
// position after the container, or failed.
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
				i = line(b, i)
			}
			if mem.Load8(b, i) <= ' ' {
				i = d.blanks(i)
			}
		}
	case end:
		return ^d.guard(i)
	default:
		return failed
	}
	return d.guard(i)
}

// comma reports whether the element that ends at i is followed by a comma and another element,
// without white space, far from the end: then next is i+1.
func (d *decoder) comma(i int) bool {
	return mem.Load8(d.b, i) == ',' && mem.Load8(d.b, i+1) > ' ' && i < d.lim
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
	return d.guard(i)
}

// leave ends the container that ends before i, and gives its result.
func (d *decoder) leave(i int) int {
	depth := d.depth
	d.depth = depth - 1
	if d.soft == depth {
		return ^i
	}
	return i
}
