package json

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/slipstream-go/slipstream/bench/harness"
)

// A build tag applies to a whole binary. So the command in purego/ is built with the tag and
// without it, and each of the two binaries times the cases of BuildSuite.

const (
	buildGroup = "The build tag purego"
	noteUsual  = "All other tables were measured with this build."
	notePurego = "This build contains no assembly, and it checks the bounds of every load and store. But it still accesses the " +
		"fields of structs by their offsets. encoding/json is the same in both builds. The figure is the time of encoding/json " +
		"divided by Slipstream's time in the same process. If the figure is above 1, Slipstream is faster."
)

func buildCases() []harness.Case {
	build := func(name, note string, flags ...string) harness.Case {
		return harness.Case{Group: buildGroup, Name: name, Note: note, Observe: func(ctx context.Context, o harness.Options) ([]harness.Figure, error) {
			return observeBuild(ctx, o, flags)
		}}
	}
	return []harness.Case{build("usual build", noteUsual), build("-tags purego", notePurego, "-tags", "purego")}
}

// BuildSuite returns the cases with which builds are compared. Their sides are Slipstream and
// encoding/json.
func BuildSuite() harness.Suite {
	suite := harness.Suite{Name: "purego", Rivals: []harness.Rival{{Name: stdName, Module: harness.Std}}}
	for _, c := range slices.Concat(documentCases(), tinyCases(), textCases()) {
		if !slices.Contains([]string{"citm 1.7 MB", "twitter 632 KB", "flat 64 B"}, c.Name) || c.Group == reuseGroup {
			continue
		}
		suite.Cases = append(suite.Cases, harness.Case{Group: c.Group, Name: c.Name, Sides: func() ([]harness.Side, error) {
			sides, err := c.Sides()
			return slices.DeleteFunc(sides, func(s harness.Side) bool { return s.Rival != "" && s.Rival != stdName }), err
		}})
	}
	return suite
}

// observeBuild returns a figure for each case of BuildSuite.
func observeBuild(ctx context.Context, o harness.Options, flags []string) ([]harness.Figure, error) {
	binary, err := filepath.Abs(filepath.Join(o.Dir, ".cache", "purego"))
	if err != nil {
		return nil, err
	}
	args := append([]string{"build", "-C", o.Dir, "-o", binary}, flags...)
	if text, err := exec.CommandContext(ctx, "go", append(args, "./json/purego")...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building the cases: %w\n%s", err, text)
	}
	var stderr bytes.Buffer
	cases := exec.CommandContext(ctx, binary, "-rounds", strconv.Itoa(o.Rounds), "-slot", o.Slot.String(), "-procs", strconv.Itoa(o.Procs))
	cases.Stderr = &stderr
	text, err := cases.Output()
	if err != nil {
		return nil, fmt.Errorf("timing the cases: %w\n%s", err, &stderr)
	}
	r, err := decoded[harness.Result](text)
	if err != nil {
		return nil, err
	}
	var figures []harness.Figure
	for _, row := range r.Rows {
		figures = append(figures, harness.Figure{Name: row.Group + ", " + row.Name, Value: row.Best().Ratio, Unit: "× " + stdName})
	}
	return figures, nil
}
