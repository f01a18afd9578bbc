package evolve

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestExitCodes runs the program in the same way as a script that uses only the exit code.
func TestExitCodes(t *testing.T) {
	program := filepath.Join(t.TempDir(), "slipctl")
	if out, err := exec.Command("go", "build", "-o", program, "../cmd/slipctl").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	files(t, map[string]string{"old": "{a bool}", "new": "{a u8}"})
	for args, want := range map[string]int{
		"check old.json old.json":                      0,
		"check --require=backward old.json new.json":   0,
		"check old.json new.json":                      1,
		"check --require=forward old.json new.json":    1,
		"check old.json none.json":                     2,
		"check old.json":                               2,
		"check --require=everything old.json new.json": 2,
		"show new.json":                                0,
		"show none.json":                               2,
		"explain old.json":                             2,
	} {
		out, err := exec.Command(program, append([]string{"schema"}, strings.Fields(args)...)...).CombinedOutput()
		got := 0
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			got = exit.ExitCode()
		} else if err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("%s exits with %d, want %d: %s", args, got, want, out)
		}
	}
}
