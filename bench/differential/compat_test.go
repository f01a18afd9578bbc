package differential

import (
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/internal/api"
	v5 "github.com/vmihailenco/msgpack/v5"
)

// compat is the directory of the test data for the modules that replace the originals.
const compat = "../../compat/testdata/"

// TestOriginalExports checks the list of exports with which the replacement of v5 is compared.
func TestOriginalExports(t *testing.T) {
	got, err := api.Exported("", nil, "github.com/vmihailenco/msgpack/v5/...")
	if err != nil {
		t.Fatal(err)
	}
	text := must(os.ReadFile(compat + "v5.txt"))
	_, list, _ := strings.Cut(string(text), "\n") // the first line is a comment
	if want := strings.Split(strings.TrimSpace(list), "\n"); !slices.Equal(got, want) {
		t.Errorf("the original exports\n%s", strings.Join(got, "\n"))
	}
}

// TestOriginalPrints checks the output that the program of compat must print. Here the program is
// linked with the original.
func TestOriginalPrints(t *testing.T) {
	run := exec.Command("go", "run", "-modfile=original.mod", ".")
	run.Dir = compat + "vmihailenco"
	run.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=readonly")
	run.Stderr = os.Stderr
	got, err := run.Output()
	if err != nil {
		t.Fatal(err)
	}
	if want := must(os.ReadFile(run.Dir + "/output.txt")); string(got) != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestOriginalIsLinked checks that these tests compare with the original, and not with the module
// that replaces it.
func TestOriginalIsLinked(t *testing.T) {
	if path := reflect.TypeFor[v5.Encoder]().PkgPath(); path != "github.com/vmihailenco/msgpack/v5" {
		t.Errorf("the rival's Encoder is of %s", path)
	}
}
