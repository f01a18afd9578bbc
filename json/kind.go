package json

import "math/bits"

// Kind is the kind of a [Tokenizer]'s token. The values are those of segmentio/encoding/json.
//
// Some kinds are special cases of others: True is a Bool, Uint a Num, and Unescaped a String. See
// [Kind.Class].
type Kind uint

const (
	Undefined Kind = 0 // no value: one of } ] : and , or no token at all

	Null Kind = 1

	Bool  Kind = 2
	False Kind = 2 // the same value as Bool
	True  Kind = 3

	Num   Kind = 4
	Uint  Kind = 5 // digits only
	Int   Kind = 6 // digits after a minus sign, including -0
	Float Kind = 7 // with a fraction or an exponent

	String    Kind = 8
	Unescaped Kind = 9 // a string without escapes, of printable ASCII only: U+0020 to U+007E

	Array  Kind = 16 // the token is [
	Object Kind = 32 // the token is {
)

// Class returns which of Null, Bool, Num, String, Array and Object k belongs to. It is the highest
// bit of k. The class of Undefined is Undefined.
func (k Kind) Class() Kind {
	if k == Undefined {
		return Undefined
	}
	return 1 << (bits.Len(uint(k)) - 1)
}
