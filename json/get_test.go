package json_test

import (
	std "encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/json"
)

func TestGet(t *testing.T) {
	const doc = ` { "a" : [ {"b": "x"}, {"b": [1, 2.5, null], "b2": {}}, true ] , "\u0063": {"": 7}, "n": -12e3 ,"a b":"é\"" } `
	for _, c := range []struct {
		path []any
		want string // "" if missing
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

// Get finds the value that Unmarshal decodes, also in invalid documents and if a key occurs twice.
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

// The error of Get has the right text, path and offset. If a key occurs twice, Get uses its last
// value.
func TestGetSaysWhichStepFailed(t *testing.T) {
	const doc = ` {"issues": [{"owner": "ann", "n": 5}, {}, [1]], "one": [7], "null": null, "a.b": true}`
	for _, c := range []struct {
		doc        string
		path       []any
		text, step string
		offset     int64
	}{
		{doc, []any{"issues", 1, "owner"}, `issues[1].owner: the object has no key "owner"`, "issues[1].owner", 39},
		{doc, []any{"issues", 3, "owner", "deeper"}, `issues[3]: the array has 3 elements`, "issues[3]", 12},
		{doc, []any{"issues", -4}, `issues[-4]: the array has 3 elements`, "issues[-4]", 12},
		{doc, []any{"one", 1}, `one[1]: the array has 1 element`, "one[1]", 56},
		{doc, []any{"issues", "owner"}, `issues.owner: an array has no keys`, "issues.owner", 12},
		{doc, []any{"issues", 0, 0}, `issues[0][0]: an object has no elements`, "issues[0][0]", 13},
		{doc, []any{"issues", 0, "owner", "first"}, `issues[0].owner.first: a string has no keys`, "issues[0].owner.first", 23},
		{doc, []any{"issues", 0, "n", 0}, `issues[0].n[0]: a number has no elements`, "issues[0].n[0]", 35},
		{doc, []any{"null", "x"}, `null.x: null has no keys`, "null.x", 69},
		{doc, []any{"a.b", 0}, `a.b[0]: a bool has no elements`, "a.b[0]", 82},
		{doc, []any{0}, `[0]: an object has no elements`, "[0]", 1},
		{doc, []any{"new\nline"}, "new\nline: the object has no key \"new\\nline\"", "new\nline", 1},
		{`{"a":{"b":1},"a":{"c":{}}}`, []any{"a", "b", "c"}, `a.b: the object has no key "b"`, "a.b", 17},
		{`{"a":{"c":2},"a":{"b":[]}}`, []any{"a", "b", 0}, `a.b[0]: the array has 0 elements`, "a.b[0]", 22},
		{strings.Repeat("[", 3) + strings.Repeat(" ", 2000) + "]]]", []any{0, 0, uint8(0)}, `[0][0][0]: the array has 0 elements`, "[0][0][0]", 2},
	} {
		_, err := json.Get([]byte(c.doc), c.path...)
		var e *json.Error
		if !errors.Is(err, json.ErrMissing) || !errors.As(err, &e) || err.Error() != json.ErrMissing.Error()+": "+c.text || e.Path != c.step || e.Offset != c.offset {
			t.Errorf("%v: %+v", c.path, err)
		}
	}
}

// Get accepts an index of any integer type and a key of any string type.
func TestGetIndexTypes(t *testing.T) {
	type index int16
	type key string
	for _, step := range []any{1, int8(1), int16(1), int32(1), int64(1), uint(1), uint8(1), uint16(1), uint32(1), uint64(1), uintptr(1), index(1), index(-1), time.Duration(1)} {
		if got, err := json.Get([]byte(`{"a":[0,7]}`), key("a"), step); err != nil || string(got) != "7" {
			t.Errorf("%T: %s, %v", step, got, err)
		}
	}
	for _, step := range []any{uint64(math.MaxUint64), int64(math.MinInt64), int64(math.MaxInt64)} {
		if got, err := json.Get([]byte(`[0,7]`), step); !errors.Is(err, json.ErrMissing) {
			t.Errorf("%v: %s, %v", step, got, err)
		}
	}
	for _, step := range []any{nil, 1.0, true, []int{1}, new(int), []byte("a"), struct{}{}} {
		for _, doc := range []string{`{"a":[0,7]}`, `{}`, ``} {
			want := fmt.Sprintf("json: Get: step 1 of the path is of type %T, want a string or an integer", step)
			if _, err := json.Get([]byte(doc), "a", step); err == nil || err.Error() != want {
				t.Errorf("%T: %v, want %s", step, err, want)
			}
		}
	}
}

// Get does not allocate for a path of usual length.
func TestGetDoesNotAllocate(t *testing.T) {
	doc := []byte(`{"a":[{"b":1},{"b":{"c":5}}]}`)
	if n := testing.AllocsPerRun(100, func() {
		if got, err := json.Get(doc, "a", -1, "b", "c"); err != nil || string(got) != "5" {
			t.Fatal(got, err)
		}
	}); n >= 1 { // with the race detector, the pool drops some objects
		t.Errorf("%v allocations", n)
	}
}
