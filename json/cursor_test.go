package json

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// edgeDocuments returns documents of many kinds, with sizes near those at which the input window
// changes.
func edgeDocuments() []string {
	var docs []string
	items := []string{
		`"plain"`, `"with \"escapes\" \u00e9\ud83d\ude00 \n"`, `"` + strings.Repeat("é", 20) + `"`, `""`, `"` + strings.Repeat("long ", 60) + `"`,
		`0`, `-1`, `12345678`, `1234567890123456789`, `18446744073709551615`, `1.5`, `-0.000123e-7`, `3.141592653589793238462643383279`, `1e300`,
		strings.Repeat("9", 40), `0.` + strings.Repeat("3", 50), `true`, `false`, `null`, `[]`, `{}`, `[ 1 , 2 ]`, `{ "a" : { "b" : [ null ] } }`,
		`"2024-02-29T12:34:56.789Z"`, "[\n    [\n        1,\n        2\n    ]\n]", "[1,\t2,\r\n3]",
	}
	for _, size := range []int{0, 40, reach, tailSize - pad, tailSize, 2 * tailSize} {
		for shift := -70; shift <= 70; shift += 5 {
			if size+shift < 0 {
				continue
			}
			item := items[(size+shift+len(docs))%len(items)]
			other := items[(size+shift*7+len(docs)*3+71*7)%len(items)]
			docs = append(docs, fmt.Sprintf(`{"fill":"%s","s":%s,"more":[%s,%s],"K":{"k":%s}}`, strings.Repeat("x", size+shift), item, other, item, other))
			docs = append(docs, fmt.Sprintf(`[%s%s,%s]`, strings.Repeat(" ", size+shift), other, item))
		}
	}
	return append(docs, items...)
}

type edge struct {
	Fill string `json:"fill"`
	S    any
	More []any             `json:"more"`
	K    map[string]string // mostly gets values of other types
}

// Documents decode correctly near the end of the window, also if they are cut at any of the last
// 300 bytes.
func TestEdges(t *testing.T) {
	for _, doc := range edgeDocuments() {
		for cut := len(doc); cut >= max(0, len(doc)-300); cut-- {
			sameAsOriginal(t, exactly(doc[:cut]))
			if t.Failed() {
				return
			}
		}
	}
}

// exactly returns s in memory without spare capacity, so that the race detector and checkptr can
// find reads beyond the end.
func exactly(s string) []byte {
	b := make([]byte, len(s))
	copy(b, s)
	return b[:len(s):len(s)]
}

func sameAsOriginal(t *testing.T, doc []byte) {
	t.Helper()
	for _, target := range []func() any{func() any { return new(any) }, func() any { return new(edge) }, func() any { return new([]json.RawMessage) }, func() any { return new([]*float64) }} {
		got, want := target(), target()
		err, wantErr := Unmarshal(doc, got), json.Unmarshal(doc, want)
		if !reflect.DeepEqual(err, wantErr) || !reflect.DeepEqual(got, want) {
			t.Errorf("%q into %T:\n%#v %v\nwant\n%#v %v", doc, got, got, err, want, wantErr)
		}
	}
	if Valid(doc) != json.Valid(doc) {
		t.Errorf("%q: Valid says %t", doc, Valid(doc))
	}
}

// The scanner of streams finds the same end or error as encoding/json in a document that arrives in
// two pieces. The test cuts the document at many positions.
func TestScannerInPieces(t *testing.T) {
	docs := append(edgeDocuments()[len(edgeDocuments())-26:], `{"a":[1,{"b":"\u12aF\\"},-0.5e+10,true]}`, `{"a" 1}`, `[1,]`, `{,}`, `[01]`, `{"a":tru1}`, `["\x"]`, `["\u12g4"]`, "[\"\x01\"]", `[-]`, `[1.]`,
		`[1e]`, `[1e+]`, `{"a":1,}`, `]`, `{1:2}`, `[1 2]`, "\x00", "[\v]", `"\`, `nul`, `nulL`, `1-`, `--1`, strings.Repeat("[", maxDepth+1), strings.Repeat(`{"a":`, maxDepth)+`1`)
	for _, doc := range docs {
		for cut := range len(doc) + 1 {
			if len(doc) > 1000 && cut%997 != 0 {
				continue
			}
			var s scanner
			s.reset()
			b := []byte(doc)
			at, v := s.scan(b[:cut], 0)
			if v == unfinished {
				at, v = s.scan(b, at)
			}
			if v == unfinished && s.whole() {
				v = complete
			}
			var raw json.RawMessage
			err := json.NewDecoder(bytes.NewReader(b)).Decode(&raw)
			switch {
			case v == complete && (err != nil || !bytes.Equal(bytes.TrimSpace(b[:at]), raw)):
				t.Errorf("%.60q cut at %d: ends at %d, the original: %s, %v", doc, cut, at, raw, err)
			case v == invalid:
				if e, ok := err.(*json.SyntaxError); !ok || e.Offset != int64(at+1) && !OnV2 {
					t.Errorf("%.60q cut at %d: invalid at %d, the original: %#v", doc, cut, at, err)
				}
			case v == unfinished && err == nil:
				t.Errorf("%.60q cut at %d: unfinished, the original: %s", doc, cut, raw)
			}
		}
	}
}

// A number may be longer than the readable padding after the input, at the place where the window
// changes.
func TestLongNumberAtTheEnd(t *testing.T) {
	for _, number := range []string{"0." + strings.Repeat("0", 300) + "5", strings.Repeat("9", 311), "1" + strings.Repeat("0", 300), "-" + strings.Repeat("7", 500) + "e-480", strings.Repeat("1", 300) + "x"} {
		for _, n := range []int{0, 150, 200, 400} {
			for _, after := range []string{"", ",2", "  "} {
				list := []byte("[" + strings.Repeat("1.5,", n) + number + after + "]")
				object := []byte(`{"s":[` + strings.Repeat("1.5,", n) + `1],"F":` + number + strings.ReplaceAll(after, ",2", `,"x":2`) + "}")
				for _, target := range []func() any{
					func() any { return new([]float64) }, func() any { return new([500]float64) }, func() any { return new(any) }, func() any { return new([]any) }, func() any { return new([]int) },
					func() any { return new([]float32) }, func() any { return new([]json.Number) }, func() any { return new([]*float64) },
					func() any { return new(struct{ F float64 }) }, func() any { return new(struct{ F int }) }, func() any { return new(struct{ F float32 }) },
					func() any { return new(struct{ F json.Number }) }, func() any {
						return new(struct {
							F float64 `json:",string"`
						})
					},
				} {
					for _, doc := range [][]byte{list, object} {
						got, want := target(), target()
						err, wantErr := Unmarshal(doc, got), json.Unmarshal(doc, want)
						if !reflect.DeepEqual(err, wantErr) || !reflect.DeepEqual(got, want) {
							t.Errorf("%.20s after %d into %T: %v, want %v", number, n, got, err, wantErr)
						}
					}
				}
			}
		}
	}
}
