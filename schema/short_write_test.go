package schema

import (
	"errors"
	"io"
	"testing"
)

// stingyWriter omits the last byte of each write and returns err.
type stingyWriter struct{ err error }

func (w stingyWriter) Write(b []byte) (int, error) { return len(b) - 1, w.err }

// A short write is reported, whether the writer itself returns an error or not.
func TestShortWrite(t *testing.T) {
	r := NewRegistry(U8)
	if err := Register(r, 1, exampleSchema, func(*example) error { return nil }); err != nil {
		t.Fatal(err)
	}
	v := exampleValue()
	full := errors.New("disk full")
	for _, c := range []struct{ given, want error }{{nil, io.ErrShortWrite}, {full, full}} {
		w := stingyWriter{c.given}
		for name, err := range map[string]error{
			"Schema.Write": exampleSchema.Write(w, &v),
			"Framed.Write": exampleSchema.Framed().Write(w, &v),
			"WriteModel":   WriteModel(r, w, 1, &v),
		} {
			if err != c.want {
				t.Errorf("%s: %v, want %v", name, err, c.want)
			}
		}
	}
}
