package parco_test

// These tests measure how the cost of every function grows with its input. Most of the API creates
// types and fields, so the tests measure reading and writing models of them.

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/internal/growth"
	. "github.com/slipstream-go/slipstream/parco"
)

// growthDoc contains a field of every kind whose encoding is more than a copy of the value's
// memory, for example because it begins with a header. The fields from Foreign on use user-defined
// types or headers.
type growthDoc struct {
	Text     string
	Blob     []byte
	Names    []string
	Numbers  []int64
	Pets     []Animal
	Map      map[string]uint8
	Opts     []*string
	Maps     []map[string]uint8
	Foreign  []int64
	Fixed    []int
	Bill     map[string]int64
	Headed   []string
	HeadedIn map[string]int64
	HeadText string
}

func (growthDoc) ParcoID() int { return 7 }

func growthBuilder() ModelBuilder[growthDoc] {
	type doc = growthDoc
	wide := foreignHeader{}
	return Builder[doc](ObjectFactory[doc]()).
		Text(le, func(v *doc) string { return v.Text }, func(v *doc, s string) { v.Text = s }).
		Blob(UInt32Header(le), func(v *doc) []byte { return v.Blob }, func(v *doc, b []byte) { v.Blob = b }).
		Slice(SliceField[doc, string](UInt32Header(le), Varchar(), func(v *doc, s SliceView[string]) { v.Names = s }, func(v *doc) SliceView[string] { return v.Names })).
		Slice(SliceField[doc, int64](UInt32Header(le), Int64LE(), func(v *doc, s SliceView[int64]) { v.Numbers = s }, func(v *doc) SliceView[int64] { return v.Numbers })).
		Slice(SliceField[doc, Animal](UInt32Header(le), Struct(animalBuilder()), func(v *doc, s SliceView[Animal]) { v.Pets = s }, func(v *doc) SliceView[Animal] { return v.Pets })).
		Map(MapField[doc, string, uint8](UInt32Header(le), SmallVarchar(), UInt8(), func(v *doc, m map[string]uint8) { v.Map = m }, func(v *doc) map[string]uint8 { return v.Map })).
		Slice(SliceField[doc, *string](UInt32Header(le), Option(SmallVarchar()), func(v *doc, s SliceView[*string]) { v.Opts = s }, func(v *doc) SliceView[*string] { return v.Opts })).
		Slice(SliceField[doc, map[string]uint8](UInt32Header(le), MapType(UInt8Header(), SmallVarchar(), UInt8()), func(v *doc, s SliceView[map[string]uint8]) { v.Maps = s }, func(v *doc) SliceView[map[string]uint8] { return v.Maps })).
		Slice(SliceField[doc, int64](UInt32Header(le), money{}, func(v *doc, s SliceView[int64]) { v.Foreign = s }, func(v *doc) SliceView[int64] { return v.Foreign })).
		Slice(SliceField[doc, int](UInt32Header(le), three, func(v *doc, s SliceView[int]) { v.Fixed = s }, func(v *doc) SliceView[int] { return v.Fixed })).
		Map(MapField[doc, string, int64](UInt32Header(le), SmallVarchar(), money{}, func(v *doc, m map[string]int64) { v.Bill = m }, func(v *doc) map[string]int64 { return v.Bill })).
		Slice(SliceField[doc, string](wide, SmallVarchar(), func(v *doc, s SliceView[string]) { v.Headed = s }, func(v *doc) SliceView[string] { return v.Headed })).
		Map(MapField[doc, string, int64](wide, SmallVarchar(), Int64LE(), func(v *doc, m map[string]int64) { v.HeadedIn = m }, func(v *doc) map[string]int64 { return v.HeadedIn })).
		Field(StringField[doc](String(wide), func(v *doc) string { return v.HeadText }, func(v *doc, s string) { v.HeadText = s }))
}

func growthDocs() []growth.Family[growthDoc] {
	made := func(name string, f func(v *growthDoc, n int)) growth.Family[growthDoc] {
		return growth.Family[growthDoc]{Name: name, Make: func(n int) (v growthDoc) { f(&v, n); return v }}
	}
	text := "a name"
	keys := func(n int) map[string]int64 {
		m := map[string]int64{}
		for i := range n / 16 {
			m["key "+strconv.Itoa(i)] = 1
		}
		return m
	}
	return []growth.Family[growthDoc]{
		made("text", func(v *growthDoc, n int) { v.Text = strings.Repeat("é", n/2) }),
		made("a blob", func(v *growthDoc, n int) { v.Blob = make([]byte, n) }),
		made("strings", func(v *growthDoc, n int) { v.Names = slices.Repeat([]string{text}, n/8) }),
		made("empty strings", func(v *growthDoc, n int) { v.Names = make([]string, n/2) }),
		made("numbers", func(v *growthDoc, n int) { v.Numbers = make([]int64, n/8) }),
		made("structs", func(v *growthDoc, n int) { v.Pets = slices.Repeat([]Animal{{1, text}}, n/8) }),
		made("a map", func(v *growthDoc, n int) {
			v.Map = map[string]uint8{}
			for key := range keys(n) {
				v.Map[key] = 1
			}
		}),
		made("options", func(v *growthDoc, n int) { v.Opts = slices.Repeat([]*string{&text, nil}, n/9) }),
		made("maps", func(v *growthDoc, n int) { v.Maps = slices.Repeat([]map[string]uint8{{"a": 1}, nil}, n/5) }),
		made("a foreign type", func(v *growthDoc, n int) { v.Foreign = make([]int64, n/8) }),
		made("a fixed type", func(v *growthDoc, n int) { v.Fixed = make([]int, n/3) }),
		made("a map of a foreign type", func(v *growthDoc, n int) { v.Bill = keys(n) }),
		made("a foreign header", func(v *growthDoc, n int) { v.Headed = slices.Repeat([]string{text}, n/8) }),
		made("a map with a foreign header", func(v *growthDoc, n int) { v.HeadedIn = keys(n) }),
		made("text with a foreign header", func(v *growthDoc, n int) { v.HeadText = strings.Repeat("x", n) }),
	}
}

func growthCalls() []growth.Call[growthDoc] {
	b := growthBuilder()
	parser, compiler := b.Parco()
	multi := MultiBuilder(UInt8Header()).MustRegister(7, b)
	reading := func(name string, read func(data []byte)) growth.Call[growthDoc] {
		return growth.Call[growthDoc]{Name: name, Alloc: 200, Start: func() func(growthDoc) {
			var w bytes.Buffer
			return func(v growthDoc) {
				if w.Len() == 0 { // encode once, so that the measurement only includes reading
					if err := compiler.Compile(v, &w); err != nil {
						panic(err)
					}
				}
				read(w.Bytes())
			}
		}}
	}
	return []growth.Call[growthDoc]{
		{Name: "Compiler.Compile,ModelBuilder.Compile,ModelBuilder.CompileAny,ModelBuilder.CompileBytes,ModelMultiBuilder.Compile,ModelMultiBuilder.CompileAny", Run: func(v growthDoc) {
			compiler.Compile(v, io.Discard)
			b.Compile(v, io.Discard)
			b.CompileAny(v, io.Discard)
			b.CompileBytes(v, nil)
			multi.Compile(v, io.Discard)
			multi.CompileAny(7, v, io.Discard)
		}, Alloc: 400},
		reading("Parser.ParseBytes,ModelBuilder.ParseBytes", func(data []byte) {
			parser.ParseBytes(data)
			b.ParseBytes(data[:len(data)-1])
		}),
		reading("Parser.Parse,ModelBuilder.ParseAny pieces", func(data []byte) {
			parser.Parse(growth.Pieces(data, 1))
			b.ParseAny(growth.Pieces(data, 100))
		}),
		reading("ModelBuilder.Parse a cursor", func(data []byte) {
			c := NewBufferCursor(data, 0)
			b.Parse(&c)
			b.Parse(bytes.NewBuffer(data))
		}),
		reading("ModelMultiBuilder.Parse", func(data []byte) { multi.Parse(io.MultiReader(strings.NewReader("\x07"), growth.Pieces(data, 100))) }),
	}
}

// growthClaims returns cases for single types, with input that announces more than it contains. One
// announced count exceeds the limit, and the other is just below it.
func growthClaims() []growth.Case {
	claim := func(name string, parse func(r io.Reader), units ...string) growth.Case {
		// The field Most keeps the second announced count larger than the input.
		return growth.Case{Name: name, Alloc: 100, Most: 8 << 20, Prepare: func(n int) func() {
			var in []string
			for _, unit := range units {
				rest := strings.Repeat(unit, n/len(unit))
				in = append(in, "\xff\xff\xff\x7f"+rest, string(binary.LittleEndian.AppendUint32(nil, MaxReasonableSliceLength-1))+rest)
			}
			return func() {
				for _, text := range in {
					parse(strings.NewReader(text))
					parse(growth.Pieces(text, 1))
				}
			}
		}}
	}
	known, foreign := UInt32Header(le), foreignHeader{}
	return []growth.Case{
		claim("SliceType.Parse a claim", func(r io.Reader) { Slice(known, SmallVarchar()).Parse(r) }, "\x00", "\x01a"),
		claim("SliceType.ParseBytes a claim", func(r io.Reader) {
			if data, err := io.ReadAll(r); err == nil {
				Slice(known, SmallVarchar()).ParseBytes(data)
			}
		}, "\x00", "\x01a"),
		claim("SliceType.Parse a claim, foreign", func(r io.Reader) { Slice(foreign, Int64LE()).Parse(r) }, "12345678"),
		claim("SliceType.Parse a claim, money", func(r io.Reader) { Slice(known, money{}).Parse(r) }, "12345678"),
		claim("MapType a claim", func(r io.Reader) { MapType(known, UInt32LE(), UInt8()).Parse(r) }, "12345", "67890"),
		claim("MapType a claim, foreign", func(r io.Reader) { MapType(foreign, UInt32LE(), UInt8()).Parse(r) }, "12345"),
		claim("String a claim", func(r io.Reader) { String(known).Parse(r) }, "a"),
		claim("String a claim, foreign", func(r io.Reader) { String(foreign).Parse(r) }, "a"),
		claim("Blob a claim, foreign", func(r io.Reader) { Blob(foreign).Parse(r) }, "a"),
		{Name: "BufferCursor.Read,NewBufferCursor", Prepare: func(n int) func() {
			in := make([]byte, n)
			return func() {
				c := NewBufferCursor(in, 0)
				var box [3]byte
				for {
					if _, err := c.Read(box[:]); err != nil {
						return
					}
				}
			}
		}},
		{Name: "Pool.Get,Pool.Put", Alloc: 8, Prepare: func(n int) func() {
			return func() {
				p := NewPool()
				for range n / 64 {
					p.Put(p.Get(64))
				}
				p.Put(p.Get(n))
			}
		}},
		{Name: "FormatBytes", Alloc: 40, Prepare: func(n int) func() {
			in := bytes.Repeat([]byte{255}, n)
			return func() { FormatBytes(in) }
		}},
		{Name: "SliceView.Range,SliceView.Len,SliceView.Unwrap", Prepare: func(n int) func() {
			v := make(SliceView[byte], n)
			return func() {
				v.Unwrap()
				for range v.Len() / 1000 {
					_ = v[:1000].Range(func(byte) error { return nil })
				}
			}
		}},
		{Name: "Compiler.Compile many small after a large one", Alloc: 100, Prepare: func(n int) func() {
			_, compiler := growthBuilder().Parco()
			large := growthDoc{Text: strings.Repeat("x", n/2), Foreign: make([]int64, n/16)}
			return func() {
				compiler.Compile(large, io.Discard)
				for range n / 256 {
					compiler.Compile(growthDoc{Text: "x", Foreign: []int64{1}}, io.Discard)
				}
			}
		}},
		{Name: "ModelBuilder.Parse,BufferCursor.Read many small of a cursor", Alloc: 100, Prepare: func(n int) func() {
			b := growthBuilder()
			parser, compiler := b.Parco()
			var w bytes.Buffer
			for range n / 256 {
				compiler.Compile(growthDoc{Text: "x", Foreign: []int64{1}}, &w)
			}
			return func() {
				for _, parse := range []func(io.Reader) (growthDoc, error){parser.Parse, b.Parse} {
					c := NewBufferCursor(w.Bytes(), 0)
					for range n / 256 {
						if _, err := parse(&c); err != nil {
							panic(err)
						}
					}
				}
			}
		}},
		{Name: "Parser.Parse many small after a large one", Alloc: 100, Prepare: func(n int) func() {
			parser, compiler := growthBuilder().Parco()
			var w bytes.Buffer
			compiler.Compile(growthDoc{Text: strings.Repeat("x", n/2), Names: make([]string, n/8)}, &w)
			large := w.Len()
			for range n / 256 {
				compiler.Compile(growthDoc{Text: "x"}, &w)
			}
			return func() {
				r := bytes.NewBuffer(w.Bytes())
				for r.Len() > 0 {
					if _, err := parser.Parse(r); err != nil {
						panic(err)
					}
				}
				s := growth.Pieces(w.Bytes()[large:], 33)
				for {
					if _, err := parser.Parse(s); err != nil {
						return
					}
				}
			}
		}},
	}
}

func TestGrowth(t *testing.T) {
	growth.Check(t, slices.Concat(growth.Cross(growthCalls(), growthDocs()), growthClaims()))
}

func TestGrowthCovers(t *testing.T) {
	growth.Covers(t, append(growth.Names(growthCalls()), growth.CaseNames(growthClaims())...), map[string]string{
		"*Field":                     "makes a field",
		"*Field.ID":                  "returns a number",
		"*Field.Compile":             "one field, by way of the models that have cases",
		"*Field.Parse":               "one field, by way of the models that have cases",
		"*FieldGetter":               "makes a field",
		"*FieldSetter":               "makes a field",
		"Field.*":                    "the code of Compiler.Compile and Parser.Parse, for one field",
		"FixedField.*":               "the code of Compiler.Compile and Parser.Parse, for one field",
		"OptionalField*":             "the code of Compiler.Compile and Parser.Parse, for one field",
		"ArrayType.*":                "the code of SliceType",
		"OptionalType.*":             "the code of SliceType",
		"SliceType.[BC]*":            "the codec, which SliceType.Parse and Compiler.Compile measure",
		"StructType.*":               "the codec, which SliceType.Parse and Compiler.Compile measure",
		"Compiler.[ABFIMOSTUV]*":     "adds a field",
		"Parser.[ABFIMOSTUV]*":       "adds a field",
		"ModelBuilder.[ABFIMOSTUV]*": "adds a field",
		"ModelBuilder.Compiler":      "returns the model's compiler",
		"ModelBuilder.Parser":        "returns the model's parser",
		"ModelBuilder.Parco":         "returns both",

		"ModelMultiBuilder.*Register": "once for a model",
		"RegisterModel":               "once for a model",
		"*Model":                      "ModelMultiBuilder, of the package's own registry",

		"*Type.Byte*":         "a number",
		"*Type.Compile":       "an interface",
		"[A-RT-Z]*Type.Parse": "an interface",
		"Type.*":              "an interface",
		"Iterable.*":          "an interface",
		"Factory.*":           "an interface",
		"PoolFactory.*":       "an interface",
		"Pooler.*":            "an interface",

		"Array":                 "makes a type",
		"Bool":                  "makes a type",
		"Byte":                  "makes a type",
		"Float*":                "makes a type",
		"Int*":                  "makes a type",
		"LongText":              "makes a type",
		"New*Type":              "makes a type",
		"Option":                "makes a type",
		"Skip*":                 "makes a type",
		"Slice":                 "makes a type",
		"*Varchar":              "makes a type",
		"VarcharOrder":          "makes a type",
		"Struct*":               "makes a type",
		"Text":                  "makes a type",
		"Time*":                 "makes a type",
		"UInt*":                 "makes a type",
		"Builder":               "makes a model",
		"MultiBuilder":          "makes a registry",
		"NewPool":               "makes an empty pool",
		"*Factory":              "makes a function",
		"FuncFactory.Get":       "calls a function",
		"NativePooledFactory.*": "a sync.Pool",
		"WithResetFunc":         "an option",
		"SizerFunc.Len":         "calls a function",

		"Bytes2String":   "copies nothing",
		"String2Bytes":   "copies nothing",
		"CompileBlob":    "one copy",
		"ParseBlob":      "one copy",
		"CompileString*": "one copy",
		"ParseString":    "one copy",
		"Compile*Int*":   "one value of fixed size",
		"Parse*Int*":     "one value of fixed size",
		"CompileFloat*":  "one value of fixed size",
		"ParseFloat*":    "one value of fixed size",
		"*Time":          "one value of fixed size",
		"Err*.*":         "a line of text",
		"NewErr*":        "a line of text",
		"If":             "one of two values",
		"Ptr":            "one value",
		"MaxByteSize64":  "a number",
		"MaxSize":        "a number",
	})
}

// TestGrowthHeld sends one large message and then many small ones through the same model.
func TestGrowthHeld(t *testing.T) {
	doc := func(n int) growthDoc {
		return growthDoc{Text: strings.Repeat("x", n/2), Names: slices.Repeat([]string{"a name"}, n/32), Headed: make([]string, n/16)}
	}
	parser, compiler := growthBuilder().Parco()
	growth.CheckHeld(t, []growth.Held{
		{Name: "Compile", Start: func(large, small int) func(int) any {
			in := map[int]growthDoc{large: doc(large), small: doc(small)}
			return func(n int) any { compiler.Compile(in[n], io.Discard); return nil }
		}},
		{Name: "Parse", Start: func(large, small int) func(int) any {
			in := map[int][]byte{}
			for _, n := range []int{large, small} {
				var w bytes.Buffer
				compiler.Compile(doc(n), &w)
				in[n] = w.Bytes()
			}
			return func(n int) any {
				v, err := parser.Parse(growth.Pieces(in[n], 1000))
				if err != nil {
					t.Fatal(err)
				}
				parser.ParseBytes(in[n])
				return v
			}
		}, Kept: 40},
	})
}

// TestForgets checks the functions that use values and buffers from pools.
func TestForgets(t *testing.T) {
	parser, compiler := growthBuilder().Parco()
	on := func(call func(v growthDoc)) func() *byte {
		return func() *byte {
			v := growthDoc{Blob: make([]byte, 1000)}
			call(v)
			return &v.Blob[0]
		}
	}
	parsed := func(parse func(b []byte)) func() *byte {
		return on(func(v growthDoc) {
			var w bytes.Buffer
			compiler.Compile(v, &w)
			parse(w.Bytes())
		})
	}
	growth.CheckForgets(t, map[string]func() *byte{
		"Compile":           on(func(v growthDoc) { compiler.Compile(v, io.Discard) }),
		"Compile, an error": on(func(v growthDoc) { v.Fixed = []int{-1}; compiler.Compile(v, growthFull{}) }),
		"CompileBytes":      on(func(v growthDoc) { growthBuilder().CompileBytes(v, v.Blob) }),
		"ParseBytes":        parsed(func(b []byte) { parser.ParseBytes(b) }),
		"Parse":             parsed(func(b []byte) { parser.Parse(growth.Pieces(b, 10)) }),
	})
}

// growthFull accepts no bytes.
type growthFull struct{}

func (growthFull) Write([]byte) (int, error) { return 0, io.ErrShortWrite }
