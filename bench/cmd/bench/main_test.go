package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/bench/harness"
)

// with replaces the suites by one suite with one case, which has the given bars and check.
func with(t *testing.T, bars []harness.Bar, check func() error) {
	t.Helper()
	before := suites
	t.Cleanup(func() { suites = before })
	run := func() error { return nil }
	sides := []harness.Side{{Run: run, Check: check}, {Rival: "other", Run: run, Check: run}}
	suites = []harness.Suite{{
		Name: "tiny", Title: "Tiny", Rivals: []harness.Rival{{Name: "other", Module: "example.com/other"}},
		Cases: []harness.Case{{Group: "group", Name: "case", Bars: bars, Sides: func() ([]harness.Side, error) { return sides, nil }}},
	}}
}

const unreachable = 1e9

func fine() error { return nil }

func TestStatus(t *testing.T) {
	for _, c := range []struct {
		name  string
		bars  []harness.Bar
		check func() error
		args  []string
		want  int
		last  string
	}{
		{"bars hold", []harness.Bar{harness.Allocs(0)}, fine, nil, holds, "bars: all hold"},
		{"a bar is short", []harness.Bar{harness.Faster("other", unreachable)}, fine, nil, short, `bars: 1 short: tiny: table "group", case "case"`},
		{"short, but quick", []harness.Bar{harness.Faster("other", unreachable)}, fine, []string{"-quick"}, holds, "bars: 1 short (a quick run"},
		{"a wrong value", nil, func() error { return os.ErrInvalid }, nil, wrong, ""},
		{"an unknown suite", nil, fine, []string{"-pkg", "attic"}, wrong, ""},
		{"an unknown flag", nil, fine, []string{"-fast"}, wrong, ""},
		{"an argument", nil, fine, []string{"tiny"}, wrong, ""},
		{"a report of a part", nil, fine, []string{"-report", "-case", "x"}, wrong, ""},
		{"no rounds", nil, fine, []string{"-rounds", "0"}, wrong, ""},
		{"no load", nil, fine, []string{"-load", "0s"}, wrong, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			with(t, c.bars, c.check)
			var out, errs strings.Builder
			args := append([]string{"-rounds", "2", "-slot", "20us"}, c.args...)
			if got := run(t.Context(), args, &out, &errs); got != c.want {
				t.Errorf("status %d, want %d\n%s%s", got, c.want, out.String(), errs.String())
			}
			lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
			if !strings.HasPrefix(lines[len(lines)-1], c.last) {
				t.Errorf("last line %q, want it to begin with %q", lines[len(lines)-1], c.last)
			}
			if (c.want == wrong) != (errs.Len() > 0) {
				t.Errorf("on the error stream: %q", errs.String())
			}
		})
	}
}

func TestReportIsWritten(t *testing.T) {
	with(t, nil, fine)
	dir := t.TempDir()
	var out, errs strings.Builder
	if got := run(t.Context(), []string{"-rounds", "2", "-slot", "20us", "-report", "-dir", dir}, &out, &errs); got != holds {
		t.Fatalf("status %d: %s", got, errs.String())
	}
	text, err := os.ReadFile(filepath.Join(dir, "RESULTS.md"))
	if err != nil || !strings.Contains(string(text), "## Tiny") {
		t.Errorf("report %q, error %v", text, err)
	}
}
