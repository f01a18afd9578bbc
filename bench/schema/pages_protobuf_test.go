package schema

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/slipstream-go/slipstream/internal/pages"
	"github.com/slipstream-go/slipstream/schema"
)

// TestPagesFromProtobuf checks the tables of docs/from-protobuf.md that compare both formats, with
// Google's library and package schema.
func TestPagesFromProtobuf(t *testing.T) {
	page := pages.Read(t, "docs/from-protobuf.md")
	page.Rows(t, "How large", sizes())
	page.Rows(t, "The same change in both", changes())
	page.Rows(t, "Limits", limits())
	page.Rows(t, "Moving a service", moving())
	page.Rows(t, "What corresponds", correspondences())
	page.Skip(t, "TestPagesFromProtobuf of the root module has them", "The verdict", "The same message in both", "The same change in both", "Moving a service")
	page.Done(t)
}

// numbers returns the numbers in a cell, except those in code spans.
func numbers(cell string) (all []int) {
	cell = strings.ReplaceAll(codeSpan.ReplaceAllString(cell, ""), ",", "")
	for _, digits := range number.FindAllString(cell, -1) {
		n, _ := strconv.Atoi(digits)
		all = append(all, n)
	}
	return all
}

var (
	codeSpan = regexp.MustCompile("`[^`]*`")
	number   = regexp.MustCompile(`[0-9]+`)
	day      = regexp.MustCompile(`[0-9]{4}-[0-9]{2}-[0-9]{2}`)
)

// sizes returns the checks of "How large". The numbers in the cells must be the sizes in the two
// libraries.
func sizes() map[string]func(*testing.T, pages.Row) {
	at := time.Now().Truncate(time.Second)
	field := func(of string, value any) func(*testing.T) int {
		return func(t *testing.T) int { return len(protoFields(t, of+" a = 1").write(value)) }
	}
	ours := func(f func() (int, error)) func(*testing.T) int {
		return func(t *testing.T) int {
			n, err := f()
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	// A Timestamp in a message, with its tag and its length.
	stamp := func(at time.Time) func(*testing.T) int {
		return func(t *testing.T) int { return 2 + proto.Size(timestamppb.New(at)) }
	}
	type bytesOf = []func(*testing.T) int
	checks := make(map[string]func(*testing.T, pages.Row))
	for row, c := range map[string]struct{ theirs, ours bytesOf }{
		"an int64 with the value 3":  {bytesOf{field("int64", int64(3))}, bytesOf{ours(sizeOf(schema.I64, 3)), ours(sizeOf(schema.As[int64](schema.I8), 3))}},
		"an int32 with the value −1": {bytesOf{field("int32", int32(-1)), field("sint32", int32(-1))}, bytesOf{ours(sizeOf(schema.I32, -1))}},
		"a Timestamp of today":       {bytesOf{stamp(at), stamp(at.Add(999_999_999))}, bytesOf{ours(sizeOf(schema.Time, at))}},
		"nanoseconds since 1970 as an int64": {
			bytesOf{field("int64", at.UnixNano()), field("fixed64", uint64(at.UnixNano()))}, bytesOf{ours(sizeOf(schema.I64, at.UnixNano()))}},
		"a double": {bytesOf{field("double", 1.5), field("double", 0.0)}, bytesOf{ours(sizeOf(schema.F64, 1.5))}},
		"a bool":   {bytesOf{field("bool", true), field("bool", false)}, bytesOf{ours(sizeOf(schema.Bool, true))}},
		"`\"cat\"`; `\"\"`": {
			bytesOf{field("string", "cat"), field("string", "")}, bytesOf{ours(sizeOf(schema.Str8, "cat")), ours(sizeOf(schema.Str8, ""))}},
		"an `optional` that is missing": {
			bytesOf{func(t *testing.T) int { return proto.Size(protoFields(t, "optional int64 a = 1").message()) }}, bytesOf{ours(sizeOf(schema.Opt(schema.I64), nil))}},
		"100 int64 from 0 to 99, `repeated`": {bytesOf{list("int64", func(i int) any { return int64(i) })},
			bytesOf{ours(sizeOf(schema.List(schema.H8, schema.I64), make([]int64, 100))), ours(sizeOf(schema.List(schema.H8, schema.I8), make([]int8, 100)))}},
		"100 doubles, `repeated`": {bytesOf{list("double", func(i int) any { return 1.5 })}, bytesOf{ours(sizeOf(schema.List(schema.H8, schema.F64), make([]float64, 100)))}},
		// The minimum number of bytes in addition to the fields.
		"a struct in a list": {bytesOf{func(t *testing.T) int {
			long := proto.Size(listOfParts(t, strings.Repeat("x", 200))) - proto.Size(part(strings.Repeat("x", 200)))
			if short := proto.Size(listOfParts(t, "x")) - proto.Size(part("x")); long > short {
				return short
			}
			return -1
		}}, nil},
		"an entry of a map": {bytesOf{func(t *testing.T) int {
			m := &structpb.Struct{Fields: map[string]*structpb.Value{"k": structpb.NewNumberValue(1)}}
			const tags = 2
			return proto.Size(m) - tags - proto.Size(wrapperspb.String("k")) + 1 - (proto.Size(m.Fields["k"]) + 1)
		}}, nil},
	} {
		checks[row] = func(t *testing.T, r pages.Row) {
			for i, sides := range []bytesOf{c.theirs, c.ours} {
				var got []int
				for _, size := range sides {
					got = append(got, size(t))
				}
				if want := numbers(r.Cells[1+i]); !slices.Equal(got, want) {
					t.Errorf("%s: %s: %v bytes, and the page says %v", r.Where, r.Head[1+i], got, want)
				}
			}
			if c.ours == nil {
				besides(t)
			}
		}
	}
	return checks
}

// besides checks that a struct in a list takes only the bytes of its fields, and a map entry only
// the bytes of its key and value.
func besides(t *testing.T) {
	t.Helper()
	type pair struct{ A, B uint32 }
	of := schema.Part(schema.F("a", func(p *pair) *uint32 { return &p.A }, schema.U32), schema.F("b", func(p *pair) *uint32 { return &p.B }, schema.U32))
	one, err := sizeOf(schema.List(schema.H8, of), make([]pair, 1))()
	two, err2 := sizeOf(schema.List(schema.H8, of), make([]pair, 2))()
	entry, err3 := sizeOf(schema.Map(schema.H8, schema.U32, schema.U64), map[uint32]uint64{1: 1})()
	if err := errors.Join(err, err2, err3); err != nil || two-one != 8 || entry != 1+12 {
		t.Error(one, two, entry, err)
	}
}

func part(s string) proto.Message { return wrapperspb.String(s) } // a message whose field 1 is a string, like Part

func listOfParts(t *testing.T, s string) proto.Message {
	p := protoFields(t, "repeated message a = 1")
	m := p.message()
	element := dynamicpb.NewMessage(p.one().Message())
	element.Set(element.Descriptor().Fields().ByNumber(1), protoreflect.ValueOfString(s))
	m.Mutable(p.one()).List().Append(protoreflect.ValueOfMessage(element))
	return m
}

// list returns a function that returns the size of a repeated field with 100 elements.
func list(of string, element func(i int) any) func(*testing.T) int {
	return func(t *testing.T) int {
		p := protoFields(t, "repeated "+of+" a = 1")
		m := p.message()
		for i := range 100 {
			m.Mutable(p.one()).List().Append(protoreflect.ValueOf(element(i)))
		}
		return proto.Size(m)
	}
}

// limits returns the checks of "Limits".
func limits() map[string]func(*testing.T, pages.Row) {
	return map[string]func(*testing.T, pages.Row){
		// To show that a Protobuf message is limited to 2 GB takes more memory than a test may use.
		"bytes of a string, elements of a list": func(t *testing.T, r pages.Row) {
			holds := numbers(r.Cells[2])
			for i, h := range []schema.Type[[]struct{}]{schema.List(schema.H8, none), schema.List(schema.H16, none), schema.List(schema.H32, none)} {
				for more, is := range map[int]error{0: nil, 1: schema.ErrOverflow} {
					if i == 2 && more == 0 {
						continue // would take four billion calls
					}
					if _, err := sizeOf(h, make([]struct{}, holds[i]+more))(); !errors.Is(err, is) {
						t.Errorf("%d elements: %v", holds[i]+more, err)
					}
				}
			}
		},
		"times": func(t *testing.T, r pages.Row) {
			in := func(year int) time.Time { return time.Date(year, 6, 1, 0, 0, 0, 0, time.UTC) }
			years := numbers(r.Cells[1])
			for _, year := range []int{years[0] - 1, years[0], years[1], years[1] + 1} {
				if err := timestamppb.New(in(year)).CheckValid(); (err == nil) != (year == years[0] || year == years[1]) {
					t.Errorf("a Timestamp of %d: %v", year, err)
				}
			}
			days := day.FindAllString(r.Cells[2], -1)
			for i, out := range []int{-1, 1} {
				at, err := time.Parse(time.DateOnly, days[i])
				if err != nil {
					t.Fatal(err)
				}
				_, within := sizeOf(schema.Time, at.AddDate(0, 0, -out))()
				_, beyond := sizeOf(schema.Time, at.AddDate(0, 0, out))()
				if within != nil || !errors.Is(beyond, schema.ErrTime) {
					t.Errorf("around %v: %v, %v", at, within, beyond)
				}
			}
			if _, err := sizeOf(schema.Time, time.Time{})(); err != nil {
				t.Error(err)
			}
		},
		"depth": func(t *testing.T, r pages.Row) {
			theirs, ours := numbers(r.Cells[1])[0], numbers(r.Cells[2])[0]
			for more := range 2 {
				p := protoFields(t, "message a = 1")
				if _, err := p.read(nestedMessages(theirs - 1 + more)); (err != nil) != (more == 1) {
					t.Errorf("a message of Protobuf, %d deep: %v", theirs+more, err)
				}
				_, err := links.Append(nil, chain(1+ours+more)) // as many within the outermost link
				err2 := links.Unmarshal(append(bytes.Repeat([]byte{1}, ours+more), 0), new(link))
				for _, err := range []error{err, err2} {
					if err != nil && !errors.Is(err, schema.ErrDepth) || (err != nil) != (more == 1) {
						t.Errorf("%d within the outermost: %v", ours+more, err)
					}
				}
			}
		},
		"strings": func(t *testing.T, r pages.Row) {
			p := protoFields(t, "string a = 1")
			m := p.message()
			m.Set(p.one(), protoreflect.ValueOfString("\xff"))
			if _, err := proto.Marshal(m); err == nil {
				t.Error("Protobuf writes a string that is not UTF-8")
			}
			if _, err := p.read([]byte("\x0a\x01\xff")); err == nil {
				t.Error("Protobuf reads a string that is not UTF-8")
			}
			if back, err := through(t, schema.Str8, "\xff"); err != nil || back != "\xff" {
				t.Errorf("%q, %v", back, err)
			}
		},
		"nil or empty slices and maps": func(t *testing.T, r pages.Row) {
			none, empty := wrapperspb.Bytes(nil), wrapperspb.Bytes([]byte{})
			a, err := proto.Marshal(none)
			b, err2 := proto.Marshal(empty)
			if !bytes.Equal(a, b) || err != nil || err2 != nil {
				t.Errorf("%x, %x", a, b)
			}
			of := schema.List(schema.H8, schema.U8)
			if null, err := sizeOf(of, nil)(); err != nil || null != 1 {
				t.Error(null, err)
			}
			if back, err := through(t, of, []uint8{}); err != nil || back != nil { // decoded into a nil slice, which stays nil
				t.Error(back, err)
			}
			if back, err := through(t, schema.Opt(of), new([]uint8)); err != nil || back == nil {
				t.Error(back, err)
			}
			if back, err := through(t, schema.Opt(of), nil); err != nil || back != nil {
				t.Error(back, err)
			}
		},
		"equal bytes for equal values": func(t *testing.T, r pages.Row) {
			want := map[string]string{}
			for i := range 50 {
				want[fmt.Sprint(i)] = "v"
			}
			m, err := structpb.NewStruct(map[string]any{"a": "x", "b": "y", "c": "z", "d": "w", "e": "v", "f": "u"})
			if err != nil {
				t.Fatal(err)
			}
			of, err := schema.Of(schema.Map(schema.H8, schema.Str8, schema.Str8))
			if err != nil {
				t.Fatal(err)
			}
			sorted := of.With(schema.SortMaps)
			plain, deterministic, ours := map[string]bool{}, map[string]bool{}, map[string]bool{}
			for range 100 {
				b, err := proto.Marshal(m)
				d, err2 := proto.MarshalOptions{Deterministic: true}.Marshal(m)
				s, err3 := sorted.Marshal(&want)
				if err := errors.Join(err, err2, err3); err != nil {
					t.Fatal(err)
				}
				plain[string(b)], deterministic[string(d)], ours[string(s)] = true, true, true
			}
			if len(plain) < 2 || len(deterministic) != 1 || len(ours) != 1 {
				t.Errorf("%d, with Deterministic %d, with SortMaps %d", len(plain), len(deterministic), len(ours))
			}
		},
		"a message with a `Tail`": func(t *testing.T, r pages.Row) {
			for _, err := range tailCount.ParseAll([]byte{1, 2, 3, 4}) {
				if !errors.Is(err, schema.ErrEnd) {
					t.Errorf("one after the other: %v", err)
				}
				break
			}
			framed := tailCount.Framed()
			var b []byte
			var err error
			for i := range uint8(2) {
				if b, err = framed.Append(b, &tailed{i, 9}); err != nil {
					t.Fatal(err)
				}
			}
			n := 0
			for v, err := range framed.Reader(bytes.NewReader(b)).All() {
				if err != nil || *v != (tailed{uint8(n), 9}) {
					t.Error(v, err)
				}
				n++
			}
			if n != 2 {
				t.Errorf("%d messages in frames", n)
			}
		},
	}
}

var none = schema.Part[struct{}]()

// nestedMessages returns the encoding of n messages within each other, in the outermost message.
func nestedMessages(n int) (b []byte) {
	for i := range n {
		tag := byte(0x12) // field 2 of Part
		if i == n-1 {
			tag = 0x0a // field 1 of M
		}
		head := protowireLen(tag, len(b))
		b = append(head, b...)
	}
	return b
}

func protowireLen(tag byte, n int) []byte {
	b := []byte{tag}
	for ; n > 127; n >>= 7 {
		b = append(b, byte(n)|0x80)
	}
	return append(b, byte(n))
}

// A link refers to another link.
type link struct{ Next *link }

var links = schema.Struct(schema.F("next", func(l *link) **link { return &l.Next }, schema.Opt(schema.Self[link]())))

// chain returns a list of n links.
func chain(n int) *link {
	var first *link
	for range n {
		first = &link{first}
	}
	return first
}

// through encodes v and returns the decoded value.
func through[V any](t *testing.T, of schema.Type[V], v V) (back V, err error) {
	t.Helper()
	s, b := marshaled(t, of, v)
	return back, s.Unmarshal(b, &back)
}
