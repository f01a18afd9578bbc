package msgpack

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/internal/msgpwire"
)

// lowLevel contains each Decode method for one value, by the name that the tests use.
var lowLevel = map[string]func(*Decoder) (any, error){
	"nil":     func(d *Decoder) (any, error) { return nil, d.DecodeNil() },
	"bool":    func(d *Decoder) (any, error) { return d.DecodeBool() },
	"int":     func(d *Decoder) (any, error) { return d.DecodeInt() },
	"int8":    func(d *Decoder) (any, error) { return d.DecodeInt8() },
	"int16":   func(d *Decoder) (any, error) { return d.DecodeInt16() },
	"int32":   func(d *Decoder) (any, error) { return d.DecodeInt32() },
	"int64":   func(d *Decoder) (any, error) { return d.DecodeInt64() },
	"uint":    func(d *Decoder) (any, error) { return d.DecodeUint() },
	"uint8":   func(d *Decoder) (any, error) { return d.DecodeUint8() },
	"uint16":  func(d *Decoder) (any, error) { return d.DecodeUint16() },
	"uint32":  func(d *Decoder) (any, error) { return d.DecodeUint32() },
	"uint64":  func(d *Decoder) (any, error) { return d.DecodeUint64() },
	"float32": func(d *Decoder) (any, error) { return d.DecodeFloat32() },
	"float64": func(d *Decoder) (any, error) { return d.DecodeFloat64() },
	"string":  func(d *Decoder) (any, error) { return d.DecodeString() },
	"bytes":   func(d *Decoder) (any, error) { return d.DecodeBytes() },
	"time":    func(d *Decoder) (any, error) { return d.DecodeTime() },
	"array":   func(d *Decoder) (any, error) { return d.DecodeArrayLen() },
	"map":     func(d *Decoder) (any, error) { return d.DecodeMapLen() },
	"length":  func(d *Decoder) (any, error) { return d.DecodeBytesLen() },
	"ext": func(d *Decoder) (any, error) {
		id, n, err := d.DecodeExtHeader()
		return [2]int{int(id), n}, err
	},
	"any":      func(d *Decoder) (any, error) { return d.DecodeInterface() },
	"loose":    func(d *Decoder) (any, error) { return d.DecodeInterfaceLoose() },
	"raw":      func(d *Decoder) (any, error) { return d.DecodeRaw() },
	"skip":     func(d *Decoder) (any, error) { return nil, d.Skip() },
	"slice":    func(d *Decoder) (any, error) { return d.DecodeSlice() },
	"mapping":  func(d *Decoder) (any, error) { return d.DecodeMap() },
	"duration": func(d *Decoder) (any, error) { return d.DecodeDuration() },
	"peek":     func(d *Decoder) (any, error) { return d.PeekCode() },
}

// Each Decode method returns the right value or error, and the same from every source.
func TestDecodeMethods(t *testing.T) {
	for _, c := range []struct {
		method, digits string
		want           any
		err            string
	}{
		{"nil", "c0", nil, ""},
		{"nil", "01", nil, "msgpack: invalid code=1 decoding nil"},
		{"nil", "", nil, "EOF"},
		{"bool", "c3", true, ""},
		{"bool", "c2", false, ""},
		{"bool", "c0", false, ""},
		{"bool", "01", false, "msgpack: invalid code=1 decoding bool"},
		{"bool", "", false, "EOF"},

		{"int", "cd012c", 300, ""},
		{"int", "c0", 0, ""},
		{"int8", "cd012c", int8(44), ""},
		{"int8", "cb c000000000000000", int8(-2), ""},
		{"int8", "cb 4072c00000000000", int8(0), "msgpack: float 300 does not fit int8"},
		{"int16", "ff", int16(-1), ""},
		{"int32", "d3 0000000100000002", int32(2), ""},
		{"int64", "cf ffffffffffffffff", int64(-1), ""},
		{"int64", "cb 4024000000000000", int64(10), ""},
		{"int64", "ca 42280000", int64(42), ""},
		{"int64", "cb 400921fb54442d18", int64(0), "msgpack: float 3.141592653589793 does not fit int64"},
		{"int64", "cb 7ff8000000000001", int64(0), "msgpack: float NaN does not fit int64"},
		{"int64", "cb 7ff0000000000000", int64(0), "msgpack: float +Inf does not fit int64"},
		{"int64", "cb 43e0000000000000", int64(0), "msgpack: float 9.223372036854776e+18 does not fit int64"},
		{"int64", "cb c3e0000000000000", int64(math.MinInt64), ""},
		{"int64", "a161", int64(0), "msgpack: invalid code=a1 decoding int64"},
		{"int64", "", int64(0), "EOF"},
		{"int64", "cd", int64(0), "EOF"},
		{"int64", "cd00", int64(0), "unexpected EOF"},
		{"uint", "c0", uint(0), ""},
		{"uint8", "cd012c", uint8(44), ""},
		{"uint16", "ff", uint16(65535), ""},
		{"uint32", "ce ffffffff", uint32(math.MaxUint32), ""},
		{"uint64", "cf ffffffffffffffff", uint64(math.MaxUint64), ""},
		{"uint64", "ff", uint64(math.MaxUint64), ""},
		{"uint64", "cb bff0000000000000", uint64(0), "msgpack: float -1 does not fit uint64"},
		{"uint64", "cb 43e0000000000000", uint64(1 << 63), ""},
		{"uint64", "cb 43f0000000000000", uint64(0), "msgpack: float 1.8446744073709552e+19 does not fit uint64"},
		{"uint64", "a161", uint64(0), "msgpack: invalid code=a1 decoding uint64"},

		{"float64", "cb 3ff8000000000000", 1.5, ""},
		{"float64", "ca 3fc00000", 1.5, ""},
		{"float64", "ff", -1.0, ""},
		{"float64", "cf ffffffffffffffff", float64(math.MaxUint64), ""},
		{"float64", "c0", 0.0, ""},
		{"float64", "a161", 0.0, "msgpack: invalid code=a1 decoding float64"},
		{"float32", "cb 3ff8000000000000", float32(1.5), ""},
		{"float32", "cb 400921fb54442d18", float32(math.Pi), ""},
		{"float32", "cb 7fefffffffffffff", float32(0), "msgpack: float 1.7976931348623157e+308 does not fit float32"},
		{"float32", "cb 7ff0000000000000", float32(math.Inf(1)), ""},
		{"float32", "a161", float32(0), "msgpack: invalid code=a1 decoding float32"},

		{"string", "a161", "a", ""},
		{"string", "c40161", "a", ""},
		{"string", "c0", "", ""},
		{"string", "01", "", "msgpack: invalid code=1 decoding string/bytes length"},
		{"string", "a261", "", "unexpected EOF"},
		{"string", "a2", "", "EOF"},
		{"bytes", "a161", []byte("a"), ""},
		{"bytes", "c400", []byte{}, ""},
		{"bytes", "c0", []byte(nil), ""},
		{"bytes", "9101", []byte(nil), "msgpack: invalid code=91 decoding string/bytes length"},
		{"bytes", "c6 ffffffff 78", []byte(nil), "unexpected EOF"},
		{"duration", "d3 000000003b9aca00", time.Second, ""},

		{"array", "93", 3, ""},
		{"array", "dc0100", 256, ""},
		{"array", "dd00010000", 65536, ""},
		{"array", "c0", -1, ""},
		{"array", "80", 0, "msgpack: invalid code=80 decoding array length"},
		{"array", "dc01", 0, "unexpected EOF"},
		{"map", "83", 3, ""},
		{"map", "de0100", 256, ""},
		{"map", "df00010000", 65536, ""},
		{"map", "c0", -1, ""},
		{"map", "d70581a1610000000000", 1, ""},
		{"map", "90", 0, "msgpack: unexpected code=90 decoding map length"},
		{"length", "a3616263", 3, ""},
		{"length", "da0100", 256, ""},
		{"length", "c60000ffff", 65535, ""},
		{"length", "c0", -1, ""},
		{"length", "01", 0, "msgpack: invalid code=1 decoding string/bytes length"},
		{"length", "c70305", 0, "msgpack: invalid code=c7 decoding string/bytes length"},
		{"ext", "d4 05 01", [2]int{5, 1}, ""},
		{"ext", "d8 ff", [2]int{-1, 16}, ""},
		{"ext", "c7 03 05", [2]int{5, 3}, ""},
		{"ext", "c8 0100 80", [2]int{-128, 256}, ""},
		{"ext", "c9 00010000 05", [2]int{5, 65536}, ""},
		{"ext", "01", [2]int{}, "msgpack: invalid code=1 decoding ext len"},
		{"ext", "c703", [2]int{}, "unexpected EOF"},

		{"any", "05", int8(5), ""},
		{"any", "c1", nil, "msgpack: unknown code c1 decoding interface{}"},
		{"any", "d40500", nil, "msgpack: unknown ext id=5"},
		{"loose", "05", int64(5), ""},
		{"loose", "cc05", uint64(5), ""},
		{"loose", "d105ff", int64(0x5ff), ""},
		{"loose", "ca 3fc00000", 1.5, ""},
		{"loose", "c40161", "a", ""},
		{"loose", "9105", []any{int8(5)}, ""},
		{"raw", "92 01 a161", RawMessage{0x92, 1, 0xa1, 'a'}, ""},
		{"raw", "92 01", RawMessage(nil), "EOF"},
		{"raw", "c1", RawMessage(nil), "msgpack: unknown code c1"},
		{"skip", "92 01 a161", nil, ""},
		{"skip", "", nil, "EOF"},
		{"skip", "a261", nil, "unexpected EOF"},
		{"slice", "9105", []any{int8(5)}, ""},
		{"slice", "90", []any{}, ""},
		{"slice", "c0", []any(nil), ""},
		{"slice", "80", []any(nil), "msgpack: invalid code=80 decoding array length"},
		{"mapping", "81a16105", map[string]any{"a": int8(5)}, ""},
		{"mapping", "80", map[string]any{}, ""},
		{"mapping", "81c005", map[string]any{"": int8(5)}, ""},
		{"mapping", "c0", map[string]any(nil), ""},
		{"mapping", "8101c0", map[string]any(nil), "msgpack: invalid code=1 decoding string/bytes length"},
		{"peek", "a1", byte(0xa1), ""},
		{"peek", "", byte(0), "EOF"},
	} {
		for name, d := range sources(unhex(t, c.digits)) {
			got, err := lowLevel[c.method](d)
			if text(err) != c.err || err == nil && !reflect.DeepEqual(got, c.want) {
				t.Errorf("%s of %q from %s: %#v, %v; want %#v, %s", c.method, c.digits, name, got, err, c.want, c.err)
			}
		}
	}

	t.Run("only_nested_values_of_DecodeInterface_follow_the_option", func(t *testing.T) {
		d := newDecoder()
		d.ResetBytes(unhex(t, "01 ca3f800000 c40161 91 92 01 ca3f800000 01"))
		d.UseLooseInterfaceDecoding(true)
		for i, want := range []any{int8(1), float32(1), []byte("a"), []any{[]any{int64(1), float64(1)}}} {
			if v, err := d.DecodeInterface(); err != nil || !reflect.DeepEqual(v, want) {
				t.Errorf("value %d: %T %#v, %v", i, v, v, err)
			}
		}
		var v any
		if err := d.Decode(&v); err != nil || v != int64(1) {
			t.Errorf("%T %v, %v", v, v, err)
		}
	})

	t.Run("nested_values_of_DecodeInterfaceLoose_follow_the_option", func(t *testing.T) {
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
}

// The end of the input between values is io.EOF itself. An end within a value is a different error.
func TestEndOfInput(t *testing.T) {
	for method, call := range lowLevel {
		for name, d := range sources(nil) {
			if _, err := call(d); err != io.EOF {
				t.Errorf("%s from %s: %v", method, name, err)
			}
		}
	}
	for _, digits := range []string{"cd", "cd00", "92 01", "a2", "a261", "81 a161", "d6", "d6ff", "c7"} {
		for name, d := range sources(unhex(t, digits)) {
			err := d.Skip()
			var e *Error
			if !errors.As(err, &e) || !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%s from %s: %v", digits, name, err)
			}
		}
	}

	t.Run("EOF_between_values_differs_from_EOF_inside", func(t *testing.T) {
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
}

// PeekCode returns the next code before, between and after values, and consumes nothing.
func TestPeekCode(t *testing.T) {
	data := unhex(t, "01 a161 92 c3 c0")
	for name, d := range sources(data) {
		for i, want := range []byte{0x01, 0xa1, 0x92} {
			for range 3 {
				if c, err := d.PeekCode(); c != want || err != nil {
					t.Errorf("%s, value %d: %x, %v", name, i, c, err)
				}
			}
			if err := d.Skip(); err != nil {
				t.Error(name, err)
			}
		}
		for range 3 {
			if _, err := d.PeekCode(); err != io.EOF {
				t.Error(name, err)
			}
		}
	}

	t.Run("PeekCode_returns_the_next_code_after_every_call", func(t *testing.T) {
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
}

// After a value of the wrong type, a part of which is not yet read, PeekCode returns the code of
// the next value.
func TestPeekCodeAfterFailures(t *testing.T) {
	for _, next := range []string{"03", ""} {
		data := unhex(t, "92 a161 02"+next)
		for name, d := range sources(data) {
			var ints []int
			if err := d.Decode(&ints); err == nil {
				t.Fatal(name, "a string is no int")
			}
			c, err := d.PeekCode()
			if next != "" && (c != 0x03 || err != nil) || next == "" && err != io.EOF {
				t.Errorf("%s, %x: %x, %v", name, data, c, err)
			}
		}
	}
}

// ReadFull reads the bytes after a header.
func TestReadFull(t *testing.T) {
	for name, d := range sources(unhex(t, "c70305 010203 07 a161")) {
		id, n, err := d.DecodeExtHeader()
		b := make([]byte, n)
		if err := errors.Join(err, d.ReadFull(b)); err != nil || id != 5 || !bytes.Equal(b, []byte{1, 2, 3}) {
			t.Errorf("%s: %d %x %v", name, id, b, err)
		}
		if v, err := d.DecodeInt(); v != 7 || err != nil {
			t.Error(name, v, err)
		}
		if err := d.ReadFull(make([]byte, 5)); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Error(name, err)
		}
	}
	for name, d := range sources(nil) {
		if err := errors.Join(d.ReadFull(nil), d.ReadFull([]byte{})); err != nil {
			t.Error(name, err)
		}
		if err := d.ReadFull(make([]byte, 1)); err != io.EOF {
			t.Error(name, err)
		}
	}
}

// Each Encode method writes the right bytes, alone and with the options for compact numbers.
func TestEncodeMethods(t *testing.T) {
	for i, c := range []struct {
		call func(*Encoder) error
		want string
	}{
		{func(e *Encoder) error { return e.EncodeNil() }, "c0"},
		{func(e *Encoder) error { return e.EncodeBool(true) }, "c3"},
		{func(e *Encoder) error { return e.EncodeInt(-33) }, "d0df"},
		{func(e *Encoder) error { return e.EncodeInt(300) }, "cd012c"},
		{func(e *Encoder) error { return e.EncodeUint(1 << 40) }, "cf 0000010000000000"},
		{func(e *Encoder) error { return e.EncodeInt8(1) }, "d001"},
		{func(e *Encoder) error { return e.EncodeInt16(1) }, "d10001"},
		{func(e *Encoder) error { return e.EncodeInt32(-1) }, "d2ffffffff"},
		{func(e *Encoder) error { return e.EncodeInt64(1) }, "d30000000000000001"},
		{func(e *Encoder) error { return e.EncodeUint8(1) }, "cc01"},
		{func(e *Encoder) error { return e.EncodeUint16(1) }, "cd0001"},
		{func(e *Encoder) error { return e.EncodeUint32(1) }, "ce00000001"},
		{func(e *Encoder) error { return e.EncodeUint64(1) }, "cf0000000000000001"},
		{func(e *Encoder) error { return e.EncodeDuration(1) }, "01"}, // the shortest form, as in v5
		{func(e *Encoder) error { return e.Encode(time.Duration(1)) }, "d30000000000000001"},
		{func(e *Encoder) error { return e.EncodeString("a") }, "a161"},
		{func(e *Encoder) error { return e.EncodeBytes(nil) }, "c0"},
		{func(e *Encoder) error { return e.EncodeBytes([]byte{}) }, "c400"},
		{func(e *Encoder) error { return e.EncodeBytesLen(256) }, "c50100"},
		{func(e *Encoder) error { return e.EncodeBytesLen(-1) }, "c0"},
		{func(e *Encoder) error { return e.EncodeArrayLen(16) }, "dc0010"},
		{func(e *Encoder) error { return e.EncodeArrayLen(-1) }, "c0"},
		{func(e *Encoder) error { return e.EncodeMapLen(65536) }, "df00010000"},
		{func(e *Encoder) error { return e.EncodeMapLen(-1) }, "c0"},
		{func(e *Encoder) error { return e.EncodeExtHeader(-2, 3) }, "c703fe"},
		{func(e *Encoder) error { return e.EncodeExtHeader(1, 16) }, "d801"},
		{func(e *Encoder) error { return e.EncodeTime(time.Time{}) }, "c70cff00000000fffffff1886e0900"},
		{func(e *Encoder) error { return e.EncodeMap(nil) }, "c0"},
		{func(e *Encoder) error {
			return e.EncodeMapSorted(map[string]any{"b": 1, "a": map[string]any{"d": 1, "c": 2}})
		},
			"82 a161 82 a163 02 a164 01 a162 01"},
		{func(e *Encoder) error { return e.EncodeMulti(1, "a", nil) }, "01a161c0"},
		{func(e *Encoder) error { return e.EncodeValue(reflect.ValueOf([]int{1})) }, "9101"},
		{func(e *Encoder) error { return e.EncodeValue(reflect.Value{}) }, "c0"},
	} {
		var out bytes.Buffer
		e := NewEncoder(&out)
		if err := c.call(e); err != nil || !bytes.Equal(out.Bytes(), unhex(t, c.want)) {
			t.Errorf("%d: %x, %v; want %s", i, out.Bytes(), err, c.want)
		}
	}
	e := NewEncoder(io.Discard)
	for _, n := range []int{-2, math.MinInt, math.MaxInt} { // on a 32-bit machine, the last length can be encoded
		for name, err := range map[string]error{"array": e.EncodeArrayLen(n), "map": e.EncodeMapLen(n), "bytes": e.EncodeBytesLen(n), "ext": e.EncodeExtHeader(1, n)} {
			if want := fmt.Sprintf("msgpack: a length of %d cannot be written", n); text(err) != want && n != math.MaxInt32 {
				t.Errorf("%s: %v", name, err)
			}
		}
	}

	t.Run("negative_lengths_are_nil_or_rejected", func(t *testing.T) {
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
}

// The options for compact numbers apply to every way in which numbers are encoded.
func TestCompactOptions(t *testing.T) {
	type numbers struct {
		I64 int64
		U64 uint64
		I16 int16
		F32 float32
		F64 float64
	}
	for _, c := range []struct {
		v            any
		ints, floats bool
		want         string
	}{
		{numbers{1, 2, -3, 4, 5}, true, true, "85 a3493634 01 a3553634 02 a3493136 fd a3463332 04 a3463634 05"},
		{[]any{int64(1), uint64(300), int8(1), uint8(1), int16(1), int32(1), uint16(1), uint32(1)}, true, false, "98 01 cd012c 01 01 01 01 01 01"},
		{[]int64{1, 2}, true, false, "92 01 02"},
		{map[string]int64{"a": 1}, true, false, "81 a161 01"},
		{[]float64{1, 1.5}, false, true, "92 01 cb3ff8000000000000"},
		{map[string]float64{"a": 1}, false, true, "81 a161 01"},
		{[]any{1.0, float32(2)}, false, true, "92 01 02"},
		{[]float64{math.Copysign(0, -1), math.Inf(1), 1 << 63, -1 << 63}, false, true,
			"94 cb8000000000000000 cb7ff0000000000000 cb43e0000000000000 d38000000000000000"},
		{math.Float64frombits(0x7ff8000000000001), false, true, "cb7ff8000000000001"},
		{time.Duration(5), true, false, "05"},
	} {
		var out bytes.Buffer
		e := NewEncoder(&out)
		e.UseCompactInts(c.ints)
		e.UseCompactFloats(c.floats)
		if err := e.Encode(c.v); err != nil || !bytes.Equal(out.Bytes(), unhex(t, c.want)) {
			t.Errorf("%v: %x, %v; want %s", c.v, out.Bytes(), err, c.want)
		}
	}

	t.Run("compact_floats_keep_the_sign_of_zero", func(t *testing.T) {
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
}
