package schema

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

// Read reads one message, and none of the bytes after it.
func TestRead(t *testing.T) {
	v := exampleValue()
	b := fromHex(exampleBytes)
	for name, source := range map[string]func(io.Reader) io.Reader{
		"whole": func(r io.Reader) io.Reader { return r }, "byte by byte": iotest.OneByteReader, "with the end": iotest.DataErrReader,
	} {
		r := source(bytes.NewReader(append(append(bytes.Clone(b), b...), "rest"...)))
		for range 2 {
			var got example
			if err := exampleSchema.Read(r, &got); err != nil || !reflect.DeepEqual(got, v) {
				t.Errorf("%s: %+v %v", name, got, err)
			}
		}
		if rest, err := io.ReadAll(r); err != nil || string(rest) != "rest" {
			t.Errorf("%s: %q is left, %v", name, rest, err)
		}
		var got example
		if err := exampleSchema.Read(r, &got); err != io.EOF {
			t.Errorf("%s: %v at the end", name, err)
		}
	}
	for n := 1; n < len(b); n++ {
		var got example
		want := ErrShort
		if err := exampleSchema.Read(bytes.NewReader(b[:n]), &got); !errors.Is(err, want) || err == io.EOF {
			t.Errorf("cut at %d: %+v", n, err)
		}
	}
	broken := errors.New("broken")
	if err := exampleSchema.Read(iotest.ErrReader(broken), new(example)); !isError(err, broken, "greet", 0) {
		t.Errorf("%+v", err)
	}
	if err := exampleSchema.With(MaxBytes(57)).Read(bytes.NewReader(b), new(example)); !errors.Is(err, ErrSize) {
		t.Errorf("%+v", err)
	}
	type one struct{ A uint8 }
	tail := Struct(Tail(F("a", func(o *one) *uint8 { return &o.A }, U8)))
	if err := tail.Read(strings.NewReader("a"), new(one)); !errors.Is(err, ErrEnd) {
		t.Error(err)
	}
	if err := Struct[one]().Read(strings.NewReader(""), new(one)); err != nil {
		t.Errorf("a message of no bytes: %v", err)
	}
}

// A value that was read is not overwritten by the next message, with or without Alias.
func TestReadKeepsNothing(t *testing.T) {
	texts, err := Of(Str8)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*Schema[string]{texts, texts.With(Alias), texts.With(OwnStrings)} {
		r := strings.NewReader("\x03one\x03two")
		var one, two string
		if err := errors.Join(s.Read(r, &one), s.Read(r, &two)); err != nil || one != "one" || two != "two" {
			t.Error(one, two, err)
		}
	}
}

// A message can be a value of any type.
func TestOf(t *testing.T) {
	s, err := Of(List(H8, U16BE))
	if err != nil {
		t.Fatal(err)
	}
	b, err := s.Append(nil, &[]uint16{1, 2})
	if err != nil || string(b) != "\x02\x00\x01\x00\x02" || s.String() != "list8(u16be)" {
		t.Errorf("%x %v", b, err)
	}
	var v []uint16
	if rest, err := s.Parse(b, &v); err != nil || len(rest) > 0 || !reflect.DeepEqual(v, []uint16{1, 2}) {
		t.Error(v, err)
	}
	if _, err := s.Parse(b[:3], &v); !isError(err, ErrShort, "", 0) {
		t.Errorf("%+v", err)
	}
	if _, err := Of(Type[int]{}); err == nil {
		t.Error("the zero Type has a schema")
	}
	if _, err := Of(Str(headers)); err == nil {
		t.Error("there is a schema of a header that does not exist")
	}
}
