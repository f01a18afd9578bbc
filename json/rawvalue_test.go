package json

import (
	"encoding/json"
	"testing"
)

// The methods of RawValue depend only on the first byte, also for text that is not a value.
func TestRawValueTells(t *testing.T) {
	for c := range 257 {
		v := RawValue{}
		if c < 256 {
			v = RawValue{byte(c), 'x'}
		}
		first := ""
		if len(v) > 0 {
			first = string(rune(v[0]))
		}
		digits := map[string]bool{"-": true}
		for d := range 10 {
			digits[string(rune('0'+d))] = true
		}
		if v.String() != (first == `"`) || v.Null() != (first == "n") || v.True() != (first == "t") || v.False() != (first == "f") || v.Number() != digits[first] {
			t.Errorf("%q: string %v, null %v, true %v, false %v, number %v", v, v.String(), v.Null(), v.True(), v.False(), v.Number())
		}
	}
}

// Unquote returns encoding/json's result, or nothing for an invalid string. The test uses all texts
// of up to six characters of an alphabet.
func TestRawValueUnquote(t *testing.T) {
	alphabet := []string{`"`, `\`, "u", "n", "0", "d8", "é", "\xff", " ", "\n"}
	var try func(text string, more int)
	try = func(text string, more int) {
		if got, want := RawValue(text).Unquote(), textOf(text); got == nil || string(got) != want {
			t.Fatalf("%q is %q, want %q", text, got, want)
		}
		if got := RawValue(text).AppendUnquote([]byte("before ")); string(got) != "before "+textOf(text) {
			t.Fatalf("%q appended is %q", text, got)
		}
		for _, c := range alphabet[:len(alphabet)*min(more, 1)] {
			try(text+c, more-1)
		}
	}
	try("", 3)
	for _, start := range []string{`"`, `"\ud83d\ude0`, `"abcdefgh\u`} {
		try(start, 4)
	}
}

// textOf returns the text that encoding/json decodes from a JSON string, or "" for other text.
// RawValue does not accept white space around a string.
func textOf(text string) string {
	var s string
	if text == "" || text[0] != '"' || text[len(text)-1] != '"' || json.Unmarshal([]byte(text), &s) != nil {
		return ""
	}
	return s
}
