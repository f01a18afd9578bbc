package series

import (
	"bytes"
	"encoding/binary"
	"slices"
	"unicode/utf8"

	"github.com/slipstream-go/slipstream/json"
)

// labelSet contains the labels of a series. They are written as a JSON object of strings, sorted by
// name. Remote Write forbids repeated names. But if a name is repeated, its values are written as
// an array, in the order of the request.
type labelSet struct {
	pairs  []pair
	sorted bool  // the names are strictly ascending, so no name is repeated
	size   int64 // bytes of all names and values
}

// pair is a label. Its slices refer to the body.
type pair struct{ name, value []byte }

func (s *labelSet) reset() { s.pairs, s.sorted, s.size = s.pairs[:0], true, 0 }

func (s *labelSet) add(name, value []byte) {
	if n := len(s.pairs); n > 0 && bytes.Compare(s.pairs[n-1].name, name) >= 0 {
		s.sorted = false
	}
	s.pairs = append(s.pairs, pair{name, value})
	s.size += int64(len(name) + len(value))
}

// sort sorts the labels by name. Labels with the same name keep their order.
func (s *labelSet) sort() {
	if !s.sorted {
		slices.SortStableFunc(s.pairs, func(a, b pair) int { return bytes.Compare(a.name, b.name) })
	}
}

// append appends the JSON object to b. It stops if b becomes longer than the argument `most`. It
// also stops at a label that is not UTF-8, and returns this label as the result `wrong`.
func (s *labelSet) append(b []byte, most int64) (_ []byte, wrong *pair) {
	s.sort()
	b = append(b, '{')
	var ok bool
	for i := range s.pairs {
		p := &s.pairs[i]
		again, more := s.same(i-1, i), s.same(i, i+1) // whether the previous and the next label have the same name
		if i > 0 {
			b = append(b, ',')
		}
		if !again {
			if b, ok = appendQuoted(b, p.name); !ok {
				return b, p
			}
			b = append(b, ':')
			if more {
				b = append(b, '[')
			}
		}
		if b, ok = appendQuoted(b, p.value); !ok {
			return b, p
		}
		if again && !more {
			b = append(b, ']')
		}
		if int64(len(b)) > most {
			return b, nil
		}
	}
	return append(b, '}'), nil
}

// same reports whether labels i and j exist and have the same name.
func (s *labelSet) same(i, j int) bool {
	return !s.sorted && i >= 0 && j < len(s.pairs) && bytes.Equal(s.pairs[i].name, s.pairs[j].name)
}

// appendQuoted appends s as a JSON string, and reports whether it is UTF-8.
func appendQuoted(b, s []byte) ([]byte, bool) {
	if !utf8.Valid(s) {
		return b, false
	}
	return json.AppendEscape(b, string(s), 0), true
}

// appendPlain is the fast path for a label. It appends the label and a comma. It returns false if
// the name or the value is not ASCII, or must be escaped in JSON.
func appendPlain(b, name, value []byte) ([]byte, bool) {
	n, size := len(b), len(name)+len(value)+len(`"":"",`)
	b = slices.Grow(b, size+8)
	to := b[n : n+size+8]
	to[0] = '"'
	found := copyPlain(to[1:], name)
	to = to[1+len(name):]
	to[0], to[1], to[2] = '"', ':', '"'
	found |= copyPlain(to[3:], value)
	to = to[3+len(value):]
	to[0], to[1] = '"', ','
	return b[:n+size], found == 0
}

// copyPlain copies s to the slice `to` in steps of 8 bytes. It may change up to 8 bytes after the
// end of the copy. The result is not 0 if s contains a special byte: see the function `specials`.
func copyPlain(to, s []byte) (found uint64) {
	if len(s) < 8 {
		w := uint64(0)
		if cap(s) >= 8 {
			w = binary.LittleEndian.Uint64(s[:8])
		} else {
			for i, c := range s {
				w |= uint64(c) << (8 * i)
			}
		}
		binary.LittleEndian.PutUint64(to, w)
		return specials(w) & (1<<(8*len(s)) - 1)
	}
	for i := 0; i < len(s)-8; i += 8 {
		w := binary.LittleEndian.Uint64(s[i:])
		binary.LittleEndian.PutUint64(to[i:], w)
		found |= specials(w)
	}
	w := binary.LittleEndian.Uint64(s[len(s)-8:])
	binary.LittleEndian.PutUint64(to[len(s)-8:], w)
	return found | specials(w)
}

// specials returns a word in which a bit is set for each special byte of w. Special bytes are
// control characters, quotes, backslashes and bytes that are not ASCII. In positions higher than a
// special byte, bits of other bytes may be set, too.
func specials(w uint64) uint64 {
	const ones = 0x0101010101010101
	const spaces, quotes, backslashes = ' ' * ones, '"' * ones, '\\' * ones
	return (w | (w - spaces) | ((w ^ quotes) - ones) | ((w ^ backslashes) - ones)) & (0x80 * ones)
}
