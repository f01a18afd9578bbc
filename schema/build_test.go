package schema

import (
	"strings"
	"testing"
	"time"
)

type inner struct {
	X, Y uint16
}

type odd struct {
	A, B  uint16
	In    inner
	List  [3]inner
	Ptr   *inner
	Slice []uint16
	Flag  bool
	Text  string
}

// Build reports all mistakes in one error, each with the name of its field.
func TestMistakes(t *testing.T) {
	a := func(o *odd) *uint16 { return &o.A }
	tail := Struct(F("x", func(i *inner) *uint16 { return &i.X }, U16), Tail(F("y", func(i *inner) *uint16 { return &i.Y }, U16)))
	_, err := Build(
		F("a", a, U16),
		F("a", func(o *odd) *uint16 { return &o.B }, U16),
		F("again", a, U16BE),
		F("", func(o *odd) *bool { return &o.Flag }, Bool),
		F[odd]("nil", nil, U16),
		F("zero", func(o *odd) *string { return &o.Text }, Type[string]{}),
		F("in", func(o *odd) *inner { return &o.In }, tail.Type()),
		F("list", func(o *odd) *[3]inner { return &o.List }, Array[[3]inner](U16)),
		F("slice", func(o *odd) *[]uint16 { return &o.Slice }, List(Header(99), As[uint16](Str8))),
		Get("get", U8, func(*odd) uint8 { return 0 }, nil),
		Skip[odd](-1),
		Tail(F("ptr", func(o *odd) **inner { return &o.Ptr }, Opt(Self[inner]()))),
		F("late", func(o *odd) *uint16 { return &o.In.Y }, U16))
	if err == nil {
		t.Fatal("no mistakes")
	}
	want := []string{
		"schema: schema.odd: Self[schema.inner] is not inside a schema of schema.inner",
		"schema: schema.odd.a: two fields have this name",
		"schema: schema.odd.again: it has the same memory as a",
		"schema: schema.odd: a field has no name",
		"schema: schema.odd.nil: its accessor is nil",
		"schema: schema.odd.zero: its Type is the zero value",
		"schema: schema.odd.in: it has a Tail, which only a whole message may have",
		"schema: schema.odd.list: [3]schema.inner is no array of uint16",
		"schema: schema.odd.slice: header 99 does not exist",
		"schema: schema.odd.slice: uint16 cannot stand for string: their memory layouts differ",
		"schema: schema.odd.get: its getter or setter is nil",
		"schema: schema.odd: Skip takes 0 to 1,048,576 bytes",
		"schema: schema.odd.late: it follows a Tail",
		"schema: schema.odd.late: it has the same memory as in",
	}
	got := strings.Split(err.Error(), "\n")
	for _, w := range want {
		found := false
		for _, g := range got {
			found = found || g == w
		}
		if !found {
			t.Errorf("missing: %s", w)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d mistakes, want %d:\n%v", len(got), len(want), err)
	}
	defer func() {
		if recover() == nil {
			t.Error("Struct does not panic")
		}
	}()
	Struct(F("", a, U16))
}

// Build rejects a struct that always contains another value of its own type.
func TestEndless(t *testing.T) {
	_, err := Build(Get("self", Self[inner](), func(i *inner) inner { return *i }, func(i *inner, v inner) { *i = v }))
	if err == nil || !strings.Contains(err.Error(), "so the message has no end") {
		t.Error(err)
	}
}

// Build compiles an accessor to an offset only if the accessor selects a field.
func TestAccessors(t *testing.T) {
	var outside uint16
	calls := 0
	for name, c := range map[string]struct {
		at     func(*odd) *uint16
		offset bool
	}{
		"a field":            {func(o *odd) *uint16 { return &o.A }, true},
		"of a struct":        {func(o *odd) *uint16 { return &o.In.Y }, true},
		"of an element":      {func(o *odd) *uint16 { return &o.List[2].X }, true},
		"behind a pointer":   {func(o *odd) *uint16 { return &o.Ptr.X }, false},
		"in a slice":         {func(o *odd) *uint16 { return &o.Slice[0] }, false},
		"outside":            {func(o *odd) *uint16 { return &outside }, false},
		"new":                {func(o *odd) *uint16 { return new(uint16) }, false},
		"nil":                {func(o *odd) *uint16 { return nil }, false},
		"made when missing":  {func(o *odd) *uint16 { o.Ptr = &inner{}; return &o.Ptr.X }, false},
		"by a flag":          {func(o *odd) *uint16 { return []*uint16{&o.A, &o.B}[b2i(o.Flag)] }, false},
		"by a number":        {func(o *odd) *uint16 { return []*uint16{&o.A, &o.B}[b2i(o.In.X > 3)] }, false},
		"by a text":          {func(o *odd) *uint16 { return []*uint16{&o.A, &o.B}[b2i(o.Text == "")] }, false},
		"by a pointer":       {func(o *odd) *uint16 { return []*uint16{&o.A, &o.B}[b2i(o.Ptr == nil)] }, false},
		"by a slice":         {func(o *odd) *uint16 { return []*uint16{&o.A, &o.B}[b2i(len(o.Slice) > 1)] }, false},
		"by the field":       {func(o *odd) *uint16 { return []*uint16{&o.A, &o.B}[b2i(o.A > 0)] }, false},
		"by turns":           {func(o *odd) *uint16 { calls++; return []*uint16{&o.A, &o.B}[calls%2] }, false},
		"by later turns":     {func(o *odd) *uint16 { calls++; return []*uint16{&o.A, &o.B}[calls/3%2] }, false},
		"into the next word": {func(o *odd) *uint16 { return &(*[2]inner)(o.List[1:])[1].Y }, true},
	} {
		if _, ok := offsetOf(c.at); ok != c.offset {
			t.Errorf("%s: an offset: %v", name, ok)
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// A called accessor can allocate the target of a pointer, and return a field of the target. Its
// value is read and written in the order of the fields.
func TestCalledAccessor(t *testing.T) {
	s := Struct(
		F("a", func(o *odd) *uint16 { return &o.A }, U16),
		F("in", func(o *odd) *inner {
			if o.Ptr == nil {
				o.Ptr = new(inner)
			}
			return o.Ptr
		}, Part(F("x", func(i *inner) *uint16 { return &i.X }, U16), F("y", func(i *inner) *uint16 { return &i.Y }, U16BE))),
		F("b", func(o *odd) *uint16 { return &o.B }, U16))
	v := odd{A: 1, B: 4, Ptr: &inner{2, 3}}
	b, err := s.Append(nil, &v)
	if err != nil || string(b) != "\x01\x00\x02\x00\x00\x03\x04\x00" {
		t.Fatalf("%x %v", b, err)
	}
	var got odd
	if _, err := s.Parse(b, &got); err != nil || got.A != 1 || got.B != 4 || *got.Ptr != *v.Ptr {
		t.Errorf("%+v %v", got, err)
	}
	checkPath(t, s, b[:5], "in.y", 4)
}

// Fields that Get returns are written and read by their functions. The test covers every kind that
// has its own code path.
func TestComputed(t *testing.T) {
	type person struct {
		first, last string
		born        time.Time
		pets        map[string]inner
		old         bool
		money       float32
		age         int64
	}
	s := Struct(
		Get("name", Str8, func(p *person) string { return p.first + " " + p.last }, func(p *person, s string) {
			p.first, p.last, _ = strings.Cut(s, " ")
		}),
		Get("born", Time, func(p *person) time.Time { return p.born }, func(p *person, t time.Time) { p.born = t }),
		Get("pets", Map(H8, Str8, Part(F("x", func(i *inner) *uint16 { return &i.X }, U16))),
			func(p *person) map[string]inner { return p.pets }, func(p *person, m map[string]inner) { p.pets = m }),
		Get("old", Bool, func(p *person) bool { return p.old }, func(p *person, v bool) { p.old = v }),
		Get("money", F32BE, func(p *person) float32 { return p.money }, func(p *person, v float32) { p.money = v }),
		Get("age", As[int64](U8), func(p *person) int64 { return p.age }, func(p *person, v int64) { p.age = v }),
		Tail(Get("last", Str8, func(p *person) string { return p.last }, func(p *person, s string) { p.last = s })))
	v := person{"a", "b", time.Unix(1, 2).UTC(), map[string]inner{"c": {5, 0}}, true, 1.5, 255}
	b, err := s.Append(nil, &v)
	want := "\x03a b" + "\x02\xca\x9a\x3b\x00\x00\x00\x00" + "\x01\x01c\x05\x00" + "\x01" + "\x3f\xc0\x00\x00" + "\xff" + "\x01b"
	if err != nil || string(b) != want {
		t.Fatalf("%q %v", b, err)
	}
	for n := range b {
		var p person
		_, err := s.Parse(b[:n], &p)
		if whole := n == len(b)-2; (err == nil) != whole || whole && p.last != "" {
			t.Errorf("cut at %d: %v", n, err)
		}
	}
	first := person{pets: v.pets}
	if _, err := s.Parse(b, &first); err != nil || first.first != "a" || first.last != "b" || !first.born.Equal(v.born) || !first.old || first.money != 1.5 || first.age != 255 {
		t.Errorf("%+v %v", first, err)
	}
	var second person
	if _, err := s.Parse(b, &second); err != nil || second.pets["c"].X != 5 {
		t.Fatal(second, err)
	}
	second.pets["d"] = inner{}
	if len(first.pets) != 1 {
		t.Error("two messages share what a setter took")
	}
	v.age = 256
	if _, err := s.Append(nil, &v); !isError(err, ErrOverflow, "age", len(want)-3) {
		t.Errorf("%+v", err)
	}
}

type tree2 struct {
	Value uint8
	Left  *tree2
	More  []tree2
	Other *branch
}

type branch struct {
	Back *tree2
	Self *branch
}

// Recursive types round-trip, even if they are recursive through other types.
func TestSelf(t *testing.T) {
	s := Struct(
		F("value", func(t *tree2) *uint8 { return &t.Value }, U8),
		F("left", func(t *tree2) **tree2 { return &t.Left }, Opt(Self[tree2]())),
		F("more", func(t *tree2) *[]tree2 { return &t.More }, List(H8, Self[tree2]())),
		F("other", func(t *tree2) **branch { return &t.Other }, Opt(Part(
			F("back", func(b *branch) **tree2 { return &b.Back }, Opt(Self[tree2]())),
			F("self", func(b *branch) **branch { return &b.Self }, Opt(Self[branch]()))))))
	if got, want := s.String(), "{value u8, left opt(^0), more list8(^0), other opt({back opt(^1), self opt(^0)})}"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	v := tree2{1, &tree2{Value: 2}, []tree2{{Value: 3}, {Value: 4}}, &branch{&tree2{Value: 5}, &branch{Back: &tree2{Value: 6}}}}
	b, err := s.Append(nil, &v)
	want := "\x01" + "\x01\x02\x00\x00\x00" + "\x02" + "\x03\x00\x00\x00" + "\x04\x00\x00\x00" + "\x01" + "\x01\x05\x00\x00\x00" + "\x01" + "\x01\x06\x00\x00\x00" + "\x00"
	if err != nil || string(b) != want {
		t.Fatalf("%q %v", b, err)
	}
	var got tree2
	if _, err := s.Parse(b, &got); err != nil {
		t.Fatal(err)
	}
	if again, err := s.Append(nil, &got); err != nil || string(again) != want {
		t.Errorf("%q %v", again, err)
	}
	checkPath(t, s, b[:4], "left.more", 4)
	checkPath(t, s, b[:12], "more", 6) // the count says that two elements of at least four bytes follow
	checkPath(t, s, b[:24], "other.self.back.left", 24)
	v.Left = &v
	if _, err := s.Append(nil, &v); !isError(err, ErrDepth, strings.Repeat("left.", 64)+"left", -1) {
		t.Errorf("a circle: %+v", err)
	}
	deep := append(strings.Split(strings.Repeat("\x01\x01,", 10), ","), "\x01\x00\x00\x00"+strings.Repeat("\x00\x00", 10))
	if _, err := s.With(MaxDepth(10)).Parse([]byte(strings.Join(deep, "")), &got); err != nil {
		t.Errorf("%+v", err)
	}
	if _, err := s.With(MaxDepth(9)).Parse([]byte(strings.Join(deep, "")), &got); !isError(err, ErrDepth, strings.Repeat("left.", 9)+"left", 20) {
		t.Errorf("%+v", err)
	}
}
