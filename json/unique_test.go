package json_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/json"
)

func TestRejectDuplicateNames(t *testing.T) {
	many := func(twice bool) string {
		var s strings.Builder
		for i := range 40 {
			fmt.Fprintf(&s, `"k%d":%d,`, i, i)
		}
		last := `"last"`
		if twice {
			last = `"k17"`
		}
		return `{"x":{` + s.String() + last + `:0}}`
	}
	for _, c := range []struct {
		doc, name string
		offset    int64
	}{
		{`{"a":1,"b":2}`, "", 0},
		{`{"a":1,"a":2}`, "a", 7},
		{`{"a":1,"\u0061":2}`, "a", 7},
		{`{"a":1,"A":2}`, "", 0},
		{`{"":1,"":2}`, "", 6},
		{`[{"a":1},{"a":2}]`, "", 0},
		{`{"unknown":[{"x":{"y":1,"z":{},"y":2}}]}`, "y", 31},
		{many(false), "", 0},
		{many(true), "k17", 0},
	} {
		for _, target := range []any{new(any), &struct{ A, B int }{}, &map[string]any{}, new(json.RawMessage), new(int)} {
			_, err := json.Parse([]byte(c.doc), target, json.RejectDuplicateNames)
			var twice *json.DuplicateNameError
			found := errors.As(err, &twice)
			switch {
			case found != (c.name != "" || c.offset != 0):
				t.Errorf("%s into %T: %v", c.doc, target, err)
			case found && (twice.Name != c.name || c.offset != 0 && twice.Offset != c.offset):
				t.Errorf("%s into %T: %q at %d, want %q at %d", c.doc, target, twice.Name, twice.Offset, c.name, c.offset)
			}
		}
	}
	// Nothing is decoded, and a syntax error takes precedence.
	v := struct{ A int }{7}
	if _, err := json.Parse([]byte(`{"A":1,"A":2}`), &v, json.RejectDuplicateNames); err == nil || v.A != 7 {
		t.Errorf("%v, %v", v, err)
	}
	var syntax *json.SyntaxError
	if _, err := json.Parse([]byte(`{"A":1,"A":2,}`), &v, json.RejectDuplicateNames); !errors.As(err, &syntax) {
		t.Errorf("not a syntax error: %v", err)
	}
	d := json.NewDecoder(strings.NewReader(`{"A":1} {"A":1,"A":2} {"A":3}`))
	d.RejectDuplicateNames()
	var got []string
	for range 3 {
		err := d.Decode(&v)
		got = append(got, fmt.Sprint(v.A, err))
		var twice *json.DuplicateNameError
		if errors.As(err, &twice) && twice.Offset != 15 {
			t.Errorf("offset %d, want 15", twice.Offset)
		}
	}
	if s := strings.Join(got, "; "); s != `1 <nil>; 1 json: duplicate name "A"; 3 <nil>` {
		t.Error(s)
	}
}
