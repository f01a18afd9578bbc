package schema

// These tests check that this package does not repeat the bugs of Parco. The tests are in the order
// in which the bugs were found.

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

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

type wide struct{ A, B, C, D, E, F, G, H uint64 }

// Parse allocates nothing for a count of elements that exceeds the rest of the input. The same
// holds for a count of elements without bytes that exceeds MaxItems.
func TestCountsDoNotAllocate(t *testing.T) {
	type list struct{ Wide []wide }
	elements := Part(F("a", func(w *wide) *uint64 { return &w.A }, U64))
	s := Struct(F("wide", func(l *list) *[]wide { return &l.Wide }, List(H32, elements)))
	empty := Struct(F("wide", func(l *list) *[]wide { return &l.Wide }, List(H32, Part(Skip[wide](0)))))
	var v list
	for _, c := range []struct {
		s     *Schema[list]
		b     string
		cause error
	}{{s, "\x40\x42\x0f\x00", ErrShort}, {s, "\xff\xff\xff\xff", ErrShort}, {empty, "\xff\xff\xff\xff", ErrItems}} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := c.s.Parse([]byte(c.b), &v); !isError(err, c.cause, "wide", 0) {
			t.Errorf("%x: %+v", c.b, err)
		}
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > 64<<10 {
			t.Errorf("%x allocates %d bytes", c.b, got)
		}
	}
	if _, err := empty.With(MaxItems(3)).Parse([]byte("\x03\x00\x00\x00"), &v); err != nil || len(v.Wide) != 3 {
		t.Error(err)
	}
	if _, err := empty.With(MaxItems(2)).Parse([]byte("\x03\x00\x00\x00"), &v); !errors.Is(err, ErrItems) {
		t.Error(err)
	}
	type lists struct{ Lists []list }
	many := Struct(F("lists", func(l *lists) *[]list { return &l.Lists }, List(H8, empty.Type())))
	two := []byte("\x02\x02\x00\x00\x00\x02\x00\x00\x00")
	if _, err := many.With(MaxItems(3)).Parse(two, new(lists)); !isError(err, ErrItems, "lists[1].wide", 5) {
		t.Errorf("over two lists: %+v", err)
	}
}

// Skipped bytes are written as zeros. Any number of bytes from 0 to maxSkip can be skipped.
func TestSkippedBytes(t *testing.T) {
	type one struct{ A uint8 }
	for _, n := range []int{0, 1, 3, 4096, 4097, 9000, maxSkip} {
		s := Struct(Skip[one](n), F("a", func(o *one) *uint8 { return &o.A }, U8), Skip[one](n))
		b, err := s.Append(bytes.Repeat([]byte{9}, 5)[:0], &one{7})
		if want := append(append(make([]byte, n), 7), make([]byte, n)...); err != nil || !bytes.Equal(b, want) {
			t.Fatalf("%d: %v", n, err)
		}
		var v one
		for i := range b {
			b[i] |= 0x70
		}
		if rest, err := s.Parse(b, &v); err != nil || len(rest) > 0 || v.A != 0x77 {
			t.Errorf("%d: %v %v", n, v, err)
		}
		if n > 0 {
			if _, err := s.Parse(b[:2*n], &v); !errors.Is(err, ErrShort) {
				t.Errorf("%d: %v", n, err)
			}
		}
	}
}

// A string, blob, list or map that is too long for its header returns an error.
func TestHeadersAreChecked(t *testing.T) {
	type all struct {
		List []uint8
		Text string
		Blob []byte
		Map  map[int32]uint8
		Two  []uint16
	}
	check := func(h Header, most int) {
		s := Struct(
			F("text", func(a *all) *string { return &a.Text }, Str(h)),
			F("list", func(a *all) *[]uint8 { return &a.List }, List(h, U8)),
			F("blob", func(a *all) *[]byte { return &a.Blob }, Blob(h)),
			F("two", func(a *all) *[]uint16 { return &a.Two }, List(h, U16BE)),
			F("map", func(a *all) *map[int32]uint8 { return &a.Map }, Map(h, I32, U8)))
		m := make(map[int32]uint8)
		for i := range int32(most) {
			m[i] = 1
		}
		v := all{make([]uint8, most), strings.Repeat("x", most), make([]byte, most), m, make([]uint16, most)}
		b, err := s.Append(nil, &v)
		if err != nil {
			t.Fatalf("%v of %d: %v", h, most, err)
		}
		var got all
		if rest, err := s.Parse(b, &got); err != nil || len(rest) > 0 || !reflect.DeepEqual(got, v) {
			t.Errorf("%v of %d: %v", h, most, err)
		}
		for path, more := range map[string]func(a *all){
			"text": func(a *all) { a.Text += "x" }, "list": func(a *all) { a.List = append(a.List, 1) }, "blob": func(a *all) { a.Blob = append(a.Blob, 1) },
			"two": func(a *all) { a.Two = append(a.Two, 1) }, "map": func(a *all) {
				a.Map = map[int32]uint8{-1: 1}
				for k := range m {
					a.Map[k] = 1
				}
			},
		} {
			w := v
			more(&w)
			dst := []byte("dst")
			if b, err := s.Append(dst, &w); !isError(err, ErrOverflow, path, -1) || string(b) != "dst" {
				t.Errorf("%v of %d: %+v, %d bytes", h, most+1, err, len(b))
			}
		}
	}
	check(H8, 255)
	check(HI8, 127)
	check(H16, 65535)
	check(H16BE, 65535)
	check(HI16, 32767)
	check(HI16BE, 32767)
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

// The zero time round-trips. A time outside the range of the encoding returns ErrTime. A zone that
// a reader cannot load by its name returns ErrZone.
func TestZeroTimeAndZones(t *testing.T) {
	type times struct{ T time.Time }
	at := func(t *times) *time.Time { return &t.T }
	plain, zoned := Struct(F("t", at, Time)), Struct(F("t", at, TimeZone))
	newYork, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	first, last := time.Unix(-9223372037, 145224192), time.Unix(9223372036, 854775807)
	for _, c := range []struct {
		s      *Schema[times]
		t      time.Time
		cause  error
		suffix string
	}{
		{plain, time.Time{}, nil, "\x00\x00\x1a\x3d\xeb\x03\xb2\xa1"},
		{zoned, time.Time{}, nil, "\x01\x03UTC"},
		{plain, first, nil, ""},
		{plain, last, nil, ""},
		{plain, first.Add(-1), ErrTime, ""},
		{plain, last.Add(1), ErrTime, ""},
		{zoned, last.Add(1), ErrTime, ""},
		{plain, time.Unix(0, zeroNanos), ErrTime, ""},
		{plain, time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), ErrTime, ""},
		{plain, time.Now(), nil, ""},
		{plain, time.Unix(-1, 5), nil, ""},
		{plain, time.Unix(1, 2).In(newYork), nil, ""},
		{zoned, time.Unix(1, 2).In(newYork), nil, "\x01\x10America/New_York"},
		{zoned, time.Unix(1, 2).UTC(), nil, "\x01\x03UTC"},
		{zoned, time.Unix(1, 2), nil, "\x01\x05Local"},
		{zoned, time.Unix(1, 2).In(time.FixedZone("X+1", 3600)), ErrZone, ""},
		{zoned, time.Unix(1, 2).In(time.FixedZone("UTC", 3600)), ErrZone, ""},
		{zoned, time.Unix(1, 2).In(time.FixedZone(strings.Repeat("x", 300), 0)), ErrZone, ""},
	} {
		b, err := c.s.Append(nil, &times{c.t})
		if c.cause != nil {
			if !isError(err, c.cause, "t", 0) {
				t.Errorf("%v: %+v", c.t, err)
			}
			continue
		}
		if err != nil || !strings.HasSuffix(string(b), c.suffix) {
			t.Errorf("%v: %q %v", c.t, b, err)
			continue
		}
		var got times
		r := c.s.Reader(iotest.OneByteReader(iotest.DataErrReader(bytes.NewReader(b))))
		if err := r.Next(&got); err != nil || !got.T.Equal(c.t) || got.T.IsZero() != c.t.IsZero() {
			t.Errorf("%v came back as %v, %v", c.t, got.T, err)
		}
		zone := time.UTC
		if c.s == zoned {
			zone = c.t.Location()
		}
		if got.T.Location().String() != zone.String() {
			t.Errorf("%v came back in %v", c.t, got.T.Location())
		}
	}
	var got times
	if _, err := zoned.Parse([]byte("\x00\x00\x00\x00\x00\x00\x00\x00\x01\x03X+1"), &got); !isError(err, ErrZone, "t", 10) {
		t.Errorf("%+v", err)
	}
}

// After an error, dst is unchanged and Write has not called the io.Writer.
func TestNothingIsWrittenBeforeItIsChecked(t *testing.T) {
	v := exampleValue()
	v.Time = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
	var w bytes.Buffer
	if err := exampleSchema.Write(&w, &v); !isError(err, ErrTime, "time", 50) || w.Len() > 0 {
		t.Errorf("%+v, wrote %x", err, w.Bytes())
	}
	dst := []byte("dst")
	if b, err := exampleSchema.Append(dst, &v); err == nil || string(b) != "dst" {
		t.Errorf("%q %v", b, err)
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

// A chain of options that exceeds MaxDepth is rejected. See also TestSelf.
func TestDepthOfOptions(t *testing.T) {
	type chain struct{ Next *chain }
	s := Struct(F("next", func(c *chain) **chain { return &c.Next }, Opt(Self[chain]())))
	if _, err := s.Parse(bytes.Repeat([]byte{1}, 10_000_000), new(chain)); !errors.Is(err, ErrDepth) {
		t.Error(err)
	}
	if _, err := s.With(MaxDepth(1_000_000)).Parse(append(bytes.Repeat([]byte{1}, 100_000), 0), new(chain)); err != nil {
		t.Error(err)
	}
}

// An int is encoded in 8 bytes on every platform. A value that does not fit the platform's int
// returns ErrOverflow.
func TestIntsAre8Bytes(t *testing.T) {
	type number struct{ N int }
	s := Struct(F("n", func(n *number) *int { return &n.N }, Int))
	b, err := s.Append(nil, &number{-2})
	if err != nil || string(b) != "\xfe\xff\xff\xff\xff\xff\xff\xff" {
		t.Errorf("%x %v", b, err)
	}
	var v number
	if _, err := s.Parse(b, &v); err != nil || v.N != -2 {
		t.Error(v, err)
	}
	wide := []byte("\x00\x00\x00\x00\x01\x00\x00\x00")
	if _, err := s.Parse(wide, &v); isError(err, ErrOverflow, "n", 0) != (reflect.TypeFor[int]().Size() == 4) {
		t.Errorf("%d %v", v.N, err)
	}
}

// The pool does not keep the buffer of a long message.
func TestBuffersAreDropped(t *testing.T) {
	type text struct{ S string }
	s := Struct(F("s", func(t *text) *string { return &t.S }, Str32))
	for range 100 {
		if err := s.Write(io.Discard, &text{strings.Repeat("x", 1<<20)}); err != nil {
			t.Fatal(err)
		}
		p := buffers.Get().(*[]byte)
		if cap(*p) > maxPooled {
			t.Fatalf("a buffer of %d bytes is kept", cap(*p))
		}
		buffers.Put(p)
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
