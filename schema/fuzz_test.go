package schema

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/slipstream-go/slipstream/internal/corpus"
	"github.com/slipstream-go/slipstream/internal/guard"
)

// FuzzRoundTrip runs the checks of TestRandom and TestRandomTail with random seeds.
func FuzzRoundTrip(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) {
		checkRandom(t, seed)
		checkTail(t, seed)
	})
}

// fuzzSchema returns the schema for a seed. Its type is random, can contain a Tail, or is
// recursive.
func fuzzSchema(seed uint64) (s *anySchema, name string) {
	r := corpus.New(seed)
	switch r.IntN(8) {
	case 0:
		s = derivedSchema(reflect.TypeFor[endless]())
		return s, "endless"
	case 1:
		s, name, _ = tailSchema(r)
		return s, name
	}
	name = randomNotation(r, 3)
	return mustSchema(name), name
}

// endless refers to itself through every kind of container.
type endless struct {
	Name  string `wire:"str8"`
	Next  *endless
	Kids  []endless          `wire:"list8(_)"`
	Files map[string]endless `wire:"map8(str8,_)"`
	Wide  []*endless         `wire:"list32(_)"`
	Pairs [2]*endless
	When  time.Time
	Bits  []bool `wire:"list64be(bool)"`
}

func derivedSchema(t reflect.Type) *anySchema {
	n := (&deriver{open: make(map[reflect.Type]bool)}).structure(t)
	if mistakes := n.within("", nil); len(mistakes) > 0 {
		panic(mistakesOf(t.String(), mistakes))
	}
	c := compiler{programs: make(map[*node]*program)}
	return &anySchema{n, t, c.of(n)}
}

// tailSchema returns a random schema with a Tail. head is the number of fields before the Tail.
func tailSchema(r *rand.Rand) (s *anySchema, notation string, head int) {
	var fields [2][]string
	for part := range fields {
		for range part + r.IntN(4) {
			fields[part] = append(fields[part], randomNotation(r, 2))
		}
	}
	notation = "{" + strings.Join(fields[0], ",") + "," + "[" + strings.Join(fields[1], ",") + "]}"
	if len(fields[0]) == 0 {
		notation = "{[" + strings.Join(fields[1], ",") + "]}"
	}
	return mustSchema(notation), notation, len(fields[0])
}

// checkTail truncates a message before each field of its Tail. The missing fields become zero,
// whatever the target contained.
func checkTail(t *testing.T, seed uint64) {
	r := corpus.New(seed)
	s, notation, head := tailSchema(r)
	v := reflect.New(s.typ).Elem()
	fillValue(r, s.n, v, 1)
	whole, err := s.append(nil, v)
	if err != nil {
		t.Fatalf("seed %d, %s: %v", seed, notation, err)
	}
	for k := head; k <= len(s.n.fields); k++ {
		before := *s.n
		before.fields = before.fields[:k]
		want := reflect.New(s.typ).Elem()
		for i := range k {
			want.Field(i).Set(v.Field(i))
		}
		b := naive(nil, &before, v, "", new([]span))
		if !bytes.HasPrefix(whole, b) {
			t.Fatalf("seed %d, %s: wrote %x, want %x first", seed, notation, whole, b)
		}
		got := reflect.New(s.typ)
		fillValue(r, s.n, got.Elem(), 3)
		rest, err := s.parseInto(got, b, defaults)
		if err != nil || rest != 0 || corpus.Note(tree(got.Elem())) != corpus.Note(tree(want)) {
			t.Fatalf("seed %d, %s: read %+v, want %+v, %v", seed, notation, got.Elem(), want, err)
		}
	}
}

// TestRandomTail runs checkTail with 300 seeds.
func TestRandomTail(t *testing.T) {
	for seed := range uint64(300) {
		checkTail(t, seed)
	}
}

// FuzzParse reads random bytes as random types. Memory use is bounded by the input. An error names
// an existing field. All ways to read agree. Every value that was read can be written and read
// again.
func FuzzParse(f *testing.F) {
	vectors, err := corpus.ReadVectors("../vectors/schema.txt")
	if err != nil {
		f.Fatal(err)
	}
	for i, v := range vectors {
		f.Add(uint64(i), v.Bytes)
	}
	for seed := range uint64(40) { // valid messages
		s, _ := fuzzSchema(seed)
		v := reflect.New(s.typ).Elem()
		fillDirty(corpus.New(seed), s, v)
		b, err := s.append(nil, v)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(seed, b)
	}
	f.Add(uint64(15), []byte("\xfb\xfb"))                                 // a negative length
	f.Add(uint64(83), []byte("\x7f\xff\xff\xff\xff\xff\xff\xff\x41\x42")) // a length that exceeds both MaxBytes and the input
	f.Fuzz(checkParse)
}

func checkParse(t *testing.T, seed uint64, b []byte) {
	s, name := fuzzSchema(seed)
	b = guard.Test(t, b[:len(b):len(b)])
	fail := func(format string, args ...any) {
		t.Helper()
		t.Fatalf("seed %d, %s, %x: %s", seed, name, b, fmt.Sprintf(format, args...))
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	v, rest, err := s.parse(b, defaults)
	runtime.ReadMemStats(&after)
	if got, most := after.TotalAlloc-before.TotalAlloc, uint64(256<<10)+uint64(len(b)+64)*perByte(s.n); got > most {
		fail("took %d bytes, more than %d", got, most)
	}
	var e *Error
	if err != nil && (!errors.As(err, &e) || e.Offset < 0 || e.Offset > int64(len(b)) || !s.n.leadsTo(e.Path)) {
		fail("%+v", err)
	}
	want := corpus.Note(tree(v))

	// Every other way to read returns the same value.
	dirty := reflect.New(s.typ)
	fillDirty(corpus.New(seed+1), s, dirty.Elem())
	check := func(how string, got reflect.Value, left int, other error) {
		t.Helper()
		var o *Error
		switch {
		case err == nil && (other != nil || left != rest || corpus.Note(tree(got)) != want):
			fail("%s: read %+v and left %d, want %s and %d, %v", how, got, left, want, rest, other)
		case err == nil:
		case !errors.As(other, &o) || o.Path != e.Path || o.Offset != e.Offset:
			fail("%s: %+v, want %+v", how, other, err)
		case errors.Is(other, ErrSize) && errors.Is(err, io.ErrUnexpectedEOF):
			// A stream does not know that the source ends before the announced length.
		case o.Cause.Error() != e.Cause.Error():
			fail("%s: %+v, want %+v", how, other, err)
		}
	}
	left, other := s.parseInto(dirty, b, defaults)
	check("into another", dirty.Elem(), left, other)
	for how, set := range map[string]Option{"Alias": Alias, "OwnStrings": OwnStrings} {
		o := defaults
		set(&o)
		got, left, other := s.parse(b, o)
		check(how, got, left, other)
	}
	if !s.of().endless() && len(b) > 0 {
		for how, open := range map[string]func(io.Reader) io.Reader{
			"all at once": func(r io.Reader) io.Reader { return iotest.DataErrReader(r) }, "by halves": iotest.HalfReader, "byte by byte": iotest.OneByteReader,
		} {
			for _, set := range []Option{Alias, OwnStrings, Exact} {
				source := bytes.NewReader(b)
				r := s.of().Reader(open(source), MaxBytes(math.MaxInt-1), set)
				got := reflect.New(s.typ)
				other := r.Next((*struct{})(got.UnsafePointer()))
				left := source.Len() + len(r.Buffered())
				if how == "all at once" && other == nil {
					left = rest // the source itself still holds bytes
				}
				check(how, got.Elem(), left, other)
			}
		}
	}
	if err != nil {
		return
	}

	// A MaxBytes of the message's length is enough, and one byte less is not.
	used := b[:len(b)-rest]
	enough := defaults
	enough.bytes = len(used)
	got, left, other := s.parse(b, enough)
	check("MaxBytes", got, left, other)
	if enough.bytes--; enough.bytes >= 0 {
		if _, _, err := s.parse(b, enough); !errors.Is(err, ErrSize) {
			fail("MaxBytes of one less: %v", err)
		}
	}

	// The value can be written, with the bytes of the naive encoder, and read again.
	out, err := s.append(nil, v)
	if err != nil {
		fail("cannot be written: %v", err)
	}
	plain := naive(nil, s.n, v, "", new([]span))
	if len(out) != len(plain) || !s.n.has(kindMap) && !bytes.Equal(out, plain) {
		fail("wrote %x, want %x", out, plain)
	}
	if !s.n.has(kindMap) && !s.n.has(kindTimeZone) && !s.n.skips() && !s.n.hasTail() && !bytes.Equal(out, used) {
		fail("wrote %x, which was %x", out, used)
	}
	back, rest, err := s.parse(out, defaults)
	if err != nil || rest != 0 || corpus.Note(tree(back)) != want {
		fail("wrote %x, read %+v, %v", out, back, err)
	}
}

// fillDirty fills v with values that the next read must overwrite.
func fillDirty(r *rand.Rand, s *anySchema, v reflect.Value) {
	if s.typ != reflect.TypeFor[endless]() {
		fillValue(r, s.n, v, 3)
		return
	}
	one := func() endless {
		return endless{Name: "x", Kids: make([]endless, r.IntN(3)), Files: map[string]endless{"f": {Name: "y"}}, Wide: []*endless{{Name: "z"}, nil, {Name: "w"}}}
	}
	e := one()
	for i := range e.Kids {
		e.Kids[i] = one()
	}
	next := one()
	e.Next, e.Pairs[1] = &next, &endless{Bits: []bool{true, true}}
	v.Set(reflect.ValueOf(e))
}

// perByte returns an upper bound for the memory that one input byte can cause. It is based on the
// largest value that one byte can create, doubled for the overhead of the allocator, plus a map
// slot.
func perByte(n *node) uint64 {
	most := uint64(n.typ.Size())
	for _, p := range n.parts {
		most = max(most, perByte(p))
	}
	return 4*most + 128
}

// leadsTo reports whether path is a valid path in a value of n.
func (n *node) leadsTo(path string) bool {
	for n.kind == kindOpt || n.kind == kindSelf {
		n = n.elem
	}
	if path == "" {
		return true
	}
	if path[0] != '[' {
		name, rest := path, ""
		if at := strings.IndexAny(path, ".["); at >= 0 {
			name, rest = path[:at], strings.TrimPrefix(path[at:], ".")
		}
		for _, f := range n.fields {
			if f.n != nil && f.name == name {
				return f.n.leadsTo(rest)
			}
		}
		return false
	}
	index, rest, _ := strings.Cut(path[1:], "]")
	k, err := strconv.Atoi(index)
	rest = strings.TrimPrefix(rest, ".")
	switch {
	case err != nil || k < 0 || n.kind == kindArray && k >= n.count:
		return false
	case n.kind == kindMap && n.key.leadsTo(rest):
		return true
	}
	return n.elem != nil && n.elem.leadsTo(rest)
}

// has reports whether n contains a node of kind k.
func (n *node) has(k kind) bool {
	found := n.kind == k
	for _, p := range n.parts {
		found = found || p.has(k)
	}
	return found
}

// skips reports whether n contains skipped bytes.
func (n *node) skips() bool {
	found := false
	for _, f := range n.fields {
		found = found || f.n == nil
	}
	for _, p := range n.parts {
		found = found || p.skips()
	}
	return found
}

// FuzzDerive derives a field of a random type with a random tag. Derive rejects the tag, or the
// notation of the schema equals the tag.
func FuzzDerive(f *testing.F) {
	for _, tag := range []string{"", "_", "u8", "i32be", "f64", "str8", "stri16be", "blob32", "list8(str8)", "map8(str8,_)", "opt(i64)", "array3(u16be)", "time",
		"timezone", "tail u16", "skip4", "-", "bool", "struct", "map16(_,list8(opt(u8)))", "list8(list8(_))", "bool7", "opt4(_)", "time8",
		"list8(", "i32(", "list8(u8,)", "map8(,)", ")", "str8)", " -", "tail -", "tail"} {
		for which := range fuzzTypes {
			f.Add(tag, uint8(which))
		}
	}
	f.Fuzz(func(t *testing.T, tag string, which uint8) {
		field := reflect.StructField{Name: "F0", Type: fuzzTypes[int(which)%len(fuzzTypes)], Tag: reflect.StructTag("wire:" + strconv.Quote(tag))}
		typ := reflect.StructOf([]reflect.StructField{field})
		n := (&deriver{open: make(map[reflect.Type]bool)}).structure(typ)
		if len(n.within("", nil)) > 0 || n.least() < 0 {
			return
		}
		got := strings.TrimSuffix(strings.TrimPrefix(pieceOf(n).String(), "{"), "}")
		said, tail := strings.CutPrefix(tag, "tail")
		said = strings.TrimSpace(said)
		want := "F0 " + said
		if tail {
			want = "[" + want + "]"
		}
		if tag != "-" && !leftOpen.MatchString(said) && got != want {
			t.Errorf("%q of %v makes %q", tag, field.Type, got)
		}
		c := compiler{programs: make(map[*node]*program)}
		s := &anySchema{n, typ, c.of(n)}
		zero := reflect.New(typ)
		out, err := s.append(nil, zero.Elem())
		if err != nil {
			t.Fatalf("%q of %v: %v", tag, field.Type, err)
		}
		if rest, err := s.parseInto(zero, out, defaults); err != nil || rest != 0 {
			t.Errorf("%q of %v: %v", tag, field.Type, err)
		}
	})
}

// leftOpen matches tags that leave a part to the type. For these tags, the notation is longer than
// the tag.
var leftOpen = regexp.MustCompile(`^$|_|struct|array\(`)

var fuzzTypes = []reflect.Type{
	reflect.TypeFor[uint8](), reflect.TypeFor[int](), reflect.TypeFor[uintptr](), reflect.TypeFor[float32](), reflect.TypeFor[bool](), reflect.TypeFor[string](),
	reflect.TypeFor[time.Time](), reflect.TypeFor[time.Duration](), reflect.TypeFor[[]byte](), reflect.TypeFor[[]string](), reflect.TypeFor[[][]uint16](),
	reflect.TypeFor[[3]uint16](), reflect.TypeFor[[2][3]string](), reflect.TypeFor[map[string]uint8](), reflect.TypeFor[map[uint16][]*uint8](),
	reflect.TypeFor[*int64](), reflect.TypeFor[**string](), reflect.TypeFor[inner](), reflect.TypeFor[[]inner](), reflect.TypeFor[struct{}](),
	reflect.TypeFor[any](), reflect.TypeFor[chan int](), reflect.TypeFor[func(int) string](), reflect.TypeFor[complex128](), reflect.TypeFor[error](),
	reflect.TypeFor[treeOfLists](), reflect.TypeFor[treeOfMaps](), reflect.TypeFor[structList](), reflect.TypeFor[derivedTail](),
	reflect.TypeFor[map[inner]bool](),
}
