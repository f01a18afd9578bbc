package msgpack

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/internal/corpus"
	guarded "github.com/slipstream-go/slipstream/internal/guard"
	"github.com/slipstream-go/slipstream/internal/msgpwire"
)

// interning returns the encoding of values, one after another, with interned strings.
func interning(t testing.TB, values ...any) []byte {
	t.Helper()
	var out bytes.Buffer
	e := NewEncoder(&out).SetSortMapKeys(true)
	e.UseInternedStrings(true)
	if err := e.EncodeMulti(values...); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

type (
	label  string
	labels struct {
		Host  string
		Zone  label `msgpack:",omitempty"`
		Extra any
		More  *labels
	}
	text4 [4]byte
)

// Interned strings have the right encoding.
func TestInternedBytes(t *testing.T) {
	for _, c := range []struct {
		v    any
		want string
	}{
		{[]string{"foo", "foo", "fo", "fo", "", ""}, "96 a3666f6f d48000 a2666f a2666f a0 a0"},
		{[]any{"foo", []byte("foo"), "foo", label("foo")}, "94 a3666f6f c403666f6f d48000 d48000"},
		{map[string]string{"foo": "bar", "goo": "foo"}, "82 a3666f6f a3626172 a3676f6f d48000"},
		{map[string]any{"foo": "bar", "goo": map[string]any{"foo": "bar"}}, "82 a3666f6f a3626172 a3676f6f 81 d48000 d48001"},
		{map[label]int{"foo": 1}, "81 a3666f6f 01"},
		{[]labels{{Host: "Extra"}, {Host: "Host"}}, "92 83 a4486f7374 a54578747261 d48001 c0 a44d6f7265 c0 83 d48000 d48000 d48001 c0 d48002 c0"},
		{[]any{struct{ E error }{errors.New("bad")}, "bad"}, "92 81 a145 a3626164 d48000"},
		{[]struct{ Host string }{{"Host"}, {"foo"}}, "92 81 a4486f7374 d48000 81 d48000 a3666f6f"},
		{[]any{RawMessage("\xa3foo"), "foo", Ext{1, []byte("\xa3goo")}, "goo"}, "94 a3666f6f a3666f6f d601 a3676f6f a3676f6f"},
	} {
		if got := interning(t, c.v); !bytes.Equal(got, unhex(t, c.want)) {
			t.Errorf("%+v is %x, want %s", c.v, got, c.want)
		}
	}
}

// Strings occur twice in every position of a value. Every way to read or skip the value numbers the
// strings as the encoder did, so later values decode correctly.
func TestInternedEverywhere(t *testing.T) {
	long, longer := strings.Repeat("long", 20), strings.Repeat("longer", 11000)
	for _, v := range []any{
		"foo",
		long,
		longer,
		label("foo"),
		[]string{"foo", "goo", "foo", long},
		[]label{"foo", "goo", "foo"},
		[2]string{"foo", "foo"},
		slices.Repeat([]string{"foo", "goo", "hoo"}, 20),
		map[string]string{"foo": "goo", "hoo": "foo"},
		map[string]int{"foo": 1, "hoo": 2},
		map[label]label{"foo": "goo", "hoo": "foo"},
		map[string][]string{"foo": {"goo", "foo"}},
		map[string]any{"foo": "goo", "hoo": []any{"foo", nil, true, "goo"}, long: map[string]any{"foo": "goo"}},
		[]any{"foo", long, "foo", []any{"foo"}, time.Unix(1, 0), "goo", []byte("bin"), "bin", 1.5},
		labels{"foo", "goo", "foo", &labels{"hoo", "foo", map[string]any{"Host": "goo"}, nil}},
		struct{ A, B any }{"foo", []any{"B", "foo", map[string]any{"Host": "foo"}}},
		struct {
			_msgpack struct{} `msgpack:",as_array"` //lint:ignore U1000 read by its tag
			A, B     string
		}{A: "foo", B: "goo"},
	} {
		typ := reflect.TypeOf(v)
		data := interning(t, v, v, "control", v)
		for way, read := range map[string]func(d *Decoder) (any, error){
			"typed": func(d *Decoder) (any, error) {
				to := reflect.New(typ)
				err := d.Decode(to.Interface())
				return to.Elem().Interface(), err
			},
			"any":  func(d *Decoder) (any, error) { return d.DecodeInterface() },
			"skip": func(d *Decoder) (any, error) { return nil, d.Skip() },
			"no fields": func(d *Decoder) (any, error) {
				if typ.Kind() != reflect.Struct || typ.Field(0).Name == "_msgpack" {
					return nil, d.Skip()
				}
				return nil, d.Decode(&struct{}{})
			},
			"one field": func(d *Decoder) (any, error) {
				if typ.Kind() != reflect.Struct || typ.Field(0).Name == "_msgpack" {
					return nil, d.Skip()
				}
				return nil, d.Decode(&struct{ More, B any }{})
			},
		} {
			for source, d := range sources(data) {
				d.UseInternedStrings(true)
				_, err1 := read(d)
				_, err2 := read(d)
				control, err3 := d.DecodeString()
				last := reflect.New(typ)
				err4 := d.Decode(last.Interface())
				if err := errors.Join(err1, err2, err3, err4); err != nil || control != "control" {
					t.Errorf("%v, %s from %s: %q, %v", typ, way, source, control, err)
					continue
				}
				var want bytes.Buffer
				NewEncoder(&want).SetSortMapKeys(true).Encode(v)
				if got := sortedBytes(t, last.Interface()); !bytes.Equal(got, want.Bytes()) {
					t.Errorf("%v, %s from %s: then %+v", typ, way, source, last.Elem())
				}
				if _, err := d.PeekCode(); err != io.EOF {
					t.Errorf("%v, %s from %s: %v at the end", typ, way, source, err)
				}
			}
		}
	}
}

// A string that is decoded into a type other than string also joins the dict, before and after it
// has a number.
func TestInternedOtherTypes(t *testing.T) {
	for _, c := range []struct {
		v    any
		want any
	}{
		{new([]byte), []byte("foo!")},
		{new([5]byte), [5]byte{'f', 'o', 'o', '!'}},
		{new(text4), text4{'f', 'o', 'o', '!'}},
		{new(shout), shout("FOO!")},
		{new(column.Column), nil},
	} {
		d := newDecoder()
		d.ResetBytes(interning(t, "foo!", "goo", "foo!", "goo"))
		d.UseInternedStrings(true)
		var err error
		if cell, ok := c.v.(*column.Column); ok {
			err = d.DecodeCell(cell)
		} else {
			err = d.Decode(c.v)
		}
		if err != nil || c.want != nil && !reflect.DeepEqual(reflect.ValueOf(c.v).Elem().Interface(), c.want) {
			t.Errorf("%T: %v, %v", c.v, c.v, err)
		}
		for _, want := range []string{"goo", "foo!", "goo"} {
			if s, err := d.DecodeString(); s != want || err != nil {
				t.Errorf("%T: then %q, %v, want %q", c.v, s, err, want)
			}
		}
	}
	for name, read := range map[string]func(*Decoder) (any, error){
		"DecodeBytes":  func(d *Decoder) (any, error) { b, err := d.DecodeBytes(); return string(b), err },
		"DecodeView":   func(d *Decoder) (any, error) { b, err := d.DecodeView(); return string(b), err },
		"DecodeString": func(d *Decoder) (any, error) { return d.DecodeString() },
	} {
		for source, d := range sources(unhex(t, "a3666f6f d48000")) {
			d.UseInternedStrings(true)
			v, err := read(d)
			if s, err := d.DecodeString(); v != "foo" || s != "foo" || err != nil {
				t.Errorf("%s from %s: %v, then %q, %v", name, source, v, s, err)
			}
			if err != nil {
				t.Errorf("%s from %s: %v", name, source, err)
			}
		}
	}
	var columns column.Batch
	d := newDecoder()
	d.ResetBytes(interning(t, map[string]any{"host": []string{"foo", "goo"}}, "goo"))
	d.UseInternedStrings(true)
	if err := d.DecodeColumns(&columns); err != nil || columns.Rows != 2 {
		t.Errorf("columns: %d rows, %v", columns.Rows, err)
	}
	if s, err := d.DecodeString(); s != "goo" || err != nil {
		t.Errorf("after columns: %q, %v", s, err)
	}
}

// Skipping ignores bytes that look like strings, but are part of other values.
func TestInternedSkip(t *testing.T) {
	for _, v := range []any{Ext{1, []byte("\xa3foo.")}, Ext{1, []byte("\xa3foo")}, []byte("\xa3foo."), int64(0x1fa3666f6f), []any{"foo", []byte("foo")}} {
		for name, d := range sources(interning(t, v, "goo", "foo", "goo", "foo")) {
			d.UseInternedStrings(true)
			if err := d.Skip(); err != nil {
				t.Errorf("%v, %s: %v", v, name, err)
			}
			for _, want := range []string{"goo", "foo", "goo", "foo"} {
				if s, err := d.DecodeString(); s != want || err != nil {
					t.Errorf("%v, %s: %q, %v, want %q", v, name, s, err, want)
				}
			}
		}
	}
}

// shout decodes text in upper case.
type shout string

func (s *shout) UnmarshalText(text []byte) error {
	*s = shout(strings.ToUpper(string(text)))
	return nil
}

// Only the strings of fields with the tag intern join the dict. Any string in the dict is encoded
// as its number, in other fields too.
func TestInternTag(t *testing.T) {
	type tagged struct {
		A string `msgpack:",intern"`
		B label  `msgpack:",intern"`
		C any    `msgpack:",intern"`
		D string
	}
	in := []tagged{{"f", "f", "f", "f"}, {"foo", "goo", "foo", "goo"}, {"foo", "foo", "goo", "hoo"}, {"hoo", "", 1.5, "foo"}, {"", "hoo", nil, "goo"}}
	data := marshal(t, in)
	want := "95 84a141a166a142a166a143a166a144a166 84a141a3666f6fa142a3676f6fa143d48000a144d48001 84a141d48000a142d48000a143d48001a144a3686f6f" +
		"84a141a3686f6fa142a0a143cb3ff8000000000000a144d48000 84a141a0a142d48002a143c0a144d48001"
	if !bytes.Equal(data, unhex(t, want)) {
		t.Errorf("%x, want %s", data, want)
	}
	var out []tagged
	if err := into(t, want, &out); err != nil || !reflect.DeepEqual(out, in) {
		t.Errorf("%+v, %v", out, err)
	}
	if again := marshal(t, in); !bytes.Equal(again, data) {
		t.Errorf("%x, and then %x", data, again)
	}

	// The dict applies to all later calls, whichever call added a string.
	var calls bytes.Buffer
	e := NewEncoder(&calls)
	if err := errors.Join(e.EncodeMapSorted(map[string]any{"k": tagged{A: "foo"}}), e.EncodeString("foo")); err != nil || !bytes.HasSuffix(calls.Bytes(), unhex(t, "a144a0 d48000")) {
		t.Errorf("%x, %v", calls.Bytes(), err)
	}

	// A tagged field also accepts other values.
	var v tagged
	if err := into(t, "84 a141 c403666f6f a142 c0 a143 c403666f6f a144 a0", &v); err != nil || !reflect.DeepEqual(v, tagged{A: "foo", C: []byte("foo")}) {
		t.Errorf("%+v, %v", v, err)
	}
	v = tagged{C: "old"}
	if err := into(t, "82 a143 d6ff00000001 a141 c0", &v); err != nil || !reflect.DeepEqual(v, tagged{C: time.Unix(1, 0)}) {
		t.Errorf("%+v, %v", v, err)
	}
	// After a string has joined the dict, a number may replace it anywhere: for names of fields,
	// also in outer structs, and for keys.
	var outer struct {
		In  tagged
		Abc string
		M   map[string]string
		S   []string
		P   any
	}
	digits := "85 a2496e 81a141a3416263 d48000 a3616263 a14d 81 d48000 d48000 a153 91 d48000 a150 92 d48000 81 d48000 01"
	if err := into(t, digits, &outer); err != nil || outer.Abc != "abc" || outer.M["Abc"] != "Abc" || outer.S[0] != "Abc" ||
		!reflect.DeepEqual(outer.P, []any{"Abc", map[string]any{"Abc": int8(1)}}) {
		t.Errorf("%+v, %v", outer, err)
	}
	for digits, want := range map[string]string{
		"81 a141 d48000":       "msgpack: interned string at index=0 does not exist",
		"81 a141 d68000000001": "msgpack: interned string at index=1 does not exist",
		"81 a141 d40100":       "msgpack: got ext type=1, wanted -128",
		"81 a141 c7038000":     "msgpack: unexpected code=c7 decoding interned string",
		"81 a141 01":           "msgpack: unexpected code=1 decoding interned string",
		"81 a141 d580":         "EOF",
		"81 a141":              "EOF",
		"81 a143":              "EOF",
		"81 a143 d40100":       "msgpack: unknown ext id=1",
		"81 a144 d48000":       "msgpack: invalid code=d4 decoding string/bytes length",
	} {
		var v tagged
		if err := into(t, digits, &v); text(err) != want {
			t.Errorf("%s: %v, want %s", digits, err, want)
		}
	}
	defer func() {
		if p := recover(); fmt.Sprint(p) != "msgpack: intern strings are not supported on int" {
			t.Error(p)
		}
	}()
	Marshal(struct {
		N int `msgpack:",intern"`
	}{})
}

type internTags struct {
	A string `msgpack:",intern"`
	B any    `msgpack:",intern"`
	C string
}

// A field with the tag intern accepts every value of its type.
func TestInternFields(t *testing.T) {
	t.Run("intern_field_decodes_nil_bin_and_other_types", func(t *testing.T) {
		for digits, want := range map[string]internTags{
			"82 a141 c0 a142 c0":                 {},
			"82 a141 c403616263 a142 c403616263": {A: "abc", B: []byte("abc")},
			"81 a142 d6ff00000001":               {B: time.Unix(1, 0)},
			"82 a142 05 a143 a161":               {B: int8(5), C: "a"},
		} {
			var v internTags
			if err := into(t, digits, &v); err != nil || !reflect.DeepEqual(v, want) {
				t.Errorf("%s: %+v, %v; want %+v", digits, v, err, want)
			}
		}
		values := []internTags{{"foo", "foo", "foo"}, {"fo", "foo", "x"}, {"foo", 5, "foo"}, {"", nil, ""}}
		var back []internTags
		b := marshal(t, values)
		for i := range values {
			if n, ok := values[i].B.(int); ok {
				values[i].B = int8(n)
			}
		}
		if err := Unmarshal(b, &back); err != nil || !reflect.DeepEqual(back, values) {
			t.Errorf("%+v, %v", back, err)
		}
		type wrong struct {
			N int `msgpack:",intern"`
		}
		if p := caught(func() { Marshal(wrong{}) }); fmt.Sprint(p) != "msgpack: intern strings are not supported on int" {
			t.Error(p)
		}
		marshal(t, values) // the panic released the lock
	})
}

// Numbers are encoded correctly in each width, up to the largest number.
func TestInternedNumbers(t *testing.T) {
	words := make([]string, maxDict+10)
	for i := range words {
		words[i] = fmt.Sprintf("word%d", i)
	}
	data := interning(t, words, words)
	want := interning(t, words)
	for i := range words {
		switch {
		case i >= maxDict:
			want = msgpwire.AppendString(want, words[i])
		case i == 0:
			want = append(msgpwire.AppendArrayLen(want, len(words)), 0xd4, 0x80, 0)
		case i <= 0xff:
			want = append(want, 0xd4, 0x80, byte(i))
		default:
			want = append(want, 0xd5, 0x80, byte(i>>8), byte(i))
		}
	}
	if !bytes.Equal(data, want) {
		t.Error("the numbers are not those of the strings in their order")
	}
	d := newDecoder()
	d.ResetBytes(data)
	d.UseInternedStrings(true)
	for range 2 {
		var got []string
		if err := d.Decode(&got); err != nil || !slices.Equal(got, words) {
			t.Fatalf("%d strings, %v", len(got), err)
		}
	}
	if n := len(d.dict.own); n != maxDict {
		t.Errorf("the decoder has %d strings", n)
	}
	for index, want := range map[int]string{0: "d48000", 255: "d480ff", 256: "d5800100", 65536: "d68000010000", 1<<31 - 1: "d6807fffffff"} {
		var out bytes.Buffer
		e := NewEncoder(nil)
		e.ResetDict(&out, map[string]int{"x": index})
		if err := e.Encode("x"); err != nil || !bytes.Equal(out.Bytes(), unhex(t, want)) {
			t.Errorf("%d: %x, %v", index, out.Bytes(), err)
		}
	}
	e := NewEncoder(nil)
	e.ResetDict(io.Discard, map[string]int{"x": -1})
	if err := e.Encode("x"); text(err) != "msgpack: interned string index=-1 is too large" {
		t.Error(err)
	}
}

// Both sides may get a dict of strings at the start. The dict is used with and without the option,
// and is never changed.
func TestDicts(t *testing.T) {
	given := make([]string, 2, 10)
	copy(given, []string{"hello world", "foo bar"})
	numbers := map[string]int{"hello world": 0, "foo bar": 1}
	for _, on := range []bool{false, true} {
		var out bytes.Buffer
		e, d := NewEncoder(nil), NewDecoder(nil)
		e.ResetDict(&out, numbers)
		d.ResetDict(&out, given)
		e.UseInternedStrings(on)
		d.UseInternedStrings(on)
		in := map[string]any{"foo bar": "hello world", "hello world": "foo bar", "new": "new"}
		for range 3 {
			if err := e.Encode(in); err != nil {
				t.Fatal(err)
			}
			if v, err := d.DecodeInterface(); err != nil || !reflect.DeepEqual(v, in) {
				t.Fatalf("option %t: %v, %v", on, v, err)
			}
			if err := errors.Join(e.EncodeString("new"), e.Encode(struct {
				A string `msgpack:"foo bar"`
			}{"hello world"})); err != nil {
				t.Fatal(err)
			}
			var back struct {
				A string `msgpack:"foo bar"`
			}
			if s, err := d.DecodeString(); s != "new" || err != nil {
				t.Fatalf("option %t: %q, %v", on, s, err)
			}
			if err := d.Decode(&back); err != nil || back.A != "hello world" {
				t.Fatalf("option %t: %+v, %v", on, back, err)
			}
		}
		if len(numbers) != 2 || !slices.Equal(given[:cap(given)], []string{"hello world", "foo bar", "", "", "", "", "", "", "", ""}) {
			t.Fatalf("option %t: the dicts have become %v, %v", on, numbers, given[:cap(given)])
		}
		// Each of these calls removes the dict.
		for name, reset := range map[string]func(){
			"Reset":                      func() { e.Reset(&out); d.Reset(&out) },
			"ResetWriter, ResetReader":   func() { e.ResetWriter(&out); d.ResetReader(&out) },
			"another dict":               func() { e.ResetDict(&out, map[string]int{"x": 0}); d.ResetDict(&out, []string{"x"}) },
			"PutEncoder and PutDecoder":  func() { PutEncoder(e); PutDecoder(d); e.ResetWriter(&out); d.ResetReader(&out) },
			"ResetDict without any dict": func() { e.ResetDict(&out, nil); d.ResetDict(&out, nil) },
		} {
			e.ResetDict(&out, numbers)
			d.ResetDict(&out, given)
			reset()
			if err := e.EncodeString("hello world"); err != nil || out.Len() != 12 {
				t.Errorf("%s: %x, %v", name, out.Bytes(), err)
			}
			if s, err := d.DecodeString(); s != "hello world" || err != nil {
				t.Errorf("%s: %q, %v", name, s, err)
			}
			d.ResetBytes([]byte{msgpwire.Fixext1, 0x80, 1})
			if v, err := d.DecodeInterface(); text(err) != "msgpack: interned string at index=1 does not exist" {
				t.Errorf("%s: %v, %v", name, v, err)
			}
		}
	}
}

// WithDict uses another dict during its call, and the previous dict after it.
func TestWithDict(t *testing.T) {
	given := map[string]int{"inner": 0}
	kept := maps.Clone(given)
	var out bytes.Buffer
	e := NewEncoder(&out)
	e.UseInternedStrings(true)
	fault := errors.New("not today")
	err := errors.Join(e.EncodeString("outer"), e.WithDict(given, func(e *Encoder) error {
		return errors.Join(e.EncodeString("outer"), e.EncodeString("inner"), e.EncodeString("outer"), fault)
	}), e.EncodeString("inner"), e.EncodeString("outer"))
	if !errors.Is(err, fault) || err.Error() != fault.Error() || !maps.Equal(given, kept) {
		t.Errorf("%v, %v", err, given)
	}
	if want := unhex(t, "a56f75746572 a56f75746572 d48000 d48001 a5696e6e6572 d48000"); !bytes.Equal(out.Bytes(), want) {
		t.Errorf("%x, want %x", out.Bytes(), want)
	}
	d := NewDecoder(&out)
	d.UseInternedStrings(true)
	var got []string
	read := func(d *Decoder) error {
		s, err := d.DecodeString()
		got = append(got, s)
		return err
	}
	err = errors.Join(read(d), d.WithDict([]string{"inner"}, func(d *Decoder) error {
		return errors.Join(read(d), read(d), read(d), fault)
	}), read(d), read(d))
	if want := []string{"outer", "outer", "inner", "outer", "inner", "outer"}; err.Error() != fault.Error() || !slices.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	func() {
		defer func() { recover() }()
		e.WithDict(map[string]int{"panicked": 0}, func(*Encoder) error { panic("in the middle") })
	}()
	if err := e.EncodeString("panicked"); err != nil || out.String() != "\xa8panicked" {
		t.Errorf("after a panic: %x, %v", out.Bytes(), err)
	}
}

// Without the option and without a dict, a number does not decode as a string.
func TestInternedOff(t *testing.T) {
	var s string
	if err := into(t, "d48000", &s); text(err) != "msgpack: invalid code=d4 decoding string/bytes length" {
		t.Error(err)
	}
	var v any
	if err := into(t, "d48000", &v); text(err) != "msgpack: interned string at index=0 does not exist" {
		t.Error(err)
	}
	if err := into(t, "c70380000000", &v); text(err) != "msgpack: unsupported ext len=3 decoding interned string" {
		t.Error(err)
	}
	d := newDecoder()
	d.ResetBytes(unhex(t, "a3666f6f d48000"))
	d.UseInternedStrings(true)
	d.UseInternedStrings(false)
	if _, err := d.DecodeString(); err != nil {
		t.Error(err)
	}
	if s, err := d.DecodeString(); err == nil {
		t.Errorf("%q", s)
	}
}

// A number that is invalid, or not in the dict, is an error with the right text and position.
func TestInternedErrors(t *testing.T) {
	d := newDecoder()
	d.UseInternedStrings(true)
	for digits, want := range map[string]string{
		"92 a3666f6f d48001":         "msgpack: interned string at index=1 does not exist",
		"92 a3666f6f d6 80 ffffffff": "msgpack: interned string at index=4294967295 does not exist",
		"92 a3666f6f d580":           "EOF",
		"92 a3666f6f":                "EOF",
	} {
		for _, to := range []any{new([]string), new(any), new([]any)} {
			d.ResetBytes(unhex(t, digits))
			d.UseInternedStrings(true)
			var e *Error
			if err := d.Decode(to); text(err) != want || !errors.As(err, &e) {
				t.Errorf("%s into %T: %v, want %s", digits, to, err, want)
			}
		}
	}
	for name, d := range sources(interning(t, []any{"foo", Ext{1, []byte("x")}, "goo"}, "goo")) {
		d.UseInternedStrings(true)
		if _, err := d.DecodeInterface(); text(err) != "msgpack: unknown ext id=1" {
			t.Errorf("%s: %v", name, err)
		}
		if s, err := d.DecodeString(); s != "goo" || err != nil {
			t.Errorf("%s: %q, %v after the value of an unknown ext", name, s, err)
		}
	}
}

// SetInternedStringsDictCap allocates the given capacity at once, up to the maximum number of
// strings.
func TestDictCap(t *testing.T) {
	for n, want := range map[int]int{-1: 0, 0: 0, 100: 100, 1 << 20: maxDict} {
		e, d := NewEncoder(nil), NewDecoder(nil)
		e.SetInternedStringsDictCap(n)
		d.SetInternedStringsDictCap(n)
		e.Reset(io.Discard)
		d.Reset(bytes.NewReader(interning(t, slices.Repeat([]string{"foo"}, 3))))
		if e.dict.room != want || d.dict.room != want {
			t.Errorf("%d: room for %d and %d", n, e.dict.room, d.dict.room)
		}
		d.UseInternedStrings(true)
		var got []string
		if err := d.Decode(&got); err != nil || len(got) != 3 || want > 0 && cap(d.dict.own) != want {
			t.Errorf("%d: %v, %v, room %d", n, got, err, cap(d.dict.own))
		}
	}
}

// Strings of one user of an Encoder or Decoder do not appear in the next one.
func TestDictsAreForgotten(t *testing.T) {
	words := make([]string, keptDict+1)
	for i := range words {
		words[i] = fmt.Sprintf("word%d", i)
	}
	e, d := newEncoder(), newDecoder()
	e.Reset(io.Discard)
	e.UseInternedStrings(true)
	d.ResetBytes(interning(t, words))
	d.UseInternedStrings(true)
	if err := errors.Join(e.Encode(words), d.Decode(new([]string))); err != nil {
		t.Fatal(err)
	}
	PutEncoder(e)
	PutDecoder(d)
	if e.dict.own != nil || e.dict.given != nil || d.dict.own != nil || d.dict.given != nil {
		t.Errorf("%d and %d strings are kept", len(e.dict.own), len(d.dict.own))
	}
	type tagged struct {
		S string `msgpack:",intern"`
	}
	var v tagged
	for range 100 { // from the pools of Marshal and Unmarshal
		if data := marshal(t, tagged{"secret"}); !bytes.Equal(data, unhex(t, "81a153a6736563726574")) {
			t.Fatalf("%x", data)
		}
		if err := Unmarshal(unhex(t, "81a153a6736563726574"), &v); err != nil || v.S != "secret" {
			t.Fatal(v, err)
		}
		if err := Unmarshal(unhex(t, "81a153d48000"), &v); text(err) != "msgpack: interned string at index=0 does not exist" {
			t.Fatalf("%+v, %v", v, err)
		}
	}
}

// A reused Encoder or Decoder collects the strings again each time. Encoding does not allocate, and
// decoding allocates only the string.
func TestInternedAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("counted without the race detector")
	}
	e, d := NewEncoder(nil), NewDecoder(nil)
	var out bytes.Buffer
	e.ResetDict(&out, map[string]int{"given": 0})
	encode := func() {
		out.Reset()
		e.Reset(&out)
		e.UseInternedStrings(true)
		if err := errors.Join(e.EncodeString("hello world"), e.EncodeString("hello world")); err != nil {
			t.Fatal(err)
		}
	}
	encode()
	if n := testing.AllocsPerRun(100, encode); n > 0 {
		t.Errorf("encoding makes %v allocations", n)
	}
	data := bytes.Clone(out.Bytes())
	decode := func() {
		d.ResetBytes(data)
		d.UseInternedStrings(true)
		for range 2 {
			if s, err := d.DecodeString(); s != "hello world" || err != nil {
				t.Fatal(s, err)
			}
		}
	}
	decode()
	if n := testing.AllocsPerRun(100, decode); n != 1 {
		t.Errorf("decoding makes %v allocations, want 1", n)
	}
	tagged := &struct {
		S string `msgpack:",intern"`
	}{"hello world"}
	room := make([]byte, 0, 100)
	if n := testing.AllocsPerRun(100, func() { MarshalAppend(room, tagged) }); n > 0 {
		t.Errorf("MarshalAppend with the tag intern makes %v allocations", n)
	}
}

// Numbers decode if they arrive byte by byte.
func TestInternedStream(t *testing.T) {
	v := []map[string]any{{"name": "value", "list": []any{"name", "value"}}, {"name": "list", "list": "value"}}
	d := NewDecoder(iotest.OneByteReader(bytes.NewReader(interning(t, v))))
	d.UseInternedStrings(true)
	var got []map[string]any
	if err := d.Decode(&got); err != nil || !reflect.DeepEqual(got, v) {
		t.Errorf("%v, %v", got, err)
	}
}

func TestUsePreallocateValues(t *testing.T) {
	d := newDecoder()
	d.ResetBytes(unhex(t, "9101"))
	d.UsePreallocateValues(true)
	if v, err := d.DecodeInterface(); err != nil || !reflect.DeepEqual(v, []any{int8(1)}) {
		t.Errorf("%v, %v", v, err)
	}
}

// FuzzIntern decodes its input, encodes the result with interned strings, and reads it back in
// every way. It also decodes the input itself with interned strings.
func FuzzIntern(f *testing.F) {
	addSeeds(f)
	f.Add(interning(f, map[string]any{"foo": "bar", "goo": []any{"foo", "bar", []byte("foo")}}))
	f.Fuzz(func(t *testing.T, data []byte) {
		data = guarded.Test(t, data)
		var numbered, again any
		d := newDecoder()
		d.ResetBytes(data)
		d.UseInternedStrings(true)
		err := d.Decode(&numbered)
		stream := NewDecoder(iotest.OneByteReader(bytes.NewReader(data)))
		stream.UseInternedStrings(true)
		checkSameError(t, err, stream.Decode(&again))
		if err == nil && (!same(reflect.ValueOf(&numbered), reflect.ValueOf(&again)) || !slices.Equal(d.dict.own, stream.dict.own)) {
			t.Fatalf("%v and %q from bytes, %v and %q from a stream", numbered, d.dict.own, again, stream.dict.own)
		}

		var v any
		if Unmarshal(data, &v) != nil {
			return
		}
		want := sortedBytes(t, v)
		session := interning(t, v, v, "control", v)
		if len(session) > 3*len(want)+20 {
			t.Fatalf("%d bytes have become %d", len(want), len(session))
		}
		for name, d := range sources(session) {
			d.UseInternedStrings(true)
			if err := d.Skip(); err != nil {
				t.Fatal(name, err)
			}
			joined := slices.Clone(d.dict.own)
			var second, last any
			if err := d.Decode(&second); err != nil || !bytes.Equal(sortedBytes(t, second), want) {
				t.Fatalf("%s: %v became %v, %v", name, v, second, err)
			}
			if !slices.Equal(joined, d.dict.own) {
				t.Fatalf("%s: %q, and the same again: %q", name, joined, d.dict.own)
			}
			if s, err := d.DecodeString(); s != "control" || err != nil {
				t.Fatalf("%s: %q, %v", name, s, err)
			}
			if err := d.Decode(&last); err != nil || !bytes.Equal(sortedBytes(t, last), want) {
				t.Fatalf("%s: %v became %v, %v", name, v, last, err)
			}
		}
	})
}

// In sorted maps with keys of other kinds, interned strings occur among keys and values. Strings
// are numbered in the order in which they are written, and not in the order of their comparison.
func TestInternedSortedMaps(t *testing.T) {
	for _, v := range []any{
		map[any]any{"foo": "bar", 1: "foo", "bar": []any{"goo", "foo"}, uint8(2): "goo"},
		map[int8]any{3: "three", 1: "one", 2: "three"},
		map[bool]map[any]any{true: {"one": 1, 2.5: "two"}, false: {"two": "one", 1.5: "one"}},
		map[float64]string{math.NaN(): "nan", math.Copysign(math.NaN(), -1): "not", 1: "nan"},
	} {
		var want any
		if err := Unmarshal(marshal(t, v), &want); err != nil {
			t.Fatal(err)
		}
		for name, d := range sources(interning(t, v, v, "last")) {
			d.UseInternedStrings(true)
			for range 2 {
				var got any
				if err := d.Decode(&got); err != nil || corpus.Note(got) != corpus.Note(want) {
					t.Errorf("%T, %s: %s became %s, %v", v, name, corpus.Note(want), corpus.Note(got), err)
				}
			}
			if s, err := d.DecodeString(); s != "last" || err != nil {
				t.Errorf("%T, %s: %q, %v", v, name, s, err)
			}
		}
	}
}
