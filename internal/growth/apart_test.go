package growth

import (
	"flag"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Apart runs a test in a separate process in which no other test has run.
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

// ran contains the names of the tests that have started in this process.
var ran []string

// failsApart is an environment variable for processes in which [TestFailsApart] must fail.
const failsApart = "SLIPSTREAM_TEST_FAILS_APART"

// Apart fails a test that fails in its separate process. It also fails the test if the process does
// not run it.
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
		"exit":    "did not run the test",
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
