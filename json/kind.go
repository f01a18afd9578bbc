package json

import "math/bits"

// Kind is the kind of a [Tokenizer]'s token. The values are the same as in segmentio/encoding/json.
//
// Some kinds are special cases of other kinds: for example, True is a Bool, Uint is a Num, and
// Unescaped is a String. See [Kind.Class].
type Kind uint

const (
	Undefined Kind = 0 // no value: one of the tokens } ] : , or no token

	Null Kind = 1

	Bool  Kind = 2
	False Kind = 2 // the same value as Bool
	True  Kind = 3

	Num   Kind = 4
	Uint  Kind = 5 // digits only
	Int   Kind = 6 // digits after a minus sign, including -0
	Float Kind = 7 // with a fraction or an exponent

	String    Kind = 8
	Unescaped Kind = 9 // a string without escapes that contains only printable ASCII characters: U+0020 to U+007E

	Array  Kind = 16 // the token is [
	Object Kind = 32 // the token is {
)

// Class returns the class of k: Null, Bool, Num, String, Array or Object. The class is the highest
// set bit of k. The class of Undefined is Undefined.
func (k Kind) Class() Kind {
	if k == Undefined {
		return Undefined
	}
	return 1 << (bits.Len(uint(k)) - 1)
}
