package iso8601

// These tests measure how the cost of every function grows with its input.

import (
	"strconv"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/internal/growth"
)

func TestGrowth(t *testing.T) {
	calls := []growth.Call[string]{
		{Name: "Parse", Run: func(s string) { _, _ = Parse(s) }},
		{Name: "ParseBytes", Run: func(s string) { _, _ = ParseBytes([]byte(s)) }, Alloc: 1},
		{Name: "ParseDuration", Run: func(s string) { _, _ = ParseDuration(s) }},
		{Name: "Duration.UnmarshalText", Run: func(s string) { _ = new(Duration).UnmarshalText([]byte(s)) }, Alloc: 1},
		{Name: "Valid", Run: func(s string) {
			for flags := ValidFlags(0); flags < 64; flags++ {
				Valid(s, flags)
			}
		}, Constant: true}, // valid texts are short
		{Name: "ValidBytes", Run: func(s string) { ValidBytes([]byte(s), 0) }, Alloc: 1, Constant: true},
	}
	around := func(name, before, unit, after string) growth.Family[string] {
		inner := growth.Repeat(name, unit, after).Make
		return growth.Family[string]{Name: name, Make: func(n int) string { return before + inner(n) }}
	}
	growth.Check(t, growth.Cross(calls, []growth.Family[string]{
		around("text", "", "a", ""),
		around("digits", "", "1", ""),
		around("a long fraction", "2006-01-02T15:04:05.", "123456789", "Z"),
		around("a long fraction without a zone", "2006-01-02T15:04:05.", "9", ""),
		around("a long fraction, bad at the end", "2006-01-02T15:04:05.", "0", "x"),
		around("a long zone", "2006-01-02T15:04:05+07:", "0", ""),
		around("blanks", "2006-01-02T15:04:05", " ", "+07:00"),
		around("a long number of seconds", "PT", "0", "1S"),
		around("a long fraction of a second", "PT0.", "9", "S"),
		around("a long fraction of a day", "P0.", "3", "D"),
		around("a long number, too large", "PT", "9", "S"),
		around("designators", "P", "1D", ""),
		around("signs", "", "-", "PT1S"),
		around("not UTF-8", "P", "\xff", ""),
	}))
	growth.Covers(t, growth.Names(calls), map[string]string{
		"Append":               "one time",
		"AppendDuration":       "one duration",
		"Duration.AppendText":  "one duration",
		"Duration.MarshalText": "one duration",
		"Duration.String":      "one duration",
		"Error.Error":          "a table",
	})
}

// The memory that remains after parsing an attacker's times is bounded, as the package comment
// says. No text occurs twice: the texts differ in second, fraction or zone.
func TestGrowthHeld(t *testing.T) {
	second := time.Unix(0, 0)
	step := func(n int) any {
		for range n / 64 {
			second = second.Add(10007*time.Second + 1) // 16 MB of these texts end before the year 2100
			zone := time.FixedZone("", second.Nanosecond()%(24*60)*60-12*60*60)
			for _, text := range []string{second.UTC().Format(time.RFC3339Nano), second.In(zone).Format(time.RFC3339Nano)} {
				if _, err := Parse(text); err != nil {
					t.Fatal(err)
				}
			}
			for _, text := range []string{Duration(second.Unix()).String(), "PT" + strconv.Itoa(second.Nanosecond()) + "S"} {
				if _, err := ParseDuration(text); err != nil {
					t.Fatal(err)
				}
			}
		}
		return nil
	}
	step(64 * 24 * 60) // all zones are kept, in up to half a megabyte
	growth.CheckHeld(t, []growth.Held{{Name: "Parse", Start: func(int, int) func(int) any { return step }}})
}
