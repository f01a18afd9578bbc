package msgpack

import (
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/internal/corpus"
)

// Values of every kind are encoded correctly, and decode to the same value.
func TestKinds(t *testing.T) {
	type i8 int8
	type u64 uint64
	type text string
	type list []int
	type table map[text]i8
	for _, c := range []struct {
		v    any
		want string
	}{
		{true, "c3"}, {false, "c2"},
		{0, "00"}, {127, "7f"}, {128, "cc80"}, {255, "ccff"}, {256, "cd0100"}, {65535, "cdffff"}, {65536, "ce00010000"}, {math.MaxInt32, "ce7fffffff"},
		{-1, "ff"}, {-32, "e0"}, {-33, "d0df"}, {-128, "d080"}, {-129, "d1ff7f"}, {-32768, "d18000"}, {-32769, "d2ffff7fff"}, {math.MinInt32, "d280000000"},
		{int8(1), "d001"}, {int16(1), "d10001"}, {int32(1), "d200000001"}, {int64(1), "d30000000000000001"}, {int64(math.MinInt64), "d38000000000000000"},
		{uint(300), "cd012c"}, {uint8(1), "cc01"}, {uint16(1), "cd0001"}, {uint32(1), "ce00000001"}, {uint64(1), "cf0000000000000001"},
		{uint64(math.MaxUint64), "cfffffffffffffffff"}, {uintptr(300), "cd012c"},
		{float32(1.5), "ca3fc00000"}, {1.5, "cb3ff8000000000000"}, {math.Inf(-1), "cbfff0000000000000"},
		{"", "a0"}, {"abc", "a3616263"}, {[]byte{}, "c400"}, {[]byte{1}, "c40101"}, {[3]byte{1, 2, 3}, "c403010203"}, {[0]byte{}, "c400"},
		{[]int{}, "90"}, {[]int{1, 2}, "920102"}, {[2]int{1, 2}, "920102"}, {[]int8{1}, "91d001"}, {[]bool{true}, "91c3"}, {[]string{"a"}, "91a161"},
		{[]int64{1}, "91d30000000000000001"}, {[]float64{1}, "91cb3ff0000000000000"}, {[][]byte{{1}, nil}, "92c40101c0"},
		{map[string]int{}, "80"}, {map[string]int{"a": 1}, "81a16101"}, {map[int]bool{1: true}, "8101c3"}, {map[[2]int]string{{1, 2}: "a"}, "81920102a161"},
		{map[string]string{"a": "b"}, "81a161a162"}, {map[string]bool{"a": true}, "81a161c3"}, {map[string]float64{"a": 1}, "81a161cb3ff0000000000000"},
		{map[string]int64{"a": 1}, "81a161d30000000000000001"}, {map[bool]any{true: nil}, "81c3c0"},
		{i8(1), "d001"}, {u64(1), "cf0000000000000001"}, {text("a"), "a161"}, {list{1}, "9101"}, {table{"a": 1}, "81a161d001"}, {named{1}, "c40101"},
		{time.Second, "d3000000003b9aca00"}, {[]time.Duration{1}, "91d30000000000000001"}, {[]u64{1}, "91cf0000000000000001"}, {[]text{"a"}, "91a161"},
		{struct {
			A int
			b int
			C *int
		}{A: 1}, "82a14101a143c0"},
		{[]struct{}{{}, {}}, "928080"}, {[]*int{pointerTo(1), nil}, "9201c0"}, {pointerTo(pointerTo(5)), "05"},
	} {
		wantHex(t, c.v, c.want)
		back := reflect.New(reflect.TypeOf(c.v))
		if err := into(t, c.want, back.Interface()); err != nil || !reflect.DeepEqual(back.Elem().Interface(), c.v) {
			t.Errorf("%T %v became %v, %v", c.v, c.v, back.Elem(), err)
		}
	}
	for _, v := range []any{nil, (*int)(nil), []int(nil), []byte(nil), []string(nil), []int64(nil), []float64(nil), map[string]int(nil), map[int]int(nil), map[string]any(nil),
		[]any(nil), (*pair)(nil), (*time.Time)(nil), reflect.Value{}, reflect.ValueOf((*int)(nil)), error(nil)} {
		wantHex(t, v, "c0")
	}
	wantHex(t, map[string]any{"a": reflect.ValueOf(42)}, "81a1612a")
}

// Random values of the corpus types survive a round trip.
func TestRoundTrips(t *testing.T) {
	for seed := range uint64(200) {
		r := corpus.New(seed)
		for _, zero := range corpus.Types() {
			typ := reflect.TypeOf(zero).Elem()
			v, back := reflect.New(typ), reflect.New(typ)
			corpus.Fill(r, v.Elem(), 0)
			data := marshal(t, v.Interface())
			if cap(data) != len(data) {
				t.Fatalf("Marshal leaves room for %d bytes", cap(data)-len(data))
			}
			if err := Unmarshal(data, back.Interface()); err != nil {
				t.Fatalf("seed %d, %v: %+v", seed, typ, err)
			}
			again := marshal(t, back.Interface())
			if len(again) != len(data) {
				t.Fatalf("seed %d, %v: %d bytes, then %d", seed, typ, len(data), len(again))
			}
			if skip(data, 0) != len(data) {
				t.Fatalf("seed %d, %v: skip went to %d of %d", seed, typ, skip(data, 0), len(data))
			}
		}
	}
}

// Strings, bytes, lists and maps are encoded and decoded correctly near the lengths at which the
// encoding changes.
func TestLengths(t *testing.T) {
	for _, n := range []int{0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 255, 256, 65535, 65536} {
		text, raw, list, table := string(make([]byte, n)), make([]byte, n), make([]int, n), make(map[int]bool, n)
		for i := range n {
			table[i] = true
		}
		for _, v := range []any{text, raw, list, table, make([]string, n), make([]int64, n), make([]float64, n), make([]bool, n)} {
			back := reflect.New(reflect.TypeOf(v))
			data := marshal(t, v)
			if err := Unmarshal(data, back.Interface()); err != nil || !reflect.DeepEqual(back.Elem().Interface(), v) {
				t.Errorf("%T of %d: %v", v, n, err)
			}
			if n > 300 {
				continue
			}
			for cut := range data {
				if err := Unmarshal(data[:cut], back.Interface()); err == nil {
					t.Fatalf("%T of %d cut at %d: no error", v, n, cut)
				}
			}
		}
	}
}

// hiddenState is a struct without exported fields.
type hiddenState struct{ n int }

type tripleAlias [3]byteAlias

// Values of unusual kinds are encoded and decoded. In v5, some of them panic.
func TestUnusualKinds(t *testing.T) {
	t.Run("uintptr_is_encoded_and_decoded", func(t *testing.T) {
		wantHex(t, struct{ P uintptr }{300}, "81a150cd012c")
		wantHex(t, []uintptr{1}, "9101")
		var v map[string]uintptr
		if err := into(t, "81a161cd012c", &v); err != nil || v["a"] != 300 {
			t.Error(v, err)
		}
	})

	t.Run("arrays_of_named_bytes_are_bin", func(t *testing.T) {
		wantHex(t, tripleAlias{1, 2, 3}, "c403010203")
		wantHex(t, map[string]tripleAlias{"a": {1, 2, 3}}, "81a161c403010203")
		wantHex(t, []any{tripleAlias{1, 2, 3}}, "91c403010203")
		wantHex(t, struct{ A tripleAlias }{tripleAlias{1, 2, 3}}, "81a141c403010203")
	})

	t.Run("reflect_values_are_encoded_as_their_content", func(t *testing.T) {
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
}

// An integer in an any has the Go type of its encoding.
func TestIntsKeepTheirType(t *testing.T) {
	for _, c := range []decodeCase{
		{name: "signed_ints_keep_their_type_in_an_any", digits: "95 ff d0ff d1ffff d2ffffffff d3ffffffffffffffff", to: new(any),
			want: pointerTo(any([]any{int8(-1), int8(-1), int16(-1), int32(-1), int64(-1)}))},
		{name: "unsigned_ints_keep_their_type_in_an_any", digits: "94 ccff cdffff ceffffffff cfffffffffffffffff", to: new(any),
			want: pointerTo(any([]any{uint8(255), uint16(65535), uint32(math.MaxUint32), uint64(math.MaxUint64)}))},
	} {
		c.run(t)
	}
}
