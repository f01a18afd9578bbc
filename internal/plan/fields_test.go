package plan

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/internal/mem"
)

type (
	Inner  struct{ A, B int }
	hidden struct {
		C int
		d int //lint:ignore U1000 Fields must skip it
	}
	Deep struct {
		X int
		*Inner
	}
	opaque struct{ Z int }
	text   string
	Loop   struct {
		N int
		*Loop
	}
	LoopA struct {
		*LoopB
		P int
	}
	LoopB struct {
		*LoopA
		Q int
	}
)

var rules = Rules{Key: "k", Fallback: "fall", Marker: "_k", Opaque: func(t reflect.Type) bool { return t == reflect.TypeFor[opaque]() }}

// list prints fields. Aliases follow a slash, hops are printed as >, hidden fields are in brackets,
// and fields with omitempty end in a question mark.
func list(s Struct) string {
	var words []string
	for _, f := range s.Fields {
		w := strings.Repeat(">", len(f.Hops)) + f.Name
		for _, a := range f.Aliases {
			w += "/" + a
		}
		if f.Omit {
			w += "?"
		}
		if f.Hidden {
			w = "[" + w + "]"
		}
		words = append(words, w)
	}
	if s.AsArray {
		words = append(words, "as array")
	}
	return strings.Join(words, " ")
}

func TestFields(t *testing.T) {
	for _, c := range []struct {
		v    any
		want string
	}{
		{struct{}{}, ""},
		{struct {
			A, b int
			C    string
		}{}, "A C"},
		{struct {
			A int `k:"x"`
			B int `k:"-"`
			C int `k:"-,"`
			D int `k:",omitempty"`
			E int `k:"alias:old,alias:older"`
			F int `fall:"g,omitempty"`
			G int `fall:"-"`
			H int `k:"h" fall:"-"`
		}{}, "x D? E/old/older g? h"},
		// The fields of embedded structs are inlined, even if their type is unexported. The struct
		// itself can still be read by its name.
		{struct {
			Inner
			Z int
		}{}, "A B [Inner] Z"},
		{struct {
			*Inner
			Z int
		}{}, ">A >B [Inner] Z"},
		{struct {
			hidden
			Z int
		}{}, "C [hidden] Z"},
		{struct{ *hidden }{}, ">C [hidden]"},
		{struct{ Deep }{}, "X >A >B [Deep]"},
		{struct{ *Deep }{}, ">X >>A >>B [Deep]"},
		// If a name is already used, the whole struct keeps its own name. With the option inline,
		// the other fields are inlined.
		{struct {
			A int
			Inner
		}{}, "A Inner"},
		{struct {
			A     int
			Inner `k:",inline"`
		}{}, "A B [Inner]"},
		{struct {
			Inner
			A int
		}{}, "A B [Inner] A"},
		{struct {
			X int `k:"y,alias:A"`
			Inner
		}{}, "y/A Inner"},
		// Some types are not inlined: with the tag noinline, if they encode themselves, or if they
		// are not structs.
		{struct {
			Inner `k:"in,noinline"`
		}{}, "in"},
		{struct {
			Inner `k:"in"`
		}{}, "A B [in]"},
		{struct {
			hidden `k:",noinline"`
			Z      int
		}{}, "hidden Z"},
		{struct {
			C int
			hidden
		}{}, "C hidden"},
		{struct{ Opaque opaque }{}, "Opaque"},
		{struct {
			opaque
			Y int
		}{}, "opaque Y"},
		{struct {
			opaque `k:",inline"`
			Y      int
		}{}, "Z [opaque] Y"},
		{struct {
			text
			Y int
		}{}, "text Y"},
		{struct {
			fmt.Stringer
			Y int
		}{}, "Stringer Y"},
		// Types that embed themselves are inlined only once.
		{Loop{}, "N Loop"},
		{LoopA{}, ">LoopA >Q [LoopB] P"},
		// The options of the marker field apply to the struct. Its omitempty applies to the fields
		// after it.
		{struct {
			_k struct{} `k:",as_array"` //lint:ignore U1000 read by its tag
			A  int
		}{}, "A as array"},
		{struct {
			_k struct{} `k:",asArray"` //lint:ignore U1000 read by its tag
			A  int
		}{}, "A as array"},
		{struct {
			A  int
			_k struct{} `k:",omitempty"` //lint:ignore U1000 read by its tag
			B  int
			Inner
		}{}, "A B? Inner?"},
	} {
		if got := list(rules.Fields(reflect.TypeOf(c.v))); got != c.want {
			t.Errorf("%T:\n%s, want\n%s", c.v, got, c.want)
		}
	}
}

// The hops and the offset of each field lead to the same address as package reflect.
func TestOffsets(t *testing.T) {
	type outer struct {
		_ [3]byte
		hidden
		Deep
		E *int
	}
	v := outer{hidden: hidden{C: 1}, Deep: Deep{2, &Inner{3, 4}}, E: new(int)}
	want := map[string]any{"hidden": &v.hidden, "C": &v.C, "X": &v.X, "A": &v.A, "B": &v.B, "E": &v.E, "Deep": &v.Deep}
	for _, f := range rules.Fields(reflect.TypeFor[outer]()).Fields {
		p := mem.RawTo(&v)
		for _, hop := range f.Hops {
			if hop.Type != reflect.TypeFor[Inner]() {
				t.Errorf("%s: a hop to %v", f.Name, hop.Type)
			}
			p = *mem.RawAt[mem.Raw](p, hop.Offset)
		}
		if p = mem.RawAdd(p, f.Offset); p != reflect.ValueOf(want[f.Name]).UnsafePointer() || f.Type != reflect.TypeOf(want[f.Name]).Elem() {
			t.Errorf("%s: %v at %p, want %p", f.Name, f.Type, p, want[f.Name])
		}
		delete(want, f.Name)
	}
	if len(want) > 0 {
		t.Error("not found:", want)
	}
}
