package iso8601

import (
	"testing"
	"time"
)

// No function allocates, whether it succeeds or fails.
func TestAllocations(t *testing.T) {
	room := make([]byte, 0, 64)
	utc := time.Date(2006, 1, 2, 15, 4, 5, 123456789, time.UTC)
	zoned := utc.In(time.FixedZone("", 5*3600+45*60))
	bytes := []byte("2006-01-02T15:04:05.123456789+05:45")
	text := []byte("P1DT2H3M4.5S")
	var d Duration
	for name, run := range map[string]func(){
		"ParseBytes":                   func() { ParseBytes(bytes) },
		"ValidBytes":                   func() { ValidBytes(bytes, Strict) },
		"Append":                       func() { Append(room, utc) },
		"Append, zone":                 func() { Append(room, zoned) },
		"Append, local":                func() { Append(room, utc.Local()) },
		"Append, little room":          func() { Append(room[:0:35-1], utc) },
		"Append, a long year":          func() { Append(room, utc.AddDate(10000, 0, 0)) },
		"AppendDuration":               func() { AppendDuration(room, -123456789*time.Microsecond) },
		"AppendDuration, the longest":  func() { AppendDuration(room[:0:27], -1<<63) },
		"Duration.AppendText":          func() { Duration(1).AppendText(room) },
		"Duration.UnmarshalText":       func() { d.UnmarshalText(text) },
		"Duration.UnmarshalText, fail": func() { d.UnmarshalText(bytes) },
	} {
		checkAllocations(t, name, run)
	}
	for _, s := range []string{
		"2006-01-02T15:04:05Z",
		"2006-01-02T15:04:05.123456789Z",
		"2006-01-02T15:04:05.123456789+00:00",
		"2006-01-02T15:04:05.123456789+07:00",
		"2006-01-02T15:04:05.123456789-11:07",
		"2006-01-02T15:04:05.12345678901234567890+24:60",
		"2006-01-02T5:04:05,5Z",
		"", "hello", "f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "1136214245", "2006-01-02",
		"2006-13-02T15:04:05Z", "2006-02-30T15:04:05Z", "2006-01-02T24:04:05Z", "2006-01-02T15:60:05Z", "2006-01-02T15:04:60Z",
		"2006-01-02T15:04:05+25:00", "2006-01-02T15:04:05.123456789", "2006-01-02T15:04:05.x", "2006-01-02 15:04:05Z",
	} {
		checkAllocations(t, "Parse "+s, func() { Parse(s) })
		checkAllocations(t, "Valid "+s, func() { Valid(s, Flexible) })
	}
	for _, s := range []string{"P1DT2H3M4.5S", "-P3W", "PT0.333333333333333H", "", "hello", "P1Y", "P1DT", "P99999W", "PT1.5H1M"} {
		checkAllocations(t, "ParseDuration "+s, func() { ParseDuration(s) })
	}
}

// checkAllocations expects no allocations. AllocsPerRun calls run once before it counts, which
// creates the zone.
func checkAllocations(t *testing.T, name string, run func()) {
	t.Helper()
	if got := testing.AllocsPerRun(100, run); got != 0 {
		t.Errorf("%s: %v allocations", name, got)
	}
}
