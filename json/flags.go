package json

// Options of single calls. The values are those of segmentio/encoding/json, so that flags that were
// stored as numbers keep their meaning.

// AppendFlags are options of [Append] and [AppendEscape]. The zero value escapes no HTML, and
// leaves the entries of a map in the order that Go gives them.
type AppendFlags uint32

const (
	// EscapeHTML writes <, > and & in strings as \u003c, \u003e and \u0026. U+2028 and U+2029 are
	// escaped with or without it.
	EscapeHTML AppendFlags = 1 << 0

	// SortMapKeys writes the entries of a map in the order of their keys, compared as the bytes of
	// strings: keys that are integers too, by their decimal text.
	SortMapKeys AppendFlags = 1 << 1

	// TrustRawMessage takes every RawMessage for valid JSON and does not check it. What a Marshaler
	// returns is checked all the same.
	TrustRawMessage AppendFlags = 1 << 2
)

// ParseFlags are options of [Parse]. The zero value decodes as [Unmarshal] does.
type ParseFlags uint32

const (
	// DisallowUnknownFields makes an object key that no field of the struct has an error.
	DisallowUnknownFields ParseFlags = 1 << 0

	// UseNumber decodes numbers into an interface as Number, instead of float64.
	UseNumber ParseFlags = 1 << 1

	// DontCopyString lets strings, those that are keys of maps too, refer to the input where the
	// text stands there as it is, without escapes. The input must not change as long as one of them
	// is in use, and is kept in memory by each.
	DontCopyString ParseFlags = 1 << 2

	// DontCopyNumber does for Number what DontCopyString does for strings. A Number that stands in
	// a string obeys DontCopyString.
	DontCopyNumber ParseFlags = 1 << 3

	// DontCopyRawMessage does for RawMessage what DontCopyString does for strings.
	DontCopyRawMessage ParseFlags = 1 << 4

	// DontMatchCaseInsensitiveStructFields matches the keys of an object with the names of fields
	// byte for byte only.
	DontMatchCaseInsensitiveStructFields ParseFlags = 1 << 5

	// UseBigInt decodes integers into an interface as *big.Int. For integers it goes before
	// UseNumber. The time grows faster than the number of digits: one of a million takes more than
	// a second, so limit what comes from outside.
	UseBigInt ParseFlags = 1 << 6

	// UseInt64 decodes integers that fit into an interface as int64. For these it goes before
	// UseBigInt and UseNumber.
	UseInt64 ParseFlags = 1 << 7

	// UseUint64 decodes integers that are not negative and fit into an interface as uint64. For
	// these it goes before all others.
	UseUint64 ParseFlags = 1 << 8

	// ReuseRawMessage overwrites the memory of a RawMessage that the target holds, if it has room
	// for the new bytes, as encoding/json does. That memory must not be a view of an input
	// (DontCopyRawMessage) and must not be in use elsewhere. Otherwise every RawMessage is new
	// memory.
	ReuseRawMessage ParseFlags = 1 << 11

	// ZeroCopy is DontCopyString, DontCopyNumber and DontCopyRawMessage: for a caller that is done
	// with what it decoded before the input changes, as the handler of a request may be.
	ZeroCopy = DontCopyString | DontCopyNumber | DontCopyRawMessage
)
