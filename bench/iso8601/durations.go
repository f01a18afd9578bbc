package iso8601

import (
	"fmt"
	"strings"
	"time"

	sosodev "github.com/sosodev/duration"

	"github.com/slipstream-go/slipstream/bench/harness"
	"github.com/slipstream-go/slipstream/iso8601"
)

const (
	markGo    = "Package `time` uses Go's own format for durations, for example 26h3m4.5s."
	markFloat = "sosodev calculates in floating point, so it writes 24.827 s as PT24.826999999999998S."
)

// isoText returns Go's text for d, with the letters of ISO 8601 and with days. The time of day must
// not be below a second.
func isoText(d time.Duration) string {
	const day = 24 * time.Hour
	sign, days := "", ""
	if d < 0 {
		sign, d = "-", -d
	}
	if d >= day {
		days = fmt.Sprintf("%dD", d/day)
	}
	return sign + "P" + days + "T" + strings.ToUpper((d % day).String())
}

func sosodevParse(s string) (time.Duration, error) {
	d, err := sosodev.Parse(s)
	if err != nil {
		return 0, err
	}
	return d.ToTimeDuration(), nil
}

func parseDurationSides(unit time.Duration) []harness.Side {
	list := spans(unit)
	var iso, inGo []string
	for _, d := range list {
		iso, inGo = append(iso, isoText(d)), append(inGo, d.String())
	}
	right := func(i int, got time.Duration) bool { return got == list[i] }
	type w = worker[string, time.Duration]
	return append(
		sides(iso, right, w{work: iso8601.ParseDuration}, w{rival: sosodevName, work: sosodevParse}),
		sides(inGo, right, w{rival: timeName, mark: markGo, work: time.ParseDuration})...)
}

// refuseSides returns sides that parse texts that are not durations.
func refuseSides() []harness.Side {
	type w = worker[string, time.Duration]
	return sides(words(), nil, w{work: iso8601.ParseDuration}, w{rival: sosodevName, work: sosodevParse})
}

// appendDurationSides returns sides that format durations. sosodev parses the texts of ISO 8601 to
// check them, and Go parses its own. mark is the mark of sosodev. With a mark, sosodev's texts may
// deviate by less than a microsecond.
func appendDurationSides(unit time.Duration, mark string) []harness.Side {
	list := spans(unit)
	room := make([]byte, 0, 64)
	iso := func(i int, got []byte) bool {
		d, err := sosodevParse(string(got))
		return err == nil && d == list[i]
	}
	nearly := func(i int, got []byte) bool {
		d, err := sosodevParse(string(got))
		return err == nil && (d-list[i]).Abs() < time.Microsecond
	}
	theirs := iso
	if mark != "" {
		theirs = nearly
	}
	inGo := func(i int, got []byte) bool {
		d, err := time.ParseDuration(string(got))
		return err == nil && d == list[i]
	}
	type w = worker[time.Duration, []byte]
	all := sides(list, iso, w{work: func(d time.Duration) ([]byte, error) { return iso8601.AppendDuration(room, d), nil }})
	all = append(all, sides(list, theirs,
		w{rival: sosodevName, mark: mark, work: func(d time.Duration) ([]byte, error) { return append(room, sosodev.Format(d)...), nil }})...)
	return append(all, sides(list, inGo,
		w{rival: timeName, mark: markGo, work: func(d time.Duration) ([]byte, error) { return append(room, d.String()...), nil }})...)
}

func durationCases() []harness.Case {
	var cases []harness.Case
	add := func(group, name string, build func() []harness.Side) {
		cases = append(cases, harness.Case{
			Group: group, Name: name, Bars: []harness.Bar{harness.Faster(sosodevName, 5), harness.Allocs(0)},
			Sides: func() ([]harness.Side, error) { return build(), nil },
		})
	}
	const parse, write = "Parse durations", "Append durations"
	add(parse, "seconds", func() []harness.Side { return parseDurationSides(time.Second) })
	add(parse, "milliseconds", func() []harness.Side { return parseDurationSides(time.Millisecond) })
	add(parse, "nanoseconds", func() []harness.Side { return parseDurationSides(time.Nanosecond) })
	add(parse, "words that are none", refuseSides)
	add(write, "seconds", func() []harness.Side { return appendDurationSides(time.Second, "") })
	add(write, "milliseconds", func() []harness.Side { return appendDurationSides(time.Millisecond, markFloat) })
	return cases
}
