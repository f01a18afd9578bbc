package json

// A scanner finds the end of the next value in a stream. It reads the stream in chunks, and
// examines each byte once. So its cost per byte depends neither on the size of the chunks nor on
// the length of the value. It reports the end of a value, or an error, as early as possible.

import (
	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/internal/simd"
)

// verdict is the result of scanning a part of a value.
type verdict uint8

const (
	unfinished verdict = iota // more bytes are needed
	complete
	invalid
)

// scanState defines which bytes may follow.
type scanState uint8

const (
	atValue    scanState = iota // white space, then a value
	atFirst                     // white space, then a value, or the end of the array that has just begun
	atFirstKey                  // white space, then a key, or the end of the object
	atKey                       // white space, then a key
	atColon                     // white space, then a colon
	atNext                      // white space, then a comma or the end of the container
	inString                    // the text of a string
	inEscape                    // the character after a backslash
	inHex                       // the four digits of \u
	inWord                      // the rest of true, false or null
	inNumber                    // the rest of a number
	atEnd                       // any byte: the value, a string or a word, is complete
)

// numberState is the position of the scanner in a number. In the state afterZero and all later
// states, the number may end.
type numberState uint8

const (
	afterMinus numberState = iota
	afterPoint
	afterE
	afterSign
	afterZero
	inWhole
	inFraction
	inExponent
)

type scanner struct {
	state  scanState
	number numberState
	key    bool   // the string is a key
	hex    uint8  // the number of digits after \u that have not been read
	word   string // true, false or null
	nest   []byte // the closing brackets of the open containers

	spelled uint8 // the number of letters of word that were read
}

// reset prepares s for the next value.
func (s *scanner) reset() { s.state, s.nest = atValue, s.nest[:0] }

// scan continues to scan a value. The slice b[i:] contains the bytes that have not been scanned. If
// the verdict is complete, the returned position is after the value. If the verdict is unfinished,
// the position is after the scanned bytes. If the verdict is invalid, it is the position of the
// invalid byte.
//
// An array or object is complete at its last byte. As in encoding/json, every other value is
// complete only when the next byte or the end of the input is seen. A number ends before the first
// byte that is not part of the number.
func (s *scanner) scan(b []byte, i int) (int, verdict) {
	for i < len(b) {
		c := b[i]
		switch s.state {
		case inString:
			switch c {
			case '"':
				i++
				if s.key {
					s.state = atColon
				} else {
					s.after()
				}
			case '\\':
				s.state = inEscape
				i++
			default:
				n := simd.FindStop(mem.From(b, i), len(b)-i)
				if n == 0 {
					return i, invalid
				}
				i += n
			}
			continue
		case inEscape:
			switch {
			case c == 'u':
				s.state, s.hex = inHex, 4
			case meanings[c] == 0:
				return i, invalid
			default:
				s.state = inString
			}
			i++
			continue
		case inHex:
			if hexDigits[c] < 0 {
				return i, invalid
			}
			if s.hex--; s.hex == 0 {
				s.state = inString
			}
			i++
			continue
		case inWord:
			if c != s.word[s.spelled] {
				return i, invalid
			}
			i++
			if s.spelled++; int(s.spelled) == len(s.word) {
				s.after()
			}
			continue
		case atEnd:
			return i, complete
		case inNumber:
			if s.number >= inWhole { // skip the digits, which may be many
				for c-'0' <= 9 {
					if i++; i == len(b) {
						return i, unfinished
					}
					c = b[i]
				}
			}
			switch s.inNumber(c) {
			case unfinished:
				i++
				continue
			case invalid:
				return i, invalid
			}
			if s.after(); s.state == atEnd {
				return i, complete
			}
		}
		if c <= ' ' {
			if !isBlank(c) {
				return i, invalid
			}
			i++
			continue
		}
		i++
		switch s.state {
		case atColon:
			if c != ':' {
				return i - 1, invalid
			}
			s.state = atValue
		case atNext:
			switch last := s.nest[len(s.nest)-1]; {
			case c == last:
				if s.close() {
					return i, complete
				}
			case c != ',':
				return i - 1, invalid
			case last == ']':
				s.state = atValue
			default:
				s.state = atKey
			}
		case atFirstKey, atKey:
			switch {
			case c == '"':
				s.state, s.key = inString, true
			case c == '}' && s.state == atFirstKey:
				if s.close() {
					return i, complete
				}
			default:
				return i - 1, invalid
			}
		default:
			if c == ']' && s.state == atFirst {
				if s.close() {
					return i, complete
				}
			} else if !s.value(c) {
				return i - 1, invalid
			}
		}
	}
	if onV2 && s.state == atEnd {
		return i, complete
	}
	return i, unfinished
}

// value sets the state for a value whose first byte is c, and reports whether a value may begin
// with c.
func (s *scanner) value(c byte) bool {
	switch c {
	case '"':
		s.state, s.key = inString, false
	case '{', '[':
		if len(s.nest) == maxDepth {
			return false
		}
		s.state = atFirstKey
		if c == '[' {
			s.state = atFirst
		}
		s.nest = append(s.nest, c+2) // in ASCII, the closing bracket is the opening one plus 2
	case 't':
		s.state, s.word, s.spelled = inWord, "true", 1
	case 'f':
		s.state, s.word, s.spelled = inWord, "false", 1
	case 'n':
		s.state, s.word, s.spelled = inWord, "null", 1
	case '-':
		s.state, s.number = inNumber, afterMinus
	case '0':
		s.state, s.number = inNumber, afterZero
	default:
		if c-'0' > 9 {
			return false
		}
		s.state, s.number = inNumber, inWhole
	}
	return true
}

// after sets the state that follows the end of a value.
func (s *scanner) after() {
	if s.state = atNext; len(s.nest) == 0 {
		s.state = atEnd
	}
}

// close ends a container, and reports whether it was the outermost container.
func (s *scanner) close() bool {
	s.nest = s.nest[:len(s.nest)-1]
	s.state = atNext
	return len(s.nest) == 0
}

// inNumber reads the byte c, which follows the first byte of a number. It returns unfinished if c
// is part of the number, complete if the number ends before c, and otherwise invalid. If c is
// invalid, s.number does not change.
func (s *scanner) inNumber(c byte) verdict {
	digit := c-'0' <= 9
	switch s.number {
	case afterMinus:
		switch {
		case c == '0':
			s.number = afterZero
		case digit:
			s.number = inWhole
		default:
			return invalid
		}
		return unfinished
	case afterPoint, afterE, afterSign:
		switch {
		case digit && s.number == afterPoint:
			s.number = inFraction
		case digit:
			s.number = inExponent
		case s.number == afterE && (c == '+' || c == '-'):
			s.number = afterSign
		default:
			return invalid
		}
		return unfinished
	case afterZero, inWhole:
		switch {
		case digit && s.number == inWhole:
		case c == '.':
			s.number = afterPoint
		case c|0x20 == 'e':
			s.number = afterE
		default:
			return complete
		}
		return unfinished
	case inFraction:
		switch {
		case digit:
		case c|0x20 == 'e':
			s.number = afterE
		default:
			return complete
		}
		return unfinished
	}
	if !digit { // in an exponent
		return complete
	}
	return unfinished
}

// whole reports whether the value is complete if the input ends here.
func (s *scanner) whole() bool {
	return s.state == atEnd || s.state == inNumber && s.number >= afterZero && len(s.nest) == 0
}

func isBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }
