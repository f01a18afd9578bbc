package msgpack

import (
	"bytes"
	"reflect"
	"testing"
	"time"
)

type (
	inner struct {
		A int
		B string
	}
	secret struct {
		hidden int
		Shown  int `msgpack:",omitempty"`
	}
	zeroOnSunday struct{ Day int }
	Outer        struct {
		inner
		C int
	}
	throughPointer struct {
		*inner
		C int
	}
	nestedByTag struct {
		inner `msgpack:",noinline"`
		C     int
	}
	Exported struct{ A int }
	noinline struct {
		Exported `msgpack:"exp,noinline"`
		C        int
	}
	collides struct {
		A int
		Exported
	}
	forced struct {
		A        int
		Exported `msgpack:",inline"`
	}
	shadowed struct {
		Exported
		A int
	}
	aliasFirst struct {
		A int `msgpack:"alias:X"`
		X int
	}
	aliasLast struct {
		X int
		A int `msgpack:"alias:X"`
	}
	recursive struct {
		*recursive
		N int
	}
	tuple struct {
		_msgpack struct{} `msgpack:",as_array"` //lint:ignore U1000 read by its tag
		A        int      `msgpack:",omitempty"`
		B        *string
	}
	lateOmit struct {
		A        int
		_msgpack struct{} `msgpack:",omitempty"` //lint:ignore U1000 read by its tag
		B        int
	}
	quoted struct {
		A int `msgpack:"'something:special'"`
		B int `msgpack:"alias:bee"`
		C int `msgpack:"-"`
		D int `msgpack:"-,"`
		E int `msgpack:" spaced , omitempty "`
	}
)

func (z zeroOnSunday) IsZero() bool { return z.Day == 7 }

// Structs are encoded and decoded by the rules of their tags.
func TestTags(t *testing.T) {
	for _, c := range []struct {
		v    any
		want string
	}{
		{Outer{inner{1, "b"}, 2}, "83 a141 01 a142 a162 a143 02"},
		{throughPointer{&inner{1, "b"}, 2}, "83 a141 01 a142 a162 a143 02"},
		{throughPointer{nil, 2}, "83 a141 c0 a142 c0 a143 02"},
		{nestedByTag{inner{1, "b"}, 2}, "82 a5696e6e6572 82 a141 01 a142 a162 a143 02"},
		{noinline{Exported{1}, 2}, "82 a3657870 81 a141 01 a143 02"},
		{collides{1, Exported{2}}, "82 a141 01 a84578706f72746564 81 a141 02"},
		{forced{1, Exported{2}}, "81 a141 01"},
		{shadowed{Exported{1}, 2}, "82 a141 01 a141 02"},
		{recursive{nil, 1}, "82 a9726563757273697665 c0 a14e 01"},
		{tuple{A: 1}, "92 01 c0"},
		{tuple{}, "92 00 c0"},
		{lateOmit{}, "81 a141 00"},
		{lateOmit{B: 1}, "82 a141 00 a142 01"},
		{quoted{1, 2, 3, 4, 0}, "82 b1 736f6d657468696e673a7370656369616c 01 a142 02"},
		{quoted{E: 1}, "83 b1 736f6d657468696e673a7370656369616c 00 a142 00 a6737061636564 01"},
		{struct{}{}, "80"},
	} {
		wantHex(t, c.v, c.want)
		back := reflect.New(reflect.TypeOf(c.v))
		if err := into(t, c.want, back.Interface()); err != nil {
			t.Errorf("%T: %v", c.v, err)
		}
	}
}

// A field is decoded from its other names too.
func TestTagsDecode(t *testing.T) {
	for _, c := range []struct {
		digits   string
		to, want any
	}{
		{"81 a3626565 05", new(quoted), &quoted{B: 5}},
		{"81 a142 05", new(quoted), &quoted{B: 5}},
		{"81 a143 05", new(quoted), &quoted{}},
		{"81 a162 05", new(quoted), &quoted{}},
		{"81 a141 05", new(throughPointer), &throughPointer{inner: &inner{A: 5}}},
		{"81 a141 c0", new(throughPointer), &throughPointer{inner: &inner{}}},
		{"81 a141 c0", &throughPointer{inner: &inner{A: 5}}, &throughPointer{inner: &inner{}}},
		{"81 a143 05", new(throughPointer), &throughPointer{C: 5}},
		{"81 a84578706f72746564 81 a141 05", new(collides), &collides{Exported: Exported{5}}},
		{"81 a84578706f72746564 81 a141 05", new(forced), &forced{Exported: Exported{5}}},
		// A name is decoded into the field that Go's own rules select.
		{"81 a141 05", new(shadowed), &shadowed{A: 5}},
		{"82 a141 05 a141 06", new(shadowed), &shadowed{A: 6}},
		// If a name equals the alias of another field, the later field gets the value.
		{"81 a158 05", new(aliasFirst), &aliasFirst{X: 5}},
		{"81 a158 05", new(aliasLast), &aliasLast{A: 5}},
		{"82 a141 05 a142 a16b", new(tuple), &tuple{A: 5, B: pointerTo("k")}},
		{"92 05 a16b", new(tuple), &tuple{A: 5, B: pointerTo("k")}},
		{"92 05 a16b", new(inner), &inner{5, "k"}},
		{"93 05 a16b 06", new(throughPointer), &throughPointer{&inner{5, "k"}, 6}},
		{"93 c0 c0 06", new(throughPointer), &throughPointer{&inner{}, 6}},
		{"81 d90141 05", new(inner), &inner{A: 5}},
		{"81 c40141 05", new(inner), &inner{A: 5}},
		{"82 a142 a162 a141 05", new(inner), &inner{5, "b"}},
		{"de0002 a142 a162 a141 05", new(inner), &inner{5, "b"}},
		{"82 c0 01 a141 05", new(inner), &inner{A: 5}},
	} {
		if err := into(t, c.digits, c.to); err != nil || !reflect.DeepEqual(c.to, c.want) {
			t.Errorf("%s into %T: %+v, %v; want %+v", c.digits, c.to, reflect.ValueOf(c.to).Elem(), err, reflect.ValueOf(c.want).Elem())
		}
	}
}

// omitempty omits exactly the values that count as empty.
func TestOmitEmpty(t *testing.T) {
	type fields struct {
		String string         `msgpack:"a,omitempty"`
		Int    int            `msgpack:"b,omitempty"`
		Float  float64        `msgpack:"c,omitempty"`
		Bool   bool           `msgpack:"d,omitempty"`
		Slice  []int          `msgpack:"e,omitempty"`
		Map    map[string]int `msgpack:"f,omitempty"`
		Ptr    *int           `msgpack:"g,omitempty"`
		Any    any            `msgpack:"h,omitempty"`
		Array  [2]int         `msgpack:"i,omitempty"`
		None   [0]int         `msgpack:"j,omitempty"`
		Time   time.Time      `msgpack:"k,omitempty"`
		Secret secret         `msgpack:"l,omitempty"`
		Zeroer zeroOnSunday   `msgpack:"m,omitempty"`
		PZero  *zeroOnSunday  `msgpack:"n,omitempty"`
		Inner  inner          `msgpack:"o,omitempty"`
	}
	always := "a169 920000 a16d 81 a3446179 00 a16f 82 a141 00 a142 a0"
	wantHex(t, fields{}, "83"+always)
	wantHex(t, fields{Any: ""}, "83"+always)
	wantHex(t, fields{Any: 0, Slice: []int{}, Map: map[string]int{}}, "83"+always)
	wantHex(t, fields{Any: struct{}{}}, "83"+always)
	wantHex(t, fields{PZero: &zeroOnSunday{7}}, "83"+always)
	wantHex(t, fields{Zeroer: zeroOnSunday{7}}, "82 a169 920000 a16f 82 a141 00 a142 a0")
	wantHex(t, fields{Ptr: new(int)}, "84 a167 00"+always)
	wantHex(t, fields{Secret: secret{hidden: 1}}, "84 a169 920000 a16c 80 a16d 81 a3446179 00 a16f 82 a141 00 a142 a0")
	wantHex(t, fields{Slice: []int{0}, Any: 1}, "85 a165 9100 a168 01"+always)

	type plain struct {
		N int
		S string
		P *int
		I inner
		T struct{ U struct{ V int } }
		L []inner
	}
	for _, c := range []struct {
		v    any
		want string
	}{
		{plain{}, "80"},
		{plain{I: inner{A: 1}}, "81 a149 81 a141 01"},
		{plain{L: []inner{{}, {A: 1}}}, "81 a14c 92 80 81 a141 01"},
		{throughPointer{nil, 1}, "81 a143 01"},
		{throughPointer{&inner{B: "x"}, 0}, "81 a142 a178"},
		{tuple{}, "92 00 c0"},
	} {
		var out bytes.Buffer
		e := NewEncoder(&out)
		e.SetOmitEmpty(true)
		if err := e.Encode(c.v); err != nil || !bytes.Equal(out.Bytes(), unhex(t, c.want)) {
			t.Errorf("SetOmitEmpty, %+v: %x, %v; want %s", c.v, out.Bytes(), err, c.want)
		}
	}
}

// With a custom struct tag, that tag applies to fields without a msgpack tag.
func TestCustomStructTag(t *testing.T) {
	type both struct {
		A int `json:"x,omitempty"`
		B int `json:"y" msgpack:"b"`
		C int `json:"-"`
		D struct {
			E int `json:"e"`
		} `json:"d"`
	}
	var out bytes.Buffer
	e := NewEncoder(&out)
	e.SetCustomStructTag("json")
	v := both{1, 2, 3, struct {
		E int `json:"e"`
	}{4}}
	want := unhex(t, "83 a178 01 a162 02 a164 81 a165 04")
	if err := e.EncodeMulti(v, both{}); err != nil || !bytes.Equal(out.Bytes(), append(want, unhex(t, "82 a162 00 a164 81 a165 00")...)) {
		t.Errorf("%x, %v", out.Bytes(), err)
	}
	d := NewDecoder(&out)
	d.SetCustomStructTag("json")
	var back both
	if err := d.Decode(&back); err != nil || back.A != 1 || back.B != 2 || back.C != 0 || back.D.E != 4 {
		t.Error(back, err)
	}
	wantHex(t, inner{1, "b"}, "82 a141 01 a142 a162")
	if err := Unmarshal(want, &back); err != nil {
		t.Error(err)
	}
	if b := marshal(t, both{}); !bytes.Equal(b, unhex(t, "84 a141 00 a162 00 a143 00 a144 81 a145 00")) {
		t.Errorf("the tag stays in the pool: %x", b)
	}
}

// With the option, structs are encoded as arrays, and decoded by position.
func TestArrayStructs(t *testing.T) {
	var out bytes.Buffer
	e := NewEncoder(&out)
	e.UseArrayEncodedStructs(true)
	v := throughPointer{&inner{1, "b"}, 2}
	if err := e.EncodeMulti(v, []inner{{1, "x"}}, map[string]inner{"k": {2, "y"}}); err != nil ||
		!bytes.Equal(out.Bytes(), unhex(t, "93 01 a162 02 91 92 01 a178 81 a16b 92 02 a179")) {
		t.Fatalf("%x, %v", out.Bytes(), err)
	}
	var back throughPointer
	var list []inner
	var byName map[string]inner
	if err := NewDecoder(&out).DecodeMulti(&back, &list, &byName); err != nil || !reflect.DeepEqual(back, v) || list[0] != (inner{1, "x"}) || byName["k"] != (inner{2, "y"}) {
		t.Error(back, list, byName, err)
	}
}

// With SortMapKeys, maps with string keys are sorted at every depth.
func TestSortMapKeys(t *testing.T) {
	for _, v := range []any{
		map[string]any{"b": map[string]any{"d": 1, "c": map[string]any{"f": 1, "e": 2}}, "a": []any{map[string]any{"z": 1, "y": 2}}, "c": 3},
		map[string]string{"b": "1", "a": "2", "c": "3"}, map[string]int{"b": 1, "a": 2, "c": 3}, map[string]bool{"b": true, "a": false},
		map[string]float64{"b": 1, "a": 2}, map[string]int64{"b": 1, "a": 2},
	} {
		var first []byte
		for range 20 {
			var out bytes.Buffer
			if err := NewEncoder(&out).SetSortMapKeys(true).Encode(v); err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = out.Bytes()
			}
			if !bytes.Equal(first, out.Bytes()) {
				t.Errorf("%T: %x, then %x", v, first, out.Bytes())
			}
			back := reflect.New(reflect.TypeOf(v))
			if err := Unmarshal(first, back.Interface()); err != nil || back.Elem().Len() != reflect.ValueOf(v).Len() {
				t.Error(back.Elem(), err)
			}
		}
	}
	e := NewEncoder(new(bytes.Buffer)).SetSortMapKeys(true)
	if err := e.Encode(map[string]any{"a": map[string]any{"x": func() {}, "y": 1}, "b": 1}); err == nil {
		t.Error("no error")
	}
	var out bytes.Buffer
	e.ResetWriter(&out)
	if err := e.Encode(map[string]any{"b": 1, "a": 2}); err != nil || !bytes.Equal(out.Bytes(), unhex(t, "82 a161 02 a162 01")) {
		t.Errorf("after an error: %x, %v", out.Bytes(), err)
	}
}
