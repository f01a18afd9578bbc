package migrate

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/slipstream-go/slipstream/msgpack" // imported by the migrated program
)

// TestMigratedProgramPrintsTheSame migrates a program whose library imports the original. With the
// replace directives in the program's go.mod, both use the same types. The program's output does
// not change.
func TestMigratedProgramPrintsTheSame(t *testing.T) {
	house, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	program := house + "/compat/testdata/vmihailenco/"
	mod := strings.NewReplacer(
		"=> ../library", "=> "+house+"/compat/testdata/library",
		"=> ../../vmihailenco", "=> "+house+"/compat/vmihailenco",
		"=> ../../..", "=> "+house).Replace(text(t, program+"go.mod"))
	want := text(t, program+"output.txt")
	tree(t, map[string]string{"go.mod": mod, "main.go": text(t, program+"main.go")})

	var out strings.Builder
	if err := Run(Options{Paths: []string{"./..."}}, &out); err != nil {
		t.Fatal(err)
	}
	if s := text(t, "main.go"); strings.Contains(s, "github.com/vmihailenco/msgpack/v5\"") || strings.Contains(out.String(), "it keeps the original") {
		t.Errorf("%s\n%s", &out, s)
	}
	run := exec.Command("go", "run", ".")
	run.Stderr = os.Stderr
	got, err := run.Output()
	if err != nil || string(got) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
}
