package msgpack

// These tests cover the dict of interned strings. Faults of the dict were found in v5 and in
// Basekick's fork of it.

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"
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

// Every string joins the dict, and the dicts of the caller do not change.
func TestDictMembers(t *testing.T) {
	t.Run("strings_in_an_any_join_the_dict", func(t *testing.T) {
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

	t.Run("skipped_strings_join_the_dict", func(t *testing.T) {
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

	t.Run("dicts_of_the_caller_do_not_change", func(t *testing.T) {
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
}

// The capacity, the size and the indexes of a dict are bounded.
func TestDictLimits(t *testing.T) {
	t.Run("SetInternedStringsDictCap_is_only_a_hint", func(t *testing.T) {
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

	t.Run("a_full_dict_stays_in_step", func(t *testing.T) {
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

	t.Run("index_outside_the_dict_is_rejected", func(t *testing.T) {
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
