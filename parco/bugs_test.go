package parco_test

// These tests check that this package does not repeat the bugs of Parco. They follow the order of
// bugs_test.go in package schema.

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	. "github.com/slipstream-go/slipstream/parco"
	"github.com/slipstream-go/slipstream/schema"
)

// A truncated message returns an error with path and offset, wherever it was cut.
func TestErrorsAreNotSwallowed(t *testing.T) {
	b := fromHex(exampleBytes)
	parser := exampleBuilder().Parser()
	for name, parse := range map[string]func(b []byte) (Example, error){
		"bytes":  parser.ParseBytes,
		"buffer": func(b []byte) (Example, error) { return parser.Parse(bytes.NewBuffer(b)) },
		"reader": func(b []byte) (Example, error) { return parser.Parse(reader(b)) },
	} {
		for n := range b {
			v, err := parse(b[:n])
			var e *schema.Error
			if !errors.As(err, &e) || !errors.Is(err, ErrCannotRead) || !reflect.ValueOf(v).IsZero() {
				t.Errorf("%s, cut at %d: %+v, %+v", name, n, v, err)
			} else if end := n == 0 && name != "bytes"; errors.Is(err, io.EOF) != end || errors.Is(err, schema.ErrShort) == end || (e.Path == "") != end {
				t.Errorf("%s, cut at %d: %+v", name, n, err)
			}
		}
		if _, err := parse(b[:20]); !isError(err, schema.ErrShort, "#6.#1", 19) {
			t.Errorf("%s: %+v", name, err)
		}
		if _, err := parse(b[:36]); !isError(err, schema.ErrShort, "#8", 33) {
			t.Errorf("%s: %+v", name, err)
		}
	}
	if _, err := parser.Parse(iotest.ErrReader(io.ErrClosedPipe)); !errors.Is(err, io.ErrClosedPipe) || errors.Is(err, ErrCannotRead) {
		t.Errorf("%+v", err)
	}
}

type wide struct{ A, B, C, D, E, F, G, H uint64 }

// Parse allocates nothing for a count of elements that exceeds the rest of the input. The same
// holds for a count of elements without bytes that exceeds the limit.
func TestCountsDoNotAllocate(t *testing.T) {
	full := Builder[wide](nil).UInt64(le, func(w *wide) uint64 { return w.A }, func(w *wide, v uint64) { w.A = v })
	for name, c := range map[string]struct {
		tp SliceType[wide]
		is error
	}{
		"elements": {Slice(UInt32LEHeader(), Struct(full)), ErrCannotRead},
		"empty":    {Slice(UInt32LEHeader(), Struct(Builder[wide](nil))), ErrOverflow},
		"skipped":  {Slice(UInt32LEHeader(), Struct(Builder[wide](nil).Skip(0))), ErrOverflow},
		"foreign":  {Slice[wide](foreignHeader{}, Struct(full)), ErrCannotRead},
		"both":     {Slice[wide](foreignHeader{}, Struct(Builder[wide](nil))), ErrOverflow},
	} {
		for _, b := range []string{"\x40\x42\x0f\x00", "\xff\xff\xff\xff"} {
			c.tp.Parse(reader(nil)) // builds the schema of the type
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if _, err := c.tp.Parse(reader([]byte(b))); !errors.Is(err, c.is) && !(b[0] == 0xff && errors.Is(err, ErrOverflow)) {
				t.Errorf("%s, %x: %+v", name, b, err)
			}
			runtime.ReadMemStats(&after)
			if got := after.TotalAlloc - before.TotalAlloc; got > 64<<10 {
				t.Errorf("%s, %x allocates %d bytes", name, b, got)
			}
		}
	}
}

// Skipped bytes are written as zeros. Any number of bytes can be skipped.
func TestSkippedBytes(t *testing.T) {
	for _, n := range []int{0, 1, 3, 8192, 8193, 100_000} {
		b := animalBuilder().Skip(n).Int8(func(a *Animal) int8 { return -1 }, func(*Animal, int8) {})
		got := compiled(t, b, Animal{3, "cat"})
		if want := append(append([]byte("\x03cat\x03"), make([]byte, n)...), 255); !bytes.Equal(got, want) {
			t.Fatalf("%d: %d bytes", n, len(got))
		}
		for k := range n {
			got[5+k] = 9
		}
		if v, err := b.Parse(reader(got)); err != nil || v != (Animal{3, "cat"}) {
			t.Errorf("%d: %v %v", n, v, err)
		}
		p := ParserModel[Animal](nil).SmallVarchar(func(a *Animal, v string) { a.Specie = v }).Skip(1 + n)
		if v, err := p.ParseBytes(got); err != nil || v.Specie != "cat" {
			t.Errorf("%d: %v %v", n, v, err)
		}
		c := CompilerModel[Animal]().Field(DefaultSkipField[Animal](n))
		if got := compiled(t, c, Animal{}); !bytes.Equal(got, make([]byte, n)) {
			t.Errorf("%d: %x", n, got)
		}
		if v, err := SkipType(n).Parse(bytes.NewReader(make([]byte, n))); v != nil || err != nil {
			t.Errorf("%d: %v %v", n, v, err)
		}
	}
}

// A value that is too long for its header returns an error and is not written.
func TestHeadersAreChecked(t *testing.T) {
	for _, c := range []struct {
		name   string
		header IntType
		most   int
	}{
		{"UInt8Header", UInt8Header(), 255}, {"Int8Header", Int8Header(), 127},
		{"UInt16HeaderLE", UInt16HeaderLE(), 65535}, {"UInt16HeaderBE", UInt16HeaderBE(), 65535},
		{"Int16LEHeader", Int16LEHeader(), 32767}, {"Int16BEHeader", Int16BEHeader(), 32767},
	} {
		for _, more := range []int{1, 2} {
			var w bytes.Buffer
			n := c.most + more
			for what, err := range map[string]error{
				"header": c.header.Compile(n, &w),
				"slice":  Slice(c.header, UInt8()).Compile(SliceView[uint8](make([]uint8, n)), &w),
				"wide":   Slice(c.header, UInt16BE()).Compile(SliceView[uint16](make([]uint16, n)), &w),
				"string": String(c.header).Compile(strings.Repeat("x", n), &w),
				"blob":   Blob(c.header).Compile(make([]byte, n), &w),
			} {
				path := map[string]string{"slice": "items", "wide": "items"}[what]
				if !isError(err, ErrOverflow, path, 0) || w.Len() > 0 {
					t.Errorf("%s, %s of %d: %+v, %d bytes", c.name, what, n, err, w.Len())
				}
			}
		}
		if err := c.header.Compile(c.most, io.Discard); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if _, err := Slice(Int8Header(), UInt8()).Parse(reader([]byte{0xff})); !errors.Is(err, ErrOverflow) {
		t.Errorf("a negative length: %v", err)
	}
	if err := UInt64LEHeader().Compile(-1, io.Discard); !errors.Is(err, ErrOverflow) {
		t.Errorf("a negative length: %v", err)
	}
}

type user struct {
	Name  string
	Email *string
	Age   *uint8
}

// userBuilder returns a model with no, one or two options.
func userBuilder(options int) ModelBuilder[user] {
	b := Builder[user](nil).SmallVarchar(func(u *user) string { return u.Name }, func(u *user, v string) { u.Name = v })
	if options > 0 {
		b = b.Option(OptionField(SmallVarchar(), func(u *user, v *string) { u.Email = v }, func(u *user) *string { return u.Email }))
	}
	if options > 1 {
		b = b.Option(OptionField(UInt8(), func(u *user, v *uint8) { u.Age = v }, func(u *user) *uint8 { return u.Age }))
	}
	return b
}

// Options at the end of a model may be missing from a message that ParseBytes reads. The message
// must end directly before one of them. In a stream, an option is never missing, because the next
// message could be mistaken for it.
func TestOptionsAtTheEnd(t *testing.T) {
	v := user{"hey", Ptr("you"), Ptr(uint8(7))}
	b := compiled(t, userBuilder(2), v) // 03 hey 01 03 you 01 07
	newer := userBuilder(2).Parser()
	for n := range b {
		got, err := newer.ParseBytes(b[:n])
		switch {
		case n == 4 || n == 9:
			if err != nil || got.Name != "hey" || (got.Email == nil) != (n == 4) || got.Age != nil {
				t.Errorf("cut at %d: %+v %v", n, got, err)
			}
		case !errors.Is(err, ErrCannotRead):
			t.Errorf("cut at %d: %+v %v", n, got, err)
		}
		if got, err := newer.Parse(reader(b[:n])); !errors.Is(err, ErrCannotRead) {
			t.Errorf("a stream that ends at %d: %+v %v", n, got, err)
		}
	}
	if got, err := userBuilder(0).ParseBytes(b); err != nil || got.Name != "hey" {
		t.Errorf("an old reader: %+v %v", got, err)
	}
	old := compiled(t, userBuilder(0), user{Name: "hey"})
	if got, err := newer.Parse(reader(append(old, old...))); err == nil {
		t.Errorf("%+v: the next message was taken for an option", got)
	}
	// In a model within another model, the options must be present.
	outer := Builder[user](nil).Struct(StructField(func(u *user) user { return *u }, func(u *user, v user) { *u = v }, userBuilder(1)))
	if _, err := outer.ParseBytes(old); !isError(err, ErrCannotRead, "#1.#2", 4) {
		t.Errorf("%+v", err)
	}
	if _, err := newer.ParseBytes([]byte("\x03hey\x02")); !isError(err, schema.ErrOption, "#2", 4) {
		t.Errorf("%+v", err)
	}
	if _, err := Bool().Parse(reader([]byte{2})); !isError(err, schema.ErrBool, "", 0) {
		t.Errorf("%+v", err)
	}
}

// The zero time round-trips. A time outside the range of the encoding returns ErrTime. A zone that
// a reader cannot load by its name returns ErrZone.
func TestZeroTimeAndZones(t *testing.T) {
	for name, tp := range map[string]Type[time.Time]{"utc": TimeUTC(), "zone": TimeLocation()} {
		b := compiled(t, tp, time.Time{})
		if got, err := tp.Parse(iotest.DataErrReader(iotest.OneByteReader(bytes.NewReader(b)))); err != nil || !got.IsZero() {
			t.Errorf("%s: %v %v", name, got, err)
		}
		for _, never := range []time.Time{time.Date(1600, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)} {
			var w bytes.Buffer
			if err := tp.Compile(never, &w); !isError(err, ErrOverflow, "", 0) || !errors.Is(err, schema.ErrTime) || w.Len() > 0 {
				t.Errorf("%s: %+v", name, err)
			}
		}
	}
	fixed := time.Unix(1, 2).In(time.FixedZone("X+1", 3600))
	if err := TimeLocation().Compile(fixed, io.Discard); !isError(err, schema.ErrZone, "", 0) {
		t.Errorf("%+v", err)
	}
	for _, b := range []string{"\x01\x00\x00\x00\x00\x00\x00\x00\x01\x03X+1", "\x01\x00\x00\x00\x00\x00\x00\x00\x00"} {
		if got, err := TimeLocation().Parse(reader([]byte(b))); err == nil {
			t.Errorf("%q is %v", b, got)
		}
	}
}

// Flat is a model whose ParcoID method has a pointer receiver.
type Flat struct{ Price float32 }

func (*Flat) ParcoID() int { return 1 }

func flatBuilder() ModelBuilder[Flat] {
	return Builder[Flat](nil).Float32(le, func(f *Flat) float32 { return f.Price }, func(f *Flat, v float32) { f.Price = v })
}

// A writer receives each message with one call of Write, or not at all if there is an error.
func TestNothingIsWrittenBeforeItIsChecked(t *testing.T) {
	models := MultiBuilder(UInt8Header()).MustRegister(0, animalBuilder()).MustRegister(1, flatBuilder())
	w := new(pieces)
	for name, c := range map[string]struct{ err, is error }{
		"unknown id":  {models.CompileAny(7, Animal{}, w), ErrUnknownType},
		"other type":  {models.CompileAny(0, Flat{}, w), ErrUnknownType},
		"nil pointer": {models.CompileAny(0, (*Animal)(nil), w), ErrUnknownType},
		"nil":         {models.CompileAny(0, nil, w), ErrUnknownType},
		"too long":    {models.Compile(Animal{1, strings.Repeat("x", 256)}, w), ErrOverflow},
		"model":       {animalBuilder().Compile(Animal{1, strings.Repeat("x", 256)}, w), ErrOverflow},
	} {
		if !errors.Is(c.err, c.is) || len(*w) > 0 {
			t.Errorf("%s: %v, wrote %q", name, c.err, *w)
		}
	}
	var assertion ErrTypeAssertion
	if err := models.CompileAny(0, Flat{}, w); !errors.As(err, &assertion) ||
		assertion != NewErrTypeAssertionError("parco_test.Animal", "parco_test.Flat") {
		t.Error(err)
	}
	errs := errors.Join(models.Compile(Animal{3, "cat"}, w), models.Compile(&Flat{1.5}, w), models.CompileAny(1, Flat{1.5}, w),
		models.CompileAny(0, &Animal{3, "cat"}, w), animalBuilder().Compile(Animal{3, "cat"}, w))
	const cat, flat = "\x00\x03cat\x03", "\x01\x00\x00\xc0\x3f"
	if want := []string{cat, flat, flat, cat, cat[1:]}; errs != nil || !reflect.DeepEqual([]string(*w), want) {
		t.Errorf("%q %v", *w, errs)
	}
	for b, c := range map[string]struct {
		is     error
		path   string
		offset int
	}{
		"": {io.EOF, "", 0}, "\x00": {schema.ErrShort, "", 1}, "\x00\x03ca": {schema.ErrShort, "#1", 1}, "\x01\x00\x00\xc0": {schema.ErrShort, "#1", 1},
		"\x00\x03cat": {schema.ErrShort, "#2", 5}, "\x07": {ErrUnknownType, "", 0},
	} {
		if id, item, err := models.Parse(reader([]byte(b))); item != nil || !isError(err, c.is, c.path, c.offset) || len(b) > 0 && id != int(b[0]) {
			t.Errorf("%q: %v %v %+v", b, id, item, err)
		}
	}
}

// pieces records the argument of each call of Write.
type pieces []string

func (p *pieces) Write(b []byte) (int, error) {
	*p = append(*p, string(b))
	return len(b), nil
}

// A registry can be used while models are registered.
func TestRegistriesAreForMany(t *testing.T) {
	models := MultiBuilder(UInt8Header()).MustRegister(0, animalBuilder())
	var all sync.WaitGroup
	for k := range 8 {
		all.Go(func() {
			if _, err := models.Register(k+1, animalBuilder()); err != nil {
				t.Error(err)
			}
			var w bytes.Buffer
			for range 100 {
				if err := models.CompileAny(k+1, Animal{uint8(k), "cat"}, &w); err != nil {
					t.Error(err)
				}
				if id, item, err := models.Parse(&w); err != nil || id != k+1 || item != (Animal{uint8(k), "cat"}) {
					t.Error(id, item, err)
				}
			}
		})
	}
	all.Wait()
	if _, err := models.Register(3, flatBuilder()); !errors.Is(err, ErrAlreadyRegistered) {
		t.Error(err)
	}
	if _, err := models.Register(256, flatBuilder()); !errors.Is(err, ErrOverflow) {
		t.Error(err)
	}
	defer func() {
		if recover() == nil {
			t.Error("MustRegister took an id twice")
		}
	}()
	models.MustRegister(3, flatBuilder())
}

// If a key is repeated, the last value wins. Equal values have equal encodings if a schema sorts
// maps, as TestSchema checks. As in Parco, empty maps, slices and blobs are empty after Parse, not
// nil.
func TestOrderOfMaps(t *testing.T) {
	m := MapType(UInt8Header(), UInt8(), SmallVarchar())
	if got, err := m.Parse(reader([]byte("\x02\x07\x01a\x07\x01b"))); err != nil || len(got) != 1 || got[7] != "b" {
		t.Error(got, err)
	}
	type lists struct {
		Map   map[uint8]string
		Slice []uint8
		Array []uint8
		Blob  []byte
	}
	b := Builder[lists](nil).
		Map(MapField(UInt8Header(), UInt8(), SmallVarchar(), func(l *lists, v map[uint8]string) { l.Map = v }, func(l *lists) map[uint8]string { return l.Map })).
		Slice(SliceField(UInt8Header(), UInt8(), func(l *lists, v SliceView[uint8]) { l.Slice = v }, func(l *lists) SliceView[uint8] { return l.Slice })).
		Array(ArrayField(0, UInt8(), func(l *lists, v SliceView[uint8]) { l.Array = v }, func(l *lists) SliceView[uint8] { return l.Array })).
		Blob(UInt8Header(), func(l *lists) []byte { return l.Blob }, func(l *lists, v []byte) { l.Blob = v })
	empty := compiled(t, b, lists{})
	if got, err := b.ParseBytes(empty); err != nil || string(empty) != "\x00\x00\x00" || got.Map == nil || got.Slice == nil || got.Array == nil || got.Blob == nil {
		t.Errorf("%x %+v %v", empty, got, err)
	}
	if b := compiled[Iterable[uint8]](t, Slice(UInt8Header(), UInt8()), nil); string(b) != "\x00" {
		t.Errorf("%x", b)
	}
}

// All types can be nested, and each has a ByteLength.
func TestAllTypesNest(t *testing.T) {
	options := Slice[*Animal](UInt8Header(), Option[Animal](Struct(animalBuilder())))
	if b := compiled[Iterable[*Animal]](t, options, iterable(nil, &Animal{3, "cat"})); string(b) != "\x02\x00\x01\x03cat\x03" {
		t.Errorf("%q", b)
	}
	matrix := Array[Iterable[uint8]](2, Slice(UInt8Header(), UInt8()))
	b := compiled[Iterable[Iterable[uint8]]](t, matrix, iterable(iterable[uint8](1), iterable[uint8](2, 3)))
	if got, err := matrix.Parse(reader(b)); err != nil || string(b) != "\x01\x01\x02\x02\x03" || got.Unwrap()[1].Unwrap()[1] != 3 {
		t.Errorf("%q %v %v", b, got, err)
	}
	if _, err := matrix.Parse(reader(b[:4])); !isError(err, ErrCannotRead, "items[1].items", 2) {
		t.Errorf("%+v", err)
	}
	maps := MapType(UInt8Header(), SmallVarchar(), MapType[string, *int](UInt8Header(), Varchar(), Option(Int(be))))
	v := map[string]map[string]*int{"a": {"b": Ptr(1), "c": nil}}
	if got, err := maps.Parse(reader(compiled(t, maps, v))); err != nil || !reflect.DeepEqual(got, v) {
		t.Error(got, err)
	}
	if err := Array(3, UInt8()).Compile(SliceView[uint8]{1}, io.Discard); !isError(err, ErrInvalidLength, "items", 0) {
		t.Errorf("%+v", err)
	}
}

type node struct {
	Name string
	Next *node
	More []node
}

func nodeBuilder() ModelBuilder[node] {
	b := Builder[node](nil).SmallVarchar(func(n *node) string { return n.Name }, func(n *node, v string) { n.Name = v })
	b = b.Option(OptionField[node, node](Struct(b), func(n *node, v *node) { n.Next = v }, func(n *node) *node { return n.Next }))
	return b.Slice(SliceField[node, node](UInt8Header(), Struct(b), func(n *node, v SliceView[node]) { n.More = v },
		func(n *node) SliceView[node] { return n.More }))
}

// A model can contain itself, up to a maximum depth.
func TestRecursion(t *testing.T) {
	v := node{"a", &node{"b", nil, []node{{"c", nil, []node{}}}}, []node{}}
	b := compiled(t, nodeBuilder(), v)
	if want := "\x01a\x01\x01b\x00\x01\x01c\x00\x00\x00"; string(b) != want {
		t.Fatalf("%q, want %q", b, want)
	}
	p := ParserModel[node](nil).SmallVarchar(func(n *node, v string) { n.Name = v })
	p.Option(OptionFieldSetter[node, node](StructPar(p), func(n *node, v *node) { n.Next = v })).
		Slice(SliceFieldSetter[node, node](UInt8Header(), StructPar(p), func(n *node, v SliceView[node]) { n.More = v }))
	for name, p := range map[string]ParserType[node]{"builder": nodeBuilder(), "parser": p} {
		if got, err := p.Parse(reader(b)); err != nil || !reflect.DeepEqual(got, v) {
			t.Errorf("%s: %+v %v", name, got, err)
		}
		deep := bytes.Repeat([]byte("\x00\x01"), 1<<20)
		if _, err := p.Parse(reader(deep)); !errors.Is(err, schema.ErrDepth) {
			t.Errorf("%s: %v", name, err)
		}
		deep = append(bytes.Repeat([]byte("\x00\x01"), 9000), bytes.Repeat([]byte("\x00"), 9003)...)
		if _, err := p.Parse(reader(deep)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	circle := &node{Name: "a"}
	circle.Next = circle
	if err := nodeBuilder().Compile(*circle, io.Discard); !errors.Is(err, schema.ErrDepth) {
		t.Error(err)
	}
	// A model that contains itself through another model is rejected, because the reference is
	// ambiguous.
	outer := Builder[node](nil)
	between := Builder[node](nil).Option(OptionField[node, node](Struct(outer), func(n *node, v *node) { n.Next = v }, func(n *node) *node { return n.Next }))
	outer = outer.Option(OptionField[node, node](Struct(between), func(n *node, v *node) { n.Next = v }, func(n *node) *node { return n.Next }))
	if _, err := outer.ParseBytes(nil); !errors.As(err, new(ErrCompile)) {
		t.Error(err)
	}
}

// An int is encoded in 8 bytes on every platform. Cross-compilation, not this test, checks that the
// package builds for every platform.
func TestIntsAre8Bytes(t *testing.T) {
	if b := compiled(t, Int(be), -2); len(b) != 8 {
		t.Errorf("%x", b)
	}
	if MaxSize(1) != 255 || MaxSize(2) != 65535 || MaxSize(4) <= 0 || MaxSize(8) <= 0 || MaxByteSize64(4) != 1<<32-1 || MaxByteSize64(8) != 1<<63-1 ||
		MaxByteSize64(3) != 1<<24-1 || MaxByteSize64(0) != 1<<63-1 {
		t.Error(MaxSize(4), MaxSize(8), MaxByteSize64(4), MaxByteSize64(8))
	}
}

// Writing a large message keeps no large buffer. A reused buffer does not overwrite the bytes that
// a writer received earlier.
func TestBuffersAreNotKept(t *testing.T) {
	var kept keeper
	for _, text := range []string{"one", "two", strings.Repeat("x", 1<<20), "three"} {
		if err := Varchar().Compile(text[:min(len(text), 65535)], &kept); err != nil {
			t.Fatal(err)
		}
	}
	if got := kept.String(); !strings.HasPrefix(got, "\x03\x00one\x03\x00two\xff\xff") || !strings.HasSuffix(got, "\x05\x00three") {
		t.Errorf("%d bytes", len(got))
	}
	text := Text(le)
	long := strings.Repeat("x", 1<<20)
	if err := text.Compile(long, io.Discard); err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := text.Compile(long, io.Discard); err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if got := int64(after.HeapAlloc) - int64(before.HeapAlloc); got > 512<<10 {
		t.Errorf("%d bytes are kept", got)
	}
	if got, err := text.Parse(reader(compiled(t, text, long))); err != nil || got != long {
		t.Error(err)
	}
}

type keeper struct{ bytes.Buffer }

// A field that is added to a builder does not appear in other builders made from the same base.
func TestBranchesAreApart(t *testing.T) {
	base := animalBuilder()
	number := func(n int8) (Getter[Animal, int8], Setter[Animal, int8]) {
		return func(*Animal) int8 { return n }, func(*Animal, int8) {}
	}
	one := base.Int8(number(1))
	two := base.Int8(number(2)).Int8(number(3))
	parser, compiler := one.Parco()
	four := one.Int8(number(4))
	for want, c := range map[string]CompilerType[Animal]{
		"\x03cat\x03": base, "\x03cat\x03\x01": one, "\x03cat\x03\x02\x03": two, "\x03cat\x03\x01\x04": four, "\x03cat\x03\x01\x00": compiler.Skip(1),
	} {
		if got := compiled(t, c, Animal{3, "cat"}); string(got) != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	r := reader([]byte("\x03cat\x03\x01rest"))
	if _, err := parser.Parse(r); err != nil {
		t.Error(err)
	}
	if rest, err := io.ReadAll(r); err != nil || string(rest) != "rest" {
		t.Errorf("%q %v", rest, err)
	}
	// A builder whose results are discarded has no fields, which Compile reports as a mistake.
	lost := Builder[Animal](nil)
	lost.Int8(number(1))
	if err := lost.Compile(Animal{}, io.Discard); !errors.As(err, new(ErrCompile)) {
		t.Error(err)
	}
	if b := compiled(t, Builder[Animal](nil), Animal{}); len(b) > 0 {
		t.Errorf("%x", b)
	}
}
