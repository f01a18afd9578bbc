package msgpack

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/internal/corpus"
)

// midway decodes a part of its value, makes calls that may fail, and returns an error.
type midway struct{}

var errMidway = errors.New("midway")

func (*midway) DecodeMsgpack(d *Decoder) error {
	if n, err := d.DecodeArrayLen(); err == nil && n > 0 {
		_ = d.Skip()
		_ = d.Decode(new(int))
	} else if n, err := d.DecodeMapLen(); err == nil && n > 0 {
		_, _ = d.DecodeString()
	}
	return errMidway
}

// After any error, a decoder continues with the next value. The test decodes random values in
// suitable and unsuitable ways.
func TestGoOnAfterAnyError(t *testing.T) {
	into := func(v any) func(*Decoder) error {
		return func(d *Decoder) error { return d.Decode(reflect.New(reflect.TypeOf(v).Elem()).Interface()) }
	}
	ways := map[string]func(*Decoder) error{
		"int": into(new(int)), "any": into(new(any)), "strings": into(new([]string)), "ints": into(new([]int)), "map": into(new(map[string]int)),
		"texts": into(new(map[string]string)), "struct": into(new(struct{ A, B int })), "times": into(new([2]time.Time)),
		"midway": into(new(midway)), "midways": into(new([]midway)), "text method": into(new(column.Kind)),
		"DecodeInt64":          func(d *Decoder) error { _, err := d.DecodeInt64(); return err },
		"DecodeString":         func(d *Decoder) error { _, err := d.DecodeString(); return err },
		"DecodeTime":           func(d *Decoder) error { _, err := d.DecodeTime(); return err },
		"DecodeMap":            func(d *Decoder) error { _, err := d.DecodeMap(); return err },
		"DecodeTypedMap":       func(d *Decoder) error { _, err := d.DecodeTypedMap(); return err },
		"DecodeUntypedMap":     func(d *Decoder) error { _, err := d.DecodeUntypedMap(); return err },
		"DecodeSlice":          func(d *Decoder) error { _, err := d.DecodeSlice(); return err },
		"DecodeInterfaceLoose": func(d *Decoder) error { _, err := d.DecodeInterfaceLoose(); return err },
		"DecodeInt64s":         func(d *Decoder) error { _, err := d.DecodeInt64s(nil, nil); return err },
		"DecodeStrings":        func(d *Decoder) error { _, err := d.DecodeStrings(nil, nil); return err },
		"DecodeColumns":        func(d *Decoder) error { return d.DecodeColumns(new(column.Batch)) },
		"DecodeRows":           func(d *Decoder) error { return d.DecodeRows(new(column.Batch)) },
		"DecodeRow":            func(d *Decoder) error { return d.DecodeRow(new(column.Batch)) },
		"Query":                func(d *Decoder) error { _, err := d.Query("*"); return err },
		"Query too deep":       func(d *Decoder) error { _, err := d.Query("*.*.*"); return err },
		"Skip":                 (*Decoder).Skip,
		"map decoder": func(d *Decoder) error {
			d.SetMapDecoder(func(d *Decoder) (any, error) {
				_, _ = d.DecodeMapLen()
				_ = d.Skip()
				return nil, errMidway
			})
			defer d.SetMapDecoder(nil)
			return d.Decode(new(any))
		},
	}
	modes := map[string]func(*Decoder){
		"plain":    func(*Decoder) {},
		"interned": func(d *Decoder) { d.UseInternedStrings(true) },
		"limited":  func(d *Decoder) { d.SetOptions(DecodeOptions{MaxBytes: 20, MaxElements: 5, MaxString: 9}) },
		"strict": func(d *Decoder) {
			d.SetOptions(DecodeOptions{StrictInts: true, UniqueKeys: true, MaxDepth: 3, DisallowUnknownFields: true})
		},
		"strict and interned": func(d *Decoder) {
			d.SetOptions(DecodeOptions{StrictUTF8: true, DisallowUnknownFields: true, AnyLength: true})
			d.UseInternedStrings(true)
		},
	}
	r := corpus.New(7)
	for range 30 {
		v := corpus.Any(r, 0)
		for mode, set := range modes {
			var data bytes.Buffer
			e := NewEncoder(&data)
			e.UseInternedStrings(mode == "interned" || mode == "strict and interned")
			if err := e.EncodeMulti(v, "after it", 42, "after it", "the end", "the end"); err != nil {
				t.Fatal(err)
			}
			for way, read := range ways {
				for source, d := range sources(data.Bytes()) {
					set(d)
					err := read(d)
					var s [4]string
					var n int
					errs := d.DecodeMulti(&s[0], &n)
					c, errPeek := d.PeekCode()
					errs = errors.Join(errs, errPeek, d.DecodeMulti(&s[1], &s[2], &s[3]))
					end := d.Decode(&n)
					if errs != nil || s != [4]string{"after it", "after it", "the end", "the end"} || n != 42 || c == 0 || end != io.EOF {
						t.Fatalf("%s, %s, %s: after %v: %q, %d, %x, %v, %v\n%x", mode, way, source, err, s, n, c, errs, end, data.Bytes())
					}
				}
			}
		}
	}
}

// faults is a reader that returns pieces of input. At an empty piece it returns err, which may be
// io.EOF.
type faults struct {
	pieces [][]byte
	err    error
}

func (f *faults) Read(b []byte) (int, error) {
	if len(f.pieces) == 0 {
		return 0, io.EOF
	}
	p := f.pieces[0]
	n := copy(b, p)
	if f.pieces[0] = p[n:]; len(p) == n {
		f.pieces = f.pieces[1:]
	}
	if n == 0 {
		return 0, f.err
	}
	return n, nil
}

// After an end or a temporary error of the input, decoding continues when more input arrives. The
// interruption is between values, within a value, or while a value is skipped.
func TestInputThatGoesOn(t *testing.T) {
	errDeadline := errors.New("deadline")
	for _, c := range []struct {
		name   string
		err    error
		pieces []string
		want   []any // result of each Decode into an int
	}{
		{"an end between values", io.EOF, []string{"\x01", "", "\x02\x03"}, []any{1, io.EOF, 2, 3, io.EOF}},
		{"an end before the first", io.EOF, []string{"", "", "\x02"}, []any{io.EOF, io.EOF, 2, io.EOF}},
		{"an end within a value ends it", io.EOF, []string{"\xcd\x01", "", "\x02\x03"}, []any{io.ErrUnexpectedEOF, 3, io.EOF}},
		{"a deadline between values", errDeadline, []string{"\x01", "", "\x02\x03"}, []any{1, errDeadline, 2, 3, io.EOF}},
		{"a deadline before the first", errDeadline, []string{"", "", "\x02"}, []any{errDeadline, errDeadline, 2, io.EOF}},
		{"a deadline within a value", errDeadline, []string{"\xcd\x01", "", "\x02\x03"}, []any{errDeadline, 258, 3, io.EOF}},
		{"a deadline while passing over", errDeadline, []string{"\x93\xa3a", "", "b", "", "c\x01\x02", "", "\x03"},
			[]any{"msgpack: invalid code=93 decoding int64", errDeadline, errDeadline, errDeadline, 3, io.EOF}},
	} {
		for _, exact := range []bool{false, true} {
			var pieces [][]byte
			for _, p := range c.pieces {
				pieces = append(pieces, []byte(p))
			}
			var r io.Reader = &faults{pieces, c.err}
			if exact {
				r = struct {
					io.Reader
					io.ByteScanner
				}{r, nil}
			}
			d := NewDecoder(r)
			for k, want := range c.want {
				var n int
				err := d.Decode(&n)
				switch want := want.(type) {
				case int:
					if n != want || err != nil {
						t.Errorf("%s (exact: %v): call %d gives %d, %v; want %d", c.name, exact, k, n, err, want)
					}
				case error:
					if !errors.Is(err, want) || want == io.EOF && err != io.EOF {
						t.Errorf("%s (exact: %v): call %d gives %d, %v; want %v", c.name, exact, k, n, err, want)
					}
				case string:
					if text(err) != want {
						t.Errorf("%s (exact: %v): call %d gives %d, %v; want %v", c.name, exact, k, n, err, want)
					}
				}
			}
		}
	}
}

// A buffer can be filled again after a decoder has reached its end. No value is lost.
func TestBuffersThatAreFilledAgain(t *testing.T) {
	for name, rw := range map[string]io.ReadWriter{"bytes.Buffer": new(bytes.Buffer), "Buffer": new(Buffer)} {
		d := NewDecoder(rw)
		for k := range 3 {
			var n int
			if err := d.Decode(&n); err != io.EOF {
				t.Errorf("%s: %v at its end", name, err)
			}
			_, _ = rw.Write([]byte{byte(k), 0x91, 5, 7})
			if err := d.Decode(&n); n != k || err != nil {
				t.Errorf("%s: %d, %v; want %d", name, n, err, k)
			}
			if err := d.Decode(&n); err == nil {
				t.Errorf("%s: an array is %d", name, n)
			}
			if err := d.Decode(&n); n != 7 || err != nil {
				t.Errorf("%s: %d, %v; want 7", name, n, err)
			}
		}
	}
}

// A value beyond MaxBytes is skipped, and the decoder continues with the next value up to the end
// of the input.
func TestTooLargeAndThenTheNext(t *testing.T) {
	for _, before := range []int{0, 3000} {
		data := append(bytes.Repeat([]byte{1}, before), 0xdc, 0x10, 0x00)
		data = append(append(data, bytes.Repeat([]byte{2}, 0x1000)...), 0xda, 0x13, 0x88)
		data = append(append(data, bytes.Repeat([]byte{'x'}, 5000)...), 7)
		for name, d := range sources(data) {
			d.SetOptions(DecodeOptions{MaxBytes: 4500})
			for range before {
				if n, err := d.DecodeInt8(); n != 1 || err != nil {
					t.Fatalf("%s: %d, %v", name, n, err)
				}
			}
			var n int
			if err := d.Decode(&n); err == nil {
				t.Errorf("%s: an array is %d", name, n)
			}
			if _, err := d.DecodeString(); !errors.Is(err, errTooLarge) {
				t.Errorf("%s: %v", name, err)
			}
			if err := d.Decode(&n); n != 7 || err != nil {
				t.Errorf("%s: %d, %v", name, n, err)
			}
			if err := d.Decode(&n); err != io.EOF {
				t.Errorf("%s: %v at the end", name, err)
			}
		}
	}
}

// After a value beyond MaxBytes, which is dropped, a Buffer keeps an incomplete value.
func TestBufferKeepsWhatIsNotWholeAfterAValueTooLarge(t *testing.T) {
	large := marshal(t, string(bytes.Repeat([]byte{'x'}, 100)))
	var b Buffer
	b.Reference(large[:20])
	b.Reference(append(slices.Clone(large[20:]), 0xa3, 'a'))
	d := NewDecoder(&b)
	d.SetOptions(DecodeOptions{MaxBytes: 50})
	var s string
	if err := d.Decode(&s); !errors.Is(err, errTooLarge) {
		t.Error(err)
	}
	if err := d.Decode(&s); !errors.Is(err, io.ErrUnexpectedEOF) || b.Len() != 2 {
		t.Errorf("%v, %d bytes wait", err, b.Len())
	}
	b.Reference([]byte("bc"))
	if err := d.Decode(&s); s != "abc" || err != nil {
		t.Errorf("%q, %v", s, err)
	}
}
