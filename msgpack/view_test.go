package msgpack

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestDecodeView(t *testing.T) {
	long := strings.Repeat("x", 300)
	input := append([]byte{0xa3, 'a', 'b', 'c', 0xc0, 0xc4, 2, 1, 2, 0xda, 1, 44}, long...)
	want := []string{"abc", "", "\x01\x02", long}

	d := NewDecoder(nil)
	d.ResetBytes(input)
	for i, w := range want {
		got, err := d.DecodeView()
		if err != nil || string(got) != w {
			t.Fatalf("view %d of bytes: %q, %v; want %q", i, got, err, w)
		}
		if (got == nil) != (i == 1) {
			t.Errorf("view %d is nil: %v", i, got == nil)
		}
	}
	if got, _ := d.DecodeView(); got != nil || d.InputOffset() != int64(len(input)) {
		t.Errorf("at the end: %q at %d", got, d.InputOffset())
	}

	d.ResetBytes(input)
	view, _ := d.DecodeView()
	if &view[0] != &input[1] || cap(view) != 3 {
		t.Error("the view is not the input itself, or reaches beyond the value")
	}
	if n := testing.AllocsPerRun(100, func() { d.ResetBytes(input); d.DecodeView() }); n > 0 {
		t.Errorf("%v allocations", n)
	}

	for name, r := range map[string]io.Reader{"stream": io.MultiReader(bytes.NewReader(input)), "buffer": bytes.NewBuffer(bytes.Clone(input))} {
		d := NewDecoder(r)
		for i, w := range want {
			if got, err := d.DecodeView(); err != nil || string(got) != w {
				t.Fatalf("view %d of a %s: %q, %v", i, name, got, err)
			}
		}
	}
}

func TestDecodeViewErrors(t *testing.T) {
	for _, input := range []string{"\x01", "\xa3ab", "\xdb\xff\xff\xff\xff", "\xc1"} {
		d := NewDecoder(nil)
		d.ResetBytes([]byte(input))
		_, err := d.DecodeView()
		var e *Error
		if !errors.As(err, &e) || e.Offset != 0 {
			t.Errorf("%x: %v", input, err)
		}
	}
}
