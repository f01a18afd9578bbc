package json

// This file contains Indent and HTMLEscape.
//
// A tidier checks the syntax and writes the output at the same time. It copies parts of the input
// that do not change, which are called stretches. A stretch ends before white space, which the
// tidier omits, and before a new line of the output. If the input is not valid, the output is
// dropped, and encoding/json creates the error.

import (
	"bytes"
	"encoding/json"
	"math/bits"

	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/internal/simd"
)

// Indent appends src to dst with each element on its own line. Every line except the first begins
// with prefix, followed by one copy of indent for each level of nesting. White space at the start
// of src is removed; white space at the end is kept. If src is not valid JSON, Indent leaves dst
// unchanged and returns the error of encoding/json.
func Indent(dst *bytes.Buffer, src []byte, prefix, indent string) error {
	if onV2 && len(src) > 0 && isBlank(src[len(src)-1]) {
		return json.Indent(dst, src, prefix, indent) // v2 changes white space at the end
	}
	dst.Grow(indentGrowth * len(src))
	if b, ok := appendIndent(dst.AvailableBuffer(), src, prefix, indent); ok {
		dst.Write(b)
		return nil
	}
	return json.Indent(dst, src, prefix, indent)
}

// indentGrowth is the estimated ratio of the length of indented JSON to the length of the original
// JSON.
const indentGrowth = 2

// MarshalIndent is like Marshal, but applies [Indent] to the result.
func MarshalIndent(v any, prefix, indent string) ([]byte, error) {
	b, err := Marshal(v)
	if err != nil {
		return nil, err
	}
	b, err = indented(make([]byte, 0, indentGrowth*len(b)), b, prefix, indent)
	if err != nil {
		return nil, err
	}
	return b, nil
}

// indented appends b to dst as Indent does.
func indented(dst, b []byte, prefix, indent string) ([]byte, error) {
	if out, ok := appendIndent(dst, b, prefix, indent); ok {
		return out, nil
	}
	var out bytes.Buffer
	err := json.Indent(&out, b, prefix, indent) // the output of Marshal may nest too deep
	return append(dst, out.Bytes()...), err
}

// HTMLEscape appends src to dst with <, >, &, U+2028 and U+2029 escaped. In valid JSON, these
// characters appear only in strings.
func HTMLEscape(dst *bytes.Buffer, src []byte) {
	dst.Grow(len(src))
	dst.Write(appendHTMLEscaped(dst.AvailableBuffer(), mem.String(src)))
}

func appendHTMLEscaped(b []byte, s string) []byte {
	start, i := 0, 0
	for {
		for len(s)-i >= 8 {
			if found := htmlIn(mem.Load64(mem.Bytes(s), i)); found != 0 {
				i += bits.TrailingZeros64(found) >> 3
				break
			}
			i += 8
		}
		if i >= len(s) {
			return append(b, s[start:]...)
		}
		text, size := htmlEscape(s, i)
		if size > 0 {
			b = append(append(b, s[start:i]...), text...)
			start = i + size
		}
		i += max(size, 1)
	}
}

// htmlIn marks the bytes of w that htmlEscape may have to escape: <, >, & and the first byte of
// U+2028 and U+2029. It sets the high bit of each such byte. The lowest mark is exact, but higher
// marks may be wrong. The characters < and > differ in one bit.
func htmlIn(w uint64) uint64 {
	angles, and, lines := (w|2*ones)^'>'*ones, w^'&'*ones, w^0xe2*ones
	return ((angles-ones)&^angles | (and-ones)&^and | (lines-ones)&^lines) & highs
}

// htmlEscape returns the escape for the character at s[i], and the length of the character. If the
// character needs no escape, the length is 0.
func htmlEscape(s string, i int) (text string, size int) {
	switch s[i] {
	case '<':
		return `\u003c`, 1
	case '>':
		return `\u003e`, 1
	case '&':
		return `\u0026`, 1
	case 0xe2: // U+2028 is E2 80 A8
		if i+2 < len(s) && s[i+1] == 0x80 && s[i+2]&^1 == 0xa8 {
			if s[i+2] == 0xa8 {
				return `\u2028`, 3
			}
			return `\u2029`, 3
		}
	}
	return "", 0
}

// appendIndent appends src as Indent does. If src is not valid, it appends nothing and returns
// false.
func appendIndent(b, src []byte, prefix, indent string) ([]byte, bool) {
	line := append(append(make([]byte, 0, 128), '\n'), prefix...)
	t := tidier{b: b, src: src, line: line, margin: len(line), indent: indent}
	if !t.tidy() {
		return b, false
	}
	return t.b, true
}

// tidier is the state of a call of Indent.
type tidier struct {
	b     []byte // the output
	src   []byte // src[start:i] will be copied unchanged
	start int
	depth int
	nest  [4]uint64 // one bit per nesting level: 1 for an object, 0 for an array
	deep  []uint64  // the same for deeper levels

	line   []byte // a newline and the indentation of the deepest level so far
	margin int    // the length of line without indentation
	indent string
}

// flush copies the stretch src[start:i] to the output. The argument `next` is the beginning of the
// next stretch.
func (t *tidier) flush(i, next int) {
	if t.start < i {
		t.b = append(t.b, t.src[t.start:i]...)
	}
	t.start = next
}

// blanks omits the white space at i, and returns the position after it.
func (t *tidier) blanks(i int) int {
	if i < len(t.src) && t.src[i] <= ' ' {
		return t.skipBlanks(i)
	}
	return i
}

func (t *tidier) skipBlanks(i int) int {
	src, next := t.src, i
	for next < len(src) && isBlank(src[next]) {
		if next++; next-i == longBlanks {
			next += simd.Blanks(mem.From(src, next-1), len(src)-next+1) - 1
		}
	}
	t.flush(i, next)
	return next
}

// longBlanks is the number of blanks that are skipped byte by byte before simd.Blanks is called.
const longBlanks = 8

// newLine ends the stretch before i, and begins a new line of the output.
func (t *tidier) newLine(i int) {
	t.flush(i, i)
	n := t.margin + t.depth*len(t.indent)
	for len(t.line) < n {
		t.line = append(t.line, t.indent...)
	}
	t.b = append(t.b, t.line[:n]...)
}

// level returns the word that contains the bit of the current level.
func (t *tidier) level() *uint64 {
	i := t.depth >> 6
	if i < len(t.nest) {
		return &t.nest[i]
	}
	if i -= len(t.nest); i == len(t.deep) {
		t.deep = append(t.deep, 0)
	}
	return &t.deep[i]
}

// tidy writes the output for the whole input, and reports whether the input is valid.
func (t *tidier) tidy() bool {
	src := t.src
	i := t.blanks(0)
	object := uint64(0) // 1 if the current level is an object
	for {
		// A value begins at i.
		if i >= len(src) {
			return false
		}
		switch c := src[i]; c {
		case '"':
			i = textEnd(src, i+1)
		case '{', '[':
			if t.depth++; t.depth > maxDepth {
				return false
			}
			if i = t.blanks(i + 1); i >= len(src) {
				return false
			}
			if src[i] == c+2 { // the closing bracket is the opening one plus 2
				i++
				t.depth--
				break
			}
			object = uint64(c>>5) & 1 // in this bit, braces differ from brackets
			at := t.level()
			*at = *at&^(1<<(t.depth&63)) | object<<(t.depth&63)
			t.newLine(i)
			if object != 0 {
				if i = t.key(i); i < 0 {
					return false
				}
			}
			continue
		case 't':
			i = literalEnd(src, i, "true")
		case 'f':
			i = literalEnd(src, i, "false")
		case 'n':
			i = literalEnd(src, i, "null")
		default:
			i = numberEnd(mem.String(src), i)
		}
		if i < 0 {
			return false
		}
		// A value has ended before i.
		for {
			if t.depth == 0 {
				return t.finish(i)
			}
			if i = t.blanks(i); i >= len(src) {
				return false
			}
			if src[i] == ',' {
				i = t.blanks(i + 1)
				t.newLine(i)
				if object != 0 {
					if i = t.key(i); i < 0 {
						return false
					}
				}
				break
			}
			if src[i] != byte(']'+object<<5) {
				return false
			}
			t.depth--
			object = *t.level() >> (t.depth & 63) & 1
			t.newLine(i)
			i++
		}
	}
}

// finish ends the output. It copies the white space at i, and reports whether the input ends after
// this white space.
func (t *tidier) finish(i int) bool {
	t.flush(i, i)
	end := t.blanks(i)
	t.b = append(t.b, t.src[i:end]...)
	return end == len(t.src)
}

// key reads a key, a colon, and the white space around the colon. It returns the position of the
// value, or -1.
func (t *tidier) key(i int) int {
	src := t.src
	if i >= len(src) || src[i] != '"' {
		return -1
	}
	if i = textEnd(src, i+1); i < 0 {
		return -1
	}
	if i = t.blanks(i); i >= len(src) || src[i] != ':' {
		return -1
	}
	i = t.blanks(i + 1)
	t.flush(i, i)
	t.b = append(t.b, ' ')
	return i
}

// escapeEnd returns the position after the escape at src[i], or -1 if the escape is not valid.
func escapeEnd(src []byte, i int) int {
	if i+1 >= len(src) {
		return -1
	}
	switch src[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2
	case 'u':
		if i+6 > len(src) {
			return -1
		}
		for _, c := range src[i+2 : i+6] {
			if c-'0' > 9 && c|0x20-'a' > 5 {
				return -1
			}
		}
		return i + 6
	}
	return -1
}

// literalEnd returns the position after the literal `word`, if src contains `word` at i. Otherwise,
// it returns -1.
func literalEnd(src []byte, i int, word string) int {
	if len(src)-i < len(word) || string(src[i:i+len(word)]) != word {
		return -1
	}
	return i + len(word)
}
