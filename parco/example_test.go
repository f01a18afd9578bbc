package parco_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/slipstream-go/slipstream/parco"
	"github.com/slipstream-go/slipstream/schema"
)

func Example_model() {
	type Point struct{ X, Y int32 }
	parser, compiler := parco.Builder(parco.ObjectFactory[Point]()).
		Int32(binary.LittleEndian,
			func(p *Point) int32 { return p.X },
			func(p *Point, x int32) { p.X = x }).
		Int32(binary.BigEndian,
			func(p *Point) int32 { return p.Y },
			func(p *Point, y int32) { p.Y = y }).
		Parco()

	var w bytes.Buffer
	err := compiler.Compile(Point{1, -2}, &w)
	fmt.Printf("% x %v\n", w.Bytes(), err)

	_, err = parser.ParseBytes(w.Bytes()[:6])
	fmt.Printf("%v; %v\n", err, errors.Is(err, parco.ErrCannotRead))

	p, err := parser.Parse(&w)
	fmt.Println(p, err)
	// Output:
	// 01 00 00 00 ff ff ff fe <nil>
	// schema: #2: the input ends too early: unexpected EOF (offset 4); true
	// {1 -2} <nil>
}

// A parco model writes a message, and a schema reads it. Both encode it with the same bytes.
func ExampleModelBuilder_Schema() {
	type Pet struct {
		Name string
		Age  uint8
	}
	old := parco.Builder(parco.ObjectFactory[Pet]()).
		SmallVarchar(func(p *Pet) string { return p.Name }, func(p *Pet, v string) { p.Name = v }).
		UInt8(func(p *Pet) uint8 { return p.Age }, func(p *Pet, v uint8) { p.Age = v })
	new := schema.Struct(
		schema.F("name", func(p *Pet) *string { return &p.Name }, schema.Str8),
		schema.F("age", func(p *Pet) *uint8 { return &p.Age }, schema.U8))

	var w bytes.Buffer
	err := old.Compile(Pet{"cat", 3}, &w)
	var p Pet
	_, parseErr := new.Parse(w.Bytes(), &p)
	fmt.Println(p, err, parseErr)
	same, err := old.Schema()
	fmt.Println(same, new, err)
	// Output:
	// {cat 3} <nil> <nil>
	// {#1 str8, #2 u8} {name str8, age u8} <nil>
}

// A registry writes models of several types to one stream. The ID of the model precedes each
// message.
func ExampleMultiBuilder() {
	models := parco.MultiBuilder(parco.UInt8Header()).
		MustRegister(0, animalBuilder()).
		MustRegister(1, flatBuilder())
	var w bytes.Buffer
	err := errors.Join(models.Compile(Animal{3, "cat"}, &w), models.CompileAny(1, Flat{1.5}, &w))
	fmt.Printf("%q %v\n", w.Bytes(), err)
	for w.Len() > 0 {
		id, item, err := models.Parse(&w)
		fmt.Println(id, item, err)
	}
	// Output:
	// "\x00\x03cat\x03\x01\x00\x00\xc0?" <nil>
	// 0 {3 cat} <nil>
	// 1 {1.5} <nil>
}
