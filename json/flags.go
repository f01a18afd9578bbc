package json

// This file contains the options of single calls. The values are the same as in
// segmentio/encoding/json, so that flags that were stored as numbers keep their meaning.

// AppendFlags is a set of options for [Append] and [AppendEscape]. With the zero value, Append does
// not escape HTML, and writes the entries of a map in random order.
type AppendFlags uint32

const (
	// EscapeHTML writes <, > and & in strings as \u003c, \u003e and \u0026. U+2028 and U+2029 are
	// always escaped.
	EscapeHTML AppendFlags = 1 << 0

	// SortMapKeys writes the entries of a map in the bytewise order of their keys. Integer keys are
	// compared as decimal text.
	SortMapKeys AppendFlags = 1 << 1

	// TrustRawMessage disables the check that a RawMessage is valid JSON. The output of a Marshaler
	// is always checked.
	TrustRawMessage AppendFlags = 1 << 2
)

// ParseFlags is a set of options for [Parse]. With the zero value, Parse decodes like [Unmarshal].
type ParseFlags uint32

const (
	// DisallowUnknownFields makes an object key without a field in the target struct an error.
	DisallowUnknownFields ParseFlags = 1 << 0

	// UseNumber decodes numbers as Number instead of float64 if the target is an interface.
	UseNumber ParseFlags = 1 << 1

	// DontCopyString makes decoded strings and map keys refer to the input if they contain no
	// escapes. The input must not change while such a string is in use, and each such string keeps
	// the input alive.
	DontCopyString ParseFlags = 1 << 2

	// DontCopyNumber makes a decoded Number refer to the input, like DontCopyString. For a Number
	// that is encoded as a JSON string, DontCopyString applies instead.
	DontCopyNumber ParseFlags = 1 << 3

	// DontCopyRawMessage makes a decoded RawMessage refer to the input, like DontCopyString.
	DontCopyRawMessage ParseFlags = 1 << 4

	// DontMatchCaseInsensitiveStructFields makes keys match only fields with exactly the same name.
	DontMatchCaseInsensitiveStructFields ParseFlags = 1 << 5

	// UseBigInt decodes integers as *big.Int if the target is an interface. For integers, it has
	// precedence over UseNumber. Decoding time grows faster than the number of digits: an integer
	// of a million digits takes more than a second, so limit the size of untrusted input.
	UseBigInt ParseFlags = 1 << 6

	// UseInt64 decodes integers that fit an int64 as int64, if the target is an interface. For
	// these integers, it has precedence over UseBigInt and UseNumber.
	UseInt64 ParseFlags = 1 << 7

	// UseUint64 decodes integers that fit a uint64 as uint64, if the target is an interface. For
	// these integers, it has precedence over all other flags.
	UseUint64 ParseFlags = 1 << 8

	// ReuseRawMessage overwrites the bytes of a RawMessage in the target, if it has enough
	// capacity, as encoding/json does. The RawMessage must not be a view of an input
	// (DontCopyRawMessage), and its bytes must not be in use elsewhere. By default, each RawMessage
	// is decoded into new memory.
	ReuseRawMessage ParseFlags = 1 << 11

	// ZeroCopy combines DontCopyString, DontCopyNumber and DontCopyRawMessage. Use it if the
	// decoded values are not needed after the input changes, for example in a request handler.
	ZeroCopy = DontCopyString | DontCopyNumber | DontCopyRawMessage
)
