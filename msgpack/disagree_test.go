package msgpack

// Where v5.4.1 and Basekick's v6.1.0 differ, this package follows one of them. Each sub-test covers
// one choice.

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"testing"
	"time"
)

// valuePointer has its methods only on the pointer.
type valuePointer struct{ n int }

func (v *valuePointer) EncodeMsgpack(e *Encoder) error { return e.EncodeInt(int64(v.n)) }

func TestDisagreements(t *testing.T) {
	for _, c := range []decodeCase{
		{name: "bin_key_is_a_string_as_v5", digits: "81c4016101", to: new(any), want: pointerTo(any(map[string]any{"a": int8(1)}))},
		{name: "nil_key_is_the_empty_string_as_v5", digits: "81c001", to: new(any), want: pointerTo(any(map[string]any{"": int8(1)}))},
		{name: "int_key_makes_a_map_of_ints_as_v6", digits: "8101a161", to: new(any), want: pointerTo(any(map[int8]any{1: "a"}))},
		{name: "keys_of_two_types_make_a_map_of_any", digits: "8201a161a162c3", to: new(any), want: pointerTo(any(map[any]any{int8(1): "a", "b": true}))},
		{name: "integral_float_into_int_as_v6", digits: "cb4024000000000000", to: new(int), want: pointerTo(10)},
		{name: "integral_float_into_int16_as_v6", digits: "ca42280000", to: new(int16), want: pointerTo(int16(42))},
		{name: "integral_float_beyond_uint16_is_rejected", digits: "cb40f0000000000000", to: new(uint16), err: "msgpack: float 65536 does not fit uint16"},
		{name: "integral_float_into_duration_as_v6", digits: "cb4024000000000000", to: new(time.Duration), want: pointerTo(time.Duration(10))},
		{name: "float64_into_float32_as_v6", digits: "cb3fb999999999999a", to: new(float32), want: pointerTo(float32(0.1))},
		{name: "float64_beyond_float32_is_rejected", digits: "cb47f0000000000000", to: new(float32), err: "msgpack: float 3.402823669209385e+38 does not fit float32"},
		{name: "float64_that_rounds_to_max_float32", digits: "cb47efffffe0000000", to: new(float32), want: pointerTo(float32(math.MaxFloat32))},
		{name: "float64_that_rounds_to_zero", digits: "cb0000000000000001", to: new(float32), want: new(float32)},
		{name: "str_is_text_as_v6", digits: "a16b", to: new(both), want: &both{"text k"}},
		{name: "str8_is_text_as_v6", digits: "d9016b", to: new(both), want: &both{"text k"}},
		{name: "bin_is_binary", digits: "c5 0001 6b", to: new(both), want: &both{"binary k"}},
		{name: "interface_field_is_replaced_as_v6", digits: "81a146a178", to: &struct{ F any }{7}, want: &struct{ F any }{"x"}},
		{name: "interface_field_is_cleared_by_nil", digits: "81a146c0", to: &struct{ F any }{7}, want: &struct{ F any }{}},
		{name: "interface_element_is_cleared_by_nil", digits: "91c0", to: &[]any{7}, want: &[]any{nil}},
	} {
		c.run(t)
	}

	t.Run("pointer_methods_encode_values_as_v6", func(t *testing.T) {
		wantHex(t, valuePointer{5}, "05")
		wantHex(t, []any{valuePointer{5}}, "9105")
		wantHex(t, map[string]valuePointer{"a": {5}}, "81a16105")
		wantHex(t, struct{ V valuePointer }{valuePointer{5}}, "81a15605")
		var out bytes.Buffer
		if err := NewEncoder(&out).Encode(valuePointer{5}); err != nil || out.String() != "\x05" {
			t.Errorf("%q, %v", out.String(), err)
		}
	})

	t.Run("DecodeTypedMap_keeps_the_type_of_keys_as_v6", func(t *testing.T) {
		for digits, want := range map[string]any{"8101a161": map[int8]any{1: "a"}, "81a16101": map[string]any{"a": int8(1)}, "8201a161a162c3": map[any]any{int8(1): "a", "b": true},
			"8201a16102c3": map[int8]any{1: "a", 2: true}, "8101c0": map[int8]any{1: nil}, "80": nil, "c0": nil} {
			for name, d := range sources(unhex(t, digits)) {
				if v, err := d.DecodeTypedMap(); err != nil || !reflect.DeepEqual(v, want) {
					t.Errorf("%s from %s: %#v, %v", digits, name, v, err)
				}
			}
		}
	})

	t.Run("omitempty_keeps_unexported_state_as_v6", func(t *testing.T) {
		type holder struct {
			S secret `msgpack:",omitempty"`
		}
		wantHex(t, holder{secret{hidden: 1}}, "81a15380")
		wantHex(t, holder{}, "80")
	})

	t.Run("an_unmarshaler_owns_its_bytes_as_v5", func(t *testing.T) {
		data := unhex(t, "92 93010203 93040506")
		var kept []keeper
		if err := Unmarshal(data, &kept); err != nil {
			t.Fatal(err)
		}
		clear(data)
		kept[0].raw = append(kept[0].raw, 0xff)
		if fmt.Sprintf("%x %x", kept[0].raw, kept[1].raw) != "93010203ff 93040506" {
			t.Errorf("%x", kept)
		}
	})

	t.Run("the_result_of_Marshal_has_no_slack", func(t *testing.T) {
		for _, v := range []any{nil, 1, "a", make([]byte, 100), make([]int, 1000), map[string]any{"a": 1}, &point{}, &pair{}, []any{make([]byte, 70000)}} {
			for range 3 {
				if b := marshal(t, v); cap(b) != len(b) {
					t.Errorf("%T: %d bytes of %d", v, len(b), cap(b))
				}
			}
		}
	})
}
