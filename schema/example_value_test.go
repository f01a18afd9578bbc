package schema

import (
	"bytes"
	"encoding/hex"
	"reflect"
	"strings"
	"testing"
	"time"
)

type animal struct {
	Specie string
	Age    uint8
}

type example struct {
	Greet     string
	LifeSense uint8
	Grades    map[string]uint8
	Friends   []string
	Bool      bool
	Pet       animal
	Pointer   *int
	Flags     [5]bool
	F32       float32
	F64       float64
	Time      time.Time
}

var animalSchema = Struct(
	F("specie", func(a *animal) *string { return &a.Specie }, Str8),
	F("age", func(a *animal) *uint8 { return &a.Age }, U8))

var exampleSchema = Struct(
	F("greet", func(e *example) *string { return &e.Greet }, Str8),
	F("lifeSense", func(e *example) *uint8 { return &e.LifeSense }, U8),
	F("grades", func(e *example) *map[string]uint8 { return &e.Grades }, Map(H8, Str8, U8)),
	F("friends", func(e *example) *[]string { return &e.Friends }, List(H8, Str8)),
	F("bool", func(e *example) *bool { return &e.Bool }, Bool),
	F("pet", func(e *example) *animal { return &e.Pet }, animalSchema.Type()),
	F("pointer", func(e *example) **int { return &e.Pointer }, Opt(Int)),
	F("flags", func(e *example) *[5]bool { return &e.Flags }, Array[[5]bool](Bool)),
	F("f32", func(e *example) *float32 { return &e.F32 }, F32),
	F("f64", func(e *example) *float64 { return &e.F64 }, F64),
	F("time", func(e *example) *time.Time { return &e.Time }, Time))

const exampleBytes = "03 68 65 79 2a 01 04 6d 61 74 68 05 01 04 40 66 33 72 01 03 63 61 74 03 01 49 00 00 00 00 00 00 00" +
	"01 00 00 01 00 ac fc 6a 43 3f 57 5b 91 43 d5 32 41 05 00 2a 36 fe 9c 97 17"

func fromHex(s string) []byte {
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		panic(err)
	}
	return b
}

func exampleValue() example {
	n := 73
	return example{"hey", 42, map[string]uint8{"math": 5}, []string{"@f3r"}, true, animal{"cat", 3}, &n,
		[5]bool{true, false, false, true, false}, 234.987, 1234243.5678, time.Unix(1700000000, 5).UTC()}
}

// The encoding equals the example of Parco's README, byte for byte.
func TestExample(t *testing.T) {
	v := exampleValue()
	b, err := exampleSchema.Append([]byte("before"), &v)
	if want := append([]byte("before"), fromHex(exampleBytes)...); err != nil || !bytes.Equal(b, want) {
		t.Fatalf("%x, want %x, %v", b, want, err)
	}
	var got example
	rest, err := exampleSchema.Parse(append(fromHex(exampleBytes), "rest"...), &got)
	if err != nil || string(rest) != "rest" || !reflect.DeepEqual(got, v) {
		t.Errorf("%+v %q %v", got, rest, err)
	}
	const text = "{greet str8, lifeSense u8, grades map8(str8,u8), friends list8(str8), bool bool, pet {specie str8, age u8}, " +
		"pointer opt(i64), flags array5(bool), f32 f32, f64 f64, time time}"
	if got := exampleSchema.String(); got != text {
		t.Errorf("%s, want %s", got, text)
	}
}
