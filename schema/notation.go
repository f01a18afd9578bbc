package schema

import (
	"strconv"
	"strings"
	"unicode"
)

// notation writes a node as text.
//
//	{name str8, born time, phone str8, skip4, tags list8(str8), next opt(^1)}
//
// Numbers, strings and headers have the same names as in the API, with the suffix be if they are
// big-endian. The notation ^0 means the current struct, and ^1 means the struct that encloses it.
// The name of a Custom follows its minimum size, as in custom4:money. A Tail is written in
// brackets. A name that is not a plain word is written in quotes. If names are omitted, all schemas
// with the same encoding have the same text, regardless of their Go types.
type notation struct {
	names bool
	open  []*node // enclosing structs, beginning with the outermost
}

func (t notation) node(s *strings.Builder, n *node) {
	if n.kind == kindStruct {
		t.fields(s, n)
		return
	}
	s.WriteString(t.word(n))
	if n.kind == kindSelf || n.elem == nil {
		return
	}
	s.WriteByte('(')
	if n.key != nil {
		t.node(s, n.key)
		s.WriteByte(',')
	}
	t.node(s, n.elem)
	s.WriteByte(')')
}

// word returns the name of the type of n, without the parts of n. The node n must not be a struct.
func (t notation) word(n *node) string {
	be := ""
	if n.big {
		be = "be"
	}
	switch n.kind {
	case kindInt:
		sign := "u"
		if n.signed {
			sign = "i"
		}
		return sign + strconv.Itoa(8*n.size) + be
	case kindFloat:
		return "f" + strconv.Itoa(8*n.size) + be
	case kindString, kindBlob, kindList, kindMap:
		return kindTexts[n.kind] + n.header.String()
	case kindArray:
		return kindTexts[n.kind] + strconv.Itoa(n.count)
	case kindCustom:
		return kindTexts[n.kind] + strconv.Itoa(n.size) + ":" + quoted(n.custom.name)
	case kindSelf:
		return t.self(n)
	}
	return kindTexts[n.kind]
}

// self returns the name of the enclosing struct n. The name contains the number of levels between
// the current struct and n.
func (t notation) self(n *node) string {
	up := 0
	for k := len(t.open) - 1; k > 0 && t.open[k] != n.elem; k-- {
		up++
	}
	return "^" + strconv.Itoa(up)
}

func (t notation) fields(s *strings.Builder, n *node) {
	t.open = append(t.open[:len(t.open):len(t.open)], n)
	s.WriteByte('{')
	for k, f := range n.fields {
		if k > 0 {
			s.WriteByte(',')
			if t.names {
				s.WriteByte(' ')
			}
		}
		if f.tail && (k == 0 || !n.fields[k-1].tail) {
			s.WriteByte('[')
		}
		if f.n == nil {
			s.WriteString(skipOf(f.skip))
			continue
		}
		if t.names {
			s.WriteString(quoted(f.name) + " ")
		}
		t.node(s, f.n)
	}
	if n.hasTail() {
		s.WriteByte(']')
	}
	s.WriteByte('}')
}

const skipWord = "skip"

func skipOf(n int) string { return skipWord + strconv.Itoa(n) }

// quoted returns a name in the form that the notation uses, with quotes if they are necessary.
func quoted(name string) string {
	if name == "" || strings.ContainsFunc(name, endsWord) {
		return strconv.Quote(name)
	}
	return name
}

// endsWord reports whether c cannot be a part of a word of the notation.
func endsWord(c rune) bool {
	return strings.ContainsRune("(),{}[]\"", c) || unicode.IsSpace(c) || !unicode.IsPrint(c)
}
