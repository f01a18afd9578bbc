package msgpack

// Each sub-test covers a bug that Basekick's fork of v5 reports as fixed in its releases 6.0 and
// 6.1. The names begin with 2a and the number of the issue, if there is one; 2a_60 covers behaviour
// that the speedups of 6.0 must not change. The fork fixed some of these bugs only in its
// changelog. This package fixes all of them.
//
// Other tests cover 2a_13 (TestDecodeMethods), 2a_19 (TestPoolsDropLargeBuffers and TestResets),
// 2a_57 and 2a_59 (TestPeekCode and TestNoReadAhead), 2a_60 (TestNoAliasing) and 2a_65
// (TestIndependent). 2a_33 and 2a_70 concern the build, not the code.

import (
	"bufio"
	"bytes"
	"encoding"
	"errors"
	"io"
	"reflect"
	"sync"
	"testing"

	"github.com/slipstream-go/slipstream/internal/msgpwire"
)

// bug is an input that v5 or its fork has decoded incorrectly.
type bug struct {
	name   string
	digits string
	to     any    // a pointer
	want   any    // a pointer, unless there is an error
	err    string // the whole error text
}

// run decodes the input from every kind of source.
func (b bug) run(t *testing.T) {
	t.Run(b.name, func(t *testing.T) {
		start := reflect.ValueOf(b.to).Elem()
		for name, d := range sources(unhex(t, b.digits)) {
			to := reflect.New(start.Type())
			to.Elem().Set(deepCopy(start))
			err := d.Decode(to.Interface())
			switch {
			case text(err) != b.err:
				t.Errorf("%s: %+v, error %v; want error %q", name, to.Elem(), err, b.err)
			case err == nil && !same(to.Elem(), reflect.ValueOf(b.want).Elem()):
				t.Errorf("%s: %+v; want %+v", name, to.Elem(), reflect.ValueOf(b.want).Elem())
			}
		}
	})
}

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

// Errors with marshal methods, one for each kind of method.
type (
	customError  struct{ code int }
	binaryError  struct{ code int }
	textError    struct{ code int }
	readTooError struct{ Code int }
)

func (customError) Error() string                     { return "custom" }
func (c customError) EncodeMsgpack(e *Encoder) error  { return e.EncodeInt(int64(c.code)) }
func (*binaryError) Error() string                    { return "binary" }
func (b *binaryError) MarshalBinary() ([]byte, error) { return []byte{byte(b.code)}, nil }
func (textError) Error() string                       { return "text" }
func (x textError) MarshalText() ([]byte, error)      { return []byte{byte(x.code)}, nil }
func (readTooError) Error() string                    { return "read" }
func (*readTooError) UnmarshalText([]byte) error      { return nil }

// hiddenState is a struct without exported fields.
type hiddenState struct{ n int }

var (
	_ encoding.BinaryMarshaler = (*byBinary)(nil)
	_ encoding.TextMarshaler   = (*byText)(nil)
)

func TestChangelogBugs(t *testing.T) {
	for _, b := range []bug{
		{name: "2a_01_array32_bomb_into_any", digits: "ddffffffff", to: new(any), err: "EOF"},
		{name: "2a_01_array32_bomb_into_list", digits: "ddffffffff", to: new([]any), err: "EOF"},
		{name: "2a_map32_bomb_into_map_of_any", digits: "dfffffffff", to: new(map[string]any), err: "EOF"},
		{name: "2a_map32_bomb_into_map_of_strings", digits: "dfffffffff", to: new(map[string]string), err: "EOF"},
		{name: "2a_array32_bomb_into_ints", digits: "ddffffffff", to: new([]int64), err: "EOF"},
		{name: "2a_13_text_of_float64_error", digits: "a161", to: new(float64), err: "msgpack: invalid code=a1 decoding float64"},
		{name: "2a_02_float64_into_int64", digits: "cb4024000000000000", to: new(int64), want: pointerTo(int64(10))},
		{name: "2a_02_negative_float64_into_int64", digits: "cbc01c000000000000", to: new(int64), want: pointerTo(int64(-7))},
		{name: "2a_02_zero_float64_into_uint64", digits: "cb0000000000000000", to: new(uint64), want: pointerTo(uint64(0))},
		{name: "2a_02_float32_into_uint64", digits: "ca42280000", to: new(uint64), want: pointerTo(uint64(42))},
		{name: "2a_02_nan_into_int64", digits: "cb7ff8000000000001", to: new(int64), err: "msgpack: float NaN does not fit int64"},
		{name: "2a_02_inf_into_int64", digits: "cb7ff0000000000000", to: new(int64), err: "msgpack: float +Inf does not fit int64"},
		{name: "2a_02_minus_inf_into_uint64", digits: "cbfff0000000000000", to: new(uint64), err: "msgpack: float -Inf does not fit uint64"},
		{name: "2a_02_fraction_into_int64", digits: "cb40091eb851eb851f", to: new(int64), err: "msgpack: float 3.14 does not fit int64"},
		{name: "2a_02_minus_one_into_uint64", digits: "cbbff0000000000000", to: new(uint64), err: "msgpack: float -1 does not fit uint64"},
		{name: "2a_02_too_large_into_int64", digits: "cb43e0000000000000", to: new(int64), err: "msgpack: float 9.223372036854776e+18 does not fit int64"},
		{name: "2a_02_too_large_into_uint64", digits: "cb43f0000000000000", to: new(uint64), err: "msgpack: float 1.8446744073709552e+19 does not fit uint64"},
		{name: "2a_12_float64_into_float32", digits: "cb40091eb851eb851f", to: new(float32), want: pointerTo(float32(3.14))},
		{name: "2a_12_max_float64_into_float32", digits: "cb7fefffffffffffff", to: new(float32), err: "msgpack: float 1.7976931348623157e+308 does not fit float32"},
		{name: "2a_21b_list_that_holds_a_string", digits: "91a179", to: &[]any{"x"}, want: &[]any{"y"}},
		{name: "2a_10_text_by_str", digits: "a16b", to: new(both), want: &both{"text k"}},
		{name: "2a_10_binary_by_bin", digits: "c4016b", to: new(both), want: &both{"binary k"}},
		{name: "2a_63_bin32_of_one_byte", digits: "c6ffffffff78", to: new([]byte), err: "unexpected EOF"},
		{name: "2a_63_bin32_in_a_field", digits: "81a142c6ffffffff78", to: new(struct{ B []byte }), err: "unexpected EOF"},
	} {
		b.run(t)
	}

	t.Run("2a_flag_no_alloc_limit", func(t *testing.T) {
		data := append([]byte{msgpwire.Array32, 0, 0x1e, 0x84, 0x80}, make([]byte, 2_000_000)...)
		d := newDecoder()
		d.ResetBytes(data)
		d.DisableAllocLimit(true)
		var v []int32
		if err := d.Decode(&v); err != nil || len(v) != 2_000_000 || cap(v) >= 2_100_000 {
			t.Errorf("%d of %d, %v: room is not made at once", len(v), cap(v), err)
		}
	})

	t.Run("2a_03_methods_of_pointers_on_values", func(t *testing.T) {
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

	t.Run("2a_15_reflect_values", func(t *testing.T) {
		wantHex(t, map[string]any{"a": reflect.ValueOf(42)}, "81a1612a")
		wantHex(t, map[string]any{"a": reflect.Value{}}, "81a161c0")
		wantHex(t, []any{reflect.ValueOf(uintptr(42)), uintptr(42)}, "922a2a")
		wantHex(t, reflect.ValueOf(&hiddenState{}).Elem(), "80")
		_, err := Marshal([]any{reflect.ValueOf(hiddenState{1}).Field(0)})
		if text(err) != "msgpack: Encode(unexported field of type int)" {
			t.Error(err)
		}
		d := newDecoder()
		d.ResetBytes([]byte{1})
		if err := d.DecodeValue(reflect.Value{}); text(err) != "msgpack: Decode(nil)" {
			t.Error(err)
		}
	})

	t.Run("2a_22_errors_that_write_themselves", func(t *testing.T) {
		type holder struct{ E error }
		for _, c := range []struct {
			e    error
			want string
		}{
			{customError{7}, "07"}, {&customError{7}, "07"}, {ownError{7}, "07"}, {&binaryError{7}, "c40107"}, {textError{7}, "c40107"},
			{errors.New("boom"), "a4626f6f6d"}, {readTooError{7}, "a472656164"}, {&readTooError{7}, "a472656164"}, {nil, "c0"},
		} {
			wantHex(t, holder{c.e}, "81a145"+c.want)
			wantHex(t, []error{c.e}, "91"+c.want)
		}
	})

	t.Run("2a_06_unexported_state_is_not_empty", func(t *testing.T) {
		type holder struct {
			Inner secret `msgpack:",omitempty"`
		}
		wantHex(t, holder{secret{hidden: 1}}, "81a5496e6e657280")
		wantHex(t, holder{}, "80")
	})

	t.Run("2a_58_omitted_fields_are_not_written", func(t *testing.T) {
		type inner struct {
			A int            `msgpack:",omitempty"`
			M map[string]any `msgpack:",omitempty"`
		}
		type outer struct {
			One inner            `msgpack:",omitempty"`
			Two inner            `msgpack:",omitempty"`
			By  map[string]inner `msgpack:",omitempty"`
			End int
		}
		v := outer{Two: inner{A: 1, M: map[string]any{"x": inner{}}}, By: map[string]inner{"k": {}}}
		want := "83 a354776f 82 a141 01 a14d 81 a178 80 a24279 81 a16b 80 a3456e64 00"
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for range 50 {
					wantHex(t, &v, want)
					if _, err := Marshal([]any{v, outer{Two: inner{M: map[string]any{"f": func() {}}}}}); err == nil {
						t.Error("no error")
					}
				}
			})
		}
		all.Wait()
	})

	t.Run("2a_60_append_behind_what_is_there", func(t *testing.T) {
		dst := make([]byte, 3, 64)
		copy(dst, "abc")
		out, err := MarshalAppend(dst, []int{1, 2})
		if err != nil || string(out) != "abc\x92\x01\x02" || &out[0] != &dst[0] {
			t.Errorf("%q, %v", out, err)
		}
		if out, err = MarshalAppend(dst, []any{1, func() {}}); err == nil || string(out) != "abc" {
			t.Errorf("%q, %v", out, err)
		}
	})

	t.Run("2a_60_sorted_maps_within_sorted_maps", func(t *testing.T) {
		inner := func(n int) any {
			m := map[string]any{}
			for i := range n {
				m[string(rune('a'+i))] = map[string]any{"z": i, "y": map[string]any{"q": 1, "p": 2}}
			}
			return m
		}
		var a, b bytes.Buffer
		e := NewEncoder(&a).SetSortMapKeys(true)
		if err := e.Encode(map[string]any{"x": inner(20), "f": func() {}, "w": inner(3)}); err == nil {
			t.Error("no error")
		}
		e.ResetWriter(&b)
		if err := e.Encode(map[string]any{"b": inner(2), "a": inner(1)}); err != nil {
			t.Fatal(err)
		}
		leaf := "82 a179 82 a170 02 a171 01 a17a"
		if want := unhex(t, "82 a161 81 a161"+leaf+"00 a162 82 a161"+leaf+"00 a162"+leaf+"01"); !bytes.Equal(b.Bytes(), want) {
			t.Errorf("%x, want %x", b.Bytes(), want)
		}
	})

	t.Run("2a_60_decodes_share_nothing", func(t *testing.T) {
		type record struct {
			P *int
			L []int
			M map[string][]string
			B []byte
			A any
		}
		data := unhex(t, "85 a150 01 a14c 92 01 02 a14d 81 a16b 91 a161 a142 c402 0102 a141 92 cd0100 a178")
		var all []record
		for range 3 {
			var r record
			if err := Unmarshal(data, &r); err != nil {
				t.Fatal(err)
			}
			all = append(all, r)
		}
		*all[0].P, all[0].L[0], all[0].M["k"][0], all[0].B[0], all[0].A.([]any)[0] = 9, 9, "9", 9, 9
		for _, r := range all[1:] {
			if !bytes.Equal(marshal(t, &r), marshal(t, &all[1])) || *r.P != 1 || r.L[0] != 1 || r.M["k"][0] != "a" || r.B[0] != 1 || r.A.([]any)[0] != uint16(256) {
				t.Errorf("%+v", r)
			}
		}
	})

	t.Run("2a_65_values_of_maps_share_nothing", func(t *testing.T) {
		type cell struct{ S []string }
		var m map[int]cell
		if err := Unmarshal(unhex(t, "82 01 81 a153 92 a161 a162 02 81 a153 91 a163"), &m); err != nil {
			t.Fatal(err)
		}
		_ = append(m[1].S[:0], "overwritten", "overwritten")
		if m[2].S[0] != "c" || len(m[2].S) != 1 {
			t.Error(m)
		}
	})

	t.Run("2a_57_peek_after_every_call", func(t *testing.T) {
		for method, digits := range map[string]string{"nil": "c0", "bool": "c3", "int": "cd0100", "uint8": "07", "float64": "cb3ff0000000000000", "float32": "07",
			"string": "a161", "bytes": "c40161", "time": "d6ff00000001", "array": "90", "map": "80", "length": "a0", "ext": "c70005", "any": "91a161", "loose": "cc01",
			"raw": "920102", "skip": "81a16101", "slice": "9101", "mapping": "81a16101", "duration": "01"} {
			data := append(unhex(t, digits), 0x2a)
			for name, d := range map[string]*Decoder{"bufio": NewDecoder(bufio.NewReader(bytes.NewReader(data))), "plain": NewDecoder(struct{ io.Reader }{bytes.NewReader(data)})} {
				if _, err := lowLevel[method](d); err != nil {
					t.Errorf("%s, %s: %v", method, name, err)
				}
				for range 2 {
					if c, err := d.PeekCode(); c != 0x2a || err != nil {
						t.Errorf("%s, %s: %x, %v", method, name, c, err)
					}
				}
				if v, err := d.DecodeInt(); v != 0x2a || err != nil {
					t.Errorf("%s, %s: %d, %v", method, name, v, err)
				}
				if _, err := d.PeekCode(); err != io.EOF {
					t.Errorf("%s, %s: %v", method, name, err)
				}
			}
		}
	})

	t.Run("2a_63_bombs_in_a_stream", func(t *testing.T) {
		bomb := unhex(t, "c6ffffffff78")
		for name, read := range map[string]func(d *Decoder) error{
			"DecodeBytes":  func(d *Decoder) error { _, err := d.DecodeBytes(); return err },
			"DecodeString": func(d *Decoder) error { _, err := d.DecodeString(); return err },
			"DecodeRaw":    func(d *Decoder) error { _, err := d.DecodeRaw(); return err },
			"Decode":       func(d *Decoder) error { return d.Decode(new([]byte)) },
			"field":        func(d *Decoder) error { return d.Decode(&struct{ B []byte }{}) },
			"any":          func(d *Decoder) error { return d.Decode(new(any)) },
			"binary":       func(d *Decoder) error { return d.Decode(new(binaried)) },
			"array":        func(d *Decoder) error { return d.Decode(new([8]byte)) },
		} {
			data := bomb
			if name == "field" {
				data = append([]byte{0x81, 0xa1, 'B'}, bomb...)
			}
			var err error
			if got := allocated(func() { err = read(NewDecoder(struct{ io.Reader }{bytes.NewReader(data)})) }); got > 64<<10 || !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%s: %d bytes allocated, %v", name, got, err)
			}
		}
	})
}

// A large message leaves no large buffer in a pool, and the next small message is correct (2a_19,
// 2a_62).
func TestPoolsDropLargeBuffers(t *testing.T) {
	big := make([]byte, 1<<20)
	for range 20 {
		e, d := GetEncoder(), GetDecoder()
		var out bytes.Buffer
		e.Reset(&out)
		if err := e.Encode(big); err != nil {
			t.Fatal(err)
		}
		d.Reset(struct{ io.Reader }{&out})
		if b, err := d.DecodeBytes(); err != nil || len(b) != len(big) {
			t.Fatal(len(b), err)
		}
		PutEncoder(e)
		PutDecoder(d)
		if cap(e.b) > ownMax || cap(d.own) > ownMax || cap(d.b) > ownMax || d.r != nil || e.w != nil {
			t.Fatal("a pool keeps a large buffer, or what it was for")
		}
		if b := marshal(t, big); len(b) != len(big)+5 || !bytes.Equal(marshal(t, 7), []byte{7}) {
			t.Fatal(len(b))
		}
	}
	m := marshalers.Get().(*Encoder)
	if m.b != nil || m.err != nil || m.depth != 0 {
		t.Error("Marshal leaves something in its encoder")
	}
}
