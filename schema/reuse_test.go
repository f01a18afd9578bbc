package schema

// These tests check each sentence about memory in doc.go, and values that change while they are
// read or written.

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

type limb struct {
	Name  string
	N     uint16
	Tags  []string
	Other string // not part of the schema
}

type whole struct {
	List  []limb
	Map   map[string]limb
	Ptr   *limb
	Text  string
	Blob  []byte
	Twice **uint8
	Arr   [2][]uint16
	Other int
}

var partType = Part(
	F("name", func(p *limb) *string { return &p.Name }, Str8),
	F("n", func(p *limb) *uint16 { return &p.N }, U16),
	F("tags", func(p *limb) *[]string { return &p.Tags }, List(H8, Str8)))

var wholeSchema = Struct(
	F("list", func(w *whole) *[]limb { return &w.List }, List(H8, partType)),
	F("map", func(w *whole) *map[string]limb { return &w.Map }, Map(H8, Str8, partType)),
	F("ptr", func(w *whole) **limb { return &w.Ptr }, Opt(partType)),
	F("text", func(w *whole) *string { return &w.Text }, Str8),
	F("blob", func(w *whole) *[]byte { return &w.Blob }, Blob(H8)),
	F("twice", func(w *whole) ***uint8 { return &w.Twice }, Opt(Opt(U8))),
	F("arr", func(w *whole) *[2][]uint16 { return &w.Arr }, Array[[2][]uint16](List(H8, U16))))

func wholeValue() whole {
	n := new(uint8)
	return whole{[]limb{{"a", 1, []string{"x"}, ""}, {"b", 2, nil, ""}}, map[string]limb{"k": {"c", 3, []string{"y", "z"}, ""}},
		&limb{"d", 4, nil, ""}, "text", []byte("blob"), &n, [2][]uint16{{1, 2}, {3}}, 0}
}

func mustAppend[T any](t *testing.T, s *Schema[T], v *T) []byte {
	t.Helper()
	b, err := s.Append(nil, v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Fields that the schema does not contain keep their value in the target, in reused elements and
// behind options. In new elements and map entries they are zero.
func TestReuseKeepsTheRest(t *testing.T) {
	v := wholeValue()
	b := mustAppend(t, wholeSchema, &v)
	array := []limb{{"old", 9, []string{"old", "older"}, "kept"}, {Other: "kept too"}, {Other: "after"}}
	target := whole{List: array[:1], Map: map[string]limb{"k": {Other: "lost"}}, Ptr: &limb{Other: "kept"}, Other: 5, Blob: make([]byte, 1, 9)}
	ptr, blob := target.Ptr, &target.Blob[0]
	if _, err := wholeSchema.With(ReuseBlobs).Parse(b, &target); err != nil {
		t.Fatal(err)
	}
	if target.Other != 5 || array[0].Other != "kept" || target.List[1].Other != "kept too" || array[2].Other != "after" || &target.List[0] != &array[0] {
		t.Errorf("the rest: %+v", target)
	}
	if target.Ptr != ptr || ptr.Other != "kept" || &target.Blob[0] != blob || target.Map["k"].Other != "" {
		t.Errorf("the rest: %+v", target)
	}
	target.Other, target.List[0].Other, target.List[1].Other, target.Ptr.Other = 0, "", "", ""
	if !reflect.DeepEqual(target, v) {
		t.Errorf("read %+v, want %+v", target, v)
	}
	// One element more than the capacity allocates a new array, in which all elements are new.
	target.List = array[:0:1]
	array[0].Other = "old"
	if _, err := wholeSchema.Parse(b, &target); err != nil || target.List[0].Other != "" || array[0].Other != "old" {
		t.Errorf("%+v %v", target, err)
	}
}

// A string that is already equal is kept. Another string gets its own memory.
func TestReuseOfStrings(t *testing.T) {
	v := wholeValue()
	b := mustAppend(t, wholeSchema, &v)
	var target whole
	for range 2 {
		at := unsafe.StringData(target.Text)
		if _, err := wholeSchema.Parse(b, &target); err != nil {
			t.Fatal(err)
		}
		if at != nil && unsafe.StringData(target.Text) != at {
			t.Error("an equal string was made again")
		}
	}
	text := target.Text
	i := bytes.Index(b, []byte("text"))
	b[i] = 'n'
	if text != "text" || target.List[0].Name != "a" {
		t.Error("a string lies in the input")
	}
	if _, err := wholeSchema.Parse(b, &target); err != nil || target.Text != "next" || text != "text" {
		t.Errorf("%q, after %q: %v", target.Text, text, err)
	}
}

// After an error, the target can be used again. The result is the same as with a new target.
func TestReuseAfterErrors(t *testing.T) {
	v := wholeValue()
	b := mustAppend(t, wholeSchema, &v)
	for _, set := range []Option{func(*options) {}, Alias, OwnStrings} {
		s := wholeSchema.With(set)
		var target whole
		for n := range b {
			if _, err := s.Parse(b[:n], &target); !errors.Is(err, ErrShort) {
				t.Fatalf("cut at %d: %v", n, err)
			}
			clone := target // its parts are reused
			if rest, err := s.Parse(b, &clone); err != nil || len(rest) > 0 || !bytes.Equal(mustAppend(t, s, &clone), b) {
				t.Fatalf("cut at %d, then read %+v, %v", n, clone, err)
			}
		}
	}
}

// A nil option, an option whose value is nil, and an option with a value are encoded differently.
func TestOptionsOfOptions(t *testing.T) {
	type options struct {
		P **uint8
		L []*uint8
		O *[]uint8
	}
	s := Struct(
		F("p", func(o *options) ***uint8 { return &o.P }, Opt(Opt(U8))),
		F("l", func(o *options) *[]*uint8 { return &o.L }, List(H8, Opt(U8))),
		F("o", func(o *options) **[]uint8 { return &o.O }, Opt(List(H8, U8))))
	n, none := new(uint8), (*uint8)(nil)
	*n = 7
	var target options
	for _, c := range []struct {
		v options
		b string
	}{
		{options{}, "\x00\x00\x00"},
		{options{&none, []*uint8{nil, n}, &[]uint8{1, 2}}, "\x01\x00\x02\x00\x01\x07\x01\x02\x01\x02"},
		{options{&n, []*uint8{n}, new([]uint8)}, "\x01\x01\x07\x01\x01\x07\x01\x00"},
	} {
		b := mustAppend(t, s, &c.v)
		if string(b) != c.b {
			t.Errorf("wrote %x, want %x", b, c.b)
		}
		var got options
		if _, err := s.Parse(b, &got); err != nil || !reflect.DeepEqual(got, c.v) {
			t.Errorf("%x: %v %v", b, got, err)
		}
		if _, err := s.Parse(b, &target); err != nil || !bytes.Equal(mustAppend(t, s, &target), b) {
			t.Errorf("%x, into another: %v", b, err)
		}
	}
	if _, err := s.Parse([]byte("\x01\x02"), &target); !isError(err, ErrOption, "p", 1) {
		t.Errorf("%+v", err)
	}
}

// A blob that becomes empty drops its old memory, for example a view of an input. With ReuseBlobs,
// it keeps the memory.
func TestEmptyBlobLetsGo(t *testing.T) {
	type blob struct{ B []byte }
	s := Struct(F("b", func(v *blob) *[]byte { return &v.B }, Blob(H32)))
	for name, c := range map[string]struct {
		set  Option
		kept bool
	}{"Parse": {func(*options) {}, false}, "Alias": {Alias, false}, "OwnStrings": {OwnStrings, false}, "ReuseBlobs": {ReuseBlobs, true}} {
		was := make([]byte, 9)
		target := blob{was}
		if err := s.With(c.set).Unmarshal(make([]byte, 4), &target); err != nil || target.B == nil || len(target.B) > 0 {
			t.Fatalf("%s: %v %v", name, target, err)
		}
		if kept := unsafe.SliceData(target.B) == &was[0]; kept != c.kept {
			t.Errorf("%s: the memory is kept: %v", name, kept)
		}
		target = blob{}
		if err := s.With(c.set).Unmarshal(make([]byte, 4), &target); err != nil || target.B != nil {
			t.Errorf("%s: nil became %v, %v", name, target.B, err)
		}
	}
}

// Reading again with Alias does not write to the previous input. Values from a pool do not write to
// it either.
func TestReuseOfAliases(t *testing.T) {
	type blobs struct {
		Blob   []byte
		hidden []byte
		Map    map[string][]byte
		List   [][]byte
	}
	s := Struct(
		F("blob", func(b *blobs) *[]byte { return &b.Blob }, Blob(H8)),
		Get("hidden", Blob(H8), func(b *blobs) []byte { return b.hidden }, func(b *blobs, v []byte) { b.hidden = v }),
		F("map", func(b *blobs) *map[string][]byte { return &b.Map }, Map(H8, Str8, Blob(H8))),
		F("list", func(b *blobs) *[][]byte { return &b.List }, List(H8, Blob(H8))))
	alias := s.With(Alias)
	first := mustAppend(t, s, &blobs{[]byte("one"), []byte("two"), map[string][]byte{"k": []byte("three")}, [][]byte{[]byte("four"), []byte("five")}})
	second := mustAppend(t, s, &blobs{[]byte("ONE"), []byte("TWO"), map[string][]byte{"k": []byte("THREE")}, [][]byte{[]byte("FOUR"), {}}})
	before := bytes.Clone(first)
	var v blobs
	for range 10 {
		for _, b := range [][]byte{first, second} {
			if _, err := alias.Parse(b, &v); err != nil || !bytes.Equal(mustAppend(t, s, &v), b) {
				t.Fatal(v, err)
			}
		}
		var other blobs // other contains no aliases, but a pooled value could contain some
		if _, err := s.Parse(second, &other); err != nil || !bytes.Equal(mustAppend(t, s, &other), second) {
			t.Fatal(other, err)
		}
		runtime.GC()
	}
	if _, err := s.Parse(second, &v); err != nil { // v still contains views of the first input, and Alias is not set
		t.Fatal(err)
	}
	if _, err := alias.Parse(first, &v); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Parse(second, &v); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, before) {
		t.Errorf("the input was written to: %q", first)
	}
	if _, err := alias.Parse(second, &v); err != nil {
		t.Fatal(err)
	}
	v.Blob = append(v.Blob, "more"...)
	if second[4] != 3 || string(second[5:8]) != "TWO" {
		t.Error("appending to an alias wrote to the input")
	}
}

// An accessor that selects a field is called while the schema is built, and never again.
func TestAccessorsAreNotCalled(t *testing.T) {
	calls := 0
	s := Struct(F("a", func(a *animal) *uint8 { calls++; return &a.Age }, U8))
	built := calls
	var v animal
	if _, err := s.Parse([]byte{5}, &v); err != nil || v.Age != 5 {
		t.Fatal(v, err)
	}
	if b := mustAppend(t, s, &v); string(b) != "\x05" || calls != built || built == 0 {
		t.Errorf("called %d times, then %d", built, calls-built)
	}
}

// A new version reads skipped bytes of the old version as zeros. The old version skips the fields
// that replaced the bytes.
func TestSkipBecomesFields(t *testing.T) {
	type record struct {
		A uint8
		B uint16
	}
	a, b := F("a", func(r *record) *uint8 { return &r.A }, U8), F("b", func(r *record) *uint16 { return &r.B }, U16)
	old, new := Struct(a, Skip[record](4)), Struct(a, b, Skip[record](2))
	v := record{A: 9, B: 9}
	if _, err := new.Parse(mustAppend(t, old, &record{A: 1}), &v); err != nil || v != (record{1, 0}) {
		t.Error(v, err)
	}
	if rest, err := old.Parse(mustAppend(t, new, &record{3, 4}), &v); err != nil || len(rest) > 0 || v != (record{3, 0}) {
		t.Error(v, err)
	}
}

// Map keys can be NaN, pointers, structs with strings, or large. Map values can be large or have no
// size.
func TestOddMaps(t *testing.T) {
	type key struct {
		A string
		B uint16
	}
	type large [200]byte
	type maps struct {
		NaN    map[float64]uint8
		Ptr    map[*uint8]string
		Struct map[key][]string
		Large  map[large]large
		Set    map[string]struct{}
		Unit   map[struct{}]uint8
		Opt    map[uint8]*map[uint8]bool
		Named  map[named8]named16
	}
	raw := Array[large](U8)
	s := Struct(
		F("nan", func(m *maps) *map[float64]uint8 { return &m.NaN }, Map(H8, F64, U8)),
		F("ptr", func(m *maps) *map[*uint8]string { return &m.Ptr }, Map(H8, Opt(U8), Str8)),
		F("struct", func(m *maps) *map[key][]string { return &m.Struct }, Map(H8, Part(
			F("a", func(k *key) *string { return &k.A }, Str8), F("b", func(k *key) *uint16 { return &k.B }, U16BE)), List(H8, Str8))),
		F("large", func(m *maps) *map[large]large { return &m.Large }, Map(H8, raw, raw)),
		F("set", func(m *maps) *map[string]struct{} { return &m.Set }, Map(H16, Str8, Part[struct{}]())),
		F("unit", func(m *maps) *map[struct{}]uint8 { return &m.Unit }, Map(H8, Part[struct{}](), U8)),
		F("opt", func(m *maps) *map[uint8]*map[uint8]bool { return &m.Opt }, Map(H8, U8, Opt(Map(H8, U8, Bool)))),
		F("named", func(m *maps) *map[named8]named16 { return &m.Named }, Map(H8, As[named8](U8), As[named16](U64BE))))
	n := new(uint8)
	*n = 3
	v := maps{
		map[float64]uint8{math.NaN(): 1, math.Float64frombits(0x7ff8000000000002): 2, 0: 3}, map[*uint8]string{n: "three", nil: "nil", new(uint8): "zero"},
		map[key][]string{{"a", 1}: {"x"}, {"a", 2}: nil, {"", 0}: {"", "y"}}, map[large]large{{1}: {2}, {199: 1}: {}},
		map[string]struct{}{"a": {}, "b": {}}, map[struct{}]uint8{{}: 5}, map[uint8]*map[uint8]bool{1: nil, 2: {3: true, 4: false}, 5: new(map[uint8]bool)},
		map[named8]named16{1: 2, 3: 4},
	}
	v.NaN[math.NaN()] = 4
	sorted := s.With(SortMaps)
	b := mustAppend(t, sorted, &v)
	var got maps
	for range 3 { // the later rounds overwrite the values of the first round
		if rest, err := s.Parse(b, &got); err != nil || len(rest) > 0 {
			t.Fatalf("%+v", err)
		}
		if len(got.NaN) != 4 || len(got.Ptr) != 3 || len(got.Struct) != 3 || !slices.Equal(got.Struct[key{"", 0}], []string{"", "y"}) ||
			got.Large[large{1}] != (large{2}) || len(got.Set) != 2 || got.Unit[struct{}{}] != 5 || got.Opt[1] != nil || !(*got.Opt[2])[3] || got.Named[3] != 4 {
			t.Fatalf("%+v", got)
		}
		if again := mustAppend(t, sorted, &got); !bytes.Equal(again, b) {
			t.Fatalf("%x, want %x", again, b)
		}
	}
	for n := range b {
		if _, err := s.Parse(b[:n], &got); !errors.Is(err, ErrShort) {
			t.Errorf("cut at %d: %v", n, err)
		}
	}
}

type (
	named8  uint8
	named16 uint16
)

// Getters and setters may change the surrounding value. A list, map or option whose encoding has
// begun is completed in its old state.
func TestValuesThatChange(t *testing.T) {
	type item struct{ Name string }
	type box struct {
		List []item
		Ptr  *item
		Map  map[string]item
		Text string
	}
	var at *box
	change := func() {
		at.List, at.Ptr, at.Text = nil, nil, strings.Repeat("x", 3)
		garbage = make([]byte, 1<<16)
		runtime.GC()
	}
	it := Part(
		Get("change", U8, func(*item) uint8 { change(); return 1 }, func(*item, uint8) { change() }),
		F("name", func(i *item) *string { return &i.Name }, Str8))
	s := Struct(
		F("list", func(b *box) *[]item { return &b.List }, List(H8, it)),
		F("ptr", func(b *box) **item { return &b.Ptr }, Opt(it)),
		F("map", func(b *box) *map[string]item { return &b.Map }, Map(H8, Str8, it)),
		F("text", func(b *box) *string { return &b.Text }, Str8))
	names := func(n int) (l []item) {
		for i := range n {
			l = append(l, item{fmt.Sprint("name", i)})
		}
		return l
	}
	at = &box{names(3), &item{"ptr"}, map[string]item{"k": {"v"}}, "text"}
	b := mustAppend(t, s, at)
	const want = "\x03\x01\x05name0\x01\x05name1\x01\x05name2" + "\x00" + "\x01\x01k\x01\x01v" + "\x03xxx"
	if string(b) != want {
		t.Errorf("%q, want %q", b, want)
	}
	in := []byte("\x03\x01\x05name0\x01\x05name1\x01\x05name2" + "\x01\x01\x03ptr" + "\x01\x01k\x01\x01v" + "\x04text")
	at = &box{List: names(1), Ptr: &item{"old"}}
	if rest, err := s.Parse(in, at); err != nil || len(rest) > 0 || at.List != nil || at.Ptr != nil || at.Map["k"].Name != "v" || at.Text != "text" {
		t.Errorf("%+v %v", at, err)
	}
}

var garbage []byte

// One schema reads a []byte as a blob that is a view of the input. Another schema then reads a list
// of bytes into it, and does not write to the input.
func TestListDoesNotWriteIntoAnInput(t *testing.T) {
	type data struct{ B []byte }
	field := func(typ Type[[]byte]) *Schema[data] {
		return Struct(F("b", func(d *data) *[]byte { return &d.B }, typ))
	}
	views := field(Blob(H8)).With(Alias)
	for name, c := range map[string]struct {
		list *Schema[data]
		b    string
		want string
	}{
		"List":             {field(List(H8, U8)), "\x03abc", "abc"},
		"List, empty":      {field(List(H8, U8)), "\x00", ""},
		"List, cut":        {field(List(H8, U8)), "\x03ab", ""},
		"Fixed":            {field(Fixed(3, U8)), "abc", "abc"},
		"List of integers": {field(List(H8, As[byte](I16))), "\x02a\x00b\x00", "ab"},
	} {
		for _, stream := range []bool{false, true} {
			input := []byte("\x05hello")
			var d data
			if _, err := views.Parse(input, &d); err != nil || string(d.B) != "hello" {
				t.Fatal(d, err)
			}
			var err error
			if stream {
				err = c.list.Reader(bytes.NewReader([]byte(c.b))).Next(&d)
			} else {
				_, err = c.list.Parse([]byte(c.b), &d)
			}
			if name != "List, cut" && (err != nil || string(d.B) != c.want) {
				t.Errorf("%s: %q, %v", name, d.B, err)
			}
			d.B = append(d.B, 'X') // callers may append
			if string(input) != "\x05hello" {
				t.Errorf("%s, by a Reader %v: the input is %q now", name, stream, input)
			}
		}
	}

	// With ReuseBlobs, the caller states that there are no views, so the memory is reused.
	d := data{B: make([]byte, 0, 10)}
	at := &d.B[:1][0]
	if _, err := field(List(H8, U8)).With(ReuseBlobs).Parse([]byte("\x03abc"), &d); err != nil || string(d.B) != "abc" || &d.B[0] != at {
		t.Error(d, err)
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
