package schema

import (
	"iter"
	"strings"
)

// Kind is the encoding of a [Piece].
type Kind uint8

const (
	KindInt      = Kind(kindInt)      // Bits, Signed, BigEndian
	KindFloat    = Kind(kindFloat)    // Bits, BigEndian
	KindBool     = Kind(kindBool)     // a byte, 0 or 1
	KindTime     = Kind(kindTime)     // nanoseconds since 1970: 8 bytes, signed, little-endian
	KindTimeZone = Kind(kindTimeZone) // 8 bytes like KindTime, a byte 1, a byte with the length of the zone's name, and the name
	KindString   = Kind(kindString)   // Header, bytes
	KindBlob     = Kind(kindBlob)     // Header, bytes
	KindList     = Kind(kindList)     // Header, then that number of Elem
	KindArray    = Kind(kindArray)    // Count times Elem
	KindMap      = Kind(kindMap)      // Header, then that number of pairs of Key and Elem
	KindOpt      = Kind(kindOpt)      // a byte 0; or a byte 1 and Elem
	KindCustom   = Kind(kindCustom)   // Custom; bytes that only the functions of the Custom with this name can read
	KindStruct   = Kind(kindStruct)   // Fields
	KindSelf     = Kind(kindSelf)     // Elem, an enclosing struct
	KindSkip     = KindSelf + 1       // Count bytes without meaning
)

// String returns the word for k in the notation of [Schema.String]. If there are several words for
// k, it returns their common beginning.
func (k Kind) String() string {
	switch {
	case k == KindSkip:
		return skipWord
	case k < KindSkip:
		return kindTexts[k]
	}
	return "?"
}

// Piece is a part of a [Shape]: the message, a field, or the type of a field's elements. Pieces
// describe how to read a message whose Go type is not known. The Kind determines which methods
// apply; all other methods return zero.
type Piece struct{ f field }

// Message returns the piece for the whole message, usually a struct.
func (s *Shape) Message() Piece { return pieceOf(s.root()) }

// Fields returns an iterator over the fields of the message in order, including skipped bytes. The
// message must be a struct.
func (s *Shape) Fields() iter.Seq[Piece] { return s.Message().Fields() }

func pieceOf(n *node) Piece { return Piece{field{n: n}} }

// Kind returns the kind of the piece.
func (p Piece) Kind() Kind {
	if p.f.n == nil {
		return KindSkip
	}
	return Kind(p.f.n.kind)
}

// String returns the type of the piece in the notation of [Schema.String].
func (p Piece) String() string {
	if p.f.n == nil {
		return skipOf(p.f.skip)
	}
	var t strings.Builder
	notation{names: true}.node(&t, p.f.n)
	return t.String()
}

// Name returns the name of a field.
func (p Piece) Name() string { return p.f.name }

// Tail reports whether the field belongs to a [Tail]. A message may end before such a field.
func (p Piece) Tail() bool { return p.f.tail }

// node returns the node of the piece, or an empty node for skipped bytes.
func (p Piece) node() *node {
	if p.f.n == nil {
		return new(node)
	}
	return p.f.n
}

// Bits returns the size of a number: 8, 16, 32 or 64.
func (p Piece) Bits() int {
	if k := p.Kind(); k != KindInt && k != KindFloat {
		return 0
	}
	return 8 * p.f.n.size
}

// Signed reports whether an integer is signed.
func (p Piece) Signed() bool { return p.node().signed }

// BigEndian reports whether a number is big-endian.
func (p Piece) BigEndian() bool { return p.node().big }

// Header returns the header of a string, a blob, a list or a map.
func (p Piece) Header() Header { return p.node().header }

// Count returns the number of elements of an array, or the number of skipped bytes.
func (p Piece) Count() int { return max(p.f.skip, p.node().count) }

// Custom returns the name of a custom type.
func (p Piece) Custom() string {
	if p.Kind() != KindCustom {
		return ""
	}
	return p.f.n.custom.name
}

// Key returns the type of a map's keys.
func (p Piece) Key() Piece { return pieceOf(p.node().key) }

// Elem returns the type of the elements of a list or an array, of the values of a map, or of the
// value of an option. For KindSelf, it returns the enclosing struct.
func (p Piece) Elem() Piece { return pieceOf(p.node().elem) }

// Fields returns an iterator over the fields of a struct, in order.
func (p Piece) Fields() iter.Seq[Piece] {
	return func(yield func(Piece) bool) {
		for _, f := range p.node().fields {
			if !yield(Piece{f}) {
				return
			}
		}
	}
}

// Least returns the minimum encoded size of the piece in bytes, up to 1,073,741,823. The encoding
// of n elements takes at least n·Elem().Least() bytes. If Elem().Least() is 0, a message of a few
// bytes can contain any number of elements, so limit this number separately.
func (p Piece) Least() int {
	if p.f.n == nil {
		return p.f.skip
	}
	return p.f.n.least()
}
