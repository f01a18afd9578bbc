// Package iso8601 measures package iso8601 of this project against package time and other
// libraries.
//
// Where things are:
//
//	suite.go       the suite and its rivals
//	data.go        the timestamps and durations, from a fixed seed
//	sides.go       sides that work through a list, and how their outcome is checked
//	timestamps.go  the cases: Parse, Valid and Append
//	durations.go   the cases: ParseDuration and AppendDuration
package iso8601

import (
	"slices"

	"github.com/slipstream-go/slipstream/bench/harness"
)

// The names of the rivals in sides and bars.
const (
	timeName      = "time"
	segmentioName = "segmentio"
	sosodevName   = "sosodev"
)

// Suite returns the suite for cmd/bench.
func Suite() harness.Suite {
	return harness.Suite{
		Name:  "iso8601",
		Title: "ISO 8601",
		About: "An operation is a list of 64 texts or values, all different, since one timestamp over and over would show each branch at its " +
			"best. The dates are spread over 60 years. time is the standard library with the layout RFC3339Nano. The local zone is that of the " +
			"machine: a numeric zone is looked up there first, by every side.",
		Rivals: []harness.Rival{
			{Name: segmentioName, Module: "github.com/segmentio/encoding"},
			{Name: timeName, Module: harness.Std},
			{Name: sosodevName, Module: "github.com/sosodev/duration"},
		},
		Cases: slices.Concat(parseCases(), validCases(), appendCases(), durationCases()),
	}
}
