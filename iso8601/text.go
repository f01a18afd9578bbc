package iso8601

import (
	"time"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// Duration is a time.Duration whose text is that of ISO 8601, in encoding/json and wherever else
// encoding.TextMarshaler counts.
type Duration time.Duration

// String is the form of [AppendDuration].
func (d Duration) String() string { return string(AppendDuration(nil, time.Duration(d))) }

// AppendText is [AppendDuration]. It never fails.
func (d Duration) AppendText(b []byte) ([]byte, error) {
	return AppendDuration(b, time.Duration(d)), nil
}

// MarshalText is AppendText to a new slice.
func (d Duration) MarshalText() ([]byte, error) { return d.AppendText(nil) }

// UnmarshalText is [ParseDuration]. On an error d stays as it is.
func (d *Duration) UnmarshalText(text []byte) error {
	parsed, err := ParseDuration(mem.String(text))
	if err == nil {
		*d = Duration(parsed)
	}
	return err
}
