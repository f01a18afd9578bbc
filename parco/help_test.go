package parco_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	. "github.com/slipstream-go/slipstream/parco"
	"github.com/slipstream-go/slipstream/schema"
)

var le, be = binary.LittleEndian, binary.BigEndian

type Animal struct {
	Age    uint8
	Specie string
}

func (Animal) ParcoID() int { return 0 }

type Example struct {
	Greet              string
	LifeSense          uint8
	Friends            []string
	Grades             map[string]uint8
	EvenOrOdd          bool
	Pet                Animal
	Pointer            *int
	Flags              [5]bool
	Balance            float32
	MorePreciseBalance float64
	CreatedAt          time.Time
}

func animalBuilder() ModelBuilder[Animal] {
	return Builder[Animal](ObjectFactory[Animal]()).
		SmallVarchar(
			func(a *Animal) string { return a.Specie },
			func(a *Animal, specie string) { a.Specie = specie },
		).
		UInt8(
			func(a *Animal) uint8 { return a.Age },
			func(a *Animal, age uint8) { a.Age = age },
		)
}

// exampleBuilder is the model of Parco's README, copied verbatim.
func exampleBuilder() ModelBuilder[Example] {
	return Builder[Example](ObjectFactory[Example]()).
		SmallVarchar(
			func(e *Example) string { return e.Greet },
			func(e *Example, s string) { e.Greet = s },
		).
		UInt8(
			func(e *Example) uint8 { return e.LifeSense },
			func(e *Example, lifeSense uint8) { e.LifeSense = lifeSense },
		).
		Map(
			MapField[Example, string, uint8](
				UInt8Header(),
				SmallVarchar(),
				UInt8(),
				func(s *Example, grades map[string]uint8) { s.Grades = grades },
				func(s *Example) map[string]uint8 { return s.Grades },
			),
		).
		Slice(
			SliceField[Example, string](
				UInt8Header(),
				SmallVarchar(),
				func(e *Example, friends SliceView[string]) { e.Friends = friends },
				func(e *Example) SliceView[string] { return e.Friends },
			),
		).
		Bool(
			func(e *Example) bool { return e.EvenOrOdd },
			func(e *Example, evenOrOdd bool) { e.EvenOrOdd = evenOrOdd },
		).
		Struct(
			StructField[Example, Animal](
				func(e *Example) Animal { return e.Pet },
				func(e *Example, a Animal) { e.Pet = a },
				animalBuilder(),
			),
		).
		Option(
			OptionField[Example, int](
				Int(binary.LittleEndian),
				func(e *Example, value *int) { e.Pointer = value },
				func(e *Example) *int { return e.Pointer },
			),
		).
		Array(
			ArrayField[Example, bool](
				5,
				Bool(),
				func(e *Example, flags SliceView[bool]) {
					copy(e.Flags[:], flags)
				},
				func(e *Example) SliceView[bool] {
					return e.Flags[:]
				},
			),
		).
		Float32(
			binary.LittleEndian,
			func(e *Example) float32 { return e.Balance },
			func(e *Example, balance float32) { e.Balance = balance },
		).
		Float64(
			binary.LittleEndian,
			func(e *Example) float64 { return e.MorePreciseBalance },
			func(e *Example, balance float64) { e.MorePreciseBalance = balance },
		).
		TimeUTC(
			func(e *Example) time.Time { return e.CreatedAt },
			func(e *Example, createdAt time.Time) { e.CreatedAt = createdAt },
		)
}

const exampleBytes = "03 68 65 79 2a 01 04 6d 61 74 68 05 01 04 40 66 33 72 01 03 63 61 74 03 01 49 00 00 00 00 00 00 00" +
	"01 00 00 01 00 ac fc 6a 43 3f 57 5b 91 43 d5 32 41 05 00 2a 36 fe 9c 97 17"

func exampleValue() Example {
	return Example{
		Greet: "hey", LifeSense: 42, Friends: []string{"@f3r"}, Grades: map[string]uint8{"math": 5}, EvenOrOdd: true, Pet: Animal{3, "cat"},
		Pointer: Ptr(73), Flags: [5]bool{true, false, false, true, false}, Balance: 234.987, MorePreciseBalance: 1234243.5678,
		CreatedAt: time.Unix(1700000000, 5).UTC(),
	}
}

func fromHex(s string) []byte {
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		panic(err)
	}
	return b
}

// isError reports whether err is the Parco error and a schema.Error with this path and offset. An
// offset of -1 matches any offset.
func isError(err, is error, path string, offset int) bool {
	var e *schema.Error
	return errors.As(err, &e) && errors.Is(err, is) && e.Path == path && (offset < 0 || e.Offset == int64(offset))
}

// compiled returns the bytes that c writes for v.
func compiled[T any](t *testing.T, c CompilerType[T], v T) []byte {
	t.Helper()
	var w bytes.Buffer
	if err := c.Compile(v, &w); err != nil {
		t.Fatalf("%v: %+v", v, err)
	}
	return w.Bytes()
}

// reader returns a reader of b that has no special case in this package.
func reader(b []byte) io.Reader { return io.MultiReader(bytes.NewReader(b)) }
