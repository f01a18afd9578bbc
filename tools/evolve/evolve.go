// Package evolve implements `slipctl schema`. It reports whether two versions of a schema can read
// each other's messages. It reads the schemas as JSON: the output of json.Marshal for the Shape of
// a schema.Schema.
package evolve

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/slipstream-go/slipstream/schema"
)

// Check compares two versions of a schema. The struct tags are for the command-line parser kong.
type Check struct {
	Old string `arg:"" help:"JSON file that contains the schema of existing messages or readers."`
	New string `arg:"" help:"JSON file that contains the schema of the new version."`

	Require string `enum:"backward,forward,both" default:"both" env:"-" help:"Direction to check: backward (new readers read old messages), forward (old readers read new messages) or both. Choose both if readers and writers are not all upgraded at once."`
}

// requirements maps each value of Require to the verdict that it requires.
var requirements = map[string]schema.Verdict{"backward": schema.NewReadsOld, "forward": schema.OldReadsNew, "both": schema.Both}

// Run prints the verdict. If the requirement is not met, Run returns an error. The error names the
// field that causes it, if there is such a field.
func (c *Check) Run(out io.Writer) error {
	old, err := read(c.Old)
	if err != nil {
		return err
	}
	new, err := read(c.New)
	if err != nil {
		return err
	}
	v, why := schema.Compat(old, new)
	if need := requirements[c.Require]; v&need != need {
		err := fmt.Errorf("%s → %s: %w", c.Old, c.New, why)
		if !differ(why, need) {
			return noVerdict{err}
		}
		return err
	}
	_, err = fmt.Fprintf(out, "%s → %s: %v\n", c.Old, c.New, v)
	return err
}

// differ reports whether the error of Compat contains a difference that prevents the needed
// verdict. The error contains no difference if the schemas are too large to be compared.
func differ(why error, need schema.Verdict) bool {
	reads := map[string]schema.Verdict{"new": schema.NewReadsOld, "old": schema.OldReadsNew}
	for _, err := range why.(interface{ Unwrap() []error }).Unwrap() {
		var d *schema.Difference
		if errors.As(err, &d) && reads[d.Reader]&need != 0 {
			return true
		}
	}
	return false
}

// Show prints a schema.
type Show struct {
	File string `arg:"" help:"JSON file that contains the schema."`
}

// Run prints the schema in the notation of package schema, with its fingerprints.
func (c *Show) Run(out io.Writer) error {
	s, err := read(c.File)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%v\nfingerprint  %x\nwith names   %x\n", s, s.Fingerprint(), s.NamedFingerprint())
	return err
}

func read(file string) (*schema.Shape, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, noVerdict{err}
	}
	s := new(schema.Shape)
	if err := json.Unmarshal(text, s); err != nil {
		return nil, noVerdict{fmt.Errorf("%s: %w", file, err)}
	}
	return s, nil
}

// noVerdict is the error if there is no verdict, because a file contains no schema, or because the
// schemas are too large to be compared. It has a separate exit code, so that a calling program does
// not mistake it for a verdict.
type noVerdict struct{ error }

func (noVerdict) ExitCode() int { return 2 }
