package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/internal/guard"
)

// allKinds contains one field of every kind.
const allKinds = `{a u8, b i64be, c f32, d bool, e time, f timezone, g str8, h blobi16be, i list64(u16), j array3({x i8}), k map8(str8,opt(u8)), ` +
	`l {m opt(^0), o list8({p opt(^1)})}, skip4, "q r" u32be, "\"" u8, skip u8, skip5 {}, [s opt(str16), skip2, t {u u8}]}`

func mustShape(text string) *Shape {
	s, err := ParseShape(text)
	if err != nil {
		panic(err)
	}
	return s
}

// A shape can be read from its own text and from its own JSON.
func TestShapeText(t *testing.T) {
	for _, text := range []string{"{}", "u8", "list8({a opt(^0)})", "{a u8}", "{[a u8]}", "{skip0}", "{a {b {c opt(^2), d opt(^1), e opt(^0)}}}", allKinds} {
		s, err := ParseShape(text)
		if err != nil || s.String() != text {
			t.Errorf("%s: read as %v, %v", text, s, err)
			continue
		}
		b, err := json.Marshal(s)
		var again Shape
		if err := json.Unmarshal(b, &again); err != nil || again.String() != text {
			t.Errorf("%s: %s is read as %v, %v", text, b, &again, err)
		}
		if err != nil {
			t.Error(err)
		}
	}
	spaced, err := ParseShape(" {\n\ta  u8 ,b list8 ( { c\tu8 } ) ,\n [ d u8 ] } ")
	if err != nil || spaced.String() != "{a u8, b list8({c u8}), [d u8]}" {
		t.Error(spaced, err)
	}
	if s := new(Shape); s.String() != "{}" {
		t.Error(s)
	}
}

// The shape of a schema equals the shape parsed from the schema's text, without its Go types.
func TestShapeOfSchema(t *testing.T) {
	s, err := Derive[derived]()
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{s.String(), exampleSchema.String()} {
		if got, err := ParseShape(text); err != nil || got.String() != text {
			t.Errorf("%v %v, want %s", got, err, text)
		}
	}
	if s.Shape().String() != s.String() {
		t.Errorf("%s, want %s", s.Shape(), s)
	}
	const want = `{"fields":[{"name":"a","type":"list8","of":{"type":"u8"}},{"type":"skip4"},` +
		`{"name":"m","type":"map8","key":{"type":"str8"},"of":{"fields":[{"name":"x","type":"opt","of":{"type":"^0"}}]}},{"name":"t","tail":true,"fields":[]}]}`
	b, err := json.Marshal(mustShape("{a list8(u8), skip4, m map8(str8,{x opt(^0)}), [t {}]}"))
	if err != nil || string(b) != want {
		t.Errorf("%s, want %s, %v", b, want, err)
	}
}

// The example in the documentation of Shape is valid. A Shape is also encoded as JSON if it is a
// value and not a pointer.
func TestShapeExample(t *testing.T) {
	const text = `{"fields": [
		{"name": "name", "type": "str8"},
		{"name": "grades", "type": "map8", "key": {"type": "str8"}, "of": {"type": "u8"}},
		{"type": "skip10"},
		{"name": "pet", "fields": [{"name": "age", "type": "u8"}, {"name": "mother", "type": "opt", "of": {"type": "^0"}}]},
		{"name": "email", "tail": true, "type": "str16"}
	]}`
	source, err := os.ReadFile("shape.go")
	if err != nil || !strings.Contains(strings.ReplaceAll(string(source), "\n//\t", "\n"), strings.ReplaceAll(text, "\n\t", "\n")) {
		t.Error("the documentation has another example", err)
	}
	var v struct{ Shape Shape }
	if err := json.Unmarshal([]byte(text), &v.Shape); err != nil {
		t.Fatal(err)
	}
	if s := v.Shape.String(); s != "{name str8, grades map8(str8,u8), skip10, pet {age u8, mother opt(^0)}, [email str16]}" {
		t.Error(s)
	}
	var want bytes.Buffer
	if err := json.Compact(&want, []byte(text)); err != nil {
		t.Fatal(err)
	}
	if b, err := json.Marshal(v); err != nil || string(b) != `{"Shape":`+want.String()+`}` {
		t.Errorf("%s %v", b, err)
	}
}

// Invalid shapes are rejected with the path of the mistake.
func TestShapeRefuses(t *testing.T) {
	deep := strings.Repeat(`{"type":"opt","of":`, 70) + `{"type":"u8"}` + strings.Repeat("}", 70)
	many := strings.Repeat(`{"type":"skip1"},`, maxParts) + `{"type":"skip1"}`
	long := strings.Repeat("n", maxName+1)
	for text, want := range map[string]string{
		`{}`:                         `message: "" is no type`,
		`null`:                       `message: "" is no type`,
		`[]`:                         "got an array, want an object",
		`{"fields":{}}`:              "fields: got an object, want an array",
		`{"fields":[{"name":5}]}`:    "name: got a number, want a string",
		`{"type":"^0"}`:              "message: ^0 refers to no enclosing struct",
		`{"fields":[],"type":"u8"}`:  "cannot have type, key or of",
		`{"fields":[],"name":"a"}`:   "only a field has name and tail",
		`{"fields":[{"type":"u8"}]}`: "a field has no name",
		`{"fields":[{"name":"a"}]}`:  `message.a: "" is no type`,
		`{"fields":[{"name":"a","type":"u8","wide":1}]}`:                                         `unknown field "wide"`,
		`{"fields":[{"name":"a","type":"u9"}]}`:                                                  "message.a: there is no number u9",
		`{"fields":[{"name":"a","type":"u8be"}]}`:                                                "there is no number u8be",
		`{"fields":[{"name":"a","type":"f16"}]}`:                                                 "there is no number f16",
		`{"fields":[{"name":"a","type":"int"}]}`:                                                 "is no type",
		`{"fields":[{"name":"a","type":"struct"}]}`:                                              "is no type",
		`{"fields":[{"name":"a","type":"bool8"}]}`:                                               "is no type",
		`{"fields":[{"name":"a","type":"str"}]}`:                                                 `there is no header ""`,
		`{"fields":[{"name":"a","type":"str8(u8)"}]}`:                                            "there is no header",
		`{"fields":[{"name":"a","type":"list8"}]}`:                                               "have an of",
		`{"fields":[{"name":"a","type":"u8","of":{}}]}`:                                          "have an of",
		`{"fields":[{"name":"a","type":"u8","key":{}}]}`:                                         "have an of",
		`{"fields":[{"name":"a","type":"map8","of":{}}]}`:                                        "have an of",
		`{"fields":[{"name":"a","type":"array-1","of":{}}]}`:                                     "is no type",
		`{"fields":[{"name":"a","type":"array01","of":{}}]}`:                                     `"01" is not a number`,
		`{"fields":[{"name":"a","type":"array1073741825","of":{"type":"u8"}}]}`:                  "is not a number from 0 to 1073741823",
		`{"fields":[{"type":"skip1048577"}]}`:                                                    "is not a number from 0 to 1048576",
		`{"fields":[{"type":"skip1","name":"a"}]}`:                                               "nothing but tail",
		`{"fields":[{"type":"skip1","fields":[]}]}`:                                              "nothing but tail",
		`{"fields":[{"name":"a","type":"opt","of":{"name":"b","type":"u8"}}]}`:                   "only a field has name and tail",
		`{"fields":[{"name":"a","type":"opt","of":{"type":"^1"}}]}`:                              "^1 refers to no enclosing struct",
		`{"fields":[{"name":"a","type":"^0"}]}`:                                                  "so the message has no end",
		`{"fields":[{"name":"a","type":"array2","of":{"type":"^0"}}]}`:                           "so the message has no end",
		`{"fields":[{"name":"a","type":"u8"},{"name":"a","type":"u8"}]}`:                         "message.a: two fields have this name",
		`{"fields":[{"name":"` + long + `","type":"u8"}]}`:                                       "is longer than 255 bytes",
		`{"fields":[{"name":"a","type":"u8","tail":true},{"name":"b","type":"u8"}]}`:             "message.b: it follows a Tail",
		`{"fields":[{"name":"a","fields":[{"name":"b","type":"u8","tail":true}]}]}`:              "message.a: it has a Tail, which only a whole message may have",
		`{"fields":[{"name":"a","type":"opt","of":{"type":"^0"}},{"tail":true,"type":"skip1"}]}`: "it has a Tail",
		`{"fields":[{"name":"a","type":"opt","of":` + deep + `}]}`:                               "nested more than 64 deep",
		`{"fields":[` + many + `]}`:                                                              "there are more than 16384",
	} {
		s := *mustShape("{a u8}")
		if err := json.Unmarshal([]byte(text), &s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.200s: %v, want %s", text, err, want)
		}
		if s.String() != "{a u8}" {
			t.Errorf("%.200s changes the shape to %v", text, &s)
		}
	}
	for text, want := range map[string]string{
		``: `message: "" is no type`, `{`: `there is no '}' at byte 1`, `^0`: `^0 refers to no enclosing struct`, `{a u8`: `there is no '}' at byte 5`, `{a u8} x`: "unexpected text at byte 7",
		`{a u8,}`: `a field has no name`, `{u8}`: `message.u8: "" is no type`, `{a list8}`: `there is no '(' at byte 8`, `{a map8(u8)}`: `there is no ','`,
		`{a list8(u8,u8)}`: `there is no ')'`, `{[]}`: `a field has no name`, `{[a u8}`: `there is no ']'`, `{[a u8], b u8}`: `there is no '}'`,
		`{[a u8, [b u8]]}`: `there is no ']' at byte 8`, `{"a u8}`: "unterminated name at byte 1", `{"" u8}`: "a field has no name", `{a u8 b}`: `there is no '}'`,
		`{a b u8}`: `there is no '}' at byte 5`, `{a opt(^-1)}`: "is not a number", `{"\xff" u8}`: "or not UTF-8", `{a _}`: `"_" is no type`,
		"{a " + strings.Repeat("opt(", 1<<16): "nested more than 64 deep",
	} {
		if s, err := ParseShape(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.100s: %v %v, want %s", text, s, err, want)
		}
	}
	wrong := strings.Repeat(`{"type":"u9","name":"a"},`, 100)
	if err := json.Unmarshal([]byte(`{"fields":[`+wrong+`{"type":"skip1"}]}`), new(Shape)); err == nil || strings.Count(err.Error(), "\n") > maxListed {
		t.Errorf("too many mistakes are told: %v", err)
	}
}

// outline returns a text that is built from the parts of a shape.
func outline(parts func(func(Piece) bool)) string {
	var all []string
	for p := range parts {
		text := p.Name() + ":" + p.Kind().String()
		if p.Tail() {
			text = "tail " + text
		}
		switch p.Kind() {
		case KindInt, KindFloat:
			text += fmt.Sprint(p.Bits(), p.Signed(), p.BigEndian())
		case KindString, KindBlob:
			text += p.Header().String()
		case KindList, KindOpt, KindMap, KindArray:
			text += p.Header().String() + " " + fmt.Sprint(p.Count())
			elems := []Piece{p.Elem()}
			if p.Kind() == KindMap {
				elems = []Piece{p.Key(), p.Elem()}
			}
			text += outline(slices.Values(elems))
		case KindSelf:
			text += fmt.Sprint(p.Elem().Kind() == KindStruct)
		case KindStruct:
			text += outline(p.Fields())
		case KindSkip:
			text += fmt.Sprint(p.Count())
		}
		all = append(all, fmt.Sprint(text, "≥", p.Least()))
	}
	return "{" + strings.Join(all, " ") + "}"
}

// The methods of Piece return every property of a shape.
func TestPieces(t *testing.T) {
	const want = "{a:int8 false false≥1 b:int64 true true≥8 c:float32 false false≥4 d:bool≥1 e:time≥8 f:timezone≥10 g:str8≥1 h:blobi16be≥2 " +
		"i:list64 0{:int16 false false≥2}≥8 j:array8 3{:struct{x:int8 true false≥1}≥1}≥3 k:map8 0{:str8≥1 :opt8 0{:int8 false false≥1}≥1}≥1 " +
		"l:struct{m:opt8 0{:selftrue≥2}≥1 o:list8 0{:struct{p:opt8 0{:selftrue≥2}≥1}≥1}≥1}≥2 :skip4≥4 " +
		"q r:int32 false true≥4 \":int8 false false≥1 skip:int8 false false≥1 skip5:struct{}≥0 tail s:opt8 0{:str16≥2}≥1 tail :skip2≥2 " +
		"tail t:struct{u:int8 false false≥1}≥1}"
	if got := outline(mustShape(allKinds).Fields()); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	for range mustShape("{a u8, b u8}").Fields() {
		break
	}
	if s := Kind(99).String(); s != "?" {
		t.Error(s)
	}
}

// Read returns a length from each kind of header.
func TestHeaderRead(t *testing.T) {
	for h := range headers {
		b := make([]byte, h.size(), h.size()+1)
		if !h.put(b, 0, 5) {
			t.Fatal(h)
		}
		if n, rest, err := h.Read(append(b, 9)); n != 5 || !bytes.Equal(rest, []byte{9}) || err != nil {
			t.Errorf("%v: %d %x %v", h, n, rest, err)
		}
		if n, rest, err := h.Read(b[1:]); n != 0 || len(rest) != len(b)-1 || err != ErrShort {
			t.Errorf("%v: %d %x %v", h, n, rest, err)
		}
		if n, _, err := h.Read(bytes.Repeat([]byte{0xff}, 8)); h >= HI8 && err != ErrOverflow || h < HI8 && (err != nil || n <= 0) {
			t.Errorf("%v: %d %v", h, n, err)
		}
	}
	if _, _, err := headers.Read(make([]byte, 8)); err != ErrOverflow {
		t.Error(err)
	}
}

// FuzzShape reads any text as a shape. The shape can be written as text and as JSON, and read
// again. The copy can read the messages of the shape.
func FuzzShape(f *testing.F) {
	b, err := json.Marshal(mustShape(allKinds))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b, allKinds)
	f.Fuzz(func(t *testing.T, b []byte, text string) {
		b = guard.Test(t, b)
		var read Shape
		parsed, err := ParseShape(text)
		if err != nil {
			parsed = new(Shape)
		}
		if json.Unmarshal(b, &read) != nil {
			read = Shape{}
		}
		for _, s := range []*Shape{parsed, &read} {
			again, err := ParseShape(s.String())
			if err != nil || again.String() != s.String() {
				t.Fatalf("%s: %v %v", s, again, err)
			}
			out, err := json.Marshal(s)
			if err != nil {
				t.Fatal(err)
			}
			back := new(Shape)
			if err := json.Unmarshal(out, back); err != nil || back.String() != s.String() {
				t.Fatalf("%s: %s %v %v", s, out, back, err)
			}
			outline(slices.Values([]Piece{s.Message()}))
			var d *Difference
			if err := reads("new", s, back); errors.As(err, &d) {
				t.Fatalf("%s: %v", s, err)
			}
		}
		v, err := Compat(parsed, &read)
		if turned, _ := Compat(&read, parsed); v&Both != (turned&NewReadsOld)<<1|(turned&OldReadsNew)>>1 || (err == nil) != (v&Both == Both) {
			t.Fatalf("%s, %s: %v, %v, %v", parsed, &read, v, turned, err)
		}
	})
}
