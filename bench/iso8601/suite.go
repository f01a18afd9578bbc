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
		Cover: "Parse timestamps",
		About: "An operation processes a list of 64 different texts or values. A single repeated timestamp would be too easy " +
			"for the branch predictor. The dates are spread over 60 years. `time` is the package of Go's standard library, " +
			"used with the layout RFC3339Nano. If a timestamp contains a numeric zone, every library first checks whether the " +
			"local zone of the machine has the same offset.",
		Rivals: []harness.Rival{
			{Name: segmentioName, Module: "github.com/segmentio/encoding"},
			{Name: timeName, Module: harness.Std},
			{Name: sosodevName, Module: "github.com/sosodev/duration"},
		},
		Cases: slices.Concat(parseCases(), validCases(), appendCases(), durationCases()),
	}
}
