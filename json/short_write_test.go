package json_test

import (
	"errors"
	"io"
	"testing"

	"github.com/slipstream-go/slipstream/json"
)

// stingyWriter accepts all but the last byte of its first Write, and returns err.
type stingyWriter struct {
	err   error
	calls int
}

func (w *stingyWriter) Write(b []byte) (int, error) {
	w.calls++
	return len(b) - 1, w.err
}

// If Write accepts fewer bytes than it is given, the caller gets the error of Write, or
// io.ErrShortWrite if Write returns none.
func TestShortWrite(t *testing.T) {
	full := errors.New("disk full")
	for _, c := range []struct{ given, want error }{{nil, io.ErrShortWrite}, {full, full}} {
		for _, indent := range []string{"", " "} {
			w := &stingyWriter{err: c.given}
			e := json.NewEncoder(w)
			e.SetIndent("", indent)
			if err := e.Encode([]int{1, 2}); err != c.want {
				t.Errorf("Encode: %v, want %v", err, c.want)
			}
			if err := e.Encode(3); err != c.want || w.calls != 1 {
				t.Errorf("Encode after the error: %v, %d writes; want %v, 1", err, w.calls, c.want)
			}
		}
		if err := json.MarshalWrite(&stingyWriter{err: c.given}, 12, 0); err != c.want {
			t.Errorf("MarshalWrite: %v, want %v", err, c.want)
		}
	}
}
