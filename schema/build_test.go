package schema

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
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

// A missing option is an error unless it is in a Tail. Streams reject schemas with a Tail.
func TestOptionsAreNoTail(t *testing.T) {
	type user struct {
		Name  string
		Email *string
	}
	name := F("name", func(u *user) *string { return &u.Name }, Str8)
	email := F("email", func(u *user) **string { return &u.Email }, Opt(Str8))
	old, bare, tail := Struct(name), Struct(name, email), Struct(name, Tail(email))
	b, err := old.Append(nil, &user{Name: "hey"})
	if err != nil {
		t.Fatal(err)
	}
	checkPath(t, bare, b, "email", 4)
	text := "x"
	v := user{"", &text}
	if rest, err := tail.Parse(b, &v); err != nil || len(rest) > 0 || v.Name != "hey" || v.Email != nil {
		t.Errorf("%+v %v", v, err)
	}
	for range 2 {
		b = append(b, b...)
	}
	if err := bare.Reader(bytes.NewReader(b)).Next(&v); err == nil {
		t.Error("the next message was taken for an option")
	}
	if err := tail.Reader(bytes.NewReader(b)).Next(&v); !errors.Is(err, ErrEnd) {
		t.Error(err)
	}
	for _, err := range tail.ParseAll(b) {
		if !errors.Is(err, ErrEnd) {
			t.Error(err)
		}
	}
	new, err := tail.Append(nil, &user{"hey", &text})
	if err != nil {
		t.Fatal(err)
	}
	if rest, err := old.Parse(new, &v); err != nil || string(rest) != "\x01\x01x" {
		t.Errorf("an old reader leaves %q, %v", rest, err)
	}
}

// With SortMaps, equal values have equal encodings. If a key is repeated, the last value wins. A
// nil map, list or blob is encoded like an empty one.
func TestOrderOfMaps(t *testing.T) {
	type maps struct {
		Map  map[string]map[uint16]string
		List []string
		Blob []byte
	}
	s := Struct(
		F("map", func(m *maps) *map[string]map[uint16]string { return &m.Map }, Map(H8, Str8, Map(H8, U16BE, Str8))),
		F("list", func(m *maps) *[]string { return &m.List }, List(H8, Str8)),
		F("blob", func(m *maps) *[]byte { return &m.Blob }, Blob(H8)))
	v := maps{Map: map[string]map[uint16]string{"b": {3: "x", 1: "y", 2: ""}, "a": {9: "z"}, "": nil, "aa": {}}}
	sorted := s.With(SortMaps)
	const want = "\x04" + "\x00\x00" + "\x01a\x01\x00\x09\x01z" + "\x01b\x03\x00\x01\x01y\x00\x02\x00\x00\x03\x01x" + "\x02aa\x00" + "\x00\x00"
	for range 20 {
		if b, err := sorted.Append(nil, &v); err != nil || string(b) != want {
			t.Fatalf("%q %v", b, err)
		}
	}
	var got maps
	if _, err := s.Parse([]byte("\x02\x01a\x01\x00\x01\x01x\x01a\x01\x00\x02\x01y\x00\x00"), &got); err != nil || len(got.Map) != 1 || got.Map["a"][2] != "y" {
		t.Error(got, err)
	}
	// An empty map, list or blob in the input leaves a nil target nil, and empties a target that is
	// not nil.
	nothing := []byte("\x00\x00\x00")
	v = maps{}
	if _, err := s.Parse(nothing, &v); err != nil || v.Map != nil || v.List != nil || v.Blob != nil {
		t.Error(v, err)
	}
	v = maps{map[string]map[uint16]string{"a": nil}, []string{"a"}, []byte("a")}
	if _, err := s.Parse(nothing, &v); err != nil || v.Map == nil || v.List == nil || v.Blob == nil || len(v.Map)+len(v.List)+len(v.Blob) > 0 {
		t.Error(v, err)
	}
	for _, empty := range []maps{{}, v} {
		if b, err := s.Append(nil, &empty); err != nil || !bytes.Equal(b, nothing) {
			t.Errorf("%x %v", b, err)
		}
	}
}

// Maps, lists, arrays, options and structs can be nested in each other.
func TestAllTypesNest(t *testing.T) {
	type nest struct {
		Map  map[string][]*inner
		List [][][]byte
		Arr  [2][]map[uint8]*[3]bool
	}
	in := Part(F("x", func(i *inner) *uint16 { return &i.X }, U16), F("y", func(i *inner) *uint16 { return &i.Y }, U16))
	s := Struct(
		F("map", func(n *nest) *map[string][]*inner { return &n.Map }, Map(H8, Str8, List(H16BE, Opt(in)))),
		F("list", func(n *nest) *[][][]byte { return &n.List }, List(H8, List(H8, Blob(H32)))),
		F("arr", func(n *nest) *[2][]map[uint8]*[3]bool { return &n.Arr }, Array[[2][]map[uint8]*[3]bool](List(H8, Map(H8, U8, Opt(Array[[3]bool](Bool)))))))
	v := nest{map[string][]*inner{"a": {nil, {1, 2}}}, [][][]byte{{{1}, {2, 3}}, {{4}}},
		[2][]map[uint8]*[3]bool{{{1: nil}, {2: {true, false, true}}}, {{3: {}}}}}
	b, err := s.Append(nil, &v)
	var got nest
	if err != nil {
		t.Fatal(err)
	}
	if rest, err := s.Parse(b, &got); err != nil || len(rest) > 0 || !reflect.DeepEqual(got, v) {
		t.Errorf("%+v %v", got, err)
	}
	bad := slices.Clone(b)
	bad[len(bad)-1] = 2
	if _, err := s.Parse(bad, &got); !isError(err, ErrBool, "arr[1][0][0][2]", len(b)-1) {
		t.Errorf("%+v", err)
	}
}

// Using a type in a second schema, or calling With, does not change the first schema.
func TestSchemasNeverChange(t *testing.T) {
	before := animalSchema.String()
	a := func(a *animal) *uint8 { return &a.Age }
	one := Struct(F("age", a, U8))
	other := Struct(F("specie", func(a *animal) *string { return &a.Specie }, Str8), F("age", a, U8), Skip[animal](1))
	set := animalSchema.With(MaxBytes(1), Alias, SortMaps)
	if animalSchema.String() != before || one.String() != "{age u8}" || other.String() != "{specie str8, age u8, skip1}" {
		t.Error(animalSchema, one, other)
	}
	if _, err := set.Parse([]byte("\x03cat\x03"), new(animal)); !isError(err, ErrSize, "specie", 0) {
		t.Errorf("%+v", err)
	}
	if _, err := animalSchema.Parse([]byte("\x03cat\x03"), new(animal)); err != nil {
		t.Error(err)
	}
}
