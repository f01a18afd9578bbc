package json_test

// These tests check encoding/json's documented behaviour in decoding, one rule in each test. Each
// case is also decoded by encoding/json, and all visible results must be equal: see same in
// differential_test.go. Explicit statements of a rule are also checked directly. This finds cases
// that do not exercise their rule.
//
// The rules for encoding are in contract_encode_test.go, and the rules for streams in
// contract_stream_test.go. Rules for both directions have a test in each of two files:
// TestDepthRead is here, TestDepthWritten is in contract_encode_test.go.

import (
	"bytes"
	"encoding/base64"
	std "encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"net/netip"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/slipstream-go/slipstream/internal/corpus"
	"github.com/slipstream-go/slipstream/json"
)

// into decodes inputs into a zero T and into a T that already holds values.
func into[T any](t *testing.T, inputs ...string) {
	t.Helper()
	x := target{t: reflect.TypeFor[T]()}
	for _, in := range inputs {
		same(t, in, x.fresh)
		same(t, in, x.filled)
	}
}

// decoded returns input decoded as a T.
func decoded[T any](t *testing.T, input string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(input), &v); err != nil {
		complain(t, "%s: %v", short(input), err)
	}
	return v
}

// wantDecoded decodes input into a T with both libraries and checks that the result is want.
func wantDecoded[T any](t *testing.T, input string, want T) {
	t.Helper()
	into[T](t, input)
	if json.OnV2 {
		return
	}
	if got := decoded[T](t, input); !reflect.DeepEqual(got, want) {
		complain(t, "%s: %#v; want %#v", short(input), got, want)
	}
}

// inGo126 skips the rest of a test with GOEXPERIMENT=jsonv2, because its explicit expectations hold
// only without that setting. With it, the tests only compare the results with encoding/json's.
func inGo126(t *testing.T) {
	t.Helper()
	if json.OnV2 {
		t.Skip("encoding/json is another one")
	}
}

// wantError decodes input into a T with both libraries and checks the text of the error.
func wantError[T any](t *testing.T, input, text string) {
	t.Helper()
	into[T](t, input)
	if err := json.Unmarshal([]byte(input), new(T)); (err == nil || err.Error() != text) && !json.OnV2 {
		complain(t, "%s into a %T: error %v; want %q", short(input), *new(T), err, text)
	}
}

// untouched decodes input, which contains a syntax error, and checks that the target is unchanged
// in every detail. The target must equal one that was never decoded into, and must contain the same
// maps, slices and pointers. No method may have been called.
func untouched(t *testing.T, input string, newTarget func() any) {
	t.Helper()
	twin, ours := newTarget(), newTarget()
	var m mirror
	m.before(twin, ours)
	o := attempt(func() error { return json.Unmarshal([]byte(input), ours) })
	var syntax *std.SyntaxError
	switch s := m.after(twin, ours); {
	case !errors.As(o.err, &syntax):
		complain(t, "%s into %T: error %v; want a SyntaxError", short(input), ours, o.err)
	case s != "":
		complain(t, "%s into %T changed it%s", short(input), ours, s)
	case len(o.calls) > 0:
		complain(t, "%s into %T: calls %q; want none", short(input), ours, o.calls)
	}
	if s := unlikeUnmarshal([]byte(input), newTarget); s != "" {
		complain(t, "Unmarshal of %s into %T: %s", short(input), ours, s)
	}
	if s := unlikeDecode([]byte(input), newTarget, len(input)%byteByByte); s != "" {
		complain(t, "Decode of %s into %T: %s", short(input), ours, s)
	}
}

// withFaults returns invalid variants of a valid document: truncated, or with one byte changed, at
// each position.
func withFaults(doc string) []string {
	var list []string
	for i := range len(doc) {
		for _, faulty := range []string{doc[:i], doc[:i] + "\x00" + doc[i+1:], doc[:i] + "}" + doc[i+1:], doc[:i] + `"` + doc[i+1:], doc[:i] + "," + doc[i:], doc + doc[:i+1]} {
			if !std.Valid([]byte(faulty)) {
				list = append(list, faulty)
			}
		}
	}
	return list
}

func TestInvalidUTF8Read(t *testing.T) {
	t.Run("each_bad_byte_is_one_replacement", func(t *testing.T) {
		wantDecoded(t, "\"a\xffb\xfe\xfdc\"", "a\ufffdb\ufffd\ufffdc")
		wantDecoded(t, "\"\xe2\x82\"", "\ufffd\ufffd")
		wantDecoded(t, "\"\xed\xa0\x80\"", "\ufffd\ufffd\ufffd") // a surrogate in UTF-8
		wantDecoded(t, "\"\xf4\x90\x80\x80\"", "\ufffd\ufffd\ufffd\ufffd")
		wantDecoded(t, "\"\xc0\x80\"", "\ufffd\ufffd")
		wantDecoded[any](t, "\"\xff\"", "\ufffd")
		wantDecoded(t, "{\"\xff\":\"\xfe\"}", map[string]string{"\ufffd": "\ufffd"})
		wantDecoded(t, "{\"\xff\":1,\"\xfe\":2}", map[string]int{"\ufffd": 2})
	})
	t.Run("lone_surrogates_are_replaced", func(t *testing.T) {
		wantDecoded(t, `"\ud800"`, "\ufffd")
		wantDecoded(t, `"\udc00"`, "\ufffd")
		wantDecoded(t, `"\ud800\u0041"`, "\ufffdA")
		wantDecoded(t, `"\ud800A"`, "\ufffdA")
		wantDecoded(t, `"\ud800\ud800\udc00"`, "\ufffd\U00010000")
		wantDecoded(t, `"\udc00\ud800"`, "\ufffd\ufffd")
		wantDecoded(t, `"\ud800\n"`, "\ufffd\n")
		wantDecoded(t, `"\ud83d\ude00\uD83D\uDE00"`, "😀😀")
		wantDecoded(t, `"\ud800\\udc00"`, "\ufffd\\udc00")
	})
	t.Run("at_every_offset", func(t *testing.T) {
		for n := range 70 {
			for _, s := range []string{"\xff", "\xc3", "\xe2\x82", "é", "\xf0\x9f\x98\x80", `\n`, `\ud800`, `\ud83d\ude00`, `\u0000`, "\ufffd"} {
				text := `"` + strings.Repeat("a", n) + s + strings.Repeat("b", 70-n) + `"`
				into[string](t, text)
				into[any](t, text)
				into[std.RawMessage](t, text)
			}
		}
	})
	t.Run("every_two_bytes", func(t *testing.T) {
		for a := 0x20; a < 256; a++ {
			for b := 0x20; b < 256; b += 1 + a&3 {
				if s := unlikeUnmarshal([]byte{'"', byte(a), byte(b), '"'}, func() any { return new(string) }); s != "" {
					complain(t, "%#x %#x: %s", a, b, s)
				}
			}
		}
	})
	t.Run("every_unit", func(t *testing.T) {
		for u := range 0x10000 {
			in := fmt.Appendf(nil, `"\u%04x\u%04X"`, u, (u*31)&0xffff)
			if s := unlikeUnmarshal(in, func() any { return new(string) }); s != "" {
				complain(t, "%s: %s", in, s)
			}
		}
	})
}

func TestFieldMatch(t *testing.T) {
	t.Run("exact_first", func(t *testing.T) {
		type both struct {
			ABC int `json:"ABC"`
			Abc int `json:"abc"`
		}
		wantDecoded(t, `{"abc":1,"ABC":2}`, both{2, 1})
		wantDecoded(t, `{"Abc":1}`, both{ABC: 1}) // otherwise the first field that matches after case folding
		wantDecoded(t, `{"aBC":1,"abc":2,"ABc":3}`, both{3, 2})
	})
	t.Run("folding_is_that_of_Unicode", func(t *testing.T) {
		type k struct{ Kelvin, Mass int }
		wantDecoded(t, `{"\u212aELVIN":1,"ma\u017f\u017f":2}`, k{1, 2})
		wantDecoded(t, "{\"\u212aelvin\":1,\"MAſs\":2}", k{1, 2})
		type greek struct {
			S int `json:"Σ"`
		}
		wantDecoded(t, `{"ς":1}`, greek{1})
		wantDecoded(t, `{"σ":1}`, greek{1})
		type sharp struct {
			S int `json:"ß"`
		}
		wantDecoded(t, `{"ẞ":1}`, sharp{1})
		wantDecoded(t, `{"ss":1,"SS":2}`, sharp{})
		type dotted struct {
			I int `json:"i"`
		}
		wantDecoded(t, `{"İ":1,"ı":2}`, dotted{})
		type tagged struct {
			A int `json:"K"` // the Kelvin sign
			B int `json:"ſ"`
		}
		wantDecoded(t, `{"k":1,"S":2}`, tagged{1, 2})
		wantDecoded(t, `{"K":1,"s":2}`, tagged{1, 2})
	})
	t.Run("every_letter_and_its_cases", func(t *testing.T) {
		for r := rune(0x80); r < 0x1f000; r++ {
			if f := unicode.SimpleFold(r); f == r || !unicode.IsLetter(r) {
				continue
			}
			x := target{t: reflect.StructOf([]reflect.StructField{{Name: "A", Type: reflect.TypeFor[int](), Tag: reflect.StructTag(`json:"` + string(r) + `x"`)}})}
			for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
				if s := unlikeUnmarshal([]byte(`{"`+string(f)+`X":5}`), x.fresh); s != "" {
					complain(t, "%c as %c: %s", r, f, s)
				}
			}
			for _, other := range []string{strings.ToUpper(string(r)), strings.ToLower(string(r)), string(unicode.ToTitle(r))} {
				if s := unlikeUnmarshal([]byte(`{"`+other+`x":5}`), x.fresh); s != "" {
					complain(t, "%c as %s: %s", r, other, s)
				}
			}
		}
	})
	t.Run("after_unescaping", func(t *testing.T) {
		wantDecoded(t, `{"\u0041":1,"\u0062":2}`, Base{1, 2})
		into[Base](t, `{"A\u0000":1}`, `{"A\u0000B":1}`, `{"\u0000A":1}`, `{"\ud800":1}`, "{\"A\xff\":1}", `{"\/A":1}`, `{"A\n":1}`, `{"":1}`, `{" A":1}`, `{"A ":1}`)
	})
	t.Run("names_of_all_lengths", func(t *testing.T) {
		v := reflect.TypeFor[lengths]()
		for i := range v.NumField() {
			name := v.Field(i).Name
			for _, n := range []string{name, strings.ToLower(name), strings.ToUpper(name), name + "x", name[1:], name[:len(name)-1], name + "\\u0000", name[:len(name)-1] + "Z", "Z" + name[1:], strings.ReplaceAll(name, "k", "\u212a"), fmt.Sprintf(`\u%04x%s`, name[0], name[1:])} {
				into[lengths](t, `{"`+n+`":1}`, `{"A":5,"`+n+`":1,"Ab":6}`)
			}
		}
	})
	t.Run("many_fields_in_any_order", func(t *testing.T) {
		r := corpus.New(4)
		x := target{t: many}
		for range 20 {
			var parts []string
			for _, i := range r.Perm(130) {
				name := fmt.Sprintf("Field%d", i)
				if r.IntN(4) == 0 {
					name = strings.ToUpper(name)
				}
				parts = append(parts, fmt.Sprintf(`%q:%s`, name, []string{"1", `"x"`, "2.5", "true", "{}"}[i%5]))
			}
			same(t, "{"+strings.Join(parts, ",")+"}", x.fresh)
		}
	})
	t.Run("many_fields_that_are_alike", func(t *testing.T) {
		var fields []reflect.StructField
		var doc []string
		for i := range 200 {
			name := strings.Repeat("A", 1+i%20) + strings.Repeat("B", 1+i/20)
			fields = append(fields, reflect.StructField{Name: name, Type: reflect.TypeFor[int]()})
			doc = append(doc, fmt.Sprintf("%q:%d,%q:%d", name, i, name+"C", -i), fmt.Sprintf("%q:%d", strings.ToLower(name), i))
		}
		x := target{t: reflect.StructOf(fields)}
		for _, part := range doc {
			same(t, "{"+part+"}", x.fresh)
		}
		slices.Reverse(doc)
		same(t, "{"+strings.Join(doc, ",")+"}", x.fresh)
	})
	into[folds](t, `{"k":1}`, `{"K":1}`, "{\"\u212a\":1}", `{"kK":1}`, `{"s":1}`, `{"S":1}`, `{"ſ":1}`, `{"ẞ":1}`, `{"SS":1}`, `{"İ":1}`, `{"i̇":1}`, `{"ı":1}`, `{"I":1}`, `{"Σ":1}`, `{"σ":1}`, `{"MiXeD":1}`, `{"mixed":1}`, `{"MIXED":1}`, `{"mIxEd":1}`, `{"Mixed":1,"mixed":2}`)
}

func TestDuplicateKeys(t *testing.T) {
	wantDecoded(t, `{"A":1,"A":2}`, one[int]{2})
	wantDecoded[any](t, `{"A":1,"A":"x","A":null}`, map[string]any{"A": nil})
	wantDecoded[any](t, `{"A":{"x":1},"A":{"y":2}}`, map[string]any{"A": map[string]any{"y": 2.0}}) // values in an any are not merged
	wantDecoded(t, `{"A":{"A":1},"A":{"B":2}}`, one[Base]{Base{1, 2}})
	wantDecoded(t, `{"A":{"A":1},"A":{"B":2}}`, one[*Base]{&Base{1, 2}})
	wantDecoded(t, `{"A":{"x":1},"A":{"y":2}}`, one[map[string]int]{map[string]int{"x": 1, "y": 2}})
	wantDecoded(t, `{"A":[{"A":1,"B":2},{"A":3,"B":4}],"A":[{"A":5}]}`, one[[]Base]{[]Base{{5, 2}}})
	wantDecoded(t, `{"A":[{"A":1,"B":2},{"A":3,"B":4}],"A":[],"A":[{"A":5}]}`, one[[]Base]{[]Base{{5, 0}}}) // an empty array creates a new slice
	wantDecoded(t, `{"A":[{"A":1,"B":2},{"A":3,"B":4}],"A":[{}],"A":[{},{},{}]}`, one[[]Base]{[]Base{{1, 2}, {3, 4}, {}}})
	wantDecoded(t, `{"A":[[1,2,3],[4]],"A":[[5],[null,6]]}`, one[[][]int]{[][]int{{5}, {4, 6}}})
	wantDecoded(t, `{"A":[1,2,3],"A":[null,null]}`, one[[]int]{[]int{1, 2}})
	wantDecoded(t, `{"A":[1,2],"A":[3]}`, one[[2]int]{[2]int{3, 0}})
	wantDecoded(t, `{"A":"AQID","A":"BA=="}`, one[[]byte]{[]byte{4}})
	wantDecoded(t, `{"A":1,"A":null}`, one[*int]{})
	wantDecoded(t, `{"A":1,"a":2}`, one[int]{2})
	wantDecoded(t, `{"A":1,"A":null}`, one[int]{1})
	for range 2 {
		into[one[[]Base]](t, `{"A":[{"A":1},{"A":2},{"A":3}],"A":[{"B":4}],"A":[{},{},{},{},{},{}]}`, `{"A":[{"A":1}],"A":null,"A":[{"B":1}]}`, `{"A":[{"A":"x"}],"A":[{"B":1}]}`)
		into[one[[]*Base]](t, `{"A":[{"A":1},null,{"A":3}],"A":[{"B":4}],"A":[null,{"B":5},{"B":6},{"B":7}]}`)
		into[one[[]any]](t, `{"A":[1,"x"],"A":[null],"A":[{"A":1},{"B":2},3]}`)
		into[one[[]map[string]int]](t, `{"A":[{"x":1}],"A":[{"y":1},{"z":1}]}`)
		into[one[[]string]](t, `{"A":["a","b","c"],"A":["d"],"A":[null,null,null,null]}`)
		into[one[[2]Base]](t, `{"A":[{"A":1},{"A":2}],"A":[{"B":3}]}`)
		into[map[string]Base](t, `{"x":{"A":1},"x":{"B":2}}`)
		into[one[any]](t, `{"A":{"A":1},"A":{"B":2}}`, `{"A":[1,2],"A":[3]}`)
		into[one[std.RawMessage]](t, `{"A":[1,2,3],"A":{}}`)
		into[one[readsJSONSlice]](t, `{"A":1,"A":22}`)
	}
	t.Run("the_array_of_the_caller_is_used", func(t *testing.T) {
		for _, lib := range []func([]byte, any) error{std.Unmarshal, json.Unmarshal} {
			backing := []Base{{1, 1}, {2, 2}, {3, 3}, {4, 4}}
			v := backing[:1:3]
			if err := lib([]byte(`[{"A":10},{"A":20},{"A":30}]`), &v); err != nil || &v[0] != &backing[0] || !reflect.DeepEqual(backing, []Base{{10, 1}, {20, 2}, {30, 3}, {4, 4}}) {
				t.Error(backing, v, err)
			}
			if err := lib([]byte(`[{"A":7}]`), &v); err != nil || len(v) != 1 || &v[0] != &backing[0] || backing[1] != (Base{20, 2}) {
				t.Error(backing, v, err)
			}
		}
	})
}

func TestMapValuesAreFresh(t *testing.T) {
	for _, in := range []string{`{"A":{"A":1}}`, `{"A":{"B":1},"A":{"A":2}}`, `{"A":{}}`, `{"A":null}`, `{"new":{"A":1}}`, `{"A":{"A":"x","B":2}}`, `{}`, `null`} {
		into[map[string]Base](t, in)
		into[map[string]*Base](t, in)
		into[map[string]map[string]int](t, in)
		into[map[string]any](t, in)
		into[map[string]one[one[int]]](t, in)
		into[*map[string]two[*Base]](t, in)
		into[map[namedString]std.RawMessage](t, in)
		into[one[map[string]Base]](t, `{"A":`+in+`}`)
	}
	into[map[string][]Base](t, `{"A":[{"A":1}]}`, `{"A":[{"A":1},{"A":2}],"A":[{"B":3}]}`, `{"A":[]}`, `{"A":[{}],"b":[{}]}`)
	into[map[string][2]int](t, `{"A":[1]}`, `{"A":[1,2],"b":[3]}`)
	into[map[int][]int](t, `{"1":[1,2,3],"2":[null,null]}`)
	v := map[string]Base{"a": {1, 2}, "b": {3, 4}}
	if err := json.Unmarshal([]byte(`{"a":{"A":9},"c":{"B":8}}`), &v); err != nil || !reflect.DeepEqual(v, map[string]Base{"a": {9, 0}, "b": {3, 4}, "c": {0, 8}}) {
		t.Error(v, err)
	}
	// A value of the wrong type is stored up to the mismatch. A key of the wrong type is not
	// stored.
	wantErrorButStored(t, `{"a":"x","b":2}`, map[string]int{"a": 0, "b": 2})
	wantErrorButStored(t, `{"a":{"A":"x","B":2}}`, map[string]Base{"a": {0, 2}})
	wantErrorButStored(t, `{"1":1,"x":2,"3":3}`, map[int]int{1: 1, 3: 3})
	wantErrorButStored(t, `{"300":1,"-1":2,"3":3}`, map[uint8]int{3: 3})
}

// wantErrorButStored expects an UnmarshalTypeError and also the stored value want.
func wantErrorButStored[T any](t *testing.T, input string, want T) {
	t.Helper()
	into[T](t, input)
	var v T
	var mistyped *std.UnmarshalTypeError
	if err := json.Unmarshal([]byte(input), &v); (!errors.As(err, &mistyped) || !reflect.DeepEqual(v, want)) && !json.OnV2 {
		complain(t, "%s: %v, %v; want %v and an UnmarshalTypeError", short(input), v, err, want)
	}
}

func TestEmbeddedRead(t *testing.T) {
	docs := []string{
		`{"A":1,"B":2,"C":3,"D":4,"L":5,"R":6,"Z":7}`, `{"A":"x","B":"y","C":"z","D":"d","L":"l","R":"r","Z":"z"}`, `{"Base":{"A":1,"B":2},"A":3}`, `{"base":{"A":1}}`, `{"A":{"A":1,"B":2},"C":{"A":3,"B":4}}`, `{"B":1}`, `{"L":1,"R":2}`, `{"A":null,"B":null,"C":null}`, `{}`,
		`{"Number":5,"A":1}`, `{"namedInt":5,"A":1}`, `{"Map":{"A":1},"A":2}`, `{"Stringer":null,"A":1}`, `{"Stringer":{"A":1},"A":1}`, `{"TextMarshaler":"x","A":1}`, `"2006-01-02T15:04:05Z"`, `{"Time":"2006-01-02T15:04:05Z","A":1}`, `{"RawMessage":[1],"A":2}`, `[1,2]`, `"bad"`, `{"Text":"x","A":"a"}`,
		`{"A":1,"Pong":{"B":2}}`, `{"Ping":{"A":1},"B":2}`, `{"loop":{"A":2},"A":1}`, `{"Loop":{"A":2},"A":1,"B":{"A":3,"B":{"A":4}}}`, `{"A":{"A":"x"},"B":"y"}`, `{"A":1,"unknown":{"A":[]},"L":"x"}`,
	}
	for _, x := range targets() {
		if strings.Contains(x.t.String(), "embeds") || slices.Contains([]reflect.Type{reflect.TypeFor[Ping](), reflect.TypeFor[*Pong](), reflect.TypeFor[loop](), reflect.TypeFor[Loop](), clashing}, x.t) {
			for _, in := range docs {
				same(t, in, x.fresh)
				same(t, in, x.filled)
			}
		}
	}
	wantDecoded(t, `{"A":1,"B":2,"C":3}`, embedsPointer{&Base{1, 2}, 3})
	wantDecoded(t, `{"C":3}`, embedsPointer{nil, 3})
	wantDecoded(t, `{"A":null}`, embedsPointer{&Base{}, 0}) // the key alone allocates the pointer
	wantDecoded(t, `{"A":1,"B":2,"C":3}`, embedsHidden{base{1, 2}, 3})
	wantDecoded(t, `{"A":1,"L":2,"R":3}`, embedsAmbiguous{Left{L: 2}, Right{R: 3}})
	wantDecoded(t, `{"A":1,"L":2}`, embedsTagWins{Left{L: 2}, TaggedRight{1}})
	wantDecoded(t, `{"A":1}`, embedsByDepth{Left: Left{A: 1}})
	wantDecoded(t, `{"A":1,"B":2}`, embedsTwice{})
	wantDecoded(t, `{"A":1,"B":2}`, embedsTwiceResolved{Base: Base{1, 2}})
	wantDecoded(t, `{"C":{"A":1,"B":2},"A":3}`, embedsTagged{Base{1, 2}, 3})
	wantDecoded(t, `{"A":{"A":1},"B":2}`, embedsHiddenTagged{base{A: 1}, 2})
	wantDecoded(t, `{"A":1,"B":2,"C":3}`, embedsDashed{C: 3})
	wantDecoded(t, `{"C":1}`, embedsHiddenPointer{C: 1})
	wantError[embedsHiddenPointer](t, `{"C":1,"A":2}`, "json: cannot set embedded pointer to unexported struct: json_test.base")
	wantError[embedsHiddenPointer](t, `{"A":{"x":[1,2]},"C":"x"}`, "json: cannot set embedded pointer to unexported struct: json_test.base")
	wantError[embedsHiddenPointer](t, `{"C":"x","A":2}`, "json: cannot unmarshal string into Go struct field embedsHiddenPointer.C of type int")
	same(t, `{"A":1,"B":2}`, func() any { return &embedsHiddenPointer{base: &base{5, 6}} })
	same(t, `{"A":1,"L":2}`, func() any { return &embedsBothPointers{Left: &Left{5, 6}} })
	wantError[embedsChain](t, `{"A":"x"}`, "json: cannot set embedded pointer to unexported struct: json_test.embedsPointer")
	wantError[embedsWithinHidden](t, `{"Z":"x"}`, "json: cannot unmarshal string into Go struct field embedsWithinHidden.middle.innermost.Z of type int")
	t.Run("where_encoding_json_panics", func(t *testing.T) {
		type hiddenTagged struct {
			*base `json:"x"`
		}
		into[hiddenTagged](t, `{"x":{"A":1}}`, `{"x":null}`, `{"x":1}`, `{}`, `{"x":{"A":1}`)
		if !attempt(func() error { return std.Unmarshal([]byte(`{"x":{"A":1}}`), new(hiddenTagged)) }).misused() {
			t.Error("encoding/json sets a hidden pointer now")
		}
	})
}

func TestStringOptionRead(t *testing.T) {
	var docs []string
	for _, literal := range literals() {
		docs = append(docs, `{"A":`+literal+`,"B":1}`)
		if len(literal) < 100 {
			docs = append(docs, `{"A":`+strconv.Quote(literal)+`}`)
		}
	}
	for i, x := range targets() {
		name := x.t.String()
		if !strings.Contains(name, "quote") {
			continue
		}
		for j, in := range docs {
			if s := unlikeUnmarshal([]byte(in), x.fresh); s != "" {
				complain(t, "%s into %s: %s", short(in), name, s)
			}
			if (i+j)%4 == 0 {
				same(t, in, x.filled)
			}
		}
	}
	wantDecoded(t, `{"A":"5"}`, quote[int]{A: 5})
	wantDecoded(t, `{"A":"01"}`, quote[int]{A: 1})
	wantDecoded(t, `{"A":"-0"}`, quote[int]{})
	wantDecoded(t, `{"A":"null"}`, quote[int]{})
	wantDecoded(t, `{"A":null}`, quote[int]{})
	wantDecoded(t, `{"A":"null"}`, quote[*int]{})
	wantDecoded(t, `{"A":"true"}`, quote[bool]{A: true})
	wantDecoded(t, `{"A":"\"x\\u0041\""}`, quote[string]{A: "xA"})
	wantDecoded(t, `{"A":"\"\\'\""}`, quote[string]{A: "'"}) // invalid JSON, but accepted
	wantDecoded(t, `{"A":"1_0"}`, quote[float64]{A: 10})
	wantDecoded(t, `{"A":"0x1p-2"}`, quote[float64]{A: 0.25})
	wantDecoded(t, `{"A":"1."}`, quote[float32]{A: 1})
	wantDecoded(t, `{"A":"-Inf"}`, quote[float64]{A: math.Inf(-1)})
	wantDecoded(t, `{"A":"1x"}`, quote[std.Number]{A: "1x"}) // not validated
	wantDecoded(t, `{"A":"-"}`, quote[std.Number]{A: "-"})
	wantDecoded(t, `{"A":[1]}`, quote[[]int]{A: []int{1}}) // the option has no effect
	wantDecoded(t, `{"A":{"A":1}}`, quote[Base]{A: Base{A: 1}})
	wantDecoded(t, `{"A":"no json"}`, quote[readsJSONString]{A: "no json"})
	wantDecoded(t, `{"A":"\"x\""}`, quote[readsTextInt]{A: 1})
	wantError[quote[int]](t, `{"A":" 1"}`, `json: invalid use of ,string struct tag, trying to unmarshal " 1" into int`)
	wantError[quote[int]](t, `{"A":""}`, `json: invalid use of ,string struct tag, trying to unmarshal "" into int`)
	wantError[quote[int]](t, `{"A":"nil"}`, `json: invalid use of ,string struct tag, trying to unmarshal "nil" into int`)
	wantError[quote[int]](t, `{"A":1}`, `json: invalid use of ,string struct tag, trying to unmarshal unquoted value into int`)
	wantError[quote[*int]](t, `{"A":true}`, `json: invalid use of ,string struct tag, trying to unmarshal unquoted value into *int`)
	wantError[quote[string]](t, `{"A":"x"}`, `json: invalid use of ,string struct tag, trying to unmarshal "x" into string`)
	wantError[quote[string]](t, `{"A":"1"}`, `json: invalid use of ,string struct tag, trying to unmarshal "1" into string`)
	wantError[quote[int]](t, `{"A":"1x"}`, `json: cannot unmarshal number 1x into Go struct field quote[int].A of type int`)
	wantError[quote[int]](t, `{"A":1e999}`, `json: cannot unmarshal number 1e999 into Go struct field quote[int].A of type float64`) // reported before the misuse of the option
	wantError[quote[readsTextInt]](t, `{"A":"1"}`, `json: invalid use of ,string struct tag, trying to unmarshal "1" into json_test.readsTextInt`)
	t.Run("some_faults_end_decoding_and_some_do_not", func(t *testing.T) {
		type after struct {
			A int    `json:",string"`
			S string `json:",string"`
			B int
		}
		for _, in := range []string{`" 1"`, `""`, `"x"`, `"true"`, `"nul"`, `"t"`, `1`, `[1]`, `"1x"`, `"\"1\""`, `"\"x"`} {
			into[after](t, `{"A":`+in+`,"B":7}`, `{"S":`+in+`,"B":7}`, `{"B":"first","A":`+in+`,"S":`+in+`,"B":7}`)
		}
	})
}

func TestMapKeysRead(t *testing.T) {
	keys := []string{`"1"`, `"-1"`, `"0"`, `"-0"`, `"01"`, `"+1"`, `" 1"`, `"1 "`, `"1.0"`, `"1e2"`, `""`, `"x"`, `"127"`, `"128"`, `"255"`, `"256"`, `"-128"`, `"-129"`, `"32768"`, `"65536"`, `"2147483648"`, `"4294967296"`, `"9223372036854775808"`, `"18446744073709551615"`, `"18446744073709551616"`, `"\u0031"`, `"0x1"`, `"1_0"`, `"null"`, `"true"`, `"bad"`, `"10.0.0.1"`, `"\ud800"`, "\"\xff\"", `"a\nb"`, `"é"`, `"` + strings.Repeat("k", 300) + `"`}
	for _, x := range targets() {
		t0 := x.t
		for t0.Kind() == reflect.Pointer {
			t0 = t0.Elem()
		}
		if t0.Kind() != reflect.Map {
			continue
		}
		value := "1"
		if k := t0.Elem().Kind(); k == reflect.Struct || k == reflect.Map {
			value = `{"A":1}`
		}
		for _, k := range keys {
			for _, in := range []string{`{"1":` + value + `,` + k + `:"x"}`, `{` + k + `:` + value + `,` + k + `:null,"z":[]}`} {
				if s := unlikeUnmarshal([]byte(in), x.fresh); s != "" {
					complain(t, "%s into %v: %s", short(in), x.t, s)
				}
			}
			same(t, `{`+k+`:`+value+`}`, x.filled)
		}
		for _, in := range []string{`{}`, `null`, `[]`, `1`, `"x"`, `{"a":{}}`} {
			same(t, in, x.fresh)
			same(t, in, x.filled)
		}
	}
	wantDecoded(t, `{"a":1}`, map[namedString]int{"a": 1})
	wantDecoded(t, `{"a":1}`, map[textKeyString]int{"read a": 1}) // MarshalText is not called, UnmarshalText is
	wantDecoded(t, `{"abc":1}`, map[textKey]int{{3}: 1})
	wantDecoded(t, `{"abc":1}`, map[bothKey]int{{`json "abc"`}: 1}) // UnmarshalJSON gets the quotes
	wantDecoded(t, `{"x":1}`, map[std.Number]int{"x": 1})
	wantDecoded(t, `{"10.0.0.1":"a"}`, map[netip.Addr]string{netip.AddrFrom4([4]byte{10, 0, 0, 1}): "a"})
	wantError[map[bool]int](t, `{}`, "json: cannot unmarshal object into Go value of type map[bool]int")
	wantError[map[*textKey]int](t, `{}`, "json: cannot unmarshal object into Go value of type map[*json_test.textKey]int")
	wantError[map[int8]int](t, `{"128":1}`, "json: cannot unmarshal number 128 into Go value of type int8")
	wantError[map[textKey]int](t, `{"bad":1,"c":2}`, "refused: bad")
}

func TestNumberRead(t *testing.T) {
	for _, in := range literals() {
		into[std.Number](t, in)
		into[*std.Number](t, in)
		into[[]std.Number](t, `[`+in+`,1]`)
		into[one[std.Number]](t, `{"A":`+in+`}`)
		into[namedNumber](t, in)
	}
	wantDecoded(t, `1.50`, std.Number("1.50"))
	wantDecoded(t, `"12"`, std.Number("12"))
	wantDecoded(t, `"-0.5e+3"`, std.Number("-0.5e+3"))
	wantDecoded(t, `1e999`, std.Number("1e999"))
	wantDecoded(t, `null`, std.Number(""))
	wantError[std.Number](t, `"x"`, `json: invalid number literal, trying to unmarshal "\"x\"" into Number`)
	wantError[std.Number](t, `""`, `json: invalid number literal, trying to unmarshal "\"\"" into Number`)
	wantError[std.Number](t, `"01"`, `json: invalid number literal, trying to unmarshal "\"01\"" into Number`)
	wantError[std.Number](t, `true`, `json: cannot unmarshal bool into Go value of type json.Number`)
	wantError[two[any]](t, `{"A":"x","B":1e999}`, `json: cannot unmarshal number 1e999 into Go struct field two[interface {}].B of type float64`)
	t.Run("a_bad_one_ends_decoding", func(t *testing.T) {
		type later struct {
			A int
			N std.Number
			B int
		}
		into[later](t, `{"A":"type error","N":"x","B":1}`, `{"N":"x","B":1}`, `{"N":true,"B":1}`)
		inGo126(t)
		var v later
		if err := json.Unmarshal([]byte(`{"N":"x","B":1}`), &v); err == nil || v.B != 0 {
			t.Error(v, err)
		}
	})
}

func TestIntegers(t *testing.T) {
	ints := []string{}
	for bits := range 70 {
		n := new(big.Int).Lsh(big.NewInt(1), uint(bits))
		for d := int64(-2); d <= 2; d++ {
			m := new(big.Int).Add(n, big.NewInt(d))
			ints = append(ints, m.String(), "-"+m.String())
		}
	}
	for n := range 25 {
		ints = append(ints, strings.Repeat("9", n+1), "1"+strings.Repeat("0", n), "-"+strings.Repeat("1", n+1), "1"+strings.Repeat("8", n)+".0", "1e"+strconv.Itoa(n))
	}
	ints = slices.DeleteFunc(append(ints, literals()...), func(s string) bool { return !std.Valid([]byte(s)) })
	kinds := []target{}
	for _, x := range targets() {
		if k := x.t.Kind(); k >= reflect.Bool && k <= reflect.Float64 {
			kinds = append(kinds, x)
		}
	}
	for _, n := range ints {
		for _, x := range kinds {
			for _, list := range []target{x, {t: reflect.SliceOf(x.t)}} {
				in := n
				if list.t != x.t {
					in = "[1," + n + ",2]"
				}
				if s := unlikeUnmarshal([]byte(in), list.fresh); s != "" {
					complain(t, "%s into %v: %s", short(in), list.t, s)
				}
				if s := unlikeUnmarshal([]byte(in), list.filled); s != "" {
					complain(t, "%s into a filled %v: %s", short(in), list.t, s)
				}
			}
		}
		same(t, `{"A":`+n+`,"B":`+n+`}`, func() any {
			return &struct {
				A int8
				B *uint32
			}{5, new(uint32)}
		})
	}
	inGo126(t)
	v := []int8{5, 6, 7}
	err := json.Unmarshal([]byte(`[1,128,3]`), &v)
	if err == nil || err.Error() != "json: cannot unmarshal number 128 into Go value of type int8" || !slices.Equal(v, []int8{1, 6, 3}) {
		t.Error(v, err)
	}
	wantError[int64](t, "21000000000000000000", "json: cannot unmarshal number 21000000000000000000 into Go value of type int64")
	wantError[uint64](t, "21000000000000000000", "json: cannot unmarshal number 21000000000000000000 into Go value of type uint64")
	wantError[int](t, "1.0", "json: cannot unmarshal number 1.0 into Go value of type int")
	wantError[uint](t, "-0", "json: cannot unmarshal number -0 into Go value of type uint")
	wantDecoded(t, "-0", 0)
	wantDecoded(t, "18446744073709551615", uint64(math.MaxUint64))
	wantDecoded(t, "-9223372036854775808", int64(math.MinInt64))
	for _, in := range []string{"01", "-01", "1.", "-", "1e", "1e+", ".5", "+1", "--1", "0x1", "1_0", "00"} {
		untouched(t, in, target{t: reflect.TypeFor[int]()}.filled)
		untouched(t, "["+in+"]", target{t: reflect.TypeFor[[]int]()}.filled)
		untouched(t, `{"A":`+in+`}`, target{t: reflect.TypeFor[one[*int]]()}.filled)
	}
	t.Run("floats", func(t *testing.T) {
		r := corpus.New(15)
		for i := range 20000 {
			bits := r.Uint64()
			f := math.Float64frombits(bits)
			if math.IsNaN(f) || math.IsInf(f, 0) {
				continue
			}
			text := strconv.FormatFloat(f, "efg"[i%3], []int{-1, 17, 5, 25}[i%4], 64)
			if i%3 == 1 && len(text) > 60 {
				text = strconv.FormatFloat(f, 'e', 30, 64)
			}
			for _, to := range []func() any{func() any { return new(float64) }, func() any { return new(float32) }, func() any { return new(any) }} {
				if s := unlikeUnmarshal([]byte(text), to); s != "" {
					complain(t, "%s into %T: %s", short(text), to(), s)
				}
			}
		}
	})
}

func TestTwoPhases(t *testing.T) {
	rich := target{t: reflect.TypeFor[everything]()}
	const doc = `{"A":{"x":[1,"y"]},"B":{"A":1,"C":[{"A":2}],"G":3},"C":[{"A":[1]},{"G":1.5}],"D":{"A":{"A":1},"new":null},"E":[1, 2],"F":{"x":1},"G":12,"H":"AQID","I":[1,{}],"J":5,"K":{"A":1},"L":"text","M":{"k":[1]},"N":{"A":1},"O":{"P":{"R":1},"Q":null},"T":"2006-01-02T15:04:05Z","Base":{"A":1},"unknown":[{"x":null}]}`
	same(t, doc, rich.fresh)
	same(t, doc, rich.filled)
	for i, in := range withFaults(doc) {
		if (len(in) < len(doc) || i%3 == 0) && (!raced && !testing.Short() || i%5 == 0) {
			untouched(t, in, rich.filled)
		}
	}
	for _, in := range faulty() {
		for _, x := range []target{{t: reflect.TypeFor[any]()}, {t: reflect.TypeFor[one[any]]()}, {t: reflect.TypeFor[map[string]*Base]()}, {t: reflect.TypeFor[[]Base]()}, {t: reflect.TypeFor[two[readsJSON]]()}, {t: reflect.TypeFor[std.RawMessage]()}, {t: reflect.TypeFor[map[textKey]readsText]()}} {
			untouched(t, in, x.filled)
		}
	}
	t.Run("behind_pointers_in_interfaces", func(t *testing.T) {
		newTarget := func() any {
			p := &Base{1, 2}
			var inner any = &p
			return &map[string]any{"A": &inner, "B": []any{&p, p}}
		}
		for _, in := range withFaults(`{"A":{"A":5},"B":[{"A":6},7]}`) {
			untouched(t, in, newTarget)
			untouched(t, in, func() any { var v any = newTarget(); return &v })
		}
	})
	t.Run("the_first_type_error_is_kept_and_decoding_goes_on", func(t *testing.T) {
		in := `{"A":"x","B":5,"C":[1,"y",3]}`
		type three struct {
			A, B int
			C    []int
		}
		into[three](t, in)
		inGo126(t)
		v := three{A: 9}
		err := json.Unmarshal([]byte(in), &v)
		if err == nil || err.Error() != "json: cannot unmarshal string into Go struct field three.A of type int" || !reflect.DeepEqual(v, three{9, 5, []int{1, 0, 3}}) {
			t.Error(v, err)
		}
	})
	t.Run("an_error_of_a_method_ends_decoding_and_hides_what_was_kept", func(t *testing.T) {
		type four struct {
			A int
			R readsJSON
			S readsText
			B int
		}
		for _, in := range []string{`{"A":"x","R":"bad","B":5}`, `{"A":1,"R":"ok","S":"bad","B":5}`, `{"A":"x","S":"ok","B":"y"}`, `{"S":5,"R":"bad"}`} {
			into[four](t, in)
			into[[]four](t, `[{"B":1},`+in+`,{"B":2}]`)
			into[map[string]four](t, `{"a":{"B":1},"b":`+in+`,"c":{"B":2}}`)
		}
		inGo126(t)
		var v four
		err := json.Unmarshal([]byte(`{"A":"x","R":"bad","B":5}`), &v)
		if r := (*refused)(nil); !errors.As(err, &r) || v.B != 0 {
			t.Error(v, err)
		}
	})
	t.Run("types_errors_before_a_fault_of_syntax_do_not_count", func(t *testing.T) {
		untouched(t, `{"A":"x","B":5,}`, target{t: reflect.TypeFor[Base]()}.filled)
		untouched(t, `{"unknown":1,"A":{"B":[}`, target{t: reflect.TypeFor[Base]()}.filled)
	})
	t.Run("no_target_at_all", func(t *testing.T) {
		for _, in := range []string{`1`, `{`, ``, ` "x`, `{"A":1}`} {
			for _, v := range []any{nil, 1, "x", Base{}, (*int)(nil), (*Base)(nil), map[string]int{}, []int{1}, (*any)(nil), func() {}, readsJSONMap{}} {
				same(t, in, func() any { return v })
			}
		}
	})
}

func TestSyntaxErrors(t *testing.T) {
	kinds := []target{{t: reflect.TypeFor[any]()}, {t: reflect.TypeFor[Base]()}, {t: reflect.TypeFor[[]int]()}, {t: reflect.TypeFor[std.RawMessage]()}, {t: reflect.TypeFor[string]()}, {t: reflect.TypeFor[readsJSON]()}, {t: reflect.TypeFor[one[[]one[string]]]()}, {t: reflect.TypeFor[map[string]any]()}}
	for i, in := range faulty() {
		for j, x := range kinds {
			if j == 0 || (i+j)%3 == 0 {
				same(t, in, x.fresh)
			}
		}
		same(t, strings.Repeat(" ", 70)+in, kinds[0].fresh)
		same(t, `{"A":"`+strings.Repeat("x", 100)+`","A":[[[`+in, kinds[2].fresh)
	}
	for in, want := range map[string]struct { // in Go 1.26
		text   string
		offset int64
	}{
		``: {"unexpected end of JSON input", 0}, ` `: {"unexpected end of JSON input", 1}, `[1,`: {"unexpected end of JSON input", 3}, `"a`: {"unexpected end of JSON input", 2},
		`tru`: {"invalid character ' ' in literal true (expecting 'e')", 3}, `-`: {"invalid character ' ' in numeric literal", 1}, `1.`: {"invalid character ' ' after decimal point in numeric literal", 2}, `1e`: {"invalid character ' ' in exponent of numeric literal", 2}, `"\`: {"invalid character ' ' in string escape code", 2}, `"\u1`: {"invalid character ' ' in \\u hexadecimal character escape", 4},
		`01`: {"invalid character '1' after top-level value", 2}, `[01]`: {"invalid character '1' after array element", 3}, `{"a" 1}`: {"invalid character '1' after object key", 6}, `{"a":1 "b"}`: {"invalid character '\"' after object key:value pair", 8}, `{1:2}`: {"invalid character '1' looking for beginning of object key string", 2},
		"\"\n\"": {"invalid character '\\n' in string literal", 2}, `'a'`: {`invalid character '\'' looking for beginning of value`, 1}, "[\xff]": {`invalid character 'ÿ' looking for beginning of value`, 2}, "[\x00]": {`invalid character '\x00' looking for beginning of value`, 2}, "\ufeff1": {`invalid character 'ï' looking for beginning of value`, 1}, `1 2`: {"invalid character '2' after top-level value", 3},
	} {
		var syntax *std.SyntaxError
		if err := json.Unmarshal([]byte(in), new(any)); !errors.As(err, &syntax) || (err.Error() != want.text || syntax.Offset != want.offset) && !json.OnV2 {
			complain(t, "%q: %v, %+v; want %v", in, err, syntax, want)
		}
	}
	t.Run("in_a_stream", func(t *testing.T) {
		for _, in := range faulty() {
			runScript(t, "dddd", `{"a":[1,2]} `+in, []int{100}, io.EOF)
			runScript(t, "dd", in+" 1", []int{3}, io.EOF)
			runScript(t, "ttttdt", `[1, {"k" : `+in, []int{1}, io.EOF)
		}
	})
}

func TestTypeErrors(t *testing.T) {
	type inner struct {
		X int
		Y []struct{ Z string }
		W map[string]Base
	}
	type outer struct {
		A inner
		P *inner
		L []inner
		M map[string]*inner
		E [2]inner
		I any
		S string `json:"s"`
		Base
		*Left
		Q quote[int]
		R readsInner
		T time.Time
		N struct{ V int8 }
	}
	docs := []string{}
	for _, value := range []string{"null", "true", "1", "1.5", "-300", "1e999", `"x"`, "[]", "[1]", "{}", `{"X":"x"}`, ` [ 1 , {"X" : "x"} ] `} {
		for _, place := range []string{`%s`, `{"A":%s}`, `{"A":{"X":%s}}`, `{"P":{"X":%s}}`, `{"L":[{},{"X":%s}]}`, `{"M":{"k":{"X":%s}}}`, `{"E":[{"X":%s}]}`, `{"I":%s}`, `{"s":%s}`, `{"B":%s}`, `{"L":%s}`, `{"Q":{"A":%s}}`, `{"Q":{"B":%s}}`, `{"A":{"Y":[{"Z":%s}]}}`, `{"P":{"W":{"x":{"A":%s}}}}`, `{"A":{"Y":%s}}`, `{"M":%s}`, `{"E":%s}`, `{"T":%s}`, `{"N":{"V":%s}}`, `{"N":%s}`, `[%s]`, `{ "A" : { "X" : %s , "Y" : 5 } , "s" : 7 }`, `{"R":{"A":{"B":%s}}}`, `{"R":{"C":%s}}`, `{"R":%s}`, `{"S":%s,"a":{"x":%[1]s}}`} {
			docs = append(docs, fmt.Sprintf(place, value))
		}
	}
	for _, in := range docs {
		same(t, in, func() any { return new(outer) })
		same(t, in, func() any { return new([]outer) })
		same(t, `{"A":`+in+`}`, func() any { return new(map[string]outer) })
		same(t, `{"A":`+in+`}`, func() any { return new(one[outer]) })
		same(t, `{"A":`+in+`}`, func() any { return new(struct{ A *outer }) })
		same(t, "  "+in, func() any { var p any = new(outer); return &p })
	}
	check := func(in string, want std.UnmarshalTypeError) {
		t.Helper()
		var v outer
		var mistyped *std.UnmarshalTypeError
		if err := json.Unmarshal([]byte(in), &v); (!errors.As(err, &mistyped) || !reflect.DeepEqual(*mistyped, want)) && !json.OnV2 {
			complain(t, "%s: %+v; want %+v", short(in), mistyped, want)
		}
	}
	integer, str := reflect.TypeFor[int](), reflect.TypeFor[string]()
	check(`{"A":{"X":"x"}}`, std.UnmarshalTypeError{Value: "string", Type: integer, Offset: 13, Struct: "inner", Field: "A.X"})
	check(`{"A": {"Y":[{},{"Z": 1 }]}}`, std.UnmarshalTypeError{Value: "number", Type: str, Offset: 22, Struct: "", Field: "A.Y.Z"})
	check(`{"M":{"k":{"X":1.5}}}`, std.UnmarshalTypeError{Value: "number 1.5", Type: integer, Offset: 18, Struct: "inner", Field: "M.X"})
	check(`{"s": [1]}`, std.UnmarshalTypeError{Value: "array", Type: str, Offset: 7, Struct: "outer", Field: "s"})
	check(`{"s":{"a":1}}`, std.UnmarshalTypeError{Value: "object", Type: str, Offset: 6, Struct: "outer", Field: "s"})
	check(`{"B":true}`, std.UnmarshalTypeError{Value: "bool", Type: integer, Offset: 9, Struct: "outer", Field: "Base.B"})
	check(` [1]`, std.UnmarshalTypeError{Value: "array", Type: reflect.TypeFor[outer](), Offset: 2})
	check(`{"I":[1e999]}`, std.UnmarshalTypeError{Value: "number 1e999", Type: reflect.TypeFor[float64](), Offset: 12, Struct: "outer", Field: "I"})
	check(`{"R":{"A":{"B":"x"}}}`, std.UnmarshalTypeError{Value: "string", Type: integer, Offset: 13, Struct: "outer", Field: "R.A.B"}) // for an error from within a method, Struct and Field are adapted but the offset is not
	t.Run("kinds", func(t *testing.T) {
		for _, in := range literals() {
			if !json.OnV2 { // with jsonv2, encoding/json may not terminate
				into[[]chan int](t, `[`+in+`]`)
				into[func()](t, in)
				into[complex64](t, in)
			}
			into[error](t, in)
			into[one[describer]](t, `{"A":`+in+`}`)
			into[[1]error](t, `[`+in+`]`)
			into[nothing](t, in)
			into[*[3]byte](t, in)
			into[url.URL](t, in)
			into[one[readsText]](t, `{"A":`+in+`}`)
			into[[]*readsTextInt](t, `[`+in+`]`)
			into[map[string]time.Time](t, `{"A":`+in+`}`)
		}
	})
	t.Run("the_path_is_forgotten_behind_a_struct", func(t *testing.T) {
		type afterwards struct {
			A Base
			B int
			C []Base
			D map[string]int
		}
		into[afterwards](t, `{"A":{"A":1},"B":"x"}`, `{"C":[{"A":1},5]}`, `{"A":{"A":1},"D":{"x":"y"}}`, `{"C":[{"A":1},{"B":"x"}]}`, `{"unknown":{"A":"x"},"B":[]}`, `{"A":5,"B":"x"}`)
		into[[]any](t, `[{"A":1e999}]`, `[1,1e999,2e999]`)
		into[map[int]Base](t, `{"x":{"A":"y"}}`, `{"1":{"A":"y"},"x":{}}`)
		into[one[map[int8]string]](t, `{"A":{"300":1}}`)
	})
	t.Run("offsets_in_a_stream_are_those_of_the_value", func(t *testing.T) {
		for _, in := range []string{`1 "x" 2`, `{"A":1}  {"A":"x"} {"A":2}`, "1\n\n [1,\"x\"] 5", ` {"A":"x","B":"y"} {"B":{}}`, `[1, "x" , {"A":true}]`} {
			for _, script := range []string{"iii", "sss", "didi", "tiss", "tdid", "mimimi"} {
				runScript(t, script, in, []int{4}, io.EOF)
			}
		}
	})
}

func TestUnmarshalerErrors(t *testing.T) {
	for _, in := range []string{`"bad"`, `{"x":"bad"}`, `["bad"]`, ` "ok" `, `null`, `1`, `true`, `{}`, `[ 1 , 2 ]`} {
		into[readsJSON](t, in)
		into[*readsJSON](t, in)
		into[**readsJSON](t, in)
		into[readsText](t, in)
		into[*readsText](t, in)
		into[readsJSONMap](t, in)
		into[readsTextMap](t, in)
		into[readsBoth](t, in)
		into[one[*readsBoth]](t, `{"A": `+in+` }`)
		into[[]readsJSON](t, `[`+in+`,1]`)
		into[map[string]readsText](t, `{"a":`+in+`}`)
		into[map[readsTextInt]readsJSONInt](t, `{"a":`+in+`,"bad":1}`)
		into[time.Time](t, in)
		into[big.Int](t, in)
		into[embedsReader](t, in)
		into[one[std.Unmarshaler]](t, `{"A":`+in+`}`)
		into[one[struct{ readsJSON }]](t, `{"A":`+in+`}`) // as a field, an unnamed type is not decoded by its method
		into[struct{ readsJSON }](t, in)                  // at the top level it is
		into[[]struct{ time.Time }](t, `[`+in+`]`)
	}
	var r *refused
	if err := json.Unmarshal([]byte(`{"A":["bad"]}`), new(one[readsJSON])); !errors.As(err, &r) || err != error(r) || r.Text != `["bad"]` {
		complain(t, "%T %v", err, err)
	}
	var parse *time.ParseError
	if err := json.Unmarshal([]byte(`["2006-13-02T00:00:00Z"]`), new([]time.Time)); !errors.As(err, &parse) || err != error(parse) {
		complain(t, "%T %v", err, err)
	}
	var corrupt base64.CorruptInputError
	if err := json.Unmarshal([]byte(`{"A":"AQ!="}`), new(one[[]byte])); !errors.As(err, &corrupt) || (err != error(corrupt) || corrupt != 2) && !json.OnV2 {
		complain(t, "%T %v", err, err)
	}
	t.Run("they_see_the_bytes_of_the_value", func(t *testing.T) {
		for in, want := range map[string]string{` {"A" :  [1 , 2]  , "B":{ "x":"\u0041" }} `: `[1 , 2]`, `{"A": "a\u0041" }`: `"a\u0041"`, `{"A":1 }`: "1", `{"A":null}`: "null", `{"A": { } }`: "{ }"} {
			into[two[readsJSON]](t, in)
			if v := decoded[two[readsJSON]](t, in); v.A.Text != want {
				complain(t, "%s: %q; want %q", short(in), v.A.Text, want)
			}
		}
		wantDecoded(t, `"a\u0041\ud800"`, readsText{Text: "aA\ufffd"})
		wantDecoded(t, `{"A":null}`, one[*readsJSON]{})
		wantDecoded(t, `{"A":null}`, one[readsText]{})
	})
	into[time.Time](t, `"\u0032006-01-02T15:04:05Z"`, `"2006-01-02T15:04:05\u005a"`, `"\/"`, "\"2006-01-02T15:04:05Z\xff\"") // UnmarshalJSON gets the escapes
	t.Run("errors_of_other_decodings_are_renamed", func(t *testing.T) {
		into[two[readsInner]](t, `{"B":{"C":1}}`, `{"A":{"A":{"B":"x"}}}`)
		into[[]readsInner](t, `[{"C":1}]`)
		into[one[readsGarbage]](t, `{"A":1}`)
		into[readsGarbage](t, `1`)
		into[map[string]one[readsInner]](t, `{"k":{"A":{"C":1}}}`)
	})
	t.Run("times", func(t *testing.T) {
		for _, text := range timeTexts() {
			for _, in := range []string{strconv.Quote(text), ` "` + text + `" `} {
				for _, newTarget := range []func() any{func() any { return new(time.Time) }, func() any { return new(*time.Time) }, target{t: reflect.TypeFor[time.Time]()}.filled} {
					if s := unlikeUnmarshal([]byte(in), newTarget); s != "" {
						complain(t, "%s into %T: %s", short(in), newTarget(), s)
					}
				}
			}
			same(t, `{"A":"`+text+`","B":1}`, func() any {
				return &struct {
					A time.Time
					B int
				}{}
			})
			same(t, `{"`+text+`":["`+text+`"]}`, func() any { return new(map[string][]*time.Time) })
		}
	})
	t.Run("panics_pass", func(t *testing.T) {
		for _, lib := range []func([]byte, any) error{std.Unmarshal, json.Unmarshal} {
			o := attempt(func() error { return lib([]byte(`{"A":[1]}`), new(one[readsPanic])) })
			if o.panicked != any("of a method") {
				complain(t, "%v", o.panicked)
			}
		}
		if s := unlikeUnmarshal([]byte(`{"A":[1]}`), func() any { return new(one[Base]) }); s != "" { // later calls are not affected
			t.Error(s)
		}
	})
	t.Run("a_method_may_decode", func(t *testing.T) {
		into[readsDeep](t, `{"A":{"A":{"A":[1,{"A":null}]}}}`, `{"A":{"A":{"A":"x"}}}`)
	})
}

// timeTexts returns valid times and almost valid times.
func timeTexts() []string {
	list := []string{
		"", "2006", "2006-01-02", "2006-01-02T15:04Z", "2006-01-02 15:04:05Z", "2006-01-02t15:04:05z", "2006-01-02T15:04:05z", "2006-01-02T15:04:05", "2006-01-02T15:04:05ZZ", "2006-01-02T15:04:05Z ", " 2006-01-02T15:04:05Z", "06-01-02T15:04:05Z", "12006-01-02T15:04:05Z", "-006-01-02T15:04:05Z", "+006-01-02T15:04:05Z",
		"2006-1-02T15:04:05Z", "2006-01-2T15:04:05Z", "2006-01-02T5:04:05Z", "2006-01-02T15:4:05Z", "2006-01-02T15:04:5Z", "2006/01/02T15:04:05Z", "2006-01-02T15;04;05Z", "2006-01-02T15:04:05,5Z", "2006-01-02T15:04:05.Z", "2006-01-02T15:04:05.5", "2006-01-02T15:04:05.a5Z", "2006-01-02T15:04:05.5aZ",
		"0000-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z", "1969-12-31T23:59:59.999999999Z", "1970-01-01T00:00:00Z", "2000-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2001-02-29T00:00:00Z", "2004-02-30T00:00:00Z", "2006-04-31T00:00:00Z", "2006-00-01T00:00:00Z", "2006-13-01T00:00:00Z", "2006-01-00T00:00:00Z", "2006-01-32T00:00:00Z", "2006-01-02T24:00:00Z", "2006-01-02T23:60:00Z", "2006-01-02T23:59:60Z", "2006-01-02T23:59:61Z", "20a6-01-02T15:04:05Z", "2006-0a-02T15:04:05Z", "２006-01-02T15:04:05Z",
	}
	for n := range 13 {
		list = append(list, "2006-01-02T15:04:05."+strings.Repeat("7", n)+"Z", "2006-01-02T15:04:05."+strings.Repeat("0", n)+"+02:00")
	}
	for _, hours := range []string{"00", "01", "09", "12", "14", "19", "20", "23", "24", "29", "99", "0a", "1", "001", ""} {
		for _, minutes := range []string{"00", "30", "59", "60", "99", "5", "a0", ""} {
			list = append(list, "2006-01-02T15:04:05+"+hours+":"+minutes, "2006-01-02T15:04:05.5-"+hours+":"+minutes, "2006-01-02T15:04:05+"+hours+minutes)
		}
	}
	for _, second := range []string{"00", "09", "59", "60", "99"} {
		for _, minute := range []string{"00", "59", "60"} {
			for _, hour := range []string{"00", "23", "24", "2x"} {
				list = append(list, "2024-02-29T"+hour+":"+minute+":"+second+"Z")
			}
		}
	}
	return list
}

// readsPanic panics.
type readsPanic struct{}

func (*readsPanic) UnmarshalJSON([]byte) error { panic("of a method") }

// readsDeep decodes its contents by a call of this package in its method.
type readsDeep struct {
	Text string
	A    *readsDeep
}

func (r *readsDeep) UnmarshalJSON(b []byte) error {
	r.Text = string(b)
	var fields map[string]json.RawMessage
	if json.Unmarshal(b, &fields) != nil {
		return nil
	}
	if a := fields["A"]; a != nil {
		return json.Unmarshal(a, &r.A)
	}
	return nil
}

// nested returns documents of arrays, objects and both, with 9,999, 10,000, 10,001 and 20,000
// levels.
func nested() []string {
	var list []string
	for _, n := range []int{9999, 10000, 10001, 20000} {
		list = append(list, strings.Repeat("[", n)+strings.Repeat("]", n), strings.Repeat("[1,", n-1)+"[]"+strings.Repeat("]", n-1), strings.Repeat(`{"A":`, n)+"1"+strings.Repeat("}", n),
			strings.Repeat(`[{"A":`, n/2)+strings.Repeat("[", n%2)+strings.Repeat("]", n%2)+strings.Repeat("}]", n/2), strings.Repeat("[", n), strings.Repeat(`{"":`, n))
	}
	return list
}

func TestDepthRead(t *testing.T) {
	targets := []func() any{target{t: reflect.TypeFor[any]()}.fresh, target{t: reflect.TypeFor[Base]()}.fresh, target{t: reflect.TypeFor[nest]()}.fresh, target{t: reflect.TypeFor[std.RawMessage]()}.fresh, target{t: reflect.TypeFor[one[any]]()}.fresh, target{t: reflect.TypeFor[int]()}.filled, target{t: reflect.TypeFor[readsJSON]()}.fresh, target{t: reflect.TypeFor[nestMap]()}.fresh, target{t: reflect.TypeFor[[]any]()}.filled}
	for i, in := range nested() {
		if testing.Short() && i%3 != 0 {
			continue
		}
		if got, want := json.Valid([]byte(in)), std.Valid([]byte(in)); got != want {
			complain(t, "Valid of %s: %t; want %t", short(in), got, want)
		}
		for j, newTarget := range targets {
			for k, doc := range []string{in, " [ " + in + " ]", `{"unknown":` + in + `,"A":1}`} {
				if s := unlikeUnmarshal([]byte(doc), newTarget); s != "" {
					complain(t, "Unmarshal of %s into %T: %s", short(doc), newTarget(), s)
				}
				if (i+j+k)%8 != 0 {
					continue
				}
				if s := unlikeDecode([]byte(doc), newTarget, 0); s != "" {
					complain(t, "Decode of %s into %T: %s", short(doc), newTarget(), s)
				}
			}
		}
	}
	deep := strings.Repeat("[", 10001) + strings.Repeat("]", 10001)
	wantError[any](t, deep, "invalid character '[' exceeded max depth")
	wantError[one[int]](t, `{"unknown":`+deep[1:20001]+`}`, "invalid character '[' exceeded max depth")
	untouched(t, `{"A":5,"unknown":`+deep+`}`, target{t: reflect.TypeFor[one[*int]]()}.filled)
	t.Run("a_million_levels", func(t *testing.T) {
		for _, in := range []string{strings.Repeat("[", 1e6), strings.Repeat(`{"A":`, 1e6), strings.Repeat(`[{"":`, 5e5)} {
			same(t, in, func() any { return new(any) })
			same(t, in, func() any { return new(tree) })
			if json.Valid([]byte(in)) {
				t.Error("valid")
			}
		}
	})
}

func TestResultsDoNotAliasInput(t *testing.T) {
	t.Run("nothing_refers_to_the_input", func(t *testing.T) {
		in := []byte(`{"A":["plain","esc\u0041ped",1.5,{"key":"value"}],"E":[1, "raw"],"F":{"x":1},"G":12345,"H":"AQID","L":"text","D":{"name":{"G":1}},"M":{"map key":"x"}}`)
		kept := copyOf(in)
		var v, w everything
		if err := json.Unmarshal(in, &v); err != nil {
			t.Fatal(err)
		}
		for i := range in {
			in[i] = 'X'
		}
		if err := json.Unmarshal(kept, &w); err != nil || !reflect.DeepEqual(v, w) {
			complain(t, "%+v; want %+v", v, w)
		}
	})
	t.Run("appending_to_one_value_does_not_change_another", func(t *testing.T) {
		type slices struct {
			Raws   []std.RawMessage
			Bytes  [][]byte
			Ints   [][]int
			Anys   []any
			Text   [][]string
			Nested []one[[]Base]
		}
		v := decoded[slices](t, `{"Raws":[1,[2],"3"],"Bytes":["AQ==","Ag==","AwQ="],"Ints":[[1],[2,3],[4]],"Anys":[[1],[2],[3,[4]]],"Text":[["a"],["b"]],"Nested":[{"A":[{"A":1}]},{"A":[{"A":2}]}]}`)
		want, _ := std.Marshal(v)
		for i := range v.Raws {
			_ = append(v.Raws[i], "XXXXXXXX"...)
			_ = append(v.Bytes[i], 9, 9, 9, 9, 9, 9)
			_ = append(v.Ints[i], 9, 9, 9)
			_ = append(v.Anys[i].([]any), 9.0, 9.0, 9.0)
		}
		_ = append(append(v.Anys, 9), append(v.Anys[2].([]any)[1].([]any), 9))
		for i := range v.Text {
			_ = append(v.Text[i], "X", "X")
			_ = append(v.Nested[i].A, Base{9, 9}, Base{9, 9})
		}
		if got, _ := std.Marshal(v); !bytes.Equal(got, want) {
			complain(t, "%s; want %s", got, want)
		}
	})
	t.Run("a_RawMessage_is_new", func(t *testing.T) {
		backing := []byte("0123456789")
		raw := std.RawMessage(backing[:3])
		if err := json.Unmarshal([]byte(`[1,2]`), &raw); err != nil || string(raw) != "[1,2]" || string(backing) != "0123456789" {
			complain(t, "%s %s %v", raw, backing, err)
		}
	})
	t.Run("a_RawMessage_keeps_its_array", func(t *testing.T) {
		reuse := func(data []byte, v any) error {
			_, err := json.Parse(data, v, json.ReuseRawMessage)
			return err
		}
		for _, lib := range []func([]byte, any) error{std.Unmarshal, reuse} {
			backing := []byte("0123456789")
			raw := std.RawMessage(backing[:3])
			if err := lib([]byte(`[1,2]`), &raw); err != nil || string(raw) != "[1,2]" || string(backing) != "[1,2]56789" {
				complain(t, "%s %s %v", raw, backing, err)
			}
			if err := lib([]byte(`"longer than the array"`), &raw); err != nil || string(backing) != "[1,2]56789" {
				complain(t, "%s %s %v", raw, backing, err)
			}
		}
	})
	t.Run("bytes_are_new", func(t *testing.T) {
		inGo126(t)
		for _, lib := range []func([]byte, any) error{std.Unmarshal, json.Unmarshal} {
			backing := []byte("0123456789")
			v := backing[:5]
			if err := lib([]byte(`"AQID"`), &v); err != nil || string(backing) != "0123456789" || len(v) != 3 {
				complain(t, "%q %q %v", v, backing, err)
			}
			v = backing[:5]
			if err := lib([]byte(`[1,2]`), &v); err != nil || string(backing) != "\x01\x0223456789" || len(v) != 2 { // an array, however, is decoded into the old bytes
				complain(t, "%q %q %v", v, backing, err)
			}
		}
	})
	t.Run("pointers_are_kept", func(t *testing.T) {
		for _, lib := range []func([]byte, any) error{std.Unmarshal, json.Unmarshal} {
			b, n, m := &Base{1, 2}, new(int), map[string]int{"x": 1}
			v := struct {
				B *Base
				N **int
				M map[string]int
				I any
			}{b, &n, m, b}
			if err := lib([]byte(`{"B":{"A":5},"N":6,"M":{"y":2},"I":{"B":7}}`), &v); err != nil || v.B != b || *b != (Base{5, 7}) || *n != 6 || len(m) != 2 || v.I != any(b) {
				complain(t, "%+v %v %v %v %v", v, b, *n, m, err)
			}
		}
	})
	t.Run("values_of_one_document_are_apart", func(t *testing.T) {
		v := decoded[[]*Base](t, `[{"A":1},{"A":2},{"A":3}]`)
		v[0].B = 7
		w := decoded[[]*int](t, `[1,2,3]`)
		*w[0] = 9
		m := decoded[[]map[string]any](t, `[{"a":[1]},{"a":[1]}]`)
		m[0]["a"].([]any)[0] = "x"
		if *v[1] != (Base{2, 0}) || *w[1] != 2 || m[1]["a"].([]any)[0] != 1.0 {
			t.Error(v, w, m)
		}
	})
	t.Run("values_of_a_stream_stay", func(t *testing.T) {
		var in bytes.Buffer
		for i := range 300 {
			fmt.Fprintf(&in, `{"A":{"name":"text number %d","esc":"\u0041%d"},"E":["raw %d"],"G":%d.5,"H":%q}`+"\n", i, i, i, i, base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "bytes %d", i)))
		}
		text := in.String()
		var theirs, ours []everything
		for i, d := range []decoder{newStd(strings.NewReader(text)), newOurs(strings.NewReader(text))} {
			to := []*[]everything{&theirs, &ours}[i]
			for {
				var v everything
				if err := d.Decode(&v); err == io.EOF {
					break
				} else if err != nil {
					t.Fatal(err)
				}
				*to = append(*to, v)
			}
		}
		if !reflect.DeepEqual(theirs, ours) {
			t.Error("they differ")
		}
	})
}

func TestNilAndEmptyRead(t *testing.T) {
	for _, in := range []string{"null", "[]", "{}", `""`, "[null]", `{"A":null}`, `{"A":[],"B":{}}`, "0", "false"} {
		for _, x := range targets() {
			same(t, in, x.fresh)
			same(t, in, x.filled)
		}
	}
	wantDecoded(t, "[]", []int{})
	wantDecoded[[]int](t, "null", nil)
	wantDecoded(t, `""`, []byte{})
	wantDecoded(t, `{}`, map[string]int{})
	wantDecoded(t, `[1,2]`, [3]byte{1, 2, 0})
	wantDecoded(t, `[1,2,3,4]`, [3]int{1, 2, 3})
	wantDecoded(t, `[1,2]`, []byte{1, 2})
	wantDecoded(t, `"AQ\r\nID"`, []byte{1, 2, 3})
	wantDecoded(t, `"AQID"`, namedByteSlice{1, 2, 3})
	wantDecoded(t, `"AQID"`, []readsTextByte{1, 2, 3}) // the methods of the elements are not called
	wantDecoded(t, `["a","bc"]`, []readsTextByte{1, 2})
	wantDecoded(t, `[1,"x"]`, []any{1.0, "x"})
	v := struct {
		N int
		S string
		P *int
		A [2]int
		T Base
	}{1, "s", new(int), [2]int{1, 2}, Base{1, 2}}
	w := v
	w.P = nil
	if err := json.Unmarshal([]byte(`{"N":null,"S":null,"P":null,"A":null,"T":null}`), &v); err != nil || v != w {
		t.Error(v, err)
	}
	into[[]byte](t, `"AQI"`, `"A"`, `"===="`, `"AQ=="`, `"AQ==AQ=="`, `"\u0041Q=="`, `"AQ-_"`, `" AQ=="`, `"AQ==\n"`, `"\r\n"`, `[256]`, `[-1]`, `[1,"x"]`, `[null]`)
	into[one[[]byte]](t, `{"A":"%"}`, `{"A":"AQ!="}`)
	t.Run("interfaces", func(t *testing.T) {
		x, y := 1, "old"
		p, b := &x, &Base{1, 2}
		var empty any
		for _, newTarget := range []func() any{
			func() any { var v any = &x; return &v },
			func() any { var v any = &p; return &v },
			func() any { var v any = new(*int); return &v },
			func() any { var v any = (*int)(nil); return &v },
			func() any { var v any = (**int)(nil); return &v },
			func() any { var v any = &empty; return &v },
			func() any { var v any = &Base{1, 2}; return &v },
			func() any { var v any = Base{1, 2}; return &v },
			func() any { var v any = map[string]any{"A": &y, "B": b}; return &v },
			func() any { var v any = &map[string]any{"A": 1, "B": &Base{}}; return &v },
			func() any { var v any = []any{1, 2}; return &v },
			func() any { var v any = &[]any{&Base{}, 2, new(string)}; return &v },
			func() any { var v any = &[2]any{&Base{}, 2}; return &v },
			func() any { var v any = &readsJSON{Text: "old"}; return &v },
			func() any { var v any = readsJSONMap{"a": "b"}; return &v },
			func() any { var v any = &readsJSONMap{"a": "b"}; return &v },
			func() any { var v any = new(chan int); return &v },
			func() any { var v any = &std.RawMessage{}; return &v },
			func() any { var v error = &refused{"old"}; return &v },
			func() any { var v fmt.Stringer = describedNumber2(1); return &v },
			func() any { var v describer = describedNumber(1); return &v },
			func() any { var v describer = &described{A: 1}; return &v },
			func() any { var v describer = (*described)(nil); return &v },
			func() any { var v std.Unmarshaler = (*readsJSON)(nil); return &v },
			func() any { var v std.Unmarshaler = readsJSONMap{}; return &v },
			func() any { v := itself(); return &v },
			itself,
			func() any {
				var a, b any
				a, b = &b, &a
				_ = b
				var c any = &a
				a = 5
				return &c
			},
			func() any { var q **Base; return &q },
			func() any { q := new(any); *q = new(any); return &q },
		} {
			for _, in := range []string{"null", "1", "true", `"x"`, "[]", "[1,null]", "{}", `{"A":5,"B":{"A":6}}`, `{"Text":"new"}`, `[{"A":1},3,"s"]`, `"bad"`, `{"A":null,"B":null}`, "1e999", `[`, `{"A":`} {
				same(t, in, newTarget)
			}
		}
	})
}

// itself returns a pointer to an interface that contains the same pointer. With GOEXPERIMENT=jsonv2
// the interface is nil, because encoding/json may not terminate.
func itself() any {
	var v any
	if !json.OnV2 {
		v = &v
	}
	return &v
}

type describedNumber2 int

func (d describedNumber2) String() string { return fmt.Sprint(int(d)) }

func TestSkippedValues(t *testing.T) {
	bad := slices.DeleteFunc(faulty(), func(s string) bool { return std.Valid([]byte("["+s+"]")) || strings.Contains(s, "]") })
	for _, s := range bad {
		untouched(t, `{"A":1,"unknown":`+s+`}`, target{t: reflect.TypeFor[Base]()}.filled)
		untouched(t, `[1,2,`+s+`]`, target{t: reflect.TypeFor[[2]int]()}.filled)
		untouched(t, `{"A":[[`+s+`]]}`, target{t: reflect.TypeFor[one[int]]()}.filled)
		if !json.OnV2 { // with jsonv2, encoding/json does not skip the value
			untouched(t, `{"A":{"x":`+s+`}}`, target{t: reflect.TypeFor[one[chan int]]()}.filled)
		}
		untouched(t, `{"A":{"x":`+s+`}}`, target{t: reflect.TypeFor[embedsHiddenPointer]()}.filled)
		untouched(t, `[{"A":[`+s+`]}]`, target{t: reflect.TypeFor[readsText]()}.filled)
	}
	for _, s := range literals() {
		into[Base](t, `{"unknown":`+s+`,"A":1}`, `{"unknown":[`+s+`,{"A":`+s+`}],"B":2}`)
		into[[1]int](t, `[1,`+s+`,[`+s+`]]`)
		into[nothing](t, `{"A":`+s+`}`)
	}
	t.Run("unknown_fields", func(t *testing.T) {
		for _, in := range []string{`{"A":1,"x":2,"B":3}`, `{"x":1,"y":2}`, `{"A":"type","x":1}`, `{"x":1,"A":"type"}`, `{"x\u0041\n\"é":1}`, "{\"\xff\":1}", `{"A":{"x":1}}`, `{"a":1}`, `{"":1}`, `{"x":{"A":[`, `[{"A":1},{"x":1}]`, `{"A":{"A":1,"x":{"y":1}},"B":2}`} {
			for _, x := range []target{{t: reflect.TypeFor[Base]()}, {t: reflect.TypeFor[one[Base]]()}, {t: reflect.TypeFor[[]Base]()}, {t: reflect.TypeFor[map[string]Base]()}, {t: reflect.TypeFor[any]()}, {t: reflect.TypeFor[nothing]()}, {t: reflect.TypeFor[readsJSON]()}, {t: reflect.TypeFor[readsDeep]()}, {t: reflect.TypeFor[embedsAmbiguous]()}, {t: reflect.TypeFor[names]()}} {
				same(t, in, x.fresh) // one of the options is DisallowUnknownFields
				same(t, in, x.filled)
			}
		}
		d := json.NewDecoder(strings.NewReader(`{"zz\u0041\n":1,"A":5} {"A":6}`))
		d.DisallowUnknownFields()
		var v Base
		if err := d.Decode(&v); err == nil || err.Error() != `json: unknown field "zzA\n"` || v.A != 5 {
			t.Error(v, err)
		}
		if err := d.Decode(&v); err != nil || v.A != 6 {
			t.Error(v, err)
		}
	})
}

// This package agrees with encoding/json in cases in which other fast libraries are known to
// differ.
func TestRivals(t *testing.T) {
	t.Run("segmentio", func(t *testing.T) {
		into[time.Duration](t, `"1.5µs"`, `1500`, `"1500"`, `1.5`)
		wantDecoded(t, `1500`, time.Duration(1500))
		wantMarshal(t, 1500*time.Nanosecond, "1500")
		wantMarshal(t, struct {
			A int `json:",omitzero"`
		}{}, "{}")
		into[int64](t, "21000000000000000000", "18446744073709551616", "27670116110564327424")
		into[uint64](t, "21000000000000000000", "36893488147419103232", "184467440737095516150")
		wantDecoded(t, `[]`, [3]int{})
		same(t, `[1]`, func() any { return &[3]int{7, 8, 9} })
		wantDecoded(t, `"12"`, std.Number("12"))
		sameMarshal(t, std.Number("1x"), std.Number("01"), quote[*int]{}, writesJSON{" 1"}, writesJSON{"\n{}\t"}, std.RawMessage("1 2"), std.RawMessage(" 1 "))
		into[two[int]](t, `{"A":"x","B":2}`)
		into[any](t, `{"a":tru}`, `[1,]`)
		into[one[[]int8]](t, `{"A":["x"]}`, `{"A":[300]}`)
		sameMarshal(t, map[textKeyString]int{"a": 1})
		into[any](t, strings.Repeat("[", 1e6))
		into[map[string]int](t, `{"key\u0000":1}`)
		into[struct {
			K int `json:"key"`
		}](t, `{"key\u0000":1}`, `{"key":2,"key\u0000":1}`)
	})
	t.Run("goccy", func(t *testing.T) {
		untouched(t, `{"A":1,"B":2,"C":3,}`, target{t: reflect.TypeFor[embedsPointer]()}.filled)
		into[Base](t, `{"A":"x"}`, `{"A":1.5}`)
		runScript(t, "idb", `   "x"   2  `, []int{100}, io.EOF)
		runScript(t, "ddb", `  {"a":}  2  `, []int{100}, io.EOF)
		runScript(t, "ddd", `"`+strings.Repeat(`\n`, 5000)+`" "`+strings.Repeat(`\u00e9`, 5000)+`" 1`, []int{37}, io.EOF)
	})
	t.Run("sonic", func(t *testing.T) {
		for _, in := range []string{"\"a\x01b\"", "\"\n\"", `"\u12"`, `"\q"`, `{"a\q":1}`, "[\"\t\"]"} {
			if json.Valid([]byte(in)) {
				complain(t, "%q is valid", in)
			}
			into[any](t, in)
			into[Base](t, `{"unknown":`+in+`}`)
		}
		if v := decoded[float64](t, "-0"); !math.Signbit(v) {
			t.Error(v)
		}
		into[any](t, "-0", "-0.0", "[-0]", "-0e5")
		into[map[string]Base](t, `{"A":{"A":1}}`)
		into[folds](t, "{\"\u212a\":1,\"\u017f\":2}")
		into[any](t, strings.Repeat("[", 4097)+strings.Repeat("]", 4097))
		wantDecoded(t, `{"A":"01"}`, quote[int]{A: 1})
		wantMarshal(t, "\b\f", `"\b\f"`)
		into[embedsHiddenPointer](t, `{"A":1}`)
		wantMarshal(t, omit[float64]{math.Copysign(0, -1), 0, 1}, `{"c":1}`)
		runScript(t, "dddddd", `1 {"a":2} [3] "x"`, []int{100}, io.EOF)
		runScript(t, "dd", `[1,`, []int{100}, io.EOF)
	})
	t.Run("jsoniter", func(t *testing.T) {
		type cycle struct{ Next *cycle }
		c := new(cycle)
		c.Next = c
		sameMarshal(t, c)
		into[int8](t, "128", "300", "-129")
		into[uint32](t, "4294967296")
	})
}
