package differential

// Package json contains an API of segmentio/encoding/json that encoding/json lacks. These tests
// compare the parts that need no encoder or decoder with the original: flags and kinds, Tokenizer
// and RawValue, Escape and Unescape. On valid JSON, both libraries agree. The differences are
// listed by name.

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	segmentio "github.com/segmentio/encoding/json"
	"github.com/slipstream-go/slipstream/bench/json/corpus"
	"github.com/slipstream-go/slipstream/json"
)

// segmentioTokens lists the texts that the two libraries tokenize differently. A result is a list
// of tokens, with ! for an error.
var segmentioTokens = []struct{ name, text, theirs, ours, why string }{
	{"order", `[1 2 3,,:`, `[ 1 2 3 , , :`, `[ 1 !`, "segmentio knows no grammar: any order of tokens is right"},
	{"trailing comma", `[1,]`, `[ 1 , ]`, `[ 1 , !`, "the same"},
	{"key that is no string", `{1:2}`, `{ 1 : 2 }`, `{ !`, "the same"},
	{"end", `{"a":[1`, `{ "a" : [ 1`, `{ "a" : [ 1 !`, "segmentio does not miss what is still open"},
	{"leading zero", `[01]`, `[ 0 1 ]`, `[ !`, "segmentio reads a number that is none as two"},
	{"number and word", `1true`, `1 true`, `!`, "for segmentio a number need not end where the next token begins"},
	{"word and word", `nulltrue`, `null true`, `!`, "nor a word"},
	{"depth", strings.Repeat("[", 10_001), strings.TrimSpace(strings.Repeat("[ ", 10_001)), strings.Repeat("[ ", 10_000) + "!", "the limit of encoding/json"},
}

// segmentioResults lists calls whose results differ.
var segmentioResults = []struct {
	name         string
	theirs, ours func() string
	want, our    string
	why          string
}{
	{"Unquote of no string", unquote[segmentio.RawValue](`"a`), unquote[json.RawValue](`"a`), "panic", `""`, "nothing that is read makes this module panic"},
	{"Unquote with more after it", unquote[segmentio.RawValue](`"a"b`), unquote[json.RawValue](`"a"b`), "panic", `""`, "the same"},
	{"AppendUnquote of an escape", appendUnquote[segmentio.RawValue](`"\n"`), appendUnquote[json.RawValue](`"\n"`), `"xx\n"`, `"x\n"`, "segmentio appends twice to what is there, if the text is not plain"},
	{"key after an empty object", func() string { return fmt.Sprint(theirKeys(`[{},"a"]`)) }, func() string { return fmt.Sprint(ourKeys(`[{},"a"]`)) }, "1", "0", "segmentio waits for a key until it comes"},
	{"offset of an error", theirOffset(`[1,nul]`), ourOffset(`[1,nul]`), "0", "7", "segmentio has no offsets"},
	{"depth at an error", theirDepth(`]`), ourDepth(`]`), "-1", "0", "segmentio leaves what was never entered"},
}

func unquote[T interface {
	~[]byte
	Unquote() []byte
}](text string) func() string {
	return func() (result string) {
		defer func() {
			if recover() != nil {
				result = "panic"
			}
		}()
		return fmt.Sprintf("%q", T(text).Unquote())
	}
}

func appendUnquote[T interface {
	~[]byte
	AppendUnquote([]byte) []byte
}](text string) func() string {
	return func() string { return fmt.Sprintf("%q", T(text).AppendUnquote([]byte("x"))) }
}

func offset(err error) string {
	var e *json.SyntaxError
	if !errors.As(err, &e) {
		return fmt.Sprint(err)
	}
	return fmt.Sprint(e.Offset)
}

func atEnd(text string) (*segmentio.Tokenizer, *json.Tokenizer) {
	theirs, ours := segmentio.NewTokenizer([]byte(text)), json.NewTokenizer([]byte(text))
	for theirs.Next() {
	}
	for ours.Next() {
	}
	return theirs, ours
}

func theirKeys(text string) (n int) {
	for t := segmentio.NewTokenizer([]byte(text)); t.Next(); {
		if t.IsKey {
			n++
		}
	}
	return n
}

func ourKeys(text string) (n int) {
	for t := json.NewTokenizer([]byte(text)); t.Next(); {
		if t.IsKey {
			n++
		}
	}
	return n
}

func theirOffset(text string) func() string {
	return func() string { theirs, _ := atEnd(text); return offset(theirs.Err) }
}

func ourOffset(text string) func() string {
	return func() string { _, ours := atEnd(text); return offset(ours.Err) }
}

func theirDepth(text string) func() string {
	return func() string { theirs, _ := atEnd(text); return fmt.Sprint(theirs.Depth) }
}

func ourDepth(text string) func() string {
	return func() string { _, ours := atEnd(text); return fmt.Sprint(ours.Depth) }
}

// TestSegmentioConstants compares the values of constants.
func TestSegmentioConstants(t *testing.T) {
	for name, pair := range map[string][2]uint64{
		"EscapeHTML":                           {uint64(json.EscapeHTML), uint64(segmentio.EscapeHTML)},
		"SortMapKeys":                          {uint64(json.SortMapKeys), uint64(segmentio.SortMapKeys)},
		"TrustRawMessage":                      {uint64(json.TrustRawMessage), uint64(segmentio.TrustRawMessage)},
		"DisallowUnknownFields":                {uint64(json.DisallowUnknownFields), uint64(segmentio.DisallowUnknownFields)},
		"UseNumber":                            {uint64(json.UseNumber), uint64(segmentio.UseNumber)},
		"DontCopyString":                       {uint64(json.DontCopyString), uint64(segmentio.DontCopyString)},
		"DontCopyNumber":                       {uint64(json.DontCopyNumber), uint64(segmentio.DontCopyNumber)},
		"DontCopyRawMessage":                   {uint64(json.DontCopyRawMessage), uint64(segmentio.DontCopyRawMessage)},
		"ZeroCopy":                             {uint64(json.ZeroCopy), uint64(segmentio.ZeroCopy)},
		"DontMatchCaseInsensitiveStructFields": {uint64(json.DontMatchCaseInsensitiveStructFields), uint64(segmentio.DontMatchCaseInsensitiveStructFields)},
		"UseBigInt":                            {uint64(json.UseBigInt), uint64(segmentio.UseBigInt)},
		"UseInt64":                             {uint64(json.UseInt64), uint64(segmentio.UseInt64)},
		"UseUint64":                            {uint64(json.UseUint64), uint64(segmentio.UseUint64)},

		"Undefined": {uint64(json.Undefined), uint64(segmentio.Undefined)},
		"Null":      {uint64(json.Null), uint64(segmentio.Null)},
		"Bool":      {uint64(json.Bool), uint64(segmentio.Bool)},
		"False":     {uint64(json.False), uint64(segmentio.False)},
		"True":      {uint64(json.True), uint64(segmentio.True)},
		"Num":       {uint64(json.Num), uint64(segmentio.Num)},
		"Uint":      {uint64(json.Uint), uint64(segmentio.Uint)},
		"Int":       {uint64(json.Int), uint64(segmentio.Int)},
		"Float":     {uint64(json.Float), uint64(segmentio.Float)},
		"String":    {uint64(json.String), uint64(segmentio.String)},
		"Unescaped": {uint64(json.Unescaped), uint64(segmentio.Unescaped)},
		"Array":     {uint64(json.Array), uint64(segmentio.Array)},
		"Object":    {uint64(json.Object), uint64(segmentio.Object)},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s is %d, segmentio's is %d", name, pair[0], pair[1])
		}
	}
	for k := range 200 {
		if ours, theirs := json.Kind(k).Class(), segmentio.Kind(k).Class(); uint(ours) != uint(theirs) {
			t.Errorf("the class of %d is %d, for segmentio %d", k, ours, theirs)
		}
	}
}

// sameTokens compares all fields and methods of both tokenizers at each token of a valid text.
// After an empty object, segmentio reports each scalar as a key until the next colon; see
// segmentioResults.
func sameTokens(t *testing.T, text []byte) {
	t.Helper()
	ours, theirs := json.NewTokenizer(text), segmentio.NewTokenizer(text)
	afterEmpty, last := false, json.Delim(0)
	for n := 0; ; n++ {
		a, b := ours.Next(), theirs.Next()
		afterEmpty = ours.Delim != ':' && (afterEmpty || last == '{' && ours.Delim == '}')
		last = ours.Delim
		isKey := ours.IsKey || afterEmpty && a && ours.Delim == 0
		if a != b || ours.Err != nil || theirs.Err != nil {
			t.Fatalf("%.99q: token %d is there: %v, for segmentio: %v; errors %v, %v", text, n, a, b, ours.Err, theirs.Err)
		}
		v, w := ours.Value, theirs.Value
		if string(v) != string(w) || ours.Delim != theirs.Delim || ours.Depth != theirs.Depth || ours.Index != theirs.Index || isKey != theirs.IsKey ||
			uint(ours.Kind()) != uint(theirs.Kind()) || ours.Remaining() != theirs.Remaining() || ours.Bool() != theirs.Bool() ||
			v.String() != w.String() || v.Number() != w.Number() || v.Null() != w.Null() || v.True() != w.True() || v.False() != w.False() {
			t.Fatalf("%.99q: token %d is\n%+v\nfor segmentio\n%+v", text, n, ours, theirs)
		}
		switch ours.Kind().Class() {
		case json.Num:
			// For numbers of another kind, segmentio does not define Int and Uint. In both
			// libraries they return 0.
			if ours.Int() != theirs.Int() || ours.Uint() != theirs.Uint() || math.Float64bits(ours.Float()) != math.Float64bits(theirs.Float()) {
				t.Fatalf("%s is %d, %d, %v; for segmentio %d, %d, %v", v, ours.Int(), ours.Uint(), ours.Float(), theirs.Int(), theirs.Uint(), theirs.Float())
			}
		case json.String:
			if string(ours.String()) != string(theirs.String()) || string(v.Unquote()) != string(w.Unquote()) {
				t.Fatalf("%s is %q, %q; for segmentio %q, %q", v, ours.String(), v.Unquote(), theirs.String(), w.Unquote())
			}
			if string(json.Unescape(v)) != string(segmentio.Unescape(w)) || string(json.AppendUnescape([]byte("x"), v, 0)) != string(segmentio.AppendUnescape([]byte("x"), w, 0)) {
				t.Fatalf("Unescape(%s) is %q; for segmentio %q", v, json.Unescape(v), segmentio.Unescape(w))
			}
		}
		if !a {
			return
		}
	}
}

// randomJSON appends a random value, whose strings consist of words.
func randomJSON(b []byte, r *rand.Rand, words []string, depth int) []byte {
	blank := func() {
		for r.IntN(4) == 0 {
			b = append(b, " \n\t\r"[r.IntN(4)])
		}
	}
	text := func() {
		b = append(b, '"')
		for range r.IntN(4) {
			b = append(b, words[r.IntN(len(words))]...)
		}
		b = append(b, '"')
	}
	blank()
	switch kind := r.IntN(8); {
	case kind < 2 && depth > 0:
		b = append(b, "[{"[kind])
		blank()
		for i := range r.IntN(5) {
			if i > 0 {
				b = append(b, ',')
			}
			blank()
			if kind == 1 {
				text()
				blank()
				b = append(b, ':')
			}
			b = randomJSON(b, r, words, depth-1)
		}
		b = append(b, "]}"[kind])
	case kind < 4:
		text()
	case kind < 7:
		numbers := []string{"0", "-0", "7", "-12", "123456789", "1.5", "-0.25", "1e9", "2E-3", "4.75e+12", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
			"-9223372036854775809", "18446744073709551615", "18446744073709551616", "123456789012345678901234567890", "1e400", "-1e400", "1e-400", "0.1234567890123456789"}
		b = append(b, numbers[r.IntN(len(numbers))]...)
	default:
		b = append(b, []string{"true", "false", "null"}[r.IntN(3)]...)
	}
	blank()
	return b
}

var segmentioWords = []string{"a", "word", "some more words", "~", "\x7f", "ä", "日本語", "😀", "\xff", "\xe2\x80", "\u2028", `\n`, `\"`, `\\`, `\/`, `\u0041`, `\u00e9`, `\u2029`, `\ud83d\ude00`, `\ud83d`, `\ude00`, "<>&", "0123456789abcdef"}

// TestSegmentioTokens tokenizes the corpus, and random texts with one or several documents.
func TestSegmentioTokens(t *testing.T) {
	for _, name := range corpus.All {
		text, err := corpus.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		sameTokens(t, text)
	}
	r := rand.New(rand.NewPCG(7, 8))
	for range 20_000 {
		text := randomJSON(nil, r, segmentioWords, 6)
		for r.IntN(4) == 0 {
			text = randomJSON(append(text, ' '), r, segmentioWords, 3)
		}
		sameTokens(t, text)
	}
	sameTokens(t, nil)
	sameTokens(t, []byte(" \n"))
}

// TestSegmentioEscape escapes random texts with all combinations of flags.
func TestSegmentioEscape(t *testing.T) {
	words := append([]string{"\b\f\n\r\t\x00\x1f", `"`, `\`, "\xed\xa0\x80"}, segmentioWords...)
	for c := range 256 {
		words = append(words, string([]byte{byte(c)}))
	}
	r := rand.New(rand.NewPCG(9, 10))
	for range 50_000 {
		var s string
		for range r.IntN(8) {
			s += words[r.IntN(len(words))]
		}
		if ours, theirs := json.Escape(s), segmentio.Escape(s); string(ours) != string(theirs) {
			t.Fatalf("Escape(%q) is %s, for segmentio %s", s, ours, theirs)
		}
		for flags := range uint32(8) {
			ours, theirs := json.AppendEscape([]byte("x"), s, json.AppendFlags(flags)), segmentio.AppendEscape([]byte("x"), s, segmentio.AppendFlags(flags))
			if string(ours) != string(theirs) {
				t.Fatalf("AppendEscape(%q, %d) is %s, for segmentio %s", s, flags, ours, theirs)
			}
		}
	}
}

// TestSegmentioUnescape unescapes texts that are not strings, and strings with trailing data.
func TestSegmentioUnescape(t *testing.T) {
	for _, text := range []string{``, `null`, `1`, `a`, `"a`, `"a\"`, ` "a"`, `"a"b`, `"a" `, `"a","b"`, `"\q"`, `"\u12"`, "\"\n\"", `"\ud800x"`, "\"\xff\"", `"\'"`} {
		ours, theirs := json.AppendUnescape([]byte("x"), []byte(text), 0), segmentio.AppendUnescape([]byte("x"), []byte(text), 0)
		if string(ours) != string(theirs) {
			t.Errorf("AppendUnescape(%q) is %q, for segmentio %q", text, ours, theirs)
		}
	}
}

// TestSegmentioDifferences checks every entry in the lists of differences, so that none is
// outdated.
func TestSegmentioDifferences(t *testing.T) {
	for _, d := range segmentioTokens {
		ours, theirs := json.NewTokenizer([]byte(d.text)), segmentio.NewTokenizer([]byte(d.text))
		var us, they []string
		for ours.Next() {
			us = append(us, string(ours.Value))
		}
		for theirs.Next() {
			they = append(they, string(theirs.Value))
		}
		if ours.Err != nil {
			us = append(us, "!")
		}
		if theirs.Err != nil {
			they = append(they, "!")
		}
		if got := strings.Join(us, " "); got != d.ours {
			t.Errorf("%s (%s): %.99s, want %.99s", d.name, d.why, got, d.ours)
		}
		if got := strings.Join(they, " "); got != d.theirs {
			t.Errorf("%s (%s): segmentio gives %.99s, want %.99s", d.name, d.why, got, d.theirs)
		}
	}
	for _, d := range segmentioResults {
		if got := d.ours(); got != d.our {
			t.Errorf("%s (%s): %s, want %s", d.name, d.why, got, d.our)
		}
		if got := d.theirs(); got != d.want {
			t.Errorf("%s (%s): segmentio gives %s, want %s", d.name, d.why, got, d.want)
		}
	}
}
