package iso8601

import (
	"time"

	segmentio "github.com/segmentio/encoding/iso8601"

	"github.com/slipstream-go/slipstream/bench/harness"
	"github.com/slipstream-go/slipstream/iso8601"
)

// parseSides returns sides that parse texts. The results must be the instants in want, with their
// offsets. If want is nil, all texts must fail.
func parseSides(texts []string, want []time.Time) []harness.Side {
	var right func(i int, got time.Time) bool
	if want != nil {
		right = func(i int, got time.Time) bool {
			_, offset := got.Zone()
			_, wantOffset := want[i].Zone()
			return got.Equal(want[i]) && offset == wantOffset
		}
	}
	type w = worker[string, time.Time]
	return sides(texts, right, w{work: iso8601.Parse}, w{rival: segmentioName, work: segmentio.Parse},
		w{rival: timeName, work: func(s string) (time.Time, error) { return time.Parse(time.RFC3339Nano, s) }})
}

func parseCases() []harness.Case {
	const lookup = "In this case, Slipstream spends much of its time on finding the offset of the local zone."
	var cases []harness.Case
	timestamps := func(name, note string, bars []harness.Bar, unit time.Duration, zones ...*time.Location) {
		cases = append(cases, harness.Case{
			Group: "Parse timestamps", Name: name, Note: note, Bars: bars,
			Sides: func() ([]harness.Side, error) {
				list := moments(unit, zones...)
				return parseSides(texts(list, time.RFC3339Nano), list), nil
			},
		})
	}
	timestamps("seconds, Z", "", parseBars(), time.Second, time.UTC)
	timestamps("milliseconds, Z", "", parseBars(), time.Millisecond, time.UTC)
	timestamps("microseconds, Z", "", parseBars(), time.Microsecond, time.UTC)
	timestamps("nanoseconds, Z", "", parseBars(), time.Nanosecond, time.UTC)
	timestamps("milliseconds, whole hours", lookup, parseBars(), time.Millisecond, wholeHours()...)
	timestamps("milliseconds, half hours", lookup, parseBars(), time.Millisecond, halfHours()...)

	others := func(name, note string, list []string) {
		cases = append(cases, harness.Case{
			Group: "Parse what is no timestamp", Name: name, Note: note,
			Bars:  []harness.Bar{harness.Faster(timeName, 10), harness.Allocs(0)},
			Sides: func() ([]harness.Side, error) { return parseSides(list, nil), nil },
		})
	}
	others("UUIDs", "", uuids())
	others("numbers", "", numbers())
	others("words", "", words())
	others("out of range", "An example of the input is 2018-02-30T03:04:05.678Z.", outOfRange())
	others("near misses", "An example of the input is 2018-01-02 03:04:05.678Z.", nearMisses())
	return cases
}

// parseBars returns the bars of the parsing of a timestamp.
func parseBars() []harness.Bar {
	return []harness.Bar{harness.Faster(timeName, 3), harness.Faster(segmentioName, 1.2), harness.Allocs(0)}
}

func validCases() []harness.Case {
	const (
		ranges = "segmentio checks only the syntax of a timestamp, not the ranges of its numbers."
		first  = "segmentio stops at the first invalid byte, whereas Slipstream checks 8 bytes at a time. No bar applies to " +
			"the ratio of this case."
	)
	bars := []harness.Bar{harness.Faster(segmentioName, 2), harness.Allocs(0)}
	none := []harness.Bar{harness.Allocs(0)}
	milliseconds := texts(moments(time.Millisecond, time.UTC), time.RFC3339Nano)
	nanoseconds := texts(moments(time.Nanosecond, time.UTC), time.RFC3339Nano)
	spaced := texts(moments(time.Millisecond, halfHours()...), "2006-01-02 15:04:05.999999999 -07:00")
	dates := texts(moments(time.Second, time.UTC), time.DateOnly)

	var cases []harness.Case
	for _, c := range []struct {
		name, note string
		list       []string
		flags      iso8601.ValidFlags
		want       bool
		bars       []harness.Bar
	}{
		{"strict, milliseconds", ranges, milliseconds, iso8601.Strict, true, bars},
		{"strict, nanoseconds", ranges, nanoseconds, iso8601.Strict, true, bars},
		{"flexible, milliseconds", ranges, milliseconds, iso8601.Flexible, true, bars},
		{"flexible, spaces and offsets", ranges, spaced, iso8601.Flexible, true, bars},
		{"flexible, dates alone", ranges + " No bar applies to the ratio of this case.", dates, iso8601.Flexible, true, none},
		{"strict, near misses", "", nearMisses(), iso8601.Strict, false, bars},
		{"flexible, words", first, words(), iso8601.Flexible, false, none},
		{"flexible, UUIDs", first, uuids(), iso8601.Flexible, false, none},
	} {
		theirs := segmentio.ValidFlags(c.flags)
		right := func(_ int, got bool) bool { return got == c.want }
		type w = worker[string, bool]
		cases = append(cases, harness.Case{
			Group: "Valid", Name: c.name, Note: c.note, Bars: c.bars,
			Sides: func() ([]harness.Side, error) {
				return sides(c.list, right,
					w{work: func(s string) (bool, error) { return iso8601.Valid(s, c.flags), nil }},
					w{rival: segmentioName, work: func(s string) (bool, error) { return segmentio.Valid(s, theirs), nil }}), nil
			},
		})
	}
	return cases
}

func appendCases() []harness.Case {
	var cases []harness.Case
	add := func(name string, unit time.Duration, zones ...*time.Location) {
		cases = append(cases, harness.Case{
			Group: "Append timestamps", Name: name, Bars: []harness.Bar{harness.Faster(timeName, 1.8), harness.Allocs(0)},
			Sides: func() ([]harness.Side, error) {
				list := moments(unit, zones...)
				room := make([]byte, 0, 64)
				right := func(i int, got []byte) bool { return string(got) == list[i].Format(time.RFC3339Nano) }
				type w = worker[time.Time, []byte]
				return sides(list, right,
					w{work: func(x time.Time) ([]byte, error) { return iso8601.Append(room, x), nil }},
					w{rival: timeName, work: func(x time.Time) ([]byte, error) { return x.AppendFormat(room, time.RFC3339Nano), nil }}), nil
			},
		})
	}
	add("seconds, Z", time.Second, time.UTC)
	add("milliseconds, Z", time.Millisecond, time.UTC)
	add("nanoseconds, Z", time.Nanosecond, time.UTC)
	add("milliseconds, whole hours", time.Millisecond, wholeHours()...)
	return cases
}
