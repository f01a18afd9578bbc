package corpus

import (
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/slipstream-go/slipstream/internal/guard"
)

// Vector is one line of a vector file.
//
//	82 a1 61 01 a1 62 02    = {"a": 1, "b": 2}    comment lines begin with #
//	#> 82 a1 61 …           the canonical bytes of the line before
//
// The mark after the bytes defines the test. The mark = means that an encoder writes the bytes for
// the value, and that a decoder reads the bytes as the value. The mark < means that only the
// decoder is tested. The mark ! means that a decoder returns an error with the given text. Values
// are in the notation of the function Note.
type Vector struct {
	Line  int
	Bytes []byte
	Mark  byte
	Value string

	Canonical []byte // nil if the file does not contain canonical bytes
}

// ReadVectors reads a vector file. With the build tag `invariants`, the field Bytes of each vector
// is in guarded memory: see package guard.
func ReadVectors(path string) ([]Vector, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var vectors []Vector
	for n, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		if form, ok := strings.CutPrefix(line, "#>"); ok && len(vectors) > 0 {
			if vectors[len(vectors)-1].Canonical, err = parseBytes(form); err != nil {
				return nil, fmt.Errorf("%s:%d: %v", path, n+1, err)
			}
			continue
		}
		if line == "" || line[0] == '#' {
			continue
		}
		at := strings.IndexAny(line, "=<!")
		if at < 0 {
			return nil, fmt.Errorf("%s:%d: no mark (=, < or !) after the bytes", path, n+1)
		}
		b, err := parseBytes(line[:at])
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %v", path, n+1, err)
		}
		vectors = append(vectors, Vector{Line: n + 1, Bytes: guard.Kept(b), Mark: line[at], Value: strings.TrimSpace(line[at+1:])})
	}
	return vectors, nil
}

// parseBytes parses hexadecimal bytes. The notation 61*300 means that the byte 61 is repeated 300
// times.
func parseBytes(s string) ([]byte, error) {
	var out []byte
	for _, word := range strings.FieldsFunc(s, unicode.IsSpace) {
		digits, count, repeated := strings.Cut(word, "*")
		b, err := hex.DecodeString(digits)
		if err != nil {
			return nil, err
		}
		n := 1
		if repeated {
			if n, err = strconv.Atoi(count); err != nil {
				return nil, err
			}
		}
		out = append(out, slices.Repeat(b, n)...)
	}
	return out, nil
}

// Note returns a decoded value as JSON on one line, with sorted map keys. A value that JSON cannot
// represent is written as an object with one key:
//
//	{"$bin": "00ff"}  {"$time": [seconds, nanoseconds]}  {"$float": "nan"}  {"$str": "ff"} for invalid UTF-8
//	{"$map": [[1, "a"]]} for a map whose keys are not all strings
//
// A float always contains a point or an exponent, so that it differs from an int. A string that
// repeats one character at least 32 times is written as {"$repeat": ["a", 300]}.
func Note(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case float32:
		return noteFloat(float64(v), 32)
	case float64:
		return noteFloat(v, 64)
	case string:
		return noteString(v)
	case []byte:
		return fmt.Sprintf(`{"$bin": "%x"}`, v)
	case time.Time:
		return fmt.Sprintf(`{"$time": [%d, %d]}`, v.Unix(), v.Nanosecond())
	case []any:
		parts := make([]string, len(v))
		for i, x := range v {
			parts[i] = Note(x)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case map[string]any:
		parts := make([]string, 0, len(v))
		for k, x := range v {
			parts = append(parts, noteString(k)+": "+Note(x))
		}
		slices.Sort(parts)
		return "{" + strings.Join(parts, ", ") + "}"
	}
	if m := reflect.ValueOf(v); m.Kind() == reflect.Map {
		parts := make([]string, 0, m.Len())
		for all := m.MapRange(); all.Next(); {
			parts = append(parts, "["+Note(all.Key().Interface())+", "+Note(all.Value().Interface())+"]")
		}
		slices.Sort(parts)
		return `{"$map": [` + strings.Join(parts, ", ") + "]}"
	}
	return fmt.Sprint(v)
}

func noteFloat(f float64, bits int) string {
	switch {
	case math.IsNaN(f):
		return `{"$float": "nan"}`
	case math.IsInf(f, 0):
		return fmt.Sprintf(`{"$float": "%+v"}`, f)
	}
	s := strconv.FormatFloat(f, 'g', -1, bits)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}

func noteString(s string) string {
	if !utf8.ValidString(s) {
		return fmt.Sprintf(`{"$str": "%x"}`, s)
	}
	if r := []rune(s); len(r) >= 32 && strings.Count(s, string(r[0])) == len(r) {
		return fmt.Sprintf(`{"$repeat": [%q, %d]}`, string(r[0]), len(r))
	}
	return strconv.Quote(s)
}
