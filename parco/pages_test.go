package parco_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/internal/pages"
	. "github.com/slipstream-go/slipstream/parco"
)

// This test checks the table "What to look at" of docs/from-parco.md. Parco is not on the module
// proxy, so its column describes its sources at the commit that the page names. The column of this
// package is executed. For an API that only Parco has, the test checks that this package does not
// declare it.
func TestPagesFromParco(t *testing.T) {
	page := pages.Read(t, "docs/from-parco.md")
	type checks = map[string]func(*testing.T, pages.Row)
	page.Rows(t, "What to look at", checks{
		"`b.Varchar(…)` as a statement changes `b`": func(t *testing.T, r pages.Row) {
			get, set := func(a *Animal) string { return a.Specie }, func(a *Animal, s string) { a.Specie = s }
			b := Builder[Animal](nil)
			b.Varchar(get, set)
			if err := b.Compile(Animal{}, io.Discard); !errors.As(err, new(ErrCompile)) {
				t.Errorf("all fields are lost: %v", err)
			}
			if b = b.Varchar(get, set); string(compiled(t, b, Animal{Specie: "a"})) != "\x01\x00a" {
				t.Errorf("%x", compiled(t, b, Animal{Specie: "a"}))
			}
			p, c := ParserModel[Animal](nil), CompilerModel[Animal]()
			if p.Varchar(set) != p || c.Varchar(get) != c {
				t.Error("they give others back")
			}
			got, err := p.ParseBytes([]byte("\x01\x00a"))
			if string(compiled(t, c, Animal{Specie: "a"})) != "\x01\x00a" || got.Specie != "a" || err != nil {
				t.Error(got, err)
			}
		},
		"`Struct(b)` within `b` is `b` itself, including fields added later": func(t *testing.T, r pages.Row) {
			v := node{"a", &node{"b", nil, []node{{"c", nil, []node{}}}}, []node{}}
			b := compiled(t, nodeBuilder(), v) // field Next includes the fields that were added after it
			if got, err := nodeBuilder().ParseBytes(b); err != nil || !reflect.DeepEqual(got, v) {
				t.Errorf("%+v, %v", got, err)
			}
			inner := animalBuilder()
			outer := Builder[Animal](nil).Struct(StructField(func(a *Animal) Animal { return *a }, func(a *Animal, v Animal) { *a = v }, inner))
			inner = inner.UInt8(func(a *Animal) uint8 { return a.Age }, func(*Animal, uint8) {})
			if got := compiled(t, outer, Animal{3, "cat"}); string(got) != "\x03cat\x03" || len(compiled(t, inner, Animal{3, "cat"})) != 6 {
				t.Errorf("%q", got)
			}
		},
		"errors such as `ErrCannotRead` are not wrapped": func(t *testing.T, r pages.Row) {
			code := r.Code(1)
			path := code[len(code)-1]
			b := animalBuilder().Bool(func(*Animal) bool { return true }, func(*Animal, bool) {}).
				Slice(SliceField(UInt8Header(), SmallVarchar(), func(*Animal, SliceView[string]) {}, func(*Animal) SliceView[string] { return nil }))
			_, err := b.ParseBytes([]byte("\x03cat\x03\x01\x02\x01x\x02y"))
			if err == ErrCannotRead || !isError(err, ErrCannotRead, path, -1) {
				t.Errorf("%+v, and the page says %s", err, path)
			}
		},
		"nil getters and setters panic": func(t *testing.T, r pages.Row) {
			get, set := func(*Animal) uint8 { return 1 }, func(*Animal, uint8) {}
			writes := Builder[Animal](nil).UInt8(get, nil).UInt8(get, nil)
			if got := compiled(t, writes, Animal{}); string(got) != "\x01\x01" {
				t.Errorf("%x", got)
			}
			_, err := writes.ParseBytes([]byte{1, 1})
			if !errors.As(err, new(ErrCompile)) || !strings.Contains(err.Error(), "#1 has no setter") || !strings.Contains(err.Error(), "#2 has no setter") {
				t.Error(err)
			}
			reads := Builder[Animal](nil).UInt8(nil, set)
			if _, err := reads.ParseBytes([]byte{1}); err != nil {
				t.Error(err)
			}
			if err := reads.Compile(Animal{}, io.Discard); !errors.As(err, new(ErrCompile)) || !strings.Contains(err.Error(), "#1 has no getter") {
				t.Error(err)
			}
		},
		"`Parse` returns an error and the partly read value": func(t *testing.T, r pages.Row) {
			if got, err := animalBuilder().ParseBytes([]byte("\x03cat")); err == nil || got != (Animal{}) {
				t.Errorf("%+v, %v", got, err)
			}
			made := &Animal{9, "made"}
			pool := &backs{made: made}
			p := ParserModel[*Animal](pool).SmallVarchar(func(a **Animal, v string) { (*a).Specie = v }).UInt8(func(a **Animal, v uint8) { (*a).Age = v })
			if got, err := p.ParseBytes([]byte("\x03cat")); err == nil || got != nil || pool.back != made {
				t.Errorf("%v, %v, and back in the pool is %v", got, err, pool.back)
			}
		},
		"at the end of a reader: no error, or `ErrCannotRead`": func(t *testing.T, r pages.Row) {
			for n, end := range map[int]bool{0: true, 1: false, 4: false} {
				if _, err := animalBuilder().Parse(reader([]byte("\x03cat")[:n])); !errors.Is(err, ErrCannotRead) || errors.Is(err, io.EOF) != end {
					t.Errorf("after %d bytes: %v", n, err)
				}
			}
		},
		"`MultiBuilder`: items are values": func(t *testing.T, r pages.Row) {
			models := MultiBuilder(UInt8Header()).MustRegister(0, animalBuilder())
			var value, pointer bytes.Buffer
			if err := errors.Join(models.Compile(Animal{3, "cat"}, &value), models.Compile(&Animal{3, "cat"}, &pointer)); err != nil || !bytes.Equal(value.Bytes(), pointer.Bytes()) {
				t.Errorf("%x, %x, %v", value.Bytes(), pointer.Bytes(), err)
			}
		},
		"`WithResetFunc` is not called": func(t *testing.T, r pages.Row) {
			resets := 0
			pool := PooledFactory(ObjectFactory[Animal](), WithResetFunc(func(*Animal) { resets++ }))
			if pool.Put(Animal{}); resets != 1 {
				t.Errorf("%d resets by Put", resets)
			}
			p := ParserModel[Animal](pool).UInt8(func(*Animal, uint8) {})
			p.ParseBytes([]byte{1})
			if resets != 1 {
				t.Errorf("%d resets after a message", resets)
			}
			if p.ParseBytes(nil); resets != 2 {
				t.Errorf("%d resets after what could not be read", resets)
			}
		},
		"`ObjectFactory` is a `FuncFactory`; a nil factory panics": func(t *testing.T, r pages.Row) {
			if _, is := ObjectFactory[Animal]().(FuncFactory[Animal]); is {
				t.Error("it is a FuncFactory")
			}
			b := Builder[Animal](nil).UInt8(func(*Animal) uint8 { return 0 }, func(a *Animal, v uint8) { a.Age = v })
			if got, err := b.ParseBytes([]byte{7}); err != nil || got != (Animal{Age: 7}) {
				t.Error(got, err)
			}
		},
		"`MapType` returns a value of an unexported type": func(t *testing.T, r pages.Row) {
			var tp Type[map[string]uint8] = MapType(UInt8Header(), SmallVarchar(), UInt8()) // the declaration compiles
			if got := compiled(t, tp, map[string]uint8{"a": 1}); string(got) != "\x01\x01a\x01" {
				t.Errorf("%x", got)
			}
		},
		"`OptionalType` is not a `Type`; `StructType.ByteLength` panics": func(t *testing.T, r pages.Row) {
			option, animal := Type[*uint8](Option(UInt8())), Type[Animal](Struct(animalBuilder()))
			option.ByteLength()
			animal.ByteLength()
			options := Slice(UInt8Header(), option)
			if got := compiled(t, options, iterable(nil, Ptr(uint8(7)))); string(got) != "\x02\x00\x01\x07" {
				t.Errorf("%x", got)
			}
			both := MapType(UInt8Header(), UInt8(), MapType(UInt8Header(), UInt8(), animal))
			if got := compiled(t, both, map[uint8]map[uint8]Animal{1: {2: {3, "cat"}}}); string(got) != "\x01\x01\x01\x02\x03cat\x03" {
				t.Errorf("%x", got)
			}
		},
		"`TimeType`": func(t *testing.T, r pages.Row) {
			declaresNone(t, "TimeType")
			for _, tp := range []Type[time.Time]{TimeUTC(), TimeLocation()} { // the declarations compile
				at := time.Unix(1_700_000_000, 5).UTC()
				if got, err := tp.Parse(reader(compiled(t, tp, at))); err != nil || !got.Equal(at) {
					t.Error(got, err)
				}
			}
		},
		"`Pool.Get1`, `Put1` … `GetAnyMap`, `PutAnyMap`": func(t *testing.T, r pages.Row) {
			pool := reflect.TypeFor[*Pool]()
			for i := range pool.NumMethod() {
				if name := pool.Method(i).Name; name != "Get" && name != "Put" {
					t.Errorf("there is %s", name)
				}
			}
			for _, n := range []int{1, 3, 1 << 20} {
				if b := NewPool().Get(n); len(*b) < n {
					t.Errorf("%d bytes of %d", len(*b), n)
				}
			}
			for name, text := range sources(t) {
				if name != "pool.go" && (strings.Contains(text, "SinglePool") || strings.Contains(text, "NewPool")) {
					t.Errorf("%s uses the pool", name)
				}
			}
		},
		"`Blob.Parse` returns memory from a pool": func(t *testing.T, r pages.Row) {
			in := []byte("\x02ab")
			first, err := Blob(UInt8Header()).Parse(bytes.NewReader(in))
			second, err2 := Blob(UInt8Header()).Parse(reader([]byte("\x02cd")))
			if in[1] = 'X'; err != nil || err2 != nil || string(first) != "ab" || string(second) != "cd" {
				t.Errorf("%q, %q, %v, %v", first, second, err, err2)
			}
		},
		"`NewFixedType`: the parser and the compiler get pooled memory, with its old bytes": func(t *testing.T, r pages.Row) {
			var kept [][]byte
			tp := NewFixedType(2, func(b []byte) ([]byte, error) { kept = append(kept, b); return b, nil },
				func(_ []byte, b []byte) error {
					if !bytes.Equal(b, []byte{0, 0}) {
						t.Errorf("the compiler gets %x", b)
					}
					copy(b, "xy")
					return nil
				})
			b := Builder[Animal](nil).Field(FixedField[Animal, []byte]{Id: "a", Type: tp, Getter: func(*Animal) []byte { return nil }, Setter: func(*Animal, []byte) {}})
			in := []byte("ab")
			for _, text := range []string{"ab", "cd"} {
				copy(in, text)
				if _, err := b.ParseBytes(in); err != nil {
					t.Fatal(err)
				}
				compiled(t, b, Animal{})
				compiled(t, tp, nil)
			}
			if copy(in, "--"); string(kept[0]) != "ab" || string(kept[1]) != "cd" {
				t.Errorf("the parser kept %q", kept)
			}
		},
		"`LongText` and `Blob` allow 100 MiB, slices 10,000,000 elements": func(t *testing.T, r pages.Row) {
			const most = 10_000_000
			if MaxReasonableSliceLength != most || MaxReasonableVarSize != 100<<20 {
				t.Error("the limits are others")
			}
			ours, foreign := Slice(UInt32LEHeader(), UInt8()), Slice[uint8](foreignHeader{}, UInt8())
			long := append(binary.LittleEndian.AppendUint32(nil, most+1), make([]byte, most+1)...)
			if got, err := ours.Parse(reader(long)); err != nil || got.Len() != most+1 {
				t.Error(err)
			}
			if _, err := foreign.Parse(reader(long)); !errors.Is(err, ErrOverflow) {
				t.Error(err)
			}
			for n, want := range map[uint32]struct{ ours, foreign error }{
				100 << 20: {ErrCannotRead, ErrCannotRead}, 100<<20 + 1: {ErrCannotRead, ErrOverflow}, 1<<30 + 1: {ErrOverflow, ErrOverflow},
			} {
				claim := reader(binary.LittleEndian.AppendUint32(nil, n))
				if _, err := Blob(UInt32LEHeader()).Parse(claim); !errors.Is(err, want.ours) {
					t.Errorf("%d bytes: %v", n, err)
				}
				claim = reader(binary.LittleEndian.AppendUint32(nil, n))
				if _, err := Blob(foreignHeader{}).Parse(claim); !errors.Is(err, want.foreign) {
					t.Errorf("%d bytes by another header: %v", n, err)
				}
			}
			if _, err := LongText(le).Parse(reader(binary.LittleEndian.AppendUint64(nil, 1<<30+1))); !errors.Is(err, ErrOverflow) {
				t.Error(err)
			}
		},
	})
	page.Rows(t, "Going on to schema", toSchema())
	page.Skip(t, "TestPagesFromParco of the root package has them", "From Parco", "Going on to schema", "What it costs, what it gains")
	page.Done(t)
}

// backs is a pool with one value.
type backs struct{ made, back *Animal }

func (b *backs) Get() *Animal  { return b.made }
func (b *backs) Put(a *Animal) { b.back = a }

// sources returns the source files of the package by name.
func sources(t *testing.T) map[string]string {
	t.Helper()
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]string)
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		text, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		all[f.Name()] = string(text)
	}
	return all
}

func declaresNone(t *testing.T, name string) {
	t.Helper()
	for file, text := range sources(t) {
		if strings.Contains(text, "func "+name) || strings.Contains(text, "type "+name) || strings.Contains(text, "\n\t"+name+" ") {
			t.Errorf("%s declares %s", file, name)
		}
	}
}
