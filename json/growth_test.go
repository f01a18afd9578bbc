package json_test

// These tests check how the cost of each function grows with its input.

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/internal/growth"
	"github.com/slipstream-go/slipstream/json"
)

func TestGrowthCovers(t *testing.T) {
	inGo126(t) // with jsonv2, encoding/json does a part of the work
	names := slices.Concat(growth.Names(growthReaders()), growth.Names(byteReaders()), growth.Names(documentCalls()), growth.Names(indenters()), growth.Names(stringCalls()),
		growth.Names(writers()), growth.Names(streamWriters()), growth.Names(indentingWriters()), growth.CaseNames(sequences()))
	growth.Covers(t, names, map[string]string{
		"*Error.Error":                  "a line of text",
		"*Error.Unwrap":                 "returns a field",
		"Error.*":                       "a line of text",
		"Decoder.DisallowUnknownFields": "sets an option",
		"Decoder.DontCopy*":             "sets an option",
		"Decoder.DontMatchCaseInsensitiveStructFields": "sets an option",
		"Decoder.RejectDuplicateNames":                 "sets an option",
		"Decoder.ReuseRawMessage":                      "sets an option",
		"Decoder.Use*":                                 "sets an option",
		"Decoder.ZeroCopy":                             "sets an option",
		"Decoder.InputOffset":                          "adds two numbers",
		"Delim.String":                                 "a string of one byte",
		"Encoder.Set*":                                 "sets an option",
		"Kind.Class":                                   "a table",
		"Marshaler.*":                                  "an interface",
		"Unmarshaler.*":                                "an interface",
		"NewDecoder":                                   "reads nothing",
		"NewEncoder":                                   "writes nothing",
		"NewTokenizer":                                 "reads nothing",
		"Number.*":                                     "methods of encoding/json's type",
		"RawMessage.*":                                 "methods of encoding/json's type",
		"RawValue.[FNST]*":                             "looks at one byte",
		"Tokenizer.Kind":                               "looks at one byte",
		"Tokenizer.Remaining":                          "subtracts two numbers",
		"Tokenizer.Bool":                               "looks at one byte",
	})
}

func TestGrowth(t *testing.T) {
	inGo126(t) // with jsonv2, encoding/json does a part of the work
	growth.Check(t, slices.Concat(
		growth.Cross(growthReaders(), texts()),
		growth.Cross(byteReaders(), arriving()),
		growth.Cross(placeReaders(), places()),
		growth.Cross(documentCalls(), documents()),
		growth.Cross(indenters(), growth.Without(documents(), "deep", "open", "chain")), // their output is quadratic in the input
		growth.Cross(stringCalls(), contents()),
		growth.Cross(writers(), goValues()),
		growth.Cross(streamWriters(), streamed()),
		growth.Cross(indentingWriters(), growth.Without(goValues(), "very deep")),
		sequences(),
	))
}

// record contains a field of each kind that has its own decoding code.
type record struct {
	ID     int64
	Name   string
	Tags   []string
	At     time.Time
	Raw    json.RawMessage
	Number json.Number
	Bytes  []byte
	Any    any
	Map    map[string]string
	Next   *record
	List   []record
	Floats []float64
	Custom custom
	Text   text
}

// custom has JSON methods.
type custom struct{ b []byte }

func (c *custom) UnmarshalJSON(b []byte) error { c.b = append(c.b[:0], b...); return nil }
func (c custom) MarshalJSON() ([]byte, error) {
	return append([]byte("[1, "), append(c.b, "2]"...)...), nil
}

// text has text methods, which also apply to keys.
type text string

func (t *text) UnmarshalText(b []byte) error { *t = text(b); return nil }
func (t text) MarshalText() ([]byte, error)  { return []byte(t), nil }

// read decodes b into a new T.
func read[T any](b []byte) { var v T; json.Unmarshal(b, &v) }

func parse[T any](flags json.ParseFlags) func([]byte) {
	return func(b []byte) { var v T; json.Parse(b, &v, flags) }
}

// decodeAll returns a call that decodes all values from a reader that returns at most size bytes at
// a time.
func decodeAll[T any](size int, set func(*json.Decoder)) func([]byte) {
	return func(b []byte) {
		d := json.NewDecoder(growth.Pieces(b, size))
		if set != nil {
			set(d)
		}
		for {
			var v T
			if d.Decode(&v) != nil {
				io.Copy(io.Discard, d.Buffered())
				return
			}
		}
	}
}

// allTokens returns a call that reads all tokens.
func allTokens(size int, more bool, set ...func(*json.Decoder)) func([]byte) {
	return func(b []byte) {
		d := json.NewDecoder(growth.Pieces(b, size))
		for _, set := range set {
			set(d)
		}
		for {
			if more {
				d.More()
			}
			if _, err := d.Token(); err != nil {
				return
			}
		}
	}
}

// batch returns a Batch that may contain as many cells as the input contains bytes. Without that
// limit, sparse rows would create rows × columns cells.
func batch(in []byte) *column.Batch { return &column.Batch{MaxCells: len(in)} }

// growthReaders returns the calls that read any document. Their limits on allocation follow from
// the shortest elements: an empty list is two bytes of input, and becomes a slice header in an
// interface.
func growthReaders() []growth.Call[[]byte] {
	return []growth.Call[[]byte]{
		{Name: "Unmarshal any", Run: read[any], Alloc: 100},
		{Name: "Unmarshal record", Run: read[record], Alloc: 150},
		{Name: "Unmarshal map[string]any", Run: read[map[string]any], Alloc: 100},
		{Name: "UnmarshalOf raw", Run: func(b []byte) { json.UnmarshalOf[json.RawMessage](b) }, Alloc: 100},
		{Name: "Parse unique", Run: parse[any](json.RejectDuplicateNames), Alloc: 160},
		{Name: "Parse zero copy", Run: parse[any](json.ZeroCopy | json.UseNumber), Alloc: 100, Long: true},
		{Name: "Parse strict", Run: parse[record](json.DisallowUnknownFields | json.DontMatchCaseInsensitiveStructFields | json.UseInt64), Alloc: 150, Long: true},
		{Name: "UnmarshalRead", Run: func(b []byte) { var v any; json.UnmarshalRead(growth.Pieces(b, 1000), &v, 0) }, Alloc: 100, Long: true},
		{Name: "Valid", Run: func(b []byte) { json.Valid(b) }, Alloc: 100},
		{Name: "Compact", Run: func(b []byte) { json.Compact(new(bytes.Buffer), b) }, Alloc: 100},
		{Name: "HTMLEscape", Run: func(b []byte) { json.HTMLEscape(new(bytes.Buffer), b) }, Alloc: 100},
		{Name: "Get", Run: func(b []byte) { json.Get(b, "zz"); json.Get(b, 1, "a"); json.Get(b, -1) }, Alloc: 120},
		{Name: "Tokenizer.Next,Tokenizer.String,Tokenizer.Int,Tokenizer.Uint,Tokenizer.Float,Tokenizer.Reset", Run: tokenize, Alloc: 120},
		{Name: "ParseColumns", Run: func(b []byte) { json.ParseColumns(b, batch(b)) }, Alloc: 100},
		{Name: "ParseLines", Run: func(b []byte) { json.ParseLines(b, batch(b)) }, Alloc: 100, Long: true},
		{Name: "ParseRow", Run: func(b []byte) { json.ParseRow(b, batch(b)) }, Alloc: 100, Long: true},
		{Name: "ParseCell", Run: func(b []byte) { json.ParseCell(b, new(column.Column)) }, Alloc: 100, Long: true},
		{Name: "Lines any", Run: lines[any](1<<30, 1000), Alloc: 100},
		{Name: "Lines record, short", Run: lines[record](1000, 100), Alloc: 150, Long: true},
		{Name: "Decoder.Decode,Decoder.Buffered any", Run: decodeAll[any](1<<20, nil), Alloc: 100},
		{Name: "Decoder.Decode record, pieces", Run: decodeAll[record](100, nil), Alloc: 150},
		{Name: "Decoder.Decode zero copy", Run: decodeAll[any](4096, (*json.Decoder).ZeroCopy), Alloc: 100},
		{Name: "Decoder.Decode unique", Run: decodeAll[any](4096, (*json.Decoder).RejectDuplicateNames), Alloc: 160, Long: true},
		{Name: "Decoder.Token", Run: allTokens(1<<20, false), Alloc: 100},
		{Name: "Decoder.Token,Decoder.More pieces", Run: allTokens(100, true), Alloc: 100, Long: true},
	}
}

// byteReaders returns calls that get their input byte by byte. They share most of their code with
// the other readers.
func byteReaders() []growth.Call[[]byte] {
	return []growth.Call[[]byte]{
		{Name: "Decoder.Decode raw, bytes", Run: decodeAll[json.RawMessage](1, nil), Alloc: 100},
		{Name: "Decoder.Decode zero copy, bytes", Run: decodeAll[any](1, (*json.Decoder).ZeroCopy), Alloc: 100},
		{Name: "Decoder.Token,Decoder.More bytes", Run: allTokens(1, true), Alloc: 100},
		{Name: "Decoder.Token,Decoder.More zero copy, bytes", Run: allTokens(1, true, (*json.Decoder).ZeroCopy), Alloc: 100},
	}
}

// arriving returns the documents for byteReaders. In the short form, these differ in how a value
// arrives: in the states of the scanner, in the sizes of values, or in the place where reading
// ends.
func arriving() []growth.Family[[]byte] {
	return slices.Concat(growth.OnlyLong(texts()), growth.Only(texts(),
		"ASCII", "Latin-1", "escapes only", "a bad escape at the end", "a control byte at the end", "quotes",
		"records", "lines", "a bad byte at the end", "a bad byte in the middle", "a cut document", "wrong types", "numbers", "a long integer",
		"strings", "keys", "columns", "deep lists", "deep objects", "open lists",
		"blanks", "blanks only", "blanks between tokens", "long blanks between tokens",
		"one large value, then small ones", "one large object, then small ones"))
}

func lines[T any](most, size int) func([]byte) {
	return func(b []byte) {
		for range json.Lines[T](growth.Pieces(b, size), most) {
		}
	}
}

func tokenize(b []byte) {
	t := json.NewTokenizer(b)
	for range 2 {
		for t.Next() {
			switch t.Kind().Class() {
			case json.String:
				_ = t.String()
			case json.Num:
				t.Int()
				t.Uint()
				t.Float()
			}
		}
		t.Reset(b)
	}
}

// indenters returns calls that indent each value by its depth. So their output is the depth times
// the input.
func indenters() []growth.Call[[]byte] {
	return []growth.Call[[]byte]{
		{Name: "Indent", Run: func(b []byte) { json.Indent(new(bytes.Buffer), b, "", " ") }, Alloc: 60},
	}
}

// documentCalls returns calls that decode a document into values of many types.
func documentCalls() []growth.Call[[]byte] {
	return []growth.Call[[]byte]{
		{Name: "Unmarshal typed", Run: func(b []byte) {
			read[[]int](b)
			read[[]float64](b)
			read[[]string](b)
			read[map[string]string](b)
			read[map[text]text](b)
			read[map[int]int](b)
			read[[][]string](b)
			read[[]*record](b)
			read[[4]any](b)
			read[custom](b)
			read[text](b)
			read[string](b)
			read[time.Time](b)
			read[json.Number](b)
			read[[]byte](b)
			read[float64](b)
		}, Alloc: 600},
	}
}

// stringCalls returns calls that take the contents of a string.
func stringCalls() []growth.Call[string] {
	return []growth.Call[string]{
		{Name: "Escape", Run: func(s string) { json.Escape(s) }, Alloc: 36},
		{Name: "AppendEscape", Run: func(s string) { json.AppendEscape(nil, s, json.EscapeHTML) }, Alloc: 36},
		{Name: "Unescape", Run: func(s string) { json.Unescape([]byte(`"` + s + `"`)) }, Alloc: 20},
		{Name: "AppendUnescape", Run: func(s string) { json.AppendUnescape(nil, []byte(`"`+s+`"`), 0) }, Alloc: 20},
		{Name: "RawValue.AppendUnquote", Run: func(s string) { json.RawValue(`"` + s + `"`).AppendUnquote(nil) }, Alloc: 20},
		{Name: "RawValue.Unquote", Run: func(s string) { json.RawValue(`"` + s + `"`).Unquote() }, Alloc: 20},
	}
}

// contents returns string contents: as the input of readers, and as text for writers to escape.
func contents() []growth.Family[string] {
	scripts := growth.Scripts()
	return slices.Concat(scripts, growth.NotUTF8(),
		growth.Map("an escape at the start", scripts, func(s string) string { return `\n` + s }),
		growth.OnlyLong(growth.Map("an escape at the end", scripts, func(s string) string { return s + `\n` })),
		growth.Map("escapes", scripts, func(s string) string { return growth.Every(s, `\t`, 60) }),
		growth.OnlyLong(growth.Map("an escape at the start", growth.NotUTF8(), func(s string) string { return `\n` + s })),
		growth.OnlyLong(growth.Map("escapes", growth.NotUTF8(), func(s string) string { return growth.Every(s, `\t`, 60) })),
		[]growth.Family[string]{
			growth.Repeat("escapes only", `\n`, ""),
			growth.Repeat("unicode escapes only", `\u00e9`, ""),
			growth.Repeat("surrogate pairs", `\ud83d\ude00`, ""),
			growth.Repeat("lone surrogates", `\ud83d`, ""),
			growth.Repeat("a bad escape at the end", `a\n`, `\x`),
			growth.Repeat("a control byte at the end", "a", "\n"),
			growth.Repeat("control bytes", "\x01", ""),
			growth.Repeat("HTML", "<&>", ""),
			growth.Repeat("line separators", "\u2028", ""),
			growth.Repeat("quotes", `"`, ""),
		})
}

// texts returns documents with long strings.
func texts() []growth.Family[[]byte] {
	all := contents()
	in := func(name, before, after string) []growth.Family[[]byte] {
		return growth.Map(name, all, func(s string) []byte { return []byte(before + s + after) })
	}
	return slices.Concat(
		in("", `"`, `"`),
		documents(),
		growth.OnlyLong(in("a key", `{"`, `":1}`)),
		growth.OnlyLong(in("a field", `{"Name":"`, `"}`)),
		growth.OnlyLong(in("a field of no type", `{"Any":["`, `"]}`)),
		growth.OnlyLong(in("an unknown field", `{"x":"`, `","a":1}`)),
		growth.OnlyLong(in("a raw field", `{"Raw":"`, `","Number":"`+"1"+`"}`)),
		growth.OnlyLong(in("a cell", `[{"x":"`, `"}]`)),
		growth.OnlyLong(in("a cell of a column", `{"x":["`, `"]}`)),
		growth.OnlyLong(in("a cut string", `"`, ``)),
	)
}

// placeReaders returns calls whose code for strings depends on the position of the string in the
// document.
func placeReaders() []growth.Call[[]byte] {
	return []growth.Call[[]byte]{
		{Name: "Unmarshal any, places", Run: read[any], Alloc: 100},
		{Name: "Unmarshal record, places", Run: read[record], Alloc: 150},
		{Name: "Decoder.Decode any, places", Run: decodeAll[any](1<<20, nil), Alloc: 100},
		{Name: "Decoder.Token places", Run: allTokens(1<<20, false), Alloc: 100},
		{Name: "ParseColumns places", Run: func(b []byte) { json.ParseColumns(b, batch(b)) }, Alloc: 100},
		{Name: "Get places", Run: func(b []byte) { json.Get(b, "zz"); json.Get(b, 0, "zz") }, Alloc: 120},
		{Name: "Lines record, places", Run: lines[record](1<<30, 1<<20), Alloc: 150},
	}
}

// places returns documents with a long text in each position that a string can have. The text is
// invalid UTF-8, or contains an escape between long characters.
func places() []growth.Family[[]byte] {
	var all []growth.Family[[]byte]
	for _, place := range []struct{ name, before, after string }{
		{"key", `{"`, `":"1"}`},
		{"field", `{"Name":"`, `"}`},
		{"unknown field", `{"x":"`, `","a":"1"}`},
		{"list", `{"Any":["`, `"]}`},
		{"cell", `[{"x":"`, `"}]`},
		{"column", `{"x":["`, `"]}`},
		{"key of a cell", `[{"`, `":1}]`},
	} {
		for _, family := range growth.Map(place.name, contents(), func(s string) []byte { return []byte(place.before + s + place.after) }) {
			if slices.Contains([]string{"Latin-1, ", "Japanese, an escape at the start, "}, strings.TrimSuffix(family.Name, place.name)) {
				all = append(all, family)
			}
		}
	}
	return all
}

// list returns a document of repeated elements between open and end. A %d in unit is replaced by a
// number.
func list(name, open, unit, last, end string) growth.Family[[]byte] {
	return growth.Family[[]byte]{Name: name, Make: func(n int) []byte {
		b := []byte(open)
		numbered := strings.Contains(unit, "%d")
		for i := 0; len(b) < n; i++ {
			if numbered {
				before, after, _ := strings.Cut(unit, "%d")
				b = append(strconv.AppendInt(append(b, before...), int64(i), 10), after...)
			} else {
				b = append(b, unit...)
			}
		}
		return append(append(b, last...), end...)
	}}
}

// documents returns all other documents.
func documents() []growth.Family[[]byte] {
	const rec = `{"ID":1,"Name":"a name","Tags":["a","b"],"At":"2024-01-02T03:04:05Z","Any":{"a":1.5}},`
	most := func(n int, f growth.Family[[]byte]) growth.Family[[]byte] { f.Most = n; return f }
	onlyLong := func(f growth.Family[[]byte]) growth.Family[[]byte] { f.Long = true; return f }
	deep := func(open, end string) func(n int) []byte { // nearly as deep as allowed, repeated up to length n
		return func(n int) []byte {
			size := len(open) + len(end)
			times := n/(9000*size) + 1
			depth := n / times / size
			one := strings.Repeat(open, depth) + strings.Repeat(end, depth)
			return []byte("[" + strings.Repeat(one+",", times-1) + one + "]")
		}
	}
	return []growth.Family[[]byte]{
		list("records", "[", rec, "{}", "]"),
		list("lines", "", strings.TrimSuffix(rec, ",")+"\n", "", ""),
		onlyLong(list("values without separators", "", `[1]{"a":2}"b"true`, "", "")),
		list("a bad byte at the end", "[", rec, "{}x", "]"),
		onlyLong(list("a bad byte at the start", "x[", rec, "{}", "]")),
		onlyLong(list("a bad byte in the first record", "[{\x00},", rec, "{}", "]")),
		{Name: "a bad byte in the middle", Make: func(n int) []byte {
			half := strings.Repeat(rec, n/2/len(rec))
			return []byte("[" + half + "{x}," + half + "{}]")
		}},
		list("a cut document", "[", rec, "", ""),
		onlyLong(list("a wrong type at the end", "[", rec, `{"ID":"x"}`, "]")),
		{Name: "wrong types in deep objects", Make: func(n int) []byte {
			const open, end = `{"Next":`, `}`
			times := n/(9000*(len(open)+len(end))) + 1
			depth := n / times / (len(open) + len(end))
			one := strings.Repeat(open, depth) + `{"ID":"x"}` + strings.Repeat(end, depth)
			return []byte("[" + strings.Repeat(one+",", times-1) + one + "]")
		}},
		list("wrong types", "[", `{"ID":"x","Name":1,"Tags":{},"Any":1},`, `{}`, "]"),
		list("numbers", "[", "12345.678,", "1", "]"),
		onlyLong(list("integers", "[", "%d,", "1", "]")),
		onlyLong(list("long floats", "[", "0.12345678901234567890123456789,", "1", "]")),
		onlyLong(list("floats at the limit", "[", "2.2250738585072011e-308,", "1", "]")),
		list("a long integer", "", "1", "", ""),
		onlyLong(list("a long fraction", "0.", "123456789", "", "")),
		onlyLong(list("zeros, then a digit", "0.", "0", "1", "")),
		onlyLong(list("a long exponent", "1e", "0", "1", "")),
		onlyLong(list("a bad number", "", "1", "x", "")),
		list("strings", "[", `"a",`, `"a"`, "]"),
		{Name: "strings with a bad byte at the end", Make: func(n int) []byte {
			// Text buffers grow by a quarter, and a string may end near the start or the end of a
			// buffer. With eight lengths, the ends are spread over the buffer.
			b := []byte("[")
			for i := range 8 {
				b = append(append(append(b, '"'), strings.Repeat("a", n/256*(28+i))...), "\xff\","...)
			}
			return append(b, "1]"...)
		}},
		onlyLong(list("empty strings", "[", `"",`, `"a"`, "]")),
		onlyLong(list("literals", "[", `null,true,`, `false`, "]")),
		list("empty lists", "[", `[],`, `[]`, "]"),
		onlyLong(list("empty objects", "[", `{},`, `{}`, "]")),
		list("lists of one", "[", `[1],`, `[]`, "]"),
		list("keys", "{", `"key%d":1,`, `"a":1`, "}"),
		list("keys of long values", "{", `"key%d":["`+strings.Repeat("x", 200)+`"],`, `"a":1`, "}"),
		list("keys of the same first and last bytes", "{", `"same bytes %d same bytes":1,`, `"a":1`, "}"),
		list("one key", "{", `"a":1,`, `"a":1`, "}"),
		list("one key, a list", "{", `"Tags":["a","b"],`, `"a":1`, "}"),
		list("one key, an object", "{", `"Map":{"a":"b"},"Any":{"a":{}},`, `"a":1`, "}"),
		list("keys of another case", "{", `"nAME":"x",`, `"a":1`, "}"),
		onlyLong(list("keys with escapes", "{", `"key\n%d":1,`, `"a":1`, "}")),
		onlyLong(list("keys that fold", "{", `"ſtart%d":1,`, `"a":1`, "}")),
		list("sparse rows", "[", `{"c%d":1},`, `{}`, "]"),
		onlyLong(list("a column", `{"c":[`, `1,`, `1`, "]}")),
		onlyLong(list("a text column", `{"c":[`, `"abc",`, `""`, "]}")),
		onlyLong(list("a column that widens", `{"c":[`, `1,`, `1.5`, "]}")),
		onlyLong(list("a column that changes", `{"c":[`, `1,`, `"x"`, "]}")),
		list("columns", "{", `"c%d":[1],`, `"a":[1]`, "}"),
		onlyLong(list("bytes", `{"Bytes":"`, "QUJD", "", `"}`)),
		onlyLong(list("bad bytes", `{"Bytes":"`, "QUJD", "!", `"}`)),
		list("lists in a field", `{"List":[`, `{"List":[{}]},`, "{}", `]}`),
		onlyLong(list("raw fields", `[`, `{"Raw":[1, 2 ],"Custom":{"a" : 1}},`, "{}", `]`)),
		{Name: "deep lists", Make: deep("[", "]")},
		{Name: "deep objects", Make: deep(`{"a":[`, `]}`), Most: 0},
		{Name: "deep records", Make: deep(`{"List":[`, `]}`), Long: true},
		most(9000, list("open lists", "", "[", "", "")),
		list("too many open lists", "", "[", "", ""),
		list("too many open objects", "", `{"a":`, "", ""),
		{Name: "a long chain", Make: deep(`{"Next":`, `}`), Long: true},
		list("blanks", "[", " ", "1", "]"),
		onlyLong(list("blanks at the start", "", " \n", "1", "")),
		onlyLong(list("blanks at the end", "1", " \n", "", "")),
		list("blanks only", "", " \n\t", "", ""),
		list("blanks between tokens", "[", " {  \"a\" \n : \t [ 1 , 2 ] } ,\r\n", "1", "]"),
		{Name: "long blanks between tokens", Make: func(n int) []byte {
			return []byte("[" + strings.Repeat("1"+strings.Repeat(" ", n/16)+","+strings.Repeat("\n", n/16), 8) + "1]")
		}},
		onlyLong(list("commas", "[", ",", "", "]")),
		onlyLong(list("zero bytes", "", "\x00", "", "")),
		{Name: "one large value, then small ones", Make: func(n int) []byte {
			return []byte(`"` + strings.Repeat("x", n/2) + `"` + "\n" + strings.Repeat(`{"ID":1,"Name":"x"}`+"\n", n/2/20))
		}},
		{Name: "one large object, then small ones", Make: func(n int) []byte {
			return append(list("", "{", `"key%d":1,`, `"a":1`, "}\n").Make(n/2), strings.Repeat(`{"ID":1,"Any":{"a":"x"}}`+"\n", n/2/25)...)
		}},
		{Name: "large values and small ones in turn", Long: true, Make: func(n int) []byte {
			return []byte(strings.Repeat(`"`+strings.Repeat("x", n/16)+`"`+"\n"+strings.Repeat(`{"a":1}`+"\n", n/16/8), 8))
		}},
	}
}

// collidingKeys returns keys of 8 bytes with the same slot in an encoder's key book.
func collidingKeys(n int) map[string]int {
	keys := make(map[string]int)
	for x := uint64(0); len(keys) < n; x++ {
		var k [8]byte
		for i := range k {
			k[i] = 'a' + byte(x>>(4*i)&15)
		}
		if json.KeySlot(string(k[:])) == 0 {
			keys[string(k[:])] = len(keys)
		}
	}
	return keys
}

// perByte limits the allocation per input byte. An invalid UTF-8 byte becomes six bytes, and some
// texts are both the key and the value. Buffers double until the output fits, and the result is a
// copy. Together, this is 7 times the output.
const perByte = 7 * 12

// writers returns calls that encode values.
func writers() []growth.Call[any] {
	return []growth.Call[any]{
		{Name: "Marshal", Run: func(v any) { json.Marshal(v) }, Alloc: perByte},
		{Name: "MarshalOf", Run: func(v any) { json.MarshalOf(v) }, Alloc: perByte, Long: true},
		{Name: "Append", Run: func(v any) { json.Append(nil, v, 0) }, Alloc: perByte},
		{Name: "MarshalWrite", Run: func(v any) { json.MarshalWrite(io.Discard, v, json.SortMapKeys) }, Alloc: perByte, Long: true},
	}
}

// streamWriters returns calls that encode with the same code, but into a buffer that they keep.
func streamWriters() []growth.Call[any] {
	return []growth.Call[any]{
		{Name: "Encoder.Encode", Run: func(v any) {
			e := json.NewEncoder(io.Discard)
			for range 3 {
				e.Encode(v)
			}
		}, Alloc: 3 * perByte},
	}
}

// streamed returns the values for streamWriters. In the short form, these differ in the size of the
// output, or cause errors.
func streamed() []growth.Family[any] {
	return slices.Concat(growth.OnlyLong(goValues()), growth.Only(goValues(), "ASCII", "map", "very deep lists", "records", "raws",
		"raw that is not valid", "one large value, then small ones", "one large map, then small ones"))
}

// indentingWriters are the counterpart of indenters for values.
func indentingWriters() []growth.Call[any] {
	return []growth.Call[any]{
		{Name: "MarshalIndent", Run: func(v any) { json.MarshalIndent(v, "", " ") }, Alloc: perByte + 28},
		{Name: "Encoder.Encode indented", Run: func(v any) {
			e := json.NewEncoder(io.Discard)
			e.SetIndent("", " ")
			e.Encode(v)
		}, Alloc: perByte + 28, Long: true},
	}
}

// repeat returns a list that contains v n times, or once if n is less.
func repeat[T any](v T, n int) []T { return slices.Repeat([]T{v}, max(1, n)) }

// goValues returns the values for writers.
func goValues() []growth.Family[any] {
	asAny := func(s string) any { return s }
	made := func(name string, f func(n int) any) growth.Family[any] {
		return growth.Family[any]{Name: name, Make: f}
	}
	keyed := func(n int) map[string]any {
		m := make(map[string]any, n)
		for i := range n {
			m["key "+strconv.Itoa(i)] = i
		}
		return m
	}
	return slices.Concat(
		growth.Map("", contents(), asAny),
		growth.OnlyLong(growth.Map("keys", contents(), func(s string) any { return map[string]any{s: 1, "a": s} })),
		growth.OnlyLong(growth.Map("text", contents(), func(s string) any { return text(s) })),
		[]growth.Family[any]{
			made("map", func(n int) any { return keyed(n / 12) }),
			made("map[string]string", func(n int) any {
				m := map[string]string{}
				for i := range n / 24 {
					m[fmt.Sprintf("same bytes %d same bytes", i)] = "x"
				}
				return m
			}),
			made("map[text]int", func(n int) any {
				m := map[text]int{}
				for i := range n / 12 {
					m[text(strconv.Itoa(i))] = i
				}
				return m
			}),
			made("map[int]int", func(n int) any {
				m := map[int]int{}
				for i := range n / 12 {
					m[i] = i
				}
				return m
			}),
			made("maps of keys that collide", func(n int) any { return repeat[any](collidingKeys(40), n/500) }),
			made("maps of new keys", func(n int) any {
				var all []any
				for i := range n / 100 {
					m := map[string]any{}
					for j := range 6 {
						m[strconv.Itoa(i*6+j)] = j
					}
					all = append(all, m)
				}
				return all
			}),
			made("keys with a long common start", func(n int) any {
				m := map[string]any{}
				start := strings.Repeat("x", 1000)
				for i := range n / 1010 {
					m[start+strconv.Itoa(i)] = i
				}
				return m
			}),
			made("deep lists", func(n int) any {
				var all []any
				for range max(1, n/90) {
					var v any = 1
					for range 30 {
						v = []any{v}
					}
					all = append(all, v)
				}
				return all
			}),
			made("very deep lists", func(n int) any { return levels(n, func(v any) any { return []any{v} }) }),
			made("very deep maps", func(n int) any { return levels(n, func(v any) any { return map[string]any{"a": v, "b": 1} }) }),
			made("very deep pointers", func(n int) any { return levels(n, func(v any) any { return &v }) }),
			made("numbers", func(n int) any { return repeat(1234567.5, n/10) }),
			made("ints", func(n int) any { return repeat(1234567, n/8) }),
			made("bytes", func(n int) any { return make([]byte, n) }),
			made("records", func(n int) any {
				return repeat(record{Name: "a", Tags: []string{"b"}, Raw: []byte(" [1, 2]"), Map: map[string]string{"b": "c"}}, n/250)
			}),
			made("raw", func(n int) any { return json.RawMessage(list("", "[ ", "1 , ", "2", "]").Make(n)) }),
			made("raw that is not valid", func(n int) any { return json.RawMessage(list("", "[ ", "1 , ", "x", "]").Make(n)) }),
			made("raws", func(n int) any { return repeat(json.RawMessage(`{"a" : 1}`), n/10) }),
			made("customs", func(n int) any { return repeat(custom{}, n/8) }),
			made("a custom", func(n int) any { return custom{list("", "", "1 , ", "", "").Make(n)} }),
			made("a number", func(n int) any { return json.Number(strings.Repeat("1", n)) }),
			made("one large value, then small ones", func(n int) any {
				return append([]any{strings.Repeat("x", n/2)}, repeat[any](map[string]any{"a": 1}, n/16)...)
			}),
			made("one large map, then small ones", func(n int) any {
				return append([]any{keyed(n / 24)}, repeat[any](keyed(5), n/160)...)
			}),
		})
}

// levels returns deep values with a total size of about n bytes.
func levels(n int, wrap func(any) any) any {
	const size = 4
	times := n/(3000*size) + 1
	var all []any
	for range times {
		var v any = 1
		for range n / times / size {
			v = wrap(v)
		}
		all = append(all, v)
	}
	return all
}

// sequences returns cases with several calls. Later calls reuse the results or the state of earlier
// calls.
func sequences() []growth.Case {
	large := func(n int) []byte { return list("", "{", `"key%d":1,`, `"a":1`, "}").Make(n) }
	return []growth.Case{
		{Name: "Unmarshal many small after a large one", Alloc: 100, Prepare: func(n int) func() {
			in := large(n / 2)
			return func() {
				read[any](in)
				for range n / 50 {
					read[any]([]byte(`{"a":1,"b":{"c":2}}`))
				}
			}
		}},
		{Name: "Unmarshal into a map that was large", Alloc: 100, Prepare: func(n int) func() {
			in := large(n / 2)
			return func() {
				var v struct{ A map[string]int }
				json.Unmarshal(in, &v.A)
				for range n / 100 {
					json.Unmarshal([]byte(`{"A":{"a":1}}`), &v)
				}
			}
		}},
		{Name: "Marshal many small after a large one", Alloc: 100, Prepare: func(n int) func() {
			in := strings.Repeat("x", n/2)
			return func() {
				json.Marshal(in)
				for range n / 50 {
					json.Marshal(map[string]int{"a": 1, "b": 2, "c": 3, "d": 4, "e": 5})
				}
			}
		}},
		{Name: "ParseRow many rows", Alloc: 60, Prepare: func(n int) func() {
			in := strings.Repeat(`{"a":1,"b":"x","c":null,"d":2.5}`, n/32)
			return func() {
				b := batch([]byte(in))
				for rest := []byte(in); len(rest) > 0; {
					var err error
					if rest, err = json.ParseRow(rest, b); err != nil {
						panic(err)
					}
				}
			}
		}},
		{Name: "Unescape,AppendUnescape every string of a document", Alloc: 60, Prepare: func(n int) func() {
			in := []byte(strings.Repeat(`"a","\u00e9",`, n/13))
			return func() {
				for i := 0; i < len(in); i += 13 {
					json.Unescape(in[i:])
					json.AppendUnescape(nil, in[i+4:], 0)
				}
			}
		}},
		{Name: "ParseColumns many small after a large one", Alloc: 60, Prepare: func(n int) func() {
			in := list("", "{", `"c%d":[1],`, `"a":[1]`, "}").Make(n / 2)
			return func() {
				b := &column.Batch{}
				json.ParseColumns(in, b)
				for range n / 20 {
					b.Reset()
					json.ParseColumns([]byte(`{"a":[1],"b":["x"]}`), b)
				}
			}
		}},
	}
}

// One large message and then many small messages pass through the same objects and pools. The
// memory for the large message is not kept.
func TestGrowthHeld(t *testing.T) {
	inGo126(t) // with jsonv2, encoding/json does a part of the work
	document := func(n int) []byte {
		return list("", `{"a":"`+strings.Repeat("x", n/4)+`",`, `"key%d":["a","\u00e9",1],`, `"b":1`, "}").Make(n)
	}
	reader := func(set func(*json.Decoder), next func(d *json.Decoder) any) func(int, int) func(int) any {
		return func(large, small int) func(int) any {
			in := map[int][]byte{large: document(large), small: document(small)}
			src := new(growth.Source)
			d := json.NewDecoder(src)
			set(d)
			return func(n int) any {
				src.Rest = in[n]
				return next(d)
			}
		}
	}
	whole := func(call func(b []byte) any) func(int, int) func(int) any {
		return func(large, small int) func(int) any {
			in := map[int][]byte{large: document(large), small: document(small)}
			return func(n int) any { return call(in[n]) }
		}
	}
	decoded := func(d *json.Decoder) any {
		var v any
		if err := d.Decode(&v); err != nil {
			panic(err)
		}
		return v
	}
	none := func(*json.Decoder) {}
	growth.CheckHeld(t, []growth.Held{
		{Name: "Unmarshal", Start: whole(func(b []byte) any { var v any; json.Unmarshal(b, &v); return v }), Kept: 40},
		{Name: "Unmarshal, an id", Start: whole(func(b []byte) any {
			var v struct{ A string }
			json.Unmarshal(b, &v)
			return v.A
		}), Kept: 20},
		{Name: "Unmarshal, a wrong type", Start: whole(func(b []byte) any { var v map[string]int; json.Unmarshal(b, &v); return nil })},
		{Name: "Unmarshal, not valid", Start: whole(func(b []byte) any { var v any; json.Unmarshal(b[:len(b)-1], &v); return nil })},
		{Name: "Parse, unique", Start: whole(func(b []byte) any { var v any; json.Parse(b, &v, json.RejectDuplicateNames); return v }), Kept: 40},
		{Name: "Get", Start: whole(func(b []byte) any { json.Get(b, "b"); return nil })},
		{Name: "Valid, Compact, Indent", Start: whole(func(b []byte) any {
			json.Valid(b)
			json.Compact(new(bytes.Buffer), b)
			json.Indent(new(bytes.Buffer), b, "", " ")
			return nil
		})},
		{Name: "Marshal", Start: whole(func(b []byte) any { out, _ := json.Marshal(string(b)); return out }), Kept: 8},
		{Name: "Marshal, a map", Start: func(large, small int) func(int) any {
			values := map[int]any{}
			for _, n := range []int{large, small} {
				var v any
				json.Unmarshal(document(n), &v)
				values[n] = v
			}
			return func(n int) any { out, _ := json.Marshal(values[n]); return out }
		}, Kept: 8},
		{Name: "MarshalIndent, MarshalWrite", Start: whole(func(b []byte) any {
			json.MarshalIndent(string(b), "", " ")
			json.MarshalWrite(io.Discard, string(b), 0)
			return nil
		})},
		{Name: "Encoder", Start: func(large, small int) func(int) any {
			in := map[int]string{large: string(document(large)), small: string(document(small))}
			e := json.NewEncoder(io.Discard)
			return func(n int) any { e.Encode(in[n]); return nil }
		}},
		{Name: "ParseColumns", Start: whole(func(b []byte) any { json.ParseColumns(b, batch(b)); return nil })},
		{Name: "Lines", Start: func(large, small int) func(int) any {
			in := map[int][]byte{large: append(document(large), '\n'), small: append(document(small), '\n')}
			src := new(growth.Source)
			next, stop := iter.Pull2(json.Lines[any](src, 1<<30))
			t.Cleanup(stop)
			return func(n int) any {
				src.Rest = in[n]
				v, err, _ := next()
				if err != nil {
					panic(err)
				}
				return v
			}
		}, Kept: 40},
		{Name: "Decoder", Start: reader(none, decoded), Kept: 40},
		{Name: "Decoder, zero copy", Start: reader((*json.Decoder).ZeroCopy, decoded), Kept: 40},
		{Name: "Decoder, tokens", Start: reader(none, func(d *json.Decoder) any {
			for depth := 0; ; {
				switch v, err := d.Token(); {
				case err != nil:
					panic(err)
				case v == json.Delim('{') || v == json.Delim('['):
					depth++
				case v == json.Delim('}') || v == json.Delim(']'):
					if depth--; depth == 0 {
						return nil
					}
				}
			}
		})},
	})
}

// Objects from pools do not keep a reference to their last input or output.
func TestForgets(t *testing.T) {
	// An input of up to 4 KB may be kept until the next call: see decoder.release.
	document := func() []byte { return []byte(`{"a":"` + strings.Repeat("x", 5000) + `","b":[1,"\n"]}`) }
	on := func(call func(b []byte)) func() *byte {
		return func() *byte { b := document(); call(b); return &b[0] }
	}
	growth.CheckForgets(t, map[string]func() *byte{
		"Unmarshal":       on(read[any]),
		"a wrong type":    on(read[[]int]),
		"not valid":       on(func(b []byte) { read[any](b[1:]) }),
		"Parse zero copy": on(parse[any](json.ZeroCopy)),
		"UnmarshalOf raw": on(func(b []byte) { json.UnmarshalOf[json.RawMessage](b) }),
		"Get":             on(func(b []byte) { json.Get(b, "b", 1) }),
		"Valid, Compact, Indent": on(func(b []byte) {
			json.Valid(b)
			json.Compact(new(bytes.Buffer), b)
			json.Indent(new(bytes.Buffer), b, "", " ")
		}),
		"ParseColumns":   on(func(b []byte) { json.ParseColumns(b, batch(b)) }),
		"Marshal":        on(func(b []byte) { json.Marshal(b) }),
		"MarshalOf":      on(func(b []byte) { json.MarshalOf(record{Bytes: b, Any: b}) }),
		"Marshal, a map": on(func(b []byte) { json.Marshal(map[string]any{"a": b, "b": map[string][]byte{"c": b}}) }),
		"Marshal, an error": on(func(b []byte) {
			json.Marshal(map[string]any{"a": []any{b, map[string]any{"b": b, "c": func() {}}}})
		}),
		"Encoder": on(func(b []byte) { json.NewEncoder(io.Discard).Encode([]any{b}) }),
	})
}
