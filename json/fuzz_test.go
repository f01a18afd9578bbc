package json_test

// The fuzz targets compare this package with encoding/json.

import (
	std "encoding/json"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/internal/corpus"
	"github.com/slipstream-go/slipstream/internal/guard"
	"github.com/slipstream-go/slipstream/json"
)

// fuzzLimit limits the input length, because other tests use long inputs.
const fuzzLimit = 1 << 16

// addInputs adds some inputs of the differential tests to a fuzz target.
func addInputs(add func(in string)) {
	for i, in := range inputs() {
		if len(in.text) < 500 && (i%7 == 0 || in.shape == object) {
			add(in.text)
		}
	}
}

// FuzzUnmarshal decodes into each type, from bytes and from a stream. The target is zero or filled.
func FuzzUnmarshal(f *testing.F) {
	n := 0
	addInputs(func(in string) {
		f.Add([]byte(in), uint16(n))
		n += 17
	})
	for i, x := range targets() {
		for j, in := range ownInputs(x) {
			if (i+j)%5 == 0 && len(in) < 2000 {
				f.Add([]byte(in), uint16(i))
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, selector uint16) {
		data = guard.Test(t, data)
		if len(data) > fuzzLimit {
			return
		}
		x := targets()[int(selector)%len(targets())]
		if s := unlikeUnmarshal(data, x.fresh); s != "" {
			t.Errorf("Unmarshal of %q into a new %v: %s", data, x.t, s)
		}
		if s := unlikeUnmarshal(data, x.filled); s != "" {
			t.Errorf("Unmarshal of %q into a filled %v: %s", data, x.t, s)
		}
		options := int(selector) / len(targets()) % optionSets
		if options&byteByByte != 0 && len(data) > 1000 {
			options ^= byteByByte
		}
		if s := unlikeDecode(data, x.filled, options); s != "" {
			t.Errorf("Decode with options %b of %q into a filled %v: %s", options, data, x.t, s)
		}
	})
}

// FuzzUnmarshalAny decodes without a type. Both libraries encode the result in the same way, and
// decoding that text gives an equal value.
func FuzzUnmarshalAny(f *testing.F) {
	addInputs(func(in string) { f.Add([]byte(in)) })
	f.Fuzz(func(t *testing.T, data []byte) {
		data = guard.Test(t, data)
		if len(data) > fuzzLimit {
			return
		}
		for _, newTarget := range []func() any{func() any { return new(any) }, func() any { return new([]any) }, func() any { return &map[string]any{"A": &Base{1, 2}} }, func() any { var v any = &[]any{&Base{1, 2}, 5}; return &v }} {
			if s := unlikeUnmarshal(data, newTarget); s != "" {
				t.Errorf("Unmarshal of %q into %T: %s", data, newTarget(), s)
			}
			if s := unlikeDecode(data, newTarget, useNumber); s != "" {
				t.Errorf("Decode of %q into %T: %s", data, newTarget(), s)
			}
		}
		var v, again any
		if json.Unmarshal(data, &v) != nil {
			return
		}
		if s := unlikeMarshal(v); s != "" {
			t.Errorf("%q: %s", data, s)
		}
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b, &again); err != nil || !reflect.DeepEqual(v, again) {
			t.Errorf("%q became %q, which is read as %v, %v", data, b, again, err)
		}
	})
}

// written is the struct that FuzzMarshal fills with its input.
type written struct {
	Text    string
	Quoted  string `json:",string"`
	Bytes   []byte
	F       float64
	G       float32 `json:"g<,string"`
	N       int64   `json:",omitempty"`
	U       uint64  `json:",string,omitzero"`
	Keys    map[string]int
	Ints    map[int16]string
	Number  std.Number
	Raw     std.RawMessage
	Own     writesJSON
	Texts   writesText
	Pointer *writesJSONPointer
	Any     any
	List    []any
	Base
}

// FuzzMarshal encodes strings and numbers made of arbitrary bytes. It also decodes the bytes into a
// value of a type, and encodes that value.
func FuzzMarshal(f *testing.F) {
	n := 0
	addInputs(func(in string) {
		f.Add([]byte(in), math.Float64bits(float64(n)/7), uint16(n))
		n += 17
	})
	r := corpus.New(5)
	for i := range 200 {
		f.Add([]byte(hardString(r)), r.Uint64(), uint16(i))
	}
	for _, bits := range []uint64{0, 1 << 63, math.Float64bits(1e21), math.Float64bits(1e-6), math.Float64bits(1e-7), math.Float64bits(math.Inf(1)), math.Float64bits(math.NaN()), math.Float64bits(math.MaxFloat64), 1} {
		f.Add([]byte("<\xff\u2028>"), bits, uint16(0))
	}
	f.Fuzz(func(t *testing.T, data []byte, bits uint64, selector uint16) {
		data = guard.Test(t, data)
		if len(data) > fuzzLimit {
			return
		}
		text := string(data)
		half := text[len(text)/2:]
		v := written{
			Text: text, Quoted: half, Bytes: data, F: math.Float64frombits(bits), G: math.Float32frombits(uint32(bits)), N: int64(bits), U: bits,
			Keys: map[string]int{text: 1, half: 2, "": 3}, Ints: map[int16]string{int16(bits): text, int16(bits >> 16): half}, Number: std.Number(text), Raw: data, Own: writesJSON{text}, Texts: writesText{half},
			Pointer: &writesJSONPointer{half}, Any: []any{text, math.Float32frombits(uint32(bits >> 32)), map[string]any{half: bits}}, List: []any{half, int64(bits), uint8(bits)},
		}
		// All parts together are valid only for few inputs, so the target tests combinations of
		// parts.
		if selector&1 != 0 {
			v.Raw, v.Own, v.Pointer = nil, writesJSON{"1"}, nil
		}
		if selector&2 != 0 {
			v.Number = ""
		}
		if selector&4 != 0 || math.IsNaN(v.F) || math.IsInf(v.F, 0) {
			v.F, v.G, v.Any = 1, 2, nil
		}
		for _, x := range []any{v, &v, text, v.Number, v.Raw, v.F, v.G, v.Keys, v.Ints, v.Any} {
			if s := unlikeMarshal(x); s != "" {
				t.Errorf("%T of %q, %#x: %s", x, data, bits, s)
			}
		}
		x := targets()[int(selector>>3)%len(targets())].filled()
		if o := attempt(func() error { return std.Unmarshal(data, x) }); o.panicked == nil {
			if s := unlikeMarshal(x); s != "" {
				t.Errorf("%T of %q: %s", x, data, s)
			}
			if s := unlikeMarshal(reflect.ValueOf(x).Elem().Interface()); s != "" {
				t.Errorf("%T by value of %q: %s", x, data, s)
			}
		}
	})
}

// FuzzStream runs scripts over inputs that arrive in pieces. The plan contains the script and the
// sizes of the pieces.
func FuzzStream(f *testing.F) {
	for i, in := range streamInputs {
		if len(in) < 300 {
			f.Add(in, []byte{byte(i % 9), byte(i % 4), byte(i), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})
			f.Add(in, []byte{byte(i % 5), 3, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1})
			f.Add(in, []byte{byte(i % 7), 2, 255, 2, 1, 2, 1, 2, 0, 2, 1, 2, 0, 2, 0, 3, 4, 5})
		}
	}
	f.Fuzz(func(t *testing.T, in string, plan []byte) {
		plan = guard.Test(t, plan)
		if len(in) > fuzzLimit || len(plan) < 4 || len(plan) > 200 {
			return
		}
		s := stream{input: in, sizes: []int{1 + int(plan[0]%100), int(plan[0] / 100), 1 + int(plan[1]/4)}, end: io.EOF, together: plan[1]&1 != 0}
		if plan[1]&2 != 0 {
			s.end = errReader
		}
		if len(in) > 0 && plan[2] > 0 {
			s.faults = []int{int(plan[2]) % (len(in) + 1)}
		}
		var script strings.Builder
		for _, op := range plan[3:] {
			script.WriteByte(scriptLetters[int(op)%len(scriptLetters)])
		}
		s.script = script.String()
		if diff := s.unlike(); diff != "" {
			t.Errorf("%v: %s", s, diff)
		}
	})
}

// FuzzValidCompactIndent compares the functions that do not depend on Go types.
func FuzzValidCompactIndent(f *testing.F) {
	addInputs(func(in string) { f.Add([]byte(in), []byte("\t")) })
	f.Add([]byte(`[1,{"a":[]}]`), []byte("<\xff>"))
	f.Fuzz(func(t *testing.T, data, indent []byte) {
		data = guard.Test(t, data)
		indent = guard.Test(t, indent)
		if len(data) > fuzzLimit || len(indent) > 20 {
			return
		}
		if s := unlikeText(data, string(indent[:len(indent)/2]), string(indent)); s != "" {
			t.Errorf("%q: %s", data, s)
		}
		// Bytes in a RawMessage are also checked and compacted.
		if s := unlikeMarshal(std.RawMessage(data)); s != "" {
			t.Errorf("RawMessage %q: %s", data, s)
		}
	})
}
