package differential

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// buildTool builds bin/slipstream as make build does, elsewhere, and returns its path.
func buildTool(t *testing.T) string {
	t.Helper()
	tool := filepath.Join(t.TempDir(), "slipstream")
	build := exec.Command("go", "build", "-o", tool, "./cmd/slipstream")
	build.Dir = "../../server"
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return tool
}

// runIn runs a command in dir and returns all that it prints.
func runIn(dir, name string, args ...string) (string, error) {
	c := exec.Command(name, args...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	return string(out), err
}
