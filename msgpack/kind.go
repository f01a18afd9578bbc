package msgpack

// Kind is the type of a value on the wire, in the words of the specification.
type Kind uint8

const (
	KindMissing Kind = iota // no value: an empty Raw, or the code that is never used
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

// String is the name of k, such as "map".
func (k Kind) String() string {
	if int(k) < len(kindWords) {
		return kindWords[k]
	}
	return "invalid"
}

// Kind tells by its code what r is. It does not look at the rest of it.
func (r Raw) Kind() Kind {
	if len(r) == 0 {
		return KindMissing
	}
	switch c := r[0]; {
	case c <= codeFixintMax || c >= codeNegfixint || c >= codeUint8 && c <= codeInt64:
		return KindInt
	case c < codeFixarray || c == codeMap16 || c == codeMap32:
		return KindMap
	case c < codeFixstr || c == codeArray16 || c == codeArray32:
		return KindArray
	case c <= codeFixstrMax || c >= codeStr8 && c <= codeStr32:
		return KindString
	case c == codeNil:
		return KindNil
	case c == codeFalse || c == codeTrue:
		return KindBool
	case c >= codeBin8 && c <= codeBin32:
		return KindBin
	case c == codeFloat32 || c == codeFloat64:
		return KindFloat
	case c == codeNever:
		return KindMissing
	}
	if id := 1 + int(forms[r[0]].count); id < len(r) && int8(r[id]) == extTime {
		return KindTime
	}
	return KindExt
}
