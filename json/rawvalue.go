package json

// RawValue contains unparsed JSON. It refers to the input, so it is valid only while the input does
// not change. A RawValue from a [Tokenizer] is a token; a RawValue from [Get] is a whole value.
//
// The methods String, Null, True, False and Number examine only the first byte of a RawValue,
// because the Tokenizer or Get has already checked the other bytes.
type RawValue []byte

// String reports whether v is a string.
func (v RawValue) String() bool { return len(v) > 0 && v[0] == '"' }

// Null reports whether v is null.
func (v RawValue) Null() bool { return len(v) > 0 && v[0] == 'n' }

// True reports whether v is true.
func (v RawValue) True() bool { return len(v) > 0 && v[0] == 't' }

// False reports whether v is false.
func (v RawValue) False() bool { return len(v) > 0 && v[0] == 'f' }

// Number reports whether v is a number.
func (v RawValue) Number() bool { return len(v) > 0 && (v[0] == '-' || v[0]-'0' <= 9) }

// Unquote returns the text of the string v in newly allocated memory. See [RawValue.AppendUnquote].
func (v RawValue) Unquote() []byte { return v.AppendUnquote(make([]byte, 0, len(v))) }

// AppendUnquote appends the text of the string v to b, as [AppendUnescape] does. If v is not
// exactly one valid string, AppendUnquote returns b unchanged (segmentio/encoding/json panics).
// Strings from a [Tokenizer] are always valid.
func (v RawValue) AppendUnquote(b []byte) []byte {
	if n := len(v); n >= 2 && v[0] == '"' && v[n-1] == '"' {
		b, _ = appendUnquoted(b, v[1:n-1])
	}
	return b
}
