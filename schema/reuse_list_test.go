package schema

import (
	"bytes"
	"testing"
)

// A []byte that one schema reads as a blob, as a view of the input, and another one as a list of bytes: the input is not written to.
func TestListDoesNotWriteIntoAnInput(t *testing.T) {
	type data struct{ B []byte }
	field := func(typ Type[[]byte]) *Schema[data] {
		return Struct(F("b", func(d *data) *[]byte { return &d.B }, typ))
	}
	views := field(Blob(H8)).With(Alias)
	for name, c := range map[string]struct {
		list *Schema[data]
		b    string
		want string
	}{
		"List":             {field(List(H8, U8)), "\x03abc", "abc"},
		"List, empty":      {field(List(H8, U8)), "\x00", ""},
		"List, cut":        {field(List(H8, U8)), "\x03ab", ""},
		"Fixed":            {field(Fixed(3, U8)), "abc", "abc"},
		"List of integers": {field(List(H8, As[byte](I16))), "\x02a\x00b\x00", "ab"},
	} {
		for _, stream := range []bool{false, true} {
			input := []byte("\x05hello")
			var d data
			if _, err := views.Parse(input, &d); err != nil || string(d.B) != "hello" {
				t.Fatal(d, err)
			}
			var err error
			if stream {
				err = c.list.Reader(bytes.NewReader([]byte(c.b))).Next(&d)
			} else {
				_, err = c.list.Parse([]byte(c.b), &d)
			}
			if name != "List, cut" && (err != nil || string(d.B) != c.want) {
				t.Errorf("%s: %q, %v", name, d.B, err)
			}
			d.B = append(d.B, 'X') // as the caller may
			if string(input) != "\x05hello" {
				t.Errorf("%s, by a Reader %v: the input is %q now", name, stream, input)
			}
		}
	}

	// With ReuseBlobs, which says that there are no views, the memory is used again.
	d := data{B: make([]byte, 0, 10)}
	at := &d.B[:1][0]
	if _, err := field(List(H8, U8)).With(ReuseBlobs).Parse([]byte("\x03abc"), &d); err != nil || string(d.B) != "abc" || &d.B[0] != at {
		t.Error(d, err)
	}
}
