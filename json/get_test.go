package json_test

import (
	std "encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/json"
)

func TestGet(t *testing.T) {
	const doc = ` { "a" : [ {"b": "x"}, {"b": [1, 2.5, null], "b2": {}}, true ] , "\u0063": {"": 7}, "n": -12e3 ,"a b":"é\"" } `
	for _, c := range []struct {
		path []any
		want string // "" for missing
	}{
		{nil, strings.TrimSpace(doc)},
		{[]any{"a", 0, "b"}, `"x"`},
		{[]any{"a", 1, "b"}, `[1, 2.5, null]`},
		{[]any{"a", 1, "b", -1}, `null`},
		{[]any{"a", 1, "b", -3}, `1`},
		{[]any{"a", 1, "b", -4}, ``},
		{[]any{"a", 1, "b", 3}, ``},
		{[]any{"a", 1, "b2"}, `{}`},
		{[]any{"a", -1}, `true`},
		{[]any{"c", ""}, `7`},
		{[]any{"n"}, `-12e3`},
		{[]any{"a b"}, `"é\""`},
		{[]any{"A"}, ``},
		{[]any{"a", "b"}, ``},
		{[]any{0}, ``},
		{[]any{"n", 0}, ``},
		{[]any{"c", "", "deeper"}, ``},
	} {
		got, err := json.Get([]byte(doc), c.path...)
		if c.want == "" {
			if !errors.Is(err, json.ErrMissing) || got != nil {
				t.Errorf("%v: %s, %v; want ErrMissing", c.path, got, err)
			}
		} else if err != nil || string(got) != c.want {
			t.Errorf("%v: %s, %v; want %s", c.path, got, err, c.want)
		}
	}
}

// TestGetIsWhatUnmarshalSees takes documents with equal keys, and invalid ones, and compares with what is decoded.
func TestGetIsWhatUnmarshalSees(t *testing.T) {
	for _, doc := range []string{`{"a":1,"a":2}`, `{"a":{"b":1},"a":{"c":2}}`, `{"a":[1],"a":3,"b":0}`, `{"a":1,"\u0061":{"b":5}}`} {
		for _, path := range [][]any{{"a"}, {"a", "b"}, {"a", 0}, {"b"}} {
			var whole any
			if err := std.Unmarshal([]byte(doc), &whole); err != nil {
				t.Fatal(err)
			}
			for _, step := range path {
				switch step := step.(type) {
				case string:
					m, _ := whole.(map[string]any)
					whole = m[step]
				case int:
					if l, ok := whole.([]any); ok && step < len(l) {
						whole = l[step]
					} else {
						whole = nil
					}
				}
			}
			var got any
			if raw, err := json.Get([]byte(doc), path...); err == nil {
				if err := std.Unmarshal(raw, &got); err != nil {
					t.Errorf("%s %v: %s: %v", doc, path, raw, err)
				}
			} else if !errors.Is(err, json.ErrMissing) {
				t.Errorf("%s %v: %v", doc, path, err)
			}
			if !reflect.DeepEqual(got, whole) {
				t.Errorf("%s %v: %v, want %v", doc, path, got, whole)
			}
		}
	}
	for _, doc := range []string{``, `{`, `{"a":1`, `{"a":1}x`, `{"a":1,"b":tru}`, `[1,]`, `{"a":01}`, `{"a":1,}`, `{"a" 1}`, "{\"a\":\"\x01\"}"} {
		var v any
		want := std.Unmarshal([]byte(doc), &v)
		if _, err := json.Get([]byte(doc), "a"); !reflect.DeepEqual(err, want) {
			t.Errorf("%q: %v, want %v", doc, err, want)
		}
	}
	if _, err := json.Get([]byte(`{}`), 1.5); err == nil || errors.Is(err, json.ErrMissing) || !strings.Contains(err.Error(), "float64") {
		t.Errorf("a path with a float: %v", err)
	}
	deep := strings.Repeat("[", 10001) + strings.Repeat("]", 10001)
	if _, err := json.Get([]byte(deep), 0, 0); err == nil {
		t.Error("10001 levels are accepted")
	}
	path := make([]any, 9999)
	for i := range path {
		path[i] = 0
	}
	if raw, err := json.Get([]byte(deep[1:20001]), path...); err != nil || string(raw) != "[]" {
		t.Errorf("10000 levels: %s, %v", raw, err)
	}
}

func TestGetPointsIntoItsInput(t *testing.T) {
	for _, n := range []int{0, 100, 1000, 5000} {
		doc := []byte(`{"fill":"` + strings.Repeat("x", n) + `","a":"yes"}`)
		raw, err := json.Get(doc, "a")
		if err != nil || string(raw) != `"yes"` {
			t.Fatal(n, string(raw), err)
		}
		raw[1] = 'Y'
		if !strings.Contains(string(doc), `"Yes"`) || cap(raw) != len(raw) {
			t.Errorf("%d: a copy, or open to append", n)
		}
	}
}
