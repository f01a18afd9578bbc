package msgpack

// These tests cover types with encode or decode methods, by the kind of their receivers. Faults of
// these types were found in v5 and in Basekick's fork of it.

import (
	"encoding"
	"testing"

	"github.com/slipstream-go/slipstream/internal/msgpwire"
)

// The methods of these types have pointer receivers. So a value in an interface or a map does not
// have these methods.
type (
	byCustom  int
	byMarshal int
	byBinary  int
	byText    int
)

func (v *byCustom) EncodeMsgpack(e *Encoder) error   { return e.EncodeInt(int64(*v) + 1) }
func (v *byMarshal) MarshalMsgpack() ([]byte, error) { return []byte{byte(*v) + 1}, nil }
func (v *byBinary) MarshalBinary() ([]byte, error)   { return []byte{byte(*v) + 1}, nil }
func (v *byText) MarshalText() ([]byte, error)       { return []byte{byte(*v) + 1}, nil }

var (
	_ encoding.BinaryMarshaler = (*byBinary)(nil)
	_ encoding.TextMarshaler   = (*byText)(nil)
)

type (
	// unmarshals has a method with a value receiver.
	unmarshals struct{ seen *int }
	// sliceCodec and mapCodec have decode methods with value receivers.
	sliceCodec  []int
	mapCodec    map[string]int
	decoderFace interface{ DecodeMsgpack(*Decoder) error }
)

func (u unmarshals) UnmarshalMsgpack(b []byte) error { *u.seen++; return nil }
func (s sliceCodec) DecodeMsgpack(d *Decoder) error {
	n, err := d.DecodeInt()
	if len(s) > 0 {
		s[0] = n
	}
	return err
}
func (m mapCodec) UnmarshalMsgpack(b []byte) error {
	if m != nil {
		m["bytes"] = len(b)
	}
	return nil
}

// A method with a pointer receiver is called for values that cannot be addressed, too.
func TestPointerMethodsOfValues(t *testing.T) {
	t.Run("pointer_methods_encode_values", func(t *testing.T) {
		for _, c := range []struct {
			v    any
			want string
		}{
			{byCustom(41), "2a"}, {byMarshal(41), "2a"}, {byBinary(41), "c4012a"}, {byText(41), "c4012a"},
			{map[string]byCustom{"a": 41}, "81a1612a"}, {map[string]byMarshal{"a": 41}, "81a1612a"}, {map[string]byText{"a": 41}, "81a161c4012a"},
			{[]any{byCustom(41), byBinary(41)}, "922ac4012a"}, {[]byText{41}, "91c4012a"}, {[1]byCustom{41}, "912a"},
			{map[byText]byCustom{41: 41}, "81c4012a2a"}, {struct{ V byMarshal }{41}, "81a1562a"}, {map[string]any{"a": byText(41)}, "81a161c4012a"},
		} {
			wantHex(t, c.v, c.want)
		}
	})
}

// Decode methods with value receivers are called, but not for nil.
func TestValueReceivers(t *testing.T) {
	for _, c := range []decodeCase{
		{name: "nil_clears_type_with_value_receiver", digits: "91c0", to: &[]unmarshals{{new(int)}}, want: &[]unmarshals{{}}},
		{name: "nil_clears_slice_with_value_receiver", digits: "c0", to: &sliceCodec{1}, want: new(sliceCodec)},
		{name: "value_receiver_decodes_into_slice", digits: "9105", to: &[]sliceCodec{{1}}, want: &[]sliceCodec{{5}}},
		{name: "value_receiver_leaves_nil_slice_nil", digits: "9105", to: new([]sliceCodec), want: &[]sliceCodec{nil}},
		{name: "value_receiver_decodes_into_map", digits: "81a14d920102", to: &struct{ M mapCodec }{mapCodec{}}, want: &struct{ M mapCodec }{mapCodec{"bytes": 3}}},
		{name: "value_receiver_leaves_nil_map_nil", digits: "81a14d920102", to: new(struct{ M mapCodec }), want: new(struct{ M mapCodec })},
	} {
		c.run(t)
	}

	t.Run("value_receiver_is_not_called_for_nil", func(t *testing.T) {
		seen := 0
		v := unmarshals{&seen}
		if err := Unmarshal([]byte{msgpwire.Nil}, &v); err != nil || seen != 0 {
			t.Error(seen, err)
		}
		v = unmarshals{&seen}
		if err := Unmarshal([]byte{7}, &v); err != nil || seen != 1 {
			t.Error(seen, err)
		}
	})
}

// The encoding selects the decode method. A type may have methods for only one direction.
func TestMethodsOfOneDirection(t *testing.T) {
	for _, c := range []decodeCase{
		{name: "str_calls_UnmarshalText", digits: "a16b", to: new(both), want: &both{"text k"}},
		{name: "bin_calls_UnmarshalBinary", digits: "c4016b", to: new(both), want: &both{"binary k"}},
		{name: "nil_clears_type_with_text_methods", digits: "91c0", to: &[]textual{{"x"}}, want: &[]textual{{}}},
	} {
		c.run(t)
	}

	t.Run("type_with_only_a_decode_method_is_encoded", func(t *testing.T) {
		wantHex(t, []valueMap{nil, {"a": 1}}, "92 c0 81 a161 01")
		var f decoderFace = &pair{}
		if err := into(t, "01a162", pointerTo(f)); err != nil {
			t.Error(err)
		}
	})
}
