package ingest

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/klauspost/compress/s2"
)

// Each byte, at each place of short and long text, is copied as it is, or told to need care;
// whatever stands behind the text.
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

// What is said to be long is believed as far as the block can be so long.
func TestUnsnappy(t *testing.T) {
	grown := int64(0)
	grow := func(n int64) error {
		grown += n
		return nil
	}
	for _, text := range [][]byte{nil, []byte("x"), make([]byte, 1<<20), bytes.Repeat([]byte("0123456789"), 1e5)} {
		got, err := unsnappy(nil, s2.EncodeSnappy(nil, text), 1<<20, grow)
		if err != nil || !bytes.Equal(got, text) {
			t.Errorf("%d bytes become %d: %v", len(text), len(got), err)
		}
	}
	grown = 0
	for _, block := range [][]byte{nil, {0xff, 0xff, 0xff, 0xff, 0x0f}, {0xff, 0xff, 0xff, 0x7f, 0}, {5, 0}, {0x80}, s2.EncodeSnappy(nil, make([]byte, 1<<20+1))} {
		if got, err := unsnappy(nil, block, 1<<20, grow); err == nil {
			t.Errorf("% x: %d bytes", block[:min(len(block), 10)], len(got))
		}
	}
	if grown > 100 {
		t.Errorf("%d bytes were asked for", grown)
	}
}
