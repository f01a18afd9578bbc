package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

var errOdd = errors.New("odd")

// varint is a variable-length number. The value 13, and a byte 13 in the input, return errOdd, so
// that the tests can provoke an error.
var varint = Custom("varint", 1, func(dst []byte, v *uint64) ([]byte, error) {
	if *v == 13 {
		return append(dst, "half of it"...), errOdd
	}
	for n := *v; ; n >>= 7 {
		if n < 0x80 {
			return append(dst, byte(n)), nil
		}
		dst = append(dst, byte(n)|0x80)
	}
}, func(r io.Reader, v *uint64) error {
	*v = 0
	var b [1]byte
	for shift := 0; ; shift += 7 {
		if _, err := r.Read(b[:]); err != nil {
			return err
		}
		if b[0] == 13 {
			return errOdd
		}
		*v |= uint64(b[0]&0x7f) << shift
		if b[0] < 0x80 {
			return nil
		}
	}
})

type customs struct {
	A    uint64
	Text string
	List []uint64
	Map  map[string]uint64
	Opt  *uint64
}

var customSchema = Struct(
	F("a", func(c *customs) *uint64 { return &c.A }, varint),
	F("text", func(c *customs) *string { return &c.Text }, Str8),
	F("list", func(c *customs) *[]uint64 { return &c.List }, List(H8, varint)),
	F("map", func(c *customs) *map[string]uint64 { return &c.Map }, Map(H8, Str8, varint)),
	Get("opt", Opt(varint), func(c *customs) *uint64 { return c.Opt }, func(c *customs, n *uint64) { c.Opt = n }))

// Custom values can occur anywhere in a message.
func TestCustom(t *testing.T) {
	n := uint64(1 << 40)
	v := customs{300, "text", []uint64{1, 1 << 63, 5}, map[string]uint64{"k": 200}, &n}
	b, err := customSchema.Append(nil, &v)
	if err != nil {
		t.Fatal(err)
	}
	const text = "{a custom1:varint, text str8, list list8(custom1:varint), map map8(str8,custom1:varint), opt opt(custom1:varint)}"
	if got := customSchema.String(); got != text {
		t.Error(got)
	}
	sources := map[string]func(b []byte, v *customs) error{
		"bytes":  func(b []byte, v *customs) error { _, err := customSchema.Parse(b, v); return err },
		"stream": func(b []byte, v *customs) error { return customSchema.Read(bytes.NewReader(b), v) },
		"byte by byte": func(b []byte, v *customs) error {
			return customSchema.Read(iotest.OneByteReader(bytes.NewReader(b)), v)
		},
		"ahead": func(b []byte, v *customs) error { return customSchema.Reader(bytes.NewReader(b)).Next(v) },
	}
	for name, read := range sources {
		var got customs
		if err := read(b, &got); err != nil || !reflect.DeepEqual(got, v) {
			t.Errorf("%s: %+v %v", name, got, err)
		}
		for n := 1; n < len(b); n++ {
			if err := read(b[:n], new(customs)); !errors.Is(err, ErrShort) {
				t.Errorf("%s, cut at %d: %+v", name, n, err)
			}
		}
		if err := read([]byte("\x01\x01a\x02\x81\x82"), &got); !isError(err, ErrShort, "list[0]", 4) {
			t.Errorf("%s: %+v", name, err)
		}
		if err := read([]byte("\x01\x01a\x02\x01\x0d"), &got); !isError(err, errOdd, "list[1]", 5) {
			t.Errorf("%s: %+v", name, err)
		}
	}
	if _, err := customSchema.Parse([]byte("\x01\x00\xff\x01"), new(customs)); !isError(err, ErrShort, "list", 2) {
		t.Errorf("%+v: as many elements as can be there, each of a byte at least", err)
	}
	v.List[2] = 13
	dst := []byte("dst")
	if b, err := customSchema.Append(dst, &v); !isError(err, errOdd, "list[2]", -1) || string(b) != "dst" {
		t.Errorf("%q %+v", b, err)
	}
	if b, err := customSchema.Append(dst, &customs{A: 1}); err != nil || string(b) != "dst\x01\x00\x00\x00\x00" {
		t.Errorf("%q %+v", b, err)
	}
}

// A Custom field can cover the whole struct, and can have no bytes. The path of an Error that its
// function returns is appended to the path of the field.
func TestCustomOfWhole(t *testing.T) {
	self := func(c *customs) *customs { return c }
	var parsed []string
	mark := func(name string) Field[customs] {
		return F(name, self, Custom(name, 0, func(dst []byte, c *customs) ([]byte, error) { return dst, nil }, func(_ io.Reader, c *customs) error {
			parsed = append(parsed, name+c.Text)
			return nil
		}))
	}
	inner := F("inner", self, Custom("inner", 0, func(dst []byte, c *customs) ([]byte, error) { return customSchema.Append(dst, c) },
		func(r io.Reader, c *customs) error { return customSchema.Read(r, c) }))
	s := Struct(mark("before"), F("text", func(c *customs) *string { return &c.Text }, Str8), mark("after"), inner)
	b, err := s.Append(nil, &customs{Text: "x", List: []uint64{7}})
	if err != nil || string(b) != "\x01x\x00\x01x\x01\x07\x00\x00" {
		t.Fatalf("%q %v", b, err)
	}
	var v customs
	if err := s.Read(strings.NewReader(string(b)), &v); err != nil || v.List[0] != 7 || strings.Join(parsed, " ") != "before afterx" {
		t.Errorf("%+v %q %v", v, parsed, err)
	}
	for n := 2; n < len(b); n++ {
		if _, err := s.Parse(b[:n], &v); !errors.Is(err, ErrShort) {
			t.Errorf("cut at %d: %+v", n, err)
		}
	}
	if _, err := s.Parse([]byte("\x01x\x00\x01x\x01\x0d"), &v); !isError(err, errOdd, "inner.list[0]", 6) {
		t.Errorf("%+v", err)
	}
	if _, err := s.Append(nil, &customs{Text: "x", List: []uint64{13}}); !isError(err, errOdd, "inner.list[0]", 6) {
		t.Errorf("%+v", err)
	}
}

// The reader of a Custom returns all requested bytes that exist, and then the error.
func TestCustomReads(t *testing.T) {
	broken := errors.New("broken")
	var got [][]byte
	var errs []error
	s, err := Of(Custom("all", 0, func(dst []byte, v *int) ([]byte, error) { return dst, nil }, func(r io.Reader, v *int) error {
		got, errs = nil, nil
		for range 3 {
			b := make([]byte, 4)
			n, err := r.Read(b)
			got, errs = append(got, b[:n]), append(errs, err)
		}
		n, err := r.Read(nil)
		if n != 0 || err != nil {
			t.Errorf("reading nothing: %d %v", n, err)
		}
		return nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	check := func(name string, err, end error) {
		t.Helper()
		if err != nil || string(bytes.Join(got, []byte("|"))) != "abcd|e|" || !reflect.DeepEqual(errs, []error{nil, nil, end}) {
			t.Errorf("%s: %q %v %v", name, got, errs, err)
		}
	}
	rest, err := s.Parse([]byte("abcde"), new(int))
	check("bytes", err, io.EOF)
	if len(rest) > 0 {
		t.Errorf("%q is left", rest)
	}
	check("stream", s.Read(iotest.HalfReader(strings.NewReader("abcde")), new(int)), io.EOF)
	check("broken", s.Read(io.MultiReader(strings.NewReader("abcde"), iotest.ErrReader(broken)), new(int)), broken)
	for name, bad := range map[string]Type[int]{
		"no name":           Custom("", 0, func(b []byte, _ *int) ([]byte, error) { return b, nil }, func(io.Reader, *int) error { return nil }),
		"less than nothing": Custom("x", -1, func(b []byte, _ *int) ([]byte, error) { return b, nil }, func(io.Reader, *int) error { return nil }),
		"no functions":      Custom[int]("x", 0, nil, nil),
	} {
		if _, err := Of(bad); err == nil {
			t.Errorf("%s: it is taken", name)
		}
	}
}

// A Custom may read with a schema that contains Customs. The depth of such nesting is limited by
// that schema's MaxDepth. MaxItems limits the total number of its elements without bytes, whatever
// the length of the input.
func TestCustomNested(t *testing.T) {
	type onion struct{ Inner *onion }
	var s *Schema[onion]
	s = Struct(F("inner", func(o *onion) **onion { return &o.Inner }, Opt(Custom("onion", 1,
		func(dst []byte, o *onion) ([]byte, error) { return s.Append(dst, o) },
		func(r io.Reader, o *onion) error { return s.Read(r, o) }))))
	layers := func(n int) []byte { return append(bytes.Repeat([]byte{1}, n), 0) }
	if err := s.Unmarshal(layers(64), new(onion)); err != nil {
		t.Error(err)
	}
	if err := s.Unmarshal(layers(65), new(onion)); !isError(err, ErrDepth, strings.Repeat("inner.", 64)+"inner", 65) {
		t.Errorf("%+v", err)
	}
	if err := s.Read(bytes.NewReader(layers(1000)), new(onion)); !errors.Is(err, ErrDepth) {
		t.Errorf("%+v", err)
	}

	type wide struct{ _ [64]byte }
	type crowd struct{ All []wide }
	none := Struct(F("all", func(c *crowd) *[]wide { return &c.All }, List(H16, Part[wide]())))
	many := Struct(F("crowds", func(c *[]crowd) *[]crowd { return c }, List(H16, Custom("crowd", 2,
		func(dst []byte, c *crowd) ([]byte, error) { return none.Append(dst, c) },
		func(r io.Reader, c *crowd) error { return none.Read(r, c) }))))
	if err := many.Unmarshal([]byte("\x02\x00\xff\xff\x01\x00"), new([]crowd)); err != nil {
		t.Error(err)
	}
	if err := many.Unmarshal([]byte("\x02\x00\xff\xff\x02\x00"), new([]crowd)); !isError(err, ErrItems, "crowds[1].all", 4) {
		t.Errorf("%+v", err)
	}
}

// An append function that returns fewer bytes than the Custom's minimum, or a result without dst,
// is an error, and nothing is written.
func TestCustomAppendsTooLittle(t *testing.T) {
	parse := func(io.Reader, *int) error { return nil }
	for name, append := range map[string]func(dst []byte, v *int) ([]byte, error){
		"one byte": func(dst []byte, _ *int) ([]byte, error) { return append(dst, 1), nil },
		"no dst":   func([]byte, *int) ([]byte, error) { return []byte{1, 2}, nil },
		"nothing":  func([]byte, *int) ([]byte, error) { return nil, nil },
	} {
		s := Struct(
			F("before", func(p *[2]int) *int { return &p[0] }, Int),
			F("n", func(p *[2]int) *int { return &p[1] }, Custom("two", 2, append, parse)))
		if b, err := s.Append([]byte("dst"), new([2]int)); err == nil || string(b) != "dst" || !strings.HasPrefix(err.Error(), "schema: n: custom two appended ") {
			t.Errorf("%s: %q, %v", name, b, err)
		}
	}
}

// The shape of a Custom consists of its name, which may contain any characters, and its minimum
// size.
func TestCustomShape(t *testing.T) {
	appendNothing, parseNothing := func(dst []byte, _ *int) ([]byte, error) { return dst, nil }, func(io.Reader, *int) error { return nil }
	type one struct{ N int }
	shapeOf := func(name string, least int) *Shape {
		return Struct(F("n", func(o *one) *int { return &o.N }, Custom(name, least, appendNothing, parseNothing))).Shape()
	}
	for _, name := range []string{"a", "a b", `"`, "a:1", "(,)", "^0", "é", "\x00"} {
		s := shapeOf(name, 3)
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var fromJSON Shape
		if err := json.Unmarshal(text, &fromJSON); err != nil || fromJSON.String() != s.String() {
			t.Errorf("%s: %s, %v", text, &fromJSON, err)
		}
		fromText, err := ParseShape(s.String())
		if err != nil || fromText.String() != s.String() {
			t.Errorf("%s: %v, %v", s, fromText, err)
		}
		for p := range fromText.Fields() {
			if p.Kind() != KindCustom || p.Custom() != name || p.Least() != 3 {
				t.Errorf("%s: %v %q %d", s, p.Kind(), p.Custom(), p.Least())
			}
		}
		if v, err := Compat(s, fromText); v != Equal {
			t.Error(v, err)
		}
		for _, other := range []*Shape{shapeOf(name, 4), shapeOf(name+"x", 3)} {
			if v, err := Compat(s, other); v != Incompatible || err == nil {
				t.Errorf("%s and %s: %v", s, other, v)
			}
		}
	}
	for _, text := range []string{"{a custom:x}", "{a custom1}", "{a custom1:}", "{a custom-1:x}", `{a custom1:"x}`, "{a custom1:x(u8)}"} {
		if s, err := ParseShape(text); err == nil {
			t.Errorf("%s is %s", text, s)
		}
	}
}
