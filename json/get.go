package json

// A part of a document, without decoding the rest.

import (
	"errors"
	"fmt"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// ErrMissing is returned by Get when there is no value at the path.
var ErrMissing = errors.New("json: the value is missing")

// Get is the value in data that path leads to: a string is a key of an object, an int an index of an array, from the end if it is
// negative. Without a path it is the whole value.
//
//	owner, err := json.Get(data, "issues", 0, "owner")
//
// All of data is looked at, so that what Get finds is what Unmarshal would decode: invalid data is an error wherever it is, and of equal
// keys the last one counts. Keys are compared exactly. If the path leads nowhere, the error wraps [ErrMissing].
//
// The result points into data, which must not change as long as it is in use.
func Get(data []byte, path ...any) (RawValue, error) {
	d := decoders.Get().(*decoder)
	defer d.release()
	d.open(data)
	d.depth = 0
	found, i := d.find(d.blanks(0), path)
	if i == failed || d.ending(i, oneValue) == failed {
		if d.fatal != nil {
			err := d.fatal
			d.fatal = nil
			return nil, err
		}
		return nil, explain(data)
	}
	if found.end == 0 {
		return nil, fmt.Errorf("%w: %v", ErrMissing, path)
	}
	return RawValue(data[found.start:found.end:found.end]), nil
}

// piece is where a value stands in the input. Nowhere, its end is 0.
type piece struct{ start, end int }

// find is where the value stands that path leads to from the value at i, and the position after the latter.
func (d *decoder) find(i int, path []any) (piece, int) {
	if len(path) == 0 {
		start := d.off + i
		if i = d.skip(i); i == failed {
			return piece{}, failed
		}
		return piece{start, d.off + i}, i
	}
	switch step := path[0].(type) {
	case string:
		if mem.Load8(d.b, i) == '{' {
			return d.findKey(i, step, path[1:])
		}
	case int:
		if mem.Load8(d.b, i) == '[' {
			return d.findIndex(i, step, path[1:])
		}
	default:
		d.fatal = fmt.Errorf("json: Get: %T in a path, want string or int", step)
		return piece{}, failed
	}
	return piece{}, d.skip(i)
}

func (d *decoder) findKey(i int, key string, path []any) (found piece, after int) {
	if d.depth++; d.depth > maxDepth {
		return piece{}, failed
	}
	i = d.enter(i, '}')
	for i >= 0 {
		if mem.Load8(d.b, i) != '"' {
			return piece{}, failed
		}
		var text []byte
		if text, i = d.key(i + 1); i < 0 {
			return piece{}, failed
		}
		same := string(text) == key
		if i = d.colon(d.guard(i)); i < 0 {
			return piece{}, failed
		}
		if same {
			found, i = d.find(i, path)
		} else {
			i = d.skip(i)
		}
		if i < 0 {
			return piece{}, failed
		}
		i = d.next(i, '}')
	}
	if i == failed {
		return piece{}, failed
	}
	d.depth--
	return found, ^i
}

func (d *decoder) findIndex(i, index int, path []any) (found piece, after int) {
	if index < 0 {
		index += d.count(i)
	}
	if d.depth++; d.depth > maxDepth {
		return piece{}, failed
	}
	i = d.enter(i, ']')
	for n := 0; i >= 0; n++ {
		if n == index {
			found, i = d.find(i, path)
		} else {
			i = d.skip(i)
		}
		if i < 0 {
			return piece{}, failed
		}
		i = d.next(i, ']')
	}
	if i == failed {
		return piece{}, failed
	}
	d.depth--
	return found, ^i
}

// count is the number of elements of the list at i, or of those before one that is not valid.
func (d *decoder) count(i int) int {
	c := decoders.Get().(*decoder)
	defer c.release()
	c.open(d.src[d.off+i:])
	c.depth = 0
	n := 0
	for i = c.enter(0, ']'); i >= 0; i = c.next(i, ']') {
		if i = c.skip(i); i < 0 {
			break
		}
		n++
	}
	return n
}
