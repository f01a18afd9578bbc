package iso8601

import (
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/internal/guard"
)

func FuzzParse(f *testing.F) {
	for _, s := range timestamps {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		s = guard.Text(t, s)
		checkParse(t, s)
		// UnmarshalText, which encoding/json uses, agrees with Parse.
		var x time.Time
		errText := x.UnmarshalText([]byte(s))
		if got, err := Parse(s); (err == nil) != (errText == nil) || !got.Equal(x) {
			t.Fatalf("%q: %v, error %v; UnmarshalText: %v, error %v", s, got, err, x, errText)
		}
	})
}

func FuzzValid(f *testing.F) {
	for _, s := range timestamps {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkValid(t, guard.Text(t, s)) })
}

func FuzzAppend(f *testing.F) {
	for _, s := range timestamps {
		if x, err := time.Parse(time.RFC3339Nano, s); err == nil {
			_, offset := x.Zone()
			f.Add(x.Unix(), int64(x.Nanosecond()), offset)
		}
	}
	f.Fuzz(func(t *testing.T, seconds, fraction int64, offset int) {
		x := time.Unix(seconds, fraction)
		checkAppend(t, x)
		checkAppend(t, x.UTC())
		checkAppend(t, x.In(time.FixedZone("", offset)))
	})
}

func FuzzParseDuration(f *testing.F) {
	for _, s := range durations {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkDuration(t, guard.Text(t, s)) })
}

func FuzzAppendDuration(f *testing.F) {
	for _, s := range durations {
		if d, err := ParseDuration(s); err == nil {
			f.Add(int64(d))
		}
	}
	f.Fuzz(func(t *testing.T, d int64) { checkAppendDuration(t, time.Duration(d)) })
}
