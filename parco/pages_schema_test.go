package parco_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/internal/pages"
	. "github.com/slipstream-go/slipstream/parco"
	"github.com/slipstream-go/slipstream/schema"
)

// These checks cover the table "Going on to schema" of docs/from-parco.md. The types that a row
// names in both packages have the same layout and encoding, and each reads the other's messages.

// A pair contains a type of parco and a type of schema, named as in the row.
type pair struct {
	parco, schema string
	same          func(*testing.T)
}

// pairs returns the check of a row, which must name exactly these pairs. A row with an ellipsis may
// leave some of them out.
func pairs(all ...pair) func(*testing.T, pages.Row) {
	return func(t *testing.T, r pages.Row) {
		t.Helper()
		theirs, ours := r.Code(0), r.Code(1)
		if len(ours) < len(theirs) {
			t.Fatalf("%s: %q in schema are fewer than %q in parco", r.Where, ours, theirs)
		}
		named := make(map[[2]string]bool)
		for i := range ours { // the second half, if present, is for the other byte order
			named[[2]string{theirs[i%len(theirs)], ours[i]}] = true
		}
		for _, p := range all {
			if key := [2]string{p.parco, p.schema}; !named[key] && !strings.Contains(r.Cells[0], "…`") && !strings.Contains(r.Cells[0], "` …") {
				t.Errorf("%s: the page does not say that %s is %s", r.Where, p.parco, p.schema)
			} else {
				delete(named, key)
			}
			p.same(t)
		}
		for key := range named {
			t.Errorf("%s: the page says that %s is %s, which no check holds", r.Where, key[0], key[1])
		}
	}
}

// A held contains a field of each type that a row needs. With one struct for all rows, the compiler
// instantiates the generic code only once.
type held struct {
	Bool    bool
	U8      uint8
	I8      int8
	U16     uint16
	I16     int16
	U32     uint32
	I32     int32
	U64     uint64
	I64     int64
	F32     float32
	F64     float64
	Int     int
	Uint    uint
	Text    string
	Bytes   []byte
	Time    time.Time
	Five    [5]uint16
	Numbers []uint16
	Texts   []string
	Animals []Animal
	Counts  map[string]uint8
	Animal  Animal
}

// at returns a pointer to the field of h that has type V.
func at[V any](h *held) *V {
	for _, f := range reflect.ValueOf(h).Elem().Fields() {
		if v, ok := f.Addr().Interface().(*V); ok {
			return v
		}
	}
	panic("no field of that type")
}

func get[V any](h *held) V { return *at[V](h) }

func set[V any](h *held, v V) { *at[V](h) = v }

func holding[V any](v V) (h held) {
	set(&h, v)
	return h
}

func heldModel[V any](p Type[V]) ModelBuilder[held] {
	return Builder[held](nil).Field(FixedField[held, V]{Type: p, Getter: get[V], Setter: set[V]})
}

func heldSchema[V any](s schema.Type[V]) *schema.Schema[held] {
	return schema.Struct(schema.F("v", at[V], s))
}

// one returns a pair whose value v is encoded as hex.
func one[V any](theirs, ours string, p Type[V], s schema.Type[V], v V, hex string) pair {
	return pair{theirs, ours, func(t *testing.T) {
		t.Helper()
		agree(t, heldModel(p), heldSchema(s), holding(v), hex)
	}}
}

// agree checks that a model and a schema have the same layout, encode v as hex, and decode hex to
// v.
func agree[T any](t *testing.T, b ModelBuilder[T], s *schema.Schema[T], v T, hex string) {
	t.Helper()
	layout, err := b.Schema()
	if err != nil {
		t.Fatal(err)
	}
	if layout.Fingerprint() != s.Fingerprint() {
		t.Errorf("%v in parco is %v in schema", layout, s)
	}
	alike(t, b, s, v, hex)
}

// alike is like agree, but does not compare the layouts. For custom types, the layouts contain
// different names.
func alike[T any](t *testing.T, b ModelBuilder[T], s *schema.Schema[T], v T, hex string) {
	t.Helper()
	want := fromHex(hex)
	if got := compiled(t, b, v); !bytes.Equal(got, want) {
		t.Errorf("%v: parco writes %+v as %x, want %x", s, v, got, want)
	}
	if got, err := s.Marshal(&v); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%v: schema writes %+v as %x, want %x (%v)", s, v, got, want, err)
	}
	if got, err := b.ParseBytes(want); err != nil || !reflect.DeepEqual(got, v) {
		t.Errorf("%v: parco reads %+v, want %+v (%v)", s, got, v, err)
	}
	if got, err := b.Parse(reader(want)); err != nil || !reflect.DeepEqual(got, v) {
		t.Errorf("%v: parco reads %+v from a reader, want %+v (%v)", s, got, v, err)
	}
	var got T
	if err := s.Unmarshal(want, &got); err != nil || !reflect.DeepEqual(got, v) {
		t.Errorf("%v: schema reads %+v, want %+v (%v)", s, got, v, err)
	}
}

// headerPairs returns the unsigned or the signed headers. Each of them is checked with strings and
// with blobs.
func headerPairs(signed bool) (all []pair) {
	for _, h := range []struct {
		theirs string
		p      IntType
		ours   string
		s      schema.Header
		hex    string
		signed bool
	}{
		{"UInt8Header", UInt8Header(), "H8", schema.H8, "02", false},
		{"UInt16HeaderLE", UInt16HeaderLE(), "H16", schema.H16, "0200", false},
		{"UInt16HeaderBE", UInt16HeaderBE(), "H16BE", schema.H16BE, "0002", false},
		{"UInt32LEHeader", UInt32LEHeader(), "H32", schema.H32, "02000000", false},
		{"UInt32BEHeader", UInt32BEHeader(), "H32BE", schema.H32BE, "00000002", false},
		{"UInt64LEHeader", UInt64LEHeader(), "H64", schema.H64, "0200000000000000", false},
		{"UInt64BEHeader", UInt64BEHeader(), "H64BE", schema.H64BE, "0000000000000002", false},
		{"Int8Header", Int8Header(), "HI8", schema.HI8, "02", true},
		{"Int16LEHeader", Int16LEHeader(), "HI16", schema.HI16, "0200", true},
		{"Int16BEHeader", Int16BEHeader(), "HI16BE", schema.HI16BE, "0002", true},
		{"Int32LEHeader", Int32LEHeader(), "HI32", schema.HI32, "02000000", true},
		{"Int32BEHeader", Int32BEHeader(), "HI32BE", schema.HI32BE, "00000002", true},
		{"Int64LEHeader", Int64LEHeader(), "HI64", schema.HI64, "0200000000000000", true},
		{"Int64BEHeader", Int64BEHeader(), "HI64BE", schema.HI64BE, "0000000000000002", true},
	} {
		if h.signed == signed {
			all = append(all, pair{h.theirs, h.ours, func(t *testing.T) {
				one("", "", String(h.p), schema.Str(h.s), "ab", h.hex+"6162").same(t)
				one("", "", Blob(h.p), schema.Blob(h.s), []byte("ab"), h.hex+"6162").same(t)
			}})
		}
	}
	return all
}

// anyHeader returns a pair of types that accept every header.
func anyHeader(theirs, ours string) pair {
	return pair{theirs, ours, func(t *testing.T) {
		for _, p := range slices.Concat(headerPairs(false), headerPairs(true)) {
			p.same(t)
		}
	}}
}

// codes returns the check of a row. Its cells must name exactly these codes, and check must pass.
func codes(theirs, ours []string, check func(*testing.T)) func(*testing.T, pages.Row) {
	return func(t *testing.T, r pages.Row) {
		t.Helper()
		if !slices.Equal(r.Code(0), theirs) || !slices.Equal(r.Code(1), ours) {
			t.Errorf("%s: the page says %q, %q, the check %q, %q", r.Where, r.Code(0), r.Code(1), theirs, ours)
		}
		check(t)
	}
}

// toSchema returns the checks of the rows.
func toSchema() map[string]func(*testing.T, pages.Row) {
	now := time.Unix(1_700_000_000, 5).UTC()
	const nowHex = "05002a36fe9c9717"
	return map[string]func(*testing.T, pages.Row){
		"`Bool` `UInt8` `Int8` `Byte`": pairs(
			one("Bool", "Bool", Bool(), schema.Bool, true, "01"),
			one("UInt8", "U8", UInt8(), schema.U8, 200, "c8"),
			one("Int8", "I8", Int8(), schema.I8, -2, "fe"),
			one("Byte", "U8", Byte(), schema.U8, 7, "07")),
		"`UInt16LE` … `Int64BE`, `Float32LE` …": pairs(
			one("UInt16LE", "U16", UInt16LE(), schema.U16, 0xfe01, "01fe"),
			one("UInt16BE", "U16BE", UInt16BE(), schema.U16BE, 0xfe01, "fe01"),
			one("Int16LE", "I16", Int16LE(), schema.I16, -2, "feff"),
			one("Int16BE", "I16BE", Int16BE(), schema.I16BE, -2, "fffe"),
			one("UInt32LE", "U32", UInt32LE(), schema.U32, 0xfe000001, "010000fe"),
			one("UInt32BE", "U32BE", UInt32BE(), schema.U32BE, 0xfe000001, "fe000001"),
			one("Int32LE", "I32", Int32LE(), schema.I32, -2, "feffffff"),
			one("Int32BE", "I32BE", Int32BE(), schema.I32BE, -2, "fffffffe"),
			one("UInt64LE", "U64", UInt64LE(), schema.U64, 0xfe00000000000001, "01000000000000fe"),
			one("UInt64BE", "U64BE", UInt64BE(), schema.U64BE, 0xfe00000000000001, "fe00000000000001"),
			one("Int64LE", "I64", Int64LE(), schema.I64, -2, "feffffffffffffff"),
			one("Int64BE", "I64BE", Int64BE(), schema.I64BE, -2, "fffffffffffffffe"),
			one("Float32LE", "F32", Float32LE(), schema.F32, 1.5, "0000c03f"),
			one("Float32BE", "F32BE", Float32BE(), schema.F32BE, 1.5, "3fc00000"),
			one("Float64LE", "F64", Float64LE(), schema.F64, 1.5, "000000000000f83f"),
			one("Float64BE", "F64BE", Float64BE(), schema.F64BE, 1.5, "3ff8000000000000")),
		"`Int`, `UInt`": pairs(
			one("Int", "Int", Int(le), schema.Int, -2, "feffffffffffffff"),
			one("UInt", "Uint", UInt(le), schema.Uint, math.MaxUint32, "ffffffff00000000"),
			one("Int", "IntBE", Int(be), schema.IntBE, -2, "fffffffffffffffe"),
			one("UInt", "UintBE", UInt(be), schema.UintBE, math.MaxUint32, "00000000ffffffff")),
		"`UInt8Header`, `UInt16HeaderLE`, `UInt32BEHeader` …": pairs(headerPairs(false)...),
		"`Int8Header`, `Int16LEHeader` …":                     pairs(headerPairs(true)...),
		"`SmallVarchar`, `Varchar`, `Text(LE)`": pairs(
			one("SmallVarchar", "Str8", SmallVarchar(), schema.Str8, "ab", "026162"),
			one("Varchar", "Str16", Varchar(), schema.Str16, "ab", "02006162"),
			one("Text(LE)", "Str32", Text(le), schema.Str32, "ab", "020000006162")),
		"`VarcharOrder(BE)`, `LongText(LE)`, `String(header)`": pairs(
			one("VarcharOrder(BE)", "Str(H16BE)", VarcharOrder(be), schema.Str(schema.H16BE), "ab", "00026162"),
			one("LongText(LE)", "Str(H64)", LongText(le), schema.Str(schema.H64), "ab", "02000000000000006162"),
			anyHeader("String(header)", "Str(h)")),
		"`Blob(header)`": pairs(anyHeader("Blob(header)", "Blob(h)")),
		"`SliceField(header, t, …)`": codes([]string{"SliceField(header, t, …)"}, []string{"List(h, t)"}, func(t *testing.T) {
			listed(t, UInt8Header(), UInt16LE(), schema.List(schema.H8, schema.U16), []uint16{1, 2}, "0201000200")
			listed(t, UInt16HeaderBE(), SmallVarchar(), schema.List(schema.H16BE, schema.Str8), []string{"a", ""}, "0002016100")
			listed[Animal](t, Int8Header(), Struct(animalBuilder()), schema.List(schema.HI8, animals.Type()), []Animal{{3, "cat"}}, "010363617403")
		}),
		"`ArrayField(5, t, …)` on a `[5]T`": codes([]string{"ArrayField(5, t, …)", "[5]T"}, []string{"Array[[5]T](t)", "Fixed(5, t)"}, func(t *testing.T) {
			b := Builder[held](nil).Array(ArrayField(5, UInt16LE(),
				func(h *held, v SliceView[uint16]) { copy(h.Five[:], v) }, func(h *held) SliceView[uint16] { return h.Five[:] }))
			agree(t, b, heldSchema(schema.Array[[5]uint16](schema.U16)), held{Five: [5]uint16{1, 2, 3, 4, 5}}, "01000200030004000500")

			onSlice := Builder[held](nil).Array(ArrayField(5, UInt16LE(),
				func(h *held, v SliceView[uint16]) { h.Numbers = v }, func(h *held) SliceView[uint16] { return h.Numbers }))
			fixed := heldSchema(schema.Fixed(5, schema.U16))
			agree(t, onSlice, fixed, held{Numbers: []uint16{1, 2, 3, 4, 5}}, "01000200030004000500")
			short := held{Numbers: make([]uint16, 4)}
			_, err := fixed.Marshal(&short)
			if err2 := onSlice.Compile(short, io.Discard); !errors.Is(err, schema.ErrLength) || !errors.Is(err2, ErrInvalidLength) {
				t.Errorf("four of five: %v, %v", err, err2)
			}
		}),
		"`MapField(header, k, v, …)`": codes([]string{"MapField(header, k, v, …)"}, []string{"Map(h, k, v)"}, func(t *testing.T) {
			b := Builder[held](nil).Map(MapField(UInt16HeaderLE(), SmallVarchar(), UInt8(), set[map[string]uint8], get[map[string]uint8]))
			s := heldSchema(schema.Map(schema.H16, schema.Str8, schema.U8))
			agree(t, b, s, held{Counts: map[string]uint8{"a": 5}}, "0100016105")
		}),
		"`OptionField(t, …)`": codes([]string{"OptionField(t, …)"}, []string{"Opt(t)", "Tail"}, optionsInSchema),
		"`StructField(…, b)`": codes([]string{"StructField(…, b)"}, []string{"s.Type()", "Part(…)"}, func(t *testing.T) {
			b := Builder[held](nil).Struct(StructField(get[Animal], set[Animal], animalBuilder()))
			for _, of := range []schema.Type[Animal]{animals.Type(), schema.Part(animalFields...)} {
				agree(t, b, heldSchema(of), held{Animal: Animal{3, "cat"}}, "0363617403")
			}
		}),
		"`Struct(b)` within `b`": codes([]string{"Struct(b)", "b"}, []string{"Self[T]()"}, func(t *testing.T) {
			b := Builder[chained](nil)
			b = b.Option(OptionField[chained, chained](Struct(b), func(c *chained, next *chained) { c.Next = next }, func(c *chained) *chained { return c.Next })).
				UInt8(func(c *chained) uint8 { return c.N }, func(c *chained, n uint8) { c.N = n })
			s := schema.Struct(
				schema.F("next", func(c *chained) **chained { return &c.Next }, schema.Opt(schema.Self[chained]())),
				schema.F("n", func(c *chained) *uint8 { return &c.N }, schema.U8))
			agree(t, b, s, chained{&chained{&chained{nil, 3}, 2}, 1}, "010100030201")
		}),
		"`TimeUTC`, `TimeLocation`": pairs(
			one("TimeUTC", "Time", TimeUTC(), schema.Time, now, nowHex),
			one("TimeLocation", "TimeZone", TimeLocation(), schema.TimeZone, now, nowHex+"0103555443")),
		"`Skip(n)`": codes([]string{"Skip(n)"}, []string{"Skip[T](n)"}, func(t *testing.T) {
			n := func(a *Animal) *uint8 { return &a.Age }
			b := Builder[Animal](nil).Skip(3).UInt8(func(a *Animal) uint8 { return a.Age }, func(a *Animal, n uint8) { a.Age = n })
			s := schema.Struct(schema.Skip[Animal](3), schema.F("age", n, schema.U8))
			agree(t, b, s, Animal{Age: 7}, "00000007")
			var v Animal
			got, err := b.ParseBytes(fromHex("01020307"))
			if err2 := s.Unmarshal(fromHex("01020307"), &v); err != nil || err2 != nil || got.Age != 7 || v.Age != 7 {
				t.Error(got, v, err, err2)
			}
		}),
		"a getter that computes its value": codes(nil, []string{"Get"}, func(t *testing.T) {
			get, set := func(a *Animal) uint8 { return 2 * a.Age }, func(a *Animal, n uint8) { a.Age = n / 2 }
			agree(t, Builder[Animal](nil).UInt8(get, set), schema.Struct(schema.Get("twice", schema.U8, get, set)), Animal{Age: 7}, "0e")
		}),
		"`NewFixedType`, a type of your own": codes([]string{"NewFixedType"}, []string{"Custom"}, func(t *testing.T) {
			custom := schema.Custom("three", 3, func(dst []byte, v *int) ([]byte, error) {
				return append(dst, byte(*v>>16), byte(*v>>8), byte(*v)), nil
			}, func(r io.Reader, v *int) error {
				var box [3]byte
				_, err := io.ReadFull(r, box[:])
				*v = int(box[0])<<16 | int(box[1])<<8 | int(box[2])
				return err
			})
			alike(t, heldModel(three), heldSchema(custom), held{Int: 0x010203}, "010203")
			ofMoney := schema.Custom("money", 1, func(dst []byte, v *int64) ([]byte, error) {
				var w bytes.Buffer
				err := money{}.Compile(*v, &w)
				return append(dst, w.Bytes()...), err
			}, func(r io.Reader, v *int64) (err error) {
				*v, err = money{}.Parse(r)
				return err
			})
			alike(t, heldModel[int64](money{}), heldSchema(ofMoney), held{I64: 42}, "34323b")
		}),
		"`compiler.Compile(v, w)`": codes([]string{"compiler.Compile(v, w)"}, []string{"s.Write(w, &v)", "s.Append(b, &v)"}, func(t *testing.T) {
			_, compiler := animalBuilder().Parco()
			v := Animal{3, "cat"}
			var written bytes.Buffer
			b, err := animals.Append([]byte("before"), &v)
			if err2 := animals.Write(&written, &v); err != nil || err2 != nil || "before"+written.String() != string(b) || !bytes.Equal(compiled(t, compiler, v), written.Bytes()) {
				t.Errorf("%q, %q, %v, %v", b, written.Bytes(), err, err2)
			}
		}),
		"`parser.Parse(r)`": codes([]string{"parser.Parse(r)"}, []string{"s.Read(r, &v)", "s.Reader(r)"}, func(t *testing.T) {
			parser, _ := animalBuilder().Parco()
			const two = "\x03cat\x03\x03dog\x05"
			want := []Animal{{3, "cat"}, {5, "dog"}}
			theirs, ours := reader([]byte(two)), reader([]byte(two)) // Parse and Read read one message, and no byte of the next
			for _, animal := range want {
				var v Animal
				got, err := parser.Parse(theirs)
				if err2 := animals.Read(ours, &v); err != nil || err2 != nil || got != animal || v != animal {
					t.Error(got, v, err, err2)
				}
			}
			var many []Animal
			for v, err := range animals.Reader(reader([]byte(two))).All() {
				if err != nil {
					t.Fatal(err)
				}
				many = append(many, *v)
			}
			if !slices.Equal(many, want) {
				t.Error(many)
			}
		}),
		"`parser.ParseBytes(b)`": codes([]string{"parser.ParseBytes(b)"}, []string{"s.Parse(b, &v)", "v"}, func(t *testing.T) {
			parser, _ := animalBuilder().Parco()
			got, err := parser.ParseBytes([]byte("\x03cat\x03more"))
			var v Animal
			rest, err2 := animals.Parse([]byte("\x03cat\x03more"), &v)
			if err != nil || err2 != nil || got != (Animal{3, "cat"}) || v != got || string(rest) != "more" {
				t.Error(got, v, rest, err, err2)
			}
			numbers := held{Numbers: make([]uint16, 2, 8)}
			first := &numbers.Numbers[0]
			if _, err := heldSchema(schema.List(schema.H8, schema.U16)).Parse([]byte{1, 7, 0}, &numbers); err != nil || len(numbers.Numbers) != 1 || &numbers.Numbers[0] != first || *first != 7 {
				t.Errorf("the memory of v is not used again: %v, %v", numbers, err)
			}
		}),
		"a factory": codes(nil, nil, func(t *testing.T) {
			set := func(a *Animal, n uint8) { a.Age = n }
			b := Builder(FuncFactory[Animal](func() Animal { return Animal{9, "made"} })).UInt8(func(a *Animal) uint8 { return a.Age }, set)
			got, err := b.ParseBytes([]byte{3})
			v := Animal{9, "made"}
			err2 := schema.Struct(schema.F("age", func(a *Animal) *uint8 { return &a.Age }, schema.U8)).Unmarshal([]byte{3}, &v)
			if want := (Animal{3, "made"}); err != nil || err2 != nil || got != want || v != want {
				t.Error(got, v, err, err2)
			}
		}),
	}
}

var animalFields = []schema.Field[Animal]{
	schema.F("specie", func(a *Animal) *string { return &a.Specie }, schema.Str8),
	schema.F("age", func(a *Animal) *uint8 { return &a.Age }, schema.U8),
}

// animals is the model of animalBuilder as a schema.
var animals = schema.Struct(animalFields...)

// A chained is a linked list.
type chained struct {
	Next *chained
	N    uint8
}

// listed calls agree for a SliceField.
func listed[E any](t *testing.T, h IntType, p Type[E], s schema.Type[[]E], v []E, hex string) {
	t.Helper()
	b := Builder[held](nil).Slice(SliceField(h, p, func(l *held, v SliceView[E]) { set[[]E](l, v) }, func(l *held) SliceView[E] { return get[[]E](l) }))
	agree(t, b, heldSchema(s), holding(v), hex)
}

// OptionField corresponds to Opt. At the end of a model, ParseBytes reads older messages without
// the option, as a Tail does. An Opt without a Tail does not.
func optionsInSchema(t *testing.T) {
	type optional struct {
		N    uint8
		Note *string
	}
	b := Builder[optional](nil).
		UInt8(func(o *optional) uint8 { return o.N }, func(o *optional, n uint8) { o.N = n }).
		Option(OptionField(SmallVarchar(), func(o *optional, v *string) { o.Note = v }, func(o *optional) *string { return o.Note }))
	n := schema.F("n", func(o *optional) *uint8 { return &o.N }, schema.U8)
	note := schema.F("note", func(o *optional) **string { return &o.Note }, schema.Opt(schema.Str8))
	alone, tail := schema.Struct(n, note), schema.Struct(n, schema.Tail(note))
	agree(t, b, alone, optional{7, Ptr("hi")}, "0701026869")
	agree(t, b, alone, optional{7, nil}, "0700")
	alike(t, b, tail, optional{7, Ptr("hi")}, "0701026869")

	older := []byte{7}
	var v optional
	got, err := b.ParseBytes(older)
	err2 := tail.Unmarshal(older, &v)
	if want := (optional{N: 7}); err != nil || err2 != nil || got != want || v != want {
		t.Errorf("an older message: %+v, %+v, %v, %v", got, v, err, err2)
	}
	if err := alone.Unmarshal(older, &v); !errors.Is(err, schema.ErrShort) {
		t.Errorf("an older message, without a Tail: %v", err)
	}
}
