package decimal

import (
	"bytes"
	"os"
	"os/exec"
	"testing"
)

// The output of the generator equals the file powers_gen.go. TestPowers checks the values of the
// table.
func TestPowersAreFresh(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the generator")
	}
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command")
	}
	generator := exec.Command(goTool, "run", "gen.go", "-")
	generator.Env = append(os.Environ(), "GOOS=", "GOARCH=", "GOFLAGS=")
	var failure bytes.Buffer
	generator.Stderr = &failure
	want, err := generator.Output()
	if err != nil {
		t.Fatal(err, failure.String())
	}
	got, err := os.ReadFile("powers_gen.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("powers_gen.go is not what gen.go writes: go generate")
	}
}
