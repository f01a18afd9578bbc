package schema

import (
	"fmt"
	"strconv"
	"strings"
)

// kindTexts contains the words of the notation, without the numbers and headers that follow them.
var kindTexts = [...]string{kindInt: "int", kindFloat: "float", kindBool: "bool", kindTime: "time", kindTimeZone: "timezone", kindString: "str",
	kindBlob: "blob", kindList: "list", kindArray: "array", kindMap: "map", kindOpt: "opt", kindCustom: "custom", kindStruct: "struct", kindSelf: "self"}

// read sets n to the type that the word names, and returns the number of parts of that type.
func (n *node) read(word string) (parts int) {
	end := strings.IndexAny(word, "0123456789")
	if end < 0 {
		end = len(word)
	} else if end > 1 && word[end-1] == 'i' { // the i belongs to a header
		end--
	}
	name, rest := word[:end], word[end:]
	if name == "u" || name == "i" || name == "f" {
		n.readNumber(name, rest)
		return 0
	}
	for k := kindBool; k <= kindCustom; k++ {
		if kindTexts[k] == name {
			n.kind = k
		}
	}
	switch n.kind {
	case kindBool:
		n.size = 1
	case kindString, kindBlob:
		n.readHeader(rest)
		return 0
	case kindList:
		n.readHeader(rest)
		return 1
	case kindMap:
		n.readHeader(rest)
		return 2
	case kindArray:
		n.count = n.number(rest, maxCount)
		return 1
	case kindCustom:
		least, name, _ := strings.Cut(rest, ":")
		if text, err := strconv.Unquote(name); err == nil && strings.HasPrefix(name, `"`) {
			name = text
		}
		n.size, n.custom = n.number(least, hugeWire), &custom{name: name}
		if name == "" {
			n.wrong("%q has no name", word)
		}
		return 0
	case kindOpt:
		parts = 1
	}
	if n.kind == kindInt || rest != "" {
		n.wrong("%q is no type", word)
	}
	return parts
}

const maxCount = hugeWire // maximum number of elements of an array

// readNumber sets n to a number type. The argument `letter` is the first letter of the type's word.
// The argument `rest` contains the number of bits and the suffix be, if any.
func (n *node) readNumber(letter, rest string) {
	bits, big := strings.CutSuffix(rest, "be")
	n.size, n.big = map[string]int{"8": 1, "16": 2, "32": 4, "64": 8}[bits], big
	n.signed = letter == "i"
	if letter == "f" {
		n.kind = kindFloat
	}
	if n.size == 0 || n.size == 1 && big || letter == "f" && n.size < 4 {
		n.wrong("there is no number %s%s", letter, rest)
	}
}

func (n *node) readHeader(text string) {
	for h, name := range headerTexts {
		if name == text {
			n.header = Header(h)
			return
		}
	}
	n.wrong("there is no header %q", text)
}

func (n *node) number(digits string, limit int) int {
	v, err := strconv.Atoi(digits)
	if err != nil || v < 0 || v > limit || strconv.Itoa(v) != digits {
		n.wrong("%q is not a number from 0 to %d", digits, limit)
		return 0
	}
	return v
}

// These constants limit shapes that are read from text, because the text may come from an untrusted
// source.
const (
	maxNesting = 64      // nesting depth of types
	maxParts   = 1 << 14 // total number of types and skips
	maxListed  = 20      // number of mistakes that are reported
)

// builder builds nodes without Go types.
type builder struct {
	open  []*node // structs that enclose the current node, beginning with the outermost
	depth int
	parts int
	err   error // the reason why building stopped
}

// enter begins a node, and reports whether the limits allow it. Each call must be followed by a
// call of leave.
func (b *builder) enter() bool {
	b.depth++
	b.parts++
	switch {
	case b.err != nil:
	case b.depth > maxNesting:
		b.fail("types are nested more than %d deep", maxNesting)
	case b.parts > maxParts:
		b.fail("there are more than %d fields and types", maxParts)
	}
	return b.err == nil
}

func (b *builder) leave() { b.depth-- }

func (b *builder) fail(format string, args ...any) {
	if b.err == nil {
		b.err = fmt.Errorf("schema: "+format, args...)
	}
}

// word returns the node that the word names, and the number of the node's parts.
func (b *builder) word(word string) (n *node, parts int) {
	n = new(node)
	up, self := strings.CutPrefix(word, "^")
	if !self {
		return n, n.read(word)
	}
	k := len(b.open) - 1 - n.number(up, maxNesting)
	switch {
	case len(n.faults) > 0:
	case k < 0:
		n.wrong("%s refers to no enclosing struct", word)
	default:
		n.kind, n.elem = kindSelf, b.open[k]
	}
	return n, 0
}

// structure returns a struct node. It calls the function `add`, which adds the fields.
func (b *builder) structure(add func(*node)) *node {
	n := &node{kind: kindStruct}
	b.open = append(b.open, n)
	add(n)
	b.open = b.open[:len(b.open)-1]
	n.listed()
	return n
}

// skip returns the field of skipped bytes that the word names. If the word does not name skipped
// bytes, ok is false.
func (n *node) skip(word string) (f field, ok bool) {
	digits, ok := strings.CutPrefix(word, skipWord)
	if ok {
		f.skip = n.number(digits, maxSkip)
	}
	return f, ok
}

// shape returns the shape of messages that n describes.
func (b *builder) shape(n *node) (*Shape, error) {
	if b.err != nil {
		return nil, b.err
	}
	if mistakes := n.mistakes(); len(mistakes) > 0 {
		return nil, mistakesOf("message", mistakes[:min(len(mistakes), maxListed)])
	}
	return &Shape{n}, nil
}

// ParseShape parses a shape in the notation of [Schema.String].
func ParseShape(text string) (*Shape, error) {
	p := parser{text: text, rest: text}
	n := p.part()
	if p.blank(); p.err == nil && p.rest != "" {
		p.fail("unexpected text at byte %d", p.at())
	}
	return p.shape(n)
}

// parser reads the notation.
type parser struct {
	builder
	text, rest string
}

func (p *parser) at() int { return len(p.text) - len(p.rest) }

func (p *parser) blank() { p.rest = strings.TrimLeft(p.rest, " \t\r\n") }

// is reports whether the next character is c. If so, it consumes the character.
func (p *parser) is(c byte) bool {
	p.blank()
	if p.rest == "" || p.rest[0] != c {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

func (p *parser) expect(c byte) bool {
	if !p.is(c) {
		p.fail("there is no %q at byte %d", c, p.at())
	}
	return p.err == nil
}

// word consumes a word, which may be empty.
func (p *parser) word() string {
	p.blank()
	end := strings.IndexFunc(p.rest, endsWord)
	if end < 0 {
		end = len(p.rest)
	}
	if end > 0 && p.rest[end-1] == ':' { // a Custom, whose name may be in quotes
		text, _ := strconv.QuotedPrefix(p.rest[end:])
		end += len(text)
	}
	word := p.rest[:end]
	p.rest = p.rest[end:]
	return word
}

// typ reads a type whose text begins with the given word.
func (p *parser) typ(word string) *node {
	if word == "" && p.is('{') {
		return p.fields()
	}
	n, parts := p.builder.word(word)
	if parts == 0 || !p.expect('(') {
		return n
	}
	if parts == 2 {
		n.key = p.part()
		p.expect(',')
	}
	n.elem = p.part()
	p.expect(')')
	return n
}

func (p *parser) part() *node {
	n := new(node)
	if p.enter() {
		n = p.typ(p.word())
	}
	p.leave()
	return n
}

// fields reads a struct, after its opening brace.
func (p *parser) fields() *node {
	return p.structure(func(n *node) {
		tail := false
		for more := !p.is('}'); more && p.enter(); p.leave() {
			tail = tail || p.is('[')
			f := p.field(n)
			f.tail = tail
			n.fields = append(n.fields, f)
			if more = p.is(','); !more {
				if tail {
					p.expect(']')
				}
				p.expect('}')
			}
		}
	})
}

// field reads a field of n: its name and its type, or the number of bytes to skip.
func (p *parser) field(n *node) field {
	if p.blank(); strings.HasPrefix(p.rest, `"`) {
		text, err := strconv.QuotedPrefix(p.rest)
		if err != nil {
			p.fail("unterminated name at byte %d", p.at())
			return field{n: new(node)}
		}
		name, _ := strconv.Unquote(text)
		p.rest = p.rest[len(text):]
		return field{name: name, n: p.typ(p.word())}
	}
	name := p.word()
	word := p.word()
	if word == "" && !strings.HasPrefix(p.rest, "{") {
		if skip, ok := n.skip(name); ok {
			return skip
		}
	}
	return field{name: name, n: p.typ(word)}
}
