package compat

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	_ "github.com/slipstream-go/slipstream/msgpack" // what the programs below run
)

// offline makes the go command take a module as its users do, without the workspace of this
// repository and without a network.
var offline = []string{"GOWORK=off", "GOFLAGS=-mod=readonly", "GOPROXY=off"}

// TestProgramsOfTheOriginalsRun builds programs that were written for the originals, with the
// replace directives of their go.mod as the only change, and compares what they print. What the
// first one prints is what it prints with the original: bench/differential runs it so.
func TestProgramsOfTheOriginalsRun(t *testing.T) {
	watch(t)
	for _, name := range []string{"vmihailenco", "basekick"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := exec.Command("go", "run", ".")
			run.Dir = "testdata/" + name
			run.Env = append(os.Environ(), offline...)
			got, err := run.Output()
			if failed := new(exec.ExitError); errors.As(err, &failed) {
				t.Fatalf("%v\n%s", err, failed.Stderr)
			} else if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(run.Dir + "/output.txt")
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// watch looks at every file here, so that go test does not answer from its cache when one has
// changed: it does not see what the go commands below it read.
func watch(t *testing.T) {
	err := filepath.WalkDir(".", func(_ string, _ fs.DirEntry, err error) error { return err })
	if err != nil {
		t.Fatal(err)
	}
}
