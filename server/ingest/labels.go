package ingest

import (
	"bytes"
	"encoding/binary"
	"slices"
	"unicode/utf8"

	"github.com/slipstream-go/slipstream/json"
)

// labelSet is the labels of a series, which become a JSON object of strings, sorted by name. A name
// that is there more than once, which is against the rules of Remote Write, has all of its values
// in an array, in the order in which they came.
type labelSet struct {
	pairs  []pair
	sorted bool  // strictly: no name is there twice
	size   int64 // bytes of all names and values
}

// pair is a label: views of the body.
type pair struct{ name, value []byte }

func (s *labelSet) reset() { s.pairs, s.sorted, s.size = s.pairs[:0], true, 0 }

func (s *labelSet) add(name, value []byte) {
	if n := len(s.pairs); n > 0 && bytes.Compare(s.pairs[n-1].name, name) >= 0 {
		s.sorted = false
	}
	s.pairs = append(s.pairs, pair{name, value})
	s.size += int64(len(name) + len(value))
}

// sort puts the labels in order. It keeps the order of those of one name.
func (s *labelSet) sort() {
	if !s.sorted {
		slices.SortStableFunc(s.pairs, func(a, b pair) int { return bytes.Compare(a.name, b.name) })
	}
}

// append appends the object to b. It stops at a label that is not UTF-8, which it returns, and when
// b gets longer than most.
func (s *labelSet) append(b []byte, most int64) (_ []byte, wrong *pair) {
	s.sort()
	b = append(b, '{')
	ok := true
	for i := range s.pairs {
		p := &s.pairs[i]
		again, more := s.same(i-1, i), s.same(i, i+1) // values of the name before this one, and after it
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

// same reports whether labels i and j, if there are such, have one name.
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

// appendPlain is the fast twin of all this: it appends a label and a comma, and is false if one of
// the two is not ASCII that JSON holds as it is.
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

// copyPlain copies s, 8 bytes at a time and up to 8 too many, and gives something other than 0 if a
// byte is special.
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

// specials has a bit for each byte of w that is a control character, a quote, a backslash or beyond
// ASCII; and maybe for some that are not, above one that is.
func specials(w uint64) uint64 {
	const ones = 0x0101010101010101
	const spaces, quotes, backslashes = ' ' * ones, '"' * ones, '\\' * ones
	return (w | (w - spaces) | ((w ^ quotes) - ones) | ((w ^ backslashes) - ones)) & (0x80 * ones)
}
