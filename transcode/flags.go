package transcode

import "github.com/slipstream-go/slipstream/json"

// Flags are options. The zero value refuses what has no counterpart in the other format. Where a
// flag has nothing to say, it is ignored.
type Flags uint32

const (
	// EscapeHTML writes <, > and & in strings of JSON as \u003c, \u003e and \u0026. U+2028 and
	// U+2029 are escaped with or without it.
	EscapeHTML Flags = 1 << 0

	// NonFiniteAsNull writes NaN and the infinities as null. As keys they are an error all the
	// same.
	NonFiniteAsNull Flags = 1 << 1

	// ExtAsObject writes an ext that is not a time between the years 0 and 9999 as
	// {"type":5,"data":"base64"}. It goes before ExtAsNull. As a key, such an ext is an error all
	// the same.
	ExtAsObject Flags = 1 << 2

	// ExtAsNull writes such an ext as null.
	ExtAsNull Flags = 1 << 3

	// RejectInvalidUTF8 makes text an error, in values and in keys, that is not valid UTF-8, or has
	// half of a surrogate pair as an escape. Without it U+FFFD stands for these.
	RejectInvalidUTF8 Flags = 1 << 4
)

// replacing are the flags that put something else in the place of a value.
const replacing = NonFiniteAsNull | ExtAsObject | ExtAsNull

// text is what of f counts for the text of JSON.
func (f Flags) text() json.AppendFlags {
	if f&EscapeHTML != 0 {
		return json.EscapeHTML
	}
	return 0
}
