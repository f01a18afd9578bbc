package json

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/internal/guard"
)

// tokenText formats the current token of t, with all of its properties.
func tokenText(t *Tokenizer) string {
	kinds := map[Kind]string{Undefined: "", Null: "null", False: "false", True: "true", Uint: "uint", Int: "int", Float: "float",
		String: "string", Unescaped: "unescaped", Array: "array", Object: "object"}
	key := ""
	if t.IsKey {
		key = " key"
	}
	return fmt.Sprintf("%s %d/%d %s%s", t.Value, t.Depth, t.Index, kinds[t.Kind()], key)
}

func TestTokenizer(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{``, nil},
		{" \t\r\n ", nil},
		{`null`, []string{"null 0/0 null"}},
		{` true `, []string{"true 0/0 true"}},
		{`false`, []string{"false 0/0 false"}},
		{`0 -0 12345678 -1 0.5 1e5 1E+5 -10.25e-123456789`, []string{"0 0/0 uint", "-0 0/0 int", "12345678 0/0 uint", "-1 0/0 int",
			"0.5 0/0 float", "1e5 0/0 float", "1E+5 0/0 float", "-10.25e-123456789 0/0 float"}},
		{`"" "a" "a b ~" "ä" "\n" "` + "\x7f" + `" "abcdefgh" "abcdefghij" "abcdefghä" "abcdefgh\u00e4"`, []string{
			`"" 0/0 unescaped`, `"a" 0/0 unescaped`, `"a b ~" 0/0 unescaped`, `"ä" 0/0 string`, `"\n" 0/0 string`, "\"\x7f\" 0/0 string",
			`"abcdefgh" 0/0 unescaped`, `"abcdefghij" 0/0 unescaped`, `"abcdefghä" 0/0 string`, `"abcdefgh\u00e4" 0/0 string`}},
		{`[]`, []string{"[ 0/0 array", "] 0/0 "}},
		{`{}`, []string{"{ 0/0 object", "} 0/0 "}},
		{`[1,[2,3],{},4]`, []string{"[ 0/0 array", "1 1/0 uint", ", 1/0 ", "[ 1/1 array", "2 2/0 uint", ", 2/0 ", "3 2/1 uint", "] 1/1 ",
			", 1/1 ", "{ 1/2 object", "} 1/2 ", ", 1/2 ", "4 1/3 uint", "] 0/0 "}},
		{`{"a":[7,8]}`, []string{"{ 0/0 object", `"a" 1/0 unescaped key`, ": 1/0 ", "[ 1/0 array", "7 2/0 uint", ", 2/0 ", "8 2/1 uint", "] 1/0 ", "} 0/0 "}},
		{`{"a":"b","ä":{"":null},"c":-1}`, []string{"{ 0/0 object", `"a" 1/0 unescaped key`, ": 1/0 ", `"b" 1/0 unescaped`, ", 1/0 ",
			`"ä" 1/1 string key`, ": 1/1 ", "{ 1/1 object", `"" 2/0 unescaped key`, ": 2/0 ", "null 2/0 null", "} 1/1 ", ", 1/1 ",
			`"c" 1/2 unescaped key`, ": 1/2 ", "-1 1/2 int", "} 0/0 "}},
		{`[]{}1"a"true[`, []string{"[ 0/0 array", "] 0/0 ", "{ 0/0 object", "} 0/0 ", "1 0/0 uint", `"a" 0/0 unescaped`, "true 0/0 true", "[ 0/0 array"}},
	} {
		k := NewTokenizer([]byte(c.text))
		var got []string
		for k.Next() {
			got = append(got, tokenText(k))
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s\ngot  %q\nwant %q", c.text, got, c.want)
		}
		checkTokens(t, []byte(c.text))
	}
}

// validSequence returns the number of JSON values in data, and whether encoding/json accepts all of
// them. encoding/json's Decoder reads 01 and nulltrue as two values each. Here, a number or literal
// must be followed by a delimiter.
func validSequence(data []byte) (n int, ok bool) {
	d := json.NewDecoder(bytes.NewReader(data))
	for {
		var raw json.RawMessage
		switch err := d.Decode(&raw); {
		case err == io.EOF:
			return n, true
		case err != nil:
			return n, false
		}
		n++
		if end := int(d.InputOffset()); end < len(data) && !bytes.ContainsRune([]byte(`]}"`), rune(raw[len(raw)-1])) && parts[data[end]] {
			return n, false
		}
	}
}

// checkTokens reads data to its end. It checks each token with a simple parser, and the result with
// encoding/json.
func checkTokens(t *testing.T, data []byte) {
	t.Helper()
	type container struct {
		closes byte
		commas int
	}
	var open []container
	key := false    // whether a string here is a key
	var text []byte // the tokens
	before := 0     // end of the last token
	values := 0     // number of complete values
	k := NewTokenizer(data)
	for k.Next() {
		if k.Err != nil || len(k.Value) == 0 {
			t.Fatalf("%.99q: an empty token, or an error: %v", data, k.Err)
		}
		end := len(data) - k.Remaining()
		start := end - len(k.Value)
		if start < before || &data[start] != &k.Value[0] || cap(k.Value) != len(k.Value) || len(bytes.Trim(data[before:start], " \t\r\n")) > 0 {
			t.Fatalf("%.99q: token %q does not lie at %d, after %d", data, k.Value, start, before)
		}
		before = end
		text = append(text, k.Value...)

		c := k.Value[0]
		isKey := key && c == '"'
		if c == ']' || c == '}' {
			if len(open) == 0 || open[len(open)-1].closes != c {
				t.Fatalf("%.99q: %c at %d closes nothing", data, c, start)
			}
			open = open[:len(open)-1]
			key = false
		}
		index := 0
		if len(open) > 0 {
			index = open[len(open)-1].commas
		}
		if k.Depth != len(open) || k.Index != index || k.IsKey != isKey {
			t.Fatalf("%.99q: token %q at %d has depth %d, index %d, key %v; want %d, %d, %v", data, k.Value, start, k.Depth, k.Index, k.IsKey, len(open), index, isKey)
		}
		switch c {
		case '[':
			open = append(open, container{closes: ']'})
			key = false
		case '{':
			open = append(open, container{closes: '}'})
			key = true
		case ',':
			last := &open[len(open)-1]
			last.commas++
			key = last.closes == '}'
		case ':':
			key = false
		default:
			if len(open) == 0 {
				values++
			}
		}
		checkToken(t, k)
	}
	n, valid := validSequence(data)
	if (k.Err == nil) != valid || valid && n != values {
		t.Fatalf("%.99q: %d values, error %v; for encoding/json %d values, valid is %v", data, values, k.Err, n, valid)
	}
	if valid && n == 1 != json.Valid(data) {
		t.Fatalf("%.99q: one value: %v, valid: %v", data, n == 1, json.Valid(data))
	}
	if valid {
		var compact bytes.Buffer
		for d := json.NewDecoder(bytes.NewReader(data)); d.More(); {
			var raw json.RawMessage
			if d.Decode(&raw) != nil || json.Compact(&compact, raw) != nil {
				t.Fatalf("%.99q: encoding/json changed its mind", data)
			}
		}
		if !bytes.Equal(text, compact.Bytes()) {
			t.Fatalf("%.99q: the tokens are %q, want %q", data, text, compact.Bytes())
		}
	}
	checkEnd(t, data, k, before, values)
}

// checkEnd checks the state of k after the last token.
func checkEnd(t *testing.T, data []byte, k *Tokenizer, before, values int) {
	t.Helper()
	err, remaining := k.Err, k.Remaining()
	for range 2 {
		if k.Delim != 0 || k.Value != nil || k.IsKey || k.Kind() != Undefined || k.Bool() || k.Int() != 0 || k.Uint() != 0 || k.Float() != 0 || k.String() != nil {
			t.Fatalf("%.99q: there is a token after the end: %+v", data, k)
		}
		if k.Err != err || k.Remaining() != remaining || k.Next() {
			t.Fatalf("%.99q: it goes on after the end", data)
		}
	}
	if err == nil {
		if k.Depth != 0 || k.Index != 0 || remaining != 0 {
			t.Fatalf("%.99q: at the end, depth %d, index %d, %d bytes remain", data, k.Depth, k.Index, remaining)
		}
		return
	}
	var syntax *SyntaxError
	if !errors.As(err, &syntax) || syntax.Error() == "" || syntax.Offset < 0 || syntax.Offset > int64(len(data)) {
		t.Fatalf("%.99q: the error is %#v", data, err)
	}
	at := len(data) - remaining
	if at < before || len(bytes.Trim(data[before:at], " \t\r\n")) > 0 || int(syntax.Offset) < min(at, len(data)) {
		t.Fatalf("%.99q: stopped at %d, the last token ended at %d, the error is at %d", data, at, before, syntax.Offset)
	}
	if values == 0 { // otherwise encoding/json reports data after the first value
		if want := json.Unmarshal(data, new(any)); !reflect.DeepEqual(err, want) {
			t.Fatalf("%.99q: the error is %#v, want %#v", data, err, want)
		}
	}
}

// checkToken checks the kind and the value of a token.
func checkToken(t *testing.T, k *Tokenizer) {
	t.Helper()
	v, kind := k.Value, k.Kind()
	class, want := kind.Class(), Undefined
	switch c := v[0]; c {
	case '[':
		want = Array
	case '{':
		want = Object
	case '"':
		want = Unescaped
		for _, c := range v {
			if c < ' ' || c > '~' || c == '\\' {
				want = String
			}
		}
	case 't', 'f', 'n':
		want = map[byte]Kind{'t': True, 'f': False, 'n': Null}[c]
	case ']', '}', ':', ',':
	default:
		want = Uint
		if c == '-' {
			want = Int
		}
		if bytes.ContainsAny(v, ".eE") {
			want = Float
		}
	}
	if kind != want {
		t.Fatalf("%q is of kind %d, want %d", v, kind, want)
	}
	if isDelim := class == Array || class == Object || class == Undefined; (k.Delim != 0) != isDelim || isDelim && (len(v) != 1 || k.Delim != Delim(v[0])) {
		t.Fatalf("%.99q: Delim is %q", v, rune(k.Delim))
	}
	if v.String() != (class == String) || v.Number() != (class == Num) || v.Null() != (class == Null) || v.True() != (kind == True) || v.False() != (kind == False) || k.Bool() != v.True() {
		t.Fatalf("%q of kind %d is another value", v, kind)
	}
	var (
		i int64
		u uint64
		f float64
		s string
	)
	if class == Num {
		if json.Unmarshal(v, &i) != nil {
			i = 0
		}
		if kind != Uint || json.Unmarshal(v, &u) != nil {
			u = 0
		}
		if json.Unmarshal(v, &f) != nil {
			if f = math.Inf(1); v[0] == '-' {
				f = math.Inf(-1)
			}
		}
	}
	if kind == Float {
		i = 0
	}
	if k.Int() != i || k.Uint() != u || math.Float64bits(k.Float()) != math.Float64bits(f) {
		t.Fatalf("%q is %d, %d, %v; want %d, %d, %v", v, k.Int(), k.Uint(), k.Float(), i, u, f)
	}
	if class == String && json.Unmarshal(v, &s) != nil {
		t.Fatalf("%q is no string", v)
	}
	if got := k.String(); string(got) != s || (got != nil) != (class == String) {
		t.Fatalf("%q is %q, want %q", v, got, s)
	}
	if class == String && string(v.Unquote()) != s {
		t.Fatalf("%q unquoted is %q, want %q", v, v.Unquote(), s)
	}
}

// tokenTexts contains invalid texts, and some valid ones.
var tokenTexts = []string{
	"01", "-", "-01", "1.", "1.e1", ".5", "1e", "1e+", "1e+x", "--1", "+1", "1x", "1.5x", "0x10", "1-2", "1.2.3", "-a", "00", "1234567x", "12345678x", "1_000",
	"nul", "nulx", "nulL", "nullx", "nulltrue", "truee", "tru", "t", "fals", "falsE", "false1", "falsex", "fa", "True", "NaN", "nullnull", "null\x00", "null\"a\"",
	`"`, `"a`, `"abcdefghijklm`, `"\`, `"\"`, `"\q"`, `"\u"`, `"\u12"`, `"\u123`, `"\u123g"`, `"\ud800"`, `"\ud83d\ude00"`, "\"\n\"", "\"abcdefghijk\x1f\"", "\"\x00", `"\'"`, `"\/\b\f\n\r\t\\\""`,
	"\"\xff\"", "\"\xe2\x80\"", "\"é\n\"", "'a'",
	"]", "}", "[", "{", "[1", "[1,", "[1,]", "[,1]", "[,]", "[1 2]", "[1 2 3,,:", "[1:2]", "[:", "{]", "[}", "{1:2}", "{null:1}", "{,}", "{:", `{"a"}`, `{"a",1}`, `{"a":}`, `{"a":1,}`,
	`{"a":1 "b":2}`, `{"a" 1}`, `{"a"::1}`, `{"a":1:2}`, `{"a":1,2}`, `{"a":1]`, `["a":1]`, `[[1]`, `[1]]`, `{"a":{"b":[`, `{"a":[}`, `{{}:1}`, `{[]:1}`, `[{"a":1},{"b":2}`,
	",", ":", "1,2", "1 , 2", "1:2", "[1],[2]", "[1] [2]", "[1][2]{}{}\"a\"\"b\"", "1 2", "[]]", "[] ,", "[1] [01]", "{} {\"a\":nul}", "1 [", "\x00", "\xef\xbb\xbf[]", "a", "/", "[1]/", "[1] // x", "\x0b1", "[1\x0c]", "\u00a01",
	"  [ 1 , 2 ]  ", "\n\n\n  [\n\t1\r\n]", "[\n                1,\n                2]", "\n        ", "\n       1", "\n         1", "\n        \n         1 ", "\n\n        \t1",
	`[18446744073709551615,18446744073709551616,9223372036854775807,9223372036854775808,-9223372036854775808,-9223372036854775809,99999999999999999999999999,1e400,-1e400,1e-400,-0.0,
		999999999999999,9999999999999999,123456789012345678901234567890.5, 0.1, 5e-324]`,
	`{"id":12345,"name":"a name that is somewhat longer","tags":["x","y\n","ä"],"nested":{"deep":[[[{"deeper":null}]]],"f":-1.5e3},"ok":true,"no":false}`,
}

// Errors are correct for each text of tokenTexts, for each prefix of it, and for the text in an
// array.
func TestTokenizerErrors(t *testing.T) {
	for _, text := range tokenTexts {
		for n := range len(text) + 1 {
			checkTokens(t, []byte(text[:n]))
		}
		checkTokens(t, []byte("["+text+"]"))
		checkTokens(t, []byte(`{"key": `+text+" ,1"))
		checkTokens(t, []byte("null "+text))
	}
}

// Errors that segmentio/encoding/json does not report have the right text and offset.
func TestTokenizerErrorText(t *testing.T) {
	for _, c := range []struct {
		text, err string
		offset    int64
	}{
		{`[1 2 3,,:`, "invalid character '2' after array element", 4},
		{` [1`, "unexpected end of JSON input", 3},
		{`[1] [01]`, "invalid character '1' after array element", 7},
		{`[1] x`, "invalid character 'x' looking for beginning of value", 5},
		{"[\"a\nb\"]", "invalid character '\\n' in string literal", 4},
		{strings.Repeat("[", maxDepth+1), "invalid character '[' exceeded max depth", maxDepth + 1},
	} {
		k := NewTokenizer([]byte(c.text))
		for k.Next() {
		}
		e, ok := k.Err.(*SyntaxError)
		if !ok {
			t.Fatalf("%.20s: %v", c.text, k.Err)
		}
		if (e.Error() != c.err || e.Offset != c.offset) && !OnV2 {
			t.Errorf("%.20s: %q at %d, want %q at %d", c.text, e.Error(), e.Offset, c.err, c.offset)
		}
	}
}

// A Tokenizer keeps the depth and index of nested containers, up to the maximum depth. Each
// container follows two commas.
func TestTokenizerDepth(t *testing.T) {
	for _, c := range []struct{ open, close string }{{"[1,2,", "]"}, {`{"a":1,"b":2,"c":`, "}"}, {`[1,2,{"a":1,"b":2,"c":`, "}]"}} {
		for _, depth := range []int{31, 32, 33, 34, 100, maxDepth - 1, maxDepth} {
			n := depth / len(c.close)
			text := strings.Repeat(c.open, n) + "0" + strings.Repeat(c.close, n)
			checkTokens(t, []byte(text))
			k := NewTokenizer([]byte(text))
			for k.Next() {
				if (k.Delim == '}' || k.Delim == ']') && k.Depth > 0 && k.Index != 2 {
					t.Fatalf("at depth %d, the index is %d again, want 2", k.Depth, k.Index)
				}
			}
		}
	}
	checkTokens(t, []byte(strings.Repeat("[", maxDepth)+strings.Repeat("]", maxDepth)))
	checkTokens(t, []byte(strings.Repeat("[", maxDepth+1)+strings.Repeat("]", maxDepth+1)))
	checkTokens(t, []byte(strings.Repeat(`{"a":`, maxDepth+1)))
}

// A Tokenizer can be reset at any token, and reads the next text as a new Tokenizer does.
func TestTokenizerReset(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	texts := append([]string{strings.Repeat("[", 100)}, tokenTexts...)
	var k Tokenizer
	if k.Next() || k.Err != nil || k.Remaining() != 0 || k.Kind() != Undefined {
		t.Error("the zero Tokenizer has something to tell")
	}
	for range 5000 {
		text := []byte(texts[r.IntN(len(texts))])
		fresh := NewTokenizer(text)
		k.Reset(text)
		for range r.IntN(20) {
			if k.Next() != fresh.Next() {
				t.Fatalf("%.99q: one goes on, the other does not", text)
			}
			if tokenText(&k) != tokenText(fresh) || k.Remaining() != fresh.Remaining() || fmt.Sprint(k.Err) != fmt.Sprint(fresh.Err) {
				t.Fatalf("%.99q: %s, %v; a new Tokenizer gives %s, %v", text, tokenText(&k), k.Err, tokenText(fresh), fresh.Err)
			}
		}
	}
}

// A Tokenizer that is not moved to the heap allocates nothing, and neither do its tokens.
func TestTokenizerAllocates(t *testing.T) {
	text := []byte(tokenTexts[len(tokenTexts)-1])
	deep := []byte(strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth))
	var sum int
	count := func(k *Tokenizer) {
		for k.Next() {
			sum += len(k.Value)
			if k.Kind() == Unescaped {
				sum += len(k.String())
			}
			sum += int(k.Int()) + int(k.Float())
		}
	}
	if n := testing.AllocsPerRun(100, func() {
		for k := NewTokenizer(text); k.Next(); {
			sum += len(k.Value)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	var k Tokenizer
	if n := testing.AllocsPerRun(10, func() {
		k.Reset(text)
		count(&k)
		k.Reset(deep)
		count(&k)
	}); n != 0 {
		t.Errorf("%v allocations when it is used again", n)
	}
	if sum == 0 {
		t.Error("nothing was read")
	}
}

// String returns a view if the text occurs unchanged in the input.
func TestTokenizerString(t *testing.T) {
	for text, view := range map[string]bool{`"plain"`: true, `"ä日本"`: true, `""`: true, "\"\x7f\"": true, `"a\n"`: false, "\"\xff\"": false, `"\u0041"`: false} {
		data := []byte(text)
		k := NewTokenizer(data)
		if !k.Next() {
			t.Fatal(k.Err)
		}
		s := k.String()
		if cap(s) > 0 && &s[:1][0] == &data[1] != view {
			t.Errorf("%s: a view: %v", text, !view)
		}
		if view && cap(s) != len(s) {
			t.Errorf("%s: to append to the text would change the input", text)
		}
	}
}

// FuzzTokenizer reads arbitrary data: see checkTokens.
func FuzzTokenizer(f *testing.F) {
	for _, text := range tokenTexts {
		f.Add([]byte(text))
	}
	f.Add([]byte(strings.Repeat("[", 40) + strings.Repeat(`{"a":`, 40)))
	f.Fuzz(func(t *testing.T, data []byte) {
		checkTokens(t, guard.Test(t, data))
	})
}

// Values without white space between them are accepted or rejected as Tokenizer's documentation
// says.
func TestTouchingValues(t *testing.T) {
	for text, strict := range map[string]bool{"01": true, "1-2": true, "nulltrue": true, `1"a"`: false, `"a"1`: false, "[1][2]": false, "1[2]": false} {
		tokens := NewTokenizer([]byte(text))
		for tokens.Next() {
		}
		if (tokens.Err != nil) != strict {
			t.Errorf("Tokenizer of %s: %v", text, tokens.Err)
		}
		values := NewDecoder(strings.NewReader(text))
		for n := range 2 {
			var v any
			if err := values.Decode(&v); err != nil {
				t.Errorf("Decoder of %s, value %d: %v", text, n, err)
			}
		}
	}
}
