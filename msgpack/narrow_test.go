package msgpack

// These tests cover conversions between numbers of different kinds and sizes. Faults of these
// conversions were found in v5 and in Basekick's fork of it.
//
// TestDecodeInto covers other integers that wrap around.

import (
	"math"
	"testing"

	"github.com/slipstream-go/slipstream/internal/msgpwire"
)

// Integral floats are decoded into integers. Other floats, and floats out of range, are rejected.
func TestFloatsIntoInts(t *testing.T) {
	for _, c := range []decodeCase{
		{name: "integral_float64_into_int64", digits: "cb4024000000000000", to: new(int64), want: pointerTo(int64(10))},
		{name: "negative_integral_float64_into_int64", digits: "cbc01c000000000000", to: new(int64), want: pointerTo(int64(-7))},
		{name: "zero_float64_into_uint64", digits: "cb0000000000000000", to: new(uint64), want: pointerTo(uint64(0))},
		{name: "integral_float32_into_uint64", digits: "ca42280000", to: new(uint64), want: pointerTo(uint64(42))},
		{name: "nan_does_not_fit_int64", digits: "cb7ff8000000000001", to: new(int64), err: "msgpack: float NaN does not fit int64"},
		{name: "inf_does_not_fit_int64", digits: "cb7ff0000000000000", to: new(int64), err: "msgpack: float +Inf does not fit int64"},
		{name: "minus_inf_does_not_fit_uint64", digits: "cbfff0000000000000", to: new(uint64), err: "msgpack: float -Inf does not fit uint64"},
		{name: "fraction_does_not_fit_int64", digits: "cb40091eb851eb851f", to: new(int64), err: "msgpack: float 3.14 does not fit int64"},
		{name: "float_minus_one_does_not_fit_uint64", digits: "cbbff0000000000000", to: new(uint64), err: "msgpack: float -1 does not fit uint64"},
	} {
		c.run(t)
	}
}

// Floats near the limits of an integer type are accepted or rejected exactly. Integers wrap around.
func TestLimitsOfInts(t *testing.T) {
	for _, c := range []decodeCase{
		{name: "float_2_to_63_does_not_fit_int64", digits: "cb43e0000000000000", to: new(int64), err: "msgpack: float 9.223372036854776e+18 does not fit int64"},
		{name: "float_2_to_63_does_not_fit_int64_element", digits: "91cb43e0000000000000", to: new([]int64), err: "msgpack: float 9.223372036854776e+18 does not fit int64"},
		{name: "float_2_to_64_does_not_fit_uint64", digits: "cb43f0000000000000", to: new(uint64), err: "msgpack: float 1.8446744073709552e+19 does not fit uint64"},
		{name: "float_minus_2_to_63_fits_int64", digits: "cbc3e0000000000000", to: new(int64), want: pointerTo(int64(math.MinInt64))},
		{name: "float_300_does_not_fit_int8", digits: "cb4072c00000000000", to: new(int8), err: "msgpack: float 300 does not fit int8"},
		{name: "float_128_does_not_fit_int8", digits: "cb4060000000000000", to: new(int8), err: "msgpack: float 128 does not fit int8"},
		{name: "float_minus_128_fits_int8", digits: "cbc060000000000000", to: new(int8), want: pointerTo(int8(-128))},
		{name: "float_256_does_not_fit_uint8_field", digits: "81a155ca43800000", to: new(struct{ U uint8 }), err: "msgpack: float 256 does not fit uint8"},
		{name: "float_65536_does_not_fit_int16_element", digits: "91ca47800000", to: new([]int16), err: "msgpack: float 65536 does not fit int16"},
		{name: "float_2_to_31_does_not_fit_int32", digits: "ca4f000000", to: new(int32), err: "msgpack: float 2.147483648e+09 does not fit int32"},
		{name: "int_300_wraps_around_in_int8", digits: "cd012c", to: new(int8), want: pointerTo(int8(44))},
		{name: "int_minus_one_wraps_around_in_uint16", digits: "ff", to: new(uint16), want: pointerTo(uint16(65535))},
	} {
		c.run(t)
	}

	t.Run("float_must_fit_int_of_the_machine", func(t *testing.T) {
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
}

// Numbers are rounded to the float type of the target.
func TestNumbersIntoFloats(t *testing.T) {
	for _, c := range []decodeCase{
		{name: "error_of_float64_names_float64", digits: "a161", to: new(float64), err: "msgpack: invalid code=a1 decoding float64"},
		{name: "float64_is_rounded_into_float32", digits: "cb40091eb851eb851f", to: new(float32), want: pointerTo(float32(3.14))},
		{name: "max_float64_does_not_fit_float32", digits: "cb7fefffffffffffff", to: new(float32), err: "msgpack: float 1.7976931348623157e+308 does not fit float32"},
		{name: "uint64_max_into_float64", digits: "cfffffffffffffffff", to: new(float64), want: pointerTo(float64(math.MaxUint64))},
		{name: "uint64_max_into_float32", digits: "cfffffffffffffffff", to: new(float32), want: pointerTo(float32(math.MaxUint64))},
		{name: "uint64_above_MaxInt64_into_floats", digits: "92cf8000000000000000cf8000000000000001", to: new([]float64), want: &[]float64{1 << 63, 1 << 63}},
		{name: "uint64_above_MaxInt64_into_map_of_floats", digits: "81a161cf8000000000000000", to: new(map[string]float64), want: &map[string]float64{"a": 1 << 63}},
		{name: "inf_fits_float32", digits: "cb7ff0000000000000", to: new(float32), want: pointerTo(float32(math.Inf(1)))},
		{name: "minus_inf_fits_float32", digits: "cbfff0000000000000", to: new(float32), want: pointerTo(float32(math.Inf(-1)))},
		{name: "nan_fits_float32", digits: "cb7ff8000000000001", to: new(float32), want: pointerTo(float32(math.NaN()))},
	} {
		c.run(t)
	}
}
