package json

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/internal/simd"
)

// documents returns valid and invalid documents with all parts of the grammar that Compact and
// Indent handle.
func documents() []string {
	docs := []string{
		``, ` `, `null`, ` true `, `false`, `nul`, `nullx`, `truE`, `falsey`, `0`, `-0`, `01`, `-`, `1.`, `1.5`, `.5`, `1e`, `1e+`, `1e5`, `1E-05`, `-1.5e+10 `, `1x`, `1 2`, `+1`, `--1`,
		`""`, `"a"`, `"a`, `"\"`, `"\\"`, `"\n\t\r\b\f\/\""`, `"\u00e9"`, `"\u00E9\uDEAD"`, `"\u00g0"`, `"\u00"`, `"\x"`, "\"\x01\"", "\"\x7f\"", "\"a\nb\"", `"<&>"`, "\"\u2028x\u2029\"", "\"\xe2\x80\xa8\"", "\"\xe2\x80\"", "\"\xff\xfe\"", `"日本語"`,
		"\xe2\x80\xa8", `<`, `[<]`, `{}`, `[]`, ` { } `, "\n[\t]\r", `{`, `[`, `}`, `]`, `{]`, `[}`, `[1,2]`, `[1,2,]`, `[,1]`, `[1 2]`, `[1`, `[1,`, `{"a"}`, `{"a":}`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{,}`, `{"a" 1}`, `{a:1}`, `{1:1}`, `{"a":1 "b":2}`,
		`{"a":1,"b":[1,{"c":null},[]],"d":{}}`, ` { "a" : 1 , "b" : [ 1 , { "c" : null } , [ ] ] , "d" : { } } ` + "\n\n", `[[[[[]]]]]`, `[[],{},[{}],{"a":[]}]`, `{"":{"":{"":""}}}`,
		`{"a":"\"\"","b":1}`, `["` + strings.Repeat("plain text ", 20) + `"]`, `["` + strings.Repeat(`plain <text> é & "`[:17], 20) + `"]`, `["` + strings.Repeat("\\u2028 \u2029", 20) + `"]`,
		"\ufeff1", "1\x00", "\x001", "[1]x", "[1] \v", "[\f1]", `["a"b]`, `[tru]`, `[nulll]`,
	}
	for _, depth := range []int{63, 64, 65, 255, 256, 257, 1000, 9999, 10000, 10001, 10002} {
		docs = append(docs, strings.Repeat("[", depth)+strings.Repeat("]", depth), strings.Repeat(`{"a":`, depth)+"1"+strings.Repeat("}", depth),
			strings.Repeat(`[{"a":`, depth/2)+"[]"+strings.Repeat("}]", depth/2), strings.Repeat(`[{"a":`, depth/2)+strings.Repeat("]}", depth/2))
	}
	return docs
}

// Compact, Indent, HTMLEscape and the encoding of a Marshaler's output give encoding/json's
// results.
func TestCompactIndent(t *testing.T) {
	for _, doc := range documents() {
		tidiesAs(t, doc)
	}
}

// These functions also give encoding/json's results for documents that are truncated or have one
// byte changed.
func TestCompactIndentAnywhere(t *testing.T) {
	random, each := rand.New(rand.NewPCG(1, 2)), 3
	if testing.Short() {
		each = 1
	}
	for _, doc := range documents() {
		if len(doc) > 300 {
			continue
		}
		for i := range len(doc) {
			tidiesAs(t, doc[:i])
			b := []byte(doc)
			for range each {
				b[i] = ` "\{}[]:,01eE.+-tfnu<&x`[random.IntN(23)]
				tidiesAs(t, string(b))
			}
			b[i] = byte(random.Uint32())
			tidiesAs(t, string(b))
		}
	}
}

func tidiesAs(t *testing.T, doc string) {
	t.Helper()
	short := doc[:min(len(doc), 60)]
	compare := func(name string, ours, theirs func(dst *bytes.Buffer, src []byte) error) {
		got, want := bytes.NewBufferString("before "), bytes.NewBufferString("before ")
		src := []byte(doc)
		err, wantErr := ours(got, src), theirs(want, src)
		if diff := differs(got.Bytes(), err, want.Bytes(), wantErr); diff != "" {
			t.Errorf("%s of %q: %s", name, short, diff)
		}
		var at, wantAt *SyntaxError
		if errors.As(err, &at) && errors.As(wantErr, &wantAt) && at.Offset != wantAt.Offset {
			t.Errorf("%s of %q: an error at %d, want %d", name, short, at.Offset, wantAt.Offset)
		}
		if err != nil && got.String() != "before " {
			t.Errorf("%s of %q: an error, and %q", name, short, got.Bytes())
		}
		if string(src) != doc {
			t.Errorf("%s of %q: its input changed", name, short)
		}
		// Valid input is handled by the fast path, which does not call encoding/json.
		if wantErr == nil {
			if _, ok := appendCompact(nil, src, false); !ok {
				t.Errorf("%q is not taken", short)
			}
			kept := appendKept(nil, src)
			if minified(src) && string(kept) != doc {
				t.Errorf("%q is minified, but becomes %q", short, kept)
			}
			for _, html := range []bool{false, true} {
				if html {
					kept = appendHTMLEscaped(nil, string(kept))
				}
				if compacted, ok := appendCompact(nil, src, html); !ok || !bytes.Equal(compacted, kept) {
					t.Errorf("%q becomes %q in one way, %q in another", short, compacted, kept)
				}
			}
		}
	}
	if !json.Valid([]byte(doc)) && minified([]byte(doc)) {
		t.Errorf("%q is minified, though not valid", short)
	}
	compare("Compact", Compact, json.Compact)
	for _, c := range [][2]string{{"", ""}, {"", "\t"}, {">", "  "}, {"prefix", "indentation"}, {"\n", "<"}} {
		if len(doc) > 1000 && c[1] != "" || len(doc) > 15000 && !strings.HasPrefix(doc, "[[") {
			continue // encoding/json takes time quadratic in the depth
		}
		compare(fmt.Sprintf("Indent(%q, %q)", c[0], c[1]), func(dst *bytes.Buffer, src []byte) error { return Indent(dst, src, c[0], c[1]) },
			func(dst *bytes.Buffer, src []byte) error { return json.Indent(dst, src, c[0], c[1]) })
	}
	for _, html := range []bool{true, false} {
		compare("encoding", func(dst *bytes.Buffer, src []byte) error {
			enc := NewEncoder(dst)
			enc.SetEscapeHTML(html)
			return enc.Encode(returns{string(src)})
		}, func(dst *bytes.Buffer, src []byte) error {
			enc := json.NewEncoder(dst)
			enc.SetEscapeHTML(html)
			return enc.Encode(returns{string(src)})
		})
	}
	var got, want bytes.Buffer
	HTMLEscape(&got, []byte(doc))
	json.HTMLEscape(&want, []byte(doc))
	if got.String() != want.String() {
		t.Errorf("HTMLEscape of %q: %.200s, want %.200s", short, got.Bytes(), want.Bytes())
	}
}

// MarshalIndent gives encoding/json's results. A value that is too deep for Indent is an error.
func TestMarshalIndent(t *testing.T) {
	deep := []any{}
	for range 10001 {
		deep = []any{deep}
	}
	for _, s := range append(samples(), sample{"deep", deep}) {
		for i, c := range [][2]string{{"", ""}, {"", " "}, {"<", "&"}} {
			if s.name == "deep" && i > 0 {
				break
			}
			want, wantErr := orPanic(func() ([]byte, error) { return json.MarshalIndent(s.v, c[0], c[1]) })
			got, err := orPanic(func() ([]byte, error) { return MarshalIndent(s.v, c[0], c[1]) })
			if diff := differs(got, err, want, wantErr); diff != "" {
				t.Errorf("%s: %s", s.name, diff)
			}
			if err != nil && got != nil {
				t.Errorf("%s: an error, and %q", s.name, got)
			}
			var out, wantOut bytes.Buffer
			enc, std := NewEncoder(&out), json.NewEncoder(&wantOut)
			enc.SetIndent(c[0], c[1])
			std.SetIndent(c[0], c[1])
			for range 2 {
				_, wantErr := orPanic(func() ([]byte, error) { return nil, std.Encode(s.v) })
				_, err := orPanic(func() ([]byte, error) { return nil, enc.Encode(s.v) })
				if diff := differs(out.Bytes(), err, wantOut.Bytes(), wantErr); diff != "" {
					t.Errorf("%s: Encode: %s", s.name, diff)
				}
			}
		}
	}
}

// Compact accepts the contents of its destination buffer as input.
func TestCompactOwnBytes(t *testing.T) {
	got, want := bytes.NewBufferString(`[ 1 , 2 ]`), bytes.NewBufferString(`[ 1 , 2 ]`)
	for range 3 {
		err, wantErr := Compact(got, got.Bytes()), json.Compact(want, want.Bytes())
		if diff := differs(got.Bytes(), err, want.Bytes(), wantErr); diff != "" {
			t.Error(diff)
		}
	}
}

// Compact accepts input in the spare capacity of its destination buffer.
func TestCompactInPlace(t *testing.T) {
	for _, doc := range append(documents(), strings.Repeat(" ", 70)+`[ "a b" , 1 ]`, "[\n"+strings.Repeat(`"a b" , "c\\" ,`+"\n\t", 300)+"0\n]\n") {
		compact := func(compact func(dst *bytes.Buffer, src []byte) error) ([]byte, error) {
			b := bytes.NewBufferString("before ")
			b.Grow(2*len(doc) + 2*simd.BlockSize)
			err := compact(b, append(b.AvailableBuffer(), doc...))
			return b.Bytes(), err
		}
		got, err := compact(Compact)
		want, wantErr := compact(json.Compact)
		if diff := differs(got, err, want, wantErr); diff != "" {
			t.Errorf("%.60q: %s", doc, diff)
		}
	}
}
