package msgpack

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/internal/corpus"
	guarded "github.com/slipstream-go/slipstream/internal/guard"
	"github.com/slipstream-go/slipstream/internal/msgpwire"
)

type (
	word      string
	spelledID int // a key that encodes itself as text
	canonPair struct {
		B int
		A string `msgpack:"a,omitempty"`
	}
	nestedPair struct {
		*canonPair
		Longer float32
	}
	wireShaped struct{ body []byte }
)

func (k spelledID) EncodeMsgpack(e *Encoder) error   { return e.EncodeString(fmt.Sprint("k", int(k))) }
func (w wireShaped) MarshalMsgpack() ([]byte, error) { return w.body, nil }

// canonicalBytes encodes v by every function for a whole value, and checks that the results agree.
func canonicalBytes(t testing.TB, v any) []byte {
	t.Helper()
	o := EncodeOptions{Canonical: true}
	b, err := o.Marshal(v)
	if err != nil {
		t.Fatalf("%T: %v", v, err)
	}
	var stream, pages = new(bytes.Buffer), &Buffer{ReferenceMin: 1}
	prefix, err := o.MarshalAppend([]byte("prefix"), v)
	for _, err := range []error{err, encodeBy(stream, o, v), encodeBy(pages, o, v)} {
		if err != nil {
			t.Fatalf("%T: %v", v, err)
		}
	}
	for name, got := range map[string][]byte{"MarshalAppend": prefix[6:], "Encoder": stream.Bytes(), "Buffer": pages.Next(pages.Len())} {
		if !bytes.Equal(got, b) {
			t.Errorf("%T by %s: %x, not %x", v, name, got, b)
		}
	}
	return b
}

func encodeBy(w interface{ Write([]byte) (int, error) }, o EncodeOptions, v any) error {
	e := NewEncoder(w)
	e.SetOptions(o)
	return e.Encode(v)
}

// Equal values of different Go types have the same canonical encoding.
func TestCanonicalAcrossTypes(t *testing.T) {
	at := time.Unix(1700000000, 5)
	for _, c := range []struct {
		want   string // in hex
		values []any
	}{
		{"82 a2 6b32 02 a3 6b3130 01", []any{ // shorter keys first
			map[string]int{"k10": 1, "k2": 2}, map[any]any{"k10": int8(1), word("k2"): uint64(2)}, map[word]uint16{"k10": 1, "k2": 2},
			map[string]any{"k10": 1, "k2": int64(2)}, map[spelledID]int8{10: 1, 2: 2}, map[any]int{spelledID(10): 1, "k2": 2},
			struct {
				A int8   `msgpack:"k10"`
				B uint64 `msgpack:"k2"`
			}{1, 2},
			RawMessage("\x82\xda\x00\x03k10\xd3\x00\x00\x00\x00\x00\x00\x00\x01\xd9\x02k2\xcc\x02"),
			wireShaped{[]byte("\xdf\x00\x00\x00\x02\xa3k10\x01\xa2k2\x02")},
		}},
		{"84 05 a161 cc80 a162 d0df a163 ff a164", []any{
			map[int]string{5: "a", 128: "b", -33: "c", -1: "d"}, map[int64]any{5: "a", 128: "b", -33: "c", -1: "d"}, map[any]string{uint16(5): "a", int64(128): "b", int8(-33): "c", -1: "d"}, map[int16]word{5: "a", 128: "b", -33: "c", -1: "d"},
		}},
		{"82 a142 01 a161 a178", []any{canonPair{1, "x"}, &canonPair{1, "x"}, map[string]any{"a": "x", "B": 1}, map[any]any{"a": "x", "B": uint8(1)}}},
		{"83 a142 01 a161 a178 a6 4c6f6e676572 cb 3ff8000000000000", []any{
			nestedPair{&canonPair{1, "x"}, 1.5}, map[string]any{"Longer": 1.5, "a": "x", "B": 1}, map[string]any{"Longer": float32(1.5), "a": "x", "B": 1},
		}},
		{"cb 3ff8000000000000", []any{1.5, float32(1.5), []float64{1.5}[0], RawMessage("\xca\x3f\xc0\x00\x00")}},
		{"93 cb 8000000000000000 cb 7ff8000000000000 cb 7ff0000000000000", []any{
			[]float64{math.Copysign(0, -1), math.NaN(), math.Inf(1)}, []float32{float32(math.Copysign(0, -1)), float32(math.NaN()), float32(math.Inf(1))},
			[]any{float32(math.Copysign(0, -1)), math.Float64frombits(0xfff0000000000001), math.Inf(1)},
		}},
		{"97 07 07 07 07 07 ff cf 8000000000000000", []any{
			[]any{int8(7), int64(7), uint8(7), uint64(7), 7, int32(-1), uint64(1 << 63)}, RawMessage("\x97\xd0\x07\xd1\x00\x07\xcd\x00\x07\xce\x00\x00\x00\x07\x07\xd3\xff\xff\xff\xff\xff\xff\xff\xff\xcf\x80\x00\x00\x00\x00\x00\x00\x00"),
		}},
		{"d7ff 00000014 6553f100", []any{at, at.UTC(), RawMessage("\xc7\x0c\xff\x00\x00\x00\x05\x00\x00\x00\x00\x65\x53\xf1\x00"), &at}},
		{"c4 02 0102", []any{[]byte{1, 2}, [2]byte{1, 2}, RawMessage("\xc6\x00\x00\x00\x02\x01\x02")}},
		{"d4 05 09", []any{Ext{5, []byte{9}}, RawMessage("\xc7\x01\x05\x09"), &framedOne{}}},
		{"94 c0 90 80 c400", []any{[]any{[]int(nil), []string{}, map[string]int{}, []byte{}}, []any{nil, []any{}, struct{}{}, RawMessage("\xc5\x00\x00")}}},
		{"82 82a14101a14202 01 82a14101a14203 02", []any{map[struct{ B, A int }]int{{B: 2, A: 1}: 1, {B: 3, A: 1}: 2}, map[any]any{struct{ A, B int8 }{1, 3}: 2, struct{ B, A int }{2, 1}: 1}}},
		{"82 920102 01 920103 02", []any{map[[2]int]int{{1, 3}: 2, {1, 2}: 1}, map[any]int8{[2]int8{1, 2}: 1, [2]uint64{1, 3}: 2}}},
		{"81 a161 82 a162 01 a2 6262 81 a163 02", []any{map[string]any{"a": map[word]any{"bb": map[any]any{"c": 2}, "b": 1}}}},
	} {
		for _, v := range c.values {
			if b := canonicalBytes(t, v); !bytes.Equal(b, unhex(t, c.want)) {
				t.Errorf("%T %v: %x, want %s", v, v, b, c.want)
			}
		}
	}
}

// framedOne encodes an ext: the header by the Encoder, and the data by its writer.
type framedOne struct{}

func (*framedOne) EncodeMsgpack(e *Encoder) error {
	if err := e.EncodeExtHeader(5, 1); err != nil {
		return err
	}
	_, err := e.Writer().Write([]byte{9})
	return err
}

// A random value in canonical form decodes into its own type, or without a type, and encodes to the
// same bytes again. Maps of both kinds and structs are interchangeable.
func TestCanonicalRoundTrip(t *testing.T) {
	for seed := range uint64(300) {
		r := corpus.New(seed)
		for _, zero := range append(corpus.Types(), new(map[int]corpus.Scalars), new([]any), new(map[float64]any)) {
			typ := reflect.TypeOf(zero).Elem()
			v := reflect.New(typ)
			corpus.Fill(r, v.Elem(), 2)
			b := canonicalBytes(t, v.Interface())
			isCanonical(t, b, 0)
			var plain any
			mixed := NewDecoder(bytes.NewReader(b))
			mixed.SetMapDecoder(func(d *Decoder) (any, error) { return d.DecodeUntypedMap() })
			other, err := mixed.DecodeInterface()
			for _, err := range []error{err, Unmarshal(b, &plain), Unmarshal(b, v.Interface())} {
				if err != nil {
					t.Fatal(err)
				}
			}
			for name, back := range map[string]any{"any": plain, "map[any]any": other, "itself": v.Interface(), "RawMessage": RawMessage(b)} {
				if again := canonicalBytes(t, back); !bytes.Equal(again, b) {
					t.Fatalf("%v as %s:\n%x, not\n%x", typ, name, again, b)
				}
			}
		}
	}
}

// isCanonical checks the value at offset i by the rules of the canonical form, and returns the
// offset after it.
func isCanonical(t *testing.T, b []byte, i int) int {
	t.Helper()
	r := Raw(b[i:])
	next := i + len(r.at(0))
	var want []byte // the head of the value
	switch r = r.at(0); r.Kind() {
	case KindInt:
		if v, err := r.Int64(); err == nil && v < 0 {
			want = msgpwire.AppendInt(nil, v)
		} else if u, err := r.Uint64(); err == nil {
			want = msgpwire.AppendUint(nil, u)
		}
	case KindFloat:
		want = []byte{msgpwire.Float64}
	case KindString:
		want = msgpwire.AppendStringLen(nil, r.Len())
	case KindBin:
		want = msgpwire.AppendBytesLen(nil, r.Len())
	case KindArray:
		want = msgpwire.AppendArrayLen(nil, r.Len())
		for _, x := range r.Elements() {
			isCanonical(t, x, 0)
		}
	case KindMap:
		want = msgpwire.AppendMapLen(nil, r.Len())
		var before []byte
		for k, v := range r.Entries() {
			isCanonical(t, k, 0)
			isCanonical(t, v, 0)
			if before != nil && bytes.Compare(before, k) >= 0 {
				t.Errorf("key %x after %x", []byte(k), before)
			}
			before = k
		}
	}
	if !bytes.HasPrefix(r, want) {
		t.Errorf("%x does not begin with %x", []byte(r), want)
	}
	return next
}

// Values without a canonical form are rejected.
func TestCanonicalErrors(t *testing.T) {
	deep := RawMessage(strings.Repeat("\x91", maxDepth+1) + "\xc0")
	keys := RawMessage(strings.Repeat("\x81", maxKeyDepth+2) + "\x01" + strings.Repeat("\x01", maxKeyDepth+2))
	for name, c := range map[string]struct {
		v    any
		want string
	}{
		"ints of two widths":   {map[any]any{int8(1): 1, int64(1): 2}, "msgpack: the key is repeated: 01"},
		"two kinds of string":  {map[any]any{"a": 1, word("a"): 1}, "msgpack: the key is repeated: a1 61"},
		"two NaNs":             {map[float64]int{math.NaN(): 1, math.Float64frombits(0x7ff8000000000002): 2}, "msgpack: the key is repeated: cb 7f f8 00 00 00 00 00 00"},
		"floats of two widths": {map[any]any{float32(1.5): 1, 1.5: 2}, "msgpack: the key is repeated: cb 3f f8 00 00 00 00 00 00"},
		"raw":                  {[]any{RawMessage("\x82\x01\x01\xcc\x01\x02")}, "msgpack: the key is repeated: 01"},
		"a code":               {RawMessage("\x91\xc1"), "msgpack: unknown code c1"},
		"raw nests too deep":   {deep, "msgpack: values nest deeper than 10000"},
		"keys nest too deep":   {keys, errKeyDepth.Error()},
	} {
		if b, err := (EncodeOptions{Canonical: true}).MarshalAppend([]byte("x"), c.v); text(err) != c.want || string(b) != "x" {
			t.Errorf("%s: %x, %v; want %s", name, b, err, c.want)
		}
		var out bytes.Buffer
		if err := encodeBy(&out, EncodeOptions{Canonical: true}, c.v); text(err) != c.want || out.Len() > 0 {
			t.Errorf("%s, Encoder: %x, %v; want %s", name, out.Bytes(), err, c.want)
		}
	}
	e := NewEncoder(new(bytes.Buffer))
	e.SetOptions(EncodeOptions{Canonical: true})
	e.UseInternedStrings(true)
	if err := e.Encode("text"); !errors.Is(err, errCanonicalDict) {
		t.Error(err)
	}
}

// With Canonical, calls for single values use the shortest form of numbers. They write a header as
// given, and ignore the tag intern.
func TestCanonicalCalls(t *testing.T) {
	var out bytes.Buffer
	e := NewEncoder(&out)
	e.SetOptions(EncodeOptions{Canonical: true, CompactFloats: true})
	type interns struct {
		S string `msgpack:",intern"`
	}
	err := errors.Join(e.EncodeMapLen(2), e.EncodeInt64(5), e.EncodeFloat32(1.5), e.EncodeString("k"), e.EncodeFloat64(2),
		e.EncodeMulti(uint16(3), map[string]int{"bb": 1, "a": 2}), e.EncodeBytesLen(3), e.EncodeMap(map[string]any{"b": 1, "a": 2}),
		e.Encode([]interns{{"long"}, {"long"}}), e.Encode(RawMessage("\xca\x40\x00\x00\x00")))
	if want := unhex(t, "82 05 cb3ff8000000000000 a16b 02 03 82a16102a2626201 c403 82a16102a16201 9281a153a46c6f6e6781a153a46c6f6e67 02"); err != nil || !bytes.Equal(out.Bytes(), want) {
		t.Errorf("%x, %v; want %x", out.Bytes(), err, want)
	}
}

// The cost of encoding nested maps with unsorted keys is proportional to their size.
func TestCanonicalCost(t *testing.T) {
	body := bytes.Repeat([]byte{1}, 100)
	level := append(append([]byte{0x83, 0xa1, 'z', 0xc4, 100}, body...), 0xa1, 'a', 1, 0xa1, 'b')
	raw := RawMessage(append(bytes.Repeat(level, maxDepth-1), 1))
	b := canonicalBytes(t, raw)
	if len(b) != len(raw) {
		t.Errorf("%d bytes of %d", len(b), len(raw))
	}
}

// The vectors have canonical forms, both after decoding into an any and as raw bytes.
func TestCanonicalVectors(t *testing.T) {
	n := 0
	for _, v := range vectors(t) {
		if v.Mark == '!' {
			continue
		}
		var x any
		if err := Unmarshal(v.Bytes, &x); err != nil {
			t.Fatal(err)
		}
		if _, err := (EncodeOptions{Canonical: true}).Marshal(RawMessage(v.Bytes)); errors.Is(err, errKeyTwice) {
			continue
		}
		b := canonicalBytes(t, RawMessage(v.Bytes))
		isCanonical(t, b, 0)
		if !bytes.Equal(b, canonicalBytes(t, RawMessage(b))) {
			t.Errorf("line %d: the canonical form of %x is another", v.Line, b)
		}
		if v.Canonical == nil {
			continue
		}
		if n++; !bytes.Equal(b, v.Canonical) || !bytes.Equal(canonicalBytes(t, x), v.Canonical) {
			t.Errorf("line %d: %s and %s, want %s", v.Line, hex.EncodeToString(b), hex.EncodeToString(canonicalBytes(t, x)), hex.EncodeToString(v.Canonical))
		}
	}
	if n < 20 {
		t.Errorf("%d canonical forms", n)
	}
}

// Maps have the same canonical encoding for keys in any order.
func TestCanonicalManyKeys(t *testing.T) {
	r := corpus.New(1)
	for range 100 {
		m, any := map[string]int{}, map[any]any{}
		for range r.IntN(100) {
			k := strings.Repeat(corpus.String(r), r.IntN(5))
			m[k], any[word(k)] = len(k), int16(len(k))
		}
		b := canonicalBytes(t, m)
		isCanonical(t, b, 0)
		if !bytes.Equal(b, canonicalBytes(t, any)) {
			t.Fatalf("%v", m)
		}
	}
}

// FuzzCanonical converts any value to its canonical form. Converting the canonical form again does
// not change it. The canonical form represents the same value as the input.
func FuzzCanonical(f *testing.F) {
	for _, v := range vectors(f) {
		f.Add(v.Bytes)
	}
	f.Add([]byte("\x82\x82\x01\x02\xff\x03\x04\x82\xd0\xff\x03\xcc\x01\x02\x05"))
	o := EncodeOptions{Canonical: true}
	f.Fuzz(func(t *testing.T, data []byte) {
		data = guarded.Test(t, data)
		next := skip(data, 0)
		if next < 0 {
			return
		}
		data = data[:next]
		b, err := o.Marshal(RawMessage(data))
		if err != nil {
			if !errors.Is(err, errKeyTwice) && !errors.Is(err, errKeyDepth) && !errors.Is(err, depthError(maxDepth)) {
				t.Fatalf("%x: %v", data, err)
			}
			return
		}
		if isCanonical(t, b, 0) != len(b) {
			t.Fatalf("%x: %x is not one value", data, b)
		}
		if again, err := o.Marshal(RawMessage(b)); err != nil || !bytes.Equal(again, b) {
			t.Fatalf("%x: %x, then %x, %v", data, b, again, err)
		}
		var was, is any
		d := DecodeOptions{RawExt: true, UniqueKeys: true} // in an any, nil, a str and a bin may be the same key
		if err := d.Unmarshal(data, &was); err != nil {
			return
		}
		if err := d.Unmarshal(b, &is); err != nil {
			t.Fatalf("%x: %x: %v", data, b, err)
		}
		x, err := o.Marshal(was)
		y, err2 := o.Marshal(is)
		if text(err) != text(err2) || !bytes.Equal(x, y) {
			t.Fatalf("%x: as values %x and %x, %v, %v", data, x, y, err, err2)
		}
	})
}
