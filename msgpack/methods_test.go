package msgpack

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/internal/corpus"
)

// Types of every kind that encode themselves as a text, with value or pointer receivers.
type (
	customMap      map[string]int
	customSlice    []int
	customFunc     func() string
	customChan     chan int
	customInt      int
	customEmpty    struct{}
	customWord     struct{ p *int } // an interface holds it directly
	byPointer      struct{ N int }
	promoted       struct{ byPointer }
	promotedHop    struct{ *byPointer }
	generic[T any] struct{ V T }
	customArray    [2]int
)

func (v customMap) EncodeMsgpack(e *Encoder) error { return e.EncodeString(fmt.Sprint("map ", len(v))) }
func (v customSlice) EncodeMsgpack(e *Encoder) error {
	return e.EncodeString(fmt.Sprint("slice ", len(v)))
}
func (v customFunc) EncodeMsgpack(e *Encoder) error { return e.EncodeString("func " + v()) }
func (v customChan) EncodeMsgpack(e *Encoder) error {
	return e.EncodeString(fmt.Sprint("chan ", cap(v)))
}
func (v customInt) EncodeMsgpack(e *Encoder) error   { return e.EncodeString(fmt.Sprint("int ", int(v))) }
func (v customEmpty) EncodeMsgpack(e *Encoder) error { return e.EncodeString("empty") }
func (v customWord) EncodeMsgpack(e *Encoder) error  { return e.EncodeString(fmt.Sprint("word ", *v.p)) }
func (v customArray) EncodeMsgpack(e *Encoder) error {
	return e.EncodeString(fmt.Sprint("array ", v[1]))
}
func (v generic[T]) EncodeMsgpack(e *Encoder) error {
	return e.EncodeString(fmt.Sprint("generic ", v.V))
}
func (v *byPointer) EncodeMsgpack(e *Encoder) error {
	return e.EncodeString(fmt.Sprint("pointer ", v.N))
}
func (v *byPointer) MarshalMsgpack() ([]byte, error) {
	return nil, errors.New("a CustomEncoder goes first")
}

// bothWays implements two interfaces, one with a value receiver and one with a pointer receiver. If
// both receivers were equal, the second interface would take precedence.
type bothWays struct{ N int }

func (v bothWays) MarshalMsgpack() ([]byte, error)     { return Marshal(fmt.Sprint("mixed ", v.N)) }
func (v *bothWays) EncodeMsgpack(e *Encoder) error     { return errors.New("a value's methods go first") }
func (v *bothWays) UnmarshalMsgpack(data []byte) error { return Unmarshal(data, &v.N) }

// Methods are called in every position of a value: at the top, behind pointers, and in lists,
// arrays, maps, fields and interfaces.
func TestMethodsOfEveryKind(t *testing.T) {
	seven := 7
	t.Run("map", func(t *testing.T) { everyPlace(t, customMap{"a": 1}, "map 1") })
	t.Run("slice", func(t *testing.T) { everyPlace(t, customSlice{1, 2}, "slice 2") })
	t.Run("func", func(t *testing.T) { everyPlace(t, customFunc(func() string { return "x" }), "func x") })
	t.Run("chan", func(t *testing.T) { everyPlace(t, make(customChan, 3), "chan 3") })
	t.Run("int", func(t *testing.T) { everyPlace(t, customInt(5), "int 5") })
	t.Run("empty", func(t *testing.T) { everyPlace(t, customEmpty{}, "empty") })
	t.Run("word", func(t *testing.T) { everyPlace(t, customWord{&seven}, "word 7") })
	t.Run("array", func(t *testing.T) { everyPlace(t, customArray{1, 2}, "array 2") })
	t.Run("generic int", func(t *testing.T) { everyPlace(t, generic[int]{3}, "generic 3") })
	t.Run("generic string", func(t *testing.T) { everyPlace(t, generic[string]{"s"}, "generic s") })
	t.Run("pointer", func(t *testing.T) { everyPlace(t, byPointer{4}, "pointer 4") })
	t.Run("promoted", func(t *testing.T) { everyPlace(t, promoted{byPointer{4}}, "pointer 4") })
	t.Run("promoted through a pointer", func(t *testing.T) { everyPlace(t, promotedHop{&byPointer{4}}, "pointer 4") })
	t.Run("both", func(t *testing.T) { everyPlace(t, bothWays{6}, "mixed 6") })
	t.Run("nil map", func(t *testing.T) { everyPlace(t, customMap(nil), nil) })
	t.Run("nil slice", func(t *testing.T) { everyPlace(t, customSlice(nil), nil) })
	t.Run("nil func", func(t *testing.T) { everyPlace(t, customFunc(nil), nil) })
	t.Run("nil chan", func(t *testing.T) { everyPlace(t, customChan(nil), nil) })
}

func everyPlace[T any](t *testing.T, v T, want any) {
	t.Helper()
	p := &v
	for _, c := range []struct{ v, want any }{
		{v, want}, {p, want}, {&p, want},
		{[]T{v, v}, []any{want, want}}, {[]*T{p, nil}, []any{want, nil}}, {[]T{}, []any{}}, {&[]T{v}, []any{want}},
		{[1]T{v}, []any{want}}, {&[1]T{v}, []any{want}}, {[2]T{v, v}, []any{want, want}}, {[1]*T{p}, []any{want}}, {[1][]T{{v}}, []any{[]any{want}}},
		{map[string]T{"k": v}, map[string]any{"k": want}}, {map[string]any{"k": v}, map[string]any{"k": want}},
		{struct{ F T }{v}, map[string]any{"F": want}}, {&struct{ F *T }{p}, map[string]any{"F": want}},
		{struct {
			F T
			G int8
		}{v, 1}, map[string]any{"F": want, "G": int8(1)}},
		{[]any{v, p}, []any{want, want}}, {[]fmt.Stringer{}, []any{}}, {reflect.ValueOf(v), want}, {reflect.ValueOf(p), want},
	} {
		data, err := Marshal(c.v)
		if err != nil {
			t.Errorf("%T: %v", c.v, err)
			continue
		}
		var got any
		if err := Unmarshal(data, &got); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%T: %#v, %v; want %#v", c.v, got, err, c.want)
		}
		var out writes
		if err := NewEncoder(&out).Encode(c.v); err != nil || len(out) != 1 || !bytes.Equal(out[0], data) {
			t.Errorf("%T: an Encoder writes %x, %v; want %x at once", c.v, out, err, data)
		}
	}
}

// writes keeps the bytes of each Write separately.
type writes [][]byte

func (w *writes) Write(b []byte) (int, error) {
	*w = append(*w, bytes.Clone(b))
	return len(b), nil
}

// Types that need only the flags of an Encoder share one Encoder. It stays unchanged while many
// goroutines use it, also for types that fail.
func TestFlatTypesShareAnEncoder(t *testing.T) {
	before := *flatEncoder
	type recursive struct{ Next *recursive }
	type interned struct {
		S string `msgpack:",intern"`
	}
	type omits struct {
		A int       `msgpack:",omitempty"`
		T time.Time `msgpack:",omitzero"`
	}
	values := []any{&corpus.Tree{}, &recursive{&recursive{}}, &interned{"abcd"}, &omits{}, &omits{1, time.Unix(1, 0)}, &RawMessage{1}, &Raw{1},
		&struct{ C chan int }{}, &struct{ C []complex64 }{make([]complex64, 1)}, &struct{ M map[[1]chan int]int }{map[[1]chan int]int{{}: 1}},
		&map[string]int{"a": 1}, &map[int]string{1: "a"}, &struct{ T *time.Time }{}, &struct{ P **int }{}, &struct{ E error }{errors.New("x")}, &time.Time{},
		&[]pair{{1, "a"}}, &struct{ V reflect.Value }{reflect.ValueOf(1)}}
	wants := make([][]byte, len(values))
	for i, v := range values {
		wants[i], _ = EncodeOptions{}.Marshal(v)
	}
	done := make(chan bool)
	for range 8 {
		go func() {
			defer func() { done <- true }()
			for range 20 {
				for i, v := range values {
					if b, err := Marshal(v); !bytes.Equal(b, wants[i]) || (err != nil) != (wants[i] == nil) {
						t.Errorf("%T: %x, %v; want %x", v, b, err, wants[i])
					}
				}
			}
		}()
	}
	for range 8 {
		<-done
	}
	if !reflect.DeepEqual(before, *flatEncoder) {
		t.Errorf("%+v, was %+v", *flatEncoder, before)
	}
}

// A struct with too many fields cannot be encoded or decoded, in the first call or later.
func TestStructOfTooManyFields(t *testing.T) {
	if testing.Short() {
		t.Skip("the type takes a second to make")
	}
	fields := make([]reflect.StructField, 1<<16)
	for i := range fields {
		fields[i] = reflect.StructField{Name: fmt.Sprint("F", i), Type: reflect.TypeFor[bool]()}
	}
	v := reflect.New(reflect.StructOf(fields)).Interface()
	for range 2 {
		if b, err := Marshal(v); err == nil {
			t.Errorf("%d bytes without an error", len(b))
		}
	}
	if err := Unmarshal([]byte{0x80}, v); err == nil {
		t.Error("decoded")
	}
}

// MarshalAppend writes nothing beyond its result, because that memory may belong to others.
func TestMarshalAppendWritesNothingBeyond(t *testing.T) {
	type fields struct {
		A     string
		Bcd   int8
		C     []byte
		D     *int
		Efghi bool
		Num   int
		Ghij  float64
		Last  any
	}
	n := 5
	values := []any{&fields{A: "a"}, fields{A: "a text of some length"}, &fields{D: &n, Num: 1 << 30, Last: 1.5}, &struct{}{},
		[]string{"a", "bc", "twenty bytes of text", "12345678"}, map[string]string{"a": "b"}, []int64{1, 2}, []float64{1}, "abc", 1.5, true,
		[]any{"a", nil, 1}, pair{1, "x"}, []pair{{1, "x"}}, time.Unix(1, 1), &corpus.Tree{}}
	const start = 3
	for _, v := range values {
		want := marshal(t, v)
		for room := range len(want) + 40 {
			memory := bytes.Repeat([]byte{0xee}, start+room+64)
			b, err := MarshalAppend(memory[:start:start+room], v)
			if err != nil || !bytes.Equal(b[start:], want) {
				t.Fatalf("%T: %x, %v; want %x", v, b, err, want)
			}
			beyond := memory[start+room:]
			if &b[0] == &memory[0] {
				beyond = memory[len(b):]
			}
			if !bytes.Equal(beyond, bytes.Repeat([]byte{0xee}, len(beyond))) {
				t.Errorf("%T of %d bytes into room for %d: after the result is %x", v, len(want), room, beyond[:16])
			}
		}
	}

	t.Run("MarshalAppend_keeps_the_bytes_of_dst", func(t *testing.T) {
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
}

// changing changes the map that contains it while the map is encoded.
type changing struct {
	m      map[string]any
	change func(map[string]any)
}

func (c changing) EncodeMsgpack(e *Encoder) error {
	c.change(c.m)
	return e.EncodeNil()
}

// Encoding a map ends even if the map changes meanwhile.
func TestMapThatChangesWhileItIsWritten(t *testing.T) {
	for _, n := range []int{1, 8, 9, 100, 1000, 3000} {
		for name, change := range map[string]func(map[string]any){
			"clear": func(m map[string]any) { clear(m) },
			"delete": func(m map[string]any) {
				for k := range m {
					delete(m, k)
					break
				}
			},
			"add": func(m map[string]any) {
				if len(m) > 300_000 {
					panic("it goes on for ever")
				}
				for range 4 {
					m[fmt.Sprint("new ", len(m))] = m["0"]
				}
			},
		} {
			m := make(map[string]any)
			for i := range n {
				m[fmt.Sprint(i)] = changing{m, change}
			}
			if _, err := Marshal(m); err != nil {
				t.Errorf("%s of %d: %v", name, n, err)
			}
		}
	}
}
