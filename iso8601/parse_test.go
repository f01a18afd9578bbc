package iso8601

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"
)

// timestamps contains a text of every form that Parse or Valid accepts, and texts that are nearly
// valid.
var timestamps = []string{
	"2006-01-02T15:04:05Z",
	"2006-01-02T15:04:05.1Z",
	"2006-01-02T15:04:05.123Z",
	"2006-01-02T15:04:05.123456Z",
	"2006-01-02T15:04:05.12345678Z",
	"2006-01-02T15:04:05.123456789Z",
	"2006-01-02T15:04:05.999999999Z",
	"2006-01-02T15:04:05.0123456789Z",
	"2006-01-02T15:04:05+07:00",
	"2006-01-02T15:04:05.5-03:30",
	"2006-01-02T15:04:05.123456789+23:59",
	"2006-01-02T15:04:05.123456789-00:00",
	"2006-01-02T15:04:05.1234567899+05:45",
	"2006-01-02T15:04:05+24:60",
	"2006-01-02T15:04:05,5Z",
	"2006-01-02T5:04:05Z",
	"2006-01-02T5:04:05.25+01:00",
	"2006-01-02 15:04:05Z",
	"2006-01-02 15:04:05.5 +07:00",
	"2006-01-02T15:04:05.5+0700",
	"2006-01-02T15:04:05.5",
	"2006-01-02T15:04:05",
	"2006-01-02",
	"0000-02-29T00:00:00Z",
	"9999-12-31T23:59:59.999999999Z",
	"1900-02-28T23:59:59Z",
	"2000-02-29T12:00:00Z",
}

// checkParse compares Parse, and its slow path, with time.Parse.
func checkParse(t *testing.T, s string) {
	t.Helper()
	want, wantErr := time.Parse(time.RFC3339Nano, s)
	for name, parse := range map[string]func() (time.Time, error){
		"Parse":      func() (time.Time, error) { return Parse(s) },
		"ParseBytes": func() (time.Time, error) { return ParseBytes([]byte(s)) },
		"parse":      func() (time.Time, error) { return parse([]byte(s)) },
	} {
		got, err := parse()
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%s(%q): %v, error %v; time.Parse: %v, error %v", name, s, got, err, want, wantErr)
		}
		if _, ok := err.(Error); err != nil && !ok {
			t.Fatalf("%s(%q): an error of type %T", name, s, err)
		}
		// The deep comparison covers the instant and the content of the zone. It does not
		// distinguish equal fixed zones.
		if !reflect.DeepEqual(got, want) || (got.Location() == time.Local) != (want.Location() == time.Local) {
			t.Fatalf("%s(%q): %v in %p, want %v in %p", name, s, got, got.Location(), want, want.Location())
		}
	}
}

// mutants calls f with s, and with each text in which one character is replaced, removed or
// inserted.
func mutants(s string, f func(string)) {
	f(s)
	for i := range s {
		f(s[:i] + s[i+1:])
		for c := range 256 {
			f(s[:i] + string([]byte{byte(c)}) + s[i+1:])
		}
	}
	for i := range len(s) + 1 {
		for _, c := range "019.,:-+TZtz \x00\xff" {
			f(s[:i] + string(c) + s[i:])
		}
	}
}

func TestParseLikeTime(t *testing.T) {
	n := 0
	for _, s := range timestamps {
		mutants(s, func(m string) {
			n++
			checkParse(t, m)
		})
	}
	if n < 100_000 {
		t.Errorf("only %d timestamps", n)
	}
}

// Every pair of digits is tried in each field, while the other fields are at their limits.
func TestParseTwoDigits(t *testing.T) {
	for n := range 100 {
		for _, form := range []string{
			"%02d00-02-29T00:00:00Z", "20%02d-02-29T00:00:00Z", "00%02d-12-31T00:00:00Z", "2023-%02d-31T23:59:59Z", "2024-%02d-30T23:59:59Z",
			"2023-02-%02dT00:00:00Z", "2024-02-%02dT00:00:00Z", "2024-04-%02dT00:00:00Z", "2024-12-%02dT00:00:00Z", "2024-01-01T%02d:59:59Z",
			"2024-01-01T23:%02d:59Z", "2024-01-01T23:59:%02dZ", "2024-01-01T23:59:59.%02dZ", "2024-01-01T23:59:59+%02d:60", "2024-01-01T23:59:59-24:%02d",
			"2024-01-01T23:59:59+%02d:59", "2024-01-01T23:59:59.5-23:%02d",
		} {
			checkParse(t, fmt.Sprintf(form, n))
		}
	}
}

// Parse returns the Error that describes the mistake.
func TestParseErrors(t *testing.T) {
	for s, want := range map[string]error{
		"":                                     ErrSyntax,
		"2006":                                 ErrSyntax,
		"2006-01-02":                           ErrSyntax,
		"2006-01-02T15:04:05":                  ErrSyntax,
		"2006-01-02T15:04:05.":                 ErrSyntax,
		"2006-01-02T15:04:05.Z":                ErrSyntax,
		"2006-01-02T15:04:05.5":                ErrSyntax,
		"2006-01-02T15:04:05ZZ":                ErrSyntax,
		"2006-01-02T15:04:05+07":               ErrSyntax,
		"2006-01-02T15:04:05+0700":             ErrSyntax,
		"2006-01-02T15:04:05*07:00":            ErrSyntax,
		"2006-01-02T15:04:05+0x:00":            ErrSyntax,
		"2006-01-02T15:04:05 +07:00":           ErrSyntax,
		"2006-01-02T:04:05.000Z":               ErrSyntax,
		"2006-01-02T15:4:05.00Z":               ErrSyntax,
		"2006-01-02Tx5:04:05.0Z":               ErrSyntax,
		"f81d4fae-7dec-11d0-a765-00a0c91e6bf6": ErrSyntax,
		"1136214245.999999999":                 ErrSyntax,

		// segmentio/encoding accepts these characters as separators.
		"2006/01/02U15;04>05Z": ErrSyntax,

		// These forms of ISO 8601 are not in RFC 3339.
		"20060102T150405Z":           ErrSyntax,
		"20060102T150405.000000000Z": ErrSyntax,
		"2006-W01-1T15:04:05Z":       ErrSyntax,
		"2006-002T15:04:05.000Z":     ErrSyntax,
		"+12006-01-02T15:04:05Z":     ErrSyntax,
		"-2006-01-02T15:04:05Z":      ErrSyntax,

		// Parse deliberately follows time.Parse here.
		"2006-01-02t15:04:05Z":       ErrSyntax,
		"2006-01-02T15:04:05z":       ErrSyntax,
		"2006-01-02 15:04:05Z":       ErrSyntax,
		"2016-12-31T23:59:60Z":       ErrSecond,
		"2016-12-31T23:59:60.5Z":     ErrSecond,
		"2006-01-02T24:00:00Z":       ErrHour,
		"2006-01-02T15:04:05+24:61":  ErrZone,
		"2006-01-02T15:04:05+25:00":  ErrZone,
		"2006-01-02T15:04:05.5-99:0": ErrSyntax,

		"2006-00-02T15:04:05Z":   ErrMonth,
		"2006-13-02T15:04:05Z":   ErrMonth,
		"2018-99-99T99:99:99.1Z": ErrMonth,
		"2006-01-00T15:04:05Z":   ErrDay,
		"2006-01-32T15:04:05Z":   ErrDay,
		"2006-02-29T15:04:05Z":   ErrDay,
		"1900-02-29T15:04:05Z":   ErrDay,
		"2000-02-30T15:04:05Z":   ErrDay,
		"2006-04-31T99:04:05Z":   ErrDay,
		"2006-01-02T25:60:60Z":   ErrHour,
		"2006-01-02T15:60:60Z":   ErrMinute,
		"2006-01-02T15:04:99Z":   ErrSecond,
	} {
		if got, err := Parse(s); err != want || got != (time.Time{}) {
			t.Errorf("Parse(%q): %v, error %v; want %v", s, got, err, want)
		}
		checkParse(t, s)
	}
}

// RFC 3339 does not allow these texts, but time.Parse accepts them. Parse deliberately follows
// time.Parse.
func TestParseLenient(t *testing.T) {
	second := time.Date(2006, 1, 2, 5, 4, 5, 0, time.UTC)
	for s, want := range map[string]time.Time{
		"2006-01-02T5:04:05Z":                     second,
		"2006-01-02T05:04:05,25Z":                 second.Add(time.Second / 4),
		"2006-01-02T05:04:05.0000000009Z":         second,
		"2006-01-02T05:04:05.123456789987654321Z": second.Add(123456789),
		"2006-01-03T05:04:05+24:00":               second,
		"2006-01-02T06:04:05+00:60":               second,
		"2006-01-01T04:04:05-24:60":               second,
	} {
		if got, err := Parse(s); err != nil || !got.Equal(want) {
			t.Errorf("Parse(%q): %v, error %v; want %v", s, got, err, want)
		}
		checkParse(t, s)
	}
	if _, err := Parse("2006-01-02T05:04:05." + strings.Repeat("9", 1000) + "Z"); err != nil {
		t.Errorf("a long fraction: %v", err)
	}
}

// Parse agrees with package time on every day of the years 0 to 9999.
func TestParseEveryDay(t *testing.T) {
	day := time.Date(0, 1, 1, 23, 59, 59, 0, time.UTC)
	for n := range 10000/400*era + 1 {
		s := day.Format(time.RFC3339)
		if got, err := Parse(s); (err == nil) != (n < 10000/400*era) || err == nil && got != day {
			t.Fatalf("Parse(%q): %v, error %v", s, got, err)
		}
		day = day.AddDate(0, 0, 1)
	}
}

// local sets the local zone to z until the end of the test.
func local(t *testing.T, z *time.Location) {
	before := time.Local
	t.Cleanup(func() { time.Local = before })
	time.Local = z
}

// A time with an offset is in the local zone, if the local zone has this offset at that time.
func TestParseLocal(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("no time zones on this machine:", err)
	}
	for _, z := range []*time.Location{time.UTC, berlin, time.FixedZone("here", 7*3600), time.FixedZone("", 90*60), time.FixedZone("odd", 1234)} {
		t.Run(z.String(), func(t *testing.T) {
			local(t, z)
			for _, s := range []string{
				"2006-01-02T15:04:05Z", "2006-01-02T15:04:05+00:00", "2006-01-02T15:04:05-00:00", "2006-01-02T15:04:05.5+01:00", "2006-07-02T15:04:05+01:00",
				"2006-07-02T15:04:05+02:00", "2006-01-02T15:04:05+07:00", "2006-01-02T15:04:05+01:30", "1850-01-02T15:04:05+00:53", "2006-03-26T02:30:00+01:00",
				"2006-03-26T02:30:00+02:00", "2006-10-29T02:30:00+01:00", "2006-10-29T02:30:00+02:00",
			} {
				checkParse(t, s)
			}
		})
	}
	local(t, berlin)
	if got, _ := Parse("2006-07-02T15:04:05+02:00"); got.Location() != berlin {
		t.Errorf("in July, +02:00 is %v", got.Location())
	}
	if got, _ := Parse("2006-01-02T15:04:05+02:00"); got.Location() == berlin {
		t.Error("in January, +02:00 is Berlin")
	}
}

// Every offset is parsed twice, and both times have the same zone.
func TestParseZones(t *testing.T) {
	for minutes := -mostMinutes; minutes <= mostMinutes; minutes++ {
		hour, minute, sign := minutes/60, minutes%60, '+'
		if minutes < 0 {
			hour, minute, sign = -hour, -minute, '-'
		}
		if hour == 25 { // written as 24 hours and 60 minutes
			hour, minute = 24, 60
		}
		s := fmt.Sprintf("2006-01-02T15:04:05%c%02d:%02d", sign, hour, minute)
		checkParse(t, s)
		a, _ := Parse(s)
		b, _ := Parse(s)
		if _, offset := a.Zone(); a != b || offset != minutes*60 {
			t.Fatalf("%q: %v, then %v", s, a, b)
		}
	}
}

func TestParseRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		x := randomTime(r)
		if y := x.Year(); y < 0 || y > 9999 {
			continue
		}
		checkParse(t, x.Format(time.RFC3339Nano))
	}
}

// randomTime returns a time in some zone, with a fraction of up to nine digits. Most times are
// after 1970 and before 2100.
func randomTime(r *rand.Rand) time.Time {
	seconds := r.Int64N(4e9)
	switch r.IntN(8) {
	case 0:
		seconds = year0 - 1e9 + r.Int64N(year10000-year0+2e9)
	case 1:
		seconds = int64(r.Uint64()) >> r.IntN(64)
	}
	unit := int64(1)
	for range r.IntN(11) {
		unit *= 10
	}
	fraction := r.Int64N(1e9)
	fraction -= fraction % unit
	x := time.Unix(seconds, fraction)
	switch r.IntN(4) {
	case 0:
		return x.In(time.FixedZone("", (r.IntN(2*mostMinutes+1)-mostMinutes)*60))
	case 1:
		return x.In(time.FixedZone("somewhere", r.IntN(1e6)-5e5))
	case 2:
		return x
	}
	return x.UTC()
}
