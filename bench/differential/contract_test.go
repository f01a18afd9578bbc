package differential

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"net"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/msgpack"
	v5 "github.com/vmihailenco/msgpack/v5"
)

type (
	byName struct {
		Name string `msgpack:"n,omitempty"`
		N    int
	}
	textMethods   struct{ s string }
	binaryMethods struct{ b []byte }
	byteMethods   struct{ b []byte }
	anyMethods    struct{ s string }
	textMap       map[string]int
	namedBytes    []byte
	namedString   string
	namedByte     byte
	byteArray     [3]byte
	yesterday     struct{ Day int }
	pointerZero   struct{ Day int }
	asArray       struct {
		_msgpack struct{} `msgpack:",as_array"` //lint:ignore U1000 read by its tag
		A        int      `msgpack:",omitempty"`
		B        string
	}
	asArrayToo struct {
		_msgpack struct{} `msgpack:",asArray"` //lint:ignore U1000 read by its tag
		A        int
	}
	lateOmit struct {
		A        int
		_msgpack struct{} `msgpack:",omitempty"` //lint:ignore U1000 read by its tag
		B        int
		C        *int
	}
	secret struct {
		a int
		B int `msgpack:",omitempty"`
	}
	shown  struct{ C, D int }
	hidden struct {
		E int
		f int
	}
	embedding struct {
		*shown
		hidden
		G int
	}
	embeddedText string
	embeddedMap  map[string]int
	noinline     struct {
		shown `msgpack:",noinline"`
		G     int
	}
	collision struct {
		C int
		shown
	}
	collidesPointer struct {
		C int
		*shown
	}
	embedsText struct {
		embeddedText
		G int
	}
	embedsMap struct {
		embeddedMap
		G int
	}
	embedsFace struct {
		coder
		G int
	}
	withCoded struct {
		time.Duration
		textMethods `msgpack:",omitempty"`
		N           int
	}
	allTags struct {
		A int `msgpack:"'something:special'"`
		B int `msgpack:"alias:bee"`
		C int `msgpack:"-"`
		D int `msgpack:"-,"`
		E int `msgpack:" spaced , omitempty "`
		F int `msgpack:"'it\\'s'"`
		G int `msgpack:"name,unknown:option(a,b),omitempty"`
		H int `msgpack:",omitempty,alias:h1,alias:h2"`
		I int `json:"i,omitempty"`
		J int `json:"-"`
		k int
	}
	coder interface{ Code() int }
	coded struct {
		E error
		C coder
	}
	codedError struct{ N int }
)

func (t textMethods) MarshalText() ([]byte, error)      { return []byte(t.s), nil }
func (t *textMethods) UnmarshalText(b []byte) error     { t.s = string(b); return nil }
func (t binaryMethods) MarshalBinary() ([]byte, error)  { return t.b, nil }
func (t *binaryMethods) UnmarshalBinary(b []byte) error { t.b = b; return nil }
func (t byteMethods) MarshalMsgpack() ([]byte, error)   { return t.b, nil }
func (t *byteMethods) UnmarshalMsgpack(b []byte) error  { t.b = b; return nil }
func (t anyMethods) MarshalText() ([]byte, error)       { return []byte("t" + t.s), nil }
func (t anyMethods) MarshalBinary() ([]byte, error)     { return []byte("b" + t.s), nil }
func (t *anyMethods) UnmarshalBinary(b []byte) error    { t.s = "b" + string(b); return nil }
func (t *anyMethods) UnmarshalText(b []byte) error      { t.s = "t" + string(b); return nil }
func (m textMap) MarshalText() ([]byte, error)          { return []byte(fmt.Sprint(len(m))), nil }
func (y yesterday) IsZero() bool                        { return y.Day == 1 }
func (y *pointerZero) IsZero() bool                     { return y.Day == 1 }
func (c codedError) Error() string                      { return fmt.Sprint("code ", c.N) }
func (c codedError) Code() int                          { return c.N }

// options sets the same options on both encoders.
var options = map[string]func(a *v5.Encoder, b *msgpack.Encoder){
	"no options": func(a *v5.Encoder, b *msgpack.Encoder) {},
	"omit empty": func(a *v5.Encoder, b *msgpack.Encoder) { a.SetOmitEmpty(true); b.SetOmitEmpty(true) },
	"arrays": func(a *v5.Encoder, b *msgpack.Encoder) {
		a.UseArrayEncodedStructs(true)
		b.UseArrayEncodedStructs(true)
	},
	"short ints":   func(a *v5.Encoder, b *msgpack.Encoder) { a.UseCompactInts(true); b.UseCompactInts(true) },
	"short floats": func(a *v5.Encoder, b *msgpack.Encoder) { a.UseCompactFloats(true); b.UseCompactFloats(true) },
	"tag":          func(a *v5.Encoder, b *msgpack.Encoder) { a.SetCustomStructTag("json"); b.SetCustomStructTag("json") },
	"tag and empty": func(a *v5.Encoder, b *msgpack.Encoder) {
		a.SetCustomStructTag("json")
		b.SetCustomStructTag("json")
		a.SetOmitEmpty(true)
		b.SetOmitEmpty(true)
	},
}

// differing contains the types that the original encodes differently. The value is the fault of the
// original that causes the difference. Tests of such faults are TestUnusualKinds and TestRawMessage
// of msgpack.
var differing = map[string]string{
	"uintptr":                             "the original has no codec for it and panics",
	"[]uintptr":                           "the original has no codec for it and panics",
	"differential.byteMethods":            "an empty value is written as no value at all",
	"[]differential.byteMethods":          "an empty value is written as no value at all",
	"[1]differential.byteMethods":         "an empty value is written as no value at all",
	"map[string]differential.byteMethods": "an empty value is written as no value at all",
	"struct { C complex64 }":              "a zero complex number is empty",
	"struct { F func() }":                 "a nil func is empty",
	"chan int":                            "nil of a kind that cannot be written is nil",
	"func()":                              "nil of a kind that cannot be written is nil",
}

func TestMsgpackContractEncode(t *testing.T) {
	defer log.SetOutput(log.Writer())
	log.SetOutput(io.Discard)
	one := 1
	values := []any{
		nil, true, false, 0, 127, 128, 255, 256, 65535, 65536, math.MaxInt32, math.MaxInt64, -1, -32, -33, -128, -129, -32768, -32769, math.MinInt32, math.MinInt64,
		int8(1), int8(-1), int16(1), int16(-300), int32(1), int32(-70000), int64(1), int64(-1), uint(0), uint(300), uint8(1), uint16(1), uint32(1), uint64(1), uint64(math.MaxUint64),
		uintptr(1), []uintptr{1}, float32(0), float32(1), float32(1.5), float32(-0.25), float32(math.Inf(1)), 0.0, 1.0, -1.0, 1.5, 1e300, math.Inf(1), math.Inf(-1), math.NaN(),
		math.Float64frombits(0x7ff8000000000001), "", "a", strings.Repeat("x", 31), strings.Repeat("x", 32), strings.Repeat("x", 255), strings.Repeat("x", 256),
		strings.Repeat("x", 65535), strings.Repeat("x", 65536), "\xff", []byte(nil), []byte{}, []byte("ab"), make([]byte, 256), make([]byte, 65536), namedBytes("ab"), namedBytes(nil),
		namedString("ab"), []namedString{"a"}, &byteArray{1, 2, 3}, &[3]namedByte{1, 2, 3}, [0]byte{}, []namedByte{1, 2}, []int(nil), []int{}, []int{1, -1, 300}, make([]int, 15), make([]int, 16), make([]bool, 65536),
		[]int8{1}, []int16{1}, []int32{1}, []int64{1}, []uint16{1}, []uint32{1}, []uint64{1}, []float32{1, 0.5}, []float64{1, 0.5}, []bool{true, false}, []string{"a", ""}, []string(nil), [][]byte{{1}, nil},
		[]any{1, "a", nil, 1.5, []any{}}, []any(nil), [2]int{1, 2}, [0]int{}, [2]string{"a", "b"}, []*int{&one, nil}, &one, (*int)(nil), map[string]int(nil), map[string]int{}, map[string]int{"a": 1},
		map[string]string{"a": "b"}, map[string]bool{"a": true}, map[string]any{"a": nil}, map[string]any(nil), map[int]string{1: "a"}, map[[2]int]bool{{1, 2}: true}, map[namedString]int8{"a": 1},
		map[string]float64{"a": 1}, map[string]int64{"a": 1}, map[any]any{1: "a"}, map[bool][]int{true: nil}, map[string]map[string]int{"a": {"b": 1}}, map[time.Duration]int{1: 1},
		time.Unix(0, 0), time.Unix(1<<32, 0), time.Unix(1, 5), time.Unix(1<<34, 0), time.Unix(-1, 0), time.Time{}, time.Second, []time.Time{time.Unix(1, 0)}, &time.Time{}, (*time.Time)(nil),
		map[string]time.Time{"a": time.Unix(1, 0)}, struct{ T time.Time }{time.Unix(1, 0)}, struct{ time.Time }{time.Unix(0, 0).UTC()},
		byName{}, byName{"a", 1}, &byName{}, []byName{{}, {"b", 2}}, map[string]byName{"k": {}}, struct{}{}, []struct{}{{}}, &struct{ A any }{&one}, struct{ A *byName }{}, struct{ A **int }{},
		textMethods{"ab"}, textMethods{}, &textMethods{"ab"}, (*textMethods)(nil), []textMethods{{"a"}}, map[textMethods]int{{"k"}: 1}, binaryMethods{[]byte("ab")}, binaryMethods{}, binaryMethods{[]byte{}},
		byteMethods{[]byte{1}}, []byteMethods{{[]byte{1}}}, byteMethods{}, []byteMethods{{}}, anyMethods{"x"}, textMap(nil), textMap{}, textMap{"a": 1}, []textMap{nil, {"a": 1}},
		asArray{}, asArray{A: 1, B: "b"}, &asArrayToo{A: 1}, lateOmit{}, lateOmit{A: 1, B: 2, C: &one}, secret{}, secret{a: 1}, secret{B: 1}, struct {
			S secret `msgpack:",omitempty"`
		}{secret{B: 1}},
		embedding{}, embedding{shown: &shown{1, 2}}, embedding{hidden: hidden{3, 4}, G: 5}, withCoded{}, withCoded{N: 1}, allTags{}, allTags{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
		struct {
			Y yesterday    `msgpack:",omitempty"`
			P *yesterday   `msgpack:",omitempty"`
			Q pointerZero  `msgpack:",omitempty"`
			R *pointerZero `msgpack:",omitempty"`
			A [2]int       `msgpack:",omitempty"`
			B [0]int       `msgpack:",omitempty"`
			C any          `msgpack:",omitempty"`
			D any          `msgpack:",omitempty"`
			E any          `msgpack:",omitempty"`
			F time.Time    `msgpack:",omitempty"`
			G error        `msgpack:",omitempty"`
			H byName       `msgpack:",omitempty"`
			I []int        `msgpack:",omitempty"`
			J *int         `msgpack:",omitempty"`
			K bool         `msgpack:",omitempty"`
			L float32      `msgpack:",omitempty"`
			M chan int     `msgpack:"-"`
		}{Y: yesterday{1}, P: &yesterday{1}, Q: pointerZero{1}, R: &pointerZero{1}, C: "", D: 0, E: []int{}, I: []int{}, J: new(int)},
		struct{ E error }{errors.New("boom")}, struct{ E error }{}, struct{ E error }{&codedError{1}}, []error{codedError{1}, nil}, errors.New("boom"), codedError{1},
		coded{codedError{1}, codedError{2}}, struct{ E net.Error }{&net.DNSError{Err: "x", Name: "n", UnwrapErr: nil}}, struct{ S fmt.Stringer }{time.Second}, struct{ S fmt.Stringer }{},
		noinline{shown{1, 2}, 3}, collision{1, shown{2, 3}}, collidesPointer{1, &shown{2, 3}}, collidesPointer{}, embedsText{"x", 1}, embedsMap{embeddedMap{"a": 1}, 2}, embedsFace{nil, 1}, embedsFace{codedError{1}, 1},
		make(chan int), (chan int)(nil), func() {}, (func())(nil), complex(1, 1), complex64(1), []chan int{}, []chan int{nil}, map[string]func(){"a": nil}, struct{ C complex64 }{}, struct{ F func() }{},
		[][]int{{1}, nil, {}}, [][2]int{{1, 2}}, []map[string]any{{"a": 1}, nil}, map[string][]any{"a": {1}}, []any{[]byte(nil), []string(nil), (*int)(nil), map[string]int(nil)},
	}
	for name, set := range options {
		for _, v := range values {
			var theirs, ours bytes.Buffer
			a, b := v5.NewEncoder(&theirs), msgpack.NewEncoder(&ours)
			set(a, b)
			errTheirs := guarded(func() error { return a.Encode(v) })
			errOurs := b.Encode(v)
			if text(errTheirs) == text(errOurs) && (errTheirs != nil || bytes.Equal(theirs.Bytes(), ours.Bytes())) {
				continue
			}
			if errors.Is(errTheirs, errPanic) && errOurs == nil {
				continue // a value that the original cannot encode
			}
			if differing[fmt.Sprintf("%T", v)] == "" {
				t.Errorf("%s, %T %+v:\n%x, %v\n%x, %v", name, v, v, theirs.Bytes(), errTheirs, ours.Bytes(), errOurs)
			}
		}
	}
}

// repaired lists the outcomes that differ on purpose: parts of the error texts of the original and
// of Slipstream.
var repaired = []struct{ reason, theirs, ours string }{
	{"nil into what is no pointer, a kind without a codec, or an embedded unexported type", "panic", ""},
	{"an interface with methods", "panic", "msgpack: Decode("},
	{"keys that cannot be compared", "panic", "unsupported map key"},
	{"floats into other numbers", "code=cb decoding", ""},
	{"floats into other numbers", "code=ca decoding", ""},
	{"floats into other numbers", "code=cb decoding", "does not fit"},
	{"floats into other numbers", "code=ca decoding", "does not fit"},
	{"times of other forms", "decoding ext len", ""},
	{"times of other forms", "decoding ext len", "parsing time"},
	{"times of other forms", "decoding ext len", "a time must be an array of 2"},
	{"a float64 is called a float64", "decoding float32", "decoding float64"},
	{"a claim that cannot be held is refused first", "*", "EOF"},
}

// otherwise contains the cases that the original decodes differently. The value is the fault of the
// original that causes the difference.
var otherwise = map[string]string{
	"81a2683105 *differential.allTags": "of several aliases only the last counts",
	"c0 *[]string":                     "nil leaves the old strings",
	"cfffffffffffffffff *float32":      "becomes -1",
	"cfffffffffffffffff *float64":      "becomes -1",
}

// sameOutcome reports whether both errors are equal, or differ for one of the reasons in repaired.
// It counts how often each reason applies.
func sameOutcome(theirs, ours error, used map[int]int) bool {
	if text(theirs) == text(ours) {
		return true
	}
	for i, c := range repaired {
		if matches(text(theirs), c.theirs) && matches(text(ours), c.ours) {
			used[i]++
			return true
		}
	}
	return false
}

func TestMsgpackContractDecode(t *testing.T) {
	defer log.SetOutput(log.Writer())
	log.SetOutput(io.Discard)
	seven := 7
	used := map[int]int{}
	targets := []func() any{
		func() any { return new(any) }, func() any { x := any(new(int)); return &x }, func() any { x := any("held"); return &x },
		func() any { return new(bool) }, func() any { return new(int) }, func() any { return new(int8) }, func() any { return new(int16) }, func() any { return new(int32) }, func() any { return new(int64) },
		func() any { return new(uint) }, func() any { return new(uint8) }, func() any { return new(uint16) }, func() any { return new(uint32) }, func() any { return new(uint64) },
		func() any { return new(float32) }, func() any { return new(float64) }, func() any { s := "old"; return &s }, func() any { b := []byte("old"); return &b }, func() any { return &[3]byte{1, 2, 3} },
		func() any { return new(namedBytes) }, func() any { return new(namedString) }, func() any { return new(time.Time) }, func() any { return new(time.Duration) },
		func() any { return &[]int{7, 8, 9} }, func() any { return &[]string{"x", "y"} }, func() any { return &[]any{nil, &seven} }, func() any { return &[]byName{{"old", 7}, {"old", 8}} }, func() any { return &[2]int{7, 8} },
		func() any { return &[2]byName{{"old", 7}, {"old", 8}} }, func() any { return &[]*byName{{"old", 7}, nil} }, func() any { return &[]float64{7} }, func() any { return &[]int64{7} }, func() any { return &[]bool{true, true} },
		func() any { return &map[string]any{"old": 7} }, func() any { return &map[string]string{"old": "7"} }, func() any { return &map[string]int{"old": 7} }, func() any { return &map[string]bool{"old": true} },
		func() any { return &map[int]string{7: "old"} }, func() any { return &map[string]byName{"a": {"old", 7}} }, func() any { return &map[string]*byName{"a": {"old", 7}} }, func() any { return new(map[any]any) }, func() any { return new(map[namedString]int8) },
		func() any { return &byName{"old", 7} }, func() any { p := &byName{"old", 7}; return &p }, func() any { return new(*byName) }, func() any { return new(**int) }, func() any { return new(struct{ A any }) }, func() any { return &struct{ A any }{&seven} },
		func() any { return &struct{ A, N *int }{&seven, nil} }, func() any { return &struct{ A time.Time }{time.Unix(7, 0)} }, func() any { return &struct{ A []byte }{[]byte("old")} }, func() any { return &struct{ A error }{} }, func() any { return new(error) }, func() any { return &[]error{nil} },
		func() any { return new(textMethods) }, func() any { return &[]textMethods{{"old"}} }, func() any { return new(binaryMethods) }, func() any { return new(byteMethods) }, func() any { return &struct{ A *textMethods }{&textMethods{"old"}} }, func() any { return &map[textMethods]int{} },
		func() any { return &asArray{A: 7, B: "old"} }, func() any { return &lateOmit{A: 7} }, func() any { return &embedding{G: 7} }, func() any { return &embedding{shown: &shown{7, 8}} }, func() any { return new(allTags) }, func() any { return new(noinline) }, func() any { return new(collision) }, func() any { return &collidesPointer{shown: &shown{7, 8}} }, func() any { return new(embedsText) }, func() any { return new(embedsMap) }, func() any { return new(embedsFace) }, func() any { return &struct{ A struct{ A byName } }{} },
		func() any { return new(chan int) }, func() any { return new(complex64) }, func() any { return new(struct{}) }, func() any { return new([]struct{}) }, func() any { return new([0]int) }, func() any { return new(fmt.Stringer) }, func() any { return new(map[string]time.Time) },
	}
	words := []string{"c0", "c1", "c2", "c3", "00", "07", "7f", "ff", "e0", "cc07", "ccff", "cd012c", "ce00010000", "cf0000000000000007", "cfffffffffffffffff", "d0ff", "d1ff00", "d2ffff0000", "d3ffffffffffffffff",
		"ca3fc00000", "ca41200000", "cb3ff8000000000000", "cb4024000000000000", "a0", "a3616263", "d903616263", "da0003616263", "db00000003616263", "c400", "c403010203", "c50003010203", "c600000003010203", "c40401020304",
		"90", "9107", "920708", "93070809", "91c0", "91a161", "9181a14e05", "919107", "dc000107", "dd0000000107", "80", "81a14105", "81a14ec0", "82a14e05a16ea178", "82a14105a14e06", "81a16181a14e05", "81a161a162", "81a161c3", "81a161c0",
		"81c40161a162", "81c0a162", "82a16105a16106", "de0001a14e05", "df00000001a14e05", "81a141c0", "81a141d6ff00000001", "81a141a178", "81a1419101", "81a141c403010203", "81a14181a14181a14e05", "83a14301a14402a14503", "81a573686f776e81a14305", "81a648696464656e81a14505", "81a668696464656e81a14505",
		"82b1736f6d657468696e673a7370656369616c05a362656506", "81a673706163656405", "81a2683105", "81a2683205", "81a46974277305", "81a46974277305", "d6ff00000001", "d7ff0000000400000001", "c70cff0000000100000000000000ff", "c703ff000000", "d40500", "81ac656d62656464656454657874a178", "81ab656d6265646465644d617081a16105", "81a5636f64657205", "81a5636f646572c0", "81a573686f776ec0", "81a668696464656ec0", "c7000607", "c70305010203", "d60d00000001",
		"b4323032362d31312d32315432313a30303a30305a", "9201cd01f4", "d9", "a261", "91", "81", "81a1", "cd01", "c7", "d6ff00"}
	for _, word := range words {
		data, err := hex.DecodeString(word)
		if err != nil {
			t.Fatal(word, err)
		}
		for _, target := range targets {
			for _, strict := range []bool{false, true} {
				theirs, ours := target(), target()
				a, b := v5.NewDecoder(bytes.NewReader(data)), msgpack.NewDecoder(bytes.NewReader(data))
				a.DisallowUnknownFields(strict)
				b.DisallowUnknownFields(strict)
				errTheirs := guarded(func() error { return a.Decode(theirs) })
				errOurs := b.Decode(ours)
				switch {
				case otherwise[fmt.Sprintf("%s %T", word, theirs)] != "":
				case !sameOutcome(errTheirs, errOurs, used):
					t.Errorf("%s into %T (%+v), strict %v:\ntheirs %+v, %v\nours   %+v, %v", word, theirs, reflect.ValueOf(target()).Elem(), strict, reflect.ValueOf(theirs).Elem(), errTheirs, reflect.ValueOf(ours).Elem(), errOurs)
				case errTheirs == nil && errOurs == nil && !reflect.DeepEqual(theirs, ours):
					t.Errorf("%s into %T (%+v), strict %v:\ntheirs %+v\nours   %+v", word, theirs, reflect.ValueOf(target()).Elem(), strict, show(theirs), show(ours))
				}
			}
		}
	}
	for i, c := range repaired {
		if used[i] == 0 {
			t.Errorf("no case of %s: theirs %q, ours %q", c.reason, c.theirs, c.ours)
		}
	}
}

func show(v any) string { return fmt.Sprintf("%+v", reflect.ValueOf(v).Elem()) }
