package json

// RawValue is unparsed JSON. It refers to the input, so it is valid as long as the input does not
// change. A RawValue from a [Tokenizer] is a token; a RawValue from [Get] is a whole value.
//
// String, Null, True, False and Number look only at the first byte of a RawValue, because its
// source has checked the rest.
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

// Unquote returns the text of v, a string, in new memory: see [RawValue.AppendUnquote].
func (v RawValue) Unquote() []byte { return v.AppendUnquote(make([]byte, 0, len(v))) }

// AppendUnquote appends the text of v, a string, to b, as [AppendUnescape] does. If v is not
// exactly one valid string, AppendUnquote appends nothing (segmentio/encoding/json panics). A
// string from a [Tokenizer] is valid.
func (v RawValue) AppendUnquote(b []byte) []byte {
	if n := len(v); n >= 2 && v[0] == '"' && v[n-1] == '"' {
		b, _ = appendUnquoted(b, v[1:n-1])
	}
	return b
}
