package schema

import (
	"iter"
	"strings"
)

// Kind is what a [Piece] is on the wire.
type Kind uint8

const (
	KindInt      = Kind(kindInt)      // Bits, Signed, BigEndian
	KindFloat    = Kind(kindFloat)    // Bits, BigEndian
	KindBool     = Kind(kindBool)     // a byte, 0 or 1
	KindTime     = Kind(kindTime)     // nanoseconds since 1970: 8 bytes, signed, little-endian
	KindTimeZone = Kind(kindTimeZone) // the same, a byte 1, and the name of the zone after its length in a byte
	KindString   = Kind(kindString)   // Header, bytes
	KindBlob     = Kind(kindBlob)     // Header, bytes
	KindList     = Kind(kindList)     // Header, so many Elem
	KindArray    = Kind(kindArray)    // Count times Elem
	KindMap      = Kind(kindMap)      // Header, so many times Key and Elem
	KindOpt      = Kind(kindOpt)      // a byte, 0; or 1 and Elem
	KindCustom   = Kind(kindCustom)   // Custom, bytes that only functions of this name know
	KindStruct   = Kind(kindStruct)   // Fields
	KindSelf     = Kind(kindSelf)     // Elem, a struct that this lies in
	KindSkip     = KindSelf + 1       // Count bytes that mean nothing
)

// String is the word for k in the notation of [Schema.String], or as much of it as all of this kind
// share.
func (k Kind) String() string {
	switch {
	case k == KindSkip:
		return skipWord
	case k < KindSkip:
		return kindTexts[k]
	}
	return "?"
}

// Piece is a piece of a message as a [Shape] has it: all of it, a field, or what a field is made
// of. With it messages can be read whose Go type is not known: the fields, one after the other, are
// all that is on the wire. What a Piece has depends on its Kind; the rest is zero.
type Piece struct{ f field }

// Message is the whole message, which is mostly a struct.
func (s *Shape) Message() Piece { return pieceOf(s.root()) }

// Fields are those of a message that is a struct, in order. Skipped bytes are among them.
func (s *Shape) Fields() iter.Seq[Piece] { return s.Message().Fields() }

func pieceOf(n *node) Piece { return Piece{field{n: n}} }

// Kind is what the piece is; all else depends on it.
func (p Piece) Kind() Kind {
	if p.f.n == nil {
		return KindSkip
	}
	return Kind(p.f.n.kind)
}

// String is the type of the piece in the notation of [Schema.String].
func (p Piece) String() string {
	if p.f.n == nil {
		return skipOf(p.f.skip)
	}
	var t strings.Builder
	notation{names: true}.node(&t, p.f.n)
	return t.String()
}

// Name is the name of a field.
func (p Piece) Name() string { return p.f.name }

// Tail reports whether a message may end before this field: see [Tail].
func (p Piece) Tail() bool { return p.f.tail }

// node is that of the piece, or one that has nothing.
func (p Piece) node() *node {
	if p.f.n == nil {
		return new(node)
	}
	return p.f.n
}

// Bits is the size of a number: 8, 16, 32, 64.
func (p Piece) Bits() int {
	if k := p.Kind(); k != KindInt && k != KindFloat {
		return 0
	}
	return 8 * p.f.n.size
}

// Signed reports whether an integer is one.
func (p Piece) Signed() bool { return p.node().signed }

// BigEndian reports whether a number is.
func (p Piece) BigEndian() bool { return p.node().big }

// Header is what is before a string, a blob, a list and a map.
func (p Piece) Header() Header { return p.node().header }

// Count is how many elements an array has, and how many bytes are skipped.
func (p Piece) Count() int { return max(p.f.skip, p.node().count) }

// Custom is the name of a [Custom].
func (p Piece) Custom() string {
	if p.Kind() != KindCustom {
		return ""
	}
	return p.f.n.custom.name
}

// Key is what the keys of a map are.
func (p Piece) Key() Piece { return pieceOf(p.node().key) }

// Elem is what the elements of a list or an array are, the values of a map, the value of an option;
// and the struct that a piece of KindSelf stands for, which it lies in itself.
func (p Piece) Elem() Piece { return pieceOf(p.node().elem) }

// Fields are those of a struct, in order.
func (p Piece) Fields() iter.Seq[Piece] {
	return func(yield func(Piece) bool) {
		for _, f := range p.node().fields {
			if !yield(Piece{f}) {
				return
			}
		}
	}
}

// Least is the fewest bytes that the piece takes, though never more than 1,073,741,823: of a list
// of n elements, there must be n times as many as its Elem takes. Elements that take none need a
// bound of their own: any number of them can stand in a few bytes.
func (p Piece) Least() int {
	if p.f.n == nil {
		return p.f.skip
	}
	return p.f.n.least()
}
