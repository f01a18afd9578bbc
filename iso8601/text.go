package iso8601

import (
	"time"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// Duration is a time.Duration whose text has the format of ISO 8601. This text is used by
// encoding/json, and by other packages that support encoding.TextMarshaler.
type Duration time.Duration

// String returns the text of [AppendDuration].
func (d Duration) String() string { return string(AppendDuration(nil, time.Duration(d))) }

// AppendText appends the text of [AppendDuration]. It never returns an error.
func (d Duration) AppendText(b []byte) ([]byte, error) {
	return AppendDuration(b, time.Duration(d)), nil
}

// MarshalText returns the text of [AppendDuration].
func (d Duration) MarshalText() ([]byte, error) { return d.AppendText(nil) }

// UnmarshalText sets d to the result of [ParseDuration]. On error, d is unchanged.
func (d *Duration) UnmarshalText(text []byte) error {
	parsed, err := ParseDuration(mem.String(text))
	if err == nil {
		*d = Duration(parsed)
	}
	return err
}
