package series

import (
	"bytes"
	"encoding/json"
	"testing"
)

// At each position of short and long text, each byte is either copied or reported as not plain. The
// bytes after the text have no influence.
func TestAppendPlain(t *testing.T) {
	for size := range 20 {
		for at := range size {
			for c := range 256 {
				room := bytes.Repeat([]byte(`"`), size+9)
				text := append(room[:0], bytes.Repeat([]byte("x"), size)...)
				text[at] = byte(c)
				if c%2 == 0 {
					text = text[:size:size]
				}
				plain := c >= ' ' && c < 0x80 && c != '"' && c != '\\'
				for _, pair := range [][2][]byte{{text, []byte("value")}, {[]byte("a name"), text}} {
					got, ok := appendPlain([]byte("{"), pair[0], pair[1])
					if ok != plain {
						t.Fatalf("%q: %q is plain: %v", pair, text, ok)
					}
					if want := `{"` + string(pair[0]) + `":"` + string(pair[1]) + `",`; ok && string(got) != want {
						t.Fatalf("%s, not %s", got, want)
					}
				}
			}
		}
	}
}

func TestLabelSet(t *testing.T) {
	for want, pairs := range map[string][]string{
		`{}`:                          {},
		`{"":""}`:                     {"", ""},
		`{"a":"1","b":"2"}`:           {"b", "2", "a", "1"},
		`{"a":["1","1"]}`:             {"a", "1", "a", "1"},
		`{"a":["2","1"],"b":"3"}`:     {"a", "2", "b", "3", "a", "1"},
		`{"a":"0","b":["3","1","2"]}`: {"b", "3", "b", "1", "a", "0", "b", "2"},
	} {
		var s labelSet
		s.reset()
		for i := 0; i < len(pairs); i += 2 {
			s.add([]byte(pairs[i]), []byte(pairs[i+1]))
		}
		got, wrong := s.append(nil, 1000)
		if string(got) != want || wrong != nil || !json.Valid(got) {
			t.Errorf("%q: %s, %v; not %s", pairs, got, wrong, want)
		}
	}
}
