package growth

import (
	"flag"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestApart runs in a process of its own, in which no other test has run.
func TestApart(t *testing.T) {
	ran = append(ran, t.Name())
	here := Apart(t)
	if part := strings.Contains(flag.Lookup("test.run").Value.String(), "/"); here != (part || os.Getenv(apartOf) != "") {
		t.Errorf("it runs here: %t", here)
	}
	if here && os.Getenv(apartOf) != "" && len(ran) != 1 {
		t.Errorf("these tests ran in the process: %q", ran)
	}
}

// ran names tests that began in this process.
var ran []string

// failsApart is in the environment of a process in which [TestFailsApart] fails.
const failsApart = "SLIPSTREAM_TEST_FAILS_APART"

// TestFailsApart sees the failure of a test that fails in a process of its own, and of a process
// that does not run it.
func TestFailsApart(t *testing.T) {
	ran = append(ran, t.Name())
	if how := os.Getenv(failsApart); how != "" {
		if Apart(t) {
			switch how {
			case "failure":
				t.Error("as it is to")
			case "exit":
				os.Exit(0)
			}
		}
		return
	}
	for how, want := range map[string]string{
		"failure": "as it is to",
		"exit":    "did not run it",
		"nothing": "",
	} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestFailsApart$", "-test.v")
		cmd.Env = append(os.Environ(), failsApart+"="+how)
		out, err := cmd.CombinedOutput()
		if (err != nil) != (want != "") || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v\n%s", how, err, out)
		}
	}
}
