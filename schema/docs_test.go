package schema_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// The Go code in docs/from-protobuf.md is equal to the code of the example.
func TestProtobufDoc(t *testing.T) {
	doc, err := os.ReadFile("../docs/from-protobuf.md")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("example_protobuf_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(doc), "```go\n")
	code, _, ok := strings.Cut(code, "```")
	if !ok || !strings.Contains(string(example), code) {
		t.Error("the code differs")
	}
}

func TestWire(t *testing.T) {
	got, err := json.MarshalIndent(pets.Shape(), "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/pets.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, bytes.TrimSpace(want)) {
		t.Errorf("pets are not what testdata/pets.json says, but\n%s", got)
	}
}

// The documentation of Shape shows the code of TestWire.
func TestWireDoc(t *testing.T) {
	doc, err := os.ReadFile("shape.go")
	if err != nil {
		t.Fatal(err)
	}
	tests, err := os.ReadFile("docs_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, shown, _ := strings.Cut(string(doc), "//\tfunc TestWire")
	shown, _, ok := strings.Cut(shown, "\n//\t}\n")
	if !ok || !strings.Contains(string(tests), "\nfunc TestWire"+strings.ReplaceAll(shown, "\n//\t", "\n")+"\n}\n") {
		t.Error("the code differs")
	}
}
