package json_test

// These tests use methods that misbehave. They change their input or the decoding target, decode
// and encode themselves, run the garbage collector, and panic.

import (
	"bytes"
	std "encoding/json"
	"io"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/slipstream-go/slipstream/internal/growth"
	"github.com/slipstream-go/slipstream/json"
)

// cutsOff replaces the slice that is being decoded, if its input is true.
type cutsOff struct {
	Text string
	P    *int
}

var (
	beingCut []cutsOff
	cutTo    func()
)

func (c *cutsOff) UnmarshalJSON(b []byte) error {
	if string(b) == "true" {
		cutTo()
	}
	c.Text = string(b)
	return nil
}

// An element may replace the slice that contains it. encoding/json continues in the new slice, or
// panics if its length is impossible. This package keeps as many elements as fit, and writes
// nothing outside of the array.
func TestSliceIsCutOff(t *testing.T) {
	inGo126(t) // with jsonv2, encoding/json is called and panics
	if !growth.Apart(t) {
		return
	}
	other := make([]cutsOff, 8)
	for i := range other {
		other[i].Text = "untouched"
	}
	for name, cut := range map[string]func(){
		"nil":      func() { beingCut = nil },
		"shorter":  func() { beingCut = other[2:3:3] },
		"empty":    func() { beingCut = other[:0:0] },
		"longer":   func() { beingCut = make([]cutsOff, 5, 100) },
		"appended": func() { beingCut = append(beingCut[:len(beingCut):len(beingCut)], cutsOff{}, cutsOff{}) },
	} {
		cutTo = cut
		for _, in := range []string{`[true]`, `[1,true]`, `[1,2,3,true,5,6,7,8,9]`, `[true,true,true,true,true]`, `[1,2,true,{"x":[]},5,true]`, `[1,2,3,true,}`} {
			for _, have := range []int{0, 4, 40} {
				beingCut = make([]cutsOff, 0, have)
				err := json.Unmarshal([]byte(in), &beingCut)
				if (err == nil) != std.Valid([]byte(in)) || len(beingCut) > cap(beingCut) {
					t.Errorf("%s, %s into %d: %v, length %d of %d", name, in, have, err, len(beingCut), cap(beingCut))
				}
				runtime.GC()
				for _, c := range beingCut {
					_ = strings.Clone(c.Text)
				}
			}
		}
		for i, c := range other {
			if i != 2 && c.Text != "untouched" {
				t.Errorf("%s: written beside the slice, at %d: %q", name, i, c.Text)
			}
		}
		other[2].Text = "untouched"
	}
}

// If the tag option "string" causes decoding to end at an element, the elements before it are
// stored. This is also true for elements that contain only numbers.
func TestFlatElementEnds(t *testing.T) {
	type quoted struct {
		A int `json:",string"`
	}
	type deeper struct {
		B int
		Q [2]quoted
	}
	for _, in := range []string{`[{"A":"1"},{"A":"x"},{"A":"3"}]`, `[{"A":"x"}]`, `[{"A":"1"},{"A":"2"},{"A":" 3"},{"A":"4"}]`, `[{"A":"1"},{"A":1},{"A":"3"}]`, `[{"A":"1"},{"A":"x"}`} {
		into[[]quoted](t, in)
		into[[3]quoted](t, in)
		into[one[[]quoted]](t, `{"A":`+in+`}`)
		into[[]deeper](t, `[{"B":1},{"B":2,"Q":`+in+`},{"B":3}]`)
		into[map[string][]quoted](t, `{"a":[{"A":"1"}],"b":`+in+`}`)
	}
}

// reads decodes and encodes its contents with all functions of this package, and runs the garbage
// collector meanwhile.
type reads struct{ Depth int }

func (r *reads) UnmarshalJSON(b []byte) error {
	runtime.GC()
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(b, &fields); err != nil {
		return err
	}
	var in reads
	if next := fields["next"]; next != nil {
		if err := json.Unmarshal(next, &in); err != nil {
			return err
		}
		r.Depth = in.Depth + 1
	}
	if _, err := json.Marshal(fields); err != nil {
		return err
	}
	d := json.NewDecoder(iotest.OneByteReader(bytes.NewReader(b)))
	for {
		if _, err := d.Token(); err == io.EOF {
			runtime.GC()
			return nil
		} else if err != nil {
			return err
		}
	}
}

func (r reads) MarshalJSON() ([]byte, error) {
	runtime.GC()
	if r.Depth == 0 {
		return []byte(`{}`), nil
	}
	b, err := json.Marshal(map[string]any{"next": reads{r.Depth - 1}, "text": strings.Repeat("<", r.Depth)})
	if err == nil {
		err = json.Unmarshal(b, new(any))
	}
	runtime.GC()
	return b, err
}

// Methods may call this package from within its calls, in several goroutines at once.
func TestMethodsInMethods(t *testing.T) {
	if !growth.Apart(t) {
		return
	}
	type around struct {
		Text string
		List []string
		R    reads
		M    map[string]*reads
		A    any
		P    *[]reads
		Maps map[string]reads
	}
	v := around{"text", []string{"a", "b"}, reads{3}, map[string]*reads{"x": {2}, "y": nil}, []any{reads{1}, map[string]any{"z": reads{2}}}, &[]reads{{1}, {2}}, map[string]reads{"a": {2}, "b": {1}, "c": {3}, "d": {}, "e": {}}}
	text, err := std.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var want around
	if err := std.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	together(3, func(int) {
		if b, err := json.Marshal(v); err != nil || !bytes.Equal(b, text) {
			t.Errorf("%s, %v; want %s", short(string(b)), err, short(string(text)))
		}
		var got around
		if err := json.Unmarshal(text, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, %v; want %+v", got, err, want)
		}
	})
}

// Types whose methods overwrite their input.
type (
	overwritesJSON struct{ N int }
	overwritesText struct{ N int }
)

func (o *overwritesJSON) UnmarshalJSON(b []byte) error { return overwrite(&o.N, b, '}') }
func (o *overwritesText) UnmarshalText(b []byte) error { return overwrite(&o.N, b, '"') }

func overwrite(n *int, b []byte, with byte) error {
	*n = len(b)
	for i := range b {
		b[i] = with
	}
	return nil
}

// A method may overwrite its input. Nothing else changes.
func TestMethodsThatOverwrite(t *testing.T) {
	type around struct {
		A overwritesJSON
		B overwritesText
		C string
		D map[string]overwritesText
		E map[string]overwritesJSON
		K []overwritesJSON
		Z int
	}
	for _, n := range []int{0, 100, 1000} {
		in := `{"A":{"x":[1,2]},"B":"plain","C":"c","D":{"k":"value","l":"\u0041"},"E":{"m":[true]},"K":[1,"x",{"a":1}],"Z":5,"fill":"` + strings.Repeat("x", n) + `"}`
		want := around{overwritesJSON{11}, overwritesText{5}, "c", map[string]overwritesText{"k": {5}, "l": {1}}, map[string]overwritesJSON{"m": {6}}, []overwritesJSON{{1}, {3}, {7}}, 5}
		for _, lib := range []func([]byte, any) error{std.Unmarshal, json.Unmarshal} {
			var got around
			if err := lib([]byte(in), &got); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%+v, %v; want %+v", got, err, want)
			}
		}
		for _, newDecoder := range []func(io.Reader) decoder{newStd, newOurs} {
			d := newDecoder(strings.NewReader(in + in))
			for range 2 {
				var got around
				if err := d.Decode(&got); err != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("in a stream: %+v, %v; want %+v", got, err, want)
				}
			}
		}
	}
}

// A method that overwrites its input may also return an error. The caller gets that error, although
// the input is no longer JSON, and a stream continues after the value.
func TestMethodsThatOverwriteAndFail(t *testing.T) {
	inGo126(t) // with jsonv2, encoding/json is called and finds the overwritten bytes
	for _, n := range []int{0, 100, 1000} {
		in := `{"C":"c","K":[1,"fails",3],"Z":5,"fill":"` + strings.Repeat("x", n) + `"}`
		type around struct {
			C string
			K []overwritesAndFails
			Z int
		}
		for _, lib := range []func([]byte, any) error{std.Unmarshal, json.Unmarshal} {
			var v around
			if err := lib([]byte(in), &v); err != errReader || v.C != "c" || len(v.K) != 2 || v.Z != 0 {
				t.Errorf("%+v, %v", v, err)
			}
		}
		for _, newDecoder := range []func(io.Reader) decoder{newStd, newOurs} {
			d := newDecoder(strings.NewReader(in + `{"C":"next"}`))
			var v around
			if err := d.Decode(&v); err != errReader {
				t.Errorf("in a stream: %v", err)
			}
			if err := d.Decode(&v); err != nil || v.C != "next" {
				t.Errorf("after it: %+v, %v", v, err)
			}
		}
	}
}

// overwritesAndFails overwrites its input, and returns an error for a string.
type overwritesAndFails struct{}

func (overwritesAndFails) UnmarshalJSON(b []byte) error {
	fails := b[0] == '"'
	for i := range b {
		b[i] = '}'
	}
	if fails {
		return errReader
	}
	return nil
}

// If a method panics after a type mismatch, the error of the mismatch does not appear in a later
// call.
func TestPanicInParse(t *testing.T) {
	for range 20 {
		o := attempt(func() error {
			_, err := json.Parse([]byte(`[{"A":"x","B":1}]`), new([]struct {
				A int
				B readsPanic
			}), json.UseNumber)
			return err
		})
		if o.panicked != any("of a method") {
			t.Fatal(o.panicked)
		}
		var v Base
		if err := json.Unmarshal([]byte(`{"A":1,"B":2}`), &v); err != nil || v != (Base{1, 2}) {
			t.Fatalf("%+v, with the error of another call: %v", v, err)
		}
	}
}
