package json

// The check that no object has two members of one name.

import (
	"fmt"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// RejectDuplicateNames makes repeated names in an object an error, at any depth. RFC 8259, section
// 4, does not define their meaning: if one program uses the first value and another the last, an
// attacker can bypass checks. Names are compared after unescaping, and exactly: combine it with
// DontMatchCaseInsensitiveStructFields. All of the input is read before anything is decoded.
const RejectDuplicateNames ParseFlags = 1 << 9

// A DuplicateNameError reports a repeated name in an object.
type DuplicateNameError struct {
	Name   string
	Offset int64 // of the second one, in bytes from the start of the input
}

func (e *DuplicateNameError) Error() string {
	return fmt.Sprintf("json: duplicate name %q", e.Name)
}

// twiceAt is err, the error of a value that begins at this place in a stream: a DuplicateNameError
// counts from the start of that.
func twiceAt(at int64, err error) error {
	if e, ok := err.(*DuplicateNameError); ok {
		e.Offset += at
	}
	return err
}

// unique reads the value at i and gives the position after it; d.fatal is set at the first name
// that an object has twice.
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
	names := room[:0] // the first ones; when they are more, seen has all
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
