package schema_test

import (
	"os"
	"strings"
	"testing"
)

// TestProtobufDoc: the Go code of docs/from-protobuf.md is that of its example.
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
