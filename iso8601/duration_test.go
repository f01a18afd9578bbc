package iso8601

import (
	"bytes"
	"math"
	"math/big"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestParseDuration(t *testing.T) {
	const day = 24 * time.Hour
	for s, want := range map[string]time.Duration{
		"PT0S":                 0,
		"-PT0S":                0,
		"P0D":                  0,
		"P0W":                  0,
		"PT1S":                 time.Second,
		"+PT1S":                time.Second,
		"-PT1S":                -time.Second,
		"PT1M":                 time.Minute,
		"PT1H":                 time.Hour,
		"P1D":                  day,
		"P3W":                  21 * day,
		"P1DT2H3M4.5S":         day + 2*time.Hour + 3*time.Minute + 4500*time.Millisecond,
		"-P1DT2H3M4,5S":        -(day + 2*time.Hour + 3*time.Minute + 4500*time.Millisecond),
		"PT36H":                36 * time.Hour,
		"PT90M":                90 * time.Minute,
		"PT1H30S":              time.Hour + 30*time.Second, // the grammar in RFC 3339, appendix A, requires the minutes
		"P0DT0H0M0S":           0,
		"P01DT02H":             26 * time.Hour,
		"PT00000000000000001S": time.Second,

		// Each unit can have a fraction, also with more than nine digits.
		"P0.5W":                           84 * time.Hour,
		"P1.5D":                           36 * time.Hour,
		"PT0.25H":                         15 * time.Minute,
		"PT0,1M":                          6 * time.Second,
		"PT0.000000001S":                  1,
		"PT1.123456789999S":               time.Second + 123456789,
		"PT0.0000000009S":                 0,
		"PT0.333333333333333333333333H":   20*time.Minute - 1,
		"PT0.333333333333333333333334H":   20 * time.Minute,
		"PT0.00000000000027777777777777H": 0,
		"PT0.00000000000027777777777778H": 1,
		"PT0.0S":                          0,

		// These texts use the two extensions: weeks together with other units, and a sign.
		"P1W2DT1H": 9*day + time.Hour,
		"-P1W":     -7 * day,

		// These durations are at the limits of a time.Duration.
		"PT9223372036.854775807S":          math.MaxInt64,
		"-PT9223372036.854775808S":         math.MinInt64,
		"-PT9223372036.8547758089S":        math.MinInt64,
		"PT2562047H47M16.854775807S":       math.MaxInt64,
		"-PT2562047H47M16.854775808S":      math.MinInt64,
		"P106751DT23H47M16.854775807S":     math.MaxInt64,
		"-P15250W1DT23H47M16.854775808S":   math.MinInt64,
		"P15250W":                          15250 * 7 * day,
		"PT153722867.28091293012S":         153722867*time.Second + 280912930,
		"PT153722867.280912930116666666M":  math.MaxInt64 - 1,
		"PT153722867.2809129301166666667M": math.MaxInt64,
		"-PT153722867.280912930133333334M": math.MinInt64,
	} {
		if got, err := ParseDuration(s); err != nil || got != want {
			t.Errorf("ParseDuration(%q): %d, error %v; want %d", s, got, err, want)
		}
		checkDuration(t, s)
	}
}

func TestParseDurationErrors(t *testing.T) {
	for s, want := range map[string]error{
		"":              ErrDuration,
		"-":             ErrDuration,
		"P":             ErrDuration,
		"-P":            ErrDuration,
		"PT":            ErrDuration,
		"P1DT":          ErrDuration,
		"T1H":           ErrDuration,
		"1H":            ErrDuration,
		"1h30m":         ErrDuration,
		"P1":            ErrDuration,
		"PT1":           ErrDuration,
		"P1H":           ErrDuration,
		"PT1D":          ErrDuration,
		"PT1W":          ErrDuration,
		"PT1Y":          ErrDuration,
		"P1S":           ErrDuration,
		"PD":            ErrDuration,
		"PT1M1H":        ErrDuration,
		"PT1S1S":        ErrDuration,
		"P1D1W":         ErrDuration,
		"PT1H1D":        ErrDuration,
		"P1DT1HT1M":     ErrDuration,
		"P1DT1H ":       ErrDuration,
		" P1D":          ErrDuration,
		"p1d":           ErrDuration,
		"P1d":           ErrDuration,
		"--P1D":         ErrDuration,
		"P-1D":          ErrDuration,
		"P+1D":          ErrDuration,
		"PT.5S":         ErrDuration,
		"PT5.S":         ErrDuration,
		"PT5.":          ErrDuration,
		"PT5..1S":       ErrDuration,
		"PT5.1.1S":      ErrDuration,
		"PT1.5H1M":      ErrDuration,
		"P1.5DT1H":      ErrDuration,
		"P1.5DT":        ErrDuration,
		"PT1e3S":        ErrDuration,
		"PT0x1S":        ErrDuration,
		"P1D/P2D":       ErrDuration,
		"P00021-01-01T": ErrDuration, // the alternative format, which only parties that agree on it may use

		"P1Y":          ErrCalendar,
		"P0Y":          ErrCalendar,
		"P1M":          ErrCalendar,
		"P1.5M":        ErrCalendar,
		"-P1Y2M3DT4H":  ErrCalendar,
		"P1W1M":        ErrCalendar,
		"P0Y0M0DT1.5S": ErrCalendar,

		"PT9223372036.854775808S":           ErrDurationRange,
		"-PT9223372036.854775809S":          ErrDurationRange,
		"PT2562047H47M16.854775808S":        ErrDurationRange,
		"-PT2562047H47M16.854775809S":       ErrDurationRange,
		"P106752D":                          ErrDurationRange,
		"P15251W":                           ErrDurationRange,
		"-P15251W":                          ErrDurationRange,
		"PT2562048H":                        ErrDurationRange,
		"PT9999999999S":                     ErrDurationRange,
		"PT10000000000S":                    ErrDurationRange,
		"PT5124095.6H":                      ErrDurationRange, // slightly more than 2^64 nanoseconds
		"P106751DT5124095H":                 ErrDurationRange, // the same, as a sum
		"PT5124096H":                        ErrDurationRange, // the same, as a product
		"P30500W":                           ErrDurationRange,
		"P15250WT48H":                       ErrDurationRange,
		"PT99999999999999999999999999999S":  ErrDurationRange,
		"P99999999999999999999999999999WT1": ErrDurationRange, // the first error is reported
		"PT153722867.280912930133333334M":   ErrDurationRange,
		"P15250.28472222222222222222222W":   ErrDurationRange,
	} {
		if got, err := ParseDuration(s); err != want || got != 0 {
			t.Errorf("ParseDuration(%q): %v, error %v; want %v", s, got, err, want)
		}
		checkDuration(t, s)
	}
}

const (
	durationNumber = `((\d+)(?:[.,](\d+))?)`
	durationDate   = `(?:` + durationNumber + `W)?(?:` + durationNumber + `D)?`
	durationTime   = `(?:T(?:` + durationNumber + `H)?(?:` + durationNumber + `M)?(?:` + durationNumber + `S)?)?`
)

var durationForm = regexp.MustCompile(`^([-+]?)P` + durationDate + durationTime + `$`)

// slowDuration is the reference for ParseDuration. It uses rational numbers, and does not report
// why a text is invalid.
func slowDuration(s string) (time.Duration, bool) {
	part := durationForm.FindStringSubmatch(s)
	if part == nil || strings.HasSuffix(s, "P") || strings.HasSuffix(s, "T") {
		return 0, false
	}
	sum, last := new(big.Rat), true
	for i := 4; i >= 0; i-- { // from seconds to weeks
		number := part[2+3*i]
		if number == "" {
			continue
		}
		if part[2+3*i+2] != "" && !last {
			return 0, false
		}
		last = false
		n, ok := new(big.Rat).SetString(strings.Replace(number, ",", ".", 1))
		if !ok {
			return 0, false
		}
		unit := []time.Duration{7 * 24 * time.Hour, 24 * time.Hour, time.Hour, time.Minute, time.Second}[i]
		sum.Add(sum, n.Mul(n, new(big.Rat).SetInt64(int64(unit))))
	}
	whole := new(big.Int).Quo(sum.Num(), sum.Denom())
	if part[1] == "-" {
		whole.Neg(whole)
	}
	return time.Duration(whole.Int64()), whole.IsInt64()
}

func checkDuration(t *testing.T, s string) {
	t.Helper()
	got, err := ParseDuration(s)
	want, ok := slowDuration(s)
	if (err == nil) != ok || ok && got != want {
		t.Fatalf("ParseDuration(%q): %d, error %v; want %d, %v", s, got, err, want, ok)
	}
	if _, known := err.(Error); err != nil && !known {
		t.Fatalf("ParseDuration(%q): an error of type %T", s, err)
	}
	if err == nil {
		checkAppendDuration(t, got)
	}
}

// durations contains a text of every form, as input for mutants.
var durations = []string{"P3W", "P1DT2H3M4.5S", "-PT36H", "PT0,25M", "+P1W2DT03M", "PT2562047H47M16.854775807S", "P1Y2M3D"}

func TestParseDurationLikeSlow(t *testing.T) {
	for _, s := range durations {
		mutants(s, func(m string) { checkDuration(t, m) })
	}
}

var (
	canonicalForm = regexp.MustCompile(`^-?PT([1-9]\d*H)?([1-9]\d?M)?((\d|[1-9]\d)(\.\d{0,8}[1-9])?S)?$`)
	zeroSeconds   = regexp.MustCompile(`[TMH]0S$`)
)

// checkAppendDuration checks that AppendDuration returns the canonical form, and that slowDuration
// and ParseDuration read it back.
func checkAppendDuration(t *testing.T, d time.Duration) {
	t.Helper()
	b := AppendDuration([]byte("x"), d)
	s, ok := strings.CutPrefix(string(b), "x")
	if !ok || !canonicalForm.MatchString(s) || strings.HasSuffix(s, "T") {
		t.Fatalf("AppendDuration(%d) is %q", d, b)
	}
	if d != 0 && zeroSeconds.MatchString(s) {
		t.Fatalf("AppendDuration(%d) is %q", d, b)
	}
	if back, ok := slowDuration(s); !ok || back != d {
		t.Fatalf("AppendDuration(%d) is %q, which is %d", d, b, back)
	}
	if back, err := ParseDuration(s); err != nil || back != d {
		t.Fatalf("AppendDuration(%d) is %q, which reads as %d, error %v", d, b, back, err)
	}
}

func TestAppendDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0:                                   "PT0S",
		1:                                   "PT0.000000001S",
		-1:                                  "-PT0.000000001S",
		100 * time.Millisecond:              "PT0.1S",
		time.Second:                         "PT1S",
		10 * time.Second:                    "PT10S",
		time.Minute:                         "PT1M",
		90 * time.Second:                    "PT1M30S",
		time.Hour:                           "PT1H",
		time.Hour + time.Second/2:           "PT1H0.5S",
		24 * time.Hour:                      "PT24H",
		26*time.Hour + 3*time.Minute + 4500: "PT26H3M0.0000045S",
		-36 * time.Hour:                     "-PT36H",
		math.MaxInt64:                       "PT2562047H47M16.854775807S",
		math.MinInt64:                       "-PT2562047H47M16.854775808S",
	} {
		if got := AppendDuration(nil, d); string(got) != want {
			t.Errorf("AppendDuration(%d) is %q, want %q", d, got, want)
		}
		checkAppendDuration(t, d)
	}
}

func TestDurationRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 10_000 {
		d := time.Duration(int64(r.Uint64()) >> r.IntN(64))
		checkAppendDuration(t, d)
		unit := []time.Duration{1000, 1e6, time.Second, time.Minute, time.Hour}[r.IntN(5)]
		checkAppendDuration(t, d/unit*unit)
	}
}

// AppendDuration does not change the bytes before and after its result.
func TestAppendDurationKeeps(t *testing.T) {
	room := bytes.Repeat([]byte{'x'}, 32)
	if got := AppendDuration(room[:1], time.Second/2); string(got) != "xPT0.5S" || string(room[len(got):]) != strings.Repeat("x", 25) {
		t.Errorf("%q, and then %q", got, room[len(got):])
	}
}
