package msgpack

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/slipstream-go/slipstream/bench/harness"
)

// Every side of every case returns the correct value. Nothing is timed.
func TestOutputs(t *testing.T) {
	if err := harness.Check(Suite()); err != nil {
		t.Error(err)
	}
}

// The input is the same in every run, so that runs can be compared.
func TestDataAreFixed(t *testing.T) {
	for name, make := range map[string]func() any{
		"small": func() any { return smallValue() }, "rows": func() any { return rowsValue() }, "columns": func() any { return tableValue() },
		"texts": func() any { return textsValue() }, "points": func() any { return pointsValue() },
	} {
		first, err := encoded(make())
		if err != nil {
			t.Fatal(err)
		}
		for range 5 { // unless maps are sorted, their order is random
			again, err := encoded(make())
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(first, again) {
				t.Errorf("%s: the bytes differ between two runs", name)
				break
			}
		}
	}
}

// TestSizes checks the sizes in the names and notes of the cases.
func TestSizes(t *testing.T) {
	body, err := hostMetrics().body()
	if err != nil {
		t.Fatal(err)
	}
	if perRow := len(body) / ingestRows; perRow != 46 {
		t.Errorf("ingest body: %d bytes a row, want 46", perRow)
	}
	data, err := encoded(rowsValue())
	if err != nil {
		t.Fatal(err)
	}
	if perRow := len(data) / 500; perRow < 165 || perRow > 195 {
		t.Errorf("rows: %d bytes a row, want about 180", perRow)
	}
}

// The checks fail for a wrong value, for a missing value, and for a wrong type.
func TestSame(t *testing.T) {
	var int8s, int64s, float any = []any{int8(1)}, []any{int64(1)}, []any{1.0}
	if err := same(int8s, int64s); err != nil {
		t.Errorf("the width of integers counts: %v", err)
	}
	var anyKeys, stringKeys any = map[any]any{"a": uint8(1)}, map[string]any{"a": int64(1)}
	if err := same(anyKeys, stringKeys); err != nil {
		t.Errorf("the key type of maps counts: %v", err)
	}
	if same(int64s, float) == nil {
		t.Error("an integer passes for a float")
	}
	if same(smallValue(), small{}) == nil {
		t.Error("an empty struct passes for a full one")
	}
	if decodesTo([]byte{0xc0}, smallValue()) == nil {
		t.Error("nil passes for a struct")
	}
}

// types_gen.go is up to date: it equals the output of the generator for types.go.
func TestGeneratedCodeIsFresh(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the generator")
	}
	out := filepath.Join(t.TempDir(), "types_gen.go")
	generate := exec.Command("go", "run", "github.com/tinylib/msgp@v1.6.5", "-file", "types.go", "-o", out, "-tests=false", "-unexported")
	generate.Env = append(os.Environ(), "GOPACKAGE=msgpack", "GOFILE=types.go")
	if text, err := generate.CombinedOutput(); err != nil {
		t.Skipf("the generator does not run here: %v\n%s", err, text)
	}
	want, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	have, err := os.ReadFile("types_gen.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, want) {
		t.Error("types_gen.go is stale: run go generate ./msgpack")
	}
}
