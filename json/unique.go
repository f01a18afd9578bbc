package json

// This file checks that no object contains a name twice.

import (
	"fmt"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// RejectDuplicateNames makes decoding fail if a name is repeated in an object, at any depth. RFC
// 8259, section 4, does not define the meaning of repeated names. If one program uses the first
// value and another program uses the last value, an attacker can bypass checks. Names are compared
// exactly, after unescaping. To reject names that differ only in case, too, combine this flag with
// DontMatchCaseInsensitiveStructFields. The whole input is checked before any value is decoded.
const RejectDuplicateNames ParseFlags = 1 << 9

// A DuplicateNameError reports a repeated name in an object.
type DuplicateNameError struct {
	Name   string
	Offset int64 // the offset of the second occurrence, in bytes from the start of the input
}

func (e *DuplicateNameError) Error() string {
	return fmt.Sprintf("json: duplicate name %q", e.Name)
}

// twiceAt returns the error `err` of a value in a stream. The argument `at` is the offset of the
// value in the stream. If `err` is a DuplicateNameError, twiceAt first adds `at` to the offset in
// the error, which is then relative to the start of the stream.
func twiceAt(at int64, err error) error {
	if e, ok := err.(*DuplicateNameError); ok {
		e.Offset += at
	}
	return err
}

// unique checks the value at i, and returns the position after it. If an object contains a name
// twice, unique sets d.fatal.
func (d *decoder) unique(i int) int {
	switch mem.Load8(d.b, i) {
	case '[':
		if d.depth++; d.depth > maxDepth {
			return failed
		}
		for i = d.enter(i, ']'); i >= 0; i = d.next(i, ']') {
			if i = d.unique(i); i < 0 {
				return failed
			}
		}
	case '{':
		if d.depth++; d.depth > maxDepth {
			return failed
		}
		i = d.uniqueMembers(i)
	default:
		return d.skip(i)
	}
	if i == failed {
		return failed
	}
	d.depth--
	return ^i
}

func (d *decoder) uniqueMembers(i int) int {
	var room [16]string
	names := room[:0] // the first names; if there are more, seen contains all names
	var seen map[string]bool
	for i = d.enter(i, '}'); i >= 0; i = d.next(i, '}') {
		if mem.Load8(d.b, i) != '"' {
			return failed
		}
		at := d.off + i
		var name string
		if name, i = d.string(i + 1); i < 0 {
			return failed
		}
		twice := seen[name]
		for _, other := range names {
			twice = twice || other == name
		}
		if twice {
			d.fatal = &DuplicateNameError{name, int64(at)}
			return failed
		}
		switch {
		case seen != nil:
			seen[name] = true
		case len(names) < cap(names):
			names = append(names, name)
		default:
			seen = map[string]bool{name: true}
			for _, other := range names {
				seen[other] = true
			}
			names = nil
		}
		if i = d.colon(i); i < 0 {
			return failed
		}
		if i = d.unique(i); i < 0 {
			return failed
		}
	}
	return i
}
