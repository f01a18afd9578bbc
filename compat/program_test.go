package compat

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	_ "github.com/slipstream-go/slipstream/msgpack" // the programs below use it
)

// offline makes the go command use a module as its users do, without this repository's workspace
// and without a network.
var offline = []string{"GOWORK=off", "GOFLAGS=-mod=readonly", "GOPROXY=off"}

// Programs that were written for the originals print the same output. The only change is a replace
// directive in their go.mod. bench/differential runs the first program with the original, and
// expects the same output.
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

// watch visits every file here, so that go test does not use its cached result after a file has
// changed. Go test does not notice the files that its child processes read.
func watch(t *testing.T) {
	err := filepath.WalkDir(".", func(_ string, _ fs.DirEntry, err error) error { return err })
	if err != nil {
		t.Fatal(err)
	}
}
