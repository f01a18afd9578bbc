package msgpack

// Hostile input and careless methods must not nest endlessly by alternating kinds of types, or
// multiply allocations. Results must not refer to the input, and objects in a pool must stay
// intact.
//
// Other tests cover each kind of nesting alone (TestDepth), single bombs (TestBombs and
// TestClaims), results from bytes (TestNoAliasing), panics (TestPanicsInMethods), cycles
// (TestCycles) and ext types (ext_test.go).

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
)

// mixed can nest in each of these ways: a struct, a pointer, a list, a map, an interface that
// contains a pointer, and a method.
type mixed struct {
	P *mixed           `msgpack:"p"`
	L []mixed          `msgpack:"l"`
	M map[string]mixed `msgpack:"m"`
	A [1]*mixed        `msgpack:"a"`
	F any              `msgpack:"f"`
	C *mixedCustom     `msgpack:"c"`
	N int              `msgpack:"n"`
}

// mixedCustom is an array of one mixed, decoded by a method.
type mixedCustom struct{ inner mixed }

func (c *mixedCustom) DecodeMsgpack(d *Decoder) error {
	if n, err := d.DecodeArrayLen(); err != nil || n != 1 {
		return errors.Join(err, errors.New("not one element"))
	}
	return d.Decode(&c.inner)
}

func (c *mixedCustom) EncodeMsgpack(e *Encoder) error {
	return errors.Join(e.EncodeArrayLen(1), e.Encode(&c.inner))
}

// roads contains the encoding of one level of nesting for each kind.
var roads = map[string]string{"pointer": "81 a170", "list": "81 a16c 91", "map": "81 a16d 81 a16b", "array": "81 a161 91", "custom": "81 a163 91"}

// The levels of all kinds of nesting count together towards the maximum depth.
func TestDepthIsShared(t *testing.T) {
	nest := func(steps int) []byte {
		var b []byte
		for _, road := range []string{"custom", "list", "map", "pointer", "array"} {
			for range steps {
				b = append(b, unhex(t, roads[road])...)
			}
		}
		b = append(b, unhex(t, "81 a166")...) // and further levels in an any
		for range steps {
			b = append(b, 0x91)
		}
		return append(b, 0x07)
	}
	for steps, deep := range map[int]bool{500: false, 2500: true} {
		for name, d := range sources(nest(steps)) {
			var v mixed
			err := d.Decode(&v)
			if deep != (err != nil) || deep && !strings.Contains(err.Error(), "nest deeper than 10000") {
				t.Errorf("%d steps on each road from %s: %v", steps, name, text(err))
			}
			if deep {
				continue
			}
			if b, err := Marshal(&v); err != nil || len(b) == 0 {
				t.Error(err)
			}
			d.ResetBytes([]byte{0x81, 0xa1, 'n', 5})
			if err := d.Decode(&v); err != nil || v.N != 5 {
				t.Errorf("after %s: %v", name, err)
			}
		}
	}
	var v mixed
	at := &v
	for range 3000 { // the depth is limited in encoding too
		at.C = &mixedCustom{inner: mixed{L: []mixed{{}}}}
		at = &at.C.inner.L[0]
	}
	if _, err := Marshal(&v); err == nil || !strings.Contains(err.Error(), "nest deeper than 10000") {
		t.Error(text(err))
	}
}

// greedy is a list of itself. Its method lets the decoder allocate the list.
type greedy struct{ list []greedy }

func (g *greedy) DecodeMsgpack(d *Decoder) error { return d.Decode(&g.list) }

// A message may claim a large count at every level, also through methods and map decoders. All
// levels share one limit on allocation.
func TestCreditIsShared(t *testing.T) {
	type wide struct {
		Pad  [100]int64
		List []wide `msgpack:"l"`
	}
	for name, c := range map[string]struct {
		level string
		to    func() any
	}{
		"methods":        {"dd00ffffff", func() any { return new(greedy) }},
		"lists":          {"dd00ffffff", func() any { return new(listOfItself) }},
		"any":            {"dd00ffffff", func() any { return new(any) }},
		"maps":           {"df00ffffff a16b", func() any { return new(mapOfItself) }},
		"maps in an any": {"df00ffffff a16b", func() any { return new(any) }},
		"wide elements":  {"81 a16c dd00ffffff", func() any { return new(wide) }},
		"untyped":        {"df00ffffff a16b", func() any { return new(map[any]any) }},
	} {
		bomb := bytes.Repeat(unhex(t, c.level), 100)
		for from, d := range sources(bomb) {
			var err error
			if got := allocated(func() { err = d.Decode(c.to()) }); got > 1<<20 || err == nil {
				t.Errorf("%s from %s: %d bytes allocated for %d, %v", name, from, got, len(bomb), err)
			}
		}
	}
}

// Results do not change if the input is overwritten, or if the decoder reads on.
func TestResultsAreTheirOwn(t *testing.T) {
	type everything struct {
		Text   string
		Bytes  []byte
		Raw    RawMessage
		Any    any
		Keys   map[string]int
		Method keeper
		Texts  []string
		Text2  textual
	}
	value := unhex(t, "88 a454657874 a5746578742e a54279746573 c403010203 a3526177 92a16101 a3416e79 93a161c40162 81a16302 a44b657973 82a16101a16202"+
		"a64d6574686f64 93010203 a55465787473 92a178a179 a55465787432 a17a")
	buffer := bytes.NewBuffer(bytes.Clone(value))
	whole := bytes.Clone(value)
	bytesDecoder := newDecoder()
	bytesDecoder.ResetBytes(whole)
	for name, c := range map[string]struct {
		d        *Decoder
		scribble func()
	}{
		"bytes":        {bytesDecoder, func() { clear(whole) }},
		"bytes.Buffer": {NewDecoder(buffer), func() { buffer.Reset(); buffer.Write(bytes.Repeat([]byte{0xff}, 300)) }},
		"stream":       {NewDecoder(io.MultiReader(iotest.HalfReader(bytes.NewReader(value)), bytes.NewReader(bytes.Repeat([]byte{0xff}, 20000)))), func() {}},
	} {
		var v everything
		if err := c.d.Decode(&v); err != nil {
			t.Fatalf("%s: %+v", name, err)
		}
		before := sortedBytes(t, &v)
		c.scribble()
		for range 10000 {
			if name != "bytes" {
				c.d.DecodeInterface()
			}
		}
		if after := sortedBytes(t, &v); !bytes.Equal(before, after) || v.Text != "text." || v.Text2.s != "text z" || v.Texts[1] != "y" {
			t.Errorf("%s: %x became %x", name, before, after)
		}
	}
}

// Types whose methods panic, one for each kind of method.
type (
	panicMarshal   struct{ A int }
	panicText      struct{ A int }
	panicBinary    struct{ A int }
	panicZero      struct{ A int }
	recovers       struct{ seen any }
	panicsInMiddle struct{ A int }
)

func (panicMarshal) MarshalMsgpack() ([]byte, error)   { panic("marshal") }
func (*panicMarshal) UnmarshalMsgpack([]byte) error    { panic("unmarshal") }
func (panicText) MarshalText() ([]byte, error)         { panic("text") }
func (*panicText) UnmarshalText([]byte) error          { panic("text") }
func (panicBinary) MarshalBinary() ([]byte, error)     { panic("binary") }
func (*panicBinary) UnmarshalBinary([]byte) error      { panic("binary") }
func (panicZero) IsZero() bool                         { panic("zero") }
func (*panicsInMiddle) EncodeMsgpack(e *Encoder) error { e.EncodeString("half"); panic("middle") }
func (*panicsInMiddle) DecodeMsgpack(d *Decoder) error { d.DecodeArrayLen(); panic("middle") }

// recovers calls a method that panics, recovers, and continues.
func (r *recovers) EncodeMsgpack(e *Encoder) error {
	func() {
		defer func() { r.seen = recover() }()
		e.Encode(&panicsInMiddle{})
	}()
	return e.EncodeInt(1)
}

func (r *recovers) DecodeMsgpack(d *Decoder) error {
	func() {
		defer func() { r.seen = recover() }()
		d.Decode(&panicsInMiddle{})
	}()
	return d.Skip()
}

// caught returns the value with which f panics, or nil.
func caught(f func()) (p any) {
	defer func() { p = recover() }()
	f()
	return nil
}

// Encoders, Decoders and their pools work after a method has panicked, with and without a reset.
func TestAfterPanics(t *testing.T) {
	bad := []any{&panicsInMiddle{}, panicMarshal{}, panicText{}, panicBinary{}, []any{1, map[string]any{"a": &panicsInMiddle{}}}, []panicText{{}}, map[panicText]int{{}: 1},
		struct {
			Z panicZero `msgpack:",omitempty"`
		}{}}
	good := map[string]any{"b": []any{1, "a"}, "a": map[string]any{"d": 1, "c": 2}}
	want := unhex(t, "82 a161 82 a163 02 a164 01 a162 92 01 a161")
	for _, v := range bad {
		var out bytes.Buffer
		e := NewEncoder(&out).SetSortMapKeys(true)
		for range 3 {
			if caught(func() { e.Encode(v) }) == nil || caught(func() { Marshal(v) }) == nil {
				t.Fatalf("%T does not panic", v)
			}
			out.Reset()
			if err := e.Encode(good); err != nil || !bytes.Equal(out.Bytes(), want) {
				t.Errorf("after %T: %x, %v", v, out.Bytes(), err)
			}
			if b := marshal(t, []any{1, "a"}); !bytes.Equal(b, []byte{0x92, 1, 0xa1, 'a'}) {
				t.Errorf("after %T: %x", v, b)
			}
		}
	}
	for digits, to := range map[string]any{"91 01": new(panicsInMiddle), "91 91 01": new([]panicsInMiddle), "91 a161": new([]panicMarshal), "a161": new(panicText), "c40161": new(panicBinary),
		"91 a162": new([1]panicText), "81 a16b 91 01": new(map[string]*panicsInMiddle), "81 a158 a161": new(struct{ X any }), "81 a161 02": new(map[panicText]int)} {
		if v, ok := to.(*struct{ X any }); ok {
			v.X = new(panicBinary)
		}
		data := unhex(t, digits)
		for range 3 {
			if caught(func() { Unmarshal(data, to) }) == nil {
				t.Fatalf("%T does not panic", to)
			}
			for name, d := range sources(append(bytes.Clone(data), bytes.Repeat([]byte{5}, 20)...)) {
				caught(func() { d.Decode(to) })
				var rest []byte
				for {
					v, err := d.DecodeInterface()
					if err != nil {
						break
					}
					if v == int8(5) {
						rest = append(rest, 5)
					}
				}
				if len(rest) != 20 {
					t.Errorf("%T from %s: %d of 20 values after the panic", to, name, len(rest))
				}
				if d.inside != 0 || d.depth != 0 {
					t.Errorf("%T from %s: %d calls open, %d deep", to, name, d.inside, d.depth)
				}
			}
		}
	}
}

// A method may recover from a panic in an inner method. Later values decode correctly.
func TestRecoveredInside(t *testing.T) {
	var r recovers
	d := newDecoder()
	d.ResetBytes(unhex(t, "93 91 07 05 06"))
	var list []any
	if n, err := d.DecodeArrayLen(); n != 3 || err != nil {
		t.Fatal(n, err)
	}
	if err := d.Decode(&r); err != nil || r.seen != "middle" {
		t.Error(r, err)
	}
	for range 2 {
		v, err := d.DecodeInterface()
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, v)
	}
	if fmt.Sprint(list) != "[5 6]" || d.inside != 0 {
		t.Error(list, d.inside)
	}
	if b := marshal(t, []any{&recovers{}, 2}); !bytes.Equal(b, unhex(t, "92 a468616c66 01 02")) && !bytes.Equal(b, unhex(t, "920102")) {
		t.Errorf("%x", b)
	}
}

// Panics in some goroutines do not affect other goroutines that use the same pools.
func TestPanicsAmongOthers(t *testing.T) {
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for i := range 200 {
				if g%2 == 0 {
					caught(func() { Marshal([]any{i, &panicsInMiddle{}}) })
					caught(func() { Unmarshal([]byte{0x91, 0x91, 1}, new([]panicsInMiddle)) })
					continue
				}
				var v []any
				b, err := Marshal([]any{i, "a"})
				if err == nil {
					err = Unmarshal(b, &v)
				}
				if err != nil || len(v) != 2 || v[1] != "a" {
					t.Error(v, err)
				}
			}
		})
	}
	all.Wait()
}
