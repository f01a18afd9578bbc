package iso8601

import (
	"regexp"
	"strconv"
	"testing"
	"time"
)

var validForm = regexp.MustCompile(`^(\d{4})-(\d\d)-(\d\d)(?:([T ])(\d\d):(\d\d):(\d\d)(\.\d{1,9})?(?:Z|( ?)[+-](\d\d)(:?)(\d\d))?)?$`)

// slowNeeds is the reference for Valid. It matches s with a regular expression, checks the ranges
// with package time, and returns the flags that the parts need.
func slowNeeds(s string) (needs ValidFlags, ok bool) {
	part := validForm.FindStringSubmatch(s)
	if part == nil {
		return 0, false
	}
	number := func(i int) int {
		n, _ := strconv.Atoi(part[i]) // an absent part is 0
		return n
	}
	year, month, day, hour, minute, second := number(1), number(2), number(3), number(5), number(6), number(7)
	date := time.Date(year, time.Month(month), day, hour, minute, second, 0, time.UTC)
	if y, m, d := date.Date(); y != year || int(m) != month || d != day {
		return 0, false
	}
	if hour > 23 || minute > 59 || second > 59 || number(10) > 23 || number(12) > 59 {
		return 0, false
	}
	if part[4] == "" {
		needs = AllowMissingTime
	} else {
		if part[4] == " " || part[9] == " " {
			needs |= AllowSpaceSeparator
		}
		if part[8] == "" {
			needs |= AllowMissingSubsecond
		}
		switch {
		case part[10] != "" && part[11] == "":
			needs |= AllowNumericTimezone
		case part[10] == "" && s[len(s)-1] != 'Z':
			needs |= AllowMissingTimezone
		}
	}
	return needs, true
}

func checkValid(t *testing.T, s string) {
	t.Helper()
	needs, ok := slowNeeds(s)
	for flags := ValidFlags(0); flags < 64; flags += 2 {
		want := ok && flags&needs == needs
		if Valid(s, flags) != want || ValidBytes([]byte(s), flags) != want {
			t.Fatalf("Valid(%q, %d) is %v", s, flags, !want)
		}
		if want && flags&^AllowMissingSubsecond == 0 {
			if _, err := Parse(s); err != nil {
				t.Fatalf("%q is valid with flags %d, and Parse gives error %v", s, flags, err)
			}
		}
	}
}

func TestValidLikeSlow(t *testing.T) {
	for _, s := range timestamps {
		mutants(s, func(m string) { checkValid(t, m) })
	}
}

// Valid requires exactly the listed flags. never means that no flags make a text valid.
func TestValid(t *testing.T) {
	const never = ValidFlags(-1)
	for s, needs := range map[string]ValidFlags{
		"2018-01-02T03:04:05.1Z":           Strict,
		"2018-01-02T03:04:05.123456789Z":   Strict,
		"2018-01-02T03:04:05.1+07:00":      Strict,
		"2018-01-02T03:04:05.1-07:00":      Strict,
		"2018-01-02T03:04:05.1-00:00":      Strict,
		"2018-01-02 03:04:05.1Z":           AllowSpaceSeparator,
		"2018-01-02T03:04:05.1 +07:00":     AllowSpaceSeparator,
		"2018-01-02":                       AllowMissingTime,
		"2018-01-02T03:04:05Z":             AllowMissingSubsecond,
		"2018-01-02T03:04:05.1":            AllowMissingTimezone,
		"2018-01-02T03:04:05.1+0700":       AllowNumericTimezone,
		"2018-01-02 03:04:05 +0700":        AllowSpaceSeparator | AllowMissingSubsecond | AllowNumericTimezone,
		"2018-01-02 03:04:05":              AllowSpaceSeparator | AllowMissingSubsecond | AllowMissingTimezone,
		"2016-02-29":                       AllowMissingTime,
		"":                                 never,
		"2018":                             never,
		"2018-01":                          never,
		"2018-01-02T":                      never,
		"2018-01-02Z":                      never,
		"2018-01-02+07:00":                 never,
		"2018-01-02T03:04":                 never,
		"2018-01-02T03:04Z":                never,
		"2018-01-02T3:04:05.1Z":            never,
		"2018-01-02t03:04:05.1Z":           never,
		"2018-01-02T03:04:05.1z":           never,
		"2018-01-02T03:04:05.Z":            never,
		"2018-01-02T03:04:05,1Z":           never,
		"2018-01-02T03:04:05.1234567890Z":  never,
		"2018-01-02T03:04:05.1 Z":          never,
		"2018-01-02T03:04:05.1  +07:00":    never,
		"2018-01-02T03:04:05.1+07":         never,
		"2018-01-02T03:04:05.1+07:00Z":     never,
		"20180102T030405.1Z":               never,
		"2018/01/02":                       never,
		"f81d4fae-7dec-11d0-a765-00a0c91e": never,

		// The form is correct, but the value is not. segmentio/encoding accepts these texts.
		"2018-99-99T99:99:99.1Z":      never,
		"2018-00-01T03:04:05.1Z":      never,
		"2018-02-29T03:04:05.1Z":      never,
		"2018-02-29":                  never,
		"2018-01-02T24:00:00.0Z":      never,
		"2018-01-02T03:60:05.1Z":      never,
		"2016-12-31T23:59:60.0Z":      never,
		"2018-01-02T03:04:05.1+24:00": never,
		"2018-01-02T03:04:05.1+23:60": never,
		"2018-01-02T03:04:05.1+9999":  never,
	} {
		for flags := ValidFlags(0); flags <= Flexible; flags += 2 {
			want := needs != never && flags&needs == needs
			if got := Valid(s, flags); got != want {
				t.Errorf("Valid(%q, %d) is %v", s, flags, got)
			}
		}
	}
}

// The values of the flags never change, because programs store them.
func TestFlagValues(t *testing.T) {
	for flag, want := range map[ValidFlags]int{
		Strict: 0, AllowSpaceSeparator: 2, AllowMissingTime: 4, AllowMissingSubsecond: 8, AllowMissingTimezone: 16, AllowNumericTimezone: 32, Flexible: 62,
	} {
		if int(flag) != want {
			t.Errorf("%d, want %d", flag, want)
		}
	}
}
