package json_test

// These tests check encoding/json's documented behaviour in encoding, one rule in each test: see
// contract_decode_test.go. Each value is encoded by Marshal, MarshalIndent and Encoders with all
// options: see sameMarshal in differential_test.go.

//lint:file-ignore SA5008 the tags of these types are odd on purpose

import (
	"bytes"
	std "encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"net/netip"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/internal/corpus"
	"github.com/slipstream-go/slipstream/json"
)

// wantMarshal encodes v with both libraries and checks that the result is want.
func wantMarshal(t *testing.T, v any, want string) {
	t.Helper()
	sameMarshal(t, v)
	if b, err := json.Marshal(v); (err != nil || string(b) != want) && !json.OnV2 {
		complain(t, "%T %+v: %s, %v; want %s", v, v, short(string(b)), err, short(want))
	}
}

// wantRaw is wantMarshal without HTML escaping.
func wantRaw(t *testing.T, v any, want string) {
	t.Helper()
	sameMarshal(t, v)
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); (err != nil || out.String() != want+"\n") && !json.OnV2 {
		complain(t, "%T %+v: %s, %v; want %s", v, v, short(out.String()), err, short(want))
	}
}

// wantMarshalError checks the text of the error for v.
func wantMarshalError(t *testing.T, v any, text string) {
	t.Helper()
	sameMarshal(t, v)
	if b, err := json.Marshal(v); (err == nil || err.Error() != text || b != nil) && !json.OnV2 {
		complain(t, "%T: %s, %v; want the error %s", v, b, err, text)
	}
}

func TestHTML(t *testing.T) {
	const html, escaped = "<a>&b", `\u003ca\u003e\u0026b`
	for _, v := range []struct {
		value             any
		whenSet, whenNone string
	}{
		{html, `"` + escaped + `"`, `"` + html + `"`},
		{map[string]int{html: 1}, `{"` + escaped + `":1}`, `{"` + html + `":1}`},
		{map[textKey]int{{5}: 1}, `{"k\u003c5":1}`, `{"k<5":1}`},
		{writesJSON{`"<a>&b"`}, `"` + escaped + `"`, `"` + html + `"`},
		{writesText{html}, `"` + escaped + `"`, `"` + html + `"`},
		{std.RawMessage(`{"<a>&b" : "<a>&b"}`), `{"` + escaped + `":"` + escaped + `"}`, `{"` + html + `":"` + html + `"}`},
		{one[*std.RawMessage]{ref(std.RawMessage(`"<"`))}, `{"A":"\u003c"}`, `{"A":"<"}`},
		{quote[string]{A: html}, `{"A":"\"` + strings.ReplaceAll(escaped, `\`, `\\`) + `\"","B":""}`, `{"A":"\"` + html + `\"","B":""}`},
		{quote[string]{A: "\"\\<\u2028"}, `{"A":"\"\\\"\\\\\\u003c\\u2028\"","B":""}`, `{"A":"\"\\\"\\\\<\\u2028\"","B":""}`},
		{struct {
			A int `json:"<&>"`
			B int `json:"a<b,omitempty"`
		}{1, 2}, `{"\u003c\u0026\u003e":1,"a\u003cb":2}`, `{"<&>":1,"a<b":2}`},
		{[]any{html, []byte("<"), map[string]any{"&": html}}, `["` + escaped + `","PA==",{"\u0026":"` + escaped + `"}]`, `["` + html + `","PA==",{"&":"` + html + `"}]`},
	} {
		wantMarshal(t, v.value, v.whenSet)
		wantRaw(t, v.value, v.whenNone)
	}
	for _, s := range []string{"<", ">", "&", "a<", "<a", "<<>>&&", "\u2028<", "\\<", `"<"`, "é<é", "\xff<", strings.Repeat("x", 15) + "<", strings.Repeat("x", 16) + ">", strings.Repeat("x", 63) + "&"} {
		sameMarshal(t, s, map[string]string{s: s}, writesText{s}, quote[string]{A: s}, std.RawMessage(strconv.Quote(s)), writesJSONString(strconv.Quote(s)), one[any]{s}, []string{s, s}, map[writesTextString]int{writesTextString(s): 1})
	}
	t.Run("HTMLEscape", func(t *testing.T) {
		for _, s := range append(literals(), faulty()...) {
			for _, in := range []string{s, s + "<&>", "<" + s, "\u2028" + s + "\u2029", s + "\xe2\x80", s + "\xe2\x80\xa8", s + "\xe2"} {
				theirs, ours := bytes.NewBufferString("before "), bytes.NewBufferString("before ")
				std.HTMLEscape(theirs, []byte(in))
				json.HTMLEscape(ours, []byte(in))
				if theirs.String() != ours.String() {
					complain(t, "%q: %q; want %q", in, ours, theirs)
				}
			}
		}
	})
}

func ref[T any](v T) *T { return &v }

func TestEscapes(t *testing.T) {
	wantMarshal(t, "\b\f\n\r\t\"\\/", `"\b\f\n\r\t\"\\/"`)
	wantMarshal(t, "\x00\x01\x0b\x1f\x7f\u0080", "\"\\u0000\\u0001\\u000b\\u001f\x7f\u0080\"")
	wantRaw(t, "\u2027\u2028\u2029\u202a", "\"\u2027\\u2028\\u2029\u202a\"")
	wantRaw(t, map[string]string{"\u2028": "\u2029"}, `{"\u2028":"\u2029"}`)
	wantRaw(t, std.RawMessage("\"\u2028\""), "\"\u2028\"") // without HTML escaping, raw JSON is copied as it is
	wantMarshal(t, std.RawMessage("\"\u2028\""), `"\u2028"`)
	wantRaw(t, writesText{"\u2028"}, `"\u2028"`)
	wantMarshal(t, "\ufffd", "\"\ufffd\"")
	for c := range 256 {
		for _, s := range []string{string([]byte{byte(c)}), string(rune(c)), "a" + string(rune(c)) + "b", strings.Repeat("x", 20) + string([]byte{byte(c)}), string(rune(c)) + strings.Repeat("é", 20)} {
			sameMarshal(t, s, map[string]string{s: s})
		}
	}
	t.Run("at_every_offset", func(t *testing.T) {
		for n := range 70 {
			for _, s := range []string{"\"", "\n", "\x00", "\xff", "<", "\u2028", "é", "\xe2\x80", "\\", "\x7f", "😀"} {
				for _, text := range []string{strings.Repeat("a", n) + s + strings.Repeat("b", 70-n), strings.Repeat("a", n) + s, strings.Repeat("é", n/2) + s + s} {
					a, _ := std.Marshal(text)
					b, err := json.Marshal(text)
					if err != nil || !bytes.Equal(a, b) {
						complain(t, "%q: %s, %v; want %s", text, b, err, a)
					}
				}
			}
		}
	})
}

func TestInvalidUTF8Written(t *testing.T) {
	for _, s := range []string{"\xff", "a\xffb\xfe\xfdc", "\xe2\x82", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc0\x80", "\xf0\x9f\x98", "\xf0\x9f\x98\x80\x80", "é\xc3", "\xc3é", "\xef\xbf\xbd", "\xef\xbf", strings.Repeat("a", 100) + "\xff", strings.Repeat("\xff", 100)} {
		sameMarshal(t, s, map[string]int{s: 1}, writesText{s}, map[writesTextString]string{writesTextString(s): s}, quote[string]{A: s}, std.RawMessage(`"`+s+`"`), writesJSON{`"` + s + `"`}, []any{s}, std.Number(s))
	}
	if a, _ := std.Marshal("\xff"); string(a) == `"\ufffd"` {
		wantMarshal(t, "a\xffb\xfe\xfd", `"a\ufffdb\ufffd\ufffd"`)
		wantMarshal(t, quote[string]{A: "\xff"}, `{"A":"\"\\ufffd\"","B":""}`)
	}
	wantMarshal(t, std.RawMessage("\"\xff\""), "\"\xff\"") // UTF-8 in raw JSON is not checked
	t.Run("every_two_bytes", func(t *testing.T) {
		for a := range 256 {
			for b := range 256 {
				s := string([]byte{byte(a), byte(b)})
				theirs, _ := std.Marshal(s)
				if ours, err := json.Marshal(s); err != nil || !bytes.Equal(theirs, ours) {
					complain(t, "%q: %s, %v; want %s", s, ours, err, theirs)
				}
			}
		}
	})
	t.Run("at_random", func(t *testing.T) {
		r := corpus.New(3)
		for range 20000 {
			s := hardString(r)
			theirs, _ := std.Marshal(s)
			if ours, err := json.Marshal(s); err != nil || !bytes.Equal(theirs, ours) {
				complain(t, "%q: %s, %v; want %s", s, ours, err, theirs)
			}
		}
	})
}

func TestEmbeddedWritten(t *testing.T) {
	b, l := Base{1, 2}, Left{3, 4}
	for _, v := range []struct {
		value any
		want  string
	}{
		{embedsValue{b, 3}, `{"A":1,"B":2,"C":3}`},
		{embedsPointer{&b, 3}, `{"A":1,"B":2,"C":3}`},
		{embedsPointer{nil, 3}, `{"C":3}`},
		{embedsHidden{base{1, 2}, 3}, `{"A":1,"B":2,"C":3}`},
		{embedsHiddenPointer{&base{1, 2}, 3}, `{"A":1,"B":2,"C":3}`},
		{embedsHiddenPointer{nil, 3}, `{"C":3}`},
		{embedsBothPointers{&base{1, 2}, &l, 3}, `{"B":2,"L":4,"C":3}`},
		{embedsTagged{b, 3}, `{"C":{"A":1,"B":2},"A":3}`},
		{embedsHiddenTagged{base{1, 2}, 3}, `{"A":{"A":1,"B":2},"B":3}`},
		{embedsPointerTagged{nil, 3}, `{"A":null,"B":3}`},
		{embedsDashed{b, 3}, `{"C":3}`},
		{embedsEmptyTag{b, 3}, `{"A":1,"B":2,"C":3}`},
		{embedsShadowed{b, "x"}, `{"B":2,"A":"x"}`},
		{embedsAmbiguous{l, Right{5, 6}}, `{"L":4,"R":6}`},
		{embedsResolved{l, Right{5, 6}, 7}, `{"L":4,"R":6,"A":7}`},
		{embedsTagWins{l, TaggedRight{5}}, `{"L":4,"A":5}`},
		{embedsByDepth{Deep{b, 9}, l}, `{"B":2,"C":9,"A":3,"L":4}`},
		{embedsTwice{PathA{b}, PathB{b}}, `{}`},
		{embedsTwiceResolved{PathA{b}, PathB{b}, b}, `{"A":1,"B":2}`},
		{embedsNumber{5, 6}, `{"Number":5,"A":6}`},
		{embedsNumberPointer{nil, 6}, `{"Number":null,"A":6}`},
		{embedsHiddenNumber{5, 6}, `{"A":6}`},
		{embedsMap{Map{"x": 1}, 2}, `{"Map":{"x":1},"A":2}`},
		{embedsInterface{nil, 1}, `{"Stringer":null,"A":1}`},
		{embedsTime{time.Unix(0, 0).UTC(), 1}, `"1970-01-01T00:00:00Z"`}, // the struct inherits its methods
		{embedsRaw{std.RawMessage("[1]"), 2}, `[1]`},
		{embedsJSONNumber{"5", 2}, `{"Number":5,"A":2}`},
		{embedsWriter{writesJSON{"7"}, 1}, `7`},
		{embedsChain{&embedsPointer{&b, 3}, 4}, `{"A":1,"B":2,"C":3,"D":4}`},
		{embedsChain{nil, 4}, `{"D":4}`},
		{embedsWithinHidden{middle{&b, innermost{l, 5}}, 6}, `{"B":2,"L":4,"Z":5,"A":6}`},
		{Loop{A: 1, Loop: &Loop{A: 2}, B: &Loop{A: 3}}, `{"A":1,"B":{"A":3,"B":null}}`},
		{Ping{&Pong{nil, 2}, 1}, `{"B":2,"A":1}`},
		{&loop{1, &loop{2, nil}}, `{"A":1}`},
		{one[struct{ time.Time }]{}, `{"A":"0001-01-01T00:00:00Z"}`},
		{struct{ embedsTime }{}, `"0001-01-01T00:00:00Z"`},
	} {
		wantMarshal(t, v.value, v.want)
		sameMarshal(t, []any{v.value}, map[string]any{"k": v.value}, ref(v.value))
	}
	sameMarshal(t, embedsTwoReaders{}, embedsAnyInterface{A: 1}, &embedsReaderPointer{}, reflect.New(clashing).Interface())
	t.Run("where_encoding_json_panics", func(t *testing.T) {
		inGo126(t)
		type ambiguous struct { // the methods conflict and are not promoted; the fields are encoded, but their methods may not be called
			hiddenWriter  `json:"x"`
			hiddenWriter2 `json:"y"`
		}
		sameMarshal(t, ambiguous{}, embedsAnyInterface{}, &embedsAnyInterface{})
		if !attempt(func() error { _, err := std.Marshal(ambiguous{}); return err }).misused() {
			t.Error("encoding/json calls methods of hidden fields now")
		}
	})
}

type (
	hiddenWriter  struct{ A int }
	hiddenWriter2 struct{ B int }
)

func (hiddenWriter) MarshalJSON() ([]byte, error)  { return []byte("1"), nil }
func (hiddenWriter2) MarshalJSON() ([]byte, error) { return []byte("2"), nil }

func TestStringOptionWritten(t *testing.T) {
	wantMarshal(t, quote[int]{1, 2}, `{"A":"1","B":2}`)
	wantMarshal(t, quote[bool]{true, true}, `{"A":"true","B":true}`)
	wantMarshal(t, quote[float64]{-1e-7, 1e21}, `{"A":"-1e-7","B":1e+21}`)
	wantMarshal(t, quote[string]{`a"\`, `a"\`}, `{"A":"\"a\\\"\\\\\"","B":"a\"\\"}`)
	wantMarshal(t, quote[*int]{}, `{"A":null,"B":null}`)
	wantMarshal(t, quote[*int]{ref(1), ref(2)}, `{"A":"1","B":2}`)
	wantMarshal(t, quote[*string]{ref("x"), ref("x")}, `{"A":"\"x\"","B":"x"}`)
	wantMarshal(t, quote[**int]{ref(ref(1)), nil}, `{"A":1,"B":null}`)
	wantMarshal(t, quote[namedPointer]{ref(1), nil}, `{"A":1,"B":null}`)
	wantMarshal(t, quote[std.Number]{"1.5", "1.5"}, `{"A":"1.5","B":1.5}`)
	wantMarshal(t, quote[std.Number]{}, `{"A":"0","B":0}`)
	wantMarshal(t, quote[any]{1, "x"}, `{"A":1,"B":"x"}`)
	wantMarshal(t, quote[[]int]{[]int{1}, nil}, `{"A":[1],"B":null}`)
	wantMarshal(t, quote[[]string]{[]string{"x"}, nil}, `{"A":["x"],"B":null}`)
	wantMarshal(t, quote[map[string]int]{map[string]int{"a": 1}, nil}, `{"A":{"a":1},"B":null}`)
	wantMarshal(t, quote[Base]{Base{1, 2}, Base{}}, `{"A":{"A":1,"B":2},"B":{"A":0,"B":0}}`)
	wantMarshal(t, quote[time.Duration]{5, 6}, `{"A":"5","B":6}`)
	wantMarshal(t, quote[writesTextInt]{5, 6}, `{"A":"int \u003c5\u003e","B":"int \u003c6\u003e"}`) // the option does not apply to the output of a method
	wantMarshal(t, quote[writesJSONInt]{5, 6}, `{"A":{"int":5},"B":{"int":6}}`)
	wantMarshal(t, quoteOmit[int]{}, `{}`)
	wantMarshal(t, quoteOmit[string]{"", "x"}, `{"B":"\"x\""}`)
	type around struct {
		A int `json:",string"`
		B quote[int]
		C []quote[string] `json:",string"`
		D *quote[bool]
		E int
	}
	wantMarshal(t, around{1, quote[int]{2, 3}, []quote[string]{{"x", "y"}}, &quote[bool]{}, 4}, `{"A":"1","B":{"A":"2","B":3},"C":[{"A":"\"x\"","B":"y"}],"D":{"A":"false","B":false},"E":4}`)
	sameMarshal(t, quote[float32]{float32(math.Inf(1)), 0}, quote[std.Number]{A: "1x"}, quote[float64]{A: math.NaN()}, quote[uint8]{200, 1}, quote[uintptr]{5, 6}, quote[int64]{math.MinInt64, math.MaxInt64}, quote[uint64]{math.MaxUint64, 0}, quote[chan int]{}, quote[namedString]{"<", "<"}, quote[readsTextBool]{true, false})
}

func TestOmit(t *testing.T) {
	minusZero := math.Copysign(0, -1)
	for _, v := range []struct {
		value any
		want  string
	}{
		{omit[bool]{}, `{}`}, {omit[bool]{true, true, true}, `{"A":true,"B":true,"c":true}`},
		{omit[float64]{minusZero, minusZero, minusZero}, `{}`},
		{omit[string]{"", "x", ""}, `{"B":"x"}`},
		{omit[*int]{}, `{}`}, {omit[*int]{new(int), new(int), new(int)}, `{"A":0,"B":0,"c":0}`},
		{omit[any]{}, `{}`}, {omit[any]{0, 0, (*int)(nil)}, `{"A":0,"B":0,"c":null}`},
		{omit[[]int]{}, `{}`}, {omit[[]int]{[]int{}, []int{}, []int{}}, `{"B":[]}`}, // an empty slice is not zero
		{omit[map[string]int]{map[string]int{}, map[string]int{}, map[string]int{}}, `{"B":{}}`},
		{omit[[0]int]{}, `{}`}, {omit[[2]int]{}, `{"A":[0,0]}`},
		{omit[Base]{}, `{"A":{"A":0,"B":0}}`}, // omitempty has no effect on structs
		{omit[nothing]{}, `{"A":{}}`}, {omit[unseen]{unseen{1, 0}, unseen{1, 0}, unseen{}}, `{"A":{},"B":{}}`},
		{omit[time.Time]{}, `{"A":"0001-01-01T00:00:00Z"}`},
		{omit[time.Time]{B: time.Unix(-62135596800, 0).UTC()}, `{"A":"0001-01-01T00:00:00Z"}`},
		{omit[zeroByValue]{}, `{"A":{"N":0},"B":{"N":0},"c":{"N":0}}`},
		{omit[zeroByValue]{zeroByValue{5}, zeroByValue{5}, zeroByValue{5}}, `{"A":{"N":5}}`},
		{omit[zeroByPointer]{zeroByPointer{5}, zeroByPointer{5}, zeroByPointer{4}}, `{"A":{"N":5},"c":{"N":4}}`},
		{omit[*zeroByValue]{nil, &zeroByValue{5}, &zeroByValue{1}}, `{"c":{"N":1}}`},
		{omit[*zeroByPointer]{&zeroByPointer{5}, nil, &zeroByPointer{5}}, `{"A":{"N":5}}`},
		{omit[zeroInt]{0, 0, 5}, `{"B":0}`}, {omit[zeroInt]{5, 5, 5}, `{"A":5}`},
		{omit[zeroSlice]{zeroSlice{}, zeroSlice{1, 2}, zeroSlice{1}}, `{"c":[1]}`},
		{omit[zeroMap]{zeroMap{}, zeroMap{}, nil}, `{"B":{}}`},
		{omit[zeroer]{}, `{}`}, {omit[zeroer]{zeroByValue{5}, zeroByValue{5}, zeroByValue{1}}, `{"A":{"N":5},"c":{"N":1}}`},
		{omit[zeroer]{(*zeroByPointer)(nil), (*zeroByPointer)(nil), &zeroByPointer{5}}, `{"A":null}`},
		{omit[zeroWrongSign]{}, `{"A":{"N":0}}`},
		{omit[std.Number]{}, `{}`}, {omit[std.RawMessage]{std.RawMessage{}, nil, std.RawMessage("1")}, `{"c":1}`},
		{omit[writesText]{}, `{"A":""}`}, {omit[namedPointer]{}, `{}`}, {omit[func()]{}, ``}, {omit[*func()]{}, `{}`},
	} {
		sameMarshal(t, v.value, ref(v.value), []any{v.value})
		p := reflect.New(reflect.TypeOf(v.value)) // addressable, so that pointer methods are found
		p.Elem().Set(reflect.ValueOf(v.value))
		sameMarshal(t, p.Interface())
		if v.want != "" {
			wantMarshal(t, v.value, v.want)
		}
	}
	t.Run("names", func(t *testing.T) {
		wantMarshal(t, names{Empty: 0, Quote: 1}, `{"Plain":0,"-":0,"renamed":0,"a b":0,"!#$%\u0026()*+-./:;\u003c=\u003e?@[]^_{|}~ ":0,"Quote":1,"Backslash":0,"Ünïcödé":0,"日本語":0,"٣":0,"Symbol":0,"Emoji":0,"unknown":0,"other":0}`)
		sameMarshal(t, folds{}, lengths{}, reflect.New(clashing).Elem().Interface(), reflect.New(many).Interface(), unusable{}, unseen{})
		for _, tag := range []string{"", "-", "-,", "a", ",", ",omitempty", "a,omitempty", "a,omitzero", "a, omitempty", "a,omitempty,string", "a,string,omitempty", "a,String", `"`, "'a'", "a'b", "`", "a\\b", "a,b,c", "ä", "a\u0301", "日", "a b", " ", "a\tb", "\u00a0", "€", "½", "Ⅷ", "٣", "\u2028", "😀", "a\xffb", "\x7f", "$ref", "@id", "a.b", "a/b", "%", "<", ";", "a:b", "-a", "--", ",-"} {
			x := reflect.StructOf([]reflect.StructField{{Name: "A", Type: reflect.TypeFor[int](), Tag: reflect.StructTag("json:" + strconv.Quote(tag))}, {Name: "B", Type: reflect.TypeFor[string](), Tag: reflect.StructTag(`json:"` + tag + `"`)}})
			sameMarshal(t, reflect.New(x).Interface())
			for _, in := range []string{`{"A":1,"B":"x"}`, `{"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(strings.Split(tag, ",")[0]) + `":1}`, `{"a":1}`, `{"-":"x"}`, `{"":1}`} {
				same(t, in, target{t: x}.fresh)
			}
		}
	})
}

func TestPointerReceivers(t *testing.T) {
	p, q := writesJSONPointer{`"json"`}, writesTextPointer{"text"}
	type fields struct {
		P writesJSONPointer
		Q writesTextPointer
		A [1]writesJSONPointer
	}
	f := fields{p, q, [1]writesJSONPointer{p}}
	const called, not = `{"P":"json","Q":"text","A":["json"]}`, `{"P":{"Text":"\"json\""},"Q":{"Text":"text"},"A":[{"Text":"\"json\""}]}`
	wantMarshal(t, p, `{"Text":"\"json\""}`)
	wantMarshal(t, &p, `"json"`)
	wantMarshal(t, f, not)
	wantMarshal(t, &f, called)
	wantMarshal(t, []fields{f}, "["+called+"]")
	wantMarshal(t, [1]fields{f}, "["+not+"]")
	wantMarshal(t, &[1]fields{f}, "["+called+"]")
	wantMarshal(t, map[string]fields{"k": f}, `{"k":`+not+`}`)
	wantMarshal(t, map[string]*fields{"k": &f}, `{"k":`+called+`}`)
	wantMarshal(t, map[string][]fields{"k": {f}}, `{"k":[`+called+`]}`)
	wantMarshal(t, one[fields]{f}, `{"A":`+not+`}`)
	wantMarshal(t, one[*fields]{&f}, `{"A":`+called+`}`)
	wantMarshal(t, &one[fields]{f}, `{"A":`+called+`}`)
	wantMarshal(t, one[any]{f}, `{"A":`+not+`}`)
	wantMarshal(t, &one[any]{f}, `{"A":`+not+`}`) // a value in an interface is not addressable
	wantMarshal(t, &one[any]{&f}, `{"A":`+called+`}`)
	wantMarshal(t, []any{p, &p, q, &q}, `[{"Text":"\"json\""},"json",{"Text":"text"},"text"]`)
	wantMarshal(t, writesMixed{"x"}, `"text"`) // its MarshalJSON has a pointer receiver
	wantMarshal(t, &writesMixed{"x"}, `"json"`)
	wantMarshal(t, one[writesMixed]{}, `{"A":"text"}`)
	wantMarshal(t, &one[writesMixed]{}, `{"A":"json"}`)
	wantMarshal(t, map[string]writesMixed{"k": {}}, `{"k":"text"}`)
	wantMarshal(t, []writesMixed{{}}, `["json"]`)
	wantMarshal(t, writesBoth{}, `"json"`)
	wantMarshal(t, one[big.Int]{*big.NewInt(5)}, `{"A":{}}`) // without its pointer methods, it is a struct without exported fields
	wantMarshal(t, &one[big.Int]{*big.NewInt(5)}, `{"A":5}`)
	wantMarshal(t, []writesTextByte{1, 2}, `["byte 1","byte 2"]`) // no base64
	wantMarshal(t, []writesJSONByte{1}, `[[1]]`)
	wantMarshal(t, []readsTextByte{1, 2}, `"AQI="`)
	wantMarshal(t, []pointerByte{1, 2}, `["p1","p2"]`)
	wantMarshal(t, [2]pointerByte{1, 2}, `[1,2]`)
	sameMarshal(t, &[2]pointerByte{1, 2}, struct{ B []pointerByte }{[]pointerByte{}}, embedsWriter{}, &struct{ writesJSONPointer }{p}, struct{ *writesJSONPointer }{&p}, struct{ *writesJSONPointer }{}, ref(ref(p)), []*writesJSONPointer{nil, &p}, map[string]*writesTextPointer{"": nil})
	for _, text := range []string{"", " ", "1 2", "{", `{"a":}`, "bad", `"bad"`, "nul", "\x00", "[1, 2 , 3]", "\n{ \"a\" : [ ] }\n", "\"\xff\"", "01"} {
		sameMarshal(t, writesJSON{text}, &writesJSONPointer{text}, []writesJSONPointer{{"1"}, {text}}, one[writesJSON]{writesJSON{text}}, map[string]any{"a": writesJSON{"1"}, "b": writesJSONString(text)}, std.RawMessage(text), one[*std.RawMessage]{ref(std.RawMessage(text))}, writesText{text}, &writesTextPointer{text}, embedsWriter{writesJSON{text}, 1})
	}
}

type pointerByte byte

func (p *pointerByte) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "p%d", *p), nil }

func TestMapKeysWritten(t *testing.T) {
	for _, v := range []struct {
		value any
		want  string
	}{
		{map[int]int{10: 1, 9: 2, -1: 3, 100: 4}, `{"-1":3,"10":1,"100":4,"9":2}`}, // sorted by bytes
		{map[uint8]string{200: "a", 3: "b"}, `{"200":"a","3":"b"}`},
		{map[uint64]int{math.MaxUint64: 1}, `{"18446744073709551615":1}`},
		{map[int64]int{math.MinInt64: 1}, `{"-9223372036854775808":1}`},
		{map[namedString]int{"b": 1, "a": 2}, `{"a":2,"b":1}`},
		{map[textKeyString]int{"b": 1, "a": 2}, `{"a":2,"b":1}`}, // MarshalText is not called
		{map[textKeyInt]int{10: 1, 9: 2}, `{"009":2,"010":1}`},
		{map[textKey]int{{10}: 1, {9}: 2}, `{"k\u003c10":1,"k\u003c9":2}`},
		{map[*textKey]int{nil: 1}, `{"":1}`},
		{map[*textKey]int{{7}: 1}, `{"k\u003c7":1}`},
		{map[writtenKey]int{{1}: 1, {-2}: 2}, `{"-1":1,"2":2}`},
		{map[netip.Addr]int{netip.AddrFrom4([4]byte{1, 2, 3, 4}): 1, {}: 2}, `{"":2,"1.2.3.4":1}`},
		{map[time.Time]int{time.Unix(0, 0).UTC(): 1}, `{"1970-01-01T00:00:00Z":1}`},
		{map[std.Number]int{"": 1, "x": 2}, `{"":1,"x":2}`},
		{map[string]int{"é": 1, "z": 2, "日": 3, "a": 4, "": 5, "\x00": 6, "😀": 7, "\uffff": 8}, "{\"\":5,\"\\u0000\":6,\"a\":4,\"z\":2,\"é\":1,\"日\":3,\"\uffff\":8,\"😀\":7}"},
		{map[string]int{"<": 1, ";": 2, "=": 3, "\"": 4, "\\": 5, "\u2028": 6, "\u2027": 7}, "{\"\\\"\":4,\";\":2,\"\\u003c\":1,\"=\":3,\"\\\\\":5,\"\u2027\":7,\"\\u2028\":6}"},
		{map[string]any{}, `{}`}, {map[string]any(nil), `null`}, {map[bothKey]int{{"x"}: 1}, `{"x":1}`},
	} {
		wantMarshal(t, v.value, v.want)
		sameMarshal(t, one[any]{v.value}, ref(v.value), []any{v.value, v.value})
	}
	wantMarshalError(t, map[bool]int{}, "json: unsupported type: map[bool]int")
	wantMarshalError(t, map[bool]int(nil), "json: unsupported type: map[bool]int")
	wantMarshalError(t, map[any]int{1: 1}, "json: unsupported type: map[interface {}]int")
	wantMarshalError(t, map[pointerKey]int{}, "json: unsupported type: map[json_test.pointerKey]int")
	wantMarshalError(t, map[failingKey]int{{}: 1}, `json: encoding error for type "map[json_test.failingKey]int": "no key \"here\""`)
	sameMarshal(t, map[string]map[float64]int{}, map[string]map[float64]int{"a": nil}, []map[any]any{}, []map[any]any{nil}, one[*map[bool]int]{}, map[failingKey]int{}, map[*pointerKey]int{{1}: 1}, map[textInterface]int{textKey{1}: 1, textKeyInt(2): 2}, map[textInterface]int{nil: 1})
	t.Run("sorted_whatever_the_size", func(t *testing.T) {
		r := corpus.New(11)
		for n := range 40 {
			a, b, c := map[string]int{}, map[int]string{}, map[string]any{}
			for i := range n * n / 4 {
				k := corpus.String(r)
				a[k] = i
				b[int(corpus.Int(r))] = k
				c[hardString(r)] = map[string]any{k: i, "x": nil}
			}
			for _, v := range []any{a, b, c} {
				theirs, _ := std.Marshal(v)
				if ours, err := json.Marshal(v); err != nil || !bytes.Equal(theirs, ours) {
					complain(t, "%s, %v; want %s", short(string(ours)), err, short(string(theirs)))
				}
			}
		}
	})
}

type (
	failingKey    struct{ N int }
	textInterface interface{ MarshalText() ([]byte, error) }
)

func (failingKey) MarshalText() ([]byte, error) { return nil, errors.New(`no key "here"`) }

func TestNilMarshalers(t *testing.T) {
	type all struct {
		A *writesJSON
		B *writesJSONPointer
		C *writesText
		D *writesTextPointer
		E std.Marshaler
		F textInterface
		G any
		H writesJSONMap
		I writesJSONSlice
		J []*writesJSON
		K map[string]*writesText
		L **writesJSON
		M *std.RawMessage
		N std.RawMessage
		O *time.Time
		P error
	}
	wantMarshal(t, all{}, `{"A":null,"B":null,"C":null,"D":null,"E":null,"F":null,"G":null,"H":[0,true],"I":0,"J":null,"K":null,"L":null,"M":null,"N":null,"O":null,"P":null}`)
	for _, v := range []any{(*writesJSON)(nil), (*writesJSONPointer)(nil), (*writesText)(nil), (*writesTextPointer)(nil), (*std.RawMessage)(nil), (*time.Time)(nil), (*big.Int)(nil), (*all)(nil), ref((*writesJSON)(nil)), []*writesJSON{nil}, map[string]*writesText{"k": nil}, [1]*writesJSONPointer{}} {
		sameMarshal(t, v, []any{v}, one[any]{v}, map[string]any{"k": v}, &v)
		if o := attempt(func() error { _, err := json.Marshal(v); return err }); o.err != nil || o.panicked != nil || len(o.calls) > 0 {
			complain(t, "%T: %+v", v, o)
		}
	}
	wantMarshal(t, writesJSONMap(nil), "[0,true]") // the method is called for a nil map, and for a nil slice
	wantMarshal(t, std.RawMessage(nil), "null")
	wantMarshal(t, struct{ A std.RawMessage }{}, `{"A":null}`)
	wantMarshal(t, []any{nil, (*int)(nil), (error)(nil)}, `[null,null,null]`)
	wantMarshal(t, nil, "null")
	t.Run("a_nil_pointer_in_an_interface_with_methods_is_called", func(t *testing.T) {
		sameMarshal(t, one[std.Marshaler]{(*nilWriter)(nil)}, one[std.Marshaler]{(*writesJSON)(nil)}, one[textInterface]{(*writesText)(nil)}, one[textInterface]{(*nilWriter)(nil)}, []std.Marshaler{nil, (*nilWriter)(nil), &nilWriter{}}, one[any]{(*nilWriter)(nil)})
		wantMarshal(t, one[std.Marshaler]{(*nilWriter)(nil)}, `{"A":"nil"}`)
		wantMarshal(t, one[any]{(*nilWriter)(nil)}, `{"A":null}`)
		if attempt(func() error { _, err := std.Marshal(one[std.Marshaler]{(*writesJSON)(nil)}); return err }).panicked == nil {
			t.Error("encoding/json does not call it any more")
		}
	})
}

type nilWriter struct{}

func (n *nilWriter) MarshalJSON() ([]byte, error) {
	if n == nil {
		return []byte(`"nil"`), nil
	}
	return []byte(`"not nil"`), nil
}
func (n *nilWriter) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%t", n == nil), nil }

func TestNumberWritten(t *testing.T) {
	for _, s := range append(literals(), "", "-", "1x", "x1", "--1", "1e", "1e+", "1E5", "1.e1", "0x1", "١", "1\n", " 1", "+1", "Infinity", "null", "0e0", "00", "-0", "1..2", "1.2.3", "1e2e3", "1-", "<1>", "\xff") {
		n := std.Number(s)
		sameMarshal(t, n, &n, []std.Number{n}, one[std.Number]{n}, quote[std.Number]{n, ""}, quote[*std.Number]{&n, nil}, omit[std.Number]{n, n, n}, map[string]std.Number{"k": n}, map[std.Number]int{n: 1}, []any{n}, namedNumber(n), struct{ std.Number }{n})
	}
	wantMarshal(t, std.Number(""), "0")
	wantMarshal(t, std.Number("1.50"), "1.50")
	wantMarshal(t, namedNumber("1"), `"1"`)
	wantMarshal(t, []std.Number{"", "-0", "1e5"}, "[0,-0,1e5]")
	wantMarshalError(t, std.Number("1x"), `json: invalid number literal "1x"`)
	wantMarshalError(t, one[std.Number]{"01"}, `json: invalid number literal "01"`)
}

func TestFloats(t *testing.T) {
	for _, v := range []struct {
		value any
		want  string
	}{
		{0.0, "0"}, {math.Copysign(0, -1), "-0"}, {1.0, "1"}, {-1.5, "-1.5"}, {1e20, "100000000000000000000"}, {1e21, "1e+21"}, {999999999999999900000.0, "999999999999999900000"}, {1e-6, "0.000001"}, {9.99e-7, "9.99e-7"}, {1e-7, "1e-7"}, {1e-9, "1e-9"}, {1e-10, "1e-10"}, {1e-100, "1e-100"}, {1.5e300, "1.5e+300"}, {math.MaxFloat64, "1.7976931348623157e+308"}, {math.SmallestNonzeroFloat64, "5e-324"},
		{float32(0.1), "0.1"}, {float32(1e21), "1e+21"}, {float32(1e-6), "0.000001"}, {float32(9.9e-7), "9.9e-7"}, {float32(1e20), "100000000000000000000"}, {float32(math.MaxFloat32), "3.4028235e+38"}, {float32(math.SmallestNonzeroFloat32), "1e-45"}, {float32(16777216), "16777216"}, {float32(3.4e10), "34000000000"}, {0.30000000000000004, "0.30000000000000004"}, {[]float32{0.1, 1e-8}, "[0.1,1e-8]"}, {100000.0, "100000"}, {123456789.0, "123456789"}, {9007199254740993.0, "9007199254740992"}, {5e-5, "0.00005"},
	} {
		wantMarshal(t, v.value, v.want)
	}
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		sameMarshal(t, f, float32(f), &f, []float64{1, f}, one[any]{f}, map[string]float64{"k": f}, quote[float64]{A: f}, [2]float32{0, float32(f)}, namedFloat32(f), omit[float64]{f, f, f})
		var unsupported *std.UnsupportedValueError
		if _, err := json.Marshal([]float64{f}); json.OnV2 {
			continue
		} else if !errors.As(err, &unsupported) || unsupported.Value.Kind() != reflect.Float64 || err.Error() != "json: unsupported value: "+strconv.FormatFloat(f, 'g', -1, 64) {
			complain(t, "%v: %v", f, err)
		}
	}
	var list64 []float64
	var list32 []float32
	check := func() {
		t.Helper()
		for _, v := range []any{list64, list32} {
			theirs, err := std.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			ours, err := json.Marshal(v)
			if bytes.Equal(theirs, ours) && err == nil {
				continue
			}
			a, b := strings.Split(string(theirs), ","), strings.Split(string(ours), ",")
			for i := range min(len(a), len(b)) {
				if a[i] != b[i] {
					complain(t, "%T %d: %s; want %s, %v", v, i, b[i], a[i], err)
					break
				}
			}
		}
		list64, list32 = list64[:0], list32[:0]
	}
	add := func(f float64) {
		if !math.IsNaN(f) && !math.IsInf(f, 0) {
			list64 = append(list64, f)
		}
		if g := float32(f); !math.IsNaN(float64(g)) && !math.IsInf(float64(g), 0) {
			list32 = append(list32, g)
		}
	}
	r := corpus.New(14)
	for range 50000 {
		add(math.Float64frombits(r.Uint64()))
		add(float64(math.Float32frombits(r.Uint32())))
		add(float64(r.Int64()) / math.Pow10(r.IntN(25)))
		add(math.Round(r.NormFloat64()*1e6) / 1e3)
	}
	check()
	for e := -330; e < 310; e++ { // near each power of ten
		for _, m := range []float64{1, 9.999999999999999, 5, 1.0000000000000002} {
			f, _ := strconv.ParseFloat(fmt.Sprintf("%ve%d", m, e), 64)
			add(f)
			add(math.Nextafter(f, 0))
			add(math.Nextafter(f, 2*f))
			add(float64(math.Nextafter32(float32(f), 0)))
			add(float64(math.Nextafter32(float32(f), float32(2*f))))
		}
	}
	for e := -1074; e < 1024; e++ {
		f := math.Ldexp(1, e)
		add(f)
		add(math.Nextafter(f, 0))
		add(math.Nextafter(f, 2*f))
	}
	for _, f := range []float64{1e-6, 1e21, 1e-7, 1e20, 1e22, float64(float32(1e-6)), float64(float32(1e21))} {
		low, high, low32, high32 := f, f, float32(f), float32(f)
		for range 50 {
			low, high, low32, high32 = math.Nextafter(low, 0), math.Nextafter(high, 2*high), math.Nextafter32(low32, 0), math.Nextafter32(high32, 2*high32)
			add(low)
			add(high)
			add(float64(low32))
			add(float64(high32))
		}
	}
	for i := range 2000 {
		add(float64(i))
		add(float64(i) / 100)
		add(-float64(i) * 1e15)
		add(float64(int64(1)<<53 - int64(i)))
		add(float64(int64(1)<<53 + int64(i)))
	}
	check()
	t.Run("integers", func(t *testing.T) {
		for range 20000 {
			n := corpus.Int(r)
			v := []any{n, uint64(n), int32(n), uint32(n), int16(n), uint16(n), int8(n), uint8(n), int(n), uintptr(n), namedInt(n)}
			theirs, _ := std.Marshal(v)
			if ours, err := json.Marshal(v); err != nil || !bytes.Equal(theirs, ours) {
				complain(t, "%s, %v; want %s", ours, err, theirs)
			}
		}
	})
}

func TestMarshalerErrors(t *testing.T) {
	for _, v := range []any{writesJSON{"bad"}, &writesJSON{"bad"}, &writesJSONPointer{"bad"}, writesText{"bad"}, &writesText{"bad"}, &writesTextPointer{"bad"}, writesJSONString("bad"), writesTextString("bad"), writesJSON{"{"}, &writesJSONPointer{"1 2"}, std.RawMessage("x"), time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC)} {
		sameMarshal(t, v, []any{v}, one[any]{v}, map[string]any{"a": 1, "b": v}, &v, two[any]{"x", v})
		p := reflect.New(reflect.TypeOf(v))
		p.Elem().Set(reflect.ValueOf(v))
		sameMarshal(t, p.Interface(), reflect.Append(reflect.MakeSlice(reflect.SliceOf(p.Elem().Type()), 0, 1), p.Elem()).Interface())
		var m *std.MarshalerError
		if _, err := json.Marshal(v); !errors.As(err, &m) || err != error(m) || m.Type == nil || errors.Unwrap(err) != m.Err {
			complain(t, "%T: %T %v", v, err, err)
		}
	}
	for _, year := range []int{-1, 0, 1, 999, 1969, 2024, 9999, 10000, 12345} {
		for _, zone := range []*time.Location{time.UTC, time.Local, time.FixedZone("", 0), time.FixedZone("x", 5400), time.FixedZone("x", -5400), time.FixedZone("x", 1), time.FixedZone("x", 3599), time.FixedZone("x", -59), time.FixedZone("x", 23*3600+59*60), time.FixedZone("x", 24*3600), time.FixedZone("x", -24*3600), time.FixedZone("x", -100*3600)} {
			for _, nanos := range []int{0, 1, 10, 500_000_000, 999_999_999, 120_000, 123_456_000} {
				v := time.Date(year, 12, 31, 23, 59, 9, nanos, zone)
				for _, x := range []any{v, &v, []time.Time{v}, one[time.Time]{v}, map[time.Time]*time.Time{v: &v}, omit[time.Time]{v, v, v}} {
					theirs, errTheirs := std.Marshal(x)
					ours, err := json.Marshal(x)
					if s := unlikeErrors(errTheirs, err); s != "" || !bytes.Equal(theirs, ours) {
						complain(t, "%T %v: %s; want %s; %s", x, v, short(string(ours)), short(string(theirs)), s)
					}
				}
			}
		}
	}
	sameMarshal(t, time.Now(), time.Now().Round(0), time.Time{}, time.Unix(1<<40, 5), embedsTime{time.Now(), 1})
	t.Run("text", func(t *testing.T) {
		inGo126(t)
		var r *refused
		if _, err := json.Marshal(one[writesText]{writesText{"bad"}}); !errors.As(err, &r) || err.Error() != "json: error calling MarshalText for type json_test.writesText: refused: bad" {
			t.Error(err)
		}
		if _, err := json.Marshal([]writesJSONPointer{{"bad"}}); !errors.As(err, &r) || err.Error() != "json: error calling MarshalJSON for type json_test.writesJSONPointer: refused: bad" { // the error names the element type, not the pointer type
			t.Error(err)
		}
		var syntax *std.SyntaxError
		if _, err := json.Marshal(writesJSON{`{"a":}`}); !errors.As(err, &syntax) || err.Error() != "json: error calling MarshalJSON for type json_test.writesJSON: invalid character '}' looking for beginning of value" || syntax.Offset != 0 { // Compact does not set the offset
			t.Error(err)
		}
	})
	for _, s := range faulty() {
		sameMarshal(t, writesJSON{s}, one[std.RawMessage]{std.RawMessage(s)})
	}
	t.Run("unsupported_types", func(t *testing.T) {
		type hidden struct {
			A *chan int   `json:",omitempty"`
			B []func()    `json:",omitempty"`
			C map[int]any `json:",omitempty"`
		}
		sameMarshal(t, make(chan int), func() {}, complex(1, 2), []chan int{}, []chan int{nil}, map[string]func(){}, map[string]func(){"k": nil}, hidden{}, hidden{B: []func(){nil}}, hidden{C: map[int]any{1: make(chan int)}}, one[chan int]{}, omit[chan int]{}, omit[func()]{}, (*chan int)(nil), ref(make(chan int)), [0]complex64{}, [1]complex64{}, []any{1, make(chan bool)}, one[*func()]{}, (chan int)(nil), unusable{}, unusable{B: make(chan int)}, two[any]{make(chan int), math.NaN()}, struct {
			A int
			b chan int
		}{})
		var u *std.UnsupportedTypeError
		if _, err := json.Marshal(one[func()]{}); !errors.As(err, &u) || u.Type != reflect.TypeFor[func()]() || err.Error() != "json: unsupported type: func()" {
			t.Error(err)
		}
	})
	t.Run("panics_pass", func(t *testing.T) {
		for _, lib := range []func(any) ([]byte, error){std.Marshal, json.Marshal} {
			for _, v := range []any{writesPanic{}, []any{1, one[any]{writesPanic{}}}, map[writesPanic]int{{}: 1}} {
				o := attempt(func() error { _, err := lib(v); return err })
				if o.panicked != any("of a method") {
					complain(t, "%T: %v", v, o.panicked)
				}
			}
		}
		sameMarshal(t, one[any]{[]any{1, "x"}}) // later calls are not affected
	})
	t.Run("a_method_may_encode", func(t *testing.T) {
		v := writesDeep{&writesDeep{&writesDeep{nil, "<c>"}, "b"}, "a"}
		for _, lib := range []func(any) ([]byte, error){std.Marshal, json.Marshal} {
			if b, err := lib(v); err != nil || string(b) != `{"In":{"In":{"In":null,"Text":"\u003cc\u003e"},"Text":"b"},"Text":"a"}` {
				complain(t, "%s %v", b, err)
			}
		}
		sameMarshal(t, v, &v, []any{v, v})
	})
	t.Run("nothing_is_returned_with_an_error", func(t *testing.T) {
		var w writes
		e := json.NewEncoder(&w)
		if err := e.Encode([]any{1, "text", make(chan int)}); err == nil || len(w.list) > 0 {
			t.Error(err, w.list)
		}
		if err := e.Encode(5); err != nil || !slices.Equal(w.list, []string{"5\n"}) { // this error is not kept
			t.Error(err, w.list)
		}
	})
}

type writesPanic struct{ A int }

func (writesPanic) MarshalJSON() ([]byte, error) { panic("of a method") }
func (writesPanic) MarshalText() ([]byte, error) { panic("of a method") }

// writesDeep encodes its contents by a call of this package in its method.
type writesDeep struct {
	In   *writesDeep
	Text string
}

func (w writesDeep) MarshalJSON() ([]byte, error) {
	type plain writesDeep
	return json.MarshalIndent(plain(w), " ", "  ")
}

func TestCyclicValues(t *testing.T) {
	type pointer struct {
		A    int
		Next *pointer
	}
	p := &pointer{A: 1}
	p.Next = p
	q := &pointer{Next: &pointer{Next: &pointer{}}}
	q.Next.Next.Next = q
	m := map[string]any{}
	m["m"] = m
	n := map[string]map[string]any{"n": {}}
	n["n"]["n"] = n
	s := []any{nil}
	s[0] = s
	type nest []nest
	x := nest{nil, nil}
	x[1] = x
	var i any
	i = &i
	type index map[int]index
	y := index{1: nil}
	y[1] = y
	type selfPointer *selfPointer
	var self selfPointer
	self = &self
	mixed := map[string]any{}
	mixed["list"] = []any{&mixed, 1}
	array := &struct{ A [2]any }{}
	array.A[1] = array
	for _, v := range []struct {
		value any
		via   string
	}{
		{p, "*json_test.pointer"}, {*p, "*json_test.pointer"}, {q, "*json_test.pointer"}, {m, "map[string]interface {}"}, {n, ""}, {s, "[]interface {}"}, {x, "json_test.nest"}, {i, "*interface {}"}, {y, "json_test.index"}, {self, ""}, {mixed, ""}, {array, ""}, {&s, ""}, {[]any{1, p}, "*json_test.pointer"}, {map[string]any{"a": m}, ""}, {writesCycle{}, ""},
	} {
		_, err := json.Marshal(v.value)
		var u *std.UnsupportedValueError
		if !errors.As(err, &u) || !strings.HasPrefix(u.Str, "encountered a cycle via ") {
			complain(t, "%T: %v", v.value, err)
		}
		if json.OnV2 && (v.value == any(self) || v.value == i) {
			continue // encoding/json does not terminate here
		}
		sameMarshal(t, v.value)
		if !json.OnV2 && v.via != "" && (err.Error() != "json: unsupported value: encountered a cycle via "+v.via || u.Value.Type().String() != v.via) {
			complain(t, "%T: %v", v.value, err)
		}
	}
	t.Run("depth_is_no_cycle", func(t *testing.T) {
		for _, depth := range []int{998, 999, 1000, 1001, 1002, 2500, 10001} {
			var p *pointer
			var v any = 1
			var l nest
			var m index
			shared := &pointer{A: 7}
			for i := range depth {
				p = &pointer{i, p}
				v = []any{v, shared, shared, map[string]any{"a": shared}}
				l = nest{l, {}}
				m = index{0: m}
			}
			for _, x := range []any{p, v, l, m} {
				theirs, errTheirs := std.Marshal(x)
				ours, err := json.Marshal(x)
				if s := unlikeErrors(errTheirs, err); s != "" || !bytes.Equal(theirs, ours) {
					complain(t, "%T of depth %d: %s %s", x, depth, short(string(ours)), s)
				}
				if depth > 1000 && depth < 10000 {
					continue
				}
				a, errA := std.MarshalIndent(x, "", "") // takes time quadratic in the depth
				b, errB := json.MarshalIndent(x, "", "")
				if s := unlikeErrors(errA, errB); s != "" || !bytes.Equal(a, b) {
					complain(t, "%T of depth %d, indented: %s %s", x, depth, short(string(b)), s)
				}
			}
		}
	})
	t.Run("the_same_pointer_twice_is_no_cycle", func(t *testing.T) {
		shared := map[string]any{"x": 1}
		var deep any = []any{shared, shared, &shared, &shared}
		for range 1100 {
			deep = []any{deep, shared}
		}
		theirs, _ := std.Marshal(deep)
		if ours, err := json.Marshal(deep); err != nil || !bytes.Equal(theirs, ours) {
			complain(t, "%s %v", short(string(ours)), err)
		}
		// A slice is identified by its address and its length. A shorter slice of the same array is
		// a different slice.
		array := []any{5, nil, 6}
		array[1] = array[:1]
		deep = array
		for range 1100 {
			deep = []any{deep}
		}
		if b, err := json.Marshal(deep); err != nil || !strings.Contains(string(b), "[[5,[5],6]]") {
			complain(t, "%s %v", short(string(b)), err)
		}
	})
	t.Run("after_a_cycle_all_is_well", func(t *testing.T) {
		for range 3 {
			json.Marshal(p)
			wantMarshal(t, pointer{A: 5}, `{"A":5,"Next":null}`)
		}
	})
}

// writesCycle encodes a cyclic map in its method.
type writesCycle struct{}

func (writesCycle) MarshalJSON() ([]byte, error) {
	m := map[string]any{}
	m["m"] = m
	return json.Marshal(m)
}

func TestDepthWritten(t *testing.T) {
	for i, in := range nested() {
		for _, f := range []struct {
			name         string
			theirs, ours func(*bytes.Buffer, []byte) error
		}{
			{"Compact", std.Compact, json.Compact},
			{"Indent", func(b *bytes.Buffer, in []byte) error { // takes time quadratic in the depth
				return std.Indent(b, in, "", "")
			}, func(b *bytes.Buffer, in []byte) error { return json.Indent(b, in, "", "") }},
		} {
			if f.name == "Indent" && i%5 != 1 {
				continue
			}
			var theirs, ours bytes.Buffer
			errTheirs := f.theirs(&theirs, []byte(in))
			err := f.ours(&ours, []byte(in))
			if s := unlikeErrors(errTheirs, err); s != "" || !bytes.Equal(theirs.Bytes(), ours.Bytes()) {
				complain(t, "%s of %s: %s %s", f.name, short(in), short(ours.String()), s)
			}
		}
		if json.OnV2 {
			continue // there the depth of a method's output is added to the depth of the value
		}
		for _, v := range []any{std.RawMessage(in), []any{std.RawMessage(in)}, writesJSON{in}, map[string]any{"k": writesJSON{in}}} {
			theirs, errTheirs := std.Marshal(v)
			ours, err := json.Marshal(v)
			if s := unlikeErrors(errTheirs, err); s != "" || !bytes.Equal(theirs, ours) {
				complain(t, "%T of %s: %s %s", v, short(in), short(string(ours)), s)
			}
		}
	}
}

func TestResultsAreTheCallers(t *testing.T) {
	v := one[any]{[]any{"text", 1.5, map[string]any{"k": "<"}, std.RawMessage(`{"a": 1}`)}}
	want, _ := std.Marshal(v)
	var kept [][]byte
	for i := range 50 {
		b, err := json.Marshal(v)
		if err != nil || !bytes.Equal(b, want) {
			t.Fatalf("%s %v", b, err)
		}
		kept = append(kept, b)
		if c, err := json.MarshalIndent(v, "", " "); err != nil || len(c) <= len(b) {
			t.Fatal(err)
		}
		_ = append(b, "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX"...)
		if i%2 == 0 {
			for j := range b {
				b[j] = '#'
			}
		}
		json.Marshal(strings.Repeat("x", i*10))
	}
	for i, b := range kept {
		if i%2 == 1 && !bytes.Equal(b, want) {
			complain(t, "%d became %s", i, b)
		}
	}
	t.Run("bytes_of_methods_are_copied", func(t *testing.T) {
		w := &writesShared{[]byte(`"first <"`)}
		b, err := json.Marshal([]any{w, std.RawMessage(w.b)})
		copy(w.b, `"XXXXX X"`)
		if err != nil || string(b) != `["first \u003c","first \u003c"]` {
			complain(t, "%s %v", b, err)
		}
		raw := std.RawMessage(`{ "a" : "<" }`)
		json.Marshal(raw)
		json.Marshal(&raw)
		if string(raw) != `{ "a" : "<" }` {
			complain(t, "%s", raw)
		}
	})
	t.Run("the_buffer_of_Compact_keeps_what_it_had", func(t *testing.T) {
		for _, in := range append(literals(), faulty()...) {
			for _, f := range []func(lib int, b *bytes.Buffer) error{
				func(lib int, b *bytes.Buffer) error {
					return []func(*bytes.Buffer, []byte) error{std.Compact, json.Compact}[lib](b, []byte(in))
				},
				func(lib int, b *bytes.Buffer) error {
					return []func(*bytes.Buffer, []byte, string, string) error{std.Indent, json.Indent}[lib](b, []byte(in), ">", "\t")
				},
				func(lib int, b *bytes.Buffer) error {
					return []func(*bytes.Buffer, []byte, string, string) error{std.Indent, json.Indent}[lib](b, []byte(" [ "+in+" , {\"a\":"+in+"} ] \n"), "", "")
				},
			} {
				theirs, ours := bytes.NewBufferString("before "), bytes.NewBufferString("before ")
				if s := unlikeErrors(f(0, theirs), f(1, ours)); s != "" || theirs.String() != ours.String() {
					complain(t, "%s: %s; want %s; %s", short(in), short(ours.String()), short(theirs.String()), s)
				}
			}
		}
	})
}

// writesShared returns its own bytes from MarshalJSON.
type writesShared struct{ b []byte }

func (w *writesShared) MarshalJSON() ([]byte, error) { return w.b, nil }

func TestNilAndEmptyWritten(t *testing.T) {
	wantMarshal(t, []int(nil), "null")
	wantMarshal(t, []int{}, "[]")
	wantMarshal(t, []byte(nil), "null")
	wantMarshal(t, []byte{}, `""`)
	wantMarshal(t, map[string]int(nil), "null")
	wantMarshal(t, map[string]int{}, "{}")
	wantMarshal(t, [0]int{}, "[]")
	wantMarshal(t, [3]byte{1, 2, 3}, "[1,2,3]")
	wantMarshal(t, &[3]byte{1, 2, 3}, "[1,2,3]")
	wantMarshal(t, []byte{1, 2, 3}, `"AQID"`)
	wantMarshal(t, namedBytes{1}, `"AQ=="`)
	wantMarshal(t, namedByteSlice{1, 2}, `"AQI="`)
	wantMarshal(t, [][]byte{nil, {}, {255, 254, 253}}, `[null,"","//79"]`)
	wantMarshal(t, namedRaw("[1]"), `"WzFd"`)
	wantMarshal(t, nothing{}, "{}")
	wantMarshal(t, []nothing{{}, {}}, "[{},{}]")
	wantMarshal(t, unseen{1, 2}, "{}")
	wantMarshal(t, []any{nil, []any{}, map[string]any{}, []any(nil), map[string]any(nil), ""}, `[null,[],{},null,null,""]`)
	for n := range 200 {
		sameMarshal(t, bytes.Repeat([]byte{0xfb, 1, 0xff}, n)[:n])
	}
	for _, v := range []any{tree{}, tree{B: []tree{}, C: map[string]tree{}}, everything{}, &everything{C: []everything{{}}}, nest{}, nest(nil), nest{nil, {}}, nestMap{"a": nil, "b": {}}} {
		sameMarshal(t, v)
	}
}

func TestEncoderMethods(t *testing.T) {
	t.Run("one_write_per_value", func(t *testing.T) {
		inGo126(t)
		big := strings.Repeat("long <text> ", 20000)
		for _, in := range indents {
			var theirs, ours writes
			for i, e := range []encoder{std.NewEncoder(&theirs), json.NewEncoder(&ours)} {
				e.SetIndent(in[0], in[1])
				for _, v := range []any{1, "x", nil, []int{}, map[string]any{}, big, []any{big, big}, math.NaN(), []any{1, []any{}, map[string]any{"a": []int{1, 2}}}, make(chan int), std.RawMessage(" [ ] "), std.RawMessage("[")} {
					if err := e.Encode(v); (err != nil) != slices.Contains([]string{"float64", "chan int"}, fmt.Sprintf("%T", v)) && fmt.Sprint(v) != "[91]" {
						t.Error(i, err)
					}
				}
			}
			if !slices.Equal(theirs.list, ours.list) {
				complain(t, "%q: %q; want %q", in, ours.list, theirs.list)
			}
		}
	})
	t.Run("an_error_of_the_writer_is_kept", func(t *testing.T) {
		for i := range 2 {
			w := &writes{fail: 2}
			e := []encoder{std.NewEncoder(w), json.NewEncoder(w)}[i]
			errs := []error{e.Encode(1), e.Encode(make(chan int)), e.Encode(2), e.Encode(3), e.Encode(make(chan int))}
			for n, failed := range []bool{false, true, true, true, true} {
				if (errs[n] != nil) != failed || n > 1 && errs[n] != errWriter {
					complain(t, "%d %d: %v", i, n, errs[n])
				}
			}
			if !slices.Equal(w.list, []string{"1\n", "2\n"}) {
				complain(t, "%d: %q", i, w.list)
			}
		}
		// encoding/json does not notice a Write that returns a short count without an error.
		if err := std.NewEncoder(shortWriter{}).Encode("long"); err != nil {
			t.Error(err)
		}
		if err := json.NewEncoder(shortWriter{}).Encode("long"); err != io.ErrShortWrite {
			t.Error(err)
		}
	})
	t.Run("options_change_between_values", func(t *testing.T) {
		var outputs []string
		for i := range 2 {
			var w bytes.Buffer
			e := []encoder{std.NewEncoder(&w), json.NewEncoder(&w)}[i]
			v := map[string]any{"a": "<", "b": []any{1}}
			for _, change := range []func(){func() {}, func() { e.SetIndent("", "\t") }, func() { e.SetEscapeHTML(false) }, func() { e.SetIndent("", "") }, func() { e.SetIndent("x", "") }, func() { e.SetEscapeHTML(true) }, func() { e.SetIndent("", "") }} {
				change()
				if err := e.Encode(v); err != nil {
					t.Error(err)
				}
			}
			outputs = append(outputs, w.String())
		}
		if outputs[0] != outputs[1] {
			complain(t, "%s; want %s", outputs[1], outputs[0])
		}
	})
	t.Run("indents", func(t *testing.T) {
		if b, err := json.MarshalIndent([]any{[]any{}, map[string]any{}, []any{[]any{1}}, map[string]any{"a": map[string]any{}}}, ">", "."); err != nil || string(b) != "[\n>.[],\n>.{},\n>.[\n>..[\n>...1\n>..]\n>.],\n>.{\n>..\"a\": {}\n>.}\n>]" {
			complain(t, "%s %v", b, err)
		}
		if b, err := json.MarshalIndent([]int{1}, "", ""); err != nil || string(b) != "[\n1\n]" {
			complain(t, "%q %v", b, err)
		}
		r := corpus.New(25)
		for range 300 {
			sameMarshal(t, corpus.Any(r, 0))
		}
	})
}

// shortWriter accepts half of the bytes of each Write.
type shortWriter struct{}

func (shortWriter) Write(b []byte) (int, error) { return len(b) / 2, nil }
