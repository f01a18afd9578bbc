package msgpack

import (
	"bytes"
	"errors"
	"io"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/slipstream-go/slipstream/internal/msgpwire"
)

type optional struct {
	A int8
	B string
	C []int64
	D map[string]int
}

// Each option rejects its input, from bytes and from a stream. Without the option, the same input
// is accepted.
func TestDecodeOptions(t *testing.T) {
	type tuple struct {
		_msgpack struct{} `msgpack:",as_array"` //lint:ignore U1000 read by its tag
		A, B     int
	}
	for _, c := range []struct {
		name    string
		options DecodeOptions
		input   string
		into    any // a pointer
		message string
	}{
		{"int8", DecodeOptions{StrictInts: true}, "\xcd\x01\x2c", new(int8), "msgpack: the int does not fit its type: 300 into 8 bits"},
		{"negative into uint16", DecodeOptions{StrictInts: true}, "\xff", new(uint16), "msgpack: the int does not fit its type: -1 into 16 bits"},
		{"negative into uint64", DecodeOptions{StrictInts: true}, "\xff", new(uint64), "msgpack: the int does not fit its type: -1 into 64 bits"},
		{"uint64 into int64", DecodeOptions{StrictInts: true}, "\xcf\xff\xff\xff\xff\xff\xff\xff\xff", new(int64), "msgpack: the int does not fit its type: 18446744073709551615 into 64 bits"},
		{"uint64 into int32", DecodeOptions{StrictInts: true}, "\xcf\xff\xff\xff\xff\xff\xff\xff\xff", new(int32), "msgpack: the int does not fit its type: 18446744073709551615 into 32 bits"},
		{"field", DecodeOptions{StrictInts: true}, "\x81\xa1A\xcc\x80", new(optional), "msgpack: the int does not fit its type: 128 into 8 bits"},
		{"elements", DecodeOptions{StrictInts: true}, "\x81\xa1C\x92\x01\xcf\x80\x00\x00\x00\x00\x00\x00\x00", new(optional), "msgpack: the int does not fit its type: 9223372036854775808 into 64 bits"},
		{"map value", DecodeOptions{StrictInts: true}, "\x81\xa1D\x81\xa1x\xcf\x80\x00\x00\x00\x00\x00\x00\x00", new(optional), "msgpack: the int does not fit its type: 9223372036854775808 into " + strconv.Itoa(strconv.IntSize) + " bits"},
		{"text", DecodeOptions{StrictUTF8: true}, "\xa1\xff", new(string), "msgpack: the string is not UTF-8"},
		{"text in any", DecodeOptions{StrictUTF8: true}, "\x91\xa1\xff", new(any), "msgpack: the string is not UTF-8"},
		{"text in a long list", DecodeOptions{StrictUTF8: true}, "\xdc\x00\x28" + strings.Repeat("\xa1a", 39) + "\xa1\xff", new([]string), "msgpack: the string is not UTF-8"},
		{"key", DecodeOptions{StrictUTF8: true}, "\x81\xa1\xff\x01", new(map[string]int), "msgpack: the string is not UTF-8"},
		{"key of a field", DecodeOptions{StrictUTF8: true}, "\x81\xa1\xff\x01", new(optional), "msgpack: the string is not UTF-8"},
		{"long str in any", DecodeOptions{StrictUTF8: true}, "\xd9\x01\xff", new(any), "msgpack: the string is not UTF-8"},
		{"keys in any", DecodeOptions{UniqueKeys: true}, "\x82\xa1a\x01\xa1a\x02", new(any), "msgpack: the key is repeated"},
		{"keys of ints in any", DecodeOptions{UniqueKeys: true}, "\x82\x01\x01\x01\x02", new(any), "msgpack: the key is repeated"},
		{"keys of both in any", DecodeOptions{UniqueKeys: true}, "\x83\xa1a\x01\x05\x02\xa1a\x03", new(any), "msgpack: the key is repeated"},
		{"keys of a map", DecodeOptions{UniqueKeys: true}, "\x82\xa1a\x01\xa1a\x02", new(map[string]int), "msgpack: the key is repeated"},
		{"keys of a map of ints", DecodeOptions{UniqueKeys: true}, "\x82\x01\x01\x01\x02", new(map[int]int), "msgpack: the key is repeated"},
		{"fields", DecodeOptions{UniqueKeys: true}, "\x82\xa1A\x01\xa1A\x02", new(optional), "msgpack: the key is repeated"},
		{"no field", DecodeOptions{UniqueKeys: true}, "\x82\xa1Z\x01\xa1Z\x02", new(optional), "msgpack: the key is repeated"},
		{"depth", DecodeOptions{MaxDepth: 2}, "\x91\x91\x91\x01", new(any), "msgpack: values nest deeper than 2"},
		{"depth of a type", DecodeOptions{MaxDepth: 2}, "\x91\x91\x91\x01", new([][][]int), "msgpack: values nest deeper than 2"},
		{"elements of an array", DecodeOptions{MaxElements: 2}, "\x93\x01\x02\x03", new(any), "msgpack: 3 elements are more than MaxElements, 2"},
		{"elements of a slice", DecodeOptions{MaxElements: 2}, "\x93\x01\x02\x03", new([]int64), "msgpack: 3 elements are more than MaxElements, 2"},
		{"elements of a list", DecodeOptions{MaxElements: 2}, "\x93\x01\x02\x03", new([]int), "msgpack: 3 elements are more than MaxElements, 2"},
		{"elements of a Go array", DecodeOptions{MaxElements: 2}, "\x93\x01\x02\x03", new([3]int), "msgpack: 3 elements are more than MaxElements, 2"},
		{"pairs", DecodeOptions{MaxElements: 1}, "\x82\xa1a\x01\xa1b\x02", new(map[string]int), "msgpack: 2 elements are more than MaxElements, 1"},
		{"pairs of a struct", DecodeOptions{MaxElements: 1}, "\x82\xa1A\x01\xa1B\xa1x", new(optional), "msgpack: 2 elements are more than MaxElements, 1"},
		{"elements of a tuple", DecodeOptions{MaxElements: 1}, "\x92\x01\x02", new(tuple), "msgpack: 2 elements are more than MaxElements, 1"},
		{"string", DecodeOptions{MaxString: 2}, "\xa3abc", new(string), "msgpack: a string of 3 bytes is longer than MaxString, 2"},
		{"bin", DecodeOptions{MaxString: 2}, "\xc4\x03abc", new([]byte), "msgpack: a string of 3 bytes is longer than MaxString, 2"},
		{"bin in any", DecodeOptions{MaxString: 2}, "\xc4\x03abc", new(any), "msgpack: a string of 3 bytes is longer than MaxString, 2"},
		{"long key", DecodeOptions{MaxString: 2}, "\x81\xa3abc\x01", new(any), "msgpack: a string of 3 bytes is longer than MaxString, 2"},
		{"bytes", DecodeOptions{MaxBytes: 5}, "\xa5abcde", new(string), "msgpack: the value is larger than MaxBytes"},
		{"unknown", DecodeOptions{DisallowUnknownFields: true}, "\x81\xa1Z\x01", new(optional), `msgpack: unknown field "Z"`},
		{"unknown, and careful", DecodeOptions{DisallowUnknownFields: true, UniqueKeys: true}, "\x81\xa1Z\x01", new(optional), `msgpack: unknown field "Z"`},
	} {
		for _, source := range []string{"bytes", "bytes.Buffer", "stream"} {
			d := newDecoder()
			switch source {
			case "bytes":
				d.ResetBytes([]byte(c.input))
			case "bytes.Buffer":
				d.Reset(bytes.NewBufferString(c.input))
			default:
				d.Reset(iotest.OneByteReader(strings.NewReader(c.input)))
			}
			d.SetOptions(c.options)
			if err := d.Decode(c.into); err == nil || err.Error() != c.message {
				t.Errorf("%s, %s: error %v, want %s", c.name, source, err, c.message)
			}
		}
		if err := c.options.Unmarshal([]byte(c.input), c.into); err == nil || err.Error() != c.message {
			t.Errorf("%s, Unmarshal: error %v, want %s", c.name, err, c.message)
		}
		into := reflect.New(reflect.TypeOf(c.into).Elem()).Interface()
		if err := Unmarshal([]byte(c.input), into); err != nil {
			t.Errorf("%s: without the option: %v", c.name, err)
		}
	}
}

// StrictInts accepts ints that fit.
func TestStrictIntsFit(t *testing.T) {
	o := DecodeOptions{StrictInts: true, UniqueKeys: true, StrictUTF8: true, MaxDepth: 4, MaxBytes: 100, MaxElements: 10, MaxString: 10}
	in := optional{A: -128, B: "é", C: []int64{math.MinInt64, math.MaxInt64}, D: map[string]int{"x": -1, "y": 1}}
	var out optional
	if err := o.Unmarshal(marshal(t, in), &out); err != nil || !reflect.DeepEqual(in, out) {
		t.Errorf("%+v, %v", out, err)
	}
	for _, v := range []any{int8(-128), int8(127), int16(math.MinInt16), int32(math.MaxInt32), int64(math.MinInt64), uint8(255), uint16(65535), uint32(math.MaxUint32), uint64(math.MaxUint64), -1, uint(7)} {
		to := reflect.New(reflect.TypeOf(v))
		if err := o.Unmarshal(marshal(t, v), to.Interface()); err != nil || to.Elem().Interface() != v {
			t.Errorf("%T %v became %v, %v", v, v, to.Elem(), err)
		}
	}
	d := newDecoder()
	d.ResetBytes([]byte("\xcd\x01\x2c\xff\xcc\xff\xcf\xff\xff\xff\xff\xff\xff\xff\xff"))
	d.SetOptions(o)
	if v, err := d.DecodeInt8(); !errors.Is(err, errNotNumber) {
		t.Errorf("DecodeInt8: %d, %v", v, err)
	}
	d.ResetBytes([]byte("\xff"))
	d.SetOptions(o)
	if v, err := d.DecodeUint64(); !errors.Is(err, errNotNumber) {
		t.Errorf("DecodeUint64: %d, %v", v, err)
	}
}

// Keys that cannot be the name of a field are skipped.
func TestCarefulNamelessKeys(t *testing.T) {
	for _, o := range []DecodeOptions{{}, {UniqueKeys: true}} {
		v := optional{B: "b"}
		if err := o.Unmarshal([]byte("\x84\x01\xa1x\xc0\x05\x91\x02\x80\xa1A\x07"), &v); err != nil || v.A != 7 || v.B != "b" {
			t.Errorf("%+v, %v", v, err)
		}
	}
}

// With AnyLength, arrays that are shorter or longer than their target are accepted.
func TestAnyLength(t *testing.T) {
	type tuple struct {
		_msgpack struct{} `msgpack:",as_array"` //lint:ignore U1000 read by its tag
		A, B     int
	}
	type tolerant struct {
		_msgpack struct{} `msgpack:",as_array,any_length"` //lint:ignore U1000 read by its tag
		A, B     int
	}
	o := DecodeOptions{AnyLength: true}
	for _, c := range []struct {
		input      string
		into, want any
	}{
		{"\x91\x07", &tuple{A: 1, B: 2}, tuple{A: 7}},
		{"\x93\x07\x08\x92\x01\x02", &tuple{A: 1, B: 2}, tuple{A: 7, B: 8}},
		{"\x91\x07", &[3]int{1, 2, 3}, [3]int{7, 0, 0}},
		{"\x93\x07\x08\x91\x09", &[2]int{1, 2}, [2]int{7, 8}},
	} {
		if err := o.Unmarshal([]byte(c.input), c.into); err != nil || !reflect.DeepEqual(reflect.ValueOf(c.into).Elem().Interface(), c.want) {
			t.Errorf("%q: %v, %v; want %v", c.input, c.into, err, c.want)
		}
	}
	if err := Unmarshal([]byte("\x91\x07"), &tuple{}); err != errArrayStruct && !errors.Is(err, errArrayStruct) {
		t.Errorf("without the option: %v", err)
	}
	both := []tolerant{{A: 5, B: 6}, {A: 5, B: 6}}
	if err := Unmarshal([]byte("\x92\x91\x01\x93\x01\x02\x03"), &both); err != nil || both[0] != (tolerant{A: 1}) || both[1] != (tolerant{A: 1, B: 2}) {
		t.Errorf("by tag: %v, %v", both, err)
	}

	t.Run("AnyLength_accepts_arrays_of_other_lengths", func(t *testing.T) {
		o := DecodeOptions{AnyLength: true}
		for digits, want := range map[string]any{"91 05": &inner{A: 5}, "93 05 a162 c3": &inner{5, "b"}, "90": &inner{}, "93 05 06 07": &[2]int{5, 6}, "91 06": &[2]int{6, 0}} {
			v := reflect.New(reflect.TypeOf(want).Elem())
			if err := o.Unmarshal(unhex(t, digits), v.Interface()); err != nil || !reflect.DeepEqual(v.Interface(), want) {
				t.Errorf("%s: %+v, %v; want %+v", digits, v.Elem(), err, want)
			}
		}
	})
}

// With ZeroCopy, results are views of a []byte, and copies of a stream's bytes.
func TestZeroCopy(t *testing.T) {
	type views struct {
		S string
		B []byte
		R RawMessage
		A any
		M map[string]string
		L []string
	}
	in := marshal(t, views{"text", []byte("bytes"), RawMessage("\xa3raw"), "any", map[string]string{"key": "value"}, []string{"list"}})
	var out views
	if err := (DecodeOptions{ZeroCopy: true}).Unmarshal(in, &out); err != nil {
		t.Fatal(err)
	}
	for i := range in {
		if in[i] >= 'a' && in[i] <= 'z' {
			in[i] -= 'a' - 'A'
		}
	}
	if out.S != "TEXT" || string(out.B) != "BYTES" || string(out.R) != "\xa3RAW" || out.A != "ANY" || out.L[0] != "LIST" {
		t.Errorf("copies: %q", out)
	}
	for k, v := range out.M {
		if k != "KEY" || v != "VALUE" {
			t.Errorf("copies in a map: %q", out.M)
		}
	}
	if cap(out.B) != len(out.B) || cap(out.R) != len(out.R) {
		t.Error("appending to a view would overwrite the input")
	}
	d := NewDecoder(iotest.OneByteReader(strings.NewReader("\xa4text\xa5other")))
	d.SetOptions(DecodeOptions{ZeroCopy: true})
	var first, second string
	if err := d.DecodeMulti(&first, &second); err != nil || first != "text" || second != "other" {
		t.Errorf("from a stream: %q, %q, %v", first, second, err)
	}
}

// With OwnStrings, strings share no memory, so a dropped string can be freed. The test counts
// allocations.
func TestOwnStrings(t *testing.T) {
	in := marshal(t, make([]string, 0))
	list := make([]string, 10)
	for i := range list {
		list[i] = strings.Repeat(string(rune('a'+i)), 10)
	}
	in = marshal(t, list)
	var out []string
	own := testing.AllocsPerRun(100, func() {
		if err := (DecodeOptions{OwnStrings: true}).Unmarshal(in, &out); err != nil {
			t.Fatal(err)
		}
	})
	shared := testing.AllocsPerRun(100, func() {
		if err := Unmarshal(in, &out); err != nil {
			t.Fatal(err)
		}
	})
	if own < 10 || shared > 2 || !reflect.DeepEqual(out, list) {
		t.Errorf("%v allocations with strings of their own, %v without; %q", own, shared, out)
	}
}

// With UTC, times are decoded in UTC.
func TestUTC(t *testing.T) {
	at := time.Unix(1700000000, 5)
	var typed struct{ T time.Time }
	var untyped map[string]any
	for _, to := range []any{&typed, &untyped} {
		if err := (DecodeOptions{UTC: true}).Unmarshal(marshal(t, map[string]any{"T": at}), to); err != nil {
			t.Fatal(err)
		}
	}
	if typed.T != at.UTC() || untyped["T"] != at.UTC() {
		t.Errorf("%v, %v", typed.T, untyped["T"])
	}
	for name, v := range map[string]any{
		"an array": []int64{at.Unix(), 5},
		"a string": at.In(time.FixedZone("", 3600)).Format(time.RFC3339Nano),
	} {
		var got time.Time
		if err := (DecodeOptions{UTC: true}).Unmarshal(marshal(t, v), &got); err != nil || got != at.UTC() {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}

	t.Run("option_UTC_decodes_times_in_UTC", func(t *testing.T) {
		var v []any
		if err := (DecodeOptions{UTC: true}).Unmarshal(unhex(t, "91d6ff00000001"), &v); err != nil || v[0].(time.Time).Location() != time.UTC {
			t.Error(v, err)
		}
	})
}

// Reset and the pool restore the default options. ResetReader keeps the options.
func TestOptionsEnd(t *testing.T) {
	input := func() io.Reader { return strings.NewReader("\x91\x91\x01") }
	d := NewDecoder(input())
	d.SetOptions(DecodeOptions{MaxDepth: 1, StructTag: "json", Loose: true})
	var v any
	if d.Decode(&v) == nil {
		t.Error("the option is not set")
	}
	d.ResetReader(input())
	if d.Decode(&v) == nil {
		t.Error("ResetReader dropped the options")
	}
	d.Reset(input())
	if err := d.Decode(&v); err != nil || !reflect.DeepEqual(v, []any{[]any{int8(1)}}) {
		t.Errorf("after Reset: %v, %v", v, err)
	}
	for range 10 {
		_ = DecodeOptions{MaxDepth: 1}.Unmarshal([]byte("\x91\x91\x01"), &v)
		g := GetDecoder()
		g.ResetReader(input())
		var v any
		if err := g.Decode(&v); err != nil {
			t.Fatalf("a pooled decoder has options: %v", err)
		}
		PutDecoder(g)
	}
}

// The canonical encodings of a value are equal, even if it is built in different ways.
func TestCanonical(t *testing.T) {
	type key struct{ A, B int }
	build := func(from, to, step int) []any {
		ints, keys, mixed, bools := map[int]int{}, map[key]string{}, map[any]any{}, map[bool]any{}
		strs := map[string]map[uint8]float64{}
		for i := from; i != to; i += step {
			ints[i-50], keys[key{i, -i}], mixed[i] = i, "x", i
			mixed[string(rune('a'+i))] = map[float64]int{float64(i): 1, -float64(i): 2}
			bools[i%2 == 0] = i / 50
			strs[string(rune('A'+i))] = map[uint8]float64{uint8(i): 1, uint8(i + 1): 2}
		}
		mixed[math.NaN()] = 1
		return []any{ints, keys, mixed, strs}
	}
	o := EncodeOptions{Canonical: true}
	first, err := o.Marshal(build(0, 50, 1))
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		if again, err := o.Marshal(build(49, -1, -1)); err != nil || !bytes.Equal(first, again) {
			t.Fatalf("%x\n%x, %v", first, again, err)
		}
	}
	narrow, err := o.Marshal(map[string]any{"a": int8(1), "b": []int64{2}})
	if wide, err2 := o.Marshal(map[string]any{"b": []uint16{2}, "a": 1}); err != nil || err2 != nil || !bytes.Equal(narrow, wide) {
		t.Errorf("%x, %x, %v, %v", narrow, wide, err, err2)
	}
}

// EncodeOptions do not include the options of an Encoder that was returned to the pool, and
// SetOptions keeps the dict.
func TestEncodeOptionsAreAll(t *testing.T) {
	twice := []string{"host", "host"}
	for range 10 { // the pool may return another Encoder
		e := GetEncoder()
		e.UseInternedStrings(true)
		PutEncoder(e)
		if b, err := (EncodeOptions{}).Marshal(twice); err != nil || !bytes.Equal(b, marshal(t, twice)) {
			t.Fatalf("%x, %v", b, err)
		}
	}
	var b bytes.Buffer
	e := NewEncoder(nil)
	e.ResetDict(&b, map[string]int{"host": 7})
	e.SetOptions(EncodeOptions{SortMapKeys: true})
	if err := e.Encode(twice); err != nil || b.String() != "\x92\xd4\x80\x07\xd4\x80\x07" {
		t.Errorf("%x, %v", b.Bytes(), err)
	}
}

// Each option of EncodeOptions has its effect.
func TestEncodeOptions(t *testing.T) {
	type in struct {
		X int `json:"x,omitempty"`
	}
	for _, c := range []struct {
		name    string
		options EncodeOptions
		v       any
		want    string
	}{
		{"none", EncodeOptions{}, in{}, "\x81\xa1X\x00"},
		{"tag", EncodeOptions{StructTag: "json"}, in{1}, "\x81\xa1x\x01"},
		{"tag, empty", EncodeOptions{StructTag: "json"}, in{}, "\x80"},
		{"omit", EncodeOptions{OmitEmpty: true}, in{}, "\x80"},
		{"arrays", EncodeOptions{ArrayStructs: true}, in{}, "\x91\x00"},
		{"ints", EncodeOptions{CompactInts: true}, int64(1), "\x01"},
		{"floats", EncodeOptions{CompactFloats: true}, 1.0, "\x01"},
		{"sorted", EncodeOptions{SortMapKeys: true}, map[int]int{2: 2, 1: 1, 3: 3}, "\x83\x01\x01\x02\x02\x03\x03"},
	} {
		got, err := c.options.MarshalAppend([]byte("+"), c.v)
		if err != nil || string(got) != "+"+c.want {
			t.Errorf("%s: %q, %v; want %q", c.name, got, err, c.want)
		}
		var out bytes.Buffer
		e := NewEncoder(&out)
		e.SetOptions(c.options)
		if err := e.Encode(c.v); err != nil || out.String() != c.want {
			t.Errorf("%s: Encode wrote %q, %v", c.name, out.String(), err)
		}
	}
	if got, err := (EncodeOptions{}).MarshalAppend([]byte("+"), []any{1, make(chan int)}); err == nil || string(got) != "+" {
		t.Errorf("%q, %v", got, err)
	}
}

type (
	ptrZero struct{ N int }
	Base    struct {
		ID   int
		Name string
	}
	Side struct {
		Name string `msgpack:"Name"`
		Only int
	}
)

func (z *ptrZero) IsZero() bool { return z.N == 7 }

// omitzero omits the same values as in encoding/json.
func TestOmitZero(t *testing.T) {
	type fields struct {
		N int             `msgpack:"n,omitzero"`
		P ptrZero         `msgpack:"p,omitzero"`
		T time.Time       `msgpack:"t,omitzero"`
		S []int           `msgpack:"s,omitzero"`
		A [2]int          `msgpack:"a,omitzero"`
		M map[string]int  `msgpack:"m,omitzero"`
		B struct{ x int } `msgpack:"b,omitzero"`
	}
	if got := marshal(t, fields{P: ptrZero{7}}); string(got) != "\x80" {
		t.Errorf("all zero: %q", got)
	}
	if got := marshal(t, fields{S: []int{}, M: map[string]int{}}); string(got) != "\x83\xa1p\x81\xa1N\x00\xa1s\x90\xa1m\x80" {
		t.Errorf("empty is not zero: %q", got)
	}
}

// With the options for JSON, the fields of a struct follow the rules of encoding/json.
func TestJSONRules(t *testing.T) {
	type outer struct {
		Base
		Side
		Extra int `msgpack:",omitempty"`
	}
	type empties struct {
		S struct{}  `msgpack:",omitempty"`
		T time.Time `msgpack:",omitempty"`
		A [0]int    `msgpack:",omitempty"`
		I any       `msgpack:",omitempty"`
	}
	v := outer{Base{1, "base"}, Side{"side", 2}, 0}
	got, err := EncodeOptions{JSONFields: true}.Marshal(v)
	if want := "\x83\xa2ID\x01\xa4Name\xa4side\xa4Only\x02"; err != nil || string(got) != want {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
	var out outer
	if err := (DecodeOptions{JSONFields: true}).Unmarshal([]byte("\x82\xa4Name\xa1x\xa2ID\x05"), &out); err != nil || out.Side.Name != "x" || out.Base.Name != "" || out.ID != 5 {
		t.Errorf("%+v, %v", out, err)
	}
	got, err = EncodeOptions{JSONOmitEmpty: true}.Marshal(empties{I: 0})
	if want := "\x83\xa1S\x80\xa1T" + string(msgpwire.AppendTime(nil, time.Time{})) + "\xa1I\x00"; err != nil || string(got) != want {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}

// A field is decoded from each of its names.
func TestAliases(t *testing.T) {
	type renamed struct {
		A int `msgpack:"new,alias:old,alias:older"`
	}
	type embeds struct{ renamed }
	for _, name := range []string{"new", "old", "older"} {
		var v renamed
		var w embeds
		in := marshal(t, map[string]any{name: 5})
		if err := Unmarshal(in, &v); err != nil || v.A != 5 {
			t.Errorf("%s: %v, %v", name, v, err)
		}
		if err := Unmarshal(in, &w); err != nil || w.A != 5 {
			t.Errorf("%s, embedded: %v, %v", name, w, err)
		}
	}
	if got := marshal(t, renamed{1}); string(got) != "\x81\xa3new\x01" {
		t.Errorf("%q", got)
	}

	t.Run("every_alias_of_a_field_is_read", func(t *testing.T) {
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
}

// The type of a map in an any depends on its keys.
func TestUntypedMaps(t *testing.T) {
	type m = map[any]any
	for _, c := range []struct {
		input                string
		any, typed, untyped  any
		errTyped, errUntyped string
	}{
		{"\x80", map[string]any{}, nil, m{}, "", ""},
		{"\x81\xa1a\x01", map[string]any{"a": int8(1)}, map[string]any{"a": int8(1)}, m{"a": int8(1)}, "", ""},
		{"\x81\x01\xa1a", map[int8]any{1: "a"}, map[int8]any{1: "a"}, m{int8(1): "a"}, "", ""},
		{"\x82\x01\x02\xcc\xc8\x03", m{int8(1): int8(2), uint8(200): int8(3)}, m{int8(1): int8(2), uint8(200): int8(3)}, m{int8(1): int8(2), uint8(200): int8(3)}, "", ""},
		{"\x82\x01\xc0\x02\xc0", map[int8]any{1: nil, 2: nil}, map[int8]any{1: nil, 2: nil}, m{int8(1): nil, int8(2): nil}, "", ""},
		{"\x82\xa1a\x01\x02\x03", m{"a": int8(1), int8(2): int8(3)}, m{"a": int8(1), int8(2): int8(3)}, m{"a": int8(1), int8(2): int8(3)}, "", ""},
		{"\x82\x02\x03\xa1a\x01", m{"a": int8(1), int8(2): int8(3)}, m{"a": int8(1), int8(2): int8(3)}, m{"a": int8(1), int8(2): int8(3)}, "", ""},
		{"\x81\xc4\x01a\x01", map[string]any{"a": int8(1)}, map[string]any{"a": int8(1)}, nil, "", "msgpack: unsupported map key: []uint8"},
		{"\x81\xc0\x01", map[string]any{"": int8(1)}, map[string]any{"": int8(1)}, m{nil: int8(1)}, "", ""},
		{"\x81\xc3\x90", map[bool]any{true: []any{}}, map[bool]any{true: []any{}}, m{true: []any{}}, "", ""},
	} {
		var v any
		if err := Unmarshal([]byte(c.input), &v); err != nil || !reflect.DeepEqual(v, c.any) {
			t.Errorf("%x into any: %#v, %v; want %#v", c.input, v, err, c.any)
		}
		d := newDecoder()
		d.ResetBytes([]byte(c.input))
		typed, err := d.DecodeTypedMap()
		if text(err) != c.errTyped || !reflect.DeepEqual(typed, c.typed) {
			t.Errorf("%x, DecodeTypedMap: %#v, %v; want %#v", c.input, typed, err, c.typed)
		}
		d.ResetBytes([]byte(c.input))
		untyped, err := d.DecodeUntypedMap()
		if text(err) != c.errUntyped || err == nil && !reflect.DeepEqual(untyped, c.untyped) {
			t.Errorf("%x, DecodeUntypedMap: %#v, %v; want %#v", c.input, untyped, err, c.untyped)
		}
	}
	for _, input := range []string{"\x81\x90\x01", "\x81\x80\x01", "\x82\x01\x01\x91\x01\x02"} {
		var v any
		if err := Unmarshal([]byte(input), &v); err == nil || !strings.HasPrefix(err.Error(), "msgpack: unsupported map key: ") {
			t.Errorf("%x: %v", input, err)
		}
	}
	var path any
	var e *Error
	if err := Unmarshal([]byte("\x81\xa1a\x82\x01\x02\x03\xc1"), &path); !errors.As(err, &e) || e.Path != "a.3" || e.Offset != 7 {
		t.Errorf("%+v", err)
	}
}
