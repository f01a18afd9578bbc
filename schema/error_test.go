package schema

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/column"
)

// An error does not print the definition of an unnamed type.
func TestErrorsOfUnnamedTypes(t *testing.T) {
	_, err := Derive[struct {
		A chan int `wire:"u8"`
		B func()   `wire:"u8"`
	}]()
	if err == nil || err.Error() != "schema: message.A: chan int cannot be u8\nschema: message.B: func() cannot be u8" {
		t.Error(err)
	}
}

// No error prints the definition of an unnamed type, wherever the type occurs in a schema.
func TestUnnamedTypesAreShort(t *testing.T) {
	type bare = struct{ hidden int }
	_ = bare{}.hidden // only the type is used
	type holder struct {
		Bare  bare
		List  []bare
		Map   map[string]bare `wire:"map8(str8,u8)"`
		Chan  chan struct{ N int }
		Array [2]struct{ N int }    `wire:"array3(_)"`
		Func  func(struct{ N int }) `wire:"u8"`
	}
	_, derived := Derive[holder]()
	_, unnamed := Derive[[]struct{ N int }]()
	type self struct{ P *struct{ N int } }
	_, built := Build(
		F("p", func(s *self) **struct{ N int } { return &s.P }, Opt(As[struct{ N int }](U8))),
		F("q", func(s *self) *self { return s }, As[self](Self[struct{ N int }]())),
		F("r", func(s *self) *[1]struct{ N int } { return new([1]struct{ N int }) }, Array[[1]struct{ N int }](U8)))
	r := NewRegistry(U8)
	if err := Register(r, 1, exampleSchema, nil); err != nil {
		t.Fatal(err)
	}
	_, other := AppendModel(r, nil, 1, new(struct{ N int }))
	for err, want := range map[error]string{
		derived: "schema: schema.holder.Bare: struct {…} has no exported fields: nothing of it would be written\n" +
			"schema: schema.holder.List: struct {…} has no exported fields: nothing of it would be written\n" +
			"schema: schema.holder.Map: struct {…} cannot be u8\n" +
			"schema: schema.holder.Chan: \"chan struct {…}\" is no type\n" +
			"schema: schema.holder.Array: [2]struct {…} does not have 3 elements\n" +
			"schema: schema.holder.Func: func(struct {…}) cannot be u8",
		unnamed: "schema: []struct {…}: []struct {…} is no struct",
		built: "schema: schema.self.q: it has the same memory as p\n" +
			"schema: schema.self: Self[struct {…}] is not inside a schema of struct {…}\n" +
			"schema: schema.self.p: struct {…} cannot stand for uint8: their memory layouts differ\n" +
			"schema: schema.self.q: schema.self cannot stand for struct {…}: their memory layouts differ\n" +
			"schema: schema.self.r: [1]struct {…} is no array of uint8",
		other: "schema: the model has a different Go type: 1 is no struct {…}",
	} {
		if err == nil || err.Error() != want {
			t.Errorf("%v\nwant\n%s", err, want)
		}
	}
}

// Every limit error contains the found size, the allowed size, and the path and offset. This holds
// for reading, writing, streams and columns.
func TestLimitText(t *testing.T) {
	type all struct {
		N    int
		L    []uint16
		S    string
		B    []byte
		M    map[string]uint8
		Next *all
		None []struct{}
		Get  int
	}
	get := func(t Type[int]) Field[all] {
		return Get("get", t, func(a *all) int { return a.Get }, func(a *all, n int) { a.Get = n })
	}
	list := func(h Header) Field[all] { return F("l", func(a *all) *[]uint16 { return &a.L }, List(h, U16)) }
	text := func(h Header) Field[all] { return F("s", func(a *all) *string { return &a.S }, Str(h)) }
	blob := F("b", func(a *all) *[]byte { return &a.B }, Blob(HI32BE))
	entries := F("m", func(a *all) *map[string]uint8 { return &a.M }, Map(HI16, Str8, U8))
	next := F("next", func(a *all) **all { return &a.Next }, Opt(Self[all]()))
	none := F("none", func(a *all) *[]struct{} { return &a.None }, List(H8, Part[struct{}]()))
	parse := func(s *Schema[all], b string) error { return s.Unmarshal([]byte(b), new(all)) }
	write := func(s *Schema[all], v all) error { _, err := s.Append(nil, &v); return err }
	cell := func(notation, b string) error {
		c, err := mustShape(notation).Columns()
		if err != nil {
			return err
		}
		return c.Parse([]byte(b), new(column.Batch))
	}
	deep := all{Next: &all{Next: &all{}}}
	for _, c := range []struct {
		err, is error
		want    string
	}{
		{parse(Struct(get(As[int](U64))), "\xff\xff\xff\xff\xff\xff\xff\xff"), ErrOverflow, fmt.Sprintf("get: 18446744073709551615 does not fit signed %d bits (offset 0)", strconv.IntSize)},
		{parse(Struct(get(As[int](U64BE))), "\x80\x00\x00\x00\x00\x00\x00\x00"), ErrOverflow, fmt.Sprintf("get: 9223372036854775808 does not fit signed %d bits (offset 0)", strconv.IntSize)},
		{write(Struct(get(As[int](I16BE))), all{Get: -40000}), ErrOverflow, "get: -40000 does not fit signed 16 bits (offset 0)"},
		{write(Struct(get(As[int](U8))), all{Get: 256}), ErrOverflow, "get: 256 does not fit unsigned 8 bits (offset 0)"},
		{parse(Struct(list(HI8)), "\xff"), ErrOverflow, "l: a length of -1: HI8 counts 0 to 127 (offset 0)"},
		{parse(Struct(text(HI16BE)), "\xff\x00"), ErrOverflow, "s: a length of -256: HI16BE counts 0 to 32767 (offset 0)"},
		{parse(Struct(blob), "\xff\xff\xff\xfe"), ErrOverflow, "b: a length of -2: HI32BE counts 0 to 2147483647 (offset 0)"},
		{parse(Struct(entries), "\x00\x80"), ErrOverflow, "m: a length of -32768: HI16 counts 0 to 32767 (offset 0)"},
		{write(Struct(F("l", func(a *all) *[]uint16 { return &a.L }, Fixed(2, U16))), all{L: make([]uint16, 3)}), ErrLength, "l: got a slice of 3 elements, want 2 (offset 0)"},
		{write(Struct(next).With(MaxDepth(1)), deep), ErrDepth, "next.next: nested deeper than MaxDepth's 1 (offset 2)"},
		{parse(Struct(next).With(MaxDepth(2)), "\x01\x01\x01\x00"), ErrDepth, "next.next.next: nested deeper than MaxDepth's 2 (offset 3)"},
		{parse(Struct(none).With(MaxItems(3)), "\x04"), ErrItems, "none: 4 elements without bytes exceed the 3 that MaxItems leaves (offset 0)"},
		{parse(Struct(text(H8)).With(MaxBytes(3)), "\x03abc"), ErrSize, "s: the message is longer than MaxBytes's 3 bytes (offset 0)"},
		{Struct(text(H8)).Reader(strings.NewReader("\x03abc"), MaxBytes(3)).Next(new(all)), ErrSize, "s: the message is longer than MaxBytes's 3 bytes (offset 0)"},
		{Struct(text(H32)).Reader(strings.NewReader("\xff\xff\xff\xffabc")).Next(new(all)), ErrSize, "s: the message is longer than MaxBytes's 67108864 bytes (offset 0)"},
		{Struct(text(H8)).With(MaxBytes(3)).Read(strings.NewReader("\x03abc"), new(all)), ErrSize, "s: the message is longer than MaxBytes's 3 bytes (offset 0)"},
		{cell("{s stri8}", "\xff"), ErrOverflow, "[0].s: a length of -1: HI8 counts 0 to 127 (offset 0)"},
		{cell("{s stri8, n u64}", "\xff"), ErrOverflow, "[0].s: a length of -1: HI8 counts 0 to 127 (offset 0)"},
		{cell("{l listi16(u8)}", "\xff\xff"), ErrOverflow, "l: a length of -1: HI16 counts 0 to 32767 (offset 0)"},
		{cell("{l list8(stri8)}", "\x01\x80"), ErrOverflow, "l[0]: a length of -128: HI8 counts 0 to 127 (offset 1)"},
	} {
		if want := "schema: " + c.want; c.err == nil || c.err.Error() != want || !errors.Is(c.err, c.is) {
			t.Errorf("%v, want %s", c.err, want)
		}
	}
}

// An overflow error contains the value, the type that it does not fit, and the path and offset.
func TestOverflowText(t *testing.T) {
	type item struct {
		Name string
		N    int
		L    []uint16
	}
	type order struct{ Items []item }
	s := Struct(F("items", func(o *order) *[]item { return &o.Items }, List(H8, Part(
		F("name", func(i *item) *string { return &i.Name }, Str8),
		F("n", func(i *item) *int { return &i.N }, As[int](I16)),
		F("l", func(i *item) *[]uint16 { return &i.L }, List(HI8, U16))))))
	for want, v := range map[string]item{
		"schema: items[1].name: string of 300 bytes exceeds Str8's 255 (offset 5)":    {Name: strings.Repeat("x", 300)},
		"schema: items[1].n: -40000 does not fit signed 16 bits (offset 6)":           {N: -40000},
		"schema: items[1].l: list of 200 elements exceeds List(HI8)'s 127 (offset 8)": {L: make([]uint16, 200)},
	} {
		if _, err := s.Append(nil, &order{[]item{{}, v}}); err == nil || err.Error() != want || !errors.Is(err, ErrOverflow) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// A truncated message returns an error with path and offset, wherever it was cut.
func TestErrorsAreNotSwallowed(t *testing.T) {
	b := fromHex(exampleBytes)
	for n := range b {
		var v example
		_, err := exampleSchema.Parse(b[:n], &v)
		var e *Error
		if !errors.As(err, &e) || !errors.Is(err, ErrShort) || !errors.Is(err, io.ErrUnexpectedEOF) || e.Path == "" || e.Offset > int64(n) {
			t.Errorf("cut at %d: %+v", n, err)
		}
	}
	checkPath(t, exampleSchema, b[:20], "pet.specie", 19)
	checkPath(t, exampleSchema, b[:36], "flags[3]", 36)
	checkPath(t, exampleSchema, b[:45], "f64", 42)
}
