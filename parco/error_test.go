package parco_test

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"testing"
	"testing/iotest"

	. "github.com/slipstream-go/slipstream/parco"
	"github.com/slipstream-go/slipstream/schema"
)

// A truncated message returns an error with path and offset, wherever it was cut.
func TestErrorsAreNotSwallowed(t *testing.T) {
	b := fromHex(exampleBytes)
	parser := exampleBuilder().Parser()
	for name, parse := range map[string]func(b []byte) (Example, error){
		"bytes":  parser.ParseBytes,
		"buffer": func(b []byte) (Example, error) { return parser.Parse(bytes.NewBuffer(b)) },
		"reader": func(b []byte) (Example, error) { return parser.Parse(reader(b)) },
	} {
		for n := range b {
			v, err := parse(b[:n])
			var e *schema.Error
			if !errors.As(err, &e) || !errors.Is(err, ErrCannotRead) || !reflect.ValueOf(v).IsZero() {
				t.Errorf("%s, cut at %d: %+v, %+v", name, n, v, err)
			} else if end := n == 0 && name != "bytes"; errors.Is(err, io.EOF) != end || errors.Is(err, schema.ErrShort) == end || (e.Path == "") != end {
				t.Errorf("%s, cut at %d: %+v", name, n, err)
			}
		}
		if _, err := parse(b[:20]); !isError(err, schema.ErrShort, "#6.#1", 19) {
			t.Errorf("%s: %+v", name, err)
		}
		if _, err := parse(b[:36]); !isError(err, schema.ErrShort, "#8", 33) {
			t.Errorf("%s: %+v", name, err)
		}
	}
	if _, err := parser.Parse(iotest.ErrReader(io.ErrClosedPipe)); !errors.Is(err, io.ErrClosedPipe) || errors.Is(err, ErrCannotRead) {
		t.Errorf("%+v", err)
	}
}
