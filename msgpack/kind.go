package msgpack

import "github.com/slipstream-go/slipstream/internal/msgpwire"

// Kind is the type of an encoded value, as named in the specification.
type Kind uint8

const (
	KindMissing Kind = iota // no value: an empty Raw, or the undefined code c1
	KindNil
	KindBool
	KindInt // of any width, signed or not
	KindFloat
	KindString
	KindBin
	KindArray
	KindMap
	KindExt
	KindTime // the ext of type -1
)

var kindWords = [...]string{"missing", "nil", "bool", "int", "float", "str", "bin", "array", "map", "ext", "time"}

// String returns the name of k, such as "map".
func (k Kind) String() string {
	if int(k) < len(kindWords) {
		return kindWords[k]
	}
	return "invalid"
}

// Kind returns the kind of r, according to its first byte.
func (r Raw) Kind() Kind {
	if len(r) == 0 {
		return KindMissing
	}
	switch c := r[0]; {
	case c <= msgpwire.FixintMax || c >= msgpwire.Negfixint || c >= msgpwire.Uint8 && c <= msgpwire.Int64:
		return KindInt
	case c < msgpwire.Fixarray || c == msgpwire.Map16 || c == msgpwire.Map32:
		return KindMap
	case c < msgpwire.Fixstr || c == msgpwire.Array16 || c == msgpwire.Array32:
		return KindArray
	case c <= msgpwire.FixstrMax || c >= msgpwire.Str8 && c <= msgpwire.Str32:
		return KindString
	case c == msgpwire.Nil:
		return KindNil
	case c == msgpwire.False || c == msgpwire.True:
		return KindBool
	case c >= msgpwire.Bin8 && c <= msgpwire.Bin32:
		return KindBin
	case c == msgpwire.Float32 || c == msgpwire.Float64:
		return KindFloat
	case c == msgpwire.Never:
		return KindMissing
	}
	if id := 1 + int(msgpwire.Forms[r[0]].Count); id < len(r) && int8(r[id]) == msgpwire.ExtTime {
		return KindTime
	}
	return KindExt
}
