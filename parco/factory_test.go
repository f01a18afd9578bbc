package parco_test

import (
	"bytes"
	"errors"
	"io"
	"sync"
	"testing"

	. "github.com/slipstream-go/slipstream/parco"
)

// The factory creates every value, including nested values. Fields that the message does not
// contain keep the values that the factory set.
func TestFactories(t *testing.T) {
	type farm struct {
		Name    string
		Animals []Animal
		Guard   *Animal
	}
	old := FuncFactory[Animal](func() Animal { return Animal{99, "made"} })
	specie := Builder[Animal](old).SmallVarchar(func(a *Animal) string { return a.Specie }, func(a *Animal, v string) { a.Specie = v })
	farms := Builder[farm](FuncFactory[farm](func() farm { return farm{Name: "farm"} })).
		Slice(SliceField[farm, Animal](UInt8Header(), Struct(specie), func(f *farm, v SliceView[Animal]) { f.Animals = v },
			func(f *farm) SliceView[Animal] { return f.Animals })).
		Option(OptionField[farm, Animal](Struct(specie), func(f *farm, v *Animal) { f.Guard = v }, func(f *farm) *Animal { return f.Guard }))
	b := compiled(t, farms, farm{"", []Animal{{1, "ant"}, {2, "bee"}}, &Animal{3, "dog"}})
	if string(b) != "\x02\x03ant\x03bee\x01\x03dog" {
		t.Fatalf("%q", b)
	}
	v, err := farms.Parse(reader(b))
	if err != nil || v.Name != "farm" || len(v.Animals) != 2 || v.Animals[1] != (Animal{99, "bee"}) || *v.Guard != (Animal{99, "dog"}) {
		t.Errorf("%+v %v", v, err)
	}
	if f := ObjectFactory[Animal](); f.Get() != (Animal{}) {
		t.Error(f.Get())
	}
}

// A value that is put back into the pool is reset and reused. A value whose Parse failed returns to
// the pool automatically.
func TestPooledFactory(t *testing.T) {
	made, resets := 0, 0
	pool := PooledFactory[*Animal](FuncFactory[*Animal](func() *Animal {
		made++
		return new(Animal)
	}), WithResetFunc(func(a **Animal) {
		resets++
		**a = Animal{}
	}))
	p := ParserModel[*Animal](pool).
		SmallVarchar(func(a **Animal, v string) { (*a).Specie = v }).
		Option(OptionFieldSetter(UInt8(), func(a **Animal, v *uint8) {
			if v != nil {
				(*a).Age = *v
			}
		}))
	reused := 0
	for k := range 100 {
		a, err := p.ParseBytes([]byte("\x03cat\x01\x07"))
		if err != nil || *a != (Animal{7, "cat"}) || resets != 2*k {
			t.Fatal(a, err, resets)
		}
		pool.Put(a)
		before := made
		b, err := p.ParseBytes([]byte("\x03cat\x00"))
		if err != nil || *b != (Animal{0, "cat"}) {
			t.Fatalf("%+v %v: it was not reset", b, err)
		}
		if made == before {
			reused++
		}
		if _, err := p.ParseBytes([]byte("\x03ca")); !errors.Is(err, ErrCannotRead) || resets != 2*k+2 {
			t.Fatal(err, resets)
		}
	}
	if reused == 0 { // a pool may drop some values, but not all
		t.Error("nothing was used again")
	}

	values := PooledFactory(ObjectFactory[Animal]())
	values.Put(Animal{1, "ant"})
	if a := values.Get(); a != (Animal{1, "ant"}) && a != (Animal{}) {
		t.Error(a)
	}
}

// The first goroutine that uses a model builds its schema, and all goroutines share it.
func TestManyAtOnce(t *testing.T) {
	b := exampleBuilder()
	want := fromHex(exampleBytes)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				var w bytes.Buffer
				if err := b.Compile(exampleValue(), &w); err != nil || !bytes.Equal(w.Bytes(), want) {
					t.Errorf("%x %v", w.Bytes(), err)
				}
				if v, err := b.Parse(io.MultiReader(&w)); err != nil || v.Pet.Specie != "cat" {
					t.Error(v, err)
				}
			}
		})
	}
	all.Wait()
}

// Writing allocates nothing after the first messages. Reading allocates the value and each string.
func TestAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("pools lose values on purpose under the race detector")
	}
	b := animalBuilder()
	var w bytes.Buffer
	v := Animal{3, "cat"}
	if n := testing.AllocsPerRun(1000, func() {
		w.Reset()
		if err := b.Compile(v, &w); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("writing: %v", n)
	}
	if n := testing.AllocsPerRun(1000, func() {
		if _, err := b.ParseBytes(w.Bytes()); err != nil {
			t.Fatal(err)
		}
	}); n > 2 {
		t.Errorf("reading: %v", n)
	}
	r := bytes.NewReader(w.Bytes())
	if n := testing.AllocsPerRun(1000, func() {
		r.Reset(w.Bytes())
		if _, err := b.Parse(r); err != nil {
			t.Fatal(err)
		}
	}); n > 2 {
		t.Errorf("reading from a reader: %v", n)
	}
}
