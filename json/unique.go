package json

// The check that no object contains a name twice.

import (
	"fmt"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// RejectDuplicateNames makes repeated names in an object an error, at any depth. RFC 8259, section
// 4, does not define their meaning: if one program uses the first value and another the last, an
// attacker can bypass checks. Names are compared exactly, after unescaping: combine the flag with
// DontMatchCaseInsensitiveStructFields. All of the input is read before anything is decoded.
const RejectDuplicateNames ParseFlags = 1 << 9

// A DuplicateNameError reports a repeated name in an object.
type DuplicateNameError struct {
	Name   string
	Offset int64 // the offset of the second occurrence, in bytes from the start of the input
}

func (e *DuplicateNameError) Error() string {
	return fmt.Sprintf("json: duplicate name %q", e.Name)
}

// twiceAt returns err, the error of a value that begins at the offset at in a stream. If err is a
// DuplicateNameError, twiceAt adds at to its offset, so that the offset counts from the start of
// the stream.
func twiceAt(at int64, err error) error {
	if e, ok := err.(*DuplicateNameError); ok {
		e.Offset += at
	}
	return err
}

// unique checks the value at i and returns the position after it. It sets d.fatal at the first name
// that occurs twice in an object.
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
