package msgpack

import (
	"bytes"
	"errors"
	"io"
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/slipstream-go/slipstream/internal/corpus"
	guarded "github.com/slipstream-go/slipstream/internal/guard"
)

// raw returns the Raw of a value in hex digits.
func raw(t testing.TB, digits string) Raw {
	t.Helper()
	r, rest, err := NewRaw(unhex(t, digits))
	if err != nil || len(rest) > 0 {
		t.Fatalf("%s: %x left, %v", digits, rest, err)
	}
	return r
}

func TestRawKinds(t *testing.T) {
	for _, c := range []struct {
		digits string
		kind   Kind
		size   int
	}{
		{"", KindMissing, 0},
		{"c1", KindMissing, 0},
		{"c0", KindNil, 0},
		{"c2", KindBool, 0},
		{"c3", KindBool, 0},
		{"7f", KindInt, 0},
		{"e0", KindInt, 0},
		{"cc80", KindInt, 0},
		{"cf8000000000000000", KindInt, 0},
		{"d0ff", KindInt, 0},
		{"d3ffffffffffffffff", KindInt, 0},
		{"ca00000000", KindFloat, 0},
		{"cb0000000000000000", KindFloat, 0},
		{"a161", KindString, 1},
		{"d90161", KindString, 1},
		{"db0000000161", KindString, 1},
		{"c40161", KindBin, 1},
		{"c600000000", KindBin, 0},
		{"9101", KindArray, 1},
		{"dc000101", KindArray, 1},
		{"dd0000000101", KindArray, 1},
		{"810102", KindMap, 1},
		{"de00010102", KindMap, 1},
		{"df000000010102", KindMap, 1},
		{"d40500", KindExt, 1},
		{"c7000d", KindExt, 0},
		{"c9000000020d0000", KindExt, 2},
		{"d6ff00000000", KindTime, 4},
		{"c70cff000000000000000000000000", KindTime, 12},
		{"c80000ff", KindTime, 0},
	} {
		r := Raw(unhex(t, c.digits))
		if r.Kind() != c.kind || r.Len() != c.size || r.IsNil() != (c.kind == KindNil) {
			t.Errorf("%s: kind %v, length %d; want %v, %d", c.digits, r.Kind(), r.Len(), c.kind, c.size)
		}
	}
	if KindTime.String() != "time" || KindMissing.String() != "missing" || Kind(99).String() != "invalid" {
		t.Error(KindTime, KindMissing, Kind(99))
	}
}

// Each method that reads a Raw returns the right value or error for each kind of value.
func TestRawReads(t *testing.T) {
	at := time.Unix(1, 0)
	for _, c := range []struct {
		digits string
		read   func(Raw) (any, error)
		want   any
		err    string
	}{
		{"c3", rawBool, true, ""},
		{"c2", rawBool, false, ""},
		{"c0", rawBool, false, ""},
		{"01", rawBool, false, "msgpack: invalid code=1 decoding bool"},

		{"ff", rawInt, int64(-1), ""},
		{"cd0100", rawInt, int64(256), ""},
		{"c0", rawInt, int64(0), ""},
		{"cb4024000000000000", rawInt, int64(10), ""},
		{"cb3fe0000000000000", rawInt, int64(0), "msgpack: float 0.5 does not fit int64"},
		{"cf8000000000000000", rawInt, int64(0), "msgpack: 9223372036854775808 does not fit int64"},
		{"cf7fffffffffffffff", rawInt, int64(math.MaxInt64), ""},
		{"a161", rawInt, int64(0), "msgpack: invalid code=a1 decoding int64"},

		{"cfffffffffffffffff", rawUint, uint64(math.MaxUint64), ""},
		{"ff", rawUint, uint64(0), "msgpack: -1 does not fit uint64"},
		{"c0", rawUint, uint64(0), ""},
		{"a161", rawUint, uint64(0), "msgpack: invalid code=a1 decoding uint64"},

		{"cb3fe0000000000000", rawFloat, 0.5, ""},
		{"ca3f000000", rawFloat, 0.5, ""},
		{"ff", rawFloat, -1.0, ""},
		{"cf8000000000000000", rawFloat, math.Ldexp(1, 63), ""},
		{"c2", rawFloat, 0.0, "msgpack: invalid code=c2 decoding float64"},

		{"a26162", rawText, "ab", ""},
		{"c4026162", rawText, "ab", ""},
		{"c0", rawText, "", ""},
		{"01", rawText, "", "msgpack: invalid code=1 decoding string/bytes length"},
		{"a26162", rawBytes, []byte("ab"), ""},
		{"c400", rawBytes, []byte{}, ""},
		{"c0", rawBytes, []byte(nil), ""},
		{"90", rawBytes, []byte(nil), "msgpack: invalid code=90 decoding string/bytes length"},

		{"d6ff00000001", rawTime, at, ""},
		{"d60d00000001", rawTime, at, ""},
		{"920100", rawTime, at, ""},
		{"c0", rawTime, time.Time{}, ""},
		{"d60500000001", rawTime, time.Time{}, "msgpack: invalid time ext id=5"},

		{"d5050102", rawsExt, Raw{5, 1, 2}, ""},
		{"c70080", rawsExt, Raw{0x80}, ""},
		{"c0", rawsExt, Raw{0}, "msgpack: invalid code=c0 decoding ext len"},

		{"92 01 a161", rawAny, []any{int8(1), "a"}, ""},
		{"d40500", rawAny, nil, "msgpack: unknown ext id=5"},
	} {
		got, err := c.read(raw(t, c.digits))
		if !reflect.DeepEqual(got, c.want) || text(err) != c.err {
			t.Errorf("%s: %#v, %v; want %#v, %s", c.digits, got, err, c.want, c.err)
		}
		var e *Error
		if err != nil && (!errors.As(err, &e) || e.Offset != 0) {
			t.Errorf("%s: %+v", c.digits, err)
		}
		if _, err := c.read(nil); err != ErrMissing {
			t.Errorf("a missing value gives %v", err)
		}
	}
}

func rawBool(r Raw) (any, error)  { return r.Bool() }
func rawInt(r Raw) (any, error)   { return r.Int64() }
func rawUint(r Raw) (any, error)  { return r.Uint64() }
func rawFloat(r Raw) (any, error) { return r.Float64() }
func rawText(r Raw) (any, error)  { return r.Text() }
func rawBytes(r Raw) (any, error) { return r.Bytes() }
func rawTime(r Raw) (any, error)  { return r.Time() }

// rawsExt returns the type and the data of an ext in one slice.
func rawsExt(r Raw) (any, error) {
	id, data, err := r.Ext()
	return append(Raw{byte(id)}, data...), err
}

func rawAny(r Raw) (v any, err error) {
	err = r.Decode(&v)
	return v, err
}

// Get and Index find the parts of a value, and return an error later if a part is missing.
func TestRawSteps(t *testing.T) {
	r := raw(t, "86 a161 93 01 9102 a3616263 c40162 03 ff 04 cfffffffffffffffff 05 c0 06 90 07")
	for name, c := range map[string]struct {
		got  Raw
		want string
	}{
		"key, index":         {r.Get("a").Index(0), "01"},
		"key, index, index":  {r.Get("a").Index(1).Index(0), "02"},
		"last element":       {r.Get("a").Index(2), "a3616263"},
		"beyond the last":    {r.Get("a").Index(3), ""},
		"below the first":    {r.Get("a").Index(-1), ""},
		"bin key":            {r.Get("b"), "03"},
		"negative key":       {r.Get("-1"), "04"},
		"largest key":        {r.Get("18446744073709551615"), "05"},
		"below a scalar":     {r.Get("-1").Get("x"), ""},
		"nil key":            {r.Get(""), "06"},
		"key without a text": {r.Get("[]"), ""},
		"no such key":        {r.Get("z"), ""},
		"below no such key":  {r.Get("z").Get("a").Index(0), ""},
		"index of a map":     {r.Index(0), ""},
		"key of an array":    {r.Get("a").Get("0"), ""},
	} {
		if !bytes.Equal(c.got, unhex(t, c.want)) || (c.want == "") != (c.got.Kind() == KindMissing) || cap(c.got) != len(c.got) {
			t.Errorf("%s: %x (of %d), want %s", name, []byte(c.got), cap(c.got), c.want)
		}
	}

	var elements, entries []string
	for i, e := range r.Get("a").Elements() {
		if !bytes.Equal(e, r.Get("a").Index(i)) {
			t.Errorf("element %d is %x", i, []byte(e))
		}
		elements = append(elements, string(e))
	}
	for k, v := range r.Entries() {
		entries = append(entries, string(k)+string(v))
	}
	if len(elements) != 3 || strings.Join(entries, "") != string(r[1:]) || len(entries) != 6 {
		t.Errorf("%q, %q", elements, entries)
	}
	for range r.Get("a").Elements() {
		break
	}
	for range r.Entries() {
		break
	}
	for range r.Elements() {
		t.Error("a map has elements")
	}
	for range r.Get("a").Entries() {
		t.Error("an array has entries")
	}
}

// If a key occurs twice, Get, Query and Unmarshal use the same value.
func TestRawLastKeyCounts(t *testing.T) {
	r := raw(t, "83 a161 01 a162 02 a161 03")
	var m map[string]int
	if err := r.Decode(&m); err != nil {
		t.Fatal(err)
	}
	got, err := r.Get("a").Int64()
	if err != nil || int(got) != m["a"] || got != 3 {
		t.Errorf("Get gives %d, Unmarshal %d, %v", got, m["a"], err)
	}
	d := newDecoder()
	d.ResetBytes(r)
	if found, err := d.Query("a"); err != nil || !reflect.DeepEqual(found, []any{int8(3)}) {
		t.Error(found, err)
	}
}

// A Raw is a view of the input. Text and decoded values are copies.
func TestRawIsAView(t *testing.T) {
	input := unhex(t, "82 a161 a3616263 a162 c40101 ff")
	r, rest, err := NewRaw(input)
	if err != nil || len(r) != len(input)-1 || cap(r) != len(r) || &r[0] != &input[0] || !bytes.Equal(rest, []byte{0xff}) {
		t.Fatalf("%x, %x, %v", []byte(r), rest, err)
	}
	b, err := r.Get("a").Bytes()
	if err != nil || &b[0] != &input[4] || cap(b) != 3 {
		t.Errorf("%q, %v", b, err)
	}
	s, err := r.Get("a").Text()
	var whole any
	if errDecode := r.Decode(&whole); err != nil || errDecode != nil {
		t.Fatal(err, errDecode)
	}
	clear(input)
	if s != "abc" || !reflect.DeepEqual(whole, map[string]any{"a": "abc", "b": []byte{1}}) {
		t.Error("what was decoded refers to the input:", s, whole)
	}
}

// A Raw in a Go value is decoded as a copy, like a RawMessage, and is encoded unchanged.
func TestRawAsField(t *testing.T) {
	type holder struct {
		A, B Raw
		C    *Raw
		D    map[string]Raw
	}
	data := unhex(t, "84 a141 92 01 a161 a142 c0 a143 9102 a144 81 a178 03")
	for name, d := range sources(data) {
		var h holder
		if err := d.Decode(&h); err != nil || !h.B.IsNil() || len(h.D) != 1 {
			t.Errorf("%s: %+v, %v", name, h, err)
		}
		if got, err := h.A.Index(1).Text(); got != "a" || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		if back := marshal(t, &h); !bytes.Equal(back, data) {
			t.Errorf("%s: %x", name, back)
		}
	}
	var h holder
	if err := Unmarshal(data, &h); err != nil {
		t.Fatal(err)
	}
	clear(data)
	if n, err := h.A.Index(0).Int64(); n != 1 || err != nil {
		t.Error("a field refers to the input:", n, err)
	}
	wantHex(t, []Raw{nil, {}, {1}}, "93 c0 c0 01")
	wantHex(t, []any{Raw{1}, RawMessage(nil)}, "92 01 c0")
	var out bytes.Buffer
	if err := h.A.EncodeMsgpack(NewEncoder(&out)); err != nil || !bytes.Equal(out.Bytes(), h.A) {
		t.Error(out.Bytes(), err)
	}
	if err := h.A.DecodeMsgpack(NewDecoder(strings.NewReader("\x07"))); err != nil || h.A[0] != 7 {
		t.Error(h.A, err)
	}
}

func TestDecodeRawView(t *testing.T) {
	values := []string{"81a16101", "c0", "c403010203", "93 01 9102 a161", "da012c" + strings.Repeat("78", 300)}
	for name, d := range sources(unhex(t, strings.Join(values, ""))) {
		for _, want := range values {
			if r, err := d.DecodeRawView(); err != nil || !bytes.Equal(r, unhex(t, want)) || cap(r) != len(r) {
				t.Fatalf("%s: %x, %v; want %s", name, []byte(r), err, want)
			}
		}
		if r, err := d.DecodeRawView(); r != nil || err != io.EOF {
			t.Errorf("%s: %x, %v at the end", name, []byte(r), err)
		}
	}
}

// NewRaw and DecodeRawView return the same errors as Skip.
func TestRawErrors(t *testing.T) {
	for _, digits := range []string{"", "c1", "92 01", "92 01 c1", "a261", "81 a161", "ddffffffff", "dfffffffff", "c6ffffffff78", "d4", "cd01"} {
		skipped, viewed := newDecoder(), newDecoder()
		skipped.ResetBytes(unhex(t, digits))
		viewed.ResetBytes(unhex(t, digits))
		want := skipped.Skip()
		r, rest, err := NewRaw(unhex(t, digits))
		if want == nil || text(err) != text(want) || r != nil || rest != nil {
			t.Errorf("%s: NewRaw gives %x, %v; want %v", digits, []byte(r), err, want)
		}
		if r, err := viewed.DecodeRawView(); text(err) != text(want) || r != nil {
			t.Errorf("%s: DecodeRawView gives %x, %v; want %v", digits, []byte(r), err, want)
		}
	}
}

// touch calls every method of r and of its parts. None may panic, even if r is invalid.
func touch(r Raw, depth int) {
	r.Kind()
	r.IsNil()
	r.Len()
	r.Bool()
	r.Int64()
	r.Uint64()
	r.Float64()
	r.Text()
	r.Bytes()
	r.Time()
	r.Ext()
	r.Decode(new(any))
	touchParts := depth < 4
	for _, part := range []Raw{r.Index(0), r.Index(1), r.Get(""), r.Get("a"), r.Get("1")} {
		if touchParts && len(part) > 0 {
			touch(part, depth+1)
		}
	}
	for _, e := range r.Elements() {
		if touchParts {
			touch(e, depth+1)
		}
	}
	for k, v := range r.Entries() {
		if touchParts {
			touch(k, depth+1)
			touch(v, depth+1)
		}
	}
	for _, path := range []string{"", "*", "*.*", "0.a", "a.*", "1.1"} {
		if p, err := ParsePath(path); err == nil {
			for range r.Query(p) {
			}
		}
	}
}

// Methods of an invalid Raw do not panic. The test uses every vector truncated at every byte, and
// every code alone and before other bytes.
func TestRawOfGarbage(t *testing.T) {
	for _, v := range vectors(t) {
		if len(v.Bytes) < 100 {
			for cut := range v.Bytes {
				touch(Raw(v.Bytes[:cut]), 0)
			}
		}
	}
	for c := range 256 {
		for _, rest := range []string{"", "\x01", "\xff\xff\xff\xff", "\x00\x00\x00\x01", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "\x01\xa1a\x01"} {
			r := append(Raw{byte(c)}, rest...)
			touch(r, 0)
			if n := r.Len(); n > len(r) {
				t.Errorf("%x has length %d", []byte(r), n)
			}
		}
	}
}

// Skip, NewRaw and DecodeInterface end at the same byte for every vector.
func TestSkipAgreesWithDecode(t *testing.T) {
	for _, v := range vectors(t) {
		if v.Mark == '!' {
			continue
		}
		data := append(bytes.Clone(v.Bytes), 0xc1, 0x01) // bytes after the value are not read
		for name, d := range sources(data) {
			if err := d.Skip(); err != nil || d.InputOffset() != int64(len(v.Bytes)) {
				t.Errorf("line %d, %s: Skip stands at %d of %d, %v", v.Line, name, d.InputOffset(), len(v.Bytes), err)
			}
		}
		r, rest, err := NewRaw(data)
		if err != nil || len(rest) != 2 || r.Kind() == KindMissing {
			t.Errorf("line %d: %x left, %v", v.Line, rest, err)
		}
		d := newDecoder()
		d.ResetBytes(data)
		if _, err := d.DecodeInterface(); err != nil || d.InputOffset() != int64(len(r)) {
			t.Errorf("line %d: decoding stands at %d of %d, %v", v.Line, d.InputOffset(), len(r), err)
		}
		if allocs := testing.AllocsPerRun(5, func() {
			d.ResetBytes(data)
			d.Skip()
		}); allocs > 0 {
			t.Errorf("line %d: Skip makes %v allocations", v.Line, allocs)
		}
	}
}

// Skip does not recurse: for ten million levels, the stack would need gigabytes.
func TestSkipDeep(t *testing.T) {
	const levels = 10_000_000
	data := bytes.Repeat([]byte{0x91}, levels+1)
	data[levels] = 0x07
	done := make(chan struct{})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	go func() {
		defer close(done)
		d := newDecoder()
		d.ResetBytes(data)
		if err := d.Skip(); err != nil || d.InputOffset() != levels+1 {
			t.Error(d.InputOffset(), err)
		}
		stream := NewDecoder(struct{ io.Reader }{bytes.NewReader(data)})
		if err := stream.Skip(); err != nil || stream.InputOffset() != levels+1 {
			t.Error(stream.InputOffset(), err)
		}
		if r, _, err := NewRaw(data); err != nil || r.Len() != 1 || len(r.Index(0)) != levels {
			t.Error(err)
		}
		runtime.ReadMemStats(&after) // before the stack of this goroutine is freed
	}()
	<-done
	if grown := int64(after.StackInuse) - int64(before.StackInuse); grown > 8<<20 {
		t.Errorf("the stack grew by %d bytes", grown)
	}
}

// An error in the middle of a raw value does not affect later values. The later values are from the
// same input, from another input, or read after the decoder has been in the pool.
func TestFailedRawLeavesNothing(t *testing.T) {
	cut, whole := unhex(t, "93 01 a26162"), unhex(t, "92 a161 02")
	for name, fail := range map[string]func(d *Decoder) error{
		"DecodeRaw":     func(d *Decoder) error { _, err := d.DecodeRaw(); return err },
		"DecodeRawView": func(d *Decoder) error { _, err := d.DecodeRawView(); return err },
		"RawMessage":    func(d *Decoder) error { return d.Decode(new(RawMessage)) },
		"Skip":          (*Decoder).Skip,
		"Query":         func(d *Decoder) error { _, err := d.Query("1"); return err },
	} {
		for reset, again := range map[string]func(d *Decoder) *Decoder{
			"Reset":       func(d *Decoder) *Decoder { d.Reset(bytes.NewReader(whole)); return d },
			"ResetReader": func(d *Decoder) *Decoder { d.ResetReader(iotest.OneByteReader(bytes.NewReader(whole))); return d },
			"ResetBytes":  func(d *Decoder) *Decoder { d.ResetBytes(whole); return d },
			"pool": func(d *Decoder) *Decoder {
				PutDecoder(d)
				d = GetDecoder()
				d.Reset(bytes.NewReader(whole))
				return d
			},
		} {
			d := GetDecoder()
			d.Reset(bytes.NewReader(cut))
			if err := fail(d); !errors.Is(err, io.EOF) {
				t.Fatalf("%s: %v", name, err)
			}
			d = again(d)
			v, err := d.DecodeInterface()
			if err != nil || !reflect.DeepEqual(v, []any{"a", int8(2)}) || d.InputOffset() != int64(len(whole)) {
				t.Errorf("%s, %s: %v, %v", name, reset, v, err)
			}
			d.ResetBytes(whole)
			if raw, err := d.DecodeRaw(); err != nil || !bytes.Equal(raw, whole) {
				t.Errorf("%s, %s: raw %x, %v", name, reset, []byte(raw), err)
			}
		}
	}

	t.Run("failed_DecodeRaw_does_not_affect_the_next_input", func(t *testing.T) {
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
}

// In a map for a struct, a pair whose key is not a string is skipped, unless unknown fields are
// rejected.
func TestKeysThatAreNoNames(t *testing.T) {
	type named struct {
		A, B int
		Next *named
	}
	for _, key := range []string{"01", "ff", "cd0100", "c3", "cb3ff0000000000000", "90", "92 01 9102", "81 a141 01", "d40500", "d6ff00000000"} {
		for _, value := range []string{"05", "a178", "93 01 02 03", "81 01 81 02 03", "c0"} {
			data := unhex(t, "84 a141 01"+key+value+"a142 02 a44e657874 82"+key+value+"a141 03")
			for name, d := range sources(data) {
				var got named
				if err := d.Decode(&got); err != nil || got.A != 1 || got.B != 2 || got.Next == nil || got.Next.A != 3 {
					t.Errorf("%s: %x: %+v, %v", name, data, got, err)
				}
				if d.InputOffset() != int64(len(data)) {
					t.Errorf("%s: %x: read %d bytes", name, data, d.InputOffset())
				}
			}
			d := newDecoder()
			d.ResetBytes(data)
			d.DisallowUnknownFields(true)
			if err := d.Decode(new(named)); err == nil || !strings.HasSuffix(err.Error(), " decoding string/bytes length") {
				t.Errorf("%x: unknown fields are not allowed, but %v", data, err)
			}
		}
	}
	for digits, want := range map[string]string{
		"81 c1 01":        "msgpack: invalid code=c1 decoding string/bytes length",
		"81 01":           "EOF",
		"81 01 c1":        "msgpack: unknown code c1",
		"81 92 01":        "EOF",
		"81 cd 01":        "unexpected EOF",
		"81 ddffffffff":   "EOF",
		"82 01 02 a141c3": "msgpack: invalid code=c3 decoding int64",
	} {
		if err := into(t, digits, new(named)); text(err) != want {
			t.Errorf("%s: %v; want %s", digits, err, want)
		}
	}
	deep := append(append(unhex(t, "82 01"), bytes.Repeat([]byte{0x91}, 1_000_000)...), unhex(t, "07 a141 05")...)
	var got named
	if err := Unmarshal(deep, &got); err != nil || got.A != 5 {
		t.Errorf("a million levels to skip: %+v, %v", got, err)
	}
}

// Reading a Raw does not allocate.
func TestRawAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("counted without the race detector")
	}
	r := raw(t, "85 a161 93 01 cb3fe0000000000000 a3616263 01 c3 a162 c403010203 a163 d6ff00000001 a164 d5050102")
	p, err := ParsePath("a.*")
	if err != nil {
		t.Fatal(err)
	}
	deep, err := ParsePath("*")
	if err != nil {
		t.Fatal(err)
	}
	d := newDecoder()
	sum := 0
	for name, run := range map[string]func(){
		"NewRaw":        func() { NewRaw(r) },
		"DecodeRawView": func() { d.ResetBytes(r); d.DecodeRawView() },
		"Kind, Len":     func() { sum += r.Len() + int(r.Kind()) + r.Get("d").Len() },
		"Int64":         func() { r.Get("a").Index(0).Int64() },
		"Uint64":        func() { r.Get("a").Index(0).Uint64() },
		"Float64":       func() { r.Get("a").Index(1).Float64() },
		"Bytes":         func() { r.Get("b").Bytes() },
		"Bool":          func() { r.Get("1").Bool() },
		"Time":          func() { r.Get("c").Time() },
		"Ext":           func() { r.Get("d").Ext() },
		"Elements": func() {
			for i, e := range r.Get("a").Elements() {
				sum += i + len(e)
			}
		},
		"Entries": func() {
			for k, v := range r.Entries() {
				sum += len(k) + len(v)
			}
		},
		"Query": func() {
			for v, err := range r.Query(p) {
				if err == nil {
					sum += len(v)
				}
			}
			for range r.Query(deep) {
				break
			}
		},
	} {
		if n := testing.AllocsPerRun(100, run); n > 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// checkRaw compares a Raw with the decoded value.
func checkRaw(t *testing.T, r Raw, v any) {
	t.Helper()
	var got any
	var err error
	switch v := v.(type) {
	case nil:
		if !r.IsNil() || r.Kind() != KindNil {
			t.Fatalf("%x is not nil", []byte(r))
		}
		return
	case bool:
		got, err = r.Bool()
	case int8, int16, int32, int64:
		got, err = r.Int64()
		if reflect.ValueOf(v).Int() == got {
			got = v
		}
	case uint8, uint16, uint32, uint64:
		got, err = r.Uint64()
		if reflect.ValueOf(v).Uint() == got {
			got = v
		}
	case float32:
		var f float64
		f, err = r.Float64()
		got = float32(f)
	case float64:
		got, err = r.Float64()
	case string:
		got, err = r.Text()
		if r.Kind() != KindString || r.Len() != len(v) {
			t.Fatalf("%x is a %v of %d bytes", []byte(r), r.Kind(), r.Len())
		}
	case []byte:
		got, err = r.Bytes()
		if r.Kind() != KindBin || r.Len() != len(v) {
			t.Fatalf("%x is a %v of %d bytes", []byte(r), r.Kind(), r.Len())
		}
	case time.Time:
		got, err = r.Time()
		if r.Kind() != KindTime {
			t.Fatalf("%x is a %v", []byte(r), r.Kind())
		}
	case []any:
		n := 0
		for i, e := range r.Elements() {
			if n++; i != n-1 || i < 16 && !bytes.Equal(e, r.Index(i)) {
				t.Fatalf("element %d of %x is %x", i, []byte(r), []byte(e))
			}
			checkRaw(t, e, v[i])
		}
		if n != len(v) || r.Len() != n || r.Kind() != KindArray {
			t.Fatalf("%x is a %v of %d, and %v", []byte(r), r.Kind(), n, v)
		}
		return
	case map[string]any:
		last := map[string]Raw{}
		for key, value := range r.Entries() {
			name, err := key.Text()
			if err != nil {
				return // keys that are not strings are decoded by different rules
			}
			last[name] = value
		}
		if len(last) != len(v) || r.Len() < len(v) || r.Kind() != KindMap {
			t.Fatalf("%x is a %v of %d, and %v", []byte(r), r.Kind(), len(last), v)
		}
		for name, value := range last {
			if len(v) <= 16 && !bytes.Equal(value, r.Get(name)) {
				t.Fatalf("%q of %x is %x", name, []byte(r), []byte(value))
			}
			checkRaw(t, value, v[name])
		}
		return
	default:
		return // a map with keys that are not strings
	}
	if err != nil || !same(reflect.ValueOf(got), reflect.ValueOf(v)) {
		t.Fatalf("%x is %v, %v; decoding gives %v", []byte(r), got, err, v)
	}
}

// The Raw of a random value agrees with the decoded value.
func TestRawTree(t *testing.T) {
	for seed := range uint64(300) {
		data := marshal(t, corpus.Any(corpus.New(seed), 0))
		var v any
		if err := Unmarshal(data, &v); err != nil {
			t.Fatal(err)
		}
		checkRaw(t, Raw(data), v)
	}
}

// FuzzRaw compares all parts of a Raw with the decoded value. It also calls the methods of a Raw
// with invalid bytes.
func FuzzRaw(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		data = guarded.Test(t, data)
		if len(data) < 200 {
			touch(Raw(data), 0)
		}
		r, rest, err := NewRaw(data)
		if err != nil {
			return
		}
		if len(r)+len(rest) != len(data) {
			t.Fatalf("%d and %d of %d bytes", len(r), len(rest), len(data))
		}
		var v any
		if r.Decode(&v) == nil {
			checkRaw(t, r, v)
		}
	})
}
