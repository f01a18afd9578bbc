// Package schemaoracle contains an independent decoder for the encoding of package schema. The
// tests of packages schema and parco use it as an oracle. It interprets the notation of a schema,
// and uses only package reflect. It is slow and as simple as possible. Only tests import it.
package schemaoracle

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Layout is a schema that was parsed from its notation.
type Layout struct {
	word   string // the type, without header and size: str, u, list, struct …
	size   int    // size of a number or header in bytes, or number of elements in an array
	signed bool
	big    bool
	name   string // name of a custom type
	parts  []*Layout
	fields []field
	up     int // for a self: the number of enclosing structs to skip
}

// field is a field of a struct. If the field represents skipped bytes, its layout is nil.
type field struct {
	name   string
	layout *Layout
	skip   int
	tail   bool
}

// Parse parses a notation in the form that Schema.String returns.
func Parse(notation string) (l *Layout, err error) {
	p := parser{rest: notation}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%q before %q: %v", notation, p.rest, r)
		}
	}()
	l = p.layout()
	if p.rest != "" {
		panic("something is left")
	}
	return l, nil
}

type parser struct{ rest string }

// take reports whether the rest of the notation begins with s. If it does, take removes s.
func (p *parser) take(s string) bool {
	var ok bool
	p.rest, ok = strings.CutPrefix(p.rest, s)
	return ok
}

// word removes and returns the text before the next of the given characters, or a quoted string.
func (p *parser) word(ends string) string {
	if quoted, err := strconv.QuotedPrefix(p.rest); err == nil {
		p.rest = p.rest[len(quoted):]
		s, _ := strconv.Unquote(quoted)
		return s
	}
	at := strings.IndexAny(p.rest, ends)
	if at < 0 {
		at = len(p.rest)
	}
	word := p.rest[:at]
	p.rest = p.rest[at:]
	return word
}

func (p *parser) layout() *Layout {
	if p.take("{") {
		return p.structure()
	}
	l := typeOf(p.word("(),]}"))
	if p.take("(") {
		for {
			l.parts = append(l.parts, p.layout())
			if p.take(")") {
				break
			}
			p.take(",")
		}
	}
	return l
}

func (p *parser) structure() *Layout {
	l := &Layout{word: "struct"}
	tail := false
	for !p.take("}") {
		p.take(",")
		p.take(" ")
		tail = p.take("[") || tail
		name := p.word(" ,]}")
		if !p.take(" ") {
			l.fields = append(l.fields, field{skip: number(strings.TrimPrefix(name, "skip")), tail: tail})
		} else {
			l.fields = append(l.fields, field{name: name, layout: p.layout(), tail: tail})
		}
		p.take("]")
	}
	return l
}

// typeOf parses a word such as u16be, stri32, array5 or ^1.
func typeOf(word string) *Layout {
	if up, ok := strings.CutPrefix(word, "^"); ok {
		return &Layout{word: "self", up: number(up)}
	}
	if custom, ok := strings.CutPrefix(word, "custom"); ok {
		least, name, _ := strings.Cut(custom, ":")
		return &Layout{word: "custom", size: number(least), name: name}
	}
	l := &Layout{}
	word, l.big = strings.CutSuffix(word, "be")
	at := strings.IndexAny(word, "0123456789")
	if at < 0 {
		l.word = word
		return l
	}
	l.word, l.size = word[:at], number(word[at:])
	switch l.word {
	case "u", "i", "f":
		l.size /= 8
		l.signed = l.word == "i"
	case "array":
	default:
		l.size /= 8
		l.word, l.signed = strings.CutSuffix(l.word, "i")
	}
	return l
}

func number(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		panic(err)
	}
	return n
}

// WithTail returns a copy of the struct l in which the fields with index n and higher are a tail.
// If l contains itself, the inner structs have no tail.
func (l *Layout) WithTail(n int) *Layout {
	c := l.within(l, -1)
	for k := n; k < len(c.fields); k++ {
		c.fields[k].tail = true
	}
	return c
}

// within returns a copy of l in which the layout `outer` replaces each self that refers to `outer`.
// The layout l is a part of `outer`. The argument `between` is the number of structs between l and
// `outer`.
func (l *Layout) within(outer *Layout, between int) *Layout {
	if l.word == "self" && l.up == between {
		return outer
	}
	c := *l
	if l.word == "struct" {
		between++
	}
	c.fields, c.parts = slices.Clone(l.fields), slices.Clone(l.parts)
	for i := range c.fields {
		if f := &c.fields[i]; f.layout != nil {
			f.layout = f.layout.within(outer, between)
		}
	}
	for i := range c.parts {
		c.parts[i] = c.parts[i].within(outer, between)
	}
	return &c
}

// least returns the minimum number of bytes of a value.
func (l *Layout) least(open []*Layout) int {
	switch l.word {
	case "u", "i", "f", "str", "blob", "list", "map", "custom":
		return l.size
	case "bool", "opt":
		return 1
	case "time":
		return 8
	case "timezone":
		return 10
	case "array":
		return l.size * l.parts[0].least(open)
	case "self":
		return open[len(open)-1-l.up].least(open[:len(open)-1-l.up])
	}
	total := 0
	for _, f := range l.fields {
		switch {
		case f.layout == nil:
			total += f.skip
		case !f.tail:
			total += f.layout.least(append(open[:len(open):len(open)], l))
		}
	}
	return total
}
