package parco_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	. "github.com/slipstream-go/slipstream/parco"
	"github.com/slipstream-go/slipstream/schema"
)

// money is a user-defined type: decimal digits and a semicolon. It only uses package io, and
// nothing from this package.
type money struct{}

var errMoney = errors.New("that is no money")

func (money) ByteLength() int { return 1 }

func (money) Compile(v int64, w io.Writer) error {
	if v < 0 {
		return errMoney
	}
	_, err := fmt.Fprintf(w, "%d;", v)
	return err
}

func (money) Parse(r io.Reader) (v int64, err error) {
	var b [1]byte
	for {
		if _, err := io.ReadFull(r, b[:]); err != nil {
			return 0, err
		}
		switch c := b[0]; {
		case c == ';':
			return v, nil
		case '0' <= c && c <= '9':
			v = 10*v + int64(c-'0')
		default:
			return 0, errMoney
		}
	}
}

// foreignHeader is encoded in 4 bytes, like UInt32LEHeader.
type foreignHeader struct{}

func (foreignHeader) ByteLength() int                  { return 4 }
func (foreignHeader) Compile(n int, w io.Writer) error { return binary.Write(w, le, uint32(n)) }
func (foreignHeader) Parse(r io.Reader) (int, error) {
	var n uint32
	err := binary.Read(r, le, &n)
	return int(n), err
}

// three is a number of 3 bytes.
var three = NewFixedType(3, func(b []byte) (int, error) {
	if b[0] == 0xff {
		return 0, errMoney
	}
	return int(b[0])<<16 | int(b[1])<<8 | int(b[2]), nil
}, func(n int, box []byte) error {
	if n>>24 != 0 {
		return ErrOverflow
	}
	box[0], box[1], box[2] = byte(n>>16), byte(n>>8), byte(n)
	return nil
})

// louder embeds a type of this package and overrides Compile.
type louder struct{ Type[string] }

func (l louder) Compile(s string, w io.Writer) error { return l.Type.Compile(strings.ToUpper(s), w) }

// loud embeds a StructType, which provides a schema, and overrides Compile.
type loud struct{ StructType[Animal] }

func (l loud) Compile(a Animal, w io.Writer) error {
	return l.StructType.Compile(Animal{a.Age, strings.ToUpper(a.Specie)}, w)
}

type mixed struct {
	Money  int64
	Three  int
	Name   string
	Prices []int64
	Pet    Animal
	Bill   map[string]int64
	Tip    *int64
	Rates  []int64
}

// stamp is a user-defined field that writes a mark and repeats the name.
type stamp struct{}

func (stamp) Compile(m *mixed, w io.Writer) error {
	_, err := io.WriteString(w, "!"+m.Name)
	return err
}

func (stamp) Parse(m *mixed, r io.Reader) error {
	b := make([]byte, 1+len(m.Name))
	if _, err := io.ReadFull(r, b); err != nil {
		return err
	}
	if string(b) != "!"+m.Name {
		return errMoney
	}
	return nil
}

func mixedBuilder() ModelBuilder[mixed] {
	return Builder[mixed](nil).
		Field(Int64Field[mixed](money{}, func(m *mixed) int64 { return m.Money }, func(m *mixed, v int64) { m.Money = v })).
		Field(FixedField[mixed, int]{Id: "three", Type: three, Getter: func(m *mixed) int { return m.Three }, Setter: func(m *mixed, v int) { m.Three = v }}).
		Field(StringField[mixed](louder{SmallVarchar()}, func(m *mixed) string { return m.Name }, func(m *mixed, v string) { m.Name = v })).
		Slice(SliceField[mixed, int64](UInt8Header(), money{}, func(m *mixed, v SliceView[int64]) { m.Prices = v },
			func(m *mixed) SliceView[int64] { return m.Prices })).
		Field(stamp{}).
		Struct(StructField[mixed, Animal](func(m *mixed) Animal { return m.Pet }, func(m *mixed, v Animal) { m.Pet = v }, loud{Struct(animalBuilder())})).
		Map(MapField[mixed, string, int64](UInt8Header(), SmallVarchar(), money{}, func(m *mixed, v map[string]int64) { m.Bill = v },
			func(m *mixed) map[string]int64 { return m.Bill })).
		Option(OptionField[mixed, int64](money{}, func(m *mixed, v *int64) { m.Tip = v }, func(m *mixed) *int64 { return m.Tip })).
		Array(ArrayField[mixed, int64](2, money{}, func(m *mixed, v SliceView[int64]) { m.Rates = v }, func(m *mixed) SliceView[int64] { return m.Rates }))
}

// User-defined types and fields can occur anywhere in a model.
func TestForeign(t *testing.T) {
	v := mixed{15, 0x010203, "ANN", []int64{1, 22}, Animal{3, "CAT"}, map[string]int64{"k": 9}, Ptr(int64(4)), []int64{5, 6}}
	b := compiled(t, mixedBuilder(), mixed{15, 0x010203, "ANN", []int64{1, 22}, Animal{3, "cat"}, v.Bill, v.Tip, v.Rates})
	const want = "15;" + "\x01\x02\x03" + "\x03ANN" + "\x021;22;" + "!ANN" + "\x03CAT\x03" + "\x01\x01k9;" + "\x014;" + "5;6;"
	if string(b) != want {
		t.Fatalf("%q, want %q", b, want)
	}
	for name, parse := range map[string]func(b []byte) (mixed, error){
		"bytes": mixedBuilder().ParseBytes, "stream": func(b []byte) (mixed, error) { return mixedBuilder().Parse(reader(b)) },
	} {
		if got, err := parse(append(bytes.Clone(b), '7')); err != nil || !reflect.DeepEqual(got, v) {
			t.Errorf("%s: %+v %v", name, got, err)
		}
		for n := range b {
			if got, err := parse(b[:n]); !errors.Is(err, ErrCannotRead) {
				t.Errorf("%s, cut at %d: %+v %+v", name, n, got, err)
			}
		}
		for bad, c := range map[string]struct {
			path   string
			offset int
		}{"x": {"#1", 0}, "1;\xff\x00\x00": {"three", 2}, "1;\x00\x00\x00\x01a\x021;x": {"#4[1]", 10}, "1;\x00\x00\x00\x01a\x00!b": {"#5", 8}} {
			if _, err := parse([]byte(bad + "1234567890")); !isError(err, errMoney, c.path, c.offset) {
				t.Errorf("%s, %q: %+v", name, bad, err)
			}
		}
	}
	v.Prices[1] = -1
	var w bytes.Buffer
	if err := mixedBuilder().Compile(v, &w); !isError(err, errMoney, "#4[1]", -1) || w.Len() > 0 {
		t.Errorf("%q %+v", w.Bytes(), err)
	}
	v.Prices[1], v.Three = 1, 1<<24
	if err := mixedBuilder().Compile(v, &w); !isError(err, ErrOverflow, "three", 3) || w.Len() > 0 {
		t.Errorf("%q %+v", w.Bytes(), err)
	}
	s, err := mixedBuilder().Schema()
	if err != nil || !strings.HasPrefix(s.String(), "{#1 custom1:parco_test.money, three custom3:\"int of 3 bytes\", #3 custom1:parco_test.louder, ") {
		t.Error(s, err)
	}
}

// An error about a model does not print the definition of an unnamed type. An error about a length
// from a user-defined header contains the length and the allowed range.
func TestErrorsAreShort(t *testing.T) {
	_, err := Builder[struct{ N, M int }](nil).Field(FixedField[struct{ N, M int }, int]{Type: IntLE()}).Schema()
	const want = "parco: struct {…}: #1 has no getter\nparco: struct {…}: #1 has no setter"
	if err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
	_, err = String(foreignHeader{}).Parse(reader([]byte("\xff\xff\xff\x7f")))
	if !errors.Is(err, ErrOverflow) || !errors.Is(err, schema.ErrOverflow) || err.Error() != "schema: parco: a length of 2147483647 is not between 0 and 104857600 (offset 0)" {
		t.Errorf("%v", err)
	}
}

// User-defined headers can be used everywhere, and write their own bytes.
func TestForeignHeaders(t *testing.T) {
	type headed struct {
		Text  string
		Blob  []byte
		Slice []uint16
		Map   map[uint8]string
	}
	build := func(h IntType) ModelBuilder[headed] {
		return Builder[headed](nil).
			Field(StringField(String(h), func(v *headed) string { return v.Text }, func(v *headed, s string) { v.Text = s })).
			Blob(h, func(v *headed) []byte { return v.Blob }, func(v *headed, b []byte) { v.Blob = b }).
			Slice(SliceField(h, UInt16BE(), func(v *headed, s SliceView[uint16]) { v.Slice = s }, func(v *headed) SliceView[uint16] { return v.Slice })).
			Map(MapField(h, UInt8(), SmallVarchar(), func(v *headed, m map[uint8]string) { v.Map = m }, func(v *headed) map[uint8]string { return v.Map }))
	}
	v := headed{"text", []byte("blob"), []uint16{1, 2, 3}, map[uint8]string{7: "seven"}}
	ours, theirs := build(UInt32LEHeader()), build(foreignHeader{})
	b := compiled(t, ours, v)
	if got := compiled(t, theirs, v); !bytes.Equal(got, b) {
		t.Errorf("%x, want %x", got, b)
	}
	if got, err := theirs.Parse(reader(b)); err != nil || !reflect.DeepEqual(got, v) {
		t.Error(got, err)
	}
	for n := range b {
		if got, err := theirs.ParseBytes(b[:n]); !errors.Is(err, ErrCannotRead) {
			t.Errorf("cut at %d: %+v %+v", n, got, err)
		}
	}
	if got, err := theirs.ParseBytes(make([]byte, 16)); err != nil || got.Blob == nil || got.Slice == nil || got.Map == nil {
		t.Error(got, err)
	}
	for _, path := range []string{"#1", "#2", "#3", "#4"} {
		if _, err := theirs.ParseBytes(append(make([]byte, 4*int(path[1]-'1')), 0xff, 0xff, 0xff, 0xff)); !isError(err, ErrOverflow, path, 4*int(path[1]-'1')) {
			t.Errorf("%+v", err)
		}
	}
	small := build(three)
	if got, err := small.ParseBytes(compiled(t, small, v)); err != nil || !reflect.DeepEqual(got, v) {
		t.Error(got, err)
	}
}

// A struct can be read by a user-defined parser and written by another compiler.
func TestForeignParsers(t *testing.T) {
	type cage struct{ Pets []Animal }
	get, set := func(c *cage) SliceView[Animal] { return c.Pets }, func(c *cage, v SliceView[Animal]) { c.Pets = v }
	v := cage{[]Animal{{1, "ant"}, {2, "bee"}}}
	const want = "\x02\x03ant\x01\x03bee\x02"
	for name, inner := range map[string]Type[Animal]{
		"struct": Struct(animalBuilder()), "two": StructParco[Animal](animalBuilder().Parser(), animalBuilder().Compiler()),
		"foreign": StructParco[Animal](plainAnimal{}, plainAnimal{}), "mixed": StructParco[Animal](plainAnimal{}, animalBuilder()),
	} {
		b := Builder[cage](nil).Slice(SliceField(UInt8Header(), inner, set, get))
		got := compiled(t, b, v)
		if back, err := b.Parse(reader(got)); string(got) != want || err != nil || !reflect.DeepEqual(back, v) {
			t.Errorf("%s: %q %+v %v", name, got, back, err)
		}
		_, err := b.Schema()
		if name == "two" || name == "mixed" {
			if !errors.As(err, new(ErrCompile)) {
				t.Errorf("%s: there is one schema of two models: %v", name, err)
			}
		} else if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	one := Builder[cage](nil).Slice(SliceField[cage, Animal](UInt8Header(), StructPar(animalBuilder()), set, get))
	if got, err := one.ParseBytes([]byte(want)); err != nil || !reflect.DeepEqual(got, v) {
		t.Error(got, err)
	}
	if err := one.Compile(v, io.Discard); !errors.As(err, new(ErrCompile)) {
		t.Error(err)
	}
	if err := StructPar(animalBuilder()).Compile(Animal{}, io.Discard); !errors.As(err, new(ErrCompile)) {
		t.Error(err)
	}
	if _, err := StructCo(animalBuilder()).Parse(reader(nil)); !errors.As(err, new(ErrCompile)) {
		t.Error(err)
	}
}

// plainAnimal reads and writes an Animal by hand.
type plainAnimal struct{}

func (plainAnimal) Compile(a Animal, w io.Writer) error {
	_, err := fmt.Fprintf(w, "%c%s%c", len(a.Specie), a.Specie, a.Age)
	return err
}

func (plainAnimal) Parse(r io.Reader) (Animal, error) {
	specie, err := SmallVarchar().Parse(r)
	if err != nil {
		return Animal{}, err
	}
	age, err := UInt8().Parse(r)
	return Animal{age, specie}, err
}

// The first use of a model reports all of its mistakes.
func TestMistakes(t *testing.T) {
	b := Builder[Animal](nil).
		UInt8(nil, func(*Animal, uint8) {}).
		UInt8(func(*Animal) uint8 { return 0 }, nil).
		Field(UInt8Field[Animal](nil, func(*Animal) uint8 { return 0 }, func(*Animal, uint8) {})).
		Field(FixedField[Animal, int]{Id: "number", Type: NewFixedType[int](1, nil, nil), Getter: func(*Animal) int { return 0 }, Setter: func(*Animal, int) {}}).
		Field(nil)
	err := b.Compile(Animal{}, io.Discard)
	var mistakes ErrCompile
	if want := "parco: parco_test.Animal: #1 has no getter\nparco: uint8: it has no type\nparco: int: a function of its type is nil\n" +
		"parco: parco_test.Animal: #5 cannot be written"; !errors.As(err, &mistakes) || err.Error() != want || mistakes != NewErrCompile(want) {
		t.Errorf("%v", err)
	}
	_, err = b.ParseBytes(nil)
	if !errors.As(err, &mistakes) || !strings.Contains(err.Error(), "#2 has no setter") || strings.Contains(err.Error(), "#1") {
		t.Errorf("%v", err)
	}
	for name, b := range map[string]ModelBuilder[Animal]{
		"negative": Builder[Animal](nil).Skip(-1), "long": Builder[Animal](nil).Skip(1 << 30),
		"array": Builder[Animal](nil).Array(ArrayField(-1, UInt8(), func(*Animal, SliceView[uint8]) {}, func(*Animal) SliceView[uint8] { return nil })),
	} {
		if err := b.Compile(Animal{}, io.Discard); !errors.As(err, &mistakes) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Option[Animal](Struct(Builder[Animal](nil).Skip(-1))).Parse(reader(nil)); !errors.As(err, &mistakes) {
		t.Error(err)
	}
	if _, err := schema.Of(schema.Type[int]{}); err == nil {
		t.Error("the zero Type has a schema")
	}
}
