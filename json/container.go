package json

// This file decodes the characters between values: brackets, commas and colons.

import (
	"github.com/slipstream-go/slipstream/internal/mem"
)

// enter reads the opening bracket of the array or object at i. The argument `end` is the closing
// bracket. enter returns the position of the first element or key. If the container is empty, it
// returns ^position, where position is after the container.
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

// next returns the position of the element or key that follows the element that ends at i. At the
// end of the container, it returns ^position, where position is after the container. If neither a
// comma nor the closing bracket `end` follows, it returns failed.
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

// comma reports whether a comma follows at i, another element follows the comma without white
// space, and i is far from the end of the input. In this case, the next element is at i+1.
func (d *decoder) comma(i int) bool {
	return mem.Load8(d.b, i) == ',' && mem.Load8(d.b, i+1) > ' ' && i < d.lim
}

// colon returns the position of the value after the key that ends at i. If no colon follows the
// key, it returns failed.
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

// leave is called at the end of a container, where i is the position after the container. It
// returns the result of the container's decodeFunc: i, or ^i if the container reports an error to
// the enclosing container (soft.go).
func (d *decoder) leave(i int) int {
	depth := d.depth
	d.depth = depth - 1
	if d.soft == depth {
		return ^i
	}
	return i
}
