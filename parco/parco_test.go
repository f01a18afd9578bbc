package parco_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	. "github.com/slipstream-go/slipstream/parco"
	"github.com/slipstream-go/slipstream/schema"
)

// The encoding equals the example of Parco's README, byte for byte.
func TestExample(t *testing.T) {
	v := exampleValue()
	parser, compiler := exampleBuilder().Parco()
	var w bytes.Buffer
	if err := compiler.Compile(v, &w); err != nil || !bytes.Equal(w.Bytes(), fromHex(exampleBytes)) {
		t.Fatalf("%x %v", w.Bytes(), err)
	}
	if n := FormatBytes(w.Bytes()[:3]); n != "[]byte{3, 104, 101}" {
		t.Error(n)
	}
	got, err := parser.ParseBytes(append(w.Bytes(), "more"...))
	if err != nil || !reflect.DeepEqual(got, v) {
		t.Errorf("%+v %v", got, err)
	}
	// A reader returns one message after the other, and Parse does not read past a message.
	two := append(bytes.Repeat(w.Bytes(), 2), "rest"...)
	cursor := NewBufferCursor(append([]byte("before"), two...), 6)
	for name, r := range map[string]io.Reader{
		"buffer": bytes.NewBuffer(bytes.Clone(two)), "cursor": &cursor, "reader": reader(two), "byte by byte": iotest.OneByteReader(reader(two)),
	} {
		for range 2 {
			if got, err := parser.Parse(r); err != nil || !reflect.DeepEqual(got, v) {
				t.Errorf("%s: %+v %v", name, got, err)
			}
		}
		rest := make([]byte, 4)
		if _, err := io.ReadFull(r, rest); err != nil || string(rest) != "rest" {
			t.Errorf("%s: %q is left, %v", name, rest, err)
		}
		if _, err := parser.Parse(r); !errors.Is(err, io.EOF) || !isError(err, ErrCannotRead, "", 0) {
			t.Errorf("%s: %v at the end", name, err)
		}
	}
}

// layoutRow checks the encoding of one value by one type.
type layoutRow struct {
	name  string
	check func(t *testing.T)
}

func row[T any](name string, tp interface {
	ParserType[T]
	CompilerType[T]
}, v T, hex string) layoutRow {
	return layoutRow{name, func(t *testing.T) {
		b := compiled[T](t, tp, v)
		if want := fromHex(hex); !bytes.Equal(b, want) {
			t.Errorf("%x, want %x", b, want)
		}
		got, err := tp.Parse(reader(append(bytes.Clone(b), 7)))
		if err != nil || !reflect.DeepEqual(got, v) {
			t.Errorf("%v came back as %v, %v", v, got, err)
		}
		for n := range b {
			if _, err := tp.Parse(reader(b[:n])); !errors.Is(err, ErrCannotRead) {
				t.Errorf("cut at %d: %v", n, err)
			}
		}
	}}
}

func iterable[T any](v ...T) Iterable[T] { return SliceView[T](v) }

// The encoding of each single type equals Parco's.
func TestLayouts(t *testing.T) {
	newYork, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	ff7 := strings.Repeat("ff", 7)
	for _, r := range []layoutRow{
		row("bool", Bool(), true, "01"), row("byte", Byte(), 7, "07"), row("uint8", UInt8(), 255, "ff"), row("int8", Int8(), -2, "fe"),
		row("uint16", UInt16(le), 4242, "92 10"), row("uint16", UInt16(be), 4242, "10 92"),
		row("uint16", UInt16LE(), 4242, "92 10"), row("uint16", UInt16BE(), 4242, "10 92"),
		row("uint16", UInt16Factory(be), 4242, "10 92"), row("uint16", UInt16LEFactory(), 4242, "92 10"),
		row("uint16", UInt16BEFactory(), 4242, "10 92"),
		row("int16", Int16(le), -2, "fe ff"), row("int16", Int16(be), -2, "ff fe"),
		row("int16", Int16LE(), -2, "fe ff"), row("int16", Int16BE(), -2, "ff fe"),
		row("uint32", UInt32(le), 1<<24, "00 00 00 01"), row("uint32", UInt32(be), 1<<24, "01 00 00 00"),
		row("uint32", UInt32LE(), 1<<24, "00 00 00 01"), row("uint32", UInt32BE(), 1<<24, "01 00 00 00"),
		row("int32", Int32(le), -2, "fe ff ff ff"), row("int32", Int32(be), -2, "ff ff ff fe"),
		row("int32", Int32LE(), -2, "fe ff ff ff"), row("int32", Int32BE(), -2, "ff ff ff fe"),
		row("uint64", UInt64(le), 1, "01 00 00 00 00 00 00 00"), row("uint64", UInt64(be), 1, "00 00 00 00 00 00 00 01"),
		row("uint64", UInt64LE(), 1, "01 00 00 00 00 00 00 00"), row("uint64", UInt64BE(), math.MaxUint64, "ff"+ff7),
		row("int64", Int64(le), -2, "fe"+ff7), row("int64", Int64(be), -2, ff7+"fe"),
		row("int64", Int64LE(), -2, "fe"+ff7), row("int64", Int64BE(), -2, ff7+"fe"),
		row("uint", UInt(le), 73, "49 00 00 00 00 00 00 00"), row("uint", UInt(be), 73, "00 00 00 00 00 00 00 49"),
		row("uint", UIntLE(), 73, "49 00 00 00 00 00 00 00"), row("uint", UIntBE(), 73, "00 00 00 00 00 00 00 49"),
		row("int", Int(le), 73, "49 00 00 00 00 00 00 00"), row("int", Int(be), -2, ff7+"fe"),
		row("int", IntLE(), 73, "49 00 00 00 00 00 00 00"), row("int", IntBE(), -2, ff7+"fe"),
		row("float32", Float32(le), 1.5, "00 00 c0 3f"), row("float32", Float32(be), 1.5, "3f c0 00 00"),
		row("float32", Float32LE(), 1.5, "00 00 c0 3f"), row("float32", Float32BE(), 1.5, "3f c0 00 00"),
		row("float64", Float64(le), 1.5, "00 00 00 00 00 00 f8 3f"), row("float64", Float64(be), 1.5, "3f f8 00 00 00 00 00 00"),
		row("float64", Float64LE(), 1.5, "00 00 00 00 00 00 f8 3f"), row("float64", Float64BE(), 1.5, "3f f8 00 00 00 00 00 00"),

		row("header", UInt8Header(), 255, "ff"), row("header", Int8Header(), -128, "80"),
		row("header", UInt16Header(le), 258, "02 01"), row("header", UInt16Header(be), 258, "01 02"),
		row("header", UInt16HeaderLE(), 258, "02 01"), row("header", UInt16HeaderBE(), 258, "01 02"),
		row("header", Int16Header(le), 258, "02 01"), row("header", Int16Header(be), 258, "01 02"),
		row("header", Int16LEHeader(), -2, "fe ff"), row("header", Int16BEHeader(), -2, "ff fe"),
		row("header", UInt32Header(le), 258, "02 01 00 00"), row("header", UInt32Header(be), 258, "00 00 01 02"),
		row("header", UInt32LEHeader(), 258, "02 01 00 00"), row("header", UInt32BEHeader(), 258, "00 00 01 02"),
		row("header", Int32Header(le), 258, "02 01 00 00"), row("header", Int32Header(be), 258, "00 00 01 02"),
		row("header", Int32LEHeader(), -2, "fe ff ff ff"), row("header", Int32BEHeader(), -2, "ff ff ff fe"),
		row("header", UInt64Header(le), 2, "02 00 00 00 00 00 00 00"), row("header", UInt64Header(be), 2, "00 00 00 00 00 00 00 02"),
		row("header", UInt64LEHeader(), 2, "02 00 00 00 00 00 00 00"), row("header", UInt64BEHeader(), 2, "00 00 00 00 00 00 00 02"),
		row("header", Int64Header(le), 2, "02 00 00 00 00 00 00 00"), row("header", Int64Header(be), 2, "00 00 00 00 00 00 00 02"),
		row("header", Int64LEHeader(), -2, "fe"+ff7), row("header", Int64BEHeader(), -2, ff7+"fe"),
		row("header", UIntHeader(le), 2, "02 00 00 00 00 00 00 00"), row("header", UIntHeader(be), 2, "00 00 00 00 00 00 00 02"),
		row("header", UIntLEHeader(), 2, "02 00 00 00 00 00 00 00"), row("header", UIntBEHeader(), 2, "00 00 00 00 00 00 00 02"),
		row("header", IntHeader(le), 2, "02 00 00 00 00 00 00 00"), row("header", IntHeader(be), 2, "00 00 00 00 00 00 00 02"),
		row("header", IntLEHeader(), -2, "fe"+ff7), row("header", IntBEHeader(), -2, ff7+"fe"),

		row("small varchar", SmallVarchar(), "hey", "03 68 65 79"), row("varchar", Varchar(), "hey", "03 00 68 65 79"),
		row("varchar", VarcharOrder(be), "hey", "00 03 68 65 79"), row("text", Text(le), "hey", "03 00 00 00 68 65 79"),
		row("long text", LongText(be), "hey", "00 00 00 00 00 00 00 03 68 65 79"), row("string", String(Int16BEHeader()), "hey", "00 03 68 65 79"),
		row("varchar type", NewVarcharType(UInt8Header()), "", "00"),
		row("blob", Blob(UInt8Header()), []byte{1, 2}, "02 01 02"), row("blob", Blob(UInt8Header()), []byte{}, "00"),

		row("slice", Slice(UInt8Header(), UInt16LE()), iterable[uint16](1, 2), "02 01 00 02 00"),
		row("slice", Slice(UInt8Header(), UInt16LE()), Iterable[uint16](SliceView[uint16]{}), "00"),
		row("slice", Slice(Int(be), SmallVarchar()), iterable("a"), "00 00 00 00 00 00 00 01 01 61"),
		row("array", Array(3, UInt16BE()), iterable[uint16](1, 2, 3), "00 01 00 02 00 03"),
		row("map", MapType(UInt16HeaderLE(), SmallVarchar(), UInt8()), map[string]uint8{"a": 1}, "01 00 01 61 01"),
		row("map", MapType(UInt16HeaderLE(), SmallVarchar(), UInt8()), map[string]uint8{}, "00 00"),
		row("struct", Struct(animalBuilder()), Animal{3, "cat"}, "03 63 61 74 03"),
		row("model", animalBuilder(), Animal{3, "cat"}, "03 63 61 74 03"),
		row("option", Option(IntLE()), nil, "00"), row("option", Option(IntLE()), Ptr(73), "01 49 00 00 00 00 00 00 00"),
		row("time", TimeUTC(), time.Unix(1, 2).UTC(), "02 ca 9a 3b 00 00 00 00"),
		row("zone", TimeLocation(), time.Unix(1, 2).In(newYork), "02 ca 9a 3b 00 00 00 00 01 10 41 6d 65 72 69 63 61 2f 4e 65 77 5f 59 6f 72 6b"),
		row("zone", TimeLocation(), time.Unix(1, 2).UTC(), "02 ca 9a 3b 00 00 00 00 01 03 55 54 43"),
		row("zone", TimeLocation(), time.Unix(1, 2), "02 ca 9a 3b 00 00 00 00 01 05 4c 6f 63 61 6c"),
		row("skip", SkipType(3), nil, "00 00 00"), row("skip", SkipTypeFactory(0), nil, ""),
	} {
		t.Run(r.name, r.check)
	}
}

// ByteLength returns the size of a value, or of its header.
func TestByteLengths(t *testing.T) {
	for name, c := range map[string]struct{ got, want int }{
		"bool": {Bool().ByteLength(), 1}, "int16": {Int16(be).ByteLength(), 2}, "int": {Int(le).ByteLength(), 8}, "time": {TimeUTC().ByteLength(), 8},
		"zone": {TimeLocation().ByteLength(), 8}, "varchar": {Varchar().ByteLength(), 2}, "blob": {Blob(UInt32LEHeader()).ByteLength(), 4},
		"slice": {Slice(UInt8Header(), Int64LE()).ByteLength(), 1}, "array": {Array(3, Int64LE()).ByteLength(), 24},
		"map": {MapType(UInt16HeaderBE(), Bool(), Bool()).ByteLength(), 2}, "option": {Option(IntLE()).ByteLength(), 1}, "skip": {SkipType(9).ByteLength(), 9},
		"struct": {Struct(animalBuilder()).ByteLength(), 2}, "array of structs": {Array(3, Struct(animalBuilder())).ByteLength(), 6},
		"parser": {StructPar(animalBuilder().Parser()).ByteLength(), 2}, "compiler": {StructCo(animalBuilder().Compiler()).ByteLength(), 2},
		"nothing": {StructType[Animal]{}.ByteLength(), 0},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d, want %d", name, c.got, c.want)
		}
	}
}

type all struct {
	A string
	B string
	C string
	D []byte
	E bool
	F byte
	G uint8
	H int8
	I [3]uint16
	J int16
	K uint32
	L int32
	M uint64
	N int64
	O uint
	P int
	Q float32
	R float64
	S [3]time.Time
}

// A builder, a Parser and a Compiler have the same methods. The test calls all of them.
func TestBuilderHasAllTypes(t *testing.T) {
	b := Builder[all](nil).
		Varchar(func(a *all) string { return a.A }, func(a *all, v string) { a.A = v }).
		SmallVarchar(func(a *all) string { return a.B }, func(a *all, v string) { a.B = v }).
		Text(be, func(a *all) string { return a.C }, func(a *all, v string) { a.C = v }).
		Blob(UInt8Header(), func(a *all) []byte { return a.D }, func(a *all, v []byte) { a.D = v }).
		Bool(func(a *all) bool { return a.E }, func(a *all, v bool) { a.E = v }).
		Byte(func(a *all) byte { return a.F }, func(a *all, v byte) { a.F = v }).
		UInt8(func(a *all) uint8 { return a.G }, func(a *all, v uint8) { a.G = v }).
		Int8(func(a *all) int8 { return a.H }, func(a *all, v int8) { a.H = v }).
		UInt16(be, func(a *all) uint16 { return a.I[0] }, func(a *all, v uint16) { a.I[0] = v }).
		UInt16LE(func(a *all) uint16 { return a.I[1] }, func(a *all, v uint16) { a.I[1] = v }).
		UInt16BE(func(a *all) uint16 { return a.I[2] }, func(a *all, v uint16) { a.I[2] = v }).
		Int16(le, func(a *all) int16 { return a.J }, func(a *all, v int16) { a.J = v }).
		UInt32(le, func(a *all) uint32 { return a.K }, func(a *all, v uint32) { a.K = v }).
		Int32(be, func(a *all) int32 { return a.L }, func(a *all, v int32) { a.L = v }).
		UInt64(be, func(a *all) uint64 { return a.M }, func(a *all, v uint64) { a.M = v }).
		Int64(le, func(a *all) int64 { return a.N }, func(a *all, v int64) { a.N = v }).
		UInt(le, func(a *all) uint { return a.O }, func(a *all, v uint) { a.O = v }).
		Int(be, func(a *all) int { return a.P }, func(a *all, v int) { a.P = v }).
		Float32(be, func(a *all) float32 { return a.Q }, func(a *all, v float32) { a.Q = v }).
		Float64(le, func(a *all) float64 { return a.R }, func(a *all, v float64) { a.R = v }).
		Skip(2).
		Time(false, func(a *all) time.Time { return a.S[0] }, func(a *all, v time.Time) { a.S[0] = v }).
		TimeUTC(func(a *all) time.Time { return a.S[1] }, func(a *all, v time.Time) { a.S[1] = v }).
		TimeLocation(func(a *all) time.Time { return a.S[2] }, func(a *all, v time.Time) { a.S[2] = v })
	p := ParserModel[all](nil).
		Varchar(func(a *all, v string) { a.A = v }).SmallVarchar(func(a *all, v string) { a.B = v }).Text(be, func(a *all, v string) { a.C = v }).
		Blob(UInt8Header(), func(a *all, v []byte) { a.D = v }).Bool(func(a *all, v bool) { a.E = v }).Byte(func(a *all, v byte) { a.F = v }).
		UInt8(func(a *all, v uint8) { a.G = v }).Int8(func(a *all, v int8) { a.H = v }).UInt16(be, func(a *all, v uint16) { a.I[0] = v }).
		UInt16LE(func(a *all, v uint16) { a.I[1] = v }).UInt16BE(func(a *all, v uint16) { a.I[2] = v }).Int16(le, func(a *all, v int16) { a.J = v }).
		UInt32(le, func(a *all, v uint32) { a.K = v }).Int32(be, func(a *all, v int32) { a.L = v }).UInt64(be, func(a *all, v uint64) { a.M = v }).
		Int64(le, func(a *all, v int64) { a.N = v }).UInt(le, func(a *all, v uint) { a.O = v }).Int(be, func(a *all, v int) { a.P = v }).
		Float32(be, func(a *all, v float32) { a.Q = v }).Float64(le, func(a *all, v float64) { a.R = v }).Skip(2).
		Time(false, func(a *all, v time.Time) { a.S[0] = v }).TimeUTC(func(a *all, v time.Time) { a.S[1] = v }).
		TimeLocation(func(a *all, v time.Time) { a.S[2] = v })
	c := CompilerModel[all]().
		Varchar(func(a *all) string { return a.A }).SmallVarchar(func(a *all) string { return a.B }).Text(be, func(a *all) string { return a.C }).
		Blob(UInt8Header(), func(a *all) []byte { return a.D }).Bool(func(a *all) bool { return a.E }).Byte(func(a *all) byte { return a.F }).
		UInt8(func(a *all) uint8 { return a.G }).Int8(func(a *all) int8 { return a.H }).UInt16(be, func(a *all) uint16 { return a.I[0] }).
		UInt16LE(func(a *all) uint16 { return a.I[1] }).UInt16BE(func(a *all) uint16 { return a.I[2] }).Int16(le, func(a *all) int16 { return a.J }).
		UInt32(le, func(a *all) uint32 { return a.K }).Int32(be, func(a *all) int32 { return a.L }).UInt64(be, func(a *all) uint64 { return a.M }).
		Int64(le, func(a *all) int64 { return a.N }).UInt(le, func(a *all) uint { return a.O }).Int(be, func(a *all) int { return a.P }).
		Float32(be, func(a *all) float32 { return a.Q }).Float64(le, func(a *all) float64 { return a.R }).Skip(2).
		Time(false, func(a *all) time.Time { return a.S[0] }).TimeUTC(func(a *all) time.Time { return a.S[1] }).
		TimeLocation(func(a *all) time.Time { return a.S[2] })

	at := func(s int64) time.Time { return time.Unix(s, 1).UTC() }
	v := all{"a", "b", "c", []byte("d"), true, 1, 2, -3, [3]uint16{4, 5, 6}, -7, 8, -9, 10, -11, 12, -13, 14.5, 15.25, [3]time.Time{at(1), at(2), at(3)}}
	const text = "{#1 str16, #2 str8, #3 str32be, #4 blob8, #5 bool, #6 u8, #7 u8, #8 i8, #9 u16be, #10 u16, #11 u16be, #12 i16, #13 u32, #14 i32be, " +
		"#15 u64be, #16 i64, #17 u64, #18 i64be, #19 f32be, #20 f64, skip2, #22 time, #23 time, #24 timezone}"
	s, err := b.Schema()
	if err != nil || s.String() != text {
		t.Errorf("%v %v", s, err)
	}
	want, err := s.Append(nil, &v)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]CompilerType[all]{"builder": b, "of the builder": b.Compiler(), "by itself": c, "a value": *c} {
		if got := compiled(t, c, v); !bytes.Equal(got, want) {
			t.Errorf("%s: %x, want %x", name, got, want)
		}
	}
	for name, p := range map[string]ParserType[all]{"builder": b, "of the builder": b.Parser(), "by itself": p} {
		if got, err := p.Parse(reader(want)); err != nil || !reflect.DeepEqual(got, v) {
			t.Errorf("%s: %+v %v", name, got, err)
		}
	}
}

// A schema with field names reads the messages of a parco model, and the reverse.
func TestSchema(t *testing.T) {
	named := schema.Struct(
		schema.F("specie", func(a *Animal) *string { return &a.Specie }, schema.Str8),
		schema.F("age", func(a *Animal) *uint8 { return &a.Age }, schema.U8))
	var got Animal
	if _, err := named.Parse(compiled(t, animalBuilder(), Animal{3, "cat"}), &got); err != nil || got != (Animal{3, "cat"}) {
		t.Error(got, err)
	}
	b, err := named.Append(nil, &got)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := animalBuilder().ParseBytes(b); err != nil || got != (Animal{3, "cat"}) {
		t.Error(got, err)
	}
	s, err := exampleBuilder().Schema()
	const text = "{#1 str8, #2 u8, #3 map8(str8,u8), #4 list8(str8), #5 bool, #6 {#1 str8, #2 u8}, #7 opt(i64), #8 array5(bool), #9 f32, #10 f64, #11 time}"
	if err != nil || s.String() != text {
		t.Error(s, err)
	}
	v := exampleValue()
	v.Grades = map[string]uint8{"c": 3, "a": 1, "b": 2}
	if b, err := s.With(schema.SortMaps).Append(nil, &v); err != nil || !bytes.Contains(b, []byte("\x03\x01a\x01\x01b\x02\x01c\x03")) {
		t.Errorf("%q %v", b, err)
	}
}
