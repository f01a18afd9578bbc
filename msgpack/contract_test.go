package msgpack

// These tests check behaviour of v5 that programs depend on: tags, default encoding, default
// decoding, and behaviour in use. bench/differential compares such behaviour with v5 itself, value
// by value. This file contains the cases that do not fit a table of values, or for which v5 has a
// bug.
//
// Other tests cover tags (TestTags, TestTagsDecode, TestCustomStructTag, plan.TestParseTag,
// plan.TestFields), default encoding (TestKinds, TestOmitEmpty, TestCompactOptions, TestTimes,
// TestSortMapKeys, TestEncodeMethods), default decoding (TestDecodeInto, TestDecodeIntoErrors,
// TestDecodeMethods, TestTimesRead, TestTruncated) and behaviour in use (TestNoReadAhead,
// TestEndOfInput, TestWrites).

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/slipstream-go/slipstream/internal/msgpwire"
)

type (
	lower struct {
		Name string
		name string //lint:ignore U1000 the test checks that this field is skipped
	}
	literalDash struct {
		A int `msgpack:"-,omitempty"`
		B int `msgpack:"'-'"`
	}
	parens struct {
		A int `msgpack:"n,type:varchar(10,2),omitempty"`
	}
	embedsTime struct {
		time.Time
		N int
	}
)

func TestContractOfTags(t *testing.T) {
	t.Run("names_are_case_sensitive", func(t *testing.T) {
		wantHex(t, lower{Name: "x"}, "81a44e616d65a178")
		var v lower
		if err := into(t, "81a46e616d65a178", &v); err != nil || v.Name != "" {
			t.Error(v, err)
		}
	})
	t.Run("dash_omits_the_field_whatever_follows", func(t *testing.T) {
		wantHex(t, literalDash{1, 2}, "80")
	})
	t.Run("commas_in_parentheses_do_not_separate_options", func(t *testing.T) {
		wantHex(t, parens{}, "80")
		wantHex(t, parens{1}, "81a16e01")
	})
	t.Run("tags_of_two_keys_have_separate_plans", func(t *testing.T) {
		type tagged struct {
			A int `json:"j" yaml:"y"`
		}
		for _, key := range []string{"json", "yaml", "", "json"} {
			var out bytes.Buffer
			e := NewEncoder(&out)
			e.SetCustomStructTag(key)
			want := map[string]string{"json": "\x81\xa1j\x01", "yaml": "\x81\xa1y\x01", "": "\x81\xa1A\x01"}[key]
			if err := e.Encode(tagged{1}); err != nil || out.String() != want {
				t.Errorf("%s: %q, %v", key, out.String(), err)
			}
		}
	})
	t.Run("an_embedded_type_is_read_by_its_name_too", func(t *testing.T) {
		var v Outer
		if err := into(t, "82 a5696e6e6572 81 a141 05 a143 06", &v); err != nil || v != (Outer{inner{A: 5}, 6}) {
			t.Error(v, err)
		}
		var w nestedByTag
		if err := into(t, "81 a5696e6e6572 82 a141 05 a142 a162", &w); err != nil || w.inner != (inner{5, "b"}) {
			t.Error(w, err)
		}
	})
	t.Run("promoted_methods_encode_the_struct", func(t *testing.T) {
		b := marshal(t, embedsTime{time.Unix(0, 0).UTC(), 5})
		if b[0] != msgpwire.Bin8 {
			t.Errorf("%x", b)
		}
		var v embedsTime
		if err := Unmarshal(b, &v); err != nil || !v.Equal(time.Unix(0, 0)) || v.N != 0 {
			t.Error(v, err)
		}
	})
}

func TestContractOfEncoding(t *testing.T) {
	t.Run("errors_are_encoded_as_their_text_and_decoded", func(t *testing.T) {
		type holder struct{ E error }
		b := marshal(t, holder{errors.New("boom")})
		var v holder
		if err := Unmarshal(b, &v); err != nil || text(v.E) != "boom" {
			t.Error(v, err)
		}
		var list []error
		if err := into(t, "92a161c0", &list); err != nil || text(list[0]) != "a" || list[1] != nil {
			t.Error(list, err)
		}
	})
	t.Run("methods_that_return_nil_encode_nil", func(t *testing.T) {
		wantHex(t, []any{silent{}, &silent{}, map[string]silent{"a": {}}}, "93c0c081a161c0")
		wantHex(t, mute{}, "c0")
	})
	t.Run("Reset_clears_encoder_options_and_every_reset_the_map_decoder", func(t *testing.T) {
		type tagged struct {
			A int64 `json:"a"`
		}
		var out bytes.Buffer
		e := NewEncoder(&out)
		e.SetCustomStructTag("json")
		e.UseCompactInts(true)
		e.ResetWriter(&out)
		e.Encode(tagged{1})
		e.Reset(&out)
		e.Encode(tagged{1})
		if want := "\x81\xa1a\x01\x81\xa1A\xd3\x00\x00\x00\x00\x00\x00\x00\x01"; out.String() != want {
			t.Errorf("%q", out.String())
		}
		asMap := func(*Decoder) (any, error) { return "map", errors.New("called") }
		d := NewDecoder(strings.NewReader("\x80"))
		d.SetMapDecoder(asMap)
		if _, err := d.DecodeInterface(); text(err) != "called" {
			t.Error(err)
		}
		for name, reset := range map[string]func(){"ResetReader": func() { d.ResetReader(strings.NewReader("\x80")) }, "Reset": func() { d.Reset(strings.NewReader("\x80")) },
			"ResetBytes": func() { d.ResetBytes([]byte{0x80}) }} {
			d.SetMapDecoder(asMap)
			reset()
			if v, err := d.DecodeInterface(); err != nil || !reflect.DeepEqual(v, map[string]any{}) {
				t.Errorf("%s keeps the map decoder: %v, %v", name, v, err)
			}
		}
	})
	t.Run("primitives_are_written_at_once", func(t *testing.T) {
		var out bytes.Buffer
		e := NewEncoder(&out)
		e.EncodeArrayLen(3)
		e.EncodeInt(1)
		out.WriteByte(2) // written by the caller itself
		e.EncodeString("a")
		if out.String() != "\x93\x01\x02\xa1a" {
			t.Errorf("%q", out.String())
		}
	})
	t.Run("struct_of_empty_fields_is_empty", func(t *testing.T) {
		type leaf struct {
			A any `msgpack:",omitempty"`
		}
		type node struct {
			L leaf `msgpack:",omitempty"`
			R leaf `msgpack:",omitempty"`
		}
		type root struct {
			N node `msgpack:",omitempty"`
		}
		wantHex(t, root{}, "80")
		wantHex(t, root{node{L: leaf{any(leaf{any("")})}}}, "80")
		wantHex(t, root{node{R: leaf{[]int{0}}}}, "81 a14e 81 a152 81 a141 91 00")
	})
}

type (
	silent struct{}
	mute   struct{}
)

func (silent) MarshalBinary() ([]byte, error) { return nil, nil }
func (mute) MarshalText() ([]byte, error)     { return nil, nil }

func TestContractOfDecoding(t *testing.T) {
	t.Run("map_decoder_is_used_for_nested_maps", func(t *testing.T) {
		for name, d := range sources(unhex(t, "92 81a16101 81a162 81a163c0")) {
			d.SetMapDecoder(func(d *Decoder) (any, error) {
				n, err := d.DecodeMapLen()
				for range 2 * n {
					if err == nil {
						_, err = d.DecodeInterface()
					}
				}
				return n, err
			})
			if v, err := d.DecodeInterface(); err != nil || !reflect.DeepEqual(v, []any{1, 1}) {
				t.Errorf("%s: %v, %v", name, v, err)
			}
		}
	})
	t.Run("times_are_local_and_the_zero_time_is_UTC", func(t *testing.T) {
		var v []any
		if err := Unmarshal(unhex(t, "92 d6ff00000001 c70cff00000000fffffff1886e0900"), &v); err != nil || v[0].(time.Time).Location() != time.Local || v[1] != (time.Time{}) {
			t.Error(v, err)
		}
	})
	t.Run("trailing_bytes_are_ignored", func(t *testing.T) {
		var v int
		if err := Unmarshal([]byte{5, msgpwire.Never, 0xff}, &v); err != nil || v != 5 {
			t.Error(v, err)
		}
	})
	t.Run("existing_elements_keep_fields_without_input", func(t *testing.T) {
		list := []point{{X: 1, Y: 2, L: []int{1, 2}}, {X: 3, Y: 4, P: pointerTo(7)}}
		keep := list[1].P
		if err := Unmarshal(unhex(t, "92 81a15805 81a15009"), &list); err != nil || list[0].Y != 2 || list[1].X != 3 || list[1].P != keep || *keep != 9 {
			t.Errorf("%+v, %v", list, err)
		}
		b := make([]byte, 1, 10)
		if err := (DecodeOptions{ReuseBytes: true}).Unmarshal(unhex(t, "c403010203"), &b); err != nil || cap(b) != 10 || string(b) != "\x01\x02\x03" {
			t.Error(b, cap(b), err)
		}
	})
	t.Run("Reset_clears_options_of_a_pooled_decoder", func(t *testing.T) {
		d := GetDecoder()
		d.ResetBytes(unhex(t, "9101"))
		d.UseLooseInterfaceDecoding(true)
		if v, err := d.DecodeInterface(); err != nil || !reflect.DeepEqual(v, []any{int64(1)}) {
			t.Errorf("%#v, %v", v, err)
		}
		PutDecoder(d)
		for range 5 {
			d := GetDecoder()
			d.Reset(bytes.NewReader(unhex(t, "9101")))
			if v, err := d.DecodeInterface(); err != nil || !reflect.DeepEqual(v, []any{int8(1)}) {
				t.Errorf("%#v, %v", v, err)
			}
			PutDecoder(d)
		}
	})
	t.Run("slices_beyond_the_limits_of_v5_are_read", func(t *testing.T) {
		const n = 1_000_001
		data := msgpwire.AppendArrayLen(nil, n)
		data = append(data, make([]byte, n)...)
		var list []int32
		if err := NewDecoder(iotest.HalfReader(bytes.NewReader(data))).Decode(&list); err != nil || len(list) != n {
			t.Error(len(list), err)
		}
		big := append(msgpwire.AppendBytesLen(nil, 3<<20), make([]byte, 3<<20)...)
		var b []byte
		if err := NewDecoder(bufio.NewReader(bytes.NewReader(big))).Decode(&b); err != nil || len(b) != 3<<20 {
			t.Error(len(b), err)
		}
	})
}

func TestContractInUse(t *testing.T) {
	t.Run("decoder_reads_no_byte_after_the_value", func(t *testing.T) {
		data := append(marshal(t, map[string]any{"a": []any{1, "b", []byte{1}}, "t": time.Unix(1, 1)}), "rest"...)
		buffer := bytes.NewBuffer(data)
		var v any
		if err := NewDecoder(buffer).Decode(&v); err != nil || buffer.String() != "rest" {
			t.Errorf("%q, %v", buffer.String(), err)
		}
		buffer.Reset()
		buffer.WriteString("\x01\x02rest")
		d := NewDecoder(buffer)
		d.DecodeInt()
		buffer.WriteString(" and more") // between two values, the caller may write to the buffer
		if n, err := d.DecodeInt(); n != 2 || err != nil || buffer.String() != "rest and more" {
			t.Errorf("%d, %q, %v", n, buffer.String(), err)
		}
	})
	t.Run("error_of_truncated_input_contains_EOF", func(t *testing.T) {
		data := marshal(t, map[string]any{"key": []any{1.5, "text", []byte("bytes"), time.Unix(1, 1)}})
		for cut := range data {
			for name, d := range sources(data[:cut]) {
				var v any
				if err := d.Decode(&v); err == nil || !strings.Contains(err.Error(), "EOF") {
					t.Errorf("cut at %d, %s: %v", cut, name, err)
				}
			}
		}
	})
	t.Run("map_as_a_map_key_is_rejected", func(t *testing.T) {
		if err := into(t, "81 81a16101 02", new(map[any]int)); text(err) != "msgpack: unsupported map key: map[string]interface {}" {
			t.Error(err)
		}
	})
	t.Run("DecodeString_allocates_once", func(t *testing.T) {
		if raceEnabled {
			t.Skip("counted without the race detector")
		}
		data := marshal(t, "a string that is long enough")
		r := bytes.NewReader(data)
		d := NewDecoder(r)
		var kept string
		if got := testing.AllocsPerRun(100, func() {
			r.Reset(data)
			d.Reset(r)
			kept, _ = d.DecodeString()
		}); got > 1 || len(kept) != 28 {
			t.Errorf("%v allocations for %q", got, kept)
		}
		var out bytes.Buffer
		e := NewEncoder(&out)
		if got := testing.AllocsPerRun(100, func() { out.Reset(); e.Reset(&out); e.EncodeString(kept) }); got > 0 {
			t.Errorf("%v allocations", got)
		}
	})
	t.Run("unknown_ext_is_rejected", func(t *testing.T) {
		var v any
		if err := into(t, "d40100", &v); text(err) != "msgpack: unknown ext id=1" {
			t.Error(err)
		}
	})
	t.Run("data_that_a_reader_returns_with_an_error_is_read", func(t *testing.T) {
		d := NewDecoder(iotest.DataErrReader(struct{ io.Reader }{strings.NewReader("\x01\xa1a")}))
		if n, err := d.DecodeInt(); n != 1 || err != nil {
			t.Error(n, err)
		}
		if s, err := d.DecodeString(); s != "a" || err != nil {
			t.Error(s, err)
		}
		if err := d.Skip(); err != io.EOF {
			t.Error(err)
		}
	})
}
