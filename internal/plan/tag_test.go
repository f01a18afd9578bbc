package plan

import (
	"reflect"
	"testing"
)

func TestParseTag(t *testing.T) {
	opts := func(pairs ...string) (o []Option) {
		for i := 0; i < len(pairs); i += 2 {
			o = append(o, Option{pairs[i], pairs[i+1]})
		}
		return o
	}
	for _, c := range []struct {
		tag     string
		name    string
		options []Option
	}{
		{"", "", nil},
		{"name", "name", nil},
		{"-", "-", nil},
		{"-,", "-", nil},
		{",", "", nil},
		{",omitempty", "", opts("omitempty", "")},
		{"name,omitempty", "name", opts("omitempty", "")},
		{" name , omitempty ", "name", opts("omitempty", "")},
		{"name,,omitempty,", "name", opts("omitempty", "")},
		{"alias:old", "", opts("alias", "old")},
		{"alias:old,omitempty", "", opts("alias", "old", "omitempty", "")},
		{"name,alias:old,alias:older", "name", opts("alias", "old", "alias", "older")},
		{"name,key: value ", "name", opts("key", "value")},
		{"name,key:", "name", opts("key", "")},
		{"name,a:b:c", "name", opts("a", "b:c")},
		{"'something:special'", "something:special", nil},
		{"'a,b',omitempty", "a,b", opts("omitempty", "")},
		{`'it\'s',x`, "it's", opts("x", "")},
		{`'a\\b'`, `a\b`, nil},
		{"'never closed", "never closed", nil},
		{`'ends in a backslash\`, `ends in a backslash\`, nil},
		{"name,type:varchar(10,2),x", "name", opts("type", "varchar(10,2)", "x", "")},
		{"name,f:a(b(c,d),e),x", "name", opts("f", "a(b(c,d),e)", "x", "")},
		{"name,f:a(b,c", "name", opts("f", "a(b,c")},
		{"name,f:a)b,c", "name", opts("f", "a)b", "c", "")},
		{"a(b,c)", "a(b", opts("c)", "")},
		{"name,key:'a,b'", "name", opts("key", "a,b")},
		{"世界,選択:値", "世界", opts("選択", "値")},
	} {
		got := ParseTag(c.tag)
		if got.Name != c.name || !reflect.DeepEqual(got.Options, c.options) {
			t.Errorf("%q: %q %q; want %q %q", c.tag, got.Name, got.Options, c.name, c.options)
		}
	}
	tag := ParseTag("n,alias:a,alias:b,omitempty")
	if v, ok := tag.Option("alias"); v != "b" || !ok || !tag.Has("omitempty") || tag.Has("n") || tag.Has("b") {
		t.Error("of two options of one name the last counts")
	}
}
