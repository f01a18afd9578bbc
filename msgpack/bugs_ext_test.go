package msgpack

// These tests cover known bugs of registered types, ext types and interned strings. The names are
// explained in bugs_a_test.go and bugs_b_test.go.

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/internal/msgpwire"
)

// writeInterned encodes the values one after another, with interned strings.
func writeInterned(t *testing.T, values ...any) []byte {
	t.Helper()
	var out bytes.Buffer
	e := NewEncoder(&out)
	e.UseInternedStrings(true)
	e.SetSortMapKeys(true)
	for _, v := range values {
		if err := e.Encode(v); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

type (
	internTags struct {
		A string `msgpack:",intern"`
		B any    `msgpack:",intern"`
		C string
	}
	// chunk is an ext of raw bytes, with the methods of Marshaler and Unmarshaler.
	chunk struct{ Data []byte }
	// eager is an ext whose decode function reads as much as it can.
	eager struct{}
	late  struct{ N int }
)

func (c *chunk) MarshalMsgpack() ([]byte, error) { return c.Data, nil }
func (c *chunk) UnmarshalMsgpack(b []byte) error { c.Data = b; return nil }

// registerFor registers ext id for the duration of the test.
func registerFor(t *testing.T, id int8, value any, enc func(*Encoder, reflect.Value) ([]byte, error), dec func(*Decoder, reflect.Value, int) error) {
	t.Helper()
	RegisterExtEncoder(id, value, enc)
	RegisterExtDecoder(id, value, dec)
	t.Cleanup(func() { UnregisterExt(id) })
}

func TestKnownBugsOfInterning(t *testing.T) {
	t.Run("2b01_values_in_an_any_join_the_dict", func(t *testing.T) {
		for _, v := range []any{
			map[string]any{"key1": "value1", "key2": "value1"},
			map[string]any{"key1": []any{"key2", "value"}, "key2": map[string]any{"value": "key1", "other": []byte("key1")}},
			[]any{"abc", "abc", "ab", "ab", "", "abc"},
			[]any{[]any{"abc", map[string]any{"abc": "def"}}, "def", "abc"},
		} {
			data := writeInterned(t, v)
			for name, d := range sources(data) {
				d.UseInternedStrings(true)
				if got, err := d.DecodeInterface(); err != nil || !reflect.DeepEqual(got, v) {
					t.Errorf("%s: %v, %v; want %v (%x)", name, got, err, v, data)
				}
			}
		}
		type record struct {
			Host string
			Any  any
			Tags []string
			Map  map[string]string
			Last string
		}
		want := record{"hello", map[string]any{"world": "hello"}, []string{"world", "hello"}, map[string]string{"hello": "world"}, "hello"}
		data := writeInterned(t, []record{want, want, want})
		for name, d := range sources(data) {
			var got []record
			d.UseInternedStrings(true)
			if err := d.Decode(&got); err != nil || !reflect.DeepEqual(got, []record{want, want, want}) {
				t.Errorf("%s: %+v, %v", name, got, err)
			}
		}
	})

	t.Run("2b01_skipped_strings_join_the_dict", func(t *testing.T) {
		data := writeInterned(t, map[string]any{"unknown": []any{"first", "second"}, "zz": "first"}, "second")
		d := newDecoder()
		d.ResetBytes(data)
		d.UseInternedStrings(true)
		var v struct {
			ZZ string `msgpack:"zz"`
		}
		if err := d.Decode(&v); err != nil || v.ZZ != "first" {
			t.Errorf("%+v, %v", v, err)
		}
		if s, err := d.DecodeString(); s != "second" || err != nil {
			t.Errorf("%q, %v", s, err)
		}
	})

	t.Run("2b24_what_an_intern_field_takes", func(t *testing.T) {
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

	t.Run("2a_66_dicts_of_the_caller_stay_as_they_are", func(t *testing.T) {
		given, list := map[string]int{"hello world": 0}, make([]string, 1, 8)
		list[0] = "hello world"
		for range 3 {
			e, d := GetEncoder(), GetDecoder()
			var out bytes.Buffer
			e.ResetDict(&out, given)
			e.UseInternedStrings(true)
			if err := e.EncodeMulti("hello world", "another", "another"); err != nil {
				t.Fatal(err)
			}
			d.ResetDict(&out, list)
			d.UseInternedStrings(true)
			for _, want := range []string{"hello world", "another", "another"} {
				if s, err := d.DecodeString(); s != want || err != nil {
					t.Errorf("%q, %v", s, err)
				}
			}
			if len(given) != 1 || list[:2][1] != "" {
				t.Error("the caller's dict was appended to")
			}
			e.Reset(&out)
			e.UseInternedStrings(true)
			if err := e.EncodeString("hello world"); err != nil || out.Len() != 12 {
				t.Errorf("Reset keeps the dict: %x", out.Bytes())
			}
			d.Reset(strings.NewReader("\xd4\x80\x00"))
			d.UseInternedStrings(true)
			if _, err := d.DecodeString(); text(err) != "msgpack: interned string at index=0 does not exist" {
				t.Error(err)
			}
			PutEncoder(e)
			PutDecoder(d)
		}
	})

	t.Run("2a_66_the_cap_is_a_hint", func(t *testing.T) {
		var out bytes.Buffer
		e, d := NewEncoder(&out), NewDecoder(&out)
		e.SetInternedStringsDictCap(1)
		d.SetInternedStringsDictCap(-5)
		e.Reset(&out)
		d.Reset(&out)
		e.UseInternedStrings(true)
		d.UseInternedStrings(true)
		for range 2 {
			for i := range 1000 {
				if err := e.EncodeString(fmt.Sprintf("string %d", i)); err != nil {
					t.Fatal(err)
				}
				if s, err := d.DecodeString(); err != nil || s != fmt.Sprintf("string %d", i) {
					t.Fatal(s, err)
				}
			}
		}
	})

	t.Run("2a_66_a_full_dict_stays_in_step", func(t *testing.T) {
		var out bytes.Buffer
		e, d := NewEncoder(&out), NewDecoder(&out)
		e.UseInternedStrings(true)
		d.UseInternedStrings(true)
		for i := range 65535 + 10 {
			s := fmt.Sprintf("%06d", i)
			if e.EncodeString(s) != nil {
				t.Fatal(s)
			}
			if got, err := d.DecodeString(); got != s || err != nil {
				t.Fatal(got, s, err)
			}
		}
		for _, i := range []int{0, 255, 256, 65534, 65535, 65544} {
			s := fmt.Sprintf("%06d", i)
			e.EncodeString(s)
			if got, err := d.DecodeString(); got != s || err != nil {
				t.Error(got, s, err)
			}
		}
	})

	t.Run("2b01_claims_of_the_dict", func(t *testing.T) {
		for digits, want := range map[string]string{"d48000": "msgpack: interned string at index=0 does not exist", "d580ffff": "msgpack: interned string at index=65535 does not exist",
			"d680ffffffff": "msgpack: interned string at index=4294967295 does not exist", "d480": "EOF"} {
			for name, d := range sources(unhex(t, digits)) {
				d.UseInternedStrings(true)
				if _, err := d.DecodeString(); text(err) != want {
					t.Errorf("%s from %s: %v", digits, name, err)
				}
			}
		}
	})
}

func TestKnownBugsOfExt(t *testing.T) {
	read := func(d *Decoder, v reflect.Value, n int) error {
		b := make([]byte, n)
		err := d.ReadFull(b)
		v.Interface().(*chunk).Data = b
		return err
	}
	write := func(e *Encoder, v reflect.Value) ([]byte, error) { return v.Interface().(*chunk).Data, nil }

	t.Run("2b11_a_reader_of_an_ext_is_confined", func(t *testing.T) {
		for name, c := range map[string]struct {
			dec  func(*Decoder, reflect.Value, int) error
			fail bool
		}{
			"reads nothing": {func(*Decoder, reflect.Value, int) error { return nil }, false},
			"reads a part":  {func(d *Decoder, v reflect.Value, n int) error { return d.ReadFull(make([]byte, 1)) }, false},
			"reads all":     {func(d *Decoder, v reflect.Value, n int) error { return d.ReadFull(make([]byte, n)) }, false},
			"reads beyond":  {func(d *Decoder, v reflect.Value, n int) error { return d.ReadFull(make([]byte, n+1)) }, true},
			"skips beyond": {func(d *Decoder, v reflect.Value, n int) error {
				return errors.Join(d.Skip(), d.Skip(), d.Skip(), d.Skip())
			}, true},
			"fails":  {func(*Decoder, reflect.Value, int) error { return errMine }, true},
			"resets": {func(d *Decoder, v reflect.Value, n int) error { d.ResetBytes([]byte{1, 2, 3}); return d.Skip() }, false},
		} {
			registerFor(t, 42, eager{}, func(*Encoder, reflect.Value) ([]byte, error) { return nil, nil }, c.dec)
			for from, d := range sources(unhex(t, "93 05 c7032a010203 06 2a")) {
				var v []any
				err := d.Decode(&v)
				if c.fail != (err != nil) || err == nil && (len(v) != 3 || v[2] != int8(6)) {
					t.Errorf("%s from %s: %v, %v", name, from, v, err)
				}
				if n, err := d.DecodeInt(); n != 0x2a || err != nil {
					t.Errorf("%s from %s: the next value is %d, %v", name, from, n, err)
				}
			}
			UnregisterExt(42)
		}
	})

	t.Run("2b11_registering_while_in_use", func(t *testing.T) {
		defer UnregisterExt(43)
		var all sync.WaitGroup
		for g := range 6 {
			all.Go(func() {
				for range 200 {
					if g == 0 {
						RegisterExtEncoder(43, (*chunk)(nil), write)
						RegisterExtDecoder(43, (*chunk)(nil), read)
						continue
					}
					b, err := Marshal([]any{&chunk{[]byte{1, 2, 3}}, 1})
					var v any
					if err == nil && len(b) == 0 {
						t.Error("nothing is written")
					}
					_ = Unmarshal(unhex(t, "92 c7032b010203 05"), &v)
				}
			})
		}
		all.Wait()
	})

	t.Run("1.1_in_an_any_the_reader_may_set_its_value", func(t *testing.T) {
		registerFor(t, 49, (*chunk)(nil), write, func(d *Decoder, v reflect.Value, n int) error {
			v.Set(reflect.ValueOf(&chunk{[]byte("set")}))
			return nil
		})
		var x any
		if p := caught(func() {
			if err := Unmarshal(unhex(t, "d43101"), &x); err != nil || string(x.(*chunk).Data) != "set" {
				t.Error(x, err)
			}
		}); p != nil {
			t.Error(p)
		}
	})

	t.Run("2b23_registered_late", func(t *testing.T) {
		type holder struct{ L late }
		wantHex(t, holder{late{5}}, "81a14c81a14e05")
		registerFor(t, 44, late{}, func(*Encoder, reflect.Value) ([]byte, error) { return []byte{9}, nil },
			func(d *Decoder, v reflect.Value, n int) error { v.Field(0).SetInt(int64(n)); return nil })
		wantHex(t, holder{late{5}}, "81a14cd42c09")
		var v holder
		if err := into(t, "81a14cd42c09", &v); err != nil || v.L.N != 1 {
			t.Error(v, err)
		}
		UnregisterExt(44)
		wantHex(t, holder{late{5}}, "81a14c81a14e05")
	})

	t.Run("2b23_values_that_cannot_be_addressed", func(t *testing.T) {
		registerFor(t, 45, (*chunk)(nil), write, read)
		for _, v := range []any{chunk{[]byte{7}}, []any{chunk{[]byte{7}}}, map[string]chunk{"a": {[]byte{7}}}} {
			if _, err := Marshal(v); err != nil {
				t.Errorf("%T: %v", v, err)
			}
		}
	})

	t.Run("2b23_unknown_ext_does_not_desync", func(t *testing.T) {
		for name, d := range sources(unhex(t, "d42b01 c7032b010203 2a")) {
			for range 2 {
				if _, err := d.DecodeInterface(); text(err) != "msgpack: unknown ext id=43" {
					t.Errorf("%s: %v", name, err)
				}
			}
			if n, err := d.DecodeInt(); n != 0x2a || err != nil {
				t.Errorf("%s: %d, %v", name, n, err)
			}
		}
		var v any
		if err := (DecodeOptions{RawExt: true}).Unmarshal(unhex(t, "c7032b010203"), &v); err != nil || !reflect.DeepEqual(v, Ext{Type: 43, Data: []byte{1, 2, 3}}) {
			t.Errorf("%#v, %v", v, err)
		}
	})

	t.Run("4_the_last_registration_counts", func(t *testing.T) {
		registerFor(t, 46, (*chunk)(nil), func(*Encoder, reflect.Value) ([]byte, error) { return []byte{1}, nil }, read)
		registerFor(t, 46, late{}, func(*Encoder, reflect.Value) ([]byte, error) { return []byte{2}, nil },
			func(d *Decoder, v reflect.Value, n int) error { v.Field(0).SetInt(46); return nil })
		wantHex(t, late{}, "d42e02")
		var v any
		if err := into(t, "d42e02", &v); err != nil || v != (late{46}) {
			t.Errorf("%#v, %v", v, err)
		}
		UnregisterExt(46)
		if err := into(t, "d42e02", &v); text(err) == "" {
			t.Error(v)
		}
		v = nil
		if err := into(t, "d42e02", &v); text(err) != "msgpack: unknown ext id=46" {
			t.Error(err)
		}
	})

	t.Run("5_ext_claims", func(t *testing.T) {
		registerFor(t, 47, (*chunk)(nil), write, read)
		for _, digits := range []string{"c9ffffffff2f", "c9ffffffff2f78", "c97fffffff2f78", "c8ffff2f", "c7022f01", "d82f01"} {
			for name, d := range sources(unhex(t, digits)) {
				var v any
				var err error
				if got := allocated(func() { err = d.Decode(&v) }); got > 64<<10 || !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
					t.Errorf("%s from %s: %v, %d bytes allocated", digits, name, err, got)
				}
			}
		}
	})

	t.Run("5_depth_counts_through_ext", func(t *testing.T) {
		registerFor(t, 48, eager{}, func(*Encoder, reflect.Value) ([]byte, error) { return nil, nil },
			func(d *Decoder, v reflect.Value, n int) error { _, err := d.DecodeInterface(); return err })
		var data []byte
		for range 12000 { // from the innermost outwards
			data = append(msgpwire.AppendExtHeader(nil, 48, len(data)), data...)
			if len(data) > 1<<16 {
				data = append(bytes.Repeat([]byte{0x91}, 9000), data...)
				data = append(msgpwire.AppendExtHeader(nil, 48, len(data)), data...)
				break
			}
		}
		var v any
		err := Unmarshal(append(bytes.Repeat([]byte{0x91}, 2000), data...), &v)
		if err == nil {
			t.Error("no error")
		}
	})
}
