package iso8601

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// listLength is the length of all lists.
const listLength = 64

// moments returns times from 1980 to 2040, truncated to a unit, in the given zones in turn.
func moments(unit time.Duration, zones ...*time.Location) []time.Time {
	r := rand.New(rand.NewPCG(8601, 1))
	list := make([]time.Time, listLength)
	for i := range list {
		x := time.Unix(315532800+r.Int64N(60*365*86400), 0).UTC().Add(time.Duration(1 + r.Int64N(1e9-1)))
		x = x.Truncate(unit)
		for unit < time.Second && x.Nanosecond()%int(10*unit) == 0 { // the last digit must not be 0, so that all texts have the same length
			x = x.Add(unit)
		}
		list[i] = x.In(zones[i%len(zones)])
	}
	return list
}

func wholeHours() []*time.Location { return offsets(-8*60, -5*60, 60, 2*60, 9*60) }

func halfHours() []*time.Location { return offsets(-3*60-30, 5*60+30, 9*60+30) }

// offsets returns fixed zones with the given offsets in minutes.
func offsets(minutes ...int) []*time.Location {
	var list []*time.Location
	for _, m := range minutes {
		list = append(list, time.FixedZone("", m*60))
	}
	return list
}

// texts returns the times in the given format, as the standard library writes them.
func texts(list []time.Time, form string) []string {
	var out []string
	for _, x := range list {
		out = append(out, x.Format(form))
	}
	return out
}

// uuids returns random UUIDs.
func uuids() []string {
	r := rand.New(rand.NewPCG(8601, 2))
	var out []string
	for range listLength {
		out = append(out, fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x",
			r.Uint32(), r.Uint32N(1<<16), r.Uint32N(1<<12), 0x8000|r.Uint32N(1<<14), r.Uint64N(1<<48)))
	}
	return out
}

// numbers returns numbers of 1 to 19 digits.
func numbers() []string {
	r := rand.New(rand.NewPCG(8601, 3))
	var out []string
	for range listLength {
		out = append(out, fmt.Sprint(r.Uint64()>>1>>r.IntN(60)))
	}
	return out
}

// words returns other typical strings.
func words() []string {
	list := []string{
		"", "GET", "active", "customer@example.com", "/api/v1/users", "https://example.com/a/b?c=d", "New York", "2.0.1",
		"the quick brown fox jumps over the lazy dog", "10.0.0.1", "T-shirt", "true", "en-US,en;q=0.9", "Z", "n/a", "07:30",
	}
	return slices.Repeat(list, listLength/len(list))
}

// outOfRange returns texts in the form of timestamps, with a part that is out of range.
func outOfRange() []string {
	list := []string{
		"2018-13-02T03:04:05.678Z", "2018-00-02T03:04:05.678Z", "2018-02-30T03:04:05.678Z", "2019-02-29T03:04:05.678Z", "2018-04-31T03:04:05.678Z",
		"2018-01-02T24:04:05.678Z", "2018-01-02T03:60:05.678Z", "2018-01-02T03:04:60.678Z",
	}
	return slices.Repeat(list, listLength/len(list))
}

// nearMisses returns texts that differ from timestamps by one or two characters.
func nearMisses() []string {
	list := []string{
		"2018-01-02 03:04:05.678Z", "2018-01-02t03:04:05.678Z", "2018-01-02T03:04:05.678", "2018-01-02T03:04:05.678z", "2018-01-02T03:04:05.Z",
		"2018-01-02T03:04:05.678+0700", "2018-01-02T03:04.05678Z", "2018-01-02T03:04:05.6o8Z",
	}
	return slices.Repeat(list, listLength/len(list))
}

// spans returns durations from a second to a month, truncated to a unit. Every eighth is negative.
func spans(unit time.Duration) []time.Duration {
	r := rand.New(rand.NewPCG(8601, 4))
	list := make([]time.Duration, listLength)
	for i := range list {
		list[i] = time.Second + time.Duration(r.Int64N(int64(30*24*time.Hour>>r.IntN(16)))).Truncate(unit)
		if i%8 == 0 {
			list[i] = -list[i]
		}
	}
	return list
}
