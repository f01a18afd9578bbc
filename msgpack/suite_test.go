package msgpack

// These tests follow the specification, in the groups of the msgpack-test-suite. The file
// ../vectors/msgpack.txt contains the values in every form that the specification allows, and
// TestVectors decodes each form. The tests here decode them into every type that fits, and check
// that each value is encoded in one of its forms.

import (
	"bytes"
	"io"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/internal/corpus"
	"github.com/slipstream-go/slipstream/internal/msgpwire"
)

// groups contains the values of the suite in the notation of the vectors, each with its number of
// forms there.
var groups = map[string]map[string]int{
	"nil":    {"null": 1},
	"bool":   {"true": 1, "false": 1},
	"binary": {`{"$bin": ""}`: 3, `{"$bin": "01"}`: 3, `{"$bin": "00ff"}`: 3},
	"positive": {"0": 9, "1": 9, "127": 9, "128": 7, "255": 7, "256": 6, "65535": 5, "65536": 4, "2147483647": 4, "2147483648": 3, "4294967295": 3,
		"0.0": 2, "1.0": 2, "127.0": 2, "128.0": 2, "255.0": 2, "256.0": 2, "65535.0": 2, "65536.0": 2},
	"negative": {"-1": 5, "-32": 5, "-33": 4, "-128": 4, "-256": 3, "-32768": 3, "-65536": 2, "-2147483648": 2, "-1.0": 2, "-32.0": 2, "-65536.0": 2},
	"float":    {"0.5": 2, "-0.5": 2},
	"bignum": {"4294967296": 2, "-4294967296": 1, "281474976710656": 2, "-281474976710656": 1, "9223372036854775807": 2, "-9223372036854775807": 1,
		"9223372036854775808": 1, "-9223372036854775808": 1, "18446744073709551615": 1},
	"ascii":     {`""`: 4, `"a"`: 4, `"1234567890123456789012345678901"`: 4, `"12345678901234567890123456789012"`: 3},
	"utf8":      {`"Кириллица"`: 4, `"ひらがな"`: 4, `"한글"`: 4, `"汉字"`: 4, `"漢字"`: 4},
	"emoji":     {`"❤"`: 4, `"🍺"`: 4},
	"array":     {"[]": 3, "[1]": 3, "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]": 3, "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]": 2, `["a"]`: 3},
	"map":       {"{}": 3, `{"a": 1}`: 3, `{"a": "A"}`: 3},
	"nested":    {"[[]]": 3, "[{}]": 3, `{"a": {}}`: 3, `{"a": []}`: 3},
	"timestamp": {`{"$time": [0, 0]}`: 1, `{"$time": [0, 1]}`: 1, `{"$time": [-1, 0]}`: 1, `{"$time": [-1, 999999999]}`: 1, `{"$time": [1514862245, 678901234]}`: 1},
}

func TestSuite(t *testing.T) {
	forms := map[string][][]byte{}
	for _, v := range vectors(t) {
		if v.Mark != '!' {
			forms[v.Value] = append(forms[v.Value], v.Bytes)
		}
	}
	for group, values := range groups {
		t.Run(group, func(t *testing.T) {
			for value, want := range values {
				if len(forms[value]) < want {
					t.Errorf("%s stands there in %d forms, not in %d", value, len(forms[value]), want)
				}
				for _, form := range forms[value] {
					checkForm(t, value, form, forms[value])
				}
			}
		})
	}
	t.Run("ext", testExtForms)
}

// checkForm decodes one form of a value, and checks that the value is encoded in one of its forms.
func checkForm(t *testing.T, value string, form []byte, all [][]byte) {
	var v any
	if err := Unmarshal(form, &v); err != nil || corpus.Note(v) != value {
		t.Errorf("%x: %s, %v; want %s", form, corpus.Note(v), err, value)
	}
	for _, short := range []bool{false, true} {
		if nested := strings.ContainsAny(value[:1], "[{") && !strings.Contains(value, "$"); nested && !short {
			continue // ints in a list or map are encoded with the width of their type
		}
		var out bytes.Buffer
		e := NewEncoder(&out)
		e.UseCompactInts(short)
		if err := e.Encode(v); err != nil || !slices.ContainsFunc(all, func(b []byte) bool { return bytes.Equal(b, out.Bytes()) }) {
			t.Errorf("%s is written as %x, %v", value, out.Bytes(), err)
		}
	}
	if next := skip(form, 0); next != len(form) {
		t.Errorf("%x: skip went to %d", form, next)
	}
	switch v := v.(type) {
	case string, []byte:
		var s string
		var b []byte
		if err := Unmarshal(form, &s); err != nil || Unmarshal(form, &b) != nil || s != string(b) {
			t.Errorf("%x: %q and %q, %v", form, s, b, err)
		}
	case time.Time:
		d := newDecoder()
		d.ResetBytes(form)
		if at, err := d.DecodeTime(); err != nil || !at.Equal(v) {
			t.Errorf("%x: %v, %v", form, at, err)
		}
	}
	if number, ok := new(big.Float).SetPrec(64).SetString(value); ok {
		checkNumber(t, form, number)
	}
}

// checkNumber decodes a number into the types that it fits.
func checkNumber(t *testing.T, form []byte, want *big.Float) {
	var f32 float32
	var f64 float64
	wantFloat, _ := want.Float64()
	if err := Unmarshal(form, &f64); err != nil || f64 != wantFloat {
		t.Errorf("%x: %v, %v; want %v", form, f64, err, wantFloat)
	}
	if err := Unmarshal(form, &f32); err != nil || f32 != float32(wantFloat) {
		t.Errorf("%x: %v, %v; want %v", form, f32, err, wantFloat)
	}
	if !want.IsInt() {
		if err := Unmarshal(form, new(int)); err == nil {
			t.Errorf("%x has a fraction, and is read as an int", form)
		}
		return
	}
	if n, exact := want.Int64(); exact == big.Exact {
		var i64 int64
		var i32 int32
		var i16 int16
		var i8 int8
		if err := Unmarshal(form, &i64); err != nil || i64 != n {
			t.Errorf("%x: %d, %v; want %d", form, i64, err, n)
		}
		if n == int64(int32(n)) && (Unmarshal(form, &i32) != nil || int64(i32) != n) ||
			n == int64(int16(n)) && (Unmarshal(form, &i16) != nil || int64(i16) != n) ||
			n == int64(int8(n)) && (Unmarshal(form, &i8) != nil || int64(i8) != n) {
			t.Errorf("%x: %d, %d, %d; want %d", form, i32, i16, i8, n)
		}
	}
	if n, exact := want.Uint64(); exact == big.Exact {
		var u64 uint64
		var u32 uint32
		var u16 uint16
		var u8 uint8
		if err := Unmarshal(form, &u64); err != nil || u64 != n {
			t.Errorf("%x: %d, %v; want %d", form, u64, err, n)
		}
		if n == uint64(uint32(n)) && (Unmarshal(form, &u32) != nil || uint64(u32) != n) ||
			n == uint64(uint16(n)) && (Unmarshal(form, &u16) != nil || uint64(u16) != n) ||
			n == uint64(uint8(n)) && (Unmarshal(form, &u8) != nil || uint64(u8) != n) {
			t.Errorf("%x: %d, %d, %d; want %d", form, u32, u16, u8, n)
		}
	}
}

// testExtForms decodes ext values of every length, and encodes their headers.
func testExtForms(t *testing.T) {
	for _, c := range []struct {
		id      int8
		data    string
		forms   []string // of the header
		written int      // index of the form that the encoder uses
	}{
		{1, "10", []string{"d401", "c70101", "c8000101", "c90000000101"}, 0},
		{2, "2021", []string{"d502", "c70202", "c8000202", "c90000000202"}, 0},
		{3, "30313233", []string{"d603", "c70403", "c8000403", "c90000000403"}, 0},
		{4, "4041424344454647", []string{"d704", "c70804", "c8000804", "c90000000804"}, 0},
		{5, "505152535455565758595a5b5c5d5e5f", []string{"d805", "c71005", "c8001005", "c90000001005"}, 0},
		{6, "", []string{"c70006", "c8000006", "c90000000006"}, 0},
		{7, "707172", []string{"c70307", "c8000307", "c90000000307"}, 0},
		{-128, strings.Repeat("7a", 255), []string{"c7ff80", "c800ff80", "c9000000ff80"}, 0},
		{127, strings.Repeat("7a", 256), []string{"c801007f", "c9000001007f"}, 0},
		{8, strings.Repeat("7a", 65536), []string{"c90001000008"}, 0},
	} {
		data := unhex(t, c.data)
		for i, head := range c.forms {
			for name, d := range sources(append(unhex(t, head), data...)) {
				id, n, err := d.DecodeExtHeader()
				got := make([]byte, n)
				if err == nil {
					err = d.ReadFull(got)
				}
				if err != nil || id != c.id || !bytes.Equal(got, data) {
					t.Errorf("%s from %s: ext %d of %d bytes, %v", head, name, id, n, err)
				}
				if _, err := d.PeekCode(); err != io.EOF {
					t.Errorf("%s from %s: %v", head, name, err)
				}
			}
			var out bytes.Buffer
			if err := NewEncoder(&out).EncodeExtHeader(c.id, len(data)); err != nil || i == c.written && !bytes.Equal(out.Bytes(), unhex(t, head)) {
				t.Errorf("ext %d of %d bytes: %x, %v; want %s", c.id, len(data), out.Bytes(), err, head)
			}
		}
	}
}

// Times over the whole range are encoded and decoded, by ext and by methods.
func TestTimesOfEveryYear(t *testing.T) {
	edges := []int64{math.MinInt64, -62167219200, -62135596800, -1 << 34, -1 << 32, -1 << 31, -1, 0, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, 1<<34 - 1, 1 << 34, 253402300799, math.MaxInt64}
	for _, secs := range edges {
		for _, ns := range []int64{0, 1, 999999999} {
			at := time.Unix(secs, ns)
			form, want := marshal(t, at), 15
			switch {
			case secs >= 0 && secs < 1<<32 && ns == 0:
				want = 6
			case secs >= 0 && secs < 1<<34:
				want = 10
			}
			var back time.Time
			var x any
			if err := Unmarshal(form, &back); err != nil || back.Unix() != secs || back.Nanosecond() != int(ns) || len(form) != want {
				t.Errorf("%d s, %d ns: %x, %d s, %d ns, %v; want %d bytes", secs, ns, form, back.Unix(), back.Nanosecond(), err, want)
			}
			if err := Unmarshal(form, &x); err != nil || !x.(time.Time).Equal(at) {
				t.Errorf("%d s, %d ns: %v, %v", secs, ns, x, err)
			}
		}
	}
}

// Each form with a length may claim one element more than the input contains, or up to the largest
// number of a machine. Each claim results in the error for the end of the input, from every source,
// for every kind of target.
func TestClaims(t *testing.T) {
	for _, f := range []struct {
		code  byte
		width int
		tail  string // the part of the payload in the input
	}{
		{msgpwire.Str8, 1, "6161"}, {msgpwire.Str16, 2, "6161"}, {msgpwire.Str32, 4, "6161"}, {msgpwire.Bin8, 1, "6161"}, {msgpwire.Bin16, 2, "6161"}, {msgpwire.Bin32, 4, "6161"},
		{msgpwire.Ext8, 1, "056161"}, {msgpwire.Ext16, 2, "056161"}, {msgpwire.Ext32, 4, "056161"}, {msgpwire.Array16, 2, "c0c0"}, {msgpwire.Array32, 4, "c0c0"}, {msgpwire.Map16, 2, "a0c0"}, {msgpwire.Map32, 4, "a0c0"},
	} {
		counts := []uint64{3, 0x7f, 0xff}
		if f.width > 1 {
			counts = append(counts, 0x100, 0x7fff, 0x8000, 0xffff)
		}
		if f.width > 2 {
			counts = append(counts, 0x10000, 0x3fffffff, 0x40000000, 0x7ffffff0, 0x7ffffffa, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffff0, 0xfffffffb, 0xffffffff)
		}
		for _, n := range counts {
			data := []byte{f.code}
			for shift := 8 * (f.width - 1); shift >= 0; shift -= 8 {
				data = append(data, byte(n>>shift))
			}
			data = append(data, unhex(t, f.tail)...)
			if next := skip(data, 0); next >= 0 {
				t.Errorf("%x: skip went to %d", data, next)
			}
			for _, to := range []any{new(any), new(RawMessage), new(keeper), new(struct{}), new([]any), new([]struct{}), new([]int64), new([]*int), new(map[string]any), new(map[string]*int), new(map[any]any), new(string), new([]byte), new([3]byte), new(textual)} {
				for from, d := range sources(data) {
					err := d.Decode(to)
					_, untyped := to.(*any)
					if err == nil || untyped && !strings.HasSuffix(err.Error(), "EOF") {
						t.Errorf("%x into %T from %s: %v", data, to, from, err)
					}
				}
			}
		}
	}
}
