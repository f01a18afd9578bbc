package json

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/internal/guard"
)

// stdEscape returns s as encoding/json encodes it.
func stdEscape(s string, html bool) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(html)
	if err := e.Encode(s); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// checkEscape checks all functions that escape s, and those that reverse it.
func checkEscape(t *testing.T, s string) {
	t.Helper()
	html, plain := stdEscape(s, true), stdEscape(s, false)
	if got := string(Escape(s)); got != html {
		t.Fatalf("Escape(%q) is %s, want %s", s, got, html)
	}
	for _, before := range []string{"", "x", "before it"} {
		for _, room := range []int{0, len(s), len(s) + 2, 6*len(s) + 100} {
			b := append(make([]byte, 0, len(before)+room), before...)
			if got := string(AppendEscape(b, s, EscapeHTML|SortMapKeys)); got != before+html {
				t.Fatalf("AppendEscape(%q, %q, EscapeHTML) with room for %d is %s, want %s", before, s, room, got, html)
			}
			if got := string(AppendEscape(b, s, ^EscapeHTML)); got != before+plain {
				t.Fatalf("AppendEscape(%q, %q, 0) with room for %d is %s, want %s", before, s, room, got, plain)
			}
		}
	}
	valid := string([]rune(s))
	for _, text := range []string{html, plain} {
		if got := string(Unescape([]byte(text))); got != valid {
			t.Fatalf("Unescape(%s) is %q, want %q", text, got, valid)
		}
	}
}

// checkUnescape checks the functions that unescape text. text need not be a JSON string.
func checkUnescape(t *testing.T, text string) {
	t.Helper()
	want := ""
	if strings.HasPrefix(text, `"`) {
		if err := json.NewDecoder(strings.NewReader(text)).Decode(&want); err != nil {
			want = ""
		}
	}
	in := guard.Test(t, []byte(text))
	if got := Unescape(in); got == nil || string(got) != want {
		t.Fatalf("Unescape(%q) is %q, want %q", text, got, want)
	}
	for _, room := range []int{0, 3, 3*len(text) + 100} {
		b := append(make([]byte, 0, 3+room), "abc"...)
		if got := AppendUnescape(b, in, ZeroCopy); string(got) != "abc"+want {
			t.Fatalf("AppendUnescape(abc, %q) with room for %d is %q, want %q", text, room, got, want)
		}
	}
	if string(in) != text {
		t.Fatalf("Unescape(%q) changed it to %q", text, in)
	}
}

// Escaping is correct for every byte and for runes of every length, at many positions in texts of
// up to 70 bytes.
func TestEscape(t *testing.T) {
	special := []string{"", "é", "€", "\u2028", "\u2029", "\u2027", "😀", "\ufffd", "\xe2\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc0\x80", "</a>&\n", "\"\\\b\f\n\r\t\x00"}
	for c := range 256 {
		special = append(special, string([]byte{byte(c)}))
	}
	for _, s := range special {
		for _, n := range []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 70} {
			for _, at := range []int{0, 1, n / 2, n - 1, n} {
				if at >= 0 && at <= n {
					checkEscape(t, strings.Repeat("x", at)+s+strings.Repeat("y", n-at))
				}
			}
		}
	}
}

// Escaping is correct for texts with many escapes.
func TestEscapeMixed(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	pieces := []string{"a", "word", "a longer piece of text", "\n", `"`, `\`, "<", "&", "ä", "日本", "\u2028", "😀", "\xff", "\xe2\x80", "\x7f", "\x1f"}
	for range 20_000 {
		var s strings.Builder
		for range r.IntN(12) {
			s.WriteString(pieces[r.IntN(len(pieces))])
		}
		checkEscape(t, s.String())
	}
	for _, p := range pieces {
		checkEscape(t, strings.Repeat(p, 70_000/len(p)))
	}
}

// Unescaping is correct for every escape, complete or truncated, and for every byte, at several
// positions.
func TestUnescape(t *testing.T) {
	var texts []string
	for c := range 256 {
		texts = append(texts, string([]byte{byte(c)}), `\`+string([]byte{byte(c)}), `\u00`+string([]byte{byte(c)})+"0", `\u`+string([]byte{byte(c)})+"abc")
	}
	for _, r := range []int{0, 0x41, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000, 0xfffd, 0xffff} {
		for _, next := range []string{"", "x", `\`, `\u`, `\n`, `\u0041`, `\ud800`, `\udbff`, `\udc00`, `\udfff`, `\uDFFF`, `\udc0`, "\xff", "é"} {
			texts = append(texts, fmt.Sprintf(`\u%04x%s`, r, next), fmt.Sprintf(`\u%04X%s`, r, next))
		}
	}
	texts = append(texts, "", "é€😀", "\xe2\x80", "\xed\xa0\x80", "\xf0\x9f\x98", "\xff\xff\xff\xff\xff\xff\xff\xff", strings.Repeat(`\n`, 100), strings.Repeat(`\ud83d\ude00`, 100),
		strings.Repeat("\xff", 100), strings.Repeat(`\"text`, 100), strings.Repeat("é\xff", 5000))
	for _, text := range texts {
		for _, before := range []string{"", "1234567", "a text that is not very short, but plain"} {
			for _, after := range []string{"", "z", "then some more text"} {
				checkUnescape(t, `"`+before+text+after+`"`)
			}
		}
		whole := `"` + text + `"`
		for n := range min(len(whole), 40) {
			checkUnescape(t, whole[:n])
		}
	}
	for _, text := range []string{"", "null", "1", " \"a\"", "\"a\" ", "\"a\"b\"", "\"a\"\x00", "\"\\", "\"\\u\"", "'a'"} {
		checkUnescape(t, text)
	}
}

// Escaping and unescaping do not allocate if the capacity suffices.
func TestEscapeAllocates(t *testing.T) {
	texts := []string{"plain", "a longer text, plain as well, of more than 32 bytes", "tab\tand \"quotes\" <html> and Ümläute 日本 \u2028 \xff"}
	b := make([]byte, 0, 1000)
	for _, s := range texts {
		text := AppendEscape(nil, s, 0)
		if n := testing.AllocsPerRun(100, func() {
			AppendEscape(b, s, 0)
			AppendEscape(b, s, EscapeHTML)
			AppendUnescape(b, text, 0)
			RawValue(text).AppendUnquote(b)
		}); n != 0 {
			t.Errorf("%q: %v allocations", s, n)
		}
	}
}

// FuzzEscape compares escaping and unescaping with encoding/json. The text is the input of both.
func FuzzEscape(f *testing.F) {
	for _, s := range []string{"", "plain", "a longer text that is plain as well", "<&>\"\\\b\f\n\r\t\x01\x7f", "ä€😀\u2028\u2029", "\xff\xe2\x80\xed\xa0\x80", `"\ud83d\ude00\ud800\u00e9\/"`, `"a"b`, `"\u12`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		s = guard.Text(t, s)
		checkEscape(t, s)
		checkUnescape(t, s)
		checkUnescape(t, `"`+s+`"`)
	})
}

// Unescaping a string ignores the bytes after the string, and returns nothing for an invalid
// string.
func TestUnescapeBeforeMore(t *testing.T) {
	for _, text := range []string{``, `a`, `\u00e9`, `\"`, strings.Repeat("x", 300), strings.Repeat(`é\n`, 300), "\xff", `\ud83d`} {
		want := Unescape([]byte(`"` + text + `"`))
		for _, more := range []string{``, `,`, `"`, strings.Repeat(`,"b"`, 200), strings.Repeat("\x00", 300)} {
			s := []byte(`"` + text + `"` + more)
			if got := Unescape(s); string(got) != string(want) || cap(got) > len(text)+longestShort {
				t.Errorf("%.20q and %d bytes: %q of %d bytes, want %q", text, len(more), got, cap(got), want)
			}
			if got := AppendUnescape([]byte("x"), s, 0); string(got) != "x"+string(want) {
				t.Errorf("%.20q and %d bytes: %q, want %q after x", text, len(more), got, want)
			}
		}
		for _, bad := range []string{`"` + text, `"` + text + `\x"`, `"` + text + "\n\"", text} {
			s := []byte(bad + strings.Repeat(" ", 300))
			if got := AppendUnescape([]byte("x"), s, 0); string(got) != "x" {
				t.Errorf("%.20q: %q, want x alone", bad, got)
			}
		}
	}
}

// longestShort is the maximum spare capacity of an unescaped string, in bytes.
const longestShort = 300
