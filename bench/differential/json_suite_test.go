package differential

// The tests use the 318 files of nst/JSONTestSuite, byte by byte. A module that is required only
// for this purpose contains the files. Files y_ must be accepted, and files n_ must be rejected.
// Each parser decides about files i_, and Slipstream decides as encoding/json does.

import (
	"bytes"
	std "encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	_ "github.com/aws/smithy-go" // contains the files
	"github.com/slipstream-go/slipstream/json"
)

// suiteFiles returns the contents of the suite's files by name.
func suiteFiles(t *testing.T) map[string][]byte {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/aws/smithy-go").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	paths, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), "transport/http/protocol/internal/json/testdata/test_parsing/*.json"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, p := range paths {
		if files[filepath.Base(p)], err = os.ReadFile(p); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// sameError compares the errors of both libraries by type, text and offset.
func sameError(theirs, ours error) bool {
	if theirs == nil || ours == nil {
		return theirs == ours
	}
	var a, b *std.SyntaxError
	return reflect.TypeOf(theirs) == reflect.TypeOf(ours) && theirs.Error() == ours.Error() && errors.As(theirs, &a) == errors.As(ours, &b) && (a == nil || a.Offset == b.Offset)
}

func TestJSONSuite(t *testing.T) {
	counts := map[byte]int{}
	for name, text := range suiteFiles(t) {
		counts[name[0]]++
		t.Run(name, func(t *testing.T) {
			valid := std.Valid(text)
			if name[0] != 'i' && valid != (name[0] == 'y') {
				t.Fatalf("encoding/json itself says %t", valid)
			}
			if json.Valid(text) != valid {
				t.Errorf("Valid: %t", !valid)
			}
			for _, newTarget := range []func() any{
				func() any { return new(any) }, func() any { return new(json.RawMessage) }, func() any { return new([]any) }, func() any { return new(map[string]any) }, func() any { return new(float64) }, func() any { return new(string) }, func() any { return &[]any{1, "x"} },
			} {
				theirs, ours := newTarget(), newTarget()
				errTheirs, err := std.Unmarshal(text, theirs), json.Unmarshal(text, ours)
				if !sameError(errTheirs, err) || !reflect.DeepEqual(theirs, ours) {
					t.Errorf("Unmarshal into %T: %v, %v; want %v, %v", ours, ours, err, theirs, errTheirs)
				}
				if raw, ok := ours.(*json.RawMessage); ok && (err == nil) != valid {
					t.Errorf("Unmarshal into a RawMessage: %s, %v", *raw, err)
				}
			}
			for _, newReader := range []func() io.Reader{func() io.Reader { return bytes.NewReader(text) }, func() io.Reader { return iotest.OneByteReader(bytes.NewReader(text)) }, func() io.Reader { return iotest.DataErrReader(bytes.NewReader(text)) }} {
				theirs, ours := std.NewDecoder(newReader()), json.NewDecoder(newReader())
				for i := range 5 {
					var a, b any
					errTheirs, err := theirs.Decode(&a), ours.Decode(&b)
					if !sameError(errTheirs, err) || !reflect.DeepEqual(a, b) || theirs.InputOffset() != ours.InputOffset() {
						t.Fatalf("value %d of a stream: %v, %v at %d; want %v, %v at %d", i, b, err, ours.InputOffset(), a, errTheirs, theirs.InputOffset())
					}
					if i == 0 && name[0] == 'y' && err != nil {
						t.Errorf("Decode: %v", err)
					}
				}
				theirs, ours = std.NewDecoder(newReader()), json.NewDecoder(newReader())
				for i := range 2*len(text) + 5 {
					a, errTheirs := theirs.Token()
					b, err := ours.Token()
					if !sameError(errTheirs, err) || !reflect.DeepEqual(a, b) || theirs.InputOffset() != ours.InputOffset() {
						t.Fatalf("token %d: %v, %v at %d; want %v, %v at %d", i, b, err, ours.InputOffset(), a, errTheirs, theirs.InputOffset())
					}
					if err != nil {
						break
					}
				}
			}
			for what, call := range map[string][2]func(*bytes.Buffer) error{
				"Compact": {func(b *bytes.Buffer) error { return std.Compact(b, text) }, func(b *bytes.Buffer) error { return json.Compact(b, text) }},
				"Indent":  {func(b *bytes.Buffer) error { return std.Indent(b, text, "", "") }, func(b *bytes.Buffer) error { return json.Indent(b, text, "", "") }},
			} {
				var a, b bytes.Buffer
				if errTheirs, err := call[0](&a), call[1](&b); !sameError(errTheirs, err) || !bytes.Equal(a.Bytes(), b.Bytes()) {
					t.Errorf("%s: %q, %v; want %q, %v", what, b.Bytes(), err, a.Bytes(), errTheirs)
				}
			}
			a, errTheirs := std.Marshal(std.RawMessage(text))
			if b, err := json.Marshal(json.RawMessage(text)); !sameError(errTheirs, err) || !bytes.Equal(a, b) {
				t.Errorf("Marshal: %q, %v; want %q, %v", b, err, a, errTheirs)
			}
		})
	}
	if got := fmt.Sprint(counts['y'], counts['n'], counts['i']); got != "95 188 35" {
		t.Errorf("%s files for y, n and i", got)
	}
}
