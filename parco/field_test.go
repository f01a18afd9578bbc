package parco_test

import (
	"bytes"
	"io"
	"reflect"
	"testing"
	"time"

	. "github.com/slipstream-go/slipstream/parco"
)

// checkField writes v with a field that only has a getter, and reads it with a field that only has
// a setter. It also does both with a field that has both. It uses models and the field's own
// methods.
func checkField[U any](t *testing.T, v U, want string, both func(Getter[any, U], Setter[any, U]) fieldOf, get func(Getter[any, U]) fieldOf, set func(Setter[any, U]) fieldOf) {
	t.Helper()
	getter, setter := func(x *any) U { return (*x).(U) }, func(x *any, v U) { *x = v }
	all := both(getter, setter)
	var w bytes.Buffer
	item := any(v)
	if err := all.Compile(&item, &w); err != nil || w.String() != want {
		t.Errorf("%T: %q, want %q, %v", v, w.Bytes(), want, err)
	}
	item = nil
	if err := all.Parse(&item, &w); err != nil || !reflect.DeepEqual(item, any(v)) {
		t.Errorf("%T: %v, want %v, %v", v, item, v, err)
	}
	if err := all.Parse(&item, &w); err == nil {
		t.Errorf("%T: it was read from nothing", v)
	}
	for name, c := range map[string]CompilerType[any]{"both": CompilerModel[any]().Field(all), "getter": CompilerModel[any]().Field(get(getter))} {
		if got := compiled[any](t, c, v); string(got) != want {
			t.Errorf("%s of %T: %q, want %q", name, v, got, want)
		}
	}
	for name, p := range map[string]ParserType[any]{"both": ParserModel[any](nil).Field(all), "setter": ParserModel[any](nil).Field(set(setter))} {
		if got, err := p.Parse(reader([]byte(want))); err != nil || !reflect.DeepEqual(got, any(v)) {
			t.Errorf("%s of %T: %v, want %v, %v", name, v, got, v, err)
		}
	}
}

type fieldOf interface {
	ID() string
	Parse(*any, io.Reader) error
	Compile(*any, io.Writer) error
}

// checkFixed calls checkField with the three constructors of one field type.
func checkFixed[U any](t *testing.T, v U, want string, tp Type[U], both func(Type[U], Getter[any, U], Setter[any, U]) Field[any, U],
	get func(Type[U], Getter[any, U]) Field[any, U], set func(Type[U], Setter[any, U]) Field[any, U]) {
	t.Helper()
	checkField(t, v, want, func(g Getter[any, U], s Setter[any, U]) fieldOf { return both(tp, g, s) },
		func(g Getter[any, U]) fieldOf { return get(tp, g) }, func(s Setter[any, U]) fieldOf { return set(tp, s) })
}

// Each field constructor returns a field of its type.
func TestFields(t *testing.T) {
	checkFixed(t, true, "\x01", Bool(), BoolField, BoolFieldGetter, BoolFieldSetter)
	checkFixed(t, 7, "\x07", UInt8(), UInt8Field, UInt8FieldGetter, UInt8FieldSetter)
	checkFixed(t, -1, "\xff", Int8(), Int8Field, Int8FieldGetter, Int8FieldSetter)
	checkFixed(t, 7, "\x07\x00", UInt16LE(), UInt16Field, UInt16FieldGetter, UInt16FieldSetter)
	checkFixed(t, 7, "\x00\x07", Int16BE(), Int16Field, Int16FieldGetter, Int16FieldSetter)
	checkFixed(t, 7, "\x07\x00\x00\x00", UInt32LE(), UInt32Field, UInt32FieldGetter, UInt32FieldSetter)
	checkFixed(t, 7, "\x00\x00\x00\x07", Int32BE(), Int32Field, Int32FieldGetter, Int32FieldSetter)
	checkFixed(t, 7, "\x07\x00\x00\x00\x00\x00\x00\x00", UInt64LE(), UInt64Field, UInt64FieldGetter, UInt64FieldSetter)
	checkFixed(t, 7, "\x00\x00\x00\x00\x00\x00\x00\x07", Int64BE(), Int64Field, Int64FieldGetter, Int64FieldSetter)
	checkFixed(t, 7, "\x07\x00\x00\x00\x00\x00\x00\x00", IntLE(), IntField, IntFieldGetter, IntFieldSetter)
	checkFixed(t, 1.5, "\x3f\xc0\x00\x00", Float32BE(), Float32Field, Float32FieldGetter, Float32FieldSetter)
	checkFixed(t, 1.5, "\x3f\xf8\x00\x00\x00\x00\x00\x00", Float64BE(), Float64Field, Float64FieldGetter, Float64FieldSetter)
	checkFixed(t, "hey", "\x03hey", SmallVarchar(), StringField, StringFieldGetter, StringFieldSetter)
	for zone, suffix := range map[bool]string{false: "", true: "\x01\x03UTC"} {
		checkField(t, time.Unix(1, 2).UTC(), "\x02\xca\x9a\x3b\x00\x00\x00\x00"+suffix,
			func(g Getter[any, time.Time], s Setter[any, time.Time]) fieldOf { return TimeField(zone, g, s) },
			func(g Getter[any, time.Time]) fieldOf { return TimeFieldGetter(zone, g) },
			func(s Setter[any, time.Time]) fieldOf { return TimeFieldSetter(zone, s) })
	}
	h, u := UInt8Header(), UInt8()
	checkField(t, SliceView[uint8]{1, 2}, "\x02\x01\x02",
		func(g Getter[any, SliceView[uint8]], s Setter[any, SliceView[uint8]]) fieldOf {
			return SliceField(h, u, s, g)
		},
		func(g Getter[any, SliceView[uint8]]) fieldOf { return SliceFieldGetter(h, u, g) },
		func(s Setter[any, SliceView[uint8]]) fieldOf { return SliceFieldSetter(h, u, s) })
	checkField(t, SliceView[uint8]{1, 2}, "\x01\x02",
		func(g Getter[any, SliceView[uint8]], s Setter[any, SliceView[uint8]]) fieldOf {
			return ArrayField(2, u, s, g)
		},
		func(g Getter[any, SliceView[uint8]]) fieldOf { return ArrayFieldGetter(2, u, g) },
		func(s Setter[any, SliceView[uint8]]) fieldOf { return ArrayFieldSetter(2, u, s) })
	checkField(t, map[uint8]uint8{1: 2}, "\x01\x01\x02",
		func(g Getter[any, map[uint8]uint8], s Setter[any, map[uint8]uint8]) fieldOf {
			return MapField(h, u, u, s, g)
		},
		func(g Getter[any, map[uint8]uint8]) fieldOf { return MapFieldGetter(h, u, u, g) },
		func(s Setter[any, map[uint8]uint8]) fieldOf { return MapFieldSetter(h, u, u, s) })
	checkField(t, Ptr(uint8(7)), "\x01\x07",
		func(g Getter[any, *uint8], s Setter[any, *uint8]) fieldOf { return OptionField(u, s, g) },
		func(g Getter[any, *uint8]) fieldOf { return OptionFieldGetter(u, g) },
		func(s Setter[any, *uint8]) fieldOf { return OptionFieldSetter(u, s) })
	checkField(t, Animal{3, "cat"}, "\x03cat\x03",
		func(g Getter[any, Animal], s Setter[any, Animal]) fieldOf { return StructField(g, s, animalBuilder()) },
		func(g Getter[any, Animal]) fieldOf { return StructFieldGetter(g, animalBuilder().Compiler()) },
		func(s Setter[any, Animal]) fieldOf { return StructFieldSetter(s, animalBuilder().Parser()) })
	if id := (FixedField[any, int]{Id: "name"}).ID(); id != "name" {
		t.Error(id)
	}
}

// TestGlobalRegistry is the only test that may use the registry shared by the whole program.
func TestGlobalRegistry(t *testing.T) {
	if err := RegisterModel(0, animalBuilder()); err != nil {
		t.Fatal(err)
	}
	var w bytes.Buffer
	if err := CompileModel(Animal{3, "cat"}, &w); err != nil {
		t.Error(err)
	}
	if err := CompileAnyModel(0, Animal{1, "ant"}, &w); err != nil {
		t.Error(err)
	}
	for _, want := range []Animal{{3, "cat"}, {1, "ant"}} {
		if id, item, err := ParseModel(&w); id != 0 || item != want || err != nil {
			t.Error(id, item, err)
		}
	}
}

// If a key is repeated, the last value wins. Equal values have equal encodings if a schema sorts
// maps, as TestSchema checks. As in Parco, empty maps, slices and blobs are empty after Parse, not
// nil.
func TestOrderOfMaps(t *testing.T) {
	m := MapType(UInt8Header(), UInt8(), SmallVarchar())
	if got, err := m.Parse(reader([]byte("\x02\x07\x01a\x07\x01b"))); err != nil || len(got) != 1 || got[7] != "b" {
		t.Error(got, err)
	}
	type lists struct {
		Map   map[uint8]string
		Slice []uint8
		Array []uint8
		Blob  []byte
	}
	b := Builder[lists](nil).
		Map(MapField(UInt8Header(), UInt8(), SmallVarchar(), func(l *lists, v map[uint8]string) { l.Map = v }, func(l *lists) map[uint8]string { return l.Map })).
		Slice(SliceField(UInt8Header(), UInt8(), func(l *lists, v SliceView[uint8]) { l.Slice = v }, func(l *lists) SliceView[uint8] { return l.Slice })).
		Array(ArrayField(0, UInt8(), func(l *lists, v SliceView[uint8]) { l.Array = v }, func(l *lists) SliceView[uint8] { return l.Array })).
		Blob(UInt8Header(), func(l *lists) []byte { return l.Blob }, func(l *lists, v []byte) { l.Blob = v })
	empty := compiled(t, b, lists{})
	if got, err := b.ParseBytes(empty); err != nil || string(empty) != "\x00\x00\x00" || got.Map == nil || got.Slice == nil || got.Array == nil || got.Blob == nil {
		t.Errorf("%x %+v %v", empty, got, err)
	}
	if b := compiled[Iterable[uint8]](t, Slice(UInt8Header(), UInt8()), nil); string(b) != "\x00" {
		t.Errorf("%x", b)
	}
}

// All types can be nested, and each has a ByteLength.
func TestAllTypesNest(t *testing.T) {
	options := Slice[*Animal](UInt8Header(), Option[Animal](Struct(animalBuilder())))
	if b := compiled[Iterable[*Animal]](t, options, iterable(nil, &Animal{3, "cat"})); string(b) != "\x02\x00\x01\x03cat\x03" {
		t.Errorf("%q", b)
	}
	matrix := Array[Iterable[uint8]](2, Slice(UInt8Header(), UInt8()))
	b := compiled[Iterable[Iterable[uint8]]](t, matrix, iterable(iterable[uint8](1), iterable[uint8](2, 3)))
	if got, err := matrix.Parse(reader(b)); err != nil || string(b) != "\x01\x01\x02\x02\x03" || got.Unwrap()[1].Unwrap()[1] != 3 {
		t.Errorf("%q %v %v", b, got, err)
	}
	if _, err := matrix.Parse(reader(b[:4])); !isError(err, ErrCannotRead, "items[1].items", 2) {
		t.Errorf("%+v", err)
	}
	maps := MapType(UInt8Header(), SmallVarchar(), MapType[string, *int](UInt8Header(), Varchar(), Option(Int(be))))
	v := map[string]map[string]*int{"a": {"b": Ptr(1), "c": nil}}
	if got, err := maps.Parse(reader(compiled(t, maps, v))); err != nil || !reflect.DeepEqual(got, v) {
		t.Error(got, err)
	}
	if err := Array(3, UInt8()).Compile(SliceView[uint8]{1}, io.Discard); !isError(err, ErrInvalidLength, "items", 0) {
		t.Errorf("%+v", err)
	}
}

// An int is encoded in 8 bytes on every platform. Cross-compilation, not this test, checks that the
// package builds for every platform.
func TestIntsAre8Bytes(t *testing.T) {
	if b := compiled(t, Int(be), -2); len(b) != 8 {
		t.Errorf("%x", b)
	}
	if MaxSize(1) != 255 || MaxSize(2) != 65535 || MaxSize(4) <= 0 || MaxSize(8) <= 0 || MaxByteSize64(4) != 1<<32-1 || MaxByteSize64(8) != 1<<63-1 ||
		MaxByteSize64(3) != 1<<24-1 || MaxByteSize64(0) != 1<<63-1 {
		t.Error(MaxSize(4), MaxSize(8), MaxByteSize64(4), MaxByteSize64(8))
	}
}
