package transcode

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
)

// Values of the maximum depth are converted, and values one level deeper are rejected.
func TestDepth(t *testing.T) {
	for _, c := range []struct{ open, inner, end string }{{"\x91", "\xc0", ""}, {"\x81\xa1a", "\xc0", ""}, {"\x81\xc0", "\x90", ""}, {"\xdc\x00\x02", "\x01", "\x01"}} {
		levels := maxDepth
		if c.inner == "\x90" {
			levels--
		}
		text, err := toJSON(t, []byte(strings.Repeat(c.open, levels)+c.inner+strings.Repeat(c.end, levels)), 0)
		if err != nil || !json.Valid([]byte(text)) {
			t.Errorf("%q nested %d deep: %v", c.open, levels, err)
		}
		_, err = toJSON(t, []byte(strings.Repeat(c.open, levels+1)+c.inner+strings.Repeat(c.end, levels+1)), 0)
		var e *Error
		if !errors.As(err, &e) || e.Cause != errDepth || len(e.Path) < maxDepth-1 && c.open != "\x81\xc0" {
			t.Errorf("%q nested %d deep: %v", c.open, levels+1, err)
		}
	}
	for _, c := range []struct{ open, inner, end string }{{"[", "0", "]"}, {`{"a":`, "0", "}"}, {"[[],", "[]", "]"}} {
		levels := maxDepth
		if c.inner == "[]" {
			levels--
		}
		checkToMessagePack(t, []byte(strings.Repeat(c.open, levels)+c.inner+strings.Repeat(c.end, levels)), 0)
		_, err := toMessagePack(t, []byte(strings.Repeat(c.open, levels+1)+c.inner+strings.Repeat(c.end, levels+1)), 0)
		var syntax *json.SyntaxError
		if !errors.As(err, &syntax) || !strings.Contains(err.Error(), "exceeded max depth") {
			t.Errorf("%q nested %d deep: %v", c.open, levels+1, err)
		}
	}
}

// The maximum depth does not limit the number of arrays and maps side by side.
func TestManyLists(t *testing.T) {
	packed := "\xdc\xea\x60" + strings.Repeat("\x90\x80\x91\xc0\x81\xa0\xc0", 15000)
	text, err := toJSON(t, []byte(packed), 0)
	if err != nil || text != "["+strings.Repeat(`[],{},[null],{"":null},`, 14999)+`[],{},[null],{"":null}]` {
		t.Errorf("%.99s, %v", text, err)
	}
	if got, err := toMessagePack(t, []byte(text), 0); err != nil || got != packed {
		t.Errorf("%.99x, %v", got, err)
	}
}

// Escapes and invalid bytes make strings shorter or longer. The results have lengths at which the
// string header changes.
func TestTextLengths(t *testing.T) {
	for _, n := range []int{0, 1, 5, 10, 11, 30, 31, 32, 33, 84, 85, 86, 254, 255, 256, 257, 21844, 21845, 21846, 65534, 65535, 65536} {
		if n > 300 && raceEnabled {
			continue
		}
		for _, piece := range []string{"a", "é", "\xff", `\n`, `\u0041`, `\ud800`, `\ud83d\ude00`} {
			for _, more := range []string{"", "b", "\\t"} {
				checkToMessagePack(t, []byte(`["`+strings.Repeat(piece, n)+more+`",1]`), 0)
			}
		}
	}
}

// A long string is nested in 10,000 arrays that all need longer headers. Moving the string once for
// each array would move 10 GB.
func TestDeepAndWide(t *testing.T) {
	text := strings.Repeat("["+strings.Repeat("1,", 15), maxDepth) + `"` + strings.Repeat("a", 1<<20) + `"` + strings.Repeat("]", maxDepth)
	got, err := toMessagePack(t, []byte(text), 0)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Repeat("\xdc\x00\x10"+strings.Repeat("\x01", 15), maxDepth) + "\xdb\x00\x10\x00\x00" + strings.Repeat("a", 1<<20)
	if got != want {
		t.Error("the result is wrong")
	}
}

// A truncated value returns an error, wherever it was cut. The test covers values of every kind.
func TestCutOff(t *testing.T) {
	whole := unhex(t, "dc 0013 c0 c2 c3 7f ff cd0100 d2fffffff0 ca3f800000 cb3ff8000000000000 a161 d90162 da000163 c40161 d6ff00000000 c70cff0000000000000000000000"+
		"00 82a161 01 c401 62 91 c0 de0001 a1 78 90 df00000000 9101")
	if _, err := toJSON(t, whole, 0); err != nil {
		t.Fatal(err)
	}
	for n := range whole {
		if _, err := toJSON(t, whole[:n:n], 0); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%x: %v", whole[:n], err)
		}
	}
	text, _ := toJSON(t, whole, 0)
	for n := range text {
		if _, err := toMessagePack(t, []byte(text)[:n:n], 0); err == nil {
			t.Errorf("%s was taken", text[:n])
		}
	}
}

// For the inputs whose output grows most, the size of the output is within the documented limits.
func TestGrowth(t *testing.T) {
	for _, in := range []string{"\xde\xff\xff" + strings.Repeat("\xc2\xc2", 65535), "\xdc\xff\xff" + strings.Repeat("\xc2", 65535), "\xda\xff\xff" + strings.Repeat("\x01", 65535),
		"\xda\xff\xff" + strings.Repeat("\xff", 65535), "\xdc\xff\xff" + strings.Repeat("\xcb\xbe\xb4\xb6\x23\x1a\xbf\xd2\x71", 65535)} {
		if got, err := toJSON(t, []byte(in), EscapeHTML); err != nil || len(got) > 7*len(in) {
			t.Errorf("%.9x: %d bytes became %d, %v", in, len(in), len(got), err)
		}
	}
	in := "\xdc\xff\xff" + strings.Repeat("\xd4\x80\x80", 65535)
	if got, err := toJSON(t, []byte(in), ExtAsObject); err != nil || len(got) > 10*len(in) {
		t.Errorf("%.9x: %d bytes became %d, %v", in, len(in), len(got), err)
	}
	for _, in := range []string{"[" + strings.Repeat("-0,", 70000) + "-0]", `"` + strings.Repeat("\xff", 70000) + `"`, "-0", "[-0]", "[[" + strings.Repeat("-0,", 15) + "-0]]"} {
		checkToMessagePack(t, []byte(in), 0)
	}
}

// Appending to nil returns nil if there is an error.
func TestNothing(t *testing.T) {
	if out, err := AppendJSON(nil, []byte("\x92\x01"), 0); out != nil || err == nil {
		t.Errorf("%v, %v", out, err)
	}
	if out, err := AppendMessagePack(nil, []byte("[1"), 0); out != nil || err == nil {
		t.Errorf("%v, %v", out, err)
	}
	for _, in := range []string{"\xc0", strings.Repeat("\x91", 5000) + "\xc0"} {
		text, err := AppendJSON(nil, []byte(in), 0)
		if err != nil {
			t.Fatal(err)
		}
		if out, err := AppendMessagePack(nil, text, 0); err != nil || string(out) != in {
			t.Errorf("%.99x, %v", out, err)
		}
	}
}

// If dst has capacity for only a part of the result, the functions change neither the bytes of dst
// nor the bytes beyond its capacity.
func TestRoom(t *testing.T) {
	packed := unhex(t, "dc 0011 a3613c62 cb3fb999999999999a d6ff00000000 c403010203 000102030405060708090a0b0c")
	text, err := toJSON(t, packed, 0)
	if err != nil {
		t.Fatal(err)
	}
	for room := range 200 {
		block := []byte(strings.Repeat("x", 300))
		if out, err := AppendJSON(block[:4:4+room], packed, 0); err != nil || string(out) != "xxxx"+text {
			t.Fatalf("room for %d: %s, %v", room, out, err)
		}
		if strings.Trim(string(block[:4])+string(block[4+room:]), "x") != "" {
			t.Fatalf("room for %d: written beyond", room)
		}
		block = []byte(strings.Repeat("x", 300))
		out, err := AppendMessagePack(block[:4:4+room], []byte(text), 0)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := toJSON(t, out[4:], 0); err != nil || again != text {
			t.Fatalf("room for %d: %s, %v", room, again, err)
		}
		if strings.Trim(string(block[:4])+string(block[4+room:]), "x") != "" {
			t.Fatalf("room for %d: written beyond", room)
		}
	}
}
