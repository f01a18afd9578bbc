package msgpack

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/internal/msgpwire"
)

type (
	onePointer    struct{ P *int }
	markedPointer struct { // has the size of a pointer, so an interface may hold it directly
		_ struct{}
		P *int
	}
	pointerThenEmpty struct {
		P *int
		E [0]int
	}
	behindPointer struct {
		A any
		B int
		C map[int]any
		D string
	}
	embedsPointer struct{ *behindPointer }
	oneMap        struct{ M map[string]any }
	pointerArray  [1]*int
	funcField     struct{ F func() }
)

// Values are encoded correctly if an interface holds the value itself instead of a pointer to it.
func TestValuesInInterfaces(t *testing.T) {
	seven := 7
	for _, c := range []struct {
		v    any
		want string
	}{
		{onePointer{&seven}, "81 a150 07"},
		{onePointer{}, "81 a150 c0"},
		{markedPointer{P: &seven}, "81 a150 07"},
		{markedPointer{}, "81 a150 c0"},
		{pointerThenEmpty{P: &seven}, "82 a150 07 a145 90"},
		{pointerArray{&seven}, "91 07"},
		{[1]map[string]int{{"a": 1}}, "91 81 a161 01"},
		{oneMap{map[string]any{"a": map[int]int{1: 2}}}, "81 a14d 81 a161 81 01 02"},
		{embedsPointer{&behindPointer{map[int]int{1: 2}, 5, map[int]any{3: map[int]int{4: 5}}, "x"}},
			"84 a141 81 01 02 a142 05 a143 81 03 81 04 05 a144 a178"},
		{embedsPointer{}, "84 a141 c0 a142 c0 a143 c0 a144 c0"},
		{[]any{map[int]int{1: 2}, &seven, map[int]any{3: map[int]any{4: &seven}}}, "93 81 01 02 07 81 03 81 04 07"},
		{map[int]any{1: map[int]any{2: map[int]any{3: nil}}}, "81 01 81 02 81 03 c0"},
	} {
		wantHex(t, c.v, c.want)
		wantHex(t, []any{c.v, c.v}, "92"+c.want+c.want)
		p := reflect.New(reflect.TypeOf(c.v))
		p.Elem().Set(reflect.ValueOf(c.v))
		wantHex(t, p.Interface(), c.want)
	}
	if _, err := Marshal(funcField{}); text(err) != "msgpack: Encode(unsupported func())" {
		t.Error(err)
	}
}

// fickle changes itself during encoding.
type fickle struct{ N int }

func (f *fickle) EncodeMsgpack(e *Encoder) error {
	f.N++
	return e.EncodeInt(int64(f.N))
}

type holdsFickle struct {
	A int
	F fickle
	L [2]fickle
}

// scribbler is held directly by an interface. Its method encodes other such values before it reads
// its receiver again.
type scribbler map[string]int

func (s *scribbler) EncodeMsgpack(e *Encoder) error {
	if err := e.Encode(map[int]string{1: "a", 2: "b", 3: "c"}[2]); err != nil {
		return err
	}
	if err := e.Encode(map[int]int{9: 9}); err != nil {
		return err
	}
	return e.EncodeInt(int64(len(*s)))
}

// A method with a pointer receiver does not change the value in an interface.
func TestPointerReceivers(t *testing.T) {
	for _, v := range []any{fickle{1}, holdsFickle{1, fickle{1}, [2]fickle{{1}, {1}}}, [2]fickle{{1}, {1}},
		struct{ H holdsFickle }{holdsFickle{F: fickle{1}}}} {
		before := marshal(t, v)
		if after := marshal(t, v); !bytes.Equal(before, after) {
			t.Errorf("%T: encoding changed the value: %x, then %x", v, before, after)
		}
	}
	wantHex(t, scribbler{"a": 1, "b": 2}, "a162 81 09 09 02")
	wantHex(t, []any{scribbler{"a": 1, "b": 2}, scribbler{}}, "92 a162 81 09 09 02 a162 81 09 09 00")
	f := fickle{1}
	marshal(t, &f)
	if f.N != 2 {
		t.Error("through a pointer the method works on the value itself")
	}
}

type ring struct {
	Name string
	Next *ring
	Face any
	List []any
	Map  map[string]any
}

type customRing struct{ next *customRing }

func (c *customRing) EncodeMsgpack(e *Encoder) error { return e.EncodeMulti("next", c.next) }

type selfSlice []selfSlice
type selfMap map[string]selfMap

// Encoding a value that contains itself is an error.
func TestCycles(t *testing.T) {
	pointer := &ring{}
	pointer.Next = pointer
	face := &ring{}
	face.Face = face
	list := &ring{List: make([]any, 2)}
	list.List[0], list.List[1] = list.List, list
	byName := &ring{Map: map[string]any{}}
	byName.Map["a"], byName.Map["b"] = byName.Map, byName
	custom := &customRing{}
	custom.next = custom
	var self any
	self = &self
	slice := make(selfSlice, 2)
	slice[0], slice[1] = slice, slice
	named := selfMap{}
	named["a"] = named
	for name, v := range map[string]any{"pointer": pointer, "interface": face, "list": list, "map": byName, "custom": custom,
		"pointer to any": self, "slice": slice, "typed map": named} {
		if _, err := Marshal(v); err == nil || !strings.Contains(err.Error(), "nest deeper") {
			t.Errorf("%s: error %.100s", name, text(err))
		}
		if b, err := Marshal(pointer.Name); err != nil || !bytes.Equal(b, []byte{msgpwire.Fixstr}) {
			t.Errorf("after %s: %x, %v", name, b, err)
		}
	}
}

// A value is decoded into the pointer that an interface holds, and replaces any other value in it.
// Faults of such targets were found in v5 and in Basekick's fork of it.
func TestDecodeIntoInterfaces(t *testing.T) {
	for _, c := range []decodeCase{
		{name: "nil_clears_pointer_in_list", digits: "91c0", to: &[]any{new(point)}, want: &[]any{nil}},
		{name: "nil_clears_pointer_in_field", digits: "81a146c0", to: &struct{ F any }{new(point)}, want: &struct{ F any }{}},
		{name: "nil_clears_interface_field", digits: "81a146c0", to: &struct{ F any }{"old"}, want: &struct{ F any }{}},
		{name: "value_replaces_nil_pointer_in_field", digits: "81a14605", to: &struct{ F any }{(*point)(nil)}, want: &struct{ F any }{int8(5)}},
		{name: "value_replaces_nil_pointer_in_list", digits: "9181a15805", to: &[]any{(*point)(nil)}, want: &[]any{map[string]any{"X": int8(5)}}},
		{name: "value_is_decoded_into_held_pointer", digits: "9181a15805", to: &[]any{&point{Y: 1}}, want: &[]any{&point{X: 5, Y: 1}}},
		{name: "value_replaces_held_value_in_field", digits: "81a146a178", to: &struct{ F any }{7}, want: &struct{ F any }{"x"}},
		{name: "list_replaces_held_slice_in_field", digits: "81a1469101", to: &struct{ F any }{[]string{"x"}}, want: &struct{ F any }{[]any{int8(1)}}},
		{name: "string_element_of_a_list_is_replaced", digits: "91a179", to: &[]any{"x"}, want: &[]any{"y"}},
		{name: "int_into_nil_interface_with_DecodeMsgpack_is_rejected", digits: "81a14605", to: new(struct{ F decoderFace }), err: "msgpack: Decode(int8 into msgpack.decoderFace)"},
		{name: "nil_into_interface_with_DecodeMsgpack", digits: "81a146c0", to: new(struct{ F decoderFace }), want: new(struct{ F decoderFace })},
		{name: "int_into_error_is_rejected", digits: "81a14505", to: new(struct{ E error }), err: "msgpack: Decode(int8 into error)"},
		{name: "str_into_stringer_is_rejected", digits: "81a153a178", to: new(struct{ S fmt.Stringer }), err: "msgpack: Decode(string into fmt.Stringer)"},
		{name: "list_into_reader_is_rejected", digits: "90", to: new(io.Reader), err: "msgpack: Decode([]interface {} into io.Reader)"},
		{name: "nil_clears_stringer", digits: "81a153c0", to: &struct{ S fmt.Stringer }{time.Second}, want: new(struct{ S fmt.Stringer })},
	} {
		c.run(t)
	}

	t.Run("interface_at_the_top_must_hold_a_pointer_or_nil", func(t *testing.T) {
		for _, c := range []struct {
			holds any
			err   string
		}{
			{nil, ""}, {new(int), ""}, {(*int)(nil), ""}, {"x", "msgpack: Decode(non-pointer string)"}, {7, "msgpack: Decode(non-pointer int)"},
			{[]int{1}, "msgpack: Decode(non-pointer []int)"}, {map[string]any{}, "msgpack: Decode(non-pointer map[string]interface {})"},
		} {
			for _, digits := range []string{"05", "c0"} {
				v := c.holds
				if err := into(t, digits, &v); text(err) != c.err {
					t.Errorf("%s over %T: %v", digits, c.holds, err)
				}
			}
		}
		var itself any
		itself = &itself
		if err := Unmarshal([]byte{5}, itself); err == nil || !strings.Contains(err.Error(), "nest deeper") {
			t.Error(err)
		}
	})
}
