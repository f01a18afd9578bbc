package parco_test

import (
	"errors"
	"io"
	"testing"

	. "github.com/slipstream-go/slipstream/parco"
)

// stingyWriter omits the last byte of each write and returns err.
type stingyWriter struct{ err error }

func (w stingyWriter) Write(b []byte) (int, error) { return len(b) - 1, w.err }

// A short write is reported, whether the writer itself returns an error or not.
func TestShortWrite(t *testing.T) {
	b := animalBuilder()
	models := MultiBuilder(UInt8Header()).MustRegister(0, b)
	full := errors.New("disk full")
	for _, c := range []struct {
		given error
		want  []error
	}{{nil, []error{ErrCannotWrite, io.ErrShortWrite}}, {full, []error{full}}} {
		w := stingyWriter{c.given}
		for name, err := range map[string]error{
			"ModelBuilder.Compile":      b.Compile(Animal{}, w),
			"ModelBuilder.CompileAny":   b.CompileAny(&Animal{}, w),
			"Compiler.Compile":          b.Compiler().Compile(Animal{}, w),
			"ModelMultiBuilder.Compile": models.Compile(Animal{}, w),
			"a type":                    Varchar().Compile("a", w),
			"a type of one's own":       three.Compile(1, w),
			"a foreign header":          String(foreignHeader{}).Compile("a", w),
			"CompileStringWriter":       CompileStringWriter("a", w),
			"CompileBlob":               CompileBlob([]byte{1}, w),
		} {
			for _, want := range c.want {
				if !errors.Is(err, want) {
					t.Errorf("%s: %v, want %v", name, err, want)
				}
			}
			if errors.Is(err, ErrCannotWrite) != (c.given == nil) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
