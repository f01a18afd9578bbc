package iso8601

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// checkAppend compares Append with AppendFormat, for several capacities of dst.
func checkAppend(t *testing.T, x time.Time) {
	t.Helper()
	want := x.AppendFormat([]byte("at "), time.RFC3339Nano)
	for _, room := range []int{0, len(want) - 4, len(want) - 3, longest - 1, longest, 100} {
		dst := append(make([]byte, 0, 3+room), "at "...)
		if got := Append(dst, x); !bytes.Equal(got, want) {
			t.Fatalf("%d, %d: %q, want %q", x.Unix(), x.Nanosecond(), got, want)
		}
		if string(dst) != "at " {
			t.Fatalf("%q stands before", dst)
		}
	}
}

func TestAppendLikeTime(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 100_000 {
		checkAppend(t, randomTime(r))
	}
}

// TestAppendEdges checks the times for which Append calls AppendFormat, and the times next to them.
func TestAppendEdges(t *testing.T) {
	for _, seconds := range []int64{
		math.MinInt64, math.MinInt64 + 62135596800, -1 << 62, year0 - 1e6, year0 - 3600, year0 - 1, year0, year0 + 1, year0 + 59*86400, year0 + 60*86400,
		-1, 0, 1,
		year10000 - 3600, year10000 - 1, year10000, year10000 + 3600, 1 << 62, math.MaxInt64 - 62135596800, math.MaxInt64,
	} {
		for _, fraction := range []int64{0, 1, 10, 123456780, 100000000, 900000000, 999999999} {
			x := time.Unix(seconds, fraction)
			checkAppend(t, x)
			checkAppend(t, x.UTC())
			for _, offset := range []int{
				1, 59, 60, 3599, 3600, 5*3600 + 45*60, 24 * 3600, 100*3600 - 61, 100*3600 - 60, 100*3600 - 1, 100 * 3600, 1000 * 3600, math.MaxInt32,
			} {
				checkAppend(t, x.In(time.FixedZone("", offset)))
				checkAppend(t, x.In(time.FixedZone("", -offset)))
			}
		}
	}
	checkAppend(t, time.Time{})
	checkAppend(t, time.Now())
}

// Append agrees with AppendFormat on every day of the years 0 to 9999.
func TestAppendEveryDay(t *testing.T) {
	dst, want := make([]byte, 0, 64), make([]byte, 0, 64)
	for day := int64(0); day < 10000/400*era; day++ {
		x := time.Unix(year0+day*86400, 0).UTC()
		dst, want = Append(dst[:0], x), x.AppendFormat(want[:0], time.RFC3339Nano)
		if !bytes.Equal(dst, want) {
			t.Fatalf("%q, want %q", dst, want)
		}
	}
}

// Beyond its result, Append writes only zeros, and only if the time has a fraction.
func TestAppendKeeps(t *testing.T) {
	for s, spoilt := range map[string]int{
		"2006-01-02T15:04:05Z":                0,
		"2006-01-02T15:04:05+07:00":           0,
		"2006-01-02T15:04:05.123456789Z":      0,
		"2006-01-02T15:04:05.123456789+07:00": 0,
		"2006-01-02T15:04:05.5Z":              7, // eight zeros are written, and the first becomes the Z
		"2006-01-02T15:04:05.5+07:00":         2,
	} {
		x, err := Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		room := bytes.Repeat([]byte{'x'}, 64)
		got := Append(room[:0], x)
		rest := room[len(got):]
		if string(got) != s || !bytes.Equal(rest[spoilt:], bytes.Repeat([]byte{'x'}, 64-len(s)-spoilt)) || len(bytes.Trim(rest[:spoilt], "0")) != 0 {
			t.Errorf("%q, followed by %q", got, rest)
		}
	}
}

func TestAppendAndParse(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 100_000 {
		x := randomTime(r)
		if _, offset := x.Zone(); x.Year() < 0 || x.Year() > 9999 || offset%60 != 0 || max(offset, -offset) > 24*3600+3599 {
			continue
		}
		b := Append(nil, x)
		got, err := ParseBytes(b)
		if err != nil || !got.Equal(x) {
			t.Fatalf("%q: %v, error %v", b, got, err)
		}
	}
}
