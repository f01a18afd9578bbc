package parco_test

import (
	"bytes"
	"errors"
	"io"
	"sync"
	"testing"

	. "github.com/slipstream-go/slipstream/parco"
)

// A registry can be used while models are registered.
func TestRegistriesAreForMany(t *testing.T) {
	models := MultiBuilder(UInt8Header()).MustRegister(0, animalBuilder())
	var all sync.WaitGroup
	for k := range 8 {
		all.Go(func() {
			if _, err := models.Register(k+1, animalBuilder()); err != nil {
				t.Error(err)
			}
			var w bytes.Buffer
			for range 100 {
				if err := models.CompileAny(k+1, Animal{uint8(k), "cat"}, &w); err != nil {
					t.Error(err)
				}
				if id, item, err := models.Parse(&w); err != nil || id != k+1 || item != (Animal{uint8(k), "cat"}) {
					t.Error(id, item, err)
				}
			}
		})
	}
	all.Wait()
	if _, err := models.Register(3, flatBuilder()); !errors.Is(err, ErrAlreadyRegistered) {
		t.Error(err)
	}
	if _, err := models.Register(256, flatBuilder()); !errors.Is(err, ErrOverflow) {
		t.Error(err)
	}
	defer func() {
		if recover() == nil {
			t.Error("MustRegister took an id twice")
		}
	}()
	models.MustRegister(3, flatBuilder())
}

// A field that is added to a builder does not appear in other builders made from the same base.
func TestBranchesAreApart(t *testing.T) {
	base := animalBuilder()
	number := func(n int8) (Getter[Animal, int8], Setter[Animal, int8]) {
		return func(*Animal) int8 { return n }, func(*Animal, int8) {}
	}
	one := base.Int8(number(1))
	two := base.Int8(number(2)).Int8(number(3))
	parser, compiler := one.Parco()
	four := one.Int8(number(4))
	for want, c := range map[string]CompilerType[Animal]{
		"\x03cat\x03": base, "\x03cat\x03\x01": one, "\x03cat\x03\x02\x03": two, "\x03cat\x03\x01\x04": four, "\x03cat\x03\x01\x00": compiler.Skip(1),
	} {
		if got := compiled(t, c, Animal{3, "cat"}); string(got) != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	r := reader([]byte("\x03cat\x03\x01rest"))
	if _, err := parser.Parse(r); err != nil {
		t.Error(err)
	}
	if rest, err := io.ReadAll(r); err != nil || string(rest) != "rest" {
		t.Errorf("%q %v", rest, err)
	}
	// A builder whose results are discarded has no fields, which Compile reports as a mistake.
	lost := Builder[Animal](nil)
	lost.Int8(number(1))
	if err := lost.Compile(Animal{}, io.Discard); !errors.As(err, new(ErrCompile)) {
		t.Error(err)
	}
	if b := compiled(t, Builder[Animal](nil), Animal{}); len(b) > 0 {
		t.Errorf("%x", b)
	}
}
