package schema

import (
	"bytes"
	"errors"
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

// Skipped bytes are written as zeros. Any number of bytes from 0 to maxSkip can be skipped.
func TestSkippedBytes(t *testing.T) {
	type one struct{ A uint8 }
	for _, n := range []int{0, 1, 3, 4096, 4097, 9000, maxSkip} {
		s := Struct(Skip[one](n), F("a", func(o *one) *uint8 { return &o.A }, U8), Skip[one](n))
		b, err := s.Append(bytes.Repeat([]byte{9}, 5)[:0], &one{7})
		if want := append(append(make([]byte, n), 7), make([]byte, n)...); err != nil || !bytes.Equal(b, want) {
			t.Fatalf("%d: %v", n, err)
		}
		var v one
		for i := range b {
			b[i] |= 0x70
		}
		if rest, err := s.Parse(b, &v); err != nil || len(rest) > 0 || v.A != 0x77 {
			t.Errorf("%d: %v %v", n, v, err)
		}
		if n > 0 {
			if _, err := s.Parse(b[:2*n], &v); !errors.Is(err, ErrShort) {
				t.Errorf("%d: %v", n, err)
			}
		}
	}
}

// An int is encoded in 8 bytes on every platform. A value that does not fit the platform's int
// returns ErrOverflow.
func TestIntsAre8Bytes(t *testing.T) {
	type number struct{ N int }
	s := Struct(F("n", func(n *number) *int { return &n.N }, Int))
	b, err := s.Append(nil, &number{-2})
	if err != nil || string(b) != "\xfe\xff\xff\xff\xff\xff\xff\xff" {
		t.Errorf("%x %v", b, err)
	}
	var v number
	if _, err := s.Parse(b, &v); err != nil || v.N != -2 {
		t.Error(v, err)
	}
	wide := []byte("\x00\x00\x00\x00\x01\x00\x00\x00")
	if _, err := s.Parse(wide, &v); isError(err, ErrOverflow, "n", 0) != (reflect.TypeFor[int]().Size() == 4) {
		t.Errorf("%d %v", v.N, err)
	}
}
