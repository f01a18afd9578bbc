package parco_test

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"runtime"
	"strings"
	"testing"

	. "github.com/slipstream-go/slipstream/parco"
	"github.com/slipstream-go/slipstream/schema"
)

// Flat is a model whose ParcoID method has a pointer receiver.
type Flat struct{ Price float32 }

func (*Flat) ParcoID() int { return 1 }

func flatBuilder() ModelBuilder[Flat] {
	return Builder[Flat](nil).Float32(le, func(f *Flat) float32 { return f.Price }, func(f *Flat, v float32) { f.Price = v })
}

// A writer receives each message with one call of Write, or not at all if there is an error.
func TestNothingIsWrittenBeforeItIsChecked(t *testing.T) {
	models := MultiBuilder(UInt8Header()).MustRegister(0, animalBuilder()).MustRegister(1, flatBuilder())
	w := new(pieces)
	for name, c := range map[string]struct{ err, is error }{
		"unknown id":  {models.CompileAny(7, Animal{}, w), ErrUnknownType},
		"other type":  {models.CompileAny(0, Flat{}, w), ErrUnknownType},
		"nil pointer": {models.CompileAny(0, (*Animal)(nil), w), ErrUnknownType},
		"nil":         {models.CompileAny(0, nil, w), ErrUnknownType},
		"too long":    {models.Compile(Animal{1, strings.Repeat("x", 256)}, w), ErrOverflow},
		"model":       {animalBuilder().Compile(Animal{1, strings.Repeat("x", 256)}, w), ErrOverflow},
	} {
		if !errors.Is(c.err, c.is) || len(*w) > 0 {
			t.Errorf("%s: %v, wrote %q", name, c.err, *w)
		}
	}
	var assertion ErrTypeAssertion
	if err := models.CompileAny(0, Flat{}, w); !errors.As(err, &assertion) ||
		assertion != NewErrTypeAssertionError("parco_test.Animal", "parco_test.Flat") {
		t.Error(err)
	}
	errs := errors.Join(models.Compile(Animal{3, "cat"}, w), models.Compile(&Flat{1.5}, w), models.CompileAny(1, Flat{1.5}, w),
		models.CompileAny(0, &Animal{3, "cat"}, w), animalBuilder().Compile(Animal{3, "cat"}, w))
	const cat, flat = "\x00\x03cat\x03", "\x01\x00\x00\xc0\x3f"
	if want := []string{cat, flat, flat, cat, cat[1:]}; errs != nil || !reflect.DeepEqual([]string(*w), want) {
		t.Errorf("%q %v", *w, errs)
	}
	for b, c := range map[string]struct {
		is     error
		path   string
		offset int
	}{
		"": {io.EOF, "", 0}, "\x00": {schema.ErrShort, "", 1}, "\x00\x03ca": {schema.ErrShort, "#1", 1}, "\x01\x00\x00\xc0": {schema.ErrShort, "#1", 1},
		"\x00\x03cat": {schema.ErrShort, "#2", 5}, "\x07": {ErrUnknownType, "", 0},
	} {
		if id, item, err := models.Parse(reader([]byte(b))); item != nil || !isError(err, c.is, c.path, c.offset) || len(b) > 0 && id != int(b[0]) {
			t.Errorf("%q: %v %v %+v", b, id, item, err)
		}
	}
}

// pieces records the argument of each call of Write.
type pieces []string

func (p *pieces) Write(b []byte) (int, error) {
	*p = append(*p, string(b))
	return len(b), nil
}

// Writing a large message keeps no large buffer. A reused buffer does not overwrite the bytes that
// a writer received earlier.
func TestBuffersAreNotKept(t *testing.T) {
	var kept keeper
	for _, text := range []string{"one", "two", strings.Repeat("x", 1<<20), "three"} {
		if err := Varchar().Compile(text[:min(len(text), 65535)], &kept); err != nil {
			t.Fatal(err)
		}
	}
	if got := kept.String(); !strings.HasPrefix(got, "\x03\x00one\x03\x00two\xff\xff") || !strings.HasSuffix(got, "\x05\x00three") {
		t.Errorf("%d bytes", len(got))
	}
	text := Text(le)
	long := strings.Repeat("x", 1<<20)
	if err := text.Compile(long, io.Discard); err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := text.Compile(long, io.Discard); err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if got := int64(after.HeapAlloc) - int64(before.HeapAlloc); got > 512<<10 {
		t.Errorf("%d bytes are kept", got)
	}
	if got, err := text.Parse(reader(compiled(t, text, long))); err != nil || got != long {
		t.Error(err)
	}
}

type keeper struct{ bytes.Buffer }
