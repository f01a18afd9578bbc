package iso8601

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	segmentio "github.com/segmentio/encoding/iso8601"

	"github.com/slipstream-go/slipstream/bench/harness"
	"github.com/slipstream-go/slipstream/iso8601"
)

// Every side of every case returns the correct value. Nothing is timed.
func TestOutputs(t *testing.T) {
	if err := harness.Check(Suite()); err != nil {
		t.Error(err)
	}
}

// The input is the same in every run, so that runs can be compared. It matches the names of the
// rows.
func TestData(t *testing.T) {
	for name, list := range map[string]func() []string{
		"UUIDs": uuids, "numbers": numbers, "words": words, "out of range": outOfRange, "near misses": nearMisses,
	} {
		if !slices.Equal(list(), list()) || len(list()) != listLength {
			t.Errorf("%s: %d, or not twice the same", name, len(list()))
		}
	}
	for unit, length := range map[time.Duration]int{time.Second: 20, time.Millisecond: 24, time.Microsecond: 27, time.Nanosecond: 30} {
		list := texts(moments(unit, time.UTC), time.RFC3339Nano)
		if !slices.Equal(list, texts(moments(unit, time.UTC), time.RFC3339Nano)) || len(list) != listLength {
			t.Errorf("%v: %d timestamps, or not twice the same", unit, len(list))
		}
		for _, s := range list {
			if len(s) != length {
				t.Errorf("%v: %q has %d bytes, want %d", unit, s, len(s), length)
			}
		}
	}
	if !slices.Equal(spans(1), spans(1)) {
		t.Error("the durations are not twice the same")
	}
}

// The checks fail for wrong values.
func TestWrongValues(t *testing.T) {
	list := moments(time.Second, time.UTC)
	for _, s := range parseSides(texts(list, time.RFC3339Nano), moments(time.Millisecond, time.UTC)) {
		if s.Check() == nil {
			t.Errorf("%s passes with wrong times", s.Label())
		}
	}
	for _, s := range parseSides(texts(list, time.RFC3339Nano), nil) {
		if s.Check() == nil || s.Run() == nil {
			t.Errorf("%s passes with timestamps that should be refused", s.Label())
		}
	}
}

// Valid rejects all texts that the original rejects. It accepts all texts that the original
// accepts, unless a number is out of range. The texts are combined from parts, most of which are
// valid.
func TestValidLikeSegmentio(t *testing.T) {
	r := rand.New(rand.NewPCG(8601, 5))
	parts := [][]string{
		{"2018-01-02", "2018-01-02", "2020-02-29", "2018-1-02", "20180102", "2018/01/02", "18-01-02", "2018-01-02 ", "x018-01-02", ""},
		{"T", "T", " ", " ", "t", "", "T ", "_"},
		{"03:04:05", "03:04:05", "23:59:59", "3:04:05", "03:04", "030405", "03-04-05", ""},
		{".1", ".123456789", ".123", "", "", ".", ".1234567890", ",1", ".12345678x"},
		{"", "", " ", "  "},
		{"Z", "", "+07:00", "-07:00", "+0700", "-0700", "z", "+07", "+7:00", "+07:0", "*07:00", "+07-00", "ZZ", "+07:00Z"},
	}
	valid := 0
	for range 200_000 {
		s := ""
		for _, p := range parts {
			if r.IntN(4) == 0 {
				s += p[r.IntN(len(p))]
			} else {
				s += p[r.IntN(2)]
			}
		}
		for _, flags := range []iso8601.ValidFlags{iso8601.Strict, iso8601.Flexible, 2 * iso8601.ValidFlags(r.IntN(32))} {
			got, want := iso8601.Valid(s, flags), segmentio.Valid(s, segmentio.ValidFlags(flags))
			if got != want {
				t.Fatalf("Valid(%q, %d) is %v, and segmentio's %v", s, flags, got, want)
			}
			if got {
				valid++
			}
		}
	}
	if valid < 100_000 {
		t.Errorf("only %d were valid", valid)
	}
}

// The flags have the same values as in the original.
func TestFlagsOfSegmentio(t *testing.T) {
	for ours, theirs := range map[iso8601.ValidFlags]segmentio.ValidFlags{
		iso8601.Strict: segmentio.Strict, iso8601.AllowSpaceSeparator: segmentio.AllowSpaceSeparator, iso8601.AllowMissingTime: segmentio.AllowMissingTime,
		iso8601.AllowMissingSubsecond: segmentio.AllowMissingSubsecond, iso8601.AllowMissingTimezone: segmentio.AllowMissingTimezone,
		iso8601.AllowNumericTimezone: segmentio.AllowNumericTimezone, iso8601.Flexible: segmentio.Flexible,
	} {
		if int(ours) != int(theirs) {
			t.Errorf("%d, and segmentio's %d", ours, theirs)
		}
	}
}
