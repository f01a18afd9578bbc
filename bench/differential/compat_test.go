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

// compat is where the faces of the originals are, and what they are held to.
const compat = "../../compat/testdata/"

// TestOriginalExports proves the list that the face of v5 is held to.
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

// TestOriginalPrints proves what the program of compat must print: it is linked with the original
// here.
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

// TestOriginalIsLinked makes sure that the rival of these tests is the original, and not the face
// that replaces it.
func TestOriginalIsLinked(t *testing.T) {
	if path := reflect.TypeFor[v5.Encoder]().PkgPath(); path != "github.com/vmihailenco/msgpack/v5" {
		t.Errorf("the rival's Encoder is of %s", path)
	}
}
