package schema

// These tests measure how the cost of every function grows with its input.

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/internal/growth"
)

// growthRow contains a field of every kind whose encoding is more than a copy of the value's
// memory, for example because it begins with a header.
type growthRow struct {
	Name   string
	Text   string
	Blob   []byte
	Bools  []bool
	Words  []uint64
	Names  []string
	Lists  [][]string
	Map    map[string]uint64
	Ints   map[uint32]string
	Opt    *string
	At     time.Time
	Zone   time.Time
	Flags  []struct{}
	Rows   []growthCell
	Custom string
	Parts  []string
	Next   *growthRow
}

type growthCell struct {
	N uint8
	S string
	P *uint16
}

var growthCells = Part(
	F("n", func(v *growthCell) *uint8 { return &v.N }, U8),
	F("s", func(v *growthCell) *string { return &v.S }, Str8),
	F("p", func(v *growthCell) **uint16 { return &v.P }, Opt(U16)))

// growthText is a Custom that reads up to a zero byte.
var growthText = Custom("text", 1, func(dst []byte, v *string) ([]byte, error) { return append(append(dst, *v...), 0), nil },
	func(r io.Reader, v *string) error {
		var b [1]byte
		var text []byte
		for {
			if _, err := io.ReadFull(r, b[:]); err != nil {
				return err
			}
			if b[0] == 0 {
				*v = string(text)
				return nil
			}
			text = append(text, b[0])
		}
	})

// growthTree is a recursive type.
type growthTree struct{ Trees []growthTree }

var growthTrees = Struct(F("trees", func(v *growthTree) *[]growthTree { return &v.Trees }, List(H32, Self[growthTree]())))

var growthSchema = Struct(
	F("name", func(v *growthRow) *string { return &v.Name }, Str8),
	F("text", func(v *growthRow) *string { return &v.Text }, Str32),
	F("blob", func(v *growthRow) *[]byte { return &v.Blob }, Blob(H32)),
	F("bools", func(v *growthRow) *[]bool { return &v.Bools }, List(H32, Bool)),
	F("words", func(v *growthRow) *[]uint64 { return &v.Words }, List(H32, U64BE)),
	F("names", func(v *growthRow) *[]string { return &v.Names }, List(H32, Str16)),
	F("lists", func(v *growthRow) *[][]string { return &v.Lists }, List(H32, List(H8, Str8))),
	F("map", func(v *growthRow) *map[string]uint64 { return &v.Map }, Map(H32, Str8, U64)),
	F("ints", func(v *growthRow) *map[uint32]string { return &v.Ints }, Map(H32, U32, Str8)),
	F("opt", func(v *growthRow) **string { return &v.Opt }, Opt(Str32)),
	F("at", func(v *growthRow) *time.Time { return &v.At }, Time),
	F("zone", func(v *growthRow) *time.Time { return &v.Zone }, TimeZone),
	F("flags", func(v *growthRow) *[]struct{} { return &v.Flags }, List(H32, Part[struct{}]())),
	F("rows", func(v *growthRow) *[]growthCell { return &v.Rows }, List(H32, growthCells)),
	F("custom", func(v *growthRow) *string { return &v.Custom }, growthText),
	F("parts", func(v *growthRow) *[]string { return &v.Parts }, List(H32, growthText)),
	F("next", func(v *growthRow) **growthRow { return &v.Next }, Opt(Self[growthRow]())),
)

// growthRows returns values to write. Their encodings are the input for reading.
func growthRows() []growth.Family[*growthRow] {
	made := func(name string, f func(v *growthRow, n int)) growth.Family[*growthRow] {
		return growth.Family[*growthRow]{Name: name, Make: func(n int) *growthRow {
			v := &growthRow{Zone: time.Unix(1, 0).UTC()}
			f(v, n)
			return v
		}}
	}
	text := slices.Concat(growth.Scripts(), growth.NotUTF8())
	texts := func(s string) *growthRow { return &growthRow{Text: s, Opt: &s, Zone: time.Unix(1, 0).UTC()} }
	return slices.Concat(
		growth.Map("", text[:1], texts),
		growth.OnlyLong(growth.Map("", text[1:], texts)),
		[]growth.Family[*growthRow]{
			made("a blob", func(v *growthRow, n int) { v.Blob = make([]byte, n) }),
			made("bools", func(v *growthRow, n int) { v.Bools = make([]bool, n) }),
			made("numbers", func(v *growthRow, n int) { v.Words = make([]uint64, n/8) }),
			made("strings", func(v *growthRow, n int) { v.Names = slices.Repeat([]string{"a"}, n/3) }),
			made("empty strings", func(v *growthRow, n int) { v.Names = make([]string, n/2) }),
			made("long strings", func(v *growthRow, n int) { v.Names = slices.Repeat([]string{strings.Repeat("x", 1000)}, n/1000) }),
			made("lists", func(v *growthRow, n int) { v.Lists = slices.Repeat([][]string{{"a"}}, n/3) }),
			made("empty lists", func(v *growthRow, n int) { v.Lists = make([][]string, n) }),
			made("a map", func(v *growthRow, n int) {
				v.Map = map[string]uint64{}
				for i := range n / 16 {
					v.Map["key "+strconv.Itoa(i)] = uint64(i)
				}
			}),
			made("a map by numbers", func(v *growthRow, n int) {
				v.Ints = map[uint32]string{}
				for i := range n / 8 {
					v.Ints[uint32(i)<<16|uint32(i)>>16] = "abc"
				}
			}),
			made("rows", func(v *growthRow, n int) { v.Rows = slices.Repeat([]growthCell{{1, "abc", new(uint16)}}, n/8) }),
			made("a custom", func(v *growthRow, n int) { v.Custom = strings.Repeat("x", n) }),
			made("customs", func(v *growthRow, n int) { v.Parts = slices.Repeat([]string{strings.Repeat("x", 15)}, n/16) }),
			made("deep", func(v *growthRow, n int) {
				for range 60 {
					v.Next = &growthRow{Zone: v.Zone, Text: strings.Repeat("x", n/60)}
					v = v.Next
				}
			}),
		})
}

// growthRead returns a function that encodes a value once, and then calls read with the bytes.
func growthRead(read func(b []byte)) func(*growthRow) {
	var last *growthRow
	var b []byte
	return func(v *growthRow) {
		if v != last { // encode once, so that the measurement only includes reading
			var err error
			if b, err = growthSchema.Append(b[:0], v); err != nil {
				panic(err)
			}
			last = v
		}
		read(b)
	}
}

func growthCalls() []growth.Call[*growthRow] {
	sorted := growthSchema.With(SortMaps)
	framed := growthSchema.Framed()
	registry := NewRegistry(U8)
	if err := Register(registry, 1, growthSchema, func(*growthRow) error { return nil }); err != nil {
		panic(err)
	}
	reading := func(name string, alloc float64, read func(b []byte)) growth.Call[*growthRow] {
		return growth.Call[*growthRow]{Name: name, Start: func() func(*growthRow) { return growthRead(read) }, Alloc: alloc}
	}
	head := func(b []byte) []byte { return append([]byte{1}, b...) }
	frame := func(b []byte) []byte {
		print := growthSchema.Fingerprint()
		return append(binary.LittleEndian.AppendUint32(print[:], uint32(len(b))), b...)
	}
	all := func(next func() error) {
		for next() == nil {
		}
	}
	return []growth.Call[*growthRow]{
		{Name: "Schema.Append", Run: func(v *growthRow) { growthSchema.Append(nil, v) }, Alloc: 24},
		{Name: "Schema.Marshal", Run: func(v *growthRow) { growthSchema.Marshal(v) }, Alloc: 24},
		{Name: "Schema.Write,Framed.Write,Framed.Append sorted", Run: func(v *growthRow) {
			sorted.Write(io.Discard, v)
			framed.Write(io.Discard, v)
			framed.Append(nil, v)
		}, Alloc: 72},
		{Name: "WriteModel,AppendModel", Run: func(v *growthRow) {
			WriteModel(registry, io.Discard, 1, v)
			AppendModel(registry, nil, 1, v)
		}, Alloc: 48},
		reading("Schema.Parse", 60, func(b []byte) { growthSchema.Parse(b, new(growthRow)) }),
		reading("Schema.Unmarshal alias", 60, func(b []byte) { growthSchema.With(Alias).Unmarshal(b, new(growthRow)) }),
		reading("Schema.Unmarshal cut", 60, func(b []byte) { growthSchema.Unmarshal(b[:len(b)-1], new(growthRow)) }),
		reading("Schema.ParseAll", 120, func(b []byte) {
			for range growthSchema.ParseAll(append(b[:len(b):len(b)], b...)) {
			}
		}),
		reading("Schema.Read", 60, func(b []byte) { growthSchema.Read(growth.Pieces(b, 1), new(growthRow)) }),
		reading("Schema.Reader,Reader.Next,Reader.Buffered bytes", 80, func(b []byte) {
			r := growthSchema.Reader(growth.Pieces(b, 1))
			all(func() error { r.Buffered(); return r.Next(new(growthRow)) })
		}),
		reading("Reader.All pieces, own strings", 90, func(b []byte) {
			for range growthSchema.Reader(growth.Pieces(b, 1000), OwnStrings).All() {
			}
		}),
		reading("Reader.Next exact, alias", 80, func(b []byte) {
			r := growthSchema.Reader(growth.Pieces(b, 100), Exact, Alias)
			all(func() error { return r.Next(new(growthRow)) })
		}),
		reading("Framed.Parse,Framed.Reader,FrameReader.Next,FrameReader.All", 200, func(b []byte) {
			b = frame(b)
			framed.Parse(b, new(growthRow))
			r := framed.Reader(growth.Pieces(b, 100))
			all(func() error { return r.Next(new(growthRow)) })
			for range framed.Reader(growth.Pieces(b, 1)).All() {
			}
		}),
		reading("Registry.Dispatch,Registry.Parse,Registry.Reader,ModelReader.Dispatch,ModelReader.Parse", 250, func(b []byte) {
			b = head(b)
			registry.Dispatch(b)
			registry.Parse(b)
			all(registry.Reader(growth.Pieces(b, 100)).Dispatch)
			registry.Reader(growth.Pieces(b, 1)).Parse()
		}),
	}
}

// growthBytes returns input that every reader of growthSchema rejects.
func growthBytes() []growth.Family[[]byte] {
	empty, err := growthSchema.Append(nil, &growthRow{Zone: time.Unix(1, 0).UTC()})
	if err != nil {
		panic(err)
	}
	// claim returns a message with an announced count of 4 bytes at the offset `at`, followed by n
	// bytes.
	claim := func(name string, at int, count func(n int) uint32, unit string) growth.Family[[]byte] {
		return growth.Family[[]byte]{Name: name, Make: func(n int) []byte {
			b := binary.LittleEndian.AppendUint32(slices.Clone(empty[:at]), count(n))
			return append(b, strings.Repeat(unit, n/len(unit))...)
		}}
	}
	most := func(int) uint32 { return math.MaxUint32 }
	half := func(n int) uint32 { return uint32(n / 2) }
	const text, blob, bools, words, names, lists, maps, ints = 1, 5, 9, 13, 17, 21, 25, 29
	return []growth.Family[[]byte]{
		claim("a claim of a string", text, most, "a"),
		claim("a claim of a blob", blob, most, "a"),
		claim("a claim of numbers", words, most, "a"),
		claim("a claim of strings", names, most, "\x00\x00"),
		claim("a claim of lists", lists, most, "\x00"),
		claim("a claim of entries", maps, most, "\x01a12345678"),
		claim("strings, the last one cut", names, half, "\x00"),
		claim("lists of strings, cut", lists, half, "\x01\x01a"),
		claim("entries of one key", maps, func(n int) uint32 { return uint32(n / 10) }, "\x01a12345678"),
		claim("a bad bool at the end", bools, func(n int) uint32 { return uint32(n) }, "\x01\x00\x02"),
		claim("entries by one number", ints, func(n int) uint32 { return uint32(n / 6) }, "1234\x01a"),
	}
}

// growthColumns returns calls that read text into columns, which validates the text.
func growthColumns() []growth.Call[string] {
	columns := func(notation string) *Columns {
		s, err := ParseShape(notation)
		if err != nil {
			panic(err)
		}
		c, err := s.Columns()
		if err != nil {
			panic(err)
		}
		return c
	}
	message := func(s string) []byte { return append(binary.LittleEndian.AppendUint32(nil, uint32(len(s))), s...) }
	rows, lists := columns("{a str32}"), columns("{a list32(str32)}")
	return []growth.Call[string]{
		{Name: "Columns.Parse text", Run: func(s string) { _ = rows.Parse(message(s), new(column.Batch)) }, Alloc: 8},
		{Name: "Columns.Parse texts", Run: func(s string) {
			_ = lists.Parse(append([]byte{2, 0, 0, 0}, append(message(s), 0, 0, 0, 0)...), new(column.Batch))
		}, Alloc: 8},
	}
}

func growthRefusals() []growth.Call[[]byte] {
	return []growth.Call[[]byte]{
		{Name: "Schema.Unmarshal refused", Run: func(b []byte) { growthSchema.Unmarshal(b, new(growthRow)) }, Alloc: 80},
		{Name: "Reader.Next refused, bytes", Run: func(b []byte) { growthSchema.Reader(growth.Pieces(b, 1)).Next(new(growthRow)) }, Alloc: 90},
		{Name: "Header.Read", Run: func(b []byte) {
			for h := H8; h <= HI64BE; h++ {
				h.Read(b)
			}
		}, Constant: true}, // reads at most 8 bytes
	}
}

// growthOthers returns cases for call sequences and for functions that read no messages.
func growthOthers() []growth.Case {
	shape := func(n int) string {
		var b strings.Builder
		b.WriteByte('{')
		for i := range min(n/16, 16000) {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString("field" + strconv.Itoa(i) + " str8")
		}
		b.WriteByte('}')
		return b.String()
	}
	columns := func(text string) *Columns {
		s, err := ParseShape(text)
		if err != nil {
			panic(err)
		}
		c, err := s.Columns()
		if err != nil {
			panic(err)
		}
		return c
	}
	return []growth.Case{
		{Name: "ParseShape,Shape.Columns,Columns.All,Compat,Shape.Fingerprint,Shape.NamedFingerprint,Shape.String,Shape.MarshalJSON,Shape.UnmarshalJSON,Shape.Fields,Shape.Message", Alloc: 400, Most: 256 << 10,
			Prepare: func(n int) func() {
				text := shape(n)
				return func() {
					s, err := ParseShape(text)
					if err != nil {
						panic(err)
					}
					c, _ := s.Columns()
					for range c.All() {
					}
					Compat(s, s)
					_ = s.String()
					s.Fingerprint()
					s.NamedFingerprint()
					s.Message()
					for range s.Fields() {
					}
					b, _ := s.MarshalJSON()
					if err := new(Shape).UnmarshalJSON(b); err != nil {
						panic(err)
					}
				}
			}},
		{Name: "Compat differences", Alloc: 400, Most: 256 << 10, Prepare: func(n int) func() {
			a, _ := ParseShape(shape(n))
			b, _ := ParseShape(strings.ReplaceAll(shape(n), "str8", "u16"))
			return func() {
				if _, err := Compat(a, b); err != nil {
					_ = err.Error()
				}
			}
		}},
		{Name: "ParseShape nested", Alloc: 400, Prepare: func(n int) func() {
			one := strings.Repeat("list8(", 60) + "u8" + strings.Repeat(")", 60) // the maximum is 64
			text := "{a " + strings.Repeat(one+", a ", n/len(one)) + one + "}"
			deep := "{a " + strings.Repeat("list8(", n/7) + "u8" + strings.Repeat(")", n/7) + "}"
			return func() {
				ParseShape(text)
				ParseShape(deep)
			}
		}},
		{Name: "ParseShape bad", Alloc: 400, Prepare: func(n int) func() {
			return func() {
				for _, text := range []string{strings.Repeat("{", n), strings.Repeat("{a ", n/3), strings.Repeat("a", n), strings.Repeat(" ", n), "{" + strings.Repeat("a u8, ", n/6) + "}"} {
					ParseShape(text)
					new(Shape).UnmarshalJSON([]byte(text))
				}
			}
		}},
		{Name: "Columns.Parse,Columns.Rows,RowReader.Read,RowReader.More rows", Alloc: 120, Prepare: func(n int) func() {
			c := columns("{a u64, b opt(str8), c {d bool, e opt({f f64})}}")
			row := "\x01\x02\x03\x04\x05\x06\x07\x08\x01\x03abc\x01\x00"
			in := []byte(strings.Repeat(row, n/len(row)))
			return func() {
				if err := c.Parse(in, new(column.Batch)); err != nil {
					panic(err)
				}
				r, _ := c.Rows(in)
				for b := new(column.Batch); r.More(); {
					if err := r.Read(b); err != nil {
						panic(err)
					}
				}
			}
		}},
		{Name: "Columns.Parse,Columns.Lists columns", Alloc: 120, Prepare: func(n int) func() {
			c := columns("{a list32(u64), b list32(str8), c list32(opt(bool))}")
			k := n / 12
			in := binary.LittleEndian.AppendUint32(nil, uint32(k))
			in = append(in, make([]byte, 8*k)...)
			in = append(binary.LittleEndian.AppendUint32(in, uint32(k)), strings.Repeat("\x01a", k)...)
			in = append(binary.LittleEndian.AppendUint32(in, uint32(k)), strings.Repeat("\x01\x01", k)...)
			return func() {
				c.Lists()
				if err := c.Parse(in, new(column.Batch)); err != nil {
					panic(err)
				}
				c.Parse(in[:len(in)-1], new(column.Batch))
				r, err := c.Rows(in)
				if err != nil {
					panic(err)
				}
				for b := new(column.Batch); r.More(); {
					if err := r.Read(b); err != nil {
						panic(err)
					}
				}
			}
		}},
		{Name: "Columns.Parse claims", Alloc: 60, Prepare: func(n int) func() {
			c := columns("{a list32(u64), b list32(str8), c list32(opt(u64))}")
			in := append(make([]byte, 8), "\xff\xff\xff\xff"...)
			in = append(in, make([]byte, n)...)
			// The input could contain the announced number of strings, but the last string is
			// truncated.
			texts := columns("{a list32(str8)}")
			most := binary.LittleEndian.AppendUint32(nil, uint32(n/2))
			most = append(most, strings.Repeat("\x01a", n/2)[:n-1]...)
			return func() {
				c.Parse(in, &column.Batch{MaxCells: n})
				c.Parse(in[4:], &column.Batch{MaxCells: n})
				texts.Parse(most, &column.Batch{MaxCells: 2 * n})
			}
		}},
		{Name: "Reader.Next many small after a large one", Alloc: 60, Prepare: func(n int) func() {
			s, _ := Of(Str32)
			b := append(binary.LittleEndian.AppendUint32(nil, uint32(n/2)), make([]byte, n/2)...)
			b = append(b, strings.Repeat("\x03\x00\x00\x00abc", n/16)...)
			return func() {
				for _, r := range []*Reader[string]{s.Reader(bytes.NewReader(b)), s.Reader(growth.Pieces(b, 100), Alias), s.Reader(bytes.NewReader(b), Exact)} {
					var v string
					for r.Next(&v) == nil {
					}
				}
			}
		}},
		// The amount that is read ahead into the buffer of an earlier large message is bounded. So
		// the cost of moving these bytes for each message grows only up to this bound.
		{Name: "Reader.Next small messages of one read", Alloc: 60, Most: maxPooled, Prepare: func(n int) func() {
			s, _ := Of(Opt(Str16))
			b := append(binary.LittleEndian.AppendUint16([]byte{1}, uint16(n/2)), make([]byte, n)...) // half of these bytes are small messages
			return func() {
				var v *string
				for r := s.Reader(bytes.NewReader(b)); r.Next(&v) == nil; {
				}
			}
		}},
		// A larger sorter is not kept.
		{Name: "Schema.Append sorted, small maps after a large one", Alloc: 60, Most: maxPooled, Prepare: func(n int) func() {
			s, _ := Of(List(H32, Map(H32, U32, U8)))
			s = s.With(SortMaps)
			large := map[uint32]uint8{}
			for i := range n / 16 {
				large[uint32(i)] = 1
			}
			v := append([]map[uint32]uint8{large}, slices.Repeat([]map[uint32]uint8{{1: 2}}, n/16)...)
			return func() {
				if _, err := s.Append(nil, &v); err != nil {
					panic(err)
				}
			}
		}},
		{Name: "Schema.Unmarshal nested claims", Alloc: 24, Prepare: func(n int) func() {
			in := bytes.Repeat(binary.LittleEndian.AppendUint32(nil, uint32(n/8)), n/4)
			return func() {
				if growthTrees.Unmarshal(in, new(growthTree)) == nil {
					panic("more is claimed than there is")
				}
			}
		}},
		{Name: "Schema.Parse into a map that was large", Alloc: 60, Prepare: func(n int) func() {
			large := map[uint32]uint8{}
			for i := range n / 16 {
				large[uint32(i)] = 1
			}
			s, _ := Of(Map(H32, U32, U8))
			in, _ := s.Append(nil, &large)
			small := []byte("\x01\x00\x00\x00\x01\x02\x03\x04\x05")
			return func() {
				var v map[uint32]uint8
				s.Parse(in, &v)
				for range n / 16 {
					if _, err := s.Parse(small, &v); err != nil {
						panic(err)
					}
				}
			}
		}},
		{Name: "Schema.Parse into a map that gets smaller by a quarter", Alloc: 200, Prepare: func(n int) func() {
			s, _ := Of(Map(H32, U32, U8))
			var in [][]byte
			for k := n / 16; k > 0; k = k * 3 / 4 {
				m := map[uint32]uint8{}
				for i := range k {
					m[uint32(i)] = 1
				}
				b, _ := s.Append(nil, &m)
				in = append(in, b)
			}
			return func() {
				var v map[uint32]uint8
				for _, b := range in {
					if _, err := s.Parse(b, &v); err != nil {
						panic(err)
					}
				}
			}
		}},
		{Name: "Accept,Upgrade a chain of versions", Alloc: 400, Most: 128 << 10, Prepare: func(n int) func() {
			r := NewRegistry(U32)
			s, _ := Of(U64)
			count := n / 128
			if err := Register(r, 0, s, func(*uint64) error { return nil }); err != nil {
				panic(err)
			}
			for i := range min(count, 50) {
				if err := Upgrade(r, uint32(i+1), s, uint32(i), func(old, new *uint64) error { *new = *old; return nil }); err != nil {
					panic(err)
				}
			}
			f := s.Framed()
			other, _ := Of(F64)
			if err := Accept(f, other, s, func(old *float64, new *uint64) error { *new = uint64(*old); return nil }); err != nil {
				panic(err)
			}
			frame, _ := other.Framed().Append(nil, new(float64))
			message := append(binary.LittleEndian.AppendUint32(nil, uint32(min(count, 50))), "12345678"...)
			return func() {
				for range n / 64 {
					var v uint64
					if _, err := f.Parse(frame, &v); err != nil {
						panic(err)
					}
				}
				for range 20 {
					if _, err := r.Dispatch(message); err != nil {
						panic(err)
					}
				}
			}
		}},
	}
}

func TestGrowth(t *testing.T) {
	growth.Check(t, slices.Concat(
		growth.Cross(growthCalls(), growthRows()),
		growth.Cross(growthColumns(), slices.Concat(growth.Scripts(), growth.NotUTF8())),
		growth.Cross(growthRefusals(), growthBytes()),
		growthOthers(),
	))
}

func TestGrowthCovers(t *testing.T) {
	names := slices.Concat(growth.Names(growthCalls()), growth.Names(growthColumns()), growth.Names(growthRefusals()), growth.CaseNames(growthOthers()))
	growth.Covers(t, names, map[string]string{
		"Alias":              "an option",
		"Array":              "makes a type, as large as the program wrote it",
		"As":                 "makes a type",
		"Blob":               "makes a type",
		"Build":              "makes a schema of fields that the program wrote",
		"Custom":             "makes a type",
		"Derive":             "makes a schema of a Go type",
		"Difference.Error":   "called by the case of Compat",
		"*Difference.Error":  "called by the case of Compat",
		"Error.*":            "a line of text",
		"*Error.*":           "a line of text",
		"Exact":              "an option",
		"F":                  "makes a field",
		"Fixed":              "makes a type",
		"Get":                "makes a field",
		"Header.String":      "a table",
		"Kind.String":        "a table",
		"List":               "makes a type",
		"Map":                "makes a type",
		"Max*":               "an option",
		"NewRegistry":        "reads nothing",
		"Of":                 "makes a schema",
		"Opt":                "makes a type",
		"OwnStrings":         "an option",
		"ReuseBlobs":         "an option",
		"Part":               "makes a type",
		"Piece.*":            "a field of a shape",
		"Register":           "once for a model, which copies the table of models",
		"Schema.*ingerprint": "those of the shape",
		"Schema.Framed":      "reads nothing",
		"Schema.Shape":       "made with the schema",
		"Schema.String":      "that of the shape",
		"Schema.Type":        "reads nothing",
		"Schema.With":        "reads nothing",
		"Self":               "makes a type",
		"Skip":               "makes a field",
		"SortMaps":           "an option",
		"Str":                "makes a type",
		"Struct":             "makes a schema of fields that the program wrote",
		"Tail":               "makes a field",
		"Verdict.String":     "a table",
	})
}

// TestGrowthHeld sends one large message and then many small ones through the same objects and
// pools.
func TestGrowthHeld(t *testing.T) {
	row := func(n int) *growthRow {
		v := &growthRow{Zone: time.Unix(1, 0).UTC(), Text: strings.Repeat("x", n/4), Names: slices.Repeat([]string{"a name"}, n/16), Map: map[string]uint64{}}
		for i := range n / 64 {
			v.Map["key "+strconv.Itoa(i)] = 1
		}
		return v
	}
	packed := func(n int) []byte {
		b, err := growthSchema.Append(nil, row(n))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	sorted := growthSchema.With(SortMaps)
	reader := func(set ...Option) func(int, int) func(int) any {
		return func(large, small int) func(int) any {
			in := map[int][]byte{large: packed(large), small: packed(small)}
			src := new(growth.Source)
			r := growthSchema.Reader(src, set...)
			return func(n int) any {
				src.Rest = in[n]
				v := new(growthRow)
				if err := r.Next(v); err != nil {
					t.Fatal(err)
				}
				return v
			}
		}
	}
	whole := func(call func(b []byte) any) func(int, int) func(int) any {
		return func(large, small int) func(int) any {
			in := map[int][]byte{large: packed(large), small: packed(small)}
			return func(n int) any { return call(in[n]) }
		}
	}
	names := 0
	unknownZones := func(n int) { // every name is new
		for range n {
			names++
			zoneOf("No/Such_Zone_Of_This_Name_" + strconv.Itoa(names))
		}
	}
	growth.CheckHeld(t, []growth.Held{
		{Name: "names of zones", Start: func(large, _ int) func(int) any {
			unknownZones(maxZones) // fills the cache, which contains at most maxZones names
			return func(n int) any {
				if n == large {
					unknownZones(4 * maxZones)
				}
				return nil
			}
		}},
		{Name: "Append, Write", Start: func(large, small int) func(int) any {
			in := map[int]*growthRow{large: row(large), small: row(small)}
			return func(n int) any {
				sorted.Write(io.Discard, in[n])
				b, _ := growthSchema.Append(nil, in[n])
				return b
			}
		}, Kept: 8},
		{Name: "Parse, one map", Start: func(large, small int) func(int) any {
			s, _ := Of(Map(H32, U32, U8))
			in := map[int][]byte{}
			for _, n := range []int{large, small} {
				m := map[uint32]uint8{}
				for i := range n / 16 {
					m[uint32(i)] = 1
				}
				in[n], _ = s.Append(nil, &m)
			}
			var v map[uint32]uint8
			return func(n int) any {
				if _, err := s.Parse(in[n], &v); err != nil {
					t.Fatal(err)
				}
				return nil
			}
		}},
		{Name: "Parse", Start: whole(func(b []byte) any { v := new(growthRow); growthSchema.Parse(b, v); return v }), Kept: 20},
		{Name: "Read", Start: whole(func(b []byte) any { v := new(growthRow); growthSchema.Read(growth.Pieces(b, 100), v); return v }), Kept: 20},
		{Name: "Reader", Start: reader(), Kept: 40},
		{Name: "Reader, exact", Start: reader(Exact), Kept: 40},
		{Name: "Reader, alias", Start: reader(Alias)},
		{Name: "Reader, a message of 16 MB", Start: reader(), Large: 16 << 20},
		{Name: "Registry", Start: func(large, small int) func(int) any {
			in := map[int][]byte{large: append([]byte{1}, packed(large)...), small: append([]byte{1}, packed(small)...)}
			r := NewRegistry(U8)
			Register(r, 1, growthSchema, func(*growthRow) error { return nil })
			return func(n int) any {
				if _, err := r.Dispatch(in[n]); err != nil {
					t.Fatal(err)
				}
				return nil
			}
		}},
		{Name: "Framed", Start: func(large, small int) func(int) any {
			f := growthSchema.Framed()
			in := map[int][]byte{}
			for _, n := range []int{large, small} {
				in[n], _ = f.Append(nil, row(n))
			}
			src := new(growth.Source)
			r := f.Reader(src)
			return func(n int) any {
				src.Rest = in[n]
				v := new(growthRow)
				if err := r.Next(v); err != nil {
					t.Fatal(err)
				}
				return v
			}
		}, Kept: 40},
	})
}

// TestForgets checks the functions that use buffers, sorters and sources from pools.
func TestForgets(t *testing.T) {
	row := func() *growthRow {
		return &growthRow{Blob: make([]byte, 1000), Parts: []string{"a"}, Map: map[string]uint64{"a": 1, "b": 2}, Zone: time.Unix(1, 0).UTC()}
	}
	sorted := growthSchema.With(SortMaps)
	written := func(call func(v *growthRow)) func() *byte {
		return func() *byte { v := row(); call(v); return &v.Blob[0] }
	}
	parsed := func(call func(b []byte)) func() *byte {
		return func() *byte {
			b, err := growthSchema.Append(nil, row())
			if err != nil {
				t.Fatal(err)
			}
			call(b)
			return &b[0]
		}
	}
	growth.CheckForgets(t, map[string]func() *byte{
		"Append":          written(func(v *growthRow) { sorted.Append(nil, v) }),
		"Write":           written(func(v *growthRow) { sorted.Write(io.Discard, v) }),
		"Parse":           parsed(func(b []byte) { growthSchema.Parse(b, new(growthRow)) }),
		"Parse, alias":    parsed(func(b []byte) { growthSchema.With(Alias).Parse(b, new(growthRow)) }),
		"Parse, an error": parsed(func(b []byte) { growthSchema.Parse(b[:len(b)-1], new(growthRow)) }),
		"Read":            parsed(func(b []byte) { growthSchema.Read(bytes.NewReader(b), new(growthRow)) }),
	})
}
