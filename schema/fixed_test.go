package schema

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
)

// A slice of a fixed length is encoded like an array of that length, whatever its elements are.
func TestFixed(t *testing.T) {
	type lists struct {
		Flags []bool
		Words []uint16
		Texts [][]string
		None  []uint8
	}
	type arrays struct {
		Flags [3]bool
		Words [2]uint16
		Texts [2][]string
		None  [0]uint8
	}
	s := Struct(
		F("flags", func(l *lists) *[]bool { return &l.Flags }, Fixed(3, Bool)),
		F("words", func(l *lists) *[]uint16 { return &l.Words }, Fixed(2, U16BE)),
		F("texts", func(l *lists) *[][]string { return &l.Texts }, Fixed(2, List(H8, Str8))),
		F("none", func(l *lists) *[]uint8 { return &l.None }, Fixed(0, U8)))
	same := Struct(
		F("flags", func(a *arrays) *[3]bool { return &a.Flags }, Array[[3]bool](Bool)),
		F("words", func(a *arrays) *[2]uint16 { return &a.Words }, Array[[2]uint16](U16BE)),
		F("texts", func(a *arrays) *[2][]string { return &a.Texts }, Array[[2][]string](List(H8, Str8))),
		F("none", func(a *arrays) *[0]uint8 { return &a.None }, Array[[0]uint8](U8)))
	if s.String() != same.String() {
		t.Errorf("%v, want %v", s, same)
	}
	v := lists{[]bool{true, false, true}, []uint16{1, 2}, [][]string{{"a"}, {"b", "c"}}, nil}
	b, err := s.Append(nil, &v)
	want, wantErr := same.Append(nil, &arrays{[3]bool{true, false, true}, [2]uint16{1, 2}, [2][]string{{"a"}, {"b", "c"}}, [0]uint8{}})
	if err != nil || wantErr != nil || !bytes.Equal(b, want) {
		t.Errorf("%x, want %x, %v", b, want, err)
	}
	short := strings.Fields("- flags flags words words words words texts texts texts[0][0] texts[1] texts[1] texts[1] texts[1][1] texts[1][1]")
	for name, read := range map[string]func(b []byte, v *lists) error{
		"bytes":  func(b []byte, v *lists) error { _, err := s.Parse(b, v); return err },
		"stream": func(b []byte, v *lists) error { return s.Read(bytes.NewReader(b), v) },
	} {
		var got lists
		if err := read(b, &got); err != nil || !reflect.DeepEqual(got, v) {
			t.Errorf("%s: %+v %v", name, got, err)
		}
		for n := 1; n < len(b); n++ {
			if err := read(b[:n], new(lists)); !isError(err, ErrShort, short[n], -1) {
				t.Errorf("%s, cut at %d: %+v", name, n, err)
			}
		}
		if err := read([]byte{1, 2, 1, 0, 0, 0, 0, 0, 0}, &got); !isError(err, ErrBool, "flags[1]", 1) {
			t.Errorf("%s: %+v", name, err)
		}
	}
	for path, w := range map[string]lists{
		"flags": {v.Flags[:2], v.Words, v.Texts, nil}, "words": {v.Flags, nil, v.Texts, nil},
		"texts": {v.Flags, v.Words, v.Texts[:1], nil}, "none": {v.Flags, v.Words, v.Texts, []uint8{1}},
	} {
		if _, err := s.Append(nil, &w); !isError(err, ErrLength, path, -1) {
			t.Errorf("%s: %+v", path, err)
		}
	}
	for _, n := range []int{-1, maxFixedSize + 1} {
		if _, err := Of(Fixed(n, U8)); err == nil {
			t.Errorf("a slice of %d bytes", n)
		}
	}
}
