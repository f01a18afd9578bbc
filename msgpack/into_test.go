package msgpack

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"testing"
	"testing/iotest"
	"time"
)

type point struct {
	X, Y int
	P    *int
	L    []int
}

type (
	named      []byte
	namedText  string
	namedBytes [2]byte
	byteAlias  byte
)

func pointerTo[T any](v T) *T { return &v }

// Decoding into values that are not empty merges or replaces them as v5 does.
func TestDecodeInto(t *testing.T) {
	for _, c := range []struct {
		digits   string
		to, want any // pointers
	}{
		// A slice keeps its capacity. Its elements are merged, including those beyond the length.
		{"91 81 a158 05", &[]point{{X: 1, Y: 2}, {X: 3, Y: 4}}, &[]point{{X: 5, Y: 2}}},
		{"92 80 81 a159 09", pointerTo([]point{{X: 1, Y: 2}, {X: 3, Y: 4}}[:1]), &[]point{{X: 1, Y: 2}, {X: 3, Y: 9}}},
		{"93 80 80 81 a158 01", &[]point{{X: 1}, {Y: 2}}, &[]point{{X: 1}, {Y: 2}, {X: 1}}},
		{"90", &[]point{{X: 1}}, &[]point{}},
		{"90", new([]point), &[]point{}},
		{"c0", &[]point{{X: 1}}, new([]point)},
		{"92 01 02", pointerTo(make([]int64, 5)), &[]int64{1, 2}},
		{"92 a161 c0", &[]string{"x", "y", "z"}, &[]string{"a", ""}},
		{"c0", &[]string{"x"}, new([]string)},
		{"c0", &[]float64{1}, new([]float64)},
		{"91 c0", &[]float64{1}, &[]float64{0}},
		// An array keeps the elements that are missing in the input. nil changes nothing.
		{"91 07", &[3]int{1, 2, 3}, &[3]int{7, 2, 3}},
		{"90", &[3]int{1, 2, 3}, &[3]int{1, 2, 3}},
		{"c0", &[3]int{1, 2, 3}, &[3]int{1, 2, 3}},
		{"c0", &[2]byte{1, 2}, &[2]byte{1, 2}},
		{"c40109", &[2]byte{1, 2}, &[2]byte{9, 2}},
		{"a26162", &[2]byte{}, &[2]byte{'a', 'b'}},
		{"a26162", &namedBytes{}, &namedBytes{'a', 'b'}},
		{"c40109", &[2]byteAlias{1, 2}, &[2]byteAlias{9, 2}},
		{"90", new([0]int), new([0]int)},
		// A map is merged, except for map[string]any. The values in a map are not merged.
		{"81 a162 02", &map[string]int{"a": 1}, &map[string]int{"a": 1, "b": 2}},
		{"81 a162 a163", &map[string]string{"a": "x"}, &map[string]string{"a": "x", "b": "c"}},
		{"81 a162 02", &map[string]any{"a": 1}, &map[string]any{"b": int8(2)}},
		{"81 a161 81 a158 05", &map[string]point{"a": {X: 1, Y: 2}}, &map[string]point{"a": {X: 5}}},
		{"81 01 81 a158 05", &map[int]*point{1: {Y: 2}}, &map[int]*point{1: {X: 5}}},
		{"c0", &map[string]int{"a": 1}, new(map[string]int)},
		{"c0", &map[int]int{1: 1}, new(map[int]int)},
		{"c0", &map[string]any{"a": 1}, new(map[string]any)},
		{"80", new(map[string]int), &map[string]int{}},
		{"80", new(map[int]point), &map[int]point{}},
		{"82 a161 01 a161 02", new(map[string]int), &map[string]int{"a": 2}},
		{"81 c0 01", new(map[string]int), &map[string]int{"": 1}},
		{"81 c40161 01", new(map[string]int), &map[string]int{"a": 1}},
		{"82 01 91 07 02 91 08", new(map[int][]int), &map[int][]int{1: {7}, 2: {8}}},
		{"82 01 c3 a161 c2", new(map[any]any), &map[any]any{int8(1): true, "a": false}},
		{"81 cb3ff8000000000000 01", new(map[float64]int), &map[float64]int{1.5: 1}},
		{"81 92 01 02 03", new(map[[2]int]int), &map[[2]int]int{{1, 2}: 3}},
		{"81 c3 01", new(map[bool]int), &map[bool]int{true: 1}},
		// nil and an empty array set a struct to its zero value. A map keeps the fields that it
		// does not contain.
		{"81 a158 05", &point{X: 1, Y: 2}, &point{X: 5, Y: 2}},
		{"c0", &point{X: 1, Y: 2}, &point{}},
		{"90", &point{X: 1, Y: 2}, &point{}},
		{"94 01 02 c0 c0", &point{P: pointerTo(3), L: []int{1}}, &point{X: 1, Y: 2}},
		{"82 a158 01 a158 c0", &point{X: 9}, &point{}},
		{"82 a14c 91 01 a14c 91 02", &point{}, &point{L: []int{2}}},
		{"81 a150 05", &point{P: pointerTo(3)}, &point{P: pointerTo(5)}},
		{"81 a150 c0", &point{P: pointerTo(3)}, &point{}},
		{"82 a17a 91 81 01 c0 a158 05", &point{}, &point{X: 5}},
		// Bytes and strings decode into each other's types.
		{"c40161", new(string), pointerTo("a")},
		{"c40161", new(namedText), pointerTo(namedText("a"))},
		{"a161", new([]byte), &[]byte{'a'}},
		{"a161", new(named), &named{'a'}},
		{"a161", &[]byte{1, 2, 3}, &[]byte{'a'}},
		{"c0", &[]byte{1}, new([]byte)},
		{"c400", new([]byte), &[]byte{}},
		{"c0", pointerTo("x"), pointerTo("")},
		// Numbers wrap around.
		{"cd012c", new(int8), pointerTo(int8(44))},
		{"ff", new(uint16), pointerTo(uint16(65535))},
		{"cfffffffffffffffff", new(int64), pointerTo(int64(-1))},
		{"cf8000000000000000", new(float64), pointerTo(float64(1 << 63))},
		{"cb4024000000000000", new(int), pointerTo(10)},
		{"cb402e000000000000", new(uint8), pointerTo(uint8(15))},
		{"05", new(float32), pointerTo(float32(5))},
		{"05", new(uintptr), pointerTo(uintptr(5))},
		{"cb400921fb54442d18", new(float32), pointerTo(float32(math.Pi))},
		{"c0", pointerTo(5), new(int)},
		{"c0", pointerTo(5.5), new(float64)},
		{"c0", pointerTo(true), new(bool)},
		// Pointers and interfaces.
		{"05", new(*int), pointerTo(pointerTo(5))},
		{"05", pointerTo(pointerTo(pointerTo(1))), pointerTo(pointerTo(pointerTo(5)))},
		{"c0", pointerTo(pointerTo(1)), new(*int)},
		{"81 a158 05", pointerTo(any(&point{Y: 1})), pointerTo(any(&point{X: 5, Y: 1}))},
		{"c0", pointerTo(any(&point{Y: 1})), new(any)},
		{"05", pointerTo(any((*int)(nil))), pointerTo(any(int8(5)))},
		{"91 05", &[]any{"x"}, &[]any{int8(5)}},
		{"91 c0", &[]any{"x"}, &[]any{nil}},
		{"81 a146 05", &struct{ F any }{"x"}, &struct{ F any }{int8(5)}},
		{"81 a146 05", &struct{ F any }{pointerTo(1)}, &struct{ F any }{pointerTo(5)}},
		{"81 a146 c0", &struct{ F any }{pointerTo(1)}, &struct{ F any }{}},
		{"c0", pointerTo(time.Unix(1, 0)), new(time.Time)},
		{"81 a154 c0", &struct{ T time.Time }{time.Unix(1, 0)}, &struct{ T time.Time }{}},
	} {
		before := fmt.Sprintf("%+v", reflect.ValueOf(c.to).Elem())
		if err := into(t, c.digits, c.to); err != nil || !reflect.DeepEqual(c.to, c.want) {
			t.Errorf("%s into %T %s: %+v, %v; want %+v", c.digits, c.to, before, reflect.ValueOf(c.to).Elem(), err, reflect.ValueOf(c.want).Elem())
		}
	}
}

// nil is decoded into fields of structs that are embedded by pointer. As in v5, a key in the input
// allocates the embedded struct, even if its value is nil.
func TestNilMakesEmbeddedPointers(t *testing.T) {
	type (
		embeds struct{ *Carried }
		deep   struct{ *embeds }
		tuple  struct {
			_msgpack struct{} `msgpack:",as_array"` //lint:ignore U1000 read by its tag
			*Carried
		}
	)
	for _, c := range []struct {
		digits   string
		to, want any
	}{
		{"81 a142 c0", new(embeds), &embeds{new(Carried)}},
		{"81 a142 c400", new(embeds), &embeds{&Carried{[]byte{}}}},
		{"80", new(embeds), new(embeds)},
		{"81 a158 c0", new(embeds), new(embeds)},
		{"81 a142 c0", &embeds{&Carried{[]byte("old")}}, &embeds{new(Carried)}},
		{"91 81 a142 c0", new([]embeds), &[]embeds{{new(Carried)}}},
		{"91 c0", new(tuple), &tuple{Carried: new(Carried)}},
		{"c0", &embeds{new(Carried)}, new(embeds)},
		{"81 a142 c0", new(deep), &deep{&embeds{new(Carried)}}},
	} {
		for name, o := range map[string]DecodeOptions{"default": {}, "careful": {UniqueKeys: true}, "views": {ZeroCopy: true}} {
			to := reflect.New(reflect.TypeOf(c.to).Elem())
			to.Elem().Set(reflect.ValueOf(c.to).Elem())
			if err := o.Unmarshal(unhex(t, c.digits), to.Interface()); err != nil || !reflect.DeepEqual(to.Interface(), c.want) {
				t.Errorf("%s into %T, %s: %+v, %v; want %+v", c.digits, c.to, name, to.Elem(), err, c.want)
			}
		}
	}
}

// nil clears a slice. A nil pointer to a slice or map is allocated. An array keeps the elements
// that the input lacks.
func TestDecodeIntoOldValues(t *testing.T) {
	for _, c := range []decodeCase{
		{name: "nil_clears_strings", digits: "c0", to: &[]string{"old"}, want: new([]string)},
		{name: "nil_clears_strings_in_field", digits: "81a14cc0", to: &struct{ L []string }{[]string{"old"}}, want: new(struct{ L []string })},
		{name: "short_list_keeps_the_tail_of_an_array", digits: "9107", to: &[2]int{1, 2}, want: &[2]int{7, 2}},
		{name: "nil_pointer_to_slice_is_allocated", digits: "9105", to: new(*[]int), want: pointerTo(&[]int{5})},
		{name: "nil_pointer_to_map_is_allocated", digits: "81a16105", to: new(*map[string]int), want: pointerTo(&map[string]int{"a": 5})},
	} {
		c.run(t)
	}
}

// Errors have the texts that programs compare.
func TestDecodeIntoErrors(t *testing.T) {
	for _, c := range []struct {
		digits string
		to     any
		want   string
	}{
		{"93 01 02 03", new([2]int), "[2]int len is 2, but msgpack has 3 elements"},
		{"c403010203", new([2]byte), "[2]uint8 len is 2, but msgpack has 3 elements"},
		{"91 01", new([]byte), "msgpack: invalid code=91 decoding string/bytes length"},
		{"01", new([]byte), "msgpack: invalid code=1 decoding string/bytes length"},
		{"01", new(string), "msgpack: invalid code=1 decoding string/bytes length"},
		{"01", new(bool), "msgpack: invalid code=1 decoding bool"},
		{"c3", new(int8), "msgpack: invalid code=c3 decoding int64"},
		{"c3", new(uint8), "msgpack: invalid code=c3 decoding uint64"},
		{"c3", new(float32), "msgpack: invalid code=c3 decoding float32"},
		{"c3", new(float64), "msgpack: invalid code=c3 decoding float64"},
		{"01", new([]int), "msgpack: invalid code=1 decoding array length"},
		{"01", new([]string), "msgpack: invalid code=1 decoding array length"},
		{"01", new([2]int), "msgpack: invalid code=1 decoding array length"},
		{"01", new(map[string]int), "msgpack: unexpected code=1 decoding map length"},
		{"01", new(map[int]int), "msgpack: unexpected code=1 decoding map length"},
		{"01", new(point), "msgpack: unexpected code=1 decoding map length"},
		{"d70581a15805", new(point), "msgpack: unexpected code=d7 decoding map length"},
		{"91 01", new(point), "msgpack: number of fields in array-encoded struct has changed"},
		{"81 80 01", new(map[any]any), "msgpack: unsupported map key: map[string]interface {}"},
		{"81 90 01", new(map[any]any), "msgpack: unsupported map key: []interface {}"},
		{"81 c400 01", new(map[any]any), "msgpack: unsupported map key: []uint8"},
		{"01", new(chan int), "msgpack: Decode(unsupported chan int)"},
		{"01", new(func()), "msgpack: Decode(unsupported func())"},
		{"01", new(complex128), "msgpack: Decode(unsupported complex128)"},
		{"cb4072c00000000000", new(int8), "msgpack: float 300 does not fit int8"},
		{"c1", new(any), "msgpack: unknown code c1 decoding interface{}"},
		{"d6ff000000", new(time.Time), "unexpected EOF"},
		{"d6050000 0000", new(time.Time), "msgpack: invalid time ext id=5"},
		{"d5ff0000", new(time.Time), "msgpack: invalid ext len=2 decoding time"},
	} {
		if err := into(t, c.digits, c.to); text(err) != c.want {
			t.Errorf("%s into %T: %v; want %s", c.digits, c.to, err, c.want)
		}
	}
	number := 1
	for want, v := range map[string]any{
		"msgpack: Decode(nil)":                    nil,
		"msgpack: Decode(non-pointer string)":     "a",
		"msgpack: Decode(non-settable *int)":      (*int)(nil),
		"msgpack: Decode(non-settable *[]string)": (*[]string)(nil),
		"msgpack: Decode(non-pointer int)":        pointerTo(any(number)),
	} {
		if err := Unmarshal([]byte{1}, v); text(err) != want {
			t.Errorf("%v; want %s", err, want)
		}
	}
	for _, v := range []any{make(chan int), (chan int)(nil), func() {}, complex(1, 1), []chan int{nil}, map[string]func(){"a": nil}, struct{ C complex64 }{}} {
		if _, err := Marshal(v); err == nil {
			t.Errorf("Marshal(%T) gives no error", v)
		}
	}
	d := newDecoder()
	d.ResetBytes([]byte{0x82, 0xa1, 'X', 1, 0xa1, 'z', 2})
	d.DisallowUnknownFields(true)
	if err := d.Decode(new(point)); text(err) != `msgpack: unknown field "z"` {
		t.Error(err)
	}
	if err := d.DecodeValue(reflect.ValueOf(1)); text(err) != "msgpack: Decode(non-settable int)" {
		t.Error(err)
	}
}

// Values that are decoded into one map or slice share no memory.
func TestIndependent(t *testing.T) {
	var lists map[int][]int
	if err := Unmarshal(unhex(t, "82 01 92 01 02 02 92 03 04"), &lists); err != nil {
		t.Fatal(err)
	}
	lists[1] = append(lists[1], 9)
	lists[1][0] = 8
	if !reflect.DeepEqual(lists, map[int][]int{1: {8, 2, 9}, 2: {3, 4}}) {
		t.Error(lists)
	}
	var a, b []any
	data := unhex(t, "93 91 01 91 02 93 cd0100 cd0200 a161")
	for _, to := range []*[]any{&a, &b} {
		if err := Unmarshal(data, to); err != nil {
			t.Fatal(err)
		}
	}
	first := a[0].([]any)
	_ = append(first, "overrun")
	first[0] = "changed"
	if want := []any{[]any{int8(1)}, []any{int8(2)}, []any{uint16(256), uint16(512), "a"}}; !reflect.DeepEqual(b, want) || !reflect.DeepEqual(a[1:], want[1:]) {
		t.Error(a, b)
	}
	var pointers []*int
	if err := Unmarshal([]byte{0x92, 1, 2}, &pointers); err != nil || *pointers[0] != 1 || *pointers[1] != 2 {
		t.Error(pointers, err)
	}
}

// A loop may decode a stream into one any without clearing it. From the second value on, the any
// does not contain a pointer, which is an error. Each such call skips its value, so the loop ends.
func TestDecodeAgainIntoAny(t *testing.T) {
	stream := unhex(t, "01 93 01 02 03 c0 a161 02")
	for name, r := range map[string]io.Reader{
		"bytes.Reader":  bytes.NewReader(stream),
		"bytes.Buffer":  bytes.NewBuffer(stream),
		"plain reader":  iotest.DataErrReader(bytes.NewReader(stream)),
		"byte by byte":  iotest.OneByteReader(bytes.NewReader(stream)),
		"Buffer":        bufferOf(stream),
		"bytes, not io": nil,
	} {
		t.Run(name, func(t *testing.T) {
			d := NewDecoder(r)
			if r == nil {
				d.ResetBytes(stream)
			}
			var v any
			var got []string
			for len(got) < 20 {
				err := d.Decode(&v)
				if err == io.EOF {
					break
				}
				got = append(got, fmt.Sprint(fmt.Sprint(v), text(err)))
				if d.InputOffset() == 0 {
					t.Fatal("the decoder does not advance")
				}
			}
			held := fmt.Sprint("1", "msgpack: Decode(non-pointer int8)")
			if want := []string{"1", held, held, held, held}; !slices.Equal(got, want) {
				t.Errorf("got  %q\nwant %q", got, want)
			}
		})
	}
	d := NewDecoder(bytes.NewReader(stream))
	d.Skip()
	v := any(7)
	var where *Error
	if err := d.Decode(&v); !errors.As(err, &where) || where.Offset != 1 {
		t.Errorf("%+v", err)
	}
}

func bufferOf(data []byte) *Buffer {
	b := new(Buffer)
	b.Write(data)
	return b
}
