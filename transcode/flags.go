package transcode

import "github.com/slipstream-go/slipstream/json"

// Flags is a set of options. By default, a value without a counterpart in the other format is an
// error. Functions ignore flags that do not apply to them.
type Flags uint32

const (
	// EscapeHTML writes <, > and & in JSON strings as \u003c, \u003e and \u0026. U+2028 and U+2029
	// are always escaped.
	EscapeHTML Flags = 1 << 0

	// NonFiniteAsNull writes NaN and infinities as null. As keys, they are still errors.
	NonFiniteAsNull Flags = 1 << 1

	// ExtAsObject writes an ext that is not a timestamp in the years 0 to 9999 as
	// {"type":5,"data":"base64"}. It has precedence over ExtAsNull. As a key, such an ext is still
	// an error.
	ExtAsObject Flags = 1 << 2

	// ExtAsNull writes an ext that is not a timestamp in the years 0 to 9999 as null. As a key,
	// such an ext is still an error.
	ExtAsNull Flags = 1 << 3

	// RejectInvalidUTF8 makes text in values and keys an error if it is not valid UTF-8, or
	// contains the escape of an unpaired surrogate. By default, invalid bytes and unpaired
	// surrogates are replaced by U+FFFD.
	RejectInvalidUTF8 Flags = 1 << 4
)

// replacing contains the flags that replace a value by something else.
const replacing = NonFiniteAsNull | ExtAsObject | ExtAsNull

// text returns the flags for JSON strings that correspond to f.
func (f Flags) text() json.AppendFlags {
	if f&EscapeHTML != 0 {
		return json.EscapeHTML
	}
	return 0
}
