package msgpack

// Each sub-test covers a bug that was open in v5.4.1 and in Basekick's v6.1.0 when this package was
// written. They are sorted by severity: silent corruption, remote crashes, panics in legitimate
// programs, requests of users. The names begin with 2b and the number in this order, then the
// number of an issue if there is one.
//
// Other tests cover 2b06 (TestDecodeInto: numbers wrap around), 2b09 (TestDepth), 2b10 (TestBombs)
// and 2b17 (TestTags and TestCycles).

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/internal/msgpwire"
)

type (
	hasTime struct {
		T time.Time
		N int
	}
	// unmarshals has a method with a value receiver.
	unmarshals struct{ seen *int }
	// sliceCodec and mapCodec have decode methods with value receivers.
	sliceCodec  []int
	mapCodec    map[string]int
	decoderFace interface{ DecodeMsgpack(*Decoder) error }
	tripleAlias [3]byteAlias
	embedsText  struct {
		namedText
		N int
	}
	embedsFace struct {
		fmt.Stringer
		N int
	}
	inlinePointer struct {
		*inner `msgpack:",inline"`
		C      int
	}
	loopA struct {
		*loopB
		P int
	}
	loopB struct {
		*loopA
		Q int
	}
)

// endsEarly reports that its input is too short.
type endsEarly struct{}

func (*endsEarly) UnmarshalMsgpack([]byte) error { return io.ErrUnexpectedEOF }

// zeroByPointer has a method IsZero with a pointer receiver.
type zeroByPointer struct{ Day int }

func (z *zeroByPointer) IsZero() bool { return z.Day == 7 }

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

func TestKnownBugs(t *testing.T) {
	for _, b := range []bug{
		// Numbers.
		{name: "2b05_uint64_max_into_float64", digits: "cfffffffffffffffff", to: new(float64), want: pointerTo(float64(math.MaxUint64))},
		{name: "2b05_uint64_max_into_float32", digits: "cfffffffffffffffff", to: new(float32), want: pointerTo(float32(math.MaxUint64))},
		{name: "2b05_uint64_in_floats", digits: "92cf8000000000000000cf8000000000000001", to: new([]float64), want: &[]float64{1 << 63, 1 << 63}},
		{name: "2b05_uint64_in_map_of_floats", digits: "81a161cf8000000000000000", to: new(map[string]float64), want: &map[string]float64{"a": 1 << 63}},
		{name: "2b05_2_to_63_into_int64", digits: "cb43e0000000000000", to: new(int64), err: "msgpack: float 9.223372036854776e+18 does not fit int64"},
		{name: "2b05_2_to_63_in_ints", digits: "91cb43e0000000000000", to: new([]int64), err: "msgpack: float 9.223372036854776e+18 does not fit int64"},
		{name: "2b05_2_to_64_into_uint64", digits: "cb43f0000000000000", to: new(uint64), err: "msgpack: float 1.8446744073709552e+19 does not fit uint64"},
		{name: "2b05_minus_2_to_63_into_int64", digits: "cbc3e0000000000000", to: new(int64), want: pointerTo(int64(math.MinInt64))},
		{name: "2b05_inf_into_float32", digits: "cb7ff0000000000000", to: new(float32), want: pointerTo(float32(math.Inf(1)))},
		{name: "2b05_minus_inf_into_float32", digits: "cbfff0000000000000", to: new(float32), want: pointerTo(float32(math.Inf(-1)))},
		{name: "2b05_nan_into_float32", digits: "cb7ff8000000000001", to: new(float32), want: pointerTo(float32(math.NaN()))},
		{name: "2b05_300_into_int8", digits: "cb4072c00000000000", to: new(int8), err: "msgpack: float 300 does not fit int8"},
		{name: "2b05_128_into_int8", digits: "cb4060000000000000", to: new(int8), err: "msgpack: float 128 does not fit int8"},
		{name: "2b05_minus_128_into_int8", digits: "cbc060000000000000", to: new(int8), want: pointerTo(int8(-128))},
		{name: "2b05_256_into_uint8_field", digits: "81a155ca43800000", to: new(struct{ U uint8 }), err: "msgpack: float 256 does not fit uint8"},
		{name: "2b05_65536_into_int16s", digits: "91ca47800000", to: new([]int16), err: "msgpack: float 65536 does not fit int16"},
		{name: "2b05_2_to_31_into_int32", digits: "ca4f000000", to: new(int32), err: "msgpack: float 2.147483648e+09 does not fit int32"},
		{name: "2b06_narrowing_is_kept", digits: "cd012c", to: new(int8), want: pointerTo(int8(44))},
		{name: "2b06_sign_is_kept", digits: "ff", to: new(uint16), want: pointerTo(uint16(65535))},
		// For these inputs with nil, v5 panics.
		{name: "2b07_nil_into_time_field", digits: "82a154c0a14e05", to: &hasTime{T: time.Unix(1, 0)}, want: &hasTime{N: 5}},
		{name: "2b07_nil_into_time", digits: "c0", to: pointerTo(time.Unix(1, 0)), want: new(time.Time)},
		{name: "2b07_nil_into_times", digits: "92c0d6ff00000001", to: new([]time.Time), want: &[]time.Time{{}, time.Unix(1, 0)}},
		{name: "2b07_nil_into_map_of_times", digits: "81a161c0", to: new(map[string]time.Time), want: &map[string]time.Time{"a": {}}},
		{name: "2b07_nil_into_time_behind_pointer", digits: "c0", to: pointerTo(&time.Time{}), want: new(*time.Time)},
		{name: "2b07_nil_into_value_receiver", digits: "91c0", to: &[]unmarshals{{new(int)}}, want: &[]unmarshals{{}}},
		{name: "2b07_nil_into_text", digits: "91c0", to: &[]textual{{"x"}}, want: &[]textual{{}}},
		// Keys.
		{name: "2b08_nil_key_into_any", digits: "81c001", to: new(any), want: pointerTo(any(map[string]any{"": int8(1)}))},
		{name: "2b08_bin_key_into_untyped_map", digits: "81c4016101", to: new(map[any]any), err: "msgpack: unsupported map key: []uint8"},
		{name: "2b08_array_key_into_untyped_map", digits: "819101c0", to: new(map[any]any), err: "msgpack: unsupported map key: []interface {}"},
		{name: "2b08_map_key_into_untyped_map", digits: "8181a16101c0", to: new(map[any]any), err: "msgpack: unsupported map key: map[string]interface {}"},
		{name: "2b08_nil_key_into_untyped_map", digits: "81c001", to: new(map[any]any), want: &map[any]any{nil: int8(1)}},
		{name: "2b08_array_in_struct_key", digits: "81 81a141 90 01", to: new(map[struct{ A any }]int), err: "msgpack: unsupported map key: struct { A interface {} }"},
		{name: "2b08_array_in_array_key", digits: "81 91 90 01", to: new(map[[1]any]int), err: "msgpack: unsupported map key: [1]interface {}"},
		{name: "2b12_bin_key_into_any", digits: "81c4016101", to: new(any), want: pointerTo(any(map[string]any{"a": int8(1)}))},
		{name: "2b12_bin_key_into_map_of_any", digits: "82c4016101a16202", to: new(map[string]any), want: &map[string]any{"a": int8(1), "b": int8(2)}},
		{name: "2b04_289_int_keys_into_any", digits: "8201a16102a162", to: new(any), want: pointerTo(any(map[int8]any{1: "a", 2: "b"}))},
		{name: "2b04_keys_of_two_widths", digits: "8201a161ccc8a162", to: new(any), want: pointerTo(any(map[any]any{int8(1): "a", uint8(200): "b"}))},
		{name: "2b04_first_value_is_nil", digits: "8201c002a162", to: new(any), want: pointerTo(any(map[int8]any{1: nil, 2: "b"}))},
		{name: "2b04_str_then_int", digits: "82a16101 02a162", to: new(any), want: pointerTo(any(map[any]any{"a": int8(1), int8(2): "b"}))},
		{name: "2b04_int_then_str", digits: "8202a162 a16101", to: new(any), want: pointerTo(any(map[any]any{"a": int8(1), int8(2): "b"}))},
		{name: "2b04_int_then_nil", digits: "8202a162 c001", to: new(any), want: pointerTo(any(map[any]any{"": int8(1), int8(2): "b"}))},
		{name: "2b04_int_then_bin", digits: "8202a162 c4016101", to: new(any), want: pointerTo(any(map[any]any{"a": int8(1), int8(2): "b"}))},
		{name: "2b04_same_key_twice", digits: "83 01a161 01a162 a16101", to: new(any), want: pointerTo(any(map[any]any{int8(1): "b", "a": int8(1)}))},
		{name: "2b04_nested", digits: "8101 82 02a162 03 8104c3", to: new(any), want: pointerTo(any(map[int8]any{1: map[int8]any{2: "b", 3: map[int8]any{4: true}}}))},
		{name: "2b04_in_list", digits: "91 81 c3 01", to: new([]any), want: &[]any{map[bool]any{true: int8(1)}}},
		{name: "2b04_time_key", digits: "81 d6ff00000001 01", to: new(any), want: pointerTo(any(map[time.Time]any{time.Unix(1, 0): int8(1)}))},
		{name: "2b08_array_key_into_any", digits: "819001", to: new(any), err: "msgpack: unsupported map key: []interface {}"},
		{name: "2b08_map_key_into_any", digits: "818001", to: new(any), err: "msgpack: unsupported map key: map[string]interface {}"},
		{name: "2b08_array_key_after_str", digits: "82a16101 9001", to: new(any), err: "msgpack: unsupported map key: []interface {}"},
		{name: "2b25_int_keys_into_struct", digits: "83 01a161 a15805 92010203", to: new(point), want: &point{X: 5}},
		{name: "2b25_int_key_into_map_of_any", digits: "8101a161", to: new(map[string]any), err: "msgpack: invalid code=1 decoding string/bytes length"},
		// Interfaces that hold a value.
		{name: "2b13_nil_over_pointer_in_list", digits: "91c0", to: &[]any{new(point)}, want: &[]any{nil}},
		{name: "2b13_nil_over_pointer_in_field", digits: "81a146c0", to: &struct{ F any }{new(point)}, want: &struct{ F any }{}},
		{name: "2b13_value_over_nil_pointer", digits: "81a14605", to: &struct{ F any }{(*point)(nil)}, want: &struct{ F any }{int8(5)}},
		{name: "2b13_value_over_nil_pointer_in_list", digits: "9181a15805", to: &[]any{(*point)(nil)}, want: &[]any{map[string]any{"X": int8(5)}}},
		{name: "2b13_value_into_pointer", digits: "9181a15805", to: &[]any{&point{Y: 1}}, want: &[]any{&point{X: 5, Y: 1}}},
		{name: "2b13_over_value_in_field", digits: "81a146a178", to: &struct{ F any }{7}, want: &struct{ F any }{"x"}},
		{name: "2b13_over_slice_in_field", digits: "81a1469101", to: &struct{ F any }{[]string{"x"}}, want: &struct{ F any }{[]any{int8(1)}}},
		{name: "2b15_nil_into_slice_codec", digits: "c0", to: &sliceCodec{1}, want: new(sliceCodec)},
		{name: "2b15_slice_codec", digits: "9105", to: &[]sliceCodec{{1}}, want: &[]sliceCodec{{5}}},
		{name: "2b15_nil_slice_codec", digits: "9105", to: new([]sliceCodec), want: &[]sliceCodec{nil}},
		{name: "2b15_map_codec", digits: "81a14d920102", to: &struct{ M mapCodec }{mapCodec{}}, want: &struct{ M mapCodec }{mapCodec{"bytes": 3}}},
		{name: "2b15_nil_map_codec", digits: "81a14d920102", to: new(struct{ M mapCodec }), want: new(struct{ M mapCodec })},
		{name: "2b15_interface_with_decoder", digits: "81a14605", to: new(struct{ F decoderFace }), err: "msgpack: Decode(int8 into msgpack.decoderFace)"},
		{name: "2b15_nil_into_interface_with_decoder", digits: "81a146c0", to: new(struct{ F decoderFace }), want: new(struct{ F decoderFace })},
		{name: "2b16_int_into_error", digits: "81a14505", to: new(struct{ E error }), err: "msgpack: Decode(int8 into error)"},
		{name: "2b16_str_into_stringer", digits: "81a153a178", to: new(struct{ S fmt.Stringer }), err: "msgpack: Decode(string into fmt.Stringer)"},
		{name: "2b16_list_into_reader", digits: "90", to: new(io.Reader), err: "msgpack: Decode([]interface {} into io.Reader)"},
		{name: "2b16_nil_into_stringer", digits: "81a153c0", to: &struct{ S fmt.Stringer }{time.Second}, want: new(struct{ S fmt.Stringer })},
		// Embedding.
		{name: "2b17_embedded_unexported_text", digits: "82a96e616d656454657874a178a14e05", to: new(embedsText), want: &embedsText{"x", 5}},
		{name: "2b17_embedded_interface", digits: "82a8537472696e676572c0a14e05", to: new(embedsFace), want: &embedsFace{N: 5}},
		{name: "2b17_nil_embedded_pointer", digits: "83a14105a142a162a14306", to: new(throughPointer), want: &throughPointer{&inner{5, "b"}, 6}},
		{name: "2b17_inline_on_pointer", digits: "82a14105a14306", to: new(inlinePointer), want: &inlinePointer{&inner{A: 5}, 6}},
		{name: "2b17_nil_slice_target", digits: "9105", to: new(*[]int), want: pointerTo(&[]int{5})},
		{name: "2b17_nil_map_target", digits: "81a16105", to: new(*map[string]int), want: pointerTo(&map[string]int{"a": 5})},
		{name: "2b17_types_that_embed_each_other", digits: "82a15105a15006", to: new(loopA), want: &loopA{&loopB{Q: 5}, 6}},
		// Times.
		{name: "2b18_rfc3339_into_field", digits: "81a154b4323032362d31312d32315432313a30303a30305a", to: new(hasTime),
			want: &hasTime{T: time.Date(2026, 11, 21, 21, 0, 0, 0, time.UTC)}},
		{name: "2b18_array_into_field", digits: "81a154920102", to: new(hasTime), want: &hasTime{T: time.Unix(1, 2)}},
		{name: "2b18_ext_13_into_field", digits: "81a154d60d00000001", to: new(hasTime), want: &hasTime{T: time.Unix(1, 0)}},
		{name: "2b18_text_that_is_no_time", digits: "81a154a178", to: new(hasTime), err: `parsing time "x" as "2006-01-02T15:04:05.999999999Z07:00": cannot parse "x" as "2006"`},
		// nil clears the previous value.
		{name: "2b_also_nil_over_strings", digits: "c0", to: &[]string{"old"}, want: new([]string)},
		{name: "2b_also_nil_over_strings_in_field", digits: "81a14cc0", to: &struct{ L []string }{[]string{"old"}}, want: new(struct{ L []string })},
		{name: "2b_also_nil_over_interface_field", digits: "81a146c0", to: &struct{ F any }{"old"}, want: &struct{ F any }{}},
		{name: "2b_also_tail_of_array_stays", digits: "9107", to: &[2]int{1, 2}, want: &[2]int{7, 2}},
		{name: "2b_also_sign_of_int_in_any", digits: "95 ff d0ff d1ffff d2ffffffff d3ffffffffffffffff", to: new(any),
			want: pointerTo(any([]any{int8(-1), int8(-1), int16(-1), int32(-1), int64(-1)}))},
		{name: "2b_also_unsigned_in_any", digits: "94 ccff cdffff ceffffffff cfffffffffffffffff", to: new(any),
			want: pointerTo(any([]any{uint8(255), uint16(65535), uint32(math.MaxUint32), uint64(math.MaxUint64)}))},
	} {
		b.run(t)
	}

	t.Run("2b02_input_of_the_last_reset", func(t *testing.T) {
		d := newDecoder()
		for range 3 {
			d.ResetBytes([]byte{1, 1, 1, 1})
			d.DecodeInt()
			for name, r := range map[string]io.Reader{"buffer": bytes.NewBuffer([]byte{2}), "reader": bytes.NewReader([]byte{2}), "plain": struct{ io.Reader }{strings.NewReader("\x02")}} {
				d.Reset(r)
				if v, err := d.DecodeInt(); v != 2 || err != nil {
					t.Errorf("%s: %d, %v", name, v, err)
				}
				if _, err := d.DecodeInt(); err != io.EOF {
					t.Errorf("%s: %v", name, err)
				}
			}
			d.Reset(nil)
			if _, err := d.DecodeInt(); err != io.EOF {
				t.Error(err)
			}
		}
	})

	t.Run("2b03_bytes_that_an_unmarshaler_keeps", func(t *testing.T) {
		data := unhex(t, "93 a3616263 a3646566 a3676869")
		var kept []keeper
		if err := Unmarshal(data, &kept); err != nil {
			t.Fatal(err)
		}
		clear(data)
		for range 3 {
			var other []keeper
			Unmarshal(unhex(t, "93 a3313131 a3323232 a3333333"), &other)
		}
		for i, want := range []string{"\xa3abc", "\xa3def", "\xa3ghi"} {
			if string(kept[i].raw) != want {
				t.Errorf("%q became %q", want, kept[i].raw)
			}
		}
	})

	t.Run("2b05_zero_keeps_its_sign", func(t *testing.T) {
		var out bytes.Buffer
		e := NewEncoder(&out)
		e.UseCompactFloats(true)
		zero := math.Copysign(0, -1)
		if err := e.EncodeMulti(zero, float32(zero), []float64{zero}, map[string]float64{"a": zero}, struct{ F float32 }{float32(zero)}); err != nil {
			t.Fatal(err)
		}
		if want := unhex(t, "cb8000000000000000 ca80000000 91 cb8000000000000000 81 a161 cb8000000000000000 81 a146 ca80000000"); !bytes.Equal(out.Bytes(), want) {
			t.Errorf("%x", out.Bytes())
		}
	})

	t.Run("2b05_range_of_the_width_of_the_machine", func(t *testing.T) {
		const wide = 1 << 40 // fits an int only if it has 64 bits
		b := msgpwire.AppendFloat64(nil, wide)
		for name, read := range map[string]func(d *Decoder) (uint64, error){
			"DecodeInt":  func(d *Decoder) (uint64, error) { v, err := d.DecodeInt(); return uint64(v), err },
			"DecodeUint": func(d *Decoder) (uint64, error) { v, err := d.DecodeUint(); return uint64(v), err },
			"int":        func(d *Decoder) (uint64, error) { var v int; err := d.Decode(&v); return uint64(v), err },
			"uint":       func(d *Decoder) (uint64, error) { var v uint; err := d.Decode(&v); return uint64(v), err },
			"map": func(d *Decoder) (uint64, error) {
				var m map[string]int
				d.ResetBytes(append([]byte{0x81, 0xa1, 'a'}, b...))
				err := d.Decode(&m)
				return uint64(m["a"]), err
			},
		} {
			d := newDecoder()
			d.ResetBytes(b)
			v, err := read(d)
			if fits := uint64(math.MaxInt) > wide; (err == nil) != fits || fits && v != wide {
				t.Errorf("%s: %d, %v", name, v, err)
			}
		}
	})

	t.Run("2b07_value_receiver_is_not_called_for_nil", func(t *testing.T) {
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

	t.Run("2b08_keys_by_hand", func(t *testing.T) {
		d := newDecoder()
		for digits, want := range map[string]string{"81c001": "", "81c4016101": "", "819001": "msgpack: invalid code=90 decoding string/bytes length"} {
			d.ResetBytes(unhex(t, digits))
			if _, err := d.DecodeMap(); text(err) != want {
				t.Errorf("%s: %v, want %s", digits, err, want)
			}
		}
	})

	t.Run("2b08_nan_keys_are_kept", func(t *testing.T) {
		var m map[float64]int
		if err := into(t, "81 cb7ff8000000000001 01", &map[string]int{}); err == nil {
			t.Error("a number is no string")
		}
		if err := Unmarshal(unhex(t, "83 cb7ff8000000000001 01 cb7ff8000000000001 01 01 02"), &m); err != nil || len(m) != 3 || m[1] != 2 {
			t.Error(m, err)
		}
	})

	t.Run("2b04_20_maps_of_maps_survive_an_any", func(t *testing.T) {
		var v any
		if err := Unmarshal(marshal(t, map[int]map[int]any{1: {2: "a", 3: 1.5, 4: nil, 5: []any{true}}, 6: {}}), &v); err != nil {
			t.Fatal(err)
		}
		var back map[int]map[int]any
		if err := Unmarshal(marshal(t, v), &back); err != nil || !reflect.DeepEqual(back, map[int]map[int]any{1: {2: "a", 3: 1.5, 4: nil, 5: []any{true}}, 6: {}}) {
			t.Error(back, err)
		}
	})

	t.Run("2b08_DecodeUntypedMap", func(t *testing.T) {
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

	t.Run("2b08_keys_of_a_map_decoder", func(t *testing.T) {
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

	t.Run("2b10_401_bombs", func(t *testing.T) {
		nested := bytes.Repeat(unhex(t, "dd00ffffff"), 10)
		for _, bomb := range [][]byte{unhex(t, "dfffffffff"), unhex(t, "ddffffffff"), unhex(t, "c6ffffffff"), unhex(t, "dbffffffff"), unhex(t, "c9ffffffff01"), nested} {
			for _, to := range []any{new(any), new([]any), new([]struct{}), new(map[string]any), new(map[struct{}]struct{}), new(map[any]any), new([][][]string),
				new(map[[0]int]bool), new([]map[struct{}][0]int), new(map[string]struct{})} {
				for name, d := range sources(bomb) {
					var err error
					if got := allocated(func() { err = d.Decode(to) }); got > 1<<20 || err == nil {
						t.Errorf("%x into %T from %s: %d bytes allocated, %v", bomb, to, name, got, err)
					}
				}
			}
		}
	})

	t.Run("2b12_keys_with_text_methods", func(t *testing.T) {
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

	t.Run("2b13_interface_at_the_top", func(t *testing.T) {
		for _, c := range []struct {
			holds any
			err   string
		}{
			{nil, ""}, {new(int), ""}, {(*int)(nil), ""}, {"x", "msgpack: Decode(non-pointer string)"}, {7, "msgpack: Decode(non-pointer int)"},
			{[]int{1}, "msgpack: Decode(non-pointer []int)"}, {map[string]any{}, "msgpack: Decode(non-pointer map[string]interface {})"},
		} {
			for _, digits := range []string{"05", "c0"} {
				v := c.holds
				if err := into(t, digits, &v); text(err) != c.err {
					t.Errorf("%s over %T: %v", digits, c.holds, err)
				}
			}
		}
		var itself any
		itself = &itself
		if err := Unmarshal([]byte{5}, itself); err == nil || !strings.Contains(err.Error(), "nest deeper") {
			t.Error(err)
		}
	})

	t.Run("2b14_346_uintptr", func(t *testing.T) {
		wantHex(t, struct{ P uintptr }{300}, "81a150cd012c")
		wantHex(t, []uintptr{1}, "9101")
		var v map[string]uintptr
		if err := into(t, "81a161cd012c", &v); err != nil || v["a"] != 300 {
			t.Error(v, err)
		}
	})

	t.Run("2b15_value_receivers_write", func(t *testing.T) {
		wantHex(t, []valueMap{nil, {"a": 1}}, "92 c0 81 a161 01")
		var f decoderFace = &pair{}
		if err := into(t, "01a162", pointerTo(f)); err != nil {
			t.Error(err)
		}
	})

	t.Run("2b17_arrays_of_named_bytes_by_value", func(t *testing.T) {
		wantHex(t, tripleAlias{1, 2, 3}, "c403010203")
		wantHex(t, map[string]tripleAlias{"a": {1, 2, 3}}, "81a161c403010203")
		wantHex(t, []any{tripleAlias{1, 2, 3}}, "91c403010203")
		wantHex(t, struct{ A tripleAlias }{tripleAlias{1, 2, 3}}, "81a141c403010203")
	})

	t.Run("2b17_embedded_parts_that_are_nil", func(t *testing.T) {
		wantHex(t, loopA{}, "83a56c6f6f7041c0a151c0a15000")
		wantHex(t, embedsText{"x", 1}, "82a96e616d656454657874a178a14e01")
		wantHex(t, embedsFace{nil, 1}, "82a8537472696e676572c0a14e01")
		wantHex(t, inlinePointer{nil, 1}, "83a141c0a142c0a14301")
	})

	t.Run("2b18_times_in_utc", func(t *testing.T) {
		var v []any
		if err := (DecodeOptions{UTC: true}).Unmarshal(unhex(t, "91d6ff00000001"), &v); err != nil || v[0].(time.Time).Location() != time.UTC {
			t.Error(v, err)
		}
	})

	t.Run("2b19_arrays_of_other_lengths", func(t *testing.T) {
		o := DecodeOptions{AnyLength: true}
		for digits, want := range map[string]any{"91 05": &inner{A: 5}, "93 05 a162 c3": &inner{5, "b"}, "90": &inner{}, "93 05 06 07": &[2]int{5, 6}, "91 06": &[2]int{6, 0}} {
			v := reflect.New(reflect.TypeOf(want).Elem())
			if err := o.Unmarshal(unhex(t, digits), v.Interface()); err != nil || !reflect.DeepEqual(v.Interface(), want) {
				t.Errorf("%s: %+v, %v; want %+v", digits, v.Elem(), err, want)
			}
		}
	})

	t.Run("2b20_maps_of_every_kind_in_order", func(t *testing.T) {
		for _, v := range []any{map[string]int{"c": 1, "a": 2, "b": 3}, map[int]string{3: "a", 1: "b", 2: "c"}, map[namedText][]int{"b": nil, "a": nil}, map[string]point{"b": {}, "a": {}},
			map[any]any{"a": 1, 2: 3, true: 4, 1.5: map[int]int{2: 1, 1: 2}}, map[[2]int]bool{{2, 1}: true, {1, 2}: true}} {
			first, err := EncodeOptions{SortMapKeys: true}.Marshal(v)
			for range 20 {
				if again, errAgain := (EncodeOptions{SortMapKeys: true}).Marshal(v); err != nil || errAgain != nil || !bytes.Equal(first, again) {
					t.Errorf("%T: %x, %v, then %x, %v", v, first, err, again, errAgain)
				}
			}
		}
	})

	t.Run("2b21_omitzero", func(t *testing.T) {
		type fields struct {
			Slice   []int           `msgpack:"a,omitzero"`
			Pointer zeroByPointer   `msgpack:"b,omitzero"`
			Array   [2]int          `msgpack:"c,omitzero"`
			Time    time.Time       `msgpack:"d,omitzero"`
			Struct  struct{ n int } `msgpack:"e,omitzero"`
		}
		wantHex(t, fields{}, "81 a162 81 a3446179 00")
		wantHex(t, &fields{Pointer: zeroByPointer{7}}, "80")
		wantHex(t, &fields{Slice: []int{}, Pointer: zeroByPointer{7}, Array: [2]int{1}, Struct: struct{ n int }{1}}, "83 a161 90 a163 920100 a165 80")
	})

	t.Run("2b22_several_aliases", func(t *testing.T) {
		type aliased struct {
			A int `msgpack:"a,alias:b,alias:c"`
		}
		for _, digits := range []string{"81a16105", "81a16205", "81a16305"} {
			var v aliased
			if err := into(t, digits, &v); err != nil || v.A != 5 {
				t.Error(digits, v, err)
			}
		}
	})

	t.Run("2b25_query", func(t *testing.T) {
		d := newDecoder()
		for _, c := range []struct {
			digits, path string
			want         []any
			err          string
		}{
			{"81a16101", "a", []any{int8(1)}, ""}, {"81a16101", "b", nil, ""}, {"01", "a", nil, `msgpack: unsupported code=1 decoding key="a"`},
			{"81a16193010203", "a.*", []any{int8(1), int8(2), int8(3)}, ""}, {"81a16193010203", "a.1", []any{int8(2)}, ""},
			{"9281a1619281a1620181a1620281a1619181a16203", "*.a.*.b", []any{int8(1), int8(2), int8(3)}, ""},
			{"92 82a161 91 82a16201a16302 a16404 82a161 90 a16404", "*.a.*.b", []any{int8(1)}, ""},
			{"8101a161", "1", []any{"a"}, ""},
		} {
			d.ResetBytes(append(unhex(t, c.digits), 0x2a))
			v, err := d.Query(c.path)
			if text(err) != c.err || !reflect.DeepEqual(v, c.want) {
				t.Errorf("%s of %s: %v, %v; want %v", c.path, c.digits, v, err, c.want)
			}
			if n, err := d.DecodeInt(); n != 0x2a || err != nil {
				t.Errorf("%s of %s leaves the decoder elsewhere: %d, %v", c.path, c.digits, n, err)
			}
		}
	})

	t.Run("2b22_collisions_are_silent", func(t *testing.T) {
		var said bytes.Buffer
		defer log.SetOutput(log.Writer())
		log.SetOutput(&said)
		type other struct {
			Exported
			A int
			B int `msgpack:"A"`
		}
		marshal(t, other{})
		if said.Len() > 0 {
			t.Error(said.String())
		}
	})

	t.Run("2b22_alias_of_an_inlined_field", func(t *testing.T) {
		type Base struct {
			A int `msgpack:"a,alias:x"`
		}
		type whole struct {
			Base
			B int `msgpack:"b"`
		}
		var v whole
		if err := into(t, "82a17805a16206", &v); err != nil || v.A != 5 || v.B != 6 {
			t.Error(v, err)
		}
		type behind struct{ *Base }
		var w behind
		if err := into(t, "81a17805", &w); err != nil || w.A != 5 {
			t.Error(w, err)
		}
	})

	t.Run("2b23_unknown_ext_in_a_field_can_be_skipped", func(t *testing.T) {
		var v struct{ N int }
		if err := into(t, "82 a158 c70305010203 a14e 05", &v); err != nil || v.N != 5 {
			t.Error(v, err)
		}
		var raw struct{ X RawMessage }
		if err := into(t, "81 a158 c70305010203", &raw); err != nil || !bytes.Equal(raw.X, unhex(t, "c70305010203")) {
			t.Error(raw, err)
		}
	})

	t.Run("2b23_a_method_that_says_EOF_does_not_stop_a_stream", func(t *testing.T) {
		for _, digits := range []string{"a161", "9102", "81a16101"} {
			for name, d := range sources(append(unhex(t, digits), 0x2a)) {
				if err := d.Decode(new(endsEarly)); !errors.Is(err, io.ErrUnexpectedEOF) {
					t.Errorf("%s from %s: %v", digits, name, err)
				}
				if n, err := d.DecodeInt(); n != 0x2a || err != nil {
					t.Errorf("%s from %s: %d, %v", digits, name, n, err)
				}
			}
		}
	})

	t.Run("2b25_failed_raw_leaves_nothing_behind", func(t *testing.T) {
		for range 3 {
			d := GetDecoder()
			d.Reset(struct{ io.Reader }{strings.NewReader("\x93\x01\x02")})
			if _, err := d.DecodeRaw(); err == nil {
				t.Error("no error")
			}
			d.Reset(struct{ io.Reader }{strings.NewReader("\x05\x92\x01\x02")})
			if v, err := d.DecodeInt(); v != 5 || err != nil {
				t.Error(v, err)
			}
			if raw, err := d.DecodeRaw(); err != nil || string(raw) != "\x92\x01\x02" {
				t.Errorf("%x, %v", raw, err)
			}
			PutDecoder(d)
		}
	})

	t.Run("2b25_empty_values_are_nil", func(t *testing.T) {
		wantHex(t, []any{RawMessage{}, RawMessage(nil), 1}, "93c0c001")
		wantHex(t, []keeper{{}, {[]byte{}}, {[]byte{1}}}, "93c0c001")
		wantHex(t, struct{ R RawMessage }{}, "81a152c0")
		var out bytes.Buffer
		if err := NewEncoder(&out).EncodeMulti(RawMessage{}, &RawMessage{}, 1); err != nil || !bytes.Equal(out.Bytes(), []byte{msgpwire.Nil, msgpwire.Nil, 1}) {
			t.Errorf("%x, %v", out.Bytes(), err)
		}
	})

	t.Run("2b_also_lengths_that_cannot_be_written", func(t *testing.T) {
		var out bytes.Buffer
		e := NewEncoder(&out)
		for _, n := range []int{-1, -2, math.MinInt} {
			for name, err := range map[string]error{"array": e.EncodeArrayLen(n), "map": e.EncodeMapLen(n), "bytes": e.EncodeBytesLen(n), "ext": e.EncodeExtHeader(1, n)} {
				if nilled := n == -1 && name != "ext"; (err == nil) != nilled {
					t.Errorf("%s of %d: %v", name, n, err)
				}
			}
		}
		if !bytes.Equal(out.Bytes(), []byte{msgpwire.Nil, msgpwire.Nil, msgpwire.Nil}) {
			t.Errorf("%x", out.Bytes())
		}
	})

	t.Run("2b_also_loose_nesting_follows_the_option", func(t *testing.T) {
		d := newDecoder()
		for _, on := range []bool{false, true} {
			d.ResetBytes(unhex(t, "91 92 01 ca3f800000"))
			d.UseLooseInterfaceDecoding(on)
			v, err := d.DecodeInterfaceLoose()
			want := []any{[]any{int8(1), float32(1)}}
			if on {
				want = []any{[]any{int64(1), float64(1)}}
			}
			if err != nil || !reflect.DeepEqual(v, any(want)) {
				t.Errorf("%v: %#v, %v", on, v, err)
			}
		}
	})

	t.Run("2b_also_ends_can_be_told_apart", func(t *testing.T) {
		for digits, inside := range map[string]bool{"": false, "92": true, "9201": true, "a161": false, "a261": true, "cd": true, "81a161": true} {
			for name, d := range sources(unhex(t, digits)) {
				var v any
				err := d.Decode(&v)
				if err == nil {
					v = nil
					err = d.Decode(&v)
				}
				var e *Error
				if (err == io.EOF) == inside || errors.As(err, &e) != inside || !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
					t.Errorf("%s from %s: %#v", digits, name, err)
				}
			}
		}
	})

	t.Run("2b_also_322_memory_of_a_long_stream", func(t *testing.T) {
		one := marshal(t, []any{"a string of some length", 1.5, []byte("bytes")})
		d := NewDecoder(io.LimitReader(&endless{one: one}, int64(len(one))*50_000))
		var before, after runtime.MemStats
		var v []any
		for i := range 50_000 {
			if i == 1000 {
				runtime.GC()
				runtime.ReadMemStats(&before)
			}
			if err := d.Decode(&v); err != nil {
				t.Fatal(err)
			}
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		if after.HeapAlloc > before.HeapAlloc+1<<20 || cap(d.own) > 64<<10 {
			t.Errorf("%d bytes, then %d; a window of %d", before.HeapAlloc, after.HeapAlloc, cap(d.own))
		}
		runtime.KeepAlive(v)
	})
}

// endless is a reader that repeats one value.
type endless struct {
	one []byte
	at  int
}

func (e *endless) Read(b []byte) (int, error) {
	n := 0
	for n < len(b) {
		k := copy(b[n:], e.one[e.at:])
		n += k
		e.at = (e.at + k) % len(e.one)
	}
	return n, nil
}
