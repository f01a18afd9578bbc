package json

//lint:file-ignore SA5008 odd tags are part of what is tested

// The tests of encoding compare each result with encoding/json's: the same bytes, or an error with
// the same type and text.

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"net"
	"net/netip"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"
)

// encodesAs compares Marshal, and an Encoder that does not escape HTML, with encoding/json.
func encodesAs(t *testing.T, name string, v any) {
	t.Helper()
	want, wantErr := orPanic(func() ([]byte, error) { return json.Marshal(v) })
	for range 2 { // the second call uses what the first has cached
		got, err := orPanic(func() ([]byte, error) { return Marshal(v) })
		if diff := differs(got, err, want, wantErr); diff != "" {
			t.Errorf("%s: Marshal: %s", name, diff)
		}
	}

	var plain, wantPlain bytes.Buffer
	enc, std := NewEncoder(&plain), json.NewEncoder(&wantPlain)
	enc.SetEscapeHTML(false)
	std.SetEscapeHTML(false)
	_, wantErr = orPanic(func() ([]byte, error) { return nil, std.Encode(v) })
	_, err := orPanic(func() ([]byte, error) { return nil, enc.Encode(v) })
	if diff := differs(plain.Bytes(), err, wantPlain.Bytes(), wantErr); diff != "" {
		t.Errorf("%s: Encode: %s", name, diff)
	}
	prefix := []byte("prefix")
	out, err := orPanic(func() ([]byte, error) { return Append(prefix, v, SortMapKeys) })
	if err == nil {
		out = append(out, '\n')
	}
	if diff := differs(bytes.TrimPrefix(out, prefix), err, wantPlain.Bytes(), wantErr); diff != "" {
		t.Errorf("%s: Append: %s", name, diff)
	}
}

// panicked is the value of a panic in a method, as an error.
type panicked struct{ with string }

func (p panicked) Error() string { return p.with }

func orPanic(f func() ([]byte, error)) (out []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = panicked{fmt.Sprint(r)}
		}
	}()
	return f()
}

// differs describes the difference between this package's result and encoding/json's, or returns
// "".
func differs(got []byte, err error, want []byte, wantErr error) string {
	switch {
	case (err == nil) != (wantErr == nil):
		return fmt.Sprintf("error %v, want %v\ngot  %.300s\nwant %.300s", err, wantErr, got, want)
	case err == nil && !bytes.Equal(got, want):
		return fmt.Sprintf("\ngot  %.300s\nwant %.300s", got, want)
	case err == nil:
		return ""
	case reflect.TypeOf(err) != reflect.TypeOf(wantErr) || err.Error() != wantErr.Error():
		return fmt.Sprintf("error\n%T %v, want\n%T %v", err, err, wantErr, wantErr)
	}
	var failed, wantFailed *MarshalerError
	if errors.As(err, &failed) && errors.As(wantErr, &wantFailed) {
		if failed.Type != wantFailed.Type || reflect.TypeOf(failed.Err) != reflect.TypeOf(wantFailed.Err) {
			return fmt.Sprintf("%v %T, want %v %T", failed.Type, failed.Err, wantFailed.Type, wantFailed.Err)
		}
		if !reflect.DeepEqual(failed, wantFailed) {
			return fmt.Sprintf("%#v, want %#v", failed, wantFailed)
		}
	}
	var value, wantValue *UnsupportedValueError
	if errors.As(err, &value) && errors.As(wantErr, &wantValue) && !OnV2 && value.Value.Type() != wantValue.Value.Type() {
		return fmt.Sprintf("a value of %v, want %v", value.Value.Type(), wantValue.Value.Type())
	}
	return ""
}

// Types with all combinations of marshal methods and receivers.
type (
	byValue       struct{ X int }
	byPointer     struct{ X int }
	textByValue   struct{ X int }
	textByPointer struct{ X int }
	both          struct{ X int }
	mixed         struct{ X int } // text by value, JSON by pointer
	namedString   string
	textString    string
	namedInt      int
	textInt       int8
	textUint      uint16
	byteWithText  byte
	byteWithPtr   byte
	namedByte     byte
	namedBytes    []byte
	sliceMethod   []int
	mapMethod     map[string]int
	funcMethod    func()
	chanMethod    chan int
	failing       struct{ Text bool }
	failingText   struct{ X int }
	returns       struct{ Raw string }
	onePointer    struct{ P *int }
	onePointerM   struct{ P *int }
	recursive     struct {
		Next *recursive
		Kids []recursive
		Map  map[string]recursive
		Any  any
	}
	zeroByValue   struct{ N int }
	zeroByPointer struct{ N int }
	embeddedA     struct {
		A int
		B string `json:",omitempty"`
	}
	embeddedP  struct{ P, Q int }
	hiddenBase struct {
		H int
		h int
	}
	cyclicPtr   *cyclicPtr
	cyclicSlice []cyclicSlice
	cyclicMap   map[string]cyclicMap
)

func (v byValue) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, `{ "v" : %d , "<" : "&" }`, v.X), nil
}
func (v *byPointer) MarshalJSON() ([]byte, error) {
	if v == nil {
		return []byte(`"nil"`), nil
	}
	return fmt.Appendf(nil, `[ %d ]`, v.X), nil
}
func (v textByValue) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "t<%d>\xff", v.X), nil }
func (v *textByPointer) MarshalText() ([]byte, error) {
	if v == nil {
		return []byte("nil"), nil
	}
	return fmt.Appendf(nil, "p&%d", v.X), nil
}
func (v both) MarshalJSON() ([]byte, error)         { return []byte(`"json"`), nil }
func (v both) MarshalText() ([]byte, error)         { return []byte(`text`), nil }
func (v *mixed) MarshalJSON() ([]byte, error)       { return []byte(`"mixed json"`), nil }
func (v mixed) MarshalText() ([]byte, error)        { return []byte(`mixed text`), nil }
func (v textString) MarshalText() ([]byte, error)   { return []byte("text of " + string(v)), nil }
func (v textInt) MarshalText() ([]byte, error)      { return fmt.Appendf(nil, "int %d", int8(v)), nil }
func (v textUint) MarshalText() ([]byte, error)     { return nil, errors.New("no <text>") }
func (v byteWithText) MarshalText() ([]byte, error) { return []byte{'b', byte(v)}, nil }
func (v *byteWithPtr) MarshalJSON() ([]byte, error) { return []byte(`"bp"`), nil }
func (v sliceMethod) MarshalJSON() ([]byte, error)  { return fmt.Appendf(nil, "%d", len(v)), nil }
func (v mapMethod) MarshalJSON() ([]byte, error)    { return fmt.Appendf(nil, "%d", len(v)), nil }
func (v funcMethod) MarshalJSON() ([]byte, error)   { return []byte(`"func"`), nil }
func (v chanMethod) MarshalText() ([]byte, error)   { return []byte(`chan`), nil }
func (v failing) MarshalJSON() ([]byte, error)      { return []byte("true"), errors.New("it <fails>") }
func (v failingText) MarshalText() ([]byte, error)  { return nil, errors.New("no text") }
func (v returns) MarshalJSON() ([]byte, error)      { return []byte(v.Raw), nil }
func (v onePointerM) MarshalJSON() ([]byte, error)  { return fmt.Appendf(nil, "%v", v.P != nil), nil }
func (v zeroByValue) IsZero() bool                  { return v.N == 7 }
func (v *zeroByPointer) IsZero() bool               { return v.N == 8 }

func ptr[T any](v T) *T { return &v }

type sample struct {
	name string
	v    any
}

func samples() []sample {
	n := 5
	deep := &recursive{Next: &recursive{Kids: []recursive{{}, {Any: &recursive{Any: 1}}}}, Map: map[string]recursive{"x": {}, "a": {Any: "s"}}}
	var nilMarshaler Marshaler
	var nilText encoding.TextMarshaler
	all := []sample{
		{"nil", nil}, {"true", true}, {"false", false}, {"int", -12}, {"int8", int8(-128)}, {"int16", int16(math.MinInt16)}, {"int32", int32(math.MinInt32)},
		{"int64", int64(math.MinInt64)}, {"uint", uint(7)}, {"uint8", uint8(255)}, {"uint16", uint16(65535)}, {"uint32", uint32(math.MaxUint32)},
		{"uint64", uint64(math.MaxUint64)}, {"uintptr", uintptr(1)}, {"named int", namedInt(3)},
		{"float", 1.5}, {"float32", float32(0.1)}, {"NaN", math.NaN()}, {"Inf", math.Inf(1)}, {"-Inf", float32(math.Inf(-1))},
		{"floats", []float64{0, math.Copysign(0, -1), 1e20, 1e21, 1e-6, 1e-7, 123456789.125, math.MaxFloat64, math.SmallestNonzeroFloat64, 100, 1e100}},
		{"floats32", []float32{0, 1e20, 1e21, 1e-6, 1e-7, 16777216, math.MaxFloat32, math.SmallestNonzeroFloat32, 0.3}},
		{"array of floats", [2]float64{1.25, -3}}, {"NaN in array", [2]float64{1, math.NaN()}},
		{"NaN in struct", struct{ A, B float64 }{1, math.Inf(1)}}, {"NaN in struct 32", struct{ A float32 }{float32(math.NaN())}},
		{"NaN in any", []any{math.NaN()}}, {"NaN in map", map[string]float64{"a": math.NaN()}}, {"named NaN", struct{ A namedFloat }{namedFloat(math.NaN())}},
		{"string", "plain"}, {"empty string", ""}, {"html", "<a href=\"x\">&amp;</a>"}, {"controls", "\x00\x01\b\f\n\r\t\x1f \x7f"},
		{"bad UTF-8", "a\xff\xc0\xafb\xe2\x80"}, {"line ends", "x\u2028y\u2029z"}, {"unicode", "äöü 日本語 😀 \ufffd"}, {"backslash", `\\"`},
		{"long", strings.Repeat("long text ", 30)}, {"long with escapes", strings.Repeat("long \"text\" <&> ü\n", 30)}, {"named string", namedString("<x>")},
		{"nil bytes", []byte(nil)}, {"no bytes", []byte{}}, {"bytes", []byte("hello, base64?>")}, {"named bytes", namedBytes("x")}, {"slice of named bytes", []namedByte("xyz")},
		{"bytes with text", []byteWithText{1, 65}}, {"bytes with pointer method", []byteWithPtr{1, 2}}, {"array of bytes", [3]byte{1, 2, 3}}, {"array of byteWithPtr", [2]byteWithPtr{}},
		{"pointer to array of bytes", &[3]byte{1, 2, 3}}, {"array of bytes with text", [2]byteWithText{66, 67}},
		{"nil slice", []int(nil)}, {"no elements", []int{}}, {"ints", []int{1, -2, 3000000}}, {"strings", []string{"a", "<", ""}}, {"bools", []bool{true, false}},
		{"int8s", []int8{-1, 2}}, {"uint64s", []uint64{1, math.MaxUint64}}, {"nested", [][]int{nil, {}, {1}, {2, 3}}}, {"empty array", [0]int{}}, {"arrays", [][2]int{{1, 2}, {3, 4}}},
		{"nil pointer", (*int)(nil)}, {"pointer", &n}, {"pointer to pointer", ptr(&n)}, {"pointer to nil", ptr((*int)(nil))},
		{"nil map", map[string]int(nil)}, {"empty map", map[string]int{}}, {"map", map[string]int{"b": 1, "a": 2, "<": 3, "aa": 4, "": 5}},
		{"map of int keys", map[int]string{-1: "a", 10: "b", 9: "c", 2: "d", 123456789: "e", 123456788: "f", 12345678: "g"}},
		{"map of uint8 keys", map[uint8]bool{9: true, 10: false, 200: true}}, {"map of int64 keys", map[int64]any{math.MinInt64: 1, math.MaxInt64: nil}},
		{"map of uint64 keys", map[uint64][]int{math.MaxUint64: {1}, 1: nil}}, {"map of int8", map[int8]int16{-128: 1, 127: 2}}, {"map of uint16", map[uint16]int16{1: 1, 127: 2}},
		{"map of named keys", map[namedString]int{"x": 1, "<y>": 2}}, {"map of text strings", map[textString]int{"x": 1, "a": 2}}, {"map of text ints", map[textInt]int{1: 1, 2: 2}},
		{"map of failing keys", map[textUint]int{1: 1}}, {"map of text structs", map[textByValue]int{{1}: 1, {2}: 2}}, {"map of pointers", map[*textByPointer]int{{1}: 1, nil: 2}},
		{"map of pointer-text structs", map[textByPointer]int{{1}: 1}}, {"map of interfaces", map[encoding.TextMarshaler]int{textByValue{3}: 1, textInt(4): 2}},
		{"map of floats", map[float64]int{1: 1}}, {"nil map of floats", map[float64]int(nil)}, {"map of any", map[any]int{}}, {"map of bools", map[bool]int{}}, {"map of structs", map[struct{}]int{}},
		{"map of structs values", map[string]struct{ A, B int }{"x": {1, 2}, "y": {3, 4}}}, {"map of large values", map[string][40]int{"x": {1}, "y": {2}}},
		{"map of empties", map[string]struct{}{"x": {}}}, {"map of arrays", map[string][2]byteWithPtr{"x": {1, 2}}}, {"map of maps", map[string]map[int]string{"x": {1: "a", 0: "b"}, "y": nil, "z": {}}},
		{"map of methods", map[string]byValue{"a": {1}, "b": {2}}}, {"map of pointer methods", map[string]byPointer{"a": {1}}}, {"map of pointers to methods", map[string]*byPointer{"a": {1}, "b": nil}},
		{"map of time", map[string]time.Time{"a": time.Unix(0, 0).UTC()}}, {"large map", largeMap(300)}, {"larger map", largeMap(3000)}, {"map of ints, large", largeIntMap(500)},
		{"map any", map[string]any{"s": "x", "f": 1.5, "n": nil, "b": true, "l": []any{1, "2", nil}, "m": map[string]any{"z": 1, "a": 2}, "i": 3, "u": uint8(4), "p": &n}},
		{"chan", make(chan int)}, {"nil chan", (chan int)(nil)}, {"func", func() {}}, {"complex", 1i}, {"unsafe pointer", reflect.ValueOf(&n).UnsafePointer()},
		{"slice of chans", []chan int{}}, {"nil slice of chans", []chan int(nil)}, {"one chan", []chan int{nil}}, {"nil pointer to chan", (*chan int)(nil)}, {"map of chans", map[string]chan int{}},
		{"map of one chan", map[string]chan int{"a": nil}}, {"chan in struct", struct{ C chan int }{}}, {"omitted chan", struct {
			C chan int `json:",omitempty"`
		}{}}, {"omitzero chan", struct {
			C chan int `json:",omitzero"`
		}{}}, {"hidden chan", struct {
			C chan int `json:"-"`
			c chan int
		}{}}, {"array of no chans", [0]chan int{}},
		{"byValue", byValue{1}}, {"*byValue", &byValue{1}}, {"nil *byValue", (*byValue)(nil)}, {"**byValue", ptr(&byValue{2})}, {"byPointer", byPointer{1}}, {"*byPointer", &byPointer{1}}, {"nil *byPointer", (*byPointer)(nil)},
		{"textByValue", textByValue{1}}, {"*textByValue", &textByValue{1}}, {"nil *textByValue", (*textByValue)(nil)}, {"textByPointer", textByPointer{1}}, {"*textByPointer", &textByPointer{1}}, {"nil *textByPointer", (*textByPointer)(nil)},
		{"both", both{}}, {"mixed", mixed{1}}, {"*mixed", &mixed{1}}, {"mixed in slice", []mixed{{1}}}, {"mixed in map", map[string]mixed{"a": {1}}}, {"mixed in array", [1]mixed{{1}}}, {"mixed in array pointer", &[1]mixed{{1}}},
		{"sliceMethod", sliceMethod(nil)}, {"sliceMethods", []sliceMethod{nil, {1}}}, {"mapMethod", mapMethod(nil)}, {"mapMethods", []mapMethod{nil, {"a": 1}}}, {"funcMethod", funcMethod(nil)}, {"chanMethod", chanMethod(nil)},
		{"pointer to mapMethod", &mapMethod{"x": 1}}, {"struct of methods", struct {
			A byValue
			B byPointer
			C *byPointer
			D textByValue
			E textByPointer
			F mapMethod
			G []byPointer
			H [1]byPointer
			I map[string]byPointer
			J any
			K sliceMethod
		}{G: []byPointer{{1}}, I: map[string]byPointer{"a": {2}}, J: byPointer{3}}}, {"pointer to struct of methods", &struct {
			A byValue
			B byPointer
			C *byPointer
			D textByValue
			E textByPointer
			F mapMethod
			G []byPointer
			H [1]byPointer
			I map[string]byPointer
			J any
			S struct{ B byPointer }
		}{J: &byPointer{3}}},
		{"failing", failing{}}, {"*failing", &failing{}}, {"failing in struct", struct{ A, B failing }{}}, {"failing text", failingText{}}, {"failing text in slice", []*failingText{{}}}, {"failing text by pointer", &struct{ F *failingText }{&failingText{}}},
		{"returns", returns{` [ 1 , "<é\u2028>" , { } ] `}}, {"invalid", returns{`[1,}`}}, {"nothing", returns{""}}, {"two", returns{"1 2"}}, {"invalid in map", map[string]returns{"x": {"nul"}}}, {"control", returns{"\"\x01\""}},
		{"interface of marshaler", struct{ M Marshaler }{}}, {"interface holding nil", struct{ M Marshaler }{(*byPointer)(nil)}}, {"interface holding failing", struct{ M Marshaler }{failing{}}},
		{"nil marshalers", []Marshaler{nilMarshaler, byValue{1}, &byPointer{2}}}, {"nil texts", []encoding.TextMarshaler{nilText, textByValue{1}, (*textByPointer)(nil)}}, {"failing text in interface", []encoding.TextMarshaler{failingText{}}},
		{"stringers", []fmt.Stringer{nil, time.Second, net.IP{1, 2, 3, 4}}}, {"errors", []error{errors.New("x"), nil}},
		{"one pointer", onePointer{&n}}, {"one nil pointer", onePointer{}}, {"one pointer with method", onePointerM{&n}}, {"array of a pointer", [1]*int{&n}}, {"any of one pointer", []any{onePointer{&n}, onePointerM{}, [1]*int{nil}}},
		{"raw", RawMessage(` {"a" : "<b>" } `)}, {"nil raw", RawMessage(nil)}, {"empty raw", RawMessage{}}, {"bad raw", RawMessage("{")}, {"raw pointer", ptr(RawMessage("[1 ,2]"))}, {"nil raw pointer", (*RawMessage)(nil)}, {"bad raw pointer", ptr(RawMessage("x"))},
		{"raw in struct", struct {
			R  RawMessage
			P  *RawMessage
			O  RawMessage `json:",omitempty"`
			M  map[string]RawMessage
			NR namedRaw
		}{R: RawMessage("1"), M: map[string]RawMessage{"x": RawMessage(`"y"`), "n": nil}, NR: namedRaw("x")}},
		{"number", Number("12.5e3")}, {"empty number", Number("")}, {"bad number", Number("1x")}, {"bad numbers", []Number{"01"}}, {"numbers", []Number{"0", "-0", "1.0", "1e5", "-1.5E-7"}}, {"worse number", Number("1e")}, {"number with space", Number(" 1")},
		{"number in struct", struct {
			A Number
			B Number  `json:",string"`
			C *Number `json:",string"`
			D Number  `json:",omitempty"`
		}{B: "3", C: ptr(Number("4"))}},
		{"map of numbers", map[Number]Number{"x": "1"}},
		{"time", time.Date(2024, 2, 29, 1, 2, 3, 450, time.UTC)}, {"time in zone", time.Date(1999, 12, 31, 23, 59, 59, 999999999, time.FixedZone("", -5*3600-1800))}, {"zero time", time.Time{}}, {"zone of seconds", time.Date(2000, 1, 1, 0, 0, 0, 0, time.FixedZone("", 30))},
		{"year 10000", time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}, {"year -1", time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC)}, {"zone of 24 hours", time.Date(2000, 1, 1, 0, 0, 0, 0, time.FixedZone("", 24*3600))}, {"zone of 100 hours", time.Date(2000, 1, 1, 0, 0, 0, 0, time.FixedZone("", -100*3600))},
		{"time in struct", struct {
			A time.Time
			B *time.Time
			C time.Time `json:",omitzero"`
			D time.Time `json:",omitempty"`
			E time.Duration
		}{B: ptr(time.Unix(1, 1000).UTC()), E: time.Second}},
		{"bad time pointer", struct{ A *time.Time }{ptr(time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC))}}, {"embedded time", struct {
			time.Time
			X int
		}{}},
		{"big", big.NewInt(-12)}, {"big value", *big.NewInt(5)}, {"big float", big.NewFloat(1.5)}, {"addr", netip.MustParseAddr("::1")}, {"addresses", map[netip.Addr]int{netip.MustParseAddr("::1"): 1}}, {"url", url.URL{Host: "x"}}, {"ip", net.IPv4(1, 2, 3, 4)},
		{"recursive", deep}, {"recursive value", *deep}, {"reflect.Value", reflect.ValueOf(1)},
		{"empty struct", struct{}{}}, {"no exported fields", struct{ a, b int }{1, 2}}, {"struct of empty", struct{ A struct{} }{}}, {"structs in structs", struct {
			A struct {
				B struct{ C struct{ D string } }
			}
			E struct{ F, G int }
			H struct{}
		}{}},
		{"keys", struct {
			A int     `json:"<a>"`
			B string  `json:"b&c"`
			C bool    `json:"ü日本"`
			D float64 `json:"a name that is longer than thirty-two bytes"`
			E int     `json:"another name that is even longer than sixty-four bytes: by some more"`
			F string  `json:"-,"`
			G int     `json:"a\\b"`
			H int     `json:""`
		}{}}, {"omitempty", omitsOf(false)}, {"omitempty, set", omitsOf(true)}, {"omitzero", zerosOf(false)}, {"omitzero, set", zerosOf(true)},
		{"omits in pointer", ptr(zerosOf(true))}, {"all omitted", struct {
			A int    `json:",omitempty"`
			B string `json:",omitempty"`
		}{}}, {"first omitted", struct {
			A int    `json:",omitempty"`
			B string `json:"b"`
			C string `json:",omitempty"`
			D string
			E string `json:",omitempty"`
		}{C: "c"}}, {"last omitted", struct {
			B string `json:"b"`
			C string `json:",omitempty"`
		}{}}, {"omitted in between", struct {
			B string `json:"b"`
			C string `json:",omitempty"`
			D string `json:"a name that is longer than thirty-two bytes,omitempty"`
			E int    `json:"a name that is not shorter than thirty-two bytes,omitempty,string"`
		}{C: "x", D: "y", E: 5}}, {"structs that omit", []any{struct {
			A int
			S struct {
				X int `json:",omitempty"`
				Y string
			}
			T struct {
				Y string
				X int `json:",omitempty"`
			}
			U struct{ A, B string } `json:",omitzero"`
			V string
		}{}, struct {
			U struct{ A, B string } `json:",omitzero"`
			V string
		}{U: struct{ A, B string }{"a", "b"}}}},
		{"quoted", quotedOf(false)}, {"quoted, set", quotedOf(true)}, {"embedded", embedded{embeddedA: embeddedA{1, "b"}}}, {"embedded pointers", embedded{embeddedP: &embeddedP{1, 2}, Deep: &Deep{Deeper: &Deeper{Z: 3}}}},
		{"embedded, addressable", &embedded{embeddedP: &embeddedP{1, 2}, Deep: &Deep{}}}, {"embedded twice", struct {
			embeddedA
			*embeddedP
			A string
		}{A: "outer"}}, {"embedded interface", struct {
			fmt.Stringer
			X int
		}{}}, {"embedded named", struct {
			embeddedA `json:"in"`
			X         int
		}{}}, {"embedded non-struct", struct {
			namedInt
			Named namedString
		}{}}, {"embedded hidden", struct {
			hiddenBase
			*embeddedP `json:",omitempty"`
		}{hiddenBase{1, 2}, nil}}, {"ambiguous", struct {
			embeddedA
			Other
		}{}}, {"embedded pointer to methods", struct {
			*byValue
			X int
		}{}}, {"embedded omitted behind a pointer", struct{ *OmitsInside }{&OmitsInside{B: "x", Quoted: 3, Long: "y"}}}, {"embedded omitted behind nil", struct {
			*OmitsInside
			Z int
		}{}},
		{"many", manyFields{}}, {"any", []any{any(1), int8(1), uint32(2), float32(1.5), "s", []byte("x"), []string{"a"}, map[string]string{"k": "v"}, struct{ A int }{1}, &struct{ A int }{1}, Number("1"), RawMessage("2"), time.Unix(0, 0).UTC(), nil, json.Delim('[')}},
		{"pointers in any", []any{&n, ptr("s"), ptr(any(1)), ptr([]int{1}), ptr(map[string]int{"a": 1})}},
	}
	return all
}

type (
	namedFloat float64
	namedRaw   RawMessage
	manyFields struct {
		A01, A02, A03, A04, A05, A06, A07, A08, A09, A10, A11, A12, A13, A14, A15, A16, A17, A18, A19, A20 int
		B01, B02, B03, B04, B05, B06, B07, B08, B09, B10, B11, B12, B13, B14, B15, B16, B17, B18, B19, B20 bool
		C01, C02, C03, C04, C05, C06, C07, C08, C09, C10, C11, C12, C13, C14, C15, C16, C17, C18, C19, C20 string
		D01, D02, D03, D04, D05, D06, D07, D08, D09, D10, D11, D12, D13, D14, D15, D16, D17, D18, D19, D20 *int
		E01, E02, E03, E04, E05, E06, E07, E08, E09, E10, E11, E12, E13, E14, E15, E16, E17, E18, E19, E20 struct{ X, Y uint8 }
	}
	embedded struct {
		embeddedA
		*embeddedP
		*Deep
		hiddenBase
		Z string
	}
	Deep struct {
		*Deeper
		Y int
	}
	Deeper      struct{ Z, W int }
	Other       struct{ A, C int }
	OmitsInside struct {
		A      int    `json:",omitempty"`
		B      string `json:",omitempty"`
		Quoted int    `json:",string"`
		Long   string `json:"a name that is longer than thirty-two bytes"`
		In     struct{ X, Y int }
	}
)

func largeMap(n int) map[string]any {
	m := map[string]any{}
	for i := range n {
		m[fmt.Sprintf("key %d of the map", i*7919%n)] = i
		m[fmt.Sprint(i)] = fmt.Sprint(i)
	}
	return m
}

func largeIntMap(n int) map[int]int {
	m := map[int]int{}
	for i := range n {
		m[i*123456789] = i
	}
	return m
}

type omitEmpties struct {
	A bool              `json:"a,omitempty"`
	B int               `json:"b,omitempty"`
	C uint8             `json:"c,omitempty"`
	D float64           `json:"d,omitempty"`
	E float32           `json:"e,omitempty"`
	F string            `json:"f,omitempty"`
	G *int              `json:"g,omitempty"`
	H any               `json:"h,omitempty"`
	I []int             `json:"i,omitempty"`
	J map[string]int    `json:"j,omitempty"`
	K [0]int            `json:"k,omitempty"`
	L [2]int            `json:"l,omitempty"`
	M struct{ X int }   `json:"m,omitempty"`
	N byValue           `json:"n,omitempty"`
	O int16             `json:"o,omitempty"`
	P int32             `json:"p,omitempty"`
	Q uint64            `json:"q,omitempty"`
	R time.Time         `json:"r,omitempty"`
	S Number            `json:"s,omitempty"`
	T map[int]string    `json:"t,omitempty"`
	U fmt.Stringer      `json:"u,omitempty"`
	V uintptr           `json:"v,omitempty"`
	W namedString       `json:"w,omitempty"`
	X *struct{ X *int } `json:"x,omitempty"`
	Y []byte            `json:"y,omitempty"`
	Z sliceMethod       `json:"z,omitempty"`
}

func omitsOf(set bool) omitEmpties {
	if !set {
		return omitEmpties{D: math.Copysign(0, -1), I: []int{}, J: map[string]int{}, Y: []byte{}}
	}
	return omitEmpties{true, -1, 2, 3.5, 4.5, "<f>", new(int), 0, []int{0}, map[string]int{"": 0}, [0]int{}, [2]int{}, struct{ X int }{}, byValue{}, 1, 2, 3,
		time.Unix(0, 0).UTC(), "7", map[int]string{0: ""}, time.Second, 5, "w", &struct{ X *int }{}, []byte("y"), sliceMethod{}}
}

type omitZeros struct {
	A bool              `json:"a,omitzero"`
	B int               `json:"b,omitzero"`
	D float64           `json:"d,omitzero"`
	F string            `json:"f,omitzero"`
	G *int              `json:"g,omitzero"`
	H any               `json:"h,omitzero"`
	I []int             `json:"i,omitzero"`
	J map[string]int    `json:"j,omitzero"`
	L [2]int            `json:"l,omitzero"`
	M struct{ X int }   `json:"m,omitzero"`
	N zeroByValue       `json:"n,omitzero"`
	O zeroByPointer     `json:"o,omitzero"`
	P *zeroByValue      `json:"p,omitzero"`
	Q *zeroByPointer    `json:"q,omitzero"`
	R time.Time         `json:"r,omitzero"`
	S zeroer            `json:"s,omitzero"`
	T zeroer            `json:"t,omitzero"`
	U []int             `json:"u,omitzero,omitempty"`
	V zeroByValue       `json:"v,omitzero,omitempty"`
	W struct{ A []int } `json:"w,omitzero"`
	X chan int          `json:"x,omitzero"`
	Y int8              `json:"y,omitzero,string"`
}

func zerosOf(set bool) omitZeros {
	if !set {
		return omitZeros{N: zeroByValue{7}, O: zeroByPointer{8}, P: &zeroByValue{7}, Q: &zeroByPointer{8}, S: (*zeroByPointer)(nil), T: zeroByValue{7}, D: math.Copysign(0, -1), U: []int{}, V: zeroByValue{7}}
	}
	return omitZeros{true, 1, 2, "f", new(int), 0, []int{}, map[string]int{}, [2]int{0, 1}, struct{ X int }{1}, zeroByValue{}, zeroByPointer{}, &zeroByValue{}, &zeroByPointer{}, time.Unix(0, 0).UTC(),
		zeroByValue{}, &zeroByPointer{}, []int{1}, zeroByValue{}, struct{ A []int }{[]int{}}, nil, -4}
}

type quotedFields struct {
	A int          `json:",string"`
	B uint8        `json:",string"`
	C float64      `json:",string"`
	D float32      `json:",string"`
	E bool         `json:",string"`
	F string       `json:",string"`
	G *int         `json:",string"`
	H *string      `json:",string"`
	I **int        `json:",string"`
	J []int        `json:",string"`
	K any          `json:",string"`
	L namedString  `json:",string"`
	M textInt      `json:",string"`
	N *textInt     `json:",string"`
	O *bool        `json:",string"`
	P *float64     `json:",string"`
	Q namedInt     `json:",string,omitempty"`
	R textString   `json:",string"`
	S *Number      `json:",string"`
	T Number       `json:",string"`
	U int64        `json:",string"`
	V struct{}     `json:",string"`
	W uintptr      `json:",string"`
	X *namedString `json:",string,omitempty"`
}

func quotedOf(set bool) quotedFields {
	q := quotedFields{F: "\"<a>\"\n\xff"}
	if set {
		n := 4
		p := &n
		q = quotedFields{1, 2, 3.5, 4.25, true, `"x"`, p, ptr("<y>"), &p, []int{1}, "any", "l&", 5, ptr(textInt(6)), ptr(true), ptr(1e21), 7, "r", ptr(Number("8")), "9", -10, struct{}{}, 11, ptr(namedString("x"))}
	}
	return q
}

// All samples are encoded as encoding/json does: alone, by pointer, in an interface, in a slice and
// in a map.
func TestEncode(t *testing.T) {
	for _, s := range samples() {
		encodesAs(t, s.name, s.v)
		if s.v == nil {
			continue
		}
		v := reflect.ValueOf(s.v)
		p := reflect.New(v.Type())
		p.Elem().Set(v)
		encodesAs(t, s.name+", pointer", p.Interface())
		encodesAs(t, s.name+", interface", []any{s.v, p.Interface()})
		list := reflect.MakeSlice(reflect.SliceOf(v.Type()), 2, 2)
		list.Index(1).Set(v)
		encodesAs(t, s.name+", slice", list.Interface())
		m := reflect.MakeMap(reflect.MapOf(reflect.TypeFor[string](), v.Type()))
		m.SetMapIndex(reflect.ValueOf("key"), v)
		m.SetMapIndex(reflect.ValueOf("another"), v)
		encodesAs(t, s.name+", map", m.Interface())
		array := reflect.New(reflect.ArrayOf(2, v.Type()))
		array.Elem().Index(0).Set(v)
		encodesAs(t, s.name+", array", array.Elem().Interface())
		encodesAs(t, s.name+", pointer to array", array.Interface())
		field := reflect.New(reflect.StructOf([]reflect.StructField{
			{Name: "A", Type: reflect.TypeFor[string](), Tag: `json:"a"`},
			{Name: "V", Type: v.Type(), Tag: `json:"v"`},
			{Name: "Omitted", Type: v.Type(), Tag: `json:"o,omitempty"`},
			{Name: "Zero", Type: v.Type(), Tag: `json:"z,omitzero"`},
			{Name: "Z", Type: reflect.TypeFor[string]()},
		}))
		field.Elem().Field(1).Set(v)
		encodesAs(t, s.name+", field", field.Elem().Interface())
		encodesAs(t, s.name+", pointer to field", field.Interface())
		field.Elem().Field(2).Set(v)
		encodesAs(t, s.name+", fields", field.Interface())
	}
}

// Values that contain themselves and deeply nested values are encoded as encoding/json does.
func TestEncodeCycles(t *testing.T) {
	var p cyclicPtr
	p = &p
	var a any
	a = &a
	if !OnV2 { // with jsonv2, encoding/json does not terminate
		encodesAs(t, "pointer", p)
		encodesAs(t, "any", a)
	}
	s := make(cyclicSlice, 2)
	s[1] = s
	encodesAs(t, "slice", s)
	m := cyclicMap{}
	m["x"] = m
	encodesAs(t, "map", m)
	list := []any{1, nil, 3}
	list[1] = list
	encodesAs(t, "list", list)
	object := map[string]any{"a": 1}
	object["b"] = []any{object}
	encodesAs(t, "object", object)
	encodesAs(t, "object in list", []any{object})
	r := &recursive{}
	r.Kids = []recursive{{Next: r}}
	encodesAs(t, "struct", r)
	encodesAs(t, "struct one deeper", &r)
	r = &recursive{Map: map[string]recursive{}}
	r.Map["x"] = recursive{Any: []any{r}}
	encodesAs(t, "struct, map, any, list", r)
	encodesAs(t, "struct, map, any, list, one deeper", []*recursive{r})
	for _, depth := range []int{999, 1000, 1001, 1002, 3000} {
		var v any = "end"
		q := &recursive{}
		for i := range depth {
			switch i % 3 {
			case 0:
				v = []any{v}
			case 1:
				v = map[string]any{"a": v}
			default:
				v = &v2{v}
			}
			q = &recursive{Next: q}
		}
		encodesAs(t, fmt.Sprint("deep ", depth), v)
		encodesAs(t, fmt.Sprint("deep pointers ", depth), q)
	}
	same := &recursive{}
	encodesAs(t, "the same twice", []*recursive{same, same, {Next: same}})
}

type v2 struct{ V any }

// A map with a nil interface as a key causes the same panic as in encoding/json.
func TestEncodeNilKey(t *testing.T) {
	encodesAs(t, "nil key", map[encoding.TextMarshaler]int{nil: 1})
	if _, err := orPanic(func() ([]byte, error) { return Marshal(map[encoding.TextMarshaler]int{nil: 1}) }); !errors.As(err, new(panicked)) && !OnV2 {
		t.Error(err)
	}
}

// Append keeps the bytes of its argument and writes into the spare capacity. On an error it returns
// its argument.
func TestAppend(t *testing.T) {
	b := make([]byte, 3, 100)
	copy(b, "abc")
	out, err := Append(b, map[string]any{"<": 1}, 0)
	if err != nil || string(out) != `abc{"<":1}` || &out[0] != &b[0] {
		t.Errorf("%s %v", out, err)
	}
	if out, _ := Append(b, map[string]any{"<": 1}, EscapeHTML); string(out) != `abc{"\u003c":1}` {
		t.Errorf("%s", out)
	}
	out, err = Append(b, []any{1, make(chan int)}, SortMapKeys)
	if err == nil || string(out) != "abc" || cap(out) != 100 {
		t.Errorf("%q of %d, %v", out, cap(out), err)
	}
	if out, err = Append(nil, nil, 0); string(out) != "null" || err != nil {
		t.Errorf("%s %v", out, err)
	}
	// Without SortMapKeys, the output still contains all entries.
	for _, n := range []int{1, 5, 8, 9, 100, 2000} {
		var back map[string]any
		out, err := Append(nil, largeMap(n), 0)
		if err == nil {
			err = json.Unmarshal(out, &back)
		}
		if err != nil || len(back) != len(largeMap(n)) {
			t.Errorf("%d entries: %d, %v", len(largeMap(n)), len(back), err)
		}
	}
	for _, c := range []struct {
		raw   RawMessage
		flags AppendFlags
		want  string
	}{
		{RawMessage(`{ "a" : "<" }`), TrustRawMessage, `{ "a" : "<" }`},
		{RawMessage(`{ "a" : "<" }`), TrustRawMessage | EscapeHTML, `{"a":"\u003c"}`},
		{RawMessage(`{ "a" : <`), TrustRawMessage, `{ "a" : <`},
		{RawMessage(`{ "a" : <`), TrustRawMessage | EscapeHTML, `{ "a" : \u003c`},
		{nil, TrustRawMessage, `null`},
	} {
		if out, err := Append(nil, c.raw, c.flags); string(out) != c.want || err != nil {
			t.Errorf("%s with %d: %s %v", c.raw, c.flags, out, err)
		}
	}
	if out, err := Append(nil, returns{"<"}, TrustRawMessage); err == nil {
		t.Errorf("a Marshaler is trusted: %s", out)
	}
}

// Marshal returns complete results with little spare capacity, while values of one type grow and
// shrink.
func TestMarshalSizes(t *testing.T) {
	for round := range 3 {
		for _, n := range []int{0, 1, 30, 31, 32, 100, 1000, 5000, 40, 7, 100000, 3} {
			s := []string{strings.Repeat("x", n+round)}
			b, err := Marshal(s)
			if err != nil || string(b) != `["`+s[0]+`"]` {
				t.Fatalf("%d: %d bytes, %v", n, len(b), err)
			}
			if cap(b)-len(b) > len(b)/8+textRoom {
				t.Errorf("%d: a capacity of %d", len(b), cap(b))
			}
		}
	}
}
