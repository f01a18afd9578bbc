package growth

import (
	"flag"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"
)

// apartOf names, in the environment of a process that [Apart] starts, the test that it runs.
const apartOf = "SLIPSTREAM_TEST_APART"

// Apart reports whether the test t is to run in this process. If not, Apart has run it in another
// one of the same binary, where nothing else runs, and t has failed if it failed there.
//
// A test that collects garbage many times calls Apart first. Plans and types stay for the life of a
// process, and each collection marks those of all tests before it: 100 MB in package json.
func Apart(t *testing.T) bool {
	t.Helper()
	if os.Getenv(apartOf) == t.Name() || strings.Contains(flag.Lookup("test.run").Value.String(), "/") {
		return true // or somebody asks for one of the subtests
	}
	args := []string{"-test.v", "-test.count=1", "-test.run=^" + regexp.QuoteMeta(t.Name()) + "$"}
	if end, ok := t.Deadline(); ok {
		args = append(args, "-test.timeout="+max(time.Until(end)*9/10, time.Second).String())
	}
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), apartOf+"="+t.Name())
	out, err := cmd.CombinedOutput()
	switch {
	case err != nil:
		t.Errorf("in a process of its own: %v\n%s", err, out)
	case strings.Contains(string(out), "--- SKIP: "+t.Name()+" "):
		t.Skipf("in a process of its own:\n%s", out)
	case !strings.Contains(string(out), "--- PASS: "+t.Name()+" "):
		t.Errorf("a process of its own did not run it:\n%s", out)
	}
	return false
}
