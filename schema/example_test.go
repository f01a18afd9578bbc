package schema_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/slipstream-go/slipstream/schema"
)

type Pet struct {
	Name  string
	Age   uint8
	Food  []string
	Owner *string
}

var pets = schema.Struct(
	schema.F("name", func(p *Pet) *string { return &p.Name }, schema.Str8),
	schema.F("age", func(p *Pet) *uint8 { return &p.Age }, schema.U8),
	schema.F("food", func(p *Pet) *[]string { return &p.Food }, schema.List(schema.H8, schema.Str8)),
	schema.F("owner", func(p *Pet) **string { return &p.Owner }, schema.Opt(schema.Str16)))

func Example() {
	b, err := pets.Append(nil, &Pet{Name: "cat", Age: 3, Food: []string{"fish"}})
	fmt.Printf("% x %v\n", b, err)

	var p Pet
	rest, err := pets.Parse(b, &p)
	fmt.Println(p.Name, p.Age, p.Food, p.Owner == nil, len(rest), err)

	_, err = pets.Parse(b[:7], &p)
	fmt.Printf("%v; %v\n", err, errors.Is(err, schema.ErrShort))
	fmt.Println(pets)
	// Output:
	// 03 63 61 74 03 01 04 66 69 73 68 00 <nil>
	// cat 3 [fish] true 0 <nil>
	// schema: food[0]: the input ends too early: unexpected EOF (offset 6); true
	// {name str8, age u8, food list8(str8), owner opt(str16)}
}

// A Reader reads messages that follow each other in a stream.
func ExampleSchema_Reader() {
	var w bytes.Buffer
	for _, name := range []string{"cat", "dog"} {
		if err := pets.Write(&w, &Pet{Name: name}); err != nil {
			fmt.Println(err)
		}
	}
	for p, err := range pets.Reader(&w).All() {
		fmt.Println(p.Name, err)
	}
	// Output:
	// cat <nil>
	// dog <nil>
}

// A later version adds fields in a Tail. Messages of the older version do not contain these fields.
func ExampleTail() {
	type User struct {
		Name  string
		Email string
	}
	name := schema.F("name", func(u *User) *string { return &u.Name }, schema.Str8)
	old := schema.Struct(name)
	new := schema.Struct(name, schema.Tail(schema.F("email", func(u *User) *string { return &u.Email }, schema.Str8)))

	b, err := old.Append(nil, &User{Name: "ann"})
	fmt.Println(err)
	u := User{Email: "of another"}
	_, err = new.Parse(b, &u)
	fmt.Printf("%+v %v\n", u, err)
	// Output:
	// <nil>
	// {Name:ann Email:} <nil>
}

// Derive builds a schema from struct tags.
func ExampleDerive() {
	type Point struct {
		X, Y  int32
		Label string `wire:"str8"`
	}
	points, err := schema.Derive[Point]()
	fmt.Println(points, err)
	b, err := points.Append(nil, &Point{1, -1, "a"})
	fmt.Printf("% x %v\n", b, err)
	// Output:
	// {X i32, Y i32, Label str8} <nil>
	// 01 00 00 00 ff ff ff ff 01 61 <nil>
}

// A shape can be written to a file as JSON, for reviews and comparisons.
func ExampleSchema_Shape() {
	b, err := json.MarshalIndent(pets.Shape(), "", "  ")
	fmt.Printf("%s %v\n", b, err)
	// Output:
	// {
	//   "fields": [
	//     {
	//       "name": "name",
	//       "type": "str8"
	//     },
	//     {
	//       "name": "age",
	//       "type": "u8"
	//     },
	//     {
	//       "name": "food",
	//       "type": "list8",
	//       "of": {
	//         "type": "str8"
	//       }
	//     },
	//     {
	//       "name": "owner",
	//       "type": "opt",
	//       "of": {
	//         "type": "str16"
	//       }
	//     }
	//   ]
	// } <nil>
}

// The first version of the pets had no owners, and some of its messages still exist.
func ExampleCompat() {
	text, err := os.ReadFile("testdata/pets1.json")
	var first schema.Shape
	err = errors.Join(err, json.Unmarshal(text, &first))
	fmt.Println(&first, err)

	fmt.Println(schema.Compat(&first, pets.Shape()))

	better, err := schema.ParseShape("{name str8, age u8, food list8(str8), [owner opt(str16)]}")
	fmt.Println(err)
	fmt.Println(schema.Compat(&first, better))
	// Output:
	// {name str8, age u8, food list8(str8)} <nil>
	// incompatible schema: new does not read old: old has no further field, new has owner (opt)
	// schema: old does not read new: old has no further field, new has owner (opt)
	// <nil>
	// both read each other <nil>
}
