package differential

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/internal/pages"
)

// runGo is like pages.RunGo, but the program may also import the originals, because it runs in the
// module of this test.
func runGo(t *testing.T, code string, p pages.Program) string {
	t.Helper()
	source, err := p.Source(code)
	if err != nil {
		t.Fatalf("%v in\n%s", err, source)
	}
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "run", file).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s\nin\n%s", err, out, source)
	}
	return string(out)
}

// newModule writes a module of one file and returns its directory.
func newModule(t *testing.T, source string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/x\n\ngo 1.26\n", "x.go": source} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// buildTool builds bin/slipctl in the same way as make build, but in a temporary directory. It
// returns the path.
func buildTool(t *testing.T) string {
	t.Helper()
	tool := filepath.Join(t.TempDir(), "slipctl")
	build := exec.Command("go", "build", "-o", tool, "./cmd/slipctl")
	build.Dir = "../../tools"
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return tool
}

// runTool runs a command of slipctl in dir, and returns its complete output.
func runTool(t *testing.T, tool, dir, command string) string {
	t.Helper()
	words := strings.Fields(command)
	if words[0] != "slipctl" {
		t.Fatalf("%q is no command of slipctl", command)
	}
	c := exec.Command(tool, words[1:]...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
	return string(out)
}
