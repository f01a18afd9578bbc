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

// apartOf is the environment variable in which [Apart] passes the name of a test to the process
// that it starts.
const apartOf = "SLIPSTREAM_TEST_APART"

// Apart reports whether the test t should run in this process. If Apart returns false, it has
// already run t in another process, which used the same binary and ran no other test. If t failed
// in that process, Apart has marked t as failed in this process, too.
//
// A test that calls the garbage collector many times calls Apart first. Compiled plans and types
// are never freed, so each garbage collection marks the plans and types of all earlier tests. In
// package json, these occupy 100 MB.
func Apart(t *testing.T) bool {
	t.Helper()
	if os.Getenv(apartOf) == t.Name() || strings.Contains(flag.Lookup("test.run").Value.String(), "/") {
		return true // this is the other process, or the user has asked for a subtest
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
		t.Errorf("the test failed in a separate process: %v\n%s", err, out)
	case strings.Contains(string(out), "--- SKIP: "+t.Name()+" "):
		t.Skipf("the test was skipped in a separate process:\n%s", out)
	case !strings.Contains(string(out), "--- PASS: "+t.Name()+" "):
		t.Errorf("the separate process did not run the test:\n%s", out)
	}
	return false
}
