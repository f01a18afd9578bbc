package msgpack

// These tests cover map keys of every type. Faults of such keys were found in v5 and in Basekick's
// fork of it.

import (
	"reflect"
	"testing"
	"time"
)

// The keys of a map in an any determine its Go type.
func TestKeysIntoAny(t *testing.T) {
	for _, c := range []decodeCase{
		{name: "nil_key_into_any_is_the_empty_string", digits: "81c001", to: new(any), want: pointerTo(any(map[string]any{"": int8(1)}))},
		{name: "bin_key_into_any_is_a_string", digits: "81c4016101", to: new(any), want: pointerTo(any(map[string]any{"a": int8(1)}))},
		{name: "bin_key_into_map_of_any_is_a_string", digits: "82c4016101a16202", to: new(map[string]any), want: &map[string]any{"a": int8(1), "b": int8(2)}},
		{name: "int_keys_into_any_make_a_map_of_ints", digits: "8201a16102a162", to: new(any), want: pointerTo(any(map[int8]any{1: "a", 2: "b"}))},
		{name: "int_keys_of_two_widths_keep_their_types", digits: "8201a161ccc8a162", to: new(any), want: pointerTo(any(map[any]any{int8(1): "a", uint8(200): "b"}))},
		{name: "first_value_of_int_keys_may_be_nil", digits: "8201c002a162", to: new(any), want: pointerTo(any(map[int8]any{1: nil, 2: "b"}))},
		{name: "int_key_may_follow_str_key", digits: "82a16101 02a162", to: new(any), want: pointerTo(any(map[any]any{"a": int8(1), int8(2): "b"}))},
		{name: "str_key_may_follow_int_key", digits: "8202a162 a16101", to: new(any), want: pointerTo(any(map[any]any{"a": int8(1), int8(2): "b"}))},
		{name: "nil_key_may_follow_int_key", digits: "8202a162 c001", to: new(any), want: pointerTo(any(map[any]any{"": int8(1), int8(2): "b"}))},
		{name: "bin_key_may_follow_int_key", digits: "8202a162 c4016101", to: new(any), want: pointerTo(any(map[any]any{"a": int8(1), int8(2): "b"}))},
		{name: "last_value_of_a_repeated_key_wins", digits: "83 01a161 01a162 a16101", to: new(any), want: pointerTo(any(map[any]any{int8(1): "b", "a": int8(1)}))},
		{name: "int_keys_in_nested_maps", digits: "8101 82 02a162 03 8104c3", to: new(any), want: pointerTo(any(map[int8]any{1: map[int8]any{2: "b", 3: map[int8]any{4: true}}}))},
		{name: "bool_keys_of_a_map_in_a_list", digits: "91 81 c3 01", to: new([]any), want: &[]any{map[bool]any{true: int8(1)}}},
		{name: "time_key_into_any_makes_a_map_of_times", digits: "81 d6ff00000001 01", to: new(any), want: pointerTo(any(map[time.Time]any{time.Unix(1, 0): int8(1)}))},
		{name: "array_key_into_any_is_rejected", digits: "819001", to: new(any), err: "msgpack: unsupported map key: []interface {}"},
		{name: "map_key_into_any_is_rejected", digits: "818001", to: new(any), err: "msgpack: unsupported map key: map[string]interface {}"},
		{name: "array_key_after_str_key_is_rejected", digits: "82a16101 9001", to: new(any), err: "msgpack: unsupported map key: []interface {}"},
	} {
		c.run(t)
	}

	t.Run("maps_of_maps_survive_an_any", func(t *testing.T) {
		var v any
		if err := Unmarshal(marshal(t, map[int]map[int]any{1: {2: "a", 3: 1.5, 4: nil, 5: []any{true}}, 6: {}}), &v); err != nil {
			t.Fatal(err)
		}
		var back map[int]map[int]any
		if err := Unmarshal(marshal(t, v), &back); err != nil || !reflect.DeepEqual(back, map[int]map[int]any{1: {2: "a", 3: 1.5, 4: nil, 5: []any{true}}, 6: {}}) {
			t.Error(back, err)
		}
	})

	t.Run("keys_with_text_methods_are_strings", func(t *testing.T) {
		b := marshal(t, map[textual]int{{"k"}: 1})
		var v any
		if err := Unmarshal(b, &v); err != nil || !reflect.DeepEqual(v, map[string]any{"k": int8(1)}) {
			t.Error(v, err)
		}
		var back map[textual]int
		if err := Unmarshal(b, &back); err != nil || back[textual{"text k"}] != 1 {
			t.Error(back, err)
		}
	})
}

// A key that Go cannot compare, or that does not fit the key type, is rejected.
func TestKeysIntoTypedMaps(t *testing.T) {
	for _, c := range []decodeCase{
		{name: "bin_key_into_untyped_map_is_rejected", digits: "81c4016101", to: new(map[any]any), err: "msgpack: unsupported map key: []uint8"},
		{name: "array_key_into_untyped_map_is_rejected", digits: "819101c0", to: new(map[any]any), err: "msgpack: unsupported map key: []interface {}"},
		{name: "map_key_into_untyped_map_is_rejected", digits: "8181a16101c0", to: new(map[any]any), err: "msgpack: unsupported map key: map[string]interface {}"},
		{name: "nil_key_into_untyped_map_is_nil", digits: "81c001", to: new(map[any]any), want: &map[any]any{nil: int8(1)}},
		{name: "array_in_struct_key_is_rejected", digits: "81 81a141 90 01", to: new(map[struct{ A any }]int), err: "msgpack: unsupported map key: struct { A interface {} }"},
		{name: "array_in_array_key_is_rejected", digits: "81 91 90 01", to: new(map[[1]any]int), err: "msgpack: unsupported map key: [1]interface {}"},
		{name: "int_keys_into_a_struct_are_skipped", digits: "83 01a161 a15805 92010203", to: new(point), want: &point{X: 5}},
		{name: "int_key_into_map_of_string_keys_is_rejected", digits: "8101a161", to: new(map[string]any), err: "msgpack: invalid code=1 decoding string/bytes length"},
	} {
		c.run(t)
	}

	t.Run("nan_keys_are_kept", func(t *testing.T) {
		var m map[float64]int
		if err := into(t, "81 cb7ff8000000000001 01", &map[string]int{}); err == nil {
			t.Error("a number is no string")
		}
		if err := Unmarshal(unhex(t, "83 cb7ff8000000000001 01 cb7ff8000000000001 01 01 02"), &m); err != nil || len(m) != 3 || m[1] != 2 {
			t.Error(m, err)
		}
	})
}

// The methods for maps, and map decoders, accept and reject the same keys.
func TestKeysOfMapCalls(t *testing.T) {
	t.Run("DecodeMap_reads_nil_and_bin_keys", func(t *testing.T) {
		d := newDecoder()
		for digits, want := range map[string]string{"81c001": "", "81c4016101": "", "819001": "msgpack: invalid code=90 decoding string/bytes length"} {
			d.ResetBytes(unhex(t, digits))
			if _, err := d.DecodeMap(); text(err) != want {
				t.Errorf("%s: %v, want %s", digits, err, want)
			}
		}
	})

	t.Run("DecodeUntypedMap_rejects_unsupported_keys", func(t *testing.T) {
		for digits, want := range map[string]string{"dfffffffff": "EOF", "81c4016101": "msgpack: unsupported map key: []uint8", "819001": "msgpack: unsupported map key: []interface {}",
			"818001": "msgpack: unsupported map key: map[string]interface {}", "82c00101a161": "", "c0": "", "90": "msgpack: unexpected code=90 decoding map length"} {
			for name, d := range sources(unhex(t, digits)) {
				var err error
				if got := allocated(func() { _, err = d.DecodeUntypedMap() }); text(err) != want || got > 1<<20 {
					t.Errorf("%s from %s: %v, %d bytes allocated", digits, name, err, got)
				}
			}
		}
	})

	t.Run("keys_of_a_map_decoder_must_be_comparable", func(t *testing.T) {
		type key struct{ parts any }
		for name, c := range map[string]struct {
			key any
			err string
		}{"can be compared": {key{1}, ""}, "cannot": {key{[]int{1}}, "msgpack: unsupported map key: msgpack.key"}, "a pointer": {&key{[]int{1}}, ""}} {
			d := newDecoder()
			d.ResetBytes(unhex(t, "82 80 01 02 03"))
			d.SetMapDecoder(func(d *Decoder) (any, error) { return c.key, d.Skip() })
			if _, err := d.DecodeUntypedMap(); text(err) != c.err {
				t.Errorf("%s: %v", name, err)
			}
			d.ResetBytes(unhex(t, "82 80 01 02 03"))
			d.SetMapDecoder(func(d *Decoder) (any, error) { return c.key, d.Skip() })
			if _, err := d.DecodeTypedMap(); text(err) != c.err {
				t.Errorf("%s: %v", name, err)
			}
			d.ResetBytes(unhex(t, "82 80 01 02 03"))
			d.SetMapDecoder(func(d *Decoder) (any, error) { return c.key, d.Skip() })
			var m map[any]any
			if err := d.Decode(&m); text(err) != c.err {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}
