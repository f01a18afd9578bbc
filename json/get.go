package json

// This file contains Get, which returns a part of a document without decoding the rest.

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/internal/wire"
)

// ErrMissing is the cause of the error that [Get] returns if there is no value at the path.
var ErrMissing = errors.New("json: the value is missing")

// Get returns the value at path in data. Each element of path is a string or an integer of any
// type. A string is a key of an object. An integer is an index of an array; a negative index counts
// from the end. An empty path selects the whole document.
//
//	owner, err := json.Get(data, "issues", 0, "owner")
//
// Get reads all of data, so it finds the same value as Unmarshal. It returns an error for invalid
// JSON anywhere in data. If a key is repeated, its last value is used. Keys are compared exactly.
// If there is no value at the path, the error is an *[Error] that wraps [ErrMissing]. The text and
// the Path of the error contain the path up to the step that failed, such as issues[0].owner. The
// Offset of the error is the offset of the value in which this step failed.
//
// The result refers to data, which must not change while the result is in use.
func Get(data []byte, path ...any) (RawValue, error) {
	var room [8]pathStep
	steps := room[:0]
	for i, step := range path {
		s, ok := pathStepOf(step)
		if !ok {
			return nil, fmt.Errorf("json: Get: step %d of the path is of type %T, want a string or an integer", i, step)
		}
		steps = append(steps, s)
	}
	d := decoders.Get().(*decoder)
	defer d.release()
	d.open(data)
	d.depth = 0
	f := finder{d: d}
	found, i := f.find(d.blanks(0), steps)
	if i == failed || d.ending(i, oneValue) == failed {
		return nil, explain(data)
	}
	if found.end == 0 {
		return nil, f.missing(data, steps[:len(steps)-f.left+1])
	}
	return RawValue(data[found.start:found.end:found.end]), nil
}

// pathStep is a step of a path: a key or an index.
type pathStep struct {
	key   string
	index int
	isKey bool
}

// pathStepOf converts a step of Get's path. The type of the step may be any string or integer type.
func pathStepOf(step any) (s pathStep, ok bool) {
	switch v := reflect.ValueOf(step); {
	case !v.IsValid():
		return s, false
	case v.Kind() == reflect.String:
		return pathStep{key: v.String(), isKey: true}, true
	case v.CanInt():
		return pathStep{index: int(max(math.MinInt, min(math.MaxInt, v.Int())))}, true
	case v.CanUint():
		return pathStep{index: int(min(math.MaxInt, v.Uint()))}, true
	}
	return s, false
}

// finder is the state of a call of Get.
type finder struct {
	d *decoder

	// These fields describe the last step that found no value. If a key is repeated, its last value
	// is used, so a step that fails in that value replaces an earlier failure.
	left     int // the number of steps from the failed one to the end of the path
	at       int // the position of the value in which the step failed
	elements int // the number of elements of that value, if it is an array
}

// piece is the range of a value in the input. Its end is 0 if there is no value.
type piece struct{ start, end int }

// find searches the value at i for the value that path selects. It returns the range of the value
// that it finds, and the position after the value at i.
func (f *finder) find(i int, path []pathStep) (piece, int) {
	d := f.d
	start := d.off + i
	if len(path) == 0 {
		if i = d.skip(i); i == failed {
			return piece{}, failed
		}
		return piece{start, d.off + i}, i
	}
	switch first := mem.Load8(d.b, i); {
	case first == '{' && path[0].isKey:
		return f.findKey(i, path)
	case first == '[' && !path[0].isKey:
		return f.findIndex(i, path)
	}
	f.left, f.at = len(path), start
	return piece{}, d.skip(i)
}

func (f *finder) findKey(i int, path []pathStep) (found piece, after int) {
	d := f.d
	if d.depth++; d.depth > maxDepth {
		return piece{}, failed
	}
	start, matched := d.off+i, false
	i = d.enter(i, '}')
	for i >= 0 {
		if mem.Load8(d.b, i) != '"' {
			return piece{}, failed
		}
		var text []byte
		if text, i = d.key(i + 1); i < 0 {
			return piece{}, failed
		}
		same := string(text) == path[0].key
		if i = d.colon(d.guard(i)); i < 0 {
			return piece{}, failed
		}
		if same {
			found, i = f.find(i, path[1:])
			matched = true
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
	if !matched {
		f.left, f.at = len(path), start
	}
	d.depth--
	return found, ^i
}

func (f *finder) findIndex(i int, path []pathStep) (found piece, after int) {
	d := f.d
	index := path[0].index
	if index < 0 {
		index += d.count(i)
	}
	if d.depth++; d.depth > maxDepth {
		return piece{}, failed
	}
	start, elements := d.off+i, 0
	i = d.enter(i, ']')
	for ; i >= 0; elements++ {
		if elements == index {
			found, i = f.find(i, path[1:])
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
	if index < 0 || index >= elements {
		f.left, f.at, f.elements = len(path), start, elements
	}
	d.depth--
	return found, ^i
}

// missing returns the error for a path that leads to no value.
func (f *finder) missing(data []byte, path []pathStep) error {
	var steps wire.Path
	for _, s := range slices.Backward(path) {
		if s.isKey {
			steps.Field(s.key)
		} else {
			steps.Index(s.index)
		}
	}
	var why string
	switch s, first := path[len(path)-1], data[f.at]; {
	case s.isKey && first == '{':
		why = fmt.Sprintf("the object has no key %q", s.key)
	case s.isKey:
		why = valueName(first) + " has no keys"
	case first != '[':
		why = valueName(first) + " has no elements"
	case f.elements == 1:
		why = "the array has 1 element"
	default:
		why = fmt.Sprintf("the array has %d elements", f.elements)
	}
	where := steps.String()
	return &Error{Offset: int64(f.at), Path: where, Cause: fmt.Errorf("%w: %s: %s", ErrMissing, where, why)}
}

// count returns the number of elements of the array at i. If an element is invalid, it counts only
// the elements before that element.
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
