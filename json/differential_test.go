package json_test

// The differential tests compare this package with encoding/json: every type of targets() with
// every input of inputs(), and every value of values().
//
//	targets   reflect.Types of all kinds, alone and within containers; their methods record each call in calls
//	inputs    valid and invalid JSON of all shapes
//	fill      sets every part of a value, to show whether decoding keeps it, merges into it, or leaves it alone
//	mirror    compares all visible parts of two values: contents, nil or empty, and references to earlier memory
//
// The contract tests and the fuzz targets use the same functions.

//lint:file-ignore SA5008 the tags of these types are odd on purpose
//lint:file-ignore U1000 some fields are unused, because the tests check that they are skipped

import (
	"bytes"
	"encoding"
	std "encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"math/rand/v2"
	"net"
	"net/netip"
	"net/url"
	"reflect"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/internal/corpus"
	"github.com/slipstream-go/slipstream/json"
)

// raced reports whether the race detector is on. With it, the differential tests run only every
// fifth case.
var raced = func() bool {
	info, ok := debug.ReadBuildInfo()
	for i := 0; ok && i < len(info.Settings); i++ {
		if s := info.Settings[i]; s.Key == "-race" && s.Value == "true" {
			return true
		}
	}
	return false
}()

// calls contains the method calls since it was last cleared.
var calls []string

// refused is the error of the methods below. They reject texts that contain "bad".
type refused struct{ Text string }

func (r *refused) Error() string { return "refused: " + r.Text }

func note(method string, data []byte) error {
	calls = append(calls, method+" "+string(data))
	if bytes.Contains(data, []byte("bad")) {
		return &refused{string(data)}
	}
	return nil
}

// Types with unmarshal methods.
type (
	readsJSON       struct{ A, Text string }
	readsJSONInt    int
	readsJSONString string
	readsJSONSlice  []int
	readsJSONMap    map[string]string // value receiver
	readsJSONByte   byte
	readsText       struct{ A, Text string }
	readsTextInt    int
	readsTextString string
	readsTextSlice  []int
	readsTextMap    map[string]string
	readsTextByte   byte
	readsTextBool   bool
	readsBoth       struct{ A, Text string }
	// readsInner decodes into another value and returns the error of that call.
	readsInner struct {
		A struct{ B int }
		C string
	}
	readsGarbage struct{ A int } // returns a SyntaxError of its own
)

func (r *readsJSON) UnmarshalJSON(b []byte) error {
	r.Text = string(b)
	return note("readsJSON", b)
}
func (r *readsJSONInt) UnmarshalJSON(b []byte) error {
	*r += readsJSONInt(len(b))
	return note("readsJSONInt", b)
}
func (r *readsJSONString) UnmarshalJSON(b []byte) error {
	*r = readsJSONString(b)
	return note("readsJSONString", b)
}
func (r *readsJSONSlice) UnmarshalJSON(b []byte) error {
	*r = append(*r, len(b))
	return note("readsJSONSlice", b)
}
func (r readsJSONMap) UnmarshalJSON(b []byte) error {
	if r != nil {
		r["read"] = string(b)
	}
	return note("readsJSONMap", b)
}
func (r *readsJSONByte) UnmarshalJSON(b []byte) error {
	*r = readsJSONByte(len(b))
	return note("readsJSONByte", b)
}
func (r *readsText) UnmarshalText(b []byte) error {
	r.Text = string(b)
	return note("readsText", b)
}
func (r *readsTextInt) UnmarshalText(b []byte) error {
	*r = readsTextInt(len(b))
	return note("readsTextInt", b)
}
func (r *readsTextString) UnmarshalText(b []byte) error {
	*r = "read " + readsTextString(b)
	return note("readsTextString", b)
}
func (r *readsTextSlice) UnmarshalText(b []byte) error {
	*r = append(*r, len(b))
	return note("readsTextSlice", b)
}
func (r readsTextMap) UnmarshalText(b []byte) error {
	if r != nil {
		r["read"] = string(b)
	}
	return note("readsTextMap", b)
}
func (r *readsTextByte) UnmarshalText(b []byte) error {
	*r = readsTextByte(len(b))
	return note("readsTextByte", b)
}
func (r *readsTextBool) UnmarshalText(b []byte) error {
	*r = len(b) > 1
	return note("readsTextBool", b)
}
func (r *readsBoth) UnmarshalJSON(b []byte) error {
	r.Text = "json " + string(b)
	return note("readsBoth.UnmarshalJSON", b)
}
func (r *readsBoth) UnmarshalText(b []byte) error {
	r.Text = "text " + string(b)
	return note("readsBoth.UnmarshalText", b)
}
func (r *readsInner) UnmarshalJSON(b []byte) error {
	type plain readsInner
	if err := note("readsInner", b); err != nil {
		return err
	}
	return std.Unmarshal(b, (*plain)(r))
}
func (r *readsGarbage) UnmarshalJSON(b []byte) error {
	note("readsGarbage", b)
	return std.Unmarshal([]byte(`{"A":1,]`), &r.A)
}

// Types with marshal methods. They return their text as it is, valid or not. If the text contains
// "bad", they return an error.
type (
	writesJSON        struct{ Text string }
	writesJSONPointer struct{ Text string }
	writesJSONInt     int
	writesJSONString  string
	writesJSONSlice   []string
	writesJSONMap     map[string]string
	writesJSONByte    byte
	writesText        struct{ Text string }
	writesTextPointer struct{ Text string }
	writesTextInt     int
	writesTextString  string
	writesTextSlice   []string
	writesTextByte    byte
	writesBoth        struct{ Text string }
	writesMixed       struct{ Text string } // JSON by pointer, text by value
)

func (w writesJSON) MarshalJSON() ([]byte, error) {
	return []byte(w.Text), note("writesJSON", []byte(w.Text))
}
func (w *writesJSONPointer) MarshalJSON() ([]byte, error) {
	return []byte(w.Text), note("writesJSONPointer", []byte(w.Text))
}
func (w writesJSONInt) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, `{ "int" : %d }`, w), note("writesJSONInt", nil)
}
func (w writesJSONString) MarshalJSON() ([]byte, error) {
	return []byte(w), note("writesJSONString", []byte(w))
}
func (w writesJSONSlice) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, "%d", len(w)), note("writesJSONSlice", nil)
}
func (w writesJSONMap) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, "[%d, %t]", len(w), w == nil), note("writesJSONMap", nil)
}
func (w writesJSONByte) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, "[%d]", byte(w)), note("writesJSONByte", nil)
}
func (w writesText) MarshalText() ([]byte, error) {
	return []byte(w.Text), note("writesText", []byte(w.Text))
}
func (w *writesTextPointer) MarshalText() ([]byte, error) {
	return []byte(w.Text), note("writesTextPointer", []byte(w.Text))
}
func (w writesTextInt) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "int <%d>", w), note("writesTextInt", nil)
}
func (w writesTextString) MarshalText() ([]byte, error) {
	return []byte("text " + w), note("writesTextString", []byte(w))
}
func (w writesTextSlice) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%d", len(w)), note("writesTextSlice", nil)
}
func (w writesTextByte) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "byte %d", byte(w)), note("writesTextByte", nil)
}
func (w writesBoth) MarshalJSON() ([]byte, error) {
	return strconv.AppendQuote(nil, "json"), note("writesBoth.MarshalJSON", []byte(w.Text))
}
func (w writesBoth) MarshalText() ([]byte, error) {
	return []byte("text"), note("writesBoth.MarshalText", []byte(w.Text))
}
func (w *writesMixed) MarshalJSON() ([]byte, error) {
	return strconv.AppendQuote(nil, "json"), note("writesMixed.MarshalJSON", []byte(w.Text))
}
func (w writesMixed) MarshalText() ([]byte, error) {
	return []byte("text"), note("writesMixed.MarshalText", []byte(w.Text))
}

// Key types of maps.
type (
	textKey       struct{ N int }
	textKeyInt    int
	textKeyString string
	bothKey       struct{ Text string } // also has JSON methods, and UnmarshalJSON reads the key
	pointerKey    struct{ N int }       // not a valid key type: its MarshalText has a pointer receiver
	writtenKey    struct{ N int }       // has no UnmarshalText
)

func (k textKey) MarshalText() ([]byte, error) {
	return strconv.AppendInt([]byte("k<"), int64(k.N), 10), nil
}
func (k *textKey) UnmarshalText(b []byte) error {
	k.N = len(b)
	return note("textKey", b)
}
func (k textKeyInt) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%03d", k), nil }
func (k *textKeyInt) UnmarshalText(b []byte) error {
	*k = textKeyInt(len(b))
	return note("textKeyInt", b)
}
func (k textKeyString) MarshalText() ([]byte, error) { return []byte("never " + k), nil }
func (k *textKeyString) UnmarshalText(b []byte) error {
	*k = "read " + textKeyString(b)
	return note("textKeyString", b)
}
func (k bothKey) MarshalText() ([]byte, error) { return []byte(k.Text), nil }
func (k *bothKey) UnmarshalText(b []byte) error {
	k.Text = "text " + string(b)
	return note("bothKey.UnmarshalText", b)
}
func (k *bothKey) UnmarshalJSON(b []byte) error {
	k.Text = "json " + string(b)
	return note("bothKey.UnmarshalJSON", b)
}
func (k *pointerKey) MarshalText() ([]byte, error) { return []byte("pointer"), nil }
func (k writtenKey) MarshalText() ([]byte, error) {
	return strconv.AppendInt(nil, int64(-k.N), 10), nil
}

// Types with a method IsZero, one of them with the wrong signature.
type (
	zeroByValue   struct{ N int }
	zeroByPointer struct{ N int }
	zeroInt       int
	zeroSlice     []int
	zeroMap       map[string]int
	zeroer        interface{ IsZero() bool }
	zeroWrongSign struct{ N int }
)

func (z zeroByValue) IsZero() bool          { return z.N == 5 }
func (z *zeroByPointer) IsZero() bool       { return z.N == 5 }
func (z zeroInt) IsZero() bool              { return z == 5 }
func (z zeroSlice) IsZero() bool            { return len(z) == 2 }
func (z zeroMap) IsZero() bool              { return len(z) == 2 }
func (z zeroWrongSign) IsZero() (bool, int) { return true, z.N }

// Types that are defined from other types, and do not inherit methods.
type (
	namedBool       bool
	namedInt        int
	namedInt8       int8
	namedUint8      uint8
	namedUint64     uint64
	namedFloat32    float32
	namedFloat64    float64
	namedString     string
	namedBytes      []byte
	namedByteSlice  []namedUint8
	namedSlice      []int
	namedMap        map[string]int
	namedArray      [2]int
	namedPointer    *int
	namedAny        any
	namedNumber     std.Number     // a string without the methods
	namedRaw        std.RawMessage // bytes without the methods
	namedTime       time.Time      // a struct without the methods
	describer       interface{ Describe() string }
	described       struct{ A, B any }
	describedNumber int
	nest            []nest
	nestMap         map[string]nestMap
	tree            struct {
		A *tree
		B []tree
		C map[string]tree
		D any
		N int `json:",omitempty"`
	}
	one[T any]   struct{ A T }
	two[T any]   struct{ A, B T }
	quote[T any] struct {
		A T `json:",string"`
		B T
	}
	omit[T any] struct {
		A T `json:",omitempty"`
		B T `json:",omitzero"`
		C T `json:"c,omitempty,omitzero"`
	}
	quoteOmit[T any] struct {
		A T `json:",string,omitempty"`
		B T `json:",omitzero,string"`
	}
)

func (d *described) Describe() string      { return fmt.Sprint(d.A) }
func (d describedNumber) Describe() string { return fmt.Sprint(int(d)) }

// Structs with embedded fields of each kind.
type (
	Base        struct{ A, B int }
	base        struct{ A, B int }
	Left        struct{ A, L int }
	Right       struct{ A, R int }
	TaggedRight struct {
		X int `json:"A"`
	}
	Deep struct {
		Base
		C int
	}
	Number     int
	Map        map[string]int
	PathA      struct{ Base }
	PathB      struct{ Base }
	hiddenText struct{ A string }
	Ping       struct {
		*Pong
		A int
	}
	Pong struct {
		*Ping
		B int
	}
	loop struct {
		A int
		*loop
	}
	Loop struct {
		A int
		*Loop
		B *Loop
	}
	embedsValue struct {
		Base
		C int
	}
	embedsPointer struct {
		*Base
		C int
	}
	embedsHidden struct {
		base
		C int
	}
	embedsHiddenPointer struct {
		*base
		C int
	}
	embedsBothPointers struct {
		*base
		*Left
		C int
	}
	embedsTagged struct {
		Base `json:"C"`
		A    int
	}
	embedsHiddenTagged struct {
		base `json:"A"`
		B    int
	}
	embedsPointerTagged struct {
		*Base `json:"A"`
		B     int
	}
	embedsDashed struct {
		Base `json:"-"`
		C    int
	}
	embedsEmptyTag struct {
		Base `json:",omitempty"`
		C    int
	}
	embedsShadowed struct {
		Base
		A string
	}
	embedsAmbiguous struct {
		Left
		Right
	}
	embedsResolved struct {
		Left
		Right
		A int
	}
	embedsTagWins struct {
		Left
		TaggedRight
	}
	embedsByDepth struct {
		Deep
		Left
	}
	embedsTwice struct {
		PathA
		PathB
	}
	embedsTwiceResolved struct {
		PathA
		PathB
		Base
	}
	embedsNumber struct {
		Number
		A int
	}
	embedsNumberPointer struct {
		*Number
		A int
	}
	embedsHiddenNumber struct {
		namedInt
		A int
	}
	embedsMap struct {
		Map
		A int
	}
	embedsInterface struct {
		fmt.Stringer
		A int
	}
	embedsAnyInterface struct {
		encoding.TextMarshaler
		A int
	}
	embedsTime struct {
		time.Time
		A int
	}
	embedsRaw struct {
		std.RawMessage
		A int
	}
	embedsJSONNumber struct {
		std.Number
		A int
	}
	embedsReader struct {
		readsJSON
		A int
	}
	embedsReaderPointer struct {
		*readsText
		A int
	}
	embedsTwoReaders struct {
		readsJSON
		readsText
	}
	embedsWriter struct {
		writesJSON
		A int
	}
	embedsChain struct {
		*embedsPointer
		D int
	}
	embedsHiddenChain struct {
		*Deep
		base
	}
	embedsWithinHidden struct {
		middle
		A int
	}
	middle struct {
		*Base
		innermost
	}
	innermost struct {
		Left
		Z int
	}
)

// Structs with unusual fields and tags.
type (
	nothing  struct{}
	unseen   struct{ a, b int }
	unusable struct {
		A int
		B chan int     `json:",omitempty"`
		C func()       `json:",omitzero"`
		D complex128   `json:",omitzero"`
		E map[bool]int `json:",omitzero"`
	}
	names struct {
		Plain     int
		Dash      int `json:"-"`
		Minus     int `json:"-,"`
		Renamed   int `json:"renamed"`
		Spaced    int `json:"a b"`
		Signs     int `json:"!#$%&()*+-./:;<=>?@[]^_{|}~ "`
		Quote     int `json:"a\"b"`
		Backslash int `json:"a\\b"`
		Letters   int `json:"Ünïcödé"`
		Wide      int `json:"日本語"`
		Digit     int `json:"٣"`
		Symbol    int `json:"€"`
		Emoji     int `json:"😀"`
		Unknown   int `json:"unknown,what,Omitempty"`
		Empty     int `json:",omitempty"`
		Other     int `xml:"x" json:"other" yaml:"y"`
	}
	folds struct {
		K    int
		S    int `json:"ſ"`
		Kk   int `json:"KK"`
		Kelv int `json:"K"`
		Sz   int `json:"ß"`
		Dot  int `json:"İ"`
		Sig  int `json:"ς"`
		Mix  int `json:"mIxEd"`
		Mix2 int `json:"MIXED"`
		Mix3 int `json:"mixed"`
	}
	lengths struct {
		A                                                                       int
		Ab                                                                      int
		Abc                                                                     int
		Abcd                                                                    int
		Abcde                                                                   int
		Abcdefg                                                                 int
		Abcdefgh                                                                int
		Abcdefghi                                                               int
		Abcdefghijklmno                                                         int
		Abcdefghijklmnop                                                        int
		Abcdefghijklmnopq                                                       int
		Abcdefghijklmnopqrstuvwxyzabcde                                         int
		Abcdefghijklmnopqrstuvwxyzabcdef                                        int
		Abcdefghijklmnopqrstuvwxyzabcdefg                                       int
		Abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijkl        int
		Abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrs int
		Abcdxfgh                                                                int
		Xbcdefgh                                                                int
	}
	everything struct {
		A any
		B *everything
		C []everything
		D map[string]*everything
		E std.RawMessage
		F *std.RawMessage
		G std.Number
		H []byte
		I [2]any
		J **int
		K readsJSON
		L *readsText
		M map[textKey]readsJSON
		N describer
		O struct{ P, Q *struct{ R int } }
		T time.Time
		*Base
	}
)

// many is a struct type with 100 fields.
var many = func() reflect.Type {
	var fields []reflect.StructField
	for i := range 100 {
		kinds := []reflect.Type{reflect.TypeFor[int](), reflect.TypeFor[string](), reflect.TypeFor[float64](), reflect.TypeFor[*bool](), reflect.TypeFor[any]()}
		fields = append(fields, reflect.StructField{Name: fmt.Sprintf("Field%d", i), Type: kinds[i%len(kinds)]})
	}
	return reflect.StructOf(fields)
}()

// clashing contains two fields with the same name at the same depth, by their tags, and a field
// with a malformed tag. vet would reject such tags in a struct declaration.
var clashing = reflect.StructOf([]reflect.StructField{
	{Name: "A", Type: reflect.TypeFor[int](), Tag: `json:"x"`},
	{Name: "B", Type: reflect.TypeFor[int](), Tag: `json:"x"`},
	{Name: "C", Type: reflect.TypeFor[int](), Tag: `json:c`},
	{Name: "D", Type: reflect.TypeFor[int](), Tag: `json:"A"`},
	{Name: "E", Type: reflect.TypeFor[int](), Tag: `json:",string,string"`},
	{Name: "F", Type: reflect.TypeFor[int](), Tag: `json:"f, string"`},
	{Name: "TaggedRight", Type: reflect.TypeFor[TaggedRight](), Anonymous: true},
})

// shape is the shape of the inputs that suit a type.
type shape int

const (
	bare shape = iota
	array
	object
	all
)

// target is a type to decode into.
type target struct {
	t     reflect.Type
	shape shape
}

// takesNothing reports whether a value of type t contains, within depth levels, a type that is
// never decoded.
func takesNothing(t reflect.Type, depth int) bool {
	if depth == 0 {
		return false
	}
	switch t.Kind() {
	case reflect.Chan, reflect.Func, reflect.Complex64, reflect.Complex128:
		return true
	case reflect.Slice, reflect.Array, reflect.Map, reflect.Pointer:
		return takesNothing(t.Elem(), depth-1)
	case reflect.Struct:
		for i := range t.NumField() {
			if takesNothing(t.Field(i).Type, depth-1) {
				return true
			}
		}
	}
	return false
}

// fresh returns a pointer to a zero value.
func (x target) fresh() any { return reflect.New(x.t).Interface() }

// filled returns a pointer to a value whose parts are all set.
func (x target) filled() any {
	v := reflect.New(x.t)
	new(filler).fill(v.Elem(), 0)
	return v.Interface()
}

// targets returns the types, each once.
var targets = sync.OnceValue(func() []target {
	var list []target
	seen := map[reflect.Type]bool{}
	add := func(types ...reflect.Type) {
		for _, t := range types {
			if !seen[t] && !(json.OnV2 && takesNothing(t, 3)) { // with jsonv2, encoding/json may not terminate
				seen[t] = true
				list = append(list, target{t, shapeOf(t)})
			}
		}
	}
	leaves := func(types ...reflect.Type) { // adds each type, and each of its containers
		for _, t := range types {
			add(t, reflect.PointerTo(t), reflect.SliceOf(t), reflect.ArrayOf(2, t), reflect.MapOf(reflect.TypeFor[string](), t))
		}
	}
	leaves(
		reflect.TypeFor[bool](), reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[int16](), reflect.TypeFor[int32](), reflect.TypeFor[int64](),
		reflect.TypeFor[uint](), reflect.TypeFor[uint8](), reflect.TypeFor[uint16](), reflect.TypeFor[uint32](), reflect.TypeFor[uint64](), reflect.TypeFor[uintptr](),
		reflect.TypeFor[float32](), reflect.TypeFor[float64](), reflect.TypeFor[string](), reflect.TypeFor[any](), reflect.TypeFor[[]byte](),
		reflect.TypeFor[*int](), reflect.TypeFor[*string](), reflect.TypeFor[[]int](), reflect.TypeFor[[]any](), reflect.TypeFor[map[string]any](), reflect.TypeFor[map[string]int](),
		reflect.TypeFor[Base](), reflect.TypeFor[one[any]](), reflect.TypeFor[tree](),
		reflect.TypeFor[std.Number](), reflect.TypeFor[std.RawMessage](), reflect.TypeFor[time.Time](),
		reflect.TypeFor[readsJSON](), reflect.TypeFor[readsJSONByte](), reflect.TypeFor[readsText](), reflect.TypeFor[readsTextInt](), reflect.TypeFor[readsTextByte](),
	)
	add(
		reflect.TypeFor[complex128](), reflect.TypeFor[chan int](), reflect.TypeFor[func()](), reflect.TypeFor[error](), reflect.TypeFor[fmt.Stringer](), reflect.TypeFor[describer](), reflect.TypeFor[std.Unmarshaler](), reflect.TypeFor[encoding.TextUnmarshaler](),
		reflect.TypeFor[namedBool](), reflect.TypeFor[namedInt](), reflect.TypeFor[namedInt8](), reflect.TypeFor[namedUint8](), reflect.TypeFor[namedUint64](), reflect.TypeFor[namedFloat32](), reflect.TypeFor[namedFloat64](), reflect.TypeFor[namedString](),
		reflect.TypeFor[namedBytes](), reflect.TypeFor[namedByteSlice](), reflect.TypeFor[namedSlice](), reflect.TypeFor[namedMap](), reflect.TypeFor[namedArray](), reflect.TypeFor[namedPointer](), reflect.TypeFor[namedAny](), reflect.TypeFor[namedNumber](), reflect.TypeFor[namedRaw](), reflect.TypeFor[namedTime](),
		reflect.TypeFor[**int](), reflect.TypeFor[***string](), reflect.TypeFor[**any](), reflect.TypeFor[**Base](), reflect.TypeFor[*[]*int](), reflect.TypeFor[*map[string]*int](),
		reflect.TypeFor[[0]int](), reflect.TypeFor[[1]int](), reflect.TypeFor[[3]byte](), reflect.TypeFor[[2][2]int](), reflect.TypeFor[[2]*Base](), reflect.TypeFor[[2][]Base](),
		reflect.TypeFor[[][]byte](), reflect.TypeFor[[][]string](), reflect.TypeFor[[]map[string][]int](), reflect.TypeFor[[]*Base](), reflect.TypeFor[[]error](), reflect.TypeFor[[]describer](), reflect.TypeFor[[]chan int](), reflect.TypeFor[[]namedString](), reflect.TypeFor[[]namedInt8](), reflect.TypeFor[[]nothing](),
		reflect.TypeFor[nest](), reflect.TypeFor[nestMap](), reflect.TypeFor[nothing](), reflect.TypeFor[unseen](), reflect.TypeFor[unusable](), reflect.TypeFor[names](), reflect.TypeFor[folds](), reflect.TypeFor[lengths](), reflect.TypeFor[everything](), many, clashing,
		reflect.TypeFor[readsJSONInt](), reflect.TypeFor[readsJSONString](), reflect.TypeFor[readsJSONSlice](), reflect.TypeFor[readsJSONMap](), reflect.TypeFor[readsTextString](), reflect.TypeFor[readsTextSlice](), reflect.TypeFor[readsTextMap](), reflect.TypeFor[readsTextBool](), reflect.TypeFor[readsBoth](), reflect.TypeFor[readsInner](), reflect.TypeFor[readsGarbage](),
		reflect.TypeFor[**readsJSON](), reflect.TypeFor[[]*readsText](), reflect.TypeFor[map[string]readsJSONMap](), reflect.TypeFor[map[string]*readsInner](),
		reflect.TypeFor[big.Int](), reflect.TypeFor[*big.Int](), reflect.TypeFor[big.Float](), reflect.TypeFor[netip.Addr](), reflect.TypeFor[netip.Prefix](), reflect.TypeFor[net.IP](), reflect.TypeFor[url.URL](), reflect.TypeFor[time.Duration](), reflect.TypeFor[time.Month](), reflect.TypeFor[*time.Time](),
		// Maps by key.
		reflect.TypeFor[map[namedString]int](), reflect.TypeFor[map[int]string](), reflect.TypeFor[map[int8]any](), reflect.TypeFor[map[int16]int](), reflect.TypeFor[map[int32]int](), reflect.TypeFor[map[int64]int](), reflect.TypeFor[map[namedInt]int](),
		reflect.TypeFor[map[uint]int](), reflect.TypeFor[map[uint8]int](), reflect.TypeFor[map[uint16]int](), reflect.TypeFor[map[uint32]int](), reflect.TypeFor[map[uint64]int](), reflect.TypeFor[map[uintptr]int](),
		reflect.TypeFor[map[bool]int](), reflect.TypeFor[map[float64]int](), reflect.TypeFor[map[any]int](), reflect.TypeFor[map[[2]int]int](), reflect.TypeFor[map[Base]int](),
		reflect.TypeFor[map[textKey]int](), reflect.TypeFor[map[*textKey]int](), reflect.TypeFor[map[textKeyInt]int](), reflect.TypeFor[map[textKeyString]int](), reflect.TypeFor[map[bothKey]int](), reflect.TypeFor[map[pointerKey]int](), reflect.TypeFor[map[writtenKey]int](), reflect.TypeFor[map[encoding.TextMarshaler]int](),
		reflect.TypeFor[map[netip.Addr]string](), reflect.TypeFor[map[std.Number]int](), reflect.TypeFor[map[readsTextInt][]int](), reflect.TypeFor[map[readsTextString]Base](),
		reflect.TypeFor[map[string]map[string]any](), reflect.TypeFor[map[string][]Base](), reflect.TypeFor[map[string]*Base](), reflect.TypeFor[map[string]one[[]int]](), reflect.TypeFor[map[string]describer](), reflect.TypeFor[map[string][2]int](), reflect.TypeFor[map[string]chan int](), reflect.TypeFor[map[string]nothing](),
		// Structs by field.
		reflect.TypeFor[two[int]](), reflect.TypeFor[two[*int]](), reflect.TypeFor[two[any]](), reflect.TypeFor[two[[]int]](), reflect.TypeFor[two[map[string]int]](), reflect.TypeFor[two[Base]](), reflect.TypeFor[two[*Base]](), reflect.TypeFor[two[std.RawMessage]](), reflect.TypeFor[two[*std.RawMessage]](),
		reflect.TypeFor[one[bool]](), reflect.TypeFor[one[int8]](), reflect.TypeFor[one[uint16]](), reflect.TypeFor[one[int64]](), reflect.TypeFor[one[uint64]](), reflect.TypeFor[one[float32]](), reflect.TypeFor[one[float64]](), reflect.TypeFor[one[string]](), reflect.TypeFor[one[[]byte]](), reflect.TypeFor[one[[]Base]](), reflect.TypeFor[one[[]string]](), reflect.TypeFor[one[[2]int]](),
		reflect.TypeFor[one[one[one[int]]]](), reflect.TypeFor[one[*one[*one[*int]]]](), reflect.TypeFor[one[map[string]Base]](), reflect.TypeFor[one[map[int]one[string]]](), reflect.TypeFor[one[struct{ A, B int }]](), reflect.TypeFor[one[struct{ B []struct{ A int8 } }]](),
		reflect.TypeFor[one[std.Number]](), reflect.TypeFor[one[*std.Number]](), reflect.TypeFor[one[time.Time]](), reflect.TypeFor[one[*time.Time]](), reflect.TypeFor[one[struct{ time.Time }]](), reflect.TypeFor[one[time.Duration]](), reflect.TypeFor[one[big.Int]](), reflect.TypeFor[one[*big.Int]](), reflect.TypeFor[one[netip.Addr]](),
		reflect.TypeFor[one[readsJSON]](), reflect.TypeFor[one[*readsJSON]](), reflect.TypeFor[two[readsText]](), reflect.TypeFor[two[*readsText]](), reflect.TypeFor[two[readsInner]](), reflect.TypeFor[one[readsGarbage]](), reflect.TypeFor[one[readsJSONMap]](), reflect.TypeFor[one[readsJSONSlice]](), reflect.TypeFor[one[**readsBoth]](), reflect.TypeFor[one[struct{ readsJSON }]](),
		reflect.TypeFor[one[error]](), reflect.TypeFor[one[describer]](), reflect.TypeFor[one[chan int]](), reflect.TypeFor[one[func()]](), reflect.TypeFor[one[complex64]](), reflect.TypeFor[one[std.Unmarshaler]](),
		// The option string.
		reflect.TypeFor[quote[bool]](), reflect.TypeFor[quote[int]](), reflect.TypeFor[quote[int8]](), reflect.TypeFor[quote[int16]](), reflect.TypeFor[quote[int32]](), reflect.TypeFor[quote[int64]](), reflect.TypeFor[quote[uint]](), reflect.TypeFor[quote[uint8]](), reflect.TypeFor[quote[uint16]](), reflect.TypeFor[quote[uint32]](), reflect.TypeFor[quote[uint64]](), reflect.TypeFor[quote[uintptr]](),
		reflect.TypeFor[quote[float32]](), reflect.TypeFor[quote[float64]](), reflect.TypeFor[quote[string]](), reflect.TypeFor[quote[*bool]](), reflect.TypeFor[quote[*int]](), reflect.TypeFor[quote[*float32]](), reflect.TypeFor[quote[*string]](), reflect.TypeFor[quote[**int]](), reflect.TypeFor[quote[namedPointer]](),
		reflect.TypeFor[quote[std.Number]](), reflect.TypeFor[quote[*std.Number]](), reflect.TypeFor[quote[namedInt]](), reflect.TypeFor[quote[namedString]](), reflect.TypeFor[quote[readsJSONInt]](), reflect.TypeFor[quote[*readsJSONString]](), reflect.TypeFor[quote[readsTextInt]](), reflect.TypeFor[quote[readsTextBool]](), reflect.TypeFor[quote[time.Duration]](),
		reflect.TypeFor[quote[any]](), reflect.TypeFor[quote[[]int]](), reflect.TypeFor[quote[Base]](), reflect.TypeFor[quote[[]string]](), reflect.TypeFor[quoteOmit[int]](), reflect.TypeFor[quoteOmit[*string]](), reflect.TypeFor[omit[string]](),
		// Embedded fields.
		reflect.TypeFor[embedsValue](), reflect.TypeFor[embedsPointer](), reflect.TypeFor[embedsHidden](), reflect.TypeFor[embedsHiddenPointer](), reflect.TypeFor[embedsBothPointers](), reflect.TypeFor[embedsTagged](), reflect.TypeFor[embedsHiddenTagged](), reflect.TypeFor[embedsPointerTagged](), reflect.TypeFor[embedsDashed](), reflect.TypeFor[embedsEmptyTag](),
		reflect.TypeFor[embedsShadowed](), reflect.TypeFor[embedsAmbiguous](), reflect.TypeFor[embedsResolved](), reflect.TypeFor[embedsTagWins](), reflect.TypeFor[embedsByDepth](), reflect.TypeFor[embedsTwice](), reflect.TypeFor[embedsTwiceResolved](), reflect.TypeFor[embedsNumber](), reflect.TypeFor[embedsNumberPointer](), reflect.TypeFor[embedsHiddenNumber](), reflect.TypeFor[embedsMap](),
		reflect.TypeFor[embedsInterface](), reflect.TypeFor[embedsAnyInterface](), reflect.TypeFor[embedsTime](), reflect.TypeFor[embedsRaw](), reflect.TypeFor[embedsJSONNumber](), reflect.TypeFor[embedsReader](), reflect.TypeFor[embedsReaderPointer](), reflect.TypeFor[embedsTwoReaders](), reflect.TypeFor[embedsChain](), reflect.TypeFor[embedsHiddenChain](), reflect.TypeFor[embedsWithinHidden](),
		reflect.TypeFor[Ping](), reflect.TypeFor[*Pong](), reflect.TypeFor[loop](), reflect.TypeFor[Loop](),
	)
	for _, v := range corpus.Types() {
		add(reflect.TypeOf(v).Elem())
	}
	return list
})

func shapeOf(t reflect.Type) shape {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		return array
	case reflect.Map, reflect.Struct:
		return object
	case reflect.Interface:
		return all
	}
	return bare
}

// filler sets every part of a value. The values are the same in each run.
type filler struct{ n int }

func (f *filler) next() int { f.n++; return f.n }

func (f *filler) fill(v reflect.Value, depth int) {
	if !v.CanSet() {
		return
	}
	switch v.Addr().Interface().(type) {
	case *time.Time:
		v.Set(reflect.ValueOf(time.Unix(int64(f.next()), 5).UTC()))
		return
	case *big.Int:
		v.Set(reflect.ValueOf(*big.NewInt(int64(f.next()))))
		return
	case *netip.Addr:
		v.Set(reflect.ValueOf(netip.AddrFrom4([4]byte{10, 0, 0, byte(f.next())})))
		return
	case *netip.Prefix:
		v.Set(reflect.ValueOf(netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 0, 0, 0}), 8)))
		return
	case *std.Number:
		v.SetString(strconv.Itoa(f.next()))
		return
	case *std.RawMessage:
		v.SetBytes(append(make([]byte, 0, 40), `{"old": 1}`...))
		return
	case *url.URL:
		v.FieldByName("Path").SetString("/old")
		return
	case *big.Float:
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(f.next() % 100))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		v.SetUint(uint64(f.next() % 100))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(float64(f.next()) + 0.5)
	case reflect.Complex64, reflect.Complex128:
		v.SetComplex(complex(float64(f.next()), 1))
	case reflect.String:
		v.SetString("old <" + strconv.Itoa(f.next()) + ">")
	case reflect.Slice:
		if depth > 1 {
			return
		}
		n := 4 >> depth
		v.Set(reflect.MakeSlice(v.Type(), n, n+1)) // the elements beyond the length are set too
		for i := range n {
			f.fill(v.Index(i), depth+1)
		}
		v.SetLen(n / 2)
	case reflect.Array:
		for i := range v.Len() {
			f.fill(v.Index(i), depth+1)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		if depth > 1 {
			return
		}
		for i := range 2 - depth {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			f.fill(key, depth+1)
			if i == 0 && key.Kind() == reflect.String {
				key.SetString("A")
			}
			f.fill(value, depth+1)
			if key.Comparable() {
				v.SetMapIndex(key, value)
			}
		}
	case reflect.Pointer:
		if depth > 2 {
			return
		}
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem(), depth+1)
	case reflect.Interface:
		f.fillInterface(v, depth)
	case reflect.Struct:
		for i := range v.NumField() {
			f.fill(v.Field(i), depth)
		}
	case reflect.Chan:
		v.Set(reflect.MakeChan(v.Type(), 0))
	}
}

func (f *filler) fillInterface(v reflect.Value, depth int) {
	if depth > 2 {
		return
	}
	var choices []any
	if v.NumMethod() == 0 {
		choices = []any{&Base{1, 2}, new(int), map[string]any{"A": 1.0, "old": "x"}, []any{1.0, "old"}, "old", new(*Base), 5, &map[string]int{"A": 1}, &[]int{1, 2, 3}, new(any), Base{3, 4}, &readsJSON{Text: "old"}, &two[any]{"old", &Base{}}}
	} else {
		choices = []any{&described{"old", &Base{5, 6}}, &refused{"old"}, describedNumber(3), &readsJSON{Text: "old"}, &readsText{Text: "old"}, &textKey{1}, textKeyInt(2), big.NewInt(5), &writesText{"old"}}
	}
	for range choices {
		x := reflect.ValueOf(choices[f.next()%len(choices)])
		if x.Type().AssignableTo(v.Type()) {
			v.Set(x)
			return
		}
	}
}

// place is the address and type of a map, pointer or slice.
type place struct {
	at uintptr
	t  reflect.Type
}

// mirror compares two values, one from each library. Both are built in the same way, so each
// reference in the first has a counterpart in the second. Each call must keep the same references.
type mirror struct {
	theirs, ours map[place]int
	held         [][2]reflect.Value // the referenced values, kept alive so that their addresses are not reused
	depth        int
	open         map[[2]place]bool // pairs that are being compared, once the depth suggests a cycle
}

// reference returns the place of v, and whether v is a reference with a unique place.
func reference(v reflect.Value) (place, bool) {
	switch v.Kind() {
	case reflect.Pointer:
		return place{v.Pointer(), v.Type()}, !v.IsNil() && v.Type().Elem().Size() > 0
	case reflect.Map, reflect.Chan:
		return place{v.Pointer(), v.Type()}, !v.IsNil()
	case reflect.Slice:
		return place{v.Pointer(), v.Type()}, v.Cap() > 0 && v.Type().Elem().Size() > 0
	}
	return place{}, false
}

// before records the references in two targets. The targets are built by the test, so it does not
// compare them.
func (m *mirror) before(theirs, ours any) {
	m.theirs, m.ours = map[place]int{}, map[place]int{}
	m.learn(reflect.ValueOf(theirs), reflect.ValueOf(ours))
}

func (m *mirror) learn(a, b reflect.Value) {
	if p, ok := reference(a); ok {
		if m.theirs[p] != 0 {
			return
		}
		q, _ := reference(b)
		m.held = append(m.held, [2]reflect.Value{a, b})
		m.theirs[p], m.ours[q] = len(m.held), len(m.held)
	}
	switch a.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !a.IsNil() {
			m.learn(a.Elem(), b.Elem())
		}
	case reflect.Slice:
		a, b = a.Slice3(0, a.Cap(), a.Cap()), b.Slice3(0, b.Cap(), b.Cap())
		fallthrough
	case reflect.Array:
		if a.Len() > 0 && simple(a.Type().Elem().Kind()) {
			return
		}
		for i := range a.Len() {
			m.learn(a.Index(i), b.Index(i))
		}
	case reflect.Map:
		if simple(a.Type().Elem().Kind()) || !hasEqualKeys(a.Type()) {
			return
		}
		for i := a.MapRange(); i.Next(); {
			m.learn(i.Value(), b.MapIndex(i.Key()))
		}
	case reflect.Struct:
		for i := range a.NumField() {
			m.learn(a.Field(i), b.Field(i))
		}
	}
}

// simple reports whether values of a kind contain no references.
func simple(k reflect.Kind) bool { return k <= reflect.Complex128 || k == reflect.String }

// hasEqualKeys reports whether the key of a map of type t can be looked up in another map. Keys
// that are pointers or interfaces cannot be looked up.
func hasEqualKeys(t reflect.Type) bool {
	k := t.Key().Kind()
	return k != reflect.Pointer && k != reflect.Interface
}

// after describes the difference between the two values, or returns "".
func (m *mirror) after(theirs, ours any) string {
	if s := m.diff(reflect.ValueOf(theirs), reflect.ValueOf(ours)); s != "" {
		return s
	}
	for _, h := range m.held { // other values may still refer to what the targets have dropped
		if k := h[0].Kind(); k == reflect.Pointer || k == reflect.Map {
			if s := m.diff(h[0], h[1]); s != "" {
				return " (what was there before)" + s
			}
		}
	}
	return ""
}

var (
	typeOfType  = reflect.TypeFor[reflect.Type]()
	typeOfValue = reflect.TypeFor[reflect.Value]()
)

func (m *mirror) diff(a, b reflect.Value) string {
	if a.IsValid() != b.IsValid() {
		return fmt.Sprintf(": %v; want %v", b, a)
	}
	if !a.IsValid() {
		return ""
	}
	if a.Type() != b.Type() {
		return fmt.Sprintf(": a %v; want a %v", b.Type(), a.Type())
	}
	p, ok := reference(a)
	q, okB := reference(b)
	// If encoding/json reuses the memory of a RawMessage, this package takes new memory. This
	// difference is documented.
	renewed := a.Type() == reflect.TypeFor[json.RawMessage]() && ok && m.theirs[p] != 0 && m.ours[q] == 0
	if ok && okB && !renewed {
		if was, is := m.theirs[p], m.ours[q]; was != is {
			return fmt.Sprintf(": leads to what was at place %d; want %d (0 is new)", is, was)
		}
		if a.Kind() == reflect.Pointer && p == q {
			return ""
		}
	}
	if simple(a.Kind()) {
		return m.contents(a, b, false)
	}
	key := [2]place{p, q}
	m.depth++
	deep := m.depth > 100 && ok
	if deep {
		if m.open[key] {
			m.depth--
			return ""
		}
		if m.open == nil {
			m.open = map[[2]place]bool{}
		}
		m.open[key] = true
	}
	diff := m.contents(a, b, ok && m.theirs[p] != 0 && !renewed)
	if m.depth--; deep {
		delete(m.open, key)
	}
	return diff
}

// contents is like diff, but for two values of the same type. If old is set, a slice existed before
// the call, and its array is compared up to the capacity.
func (m *mirror) contents(a, b reflect.Value, old bool) string {
	switch a.Kind() {
	case reflect.Bool:
		if a.Bool() != b.Bool() {
			return fmt.Sprintf(": %v; want %v", b.Bool(), a.Bool())
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		if a.Int() != b.Int() {
			return fmt.Sprintf(": %d; want %d", b.Int(), a.Int())
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		if a.Uint() != b.Uint() {
			return fmt.Sprintf(": %d; want %d", b.Uint(), a.Uint())
		}
	case reflect.Float32, reflect.Float64:
		if math.Float64bits(a.Float()) != math.Float64bits(b.Float()) { // -0 is not 0
			return fmt.Sprintf(": %v; want %v", b.Float(), a.Float())
		}
	case reflect.Complex64, reflect.Complex128:
		if a.Complex() != b.Complex() {
			return fmt.Sprintf(": %v; want %v", b.Complex(), a.Complex())
		}
	case reflect.String:
		if a.String() != b.String() {
			return fmt.Sprintf(": %s; want %s", short(b.String()), short(a.String()))
		}
	case reflect.Pointer:
		if a.IsNil() || b.IsNil() {
			return nilness(a, b)
		}
		return m.diff(a.Elem(), b.Elem())
	case reflect.Interface:
		if a.IsNil() || b.IsNil() {
			return nilness(a, b)
		}
		if a.Type() == typeOfType {
			return m.diff(a.Elem(), b.Elem()) // two type pointers, equal or not
		}
		return m.diff(a.Elem(), b.Elem())
	case reflect.Slice:
		if a.IsNil() != b.IsNil() {
			return nilness(a, b)
		}
		if a.Len() != b.Len() {
			return fmt.Sprintf(": length %d; want %d", b.Len(), a.Len())
		}
		if old && a.Cap() == b.Cap() {
			a, b = a.Slice3(0, a.Cap(), a.Cap()), b.Slice3(0, b.Cap(), b.Cap()) // the old array, up to its end
		}
		fallthrough
	case reflect.Array:
		if a.Len() > 0 && a.Type().Elem().Kind() == reflect.Uint8 && a.Kind() == reflect.Slice {
			if !bytes.Equal(a.Bytes(), b.Bytes()) {
				return fmt.Sprintf(": %s; want %s", short(string(b.Bytes())), short(string(a.Bytes())))
			}
			return ""
		}
		for i := range a.Len() {
			if s := m.diff(a.Index(i), b.Index(i)); s != "" {
				return fmt.Sprintf("[%d]%s", i, s)
			}
		}
	case reflect.Map:
		if a.IsNil() != b.IsNil() {
			return nilness(a, b)
		}
		if a.Len() != b.Len() {
			return fmt.Sprintf(": length %d; want %d", b.Len(), a.Len())
		}
		if !hasEqualKeys(a.Type()) {
			return ""
		}
		for i := a.MapRange(); i.Next(); {
			other := b.MapIndex(i.Key())
			if !other.IsValid() {
				return fmt.Sprintf("[%v]: not there", i.Key())
			}
			if s := m.diff(i.Value(), other); s != "" {
				return fmt.Sprintf("[%v]%s", i.Key(), s)
			}
		}
	case reflect.Struct:
		if a.Type() == typeOfValue && a.CanInterface() { // the Value of an UnsupportedValueError
			return m.diff(a.Interface().(reflect.Value), b.Interface().(reflect.Value))
		}
		for i := range a.NumField() {
			if s := m.diff(a.Field(i), b.Field(i)); s != "" {
				return "." + a.Type().Field(i).Name + s
			}
		}
	case reflect.Func:
		return nilness(a, b)
	}
	return ""
}

func nilness(a, b reflect.Value) string {
	if a.IsNil() != b.IsNil() {
		return fmt.Sprintf(": nil %t; want %t", b.IsNil(), a.IsNil())
	}
	return ""
}

// short formats s for an error message.
func short(s string) string {
	if len(s) > 300 {
		s = fmt.Sprintf("%s…(%d bytes)…%s", s[:150], len(s), s[len(s)-100:])
	}
	if !strconv.CanBackquote(s) {
		return strconv.Quote(s)
	}
	return s
}

// complaints counts the errors of each test. A test stops after some errors, because more would
// hide the first ones.
var complaints = map[string]int{}

func complain(t *testing.T, format string, args ...any) {
	t.Helper()
	if complaints[t.Name()]++; complaints[t.Name()] > 12 {
		t.Fatal("and so on")
	}
	t.Errorf(format, args...)
}

// sentinels are errors that callers compare by identity.
var sentinels = []error{io.EOF, io.ErrUnexpectedEOF, io.ErrClosedPipe, errReader, errWriter}

// unlikeErrors describes the difference between two errors, or returns "". Type, text and contents
// must be equal.
func unlikeErrors(theirs, ours error) string {
	if theirs == nil && ours == nil {
		return ""
	}
	if reflect.TypeOf(theirs) != reflect.TypeOf(ours) || theirs.Error() != ours.Error() {
		return fmt.Sprintf("error %T %v; want %T %v", ours, ours, theirs, theirs)
	}
	for _, s := range sentinels {
		if (theirs == s) != (ours == s) || errors.Is(theirs, s) != errors.Is(ours, s) {
			return fmt.Sprintf("error %q is another one than %v", ours, s)
		}
	}
	if s := new(mirror).diff(reflect.ValueOf(&theirs).Elem(), reflect.ValueOf(&ours).Elem()); s != "" {
		return fmt.Sprintf("error %q: %T%s", ours, ours, s)
	}
	return ""
}

// outcome is the result of a call.
type outcome struct {
	err      error
	panicked any
	calls    []string
}

func attempt(call func() error) (o outcome) {
	calls = calls[:0]
	defer func() {
		o.panicked = recover()
		if len(calls) > 0 {
			o.calls = append([]string(nil), calls...)
		}
	}()
	o.err = call()
	return o
}

// misused reports whether encoding/json has misused package reflect, and so panicked. It does so if
// it sets a pointer in an unexported field, or calls a method of such a field. The tests do not
// check what this package does in such a case.
func (o outcome) misused() bool {
	return o.panicked != nil && strings.HasPrefix(fmt.Sprint(o.panicked), "reflect")
}

// unlike describes the difference between two outcomes, or returns "".
func (o outcome) unlike(ours outcome) string {
	if o.misused() {
		return ""
	}
	if (o.panicked == nil) != (ours.panicked == nil) {
		return fmt.Sprintf("panic %v; want %v", ours.panicked, o.panicked)
	}
	if s := unlikeErrors(o.err, ours.err); s != "" {
		return s
	}
	made := ours.calls
	if json.OnV2 && len(made) > len(o.calls) {
		made = made[len(made)-len(o.calls):] // ignore calls before encoding/json was called
	}
	if !slices.Equal(o.calls, made) {
		return fmt.Sprintf("calls %q; want %q", ours.calls, o.calls)
	}
	return ""
}

// tails follow the input in memory. A read beyond the end of the input would find a tail that
// completes many truncated documents.
var tails = []string{`0"]}]}`, `"]}"]}`, `]}]}]}`, `e true`}

// copyOf returns a copy of an input, with a tail behind its end.
func copyOf(input []byte) []byte {
	tail := tails[len(input)%len(tails)]
	b := append(make([]byte, 0, len(input)+len(tail)), input...)
	return append(b, tail...)[:len(input)]
}

// spoil checks that a copy of input is unchanged. Then it overwrites the copy, so that results that
// still refer to it are detected.
func spoil(input, copied []byte) string {
	if tail := tails[len(input)%len(tails)]; !bytes.Equal(input, copied) || string(copied[len(input):cap(copied)]) != tail {
		return "the input was changed"
	}
	for i := range copied {
		copied[i] = '#'
	}
	return ""
}

// unlikeUnmarshal decodes input with both libraries and describes the difference, or returns "".
func unlikeUnmarshal(input []byte, newTarget func() any) string {
	theirs, ours := newTarget(), newTarget()
	var m mirror
	m.before(theirs, ours)
	b := copyOf(input)
	a := attempt(func() error { return std.Unmarshal(b, theirs) })
	spoil(input, b)
	b = copyOf(input)
	o := attempt(func() error { return json.Unmarshal(b, ours) })
	if s := spoil(input, b); s != "" {
		return s
	}
	if s := a.unlike(o); s != "" || a.panicked != nil {
		return s
	}
	return m.after(theirs, ours)
}

// decoder is implemented by the Decoders of both libraries.
type decoder interface {
	Decode(any) error
	Token() (std.Token, error)
	More() bool
	Buffered() io.Reader
	InputOffset() int64
	UseNumber()
	DisallowUnknownFields()
}

var (
	newStd  = func(r io.Reader) decoder { return std.NewDecoder(r) }
	newOurs = func(r io.Reader) decoder { return json.NewDecoder(r) }
)

// Options of a Decoder.
const (
	useNumber = 1 << iota
	disallowUnknown
	byteByByte
	optionSets
)

// unlikeDecode is like unlikeUnmarshal, but uses Decoders, which also decode the next value.
func unlikeDecode(input []byte, newTarget func() any, options int) string {
	theirs, ours := newTarget(), newTarget()
	var m mirror
	m.before(theirs, ours)
	step := func(make func(io.Reader) decoder, to any) (outcome, []any) {
		var r io.Reader = bytes.NewReader(input)
		if options&byteByByte != 0 {
			r = &chunks{data: input, sizes: []int{1}, end: io.EOF}
		}
		d := make(r)
		if options&useNumber != 0 {
			d.UseNumber()
		}
		if options&disallowUnknown != 0 {
			d.DisallowUnknownFields()
		}
		o := attempt(func() error { return d.Decode(to) })
		seen := []any{d.InputOffset(), remaining(d, r), d.More()}
		var next any
		err := d.Decode(&next)
		return o, append(seen, err, next, d.InputOffset())
	}
	a, seenA := step(newStd, theirs)
	o, seenO := step(newOurs, ours)
	if s := a.unlike(o); s != "" || a.panicked != nil {
		return s
	}
	if s := m.after(theirs, ours); s != "" {
		return s
	}
	for i, what := range []string{"InputOffset", "Buffered and the rest", "More", "the next error", "the next value", "the next InputOffset"} {
		x, isError := seenA[i].(error)
		if y, _ := seenO[i].(error); isError || y != nil {
			if s := unlikeErrors(x, y); s != "" {
				return what + ": " + s
			}
		} else if s := new(mirror).after(seenA[i], seenO[i]); s != "" {
			return what + s
		}
	}
	return ""
}

// remaining returns the part of its input that a decoder has not consumed.
func remaining(d decoder, r io.Reader) string {
	buffered, _ := io.ReadAll(d.Buffered())
	switch r := r.(type) {
	case *chunks:
		return string(buffered) + string(r.data[r.at:])
	case *bytes.Reader:
		rest := make([]byte, r.Len())
		r.ReadAt(rest, r.Size()-int64(r.Len()))
		return string(buffered) + string(rest)
	}
	return string(buffered)
}

// same decodes input with both libraries, in every way, and checks that all visible results are
// equal.
func same(t *testing.T, input string, newTarget func() any) {
	t.Helper()
	if s := unlikeUnmarshal([]byte(input), newTarget); s != "" {
		complain(t, "Unmarshal of %s into %T: %s", short(input), newTarget(), s)
		return
	}
	for options := range optionSets {
		if options&byteByByte != 0 && len(input) > 1000 {
			continue
		}
		if s := unlikeDecode([]byte(input), newTarget, options); s != "" {
			complain(t, "Decode with options %b of %s into %T: %s", options, short(input), newTarget(), s)
			return
		}
	}
}

// inputs returns JSON of all shapes.
var inputs = sync.OnceValue(func() (list []struct {
	text  string
	shape shape
}) {
	add := func(s shape, texts ...string) {
		for _, text := range texts {
			list = append(list, struct {
				text  string
				shape shape
			}{text, s})
		}
	}
	for i, literal := range literals() {
		add(bare, literal)
		add(array, "["+literal+"]")
		add(object, `{"A":`+literal+`}`)
		switch i % 6 { // adds each literal in one more position
		case 0:
			add(array, "[ "+literal+" ,\n"+literal+", "+literal+" ]")
		case 1:
			add(object, `{"a":`+literal+`,"B":`+literal+`}`)
		case 2:
			add(object, `{"A":{"A":`+literal+`}}`)
		case 3:
			add(object, `{"A":[`+literal+`],"C":{"A":`+literal+`}}`)
		case 4:
			add(array, `[{"A":`+literal+`}]`, `[[`+literal+`],[]]`)
		case 5:
			add(object, ` { "B" : `+literal+` , "unknown" : [`+literal+`] , "A" : `+literal+" }\n")
		}
	}
	add(all, faulty()...)
	for _, s := range []string{
		`{"A":1,"B":[true,null,"x\u00e9\n"],"C":{"D":-1.5e+3},"E":""}`, ` [ 1 , "two" , { "A" : null } , false ] `, `"a\u0041\ud83d\ude00\\é"`, `-12.5e-3`,
	} {
		for i := range len(s) {
			add(all, s[:i])
		}
	}
	add(object,
		`{"A":1,"A":2}`, `{"A":{"A":1},"A":{"B":2}}`, `{"A":[1,2,3],"A":[4],"A":[null,null,null,null]}`, `{"A":[{"A":1},{"B":2}],"A":[{"B":3}],"A":[{},{}]}`, `{"A":{"x":1},"A":{"y":2}}`, `{"A":{"x":1},"A":null}`, `{"A":null,"A":1}`, `{"A":"x","A":1,"A":true}`, `{"A":{"A":{"A":1,"B":2}},"A":{"A":{"B":3}}}`,
		`{"a":1}`, `{"A":1,"a":2}`, `{"a":1,"A":2}`, `{"K":1,"k":2,"\u212a":3,"K":4}`, `{"s":1,"S":2,"ſ":3}`, `{"\u0041":1}`, `{"A\u0000":1}`, `{"":1}`, `{"A ":1}`, `{"ß":1,"ẞ":2,"SS":3}`, `{"İ":1,"i̇":2,"ı":3,"I":4,"i":5}`, `{"Σ":1,"σ":2,"ς":3}`, `{"MiXeD":1,"mixed":2,"MIXED":3,"mIxEd":4,"Mixed":5}`, "{\"A\xff\":1,\"\xff\":2,\"\xfe\":3}", `{"\ud800":1,"\udfff":2,"�":3}`,
		`{"1":1,"-1":2,"01":3,"1.0":4,"+1":5,"":6,"x":7,"128":8,"256":9,"-129":10,"99999999999999999999":11," 1":12}`, `{"k":1,"kk":2}`, `{"bad":1}`, `{"a":"bad"}`, `{"A":"bad","B":1}`, `{"A":1,"B":"bad"}`, `{"A":"x","B":"bad"}`, `{"A":{"B":"x"},"B":{"B":"y"},"C":"z"}`, `{"a":[1,"2",3],"B":"x"}`, `{"10.0.0.1":1,"::1":2,"x":3}`, `{"Base":{"A":1},"A":2,"B":3,"C":4,"D":5,"L":6,"R":7,"Z":8,"Number":9}`, `{"Time":"2006-01-02T15:04:05Z","A":1}`, `{"Text":"x","A":"y"}`, `{"Stringer":null,"RawMessage":"AQID","TextMarshaler":"x","Map":{"A":1},"loop":{"A":1},"Loop":{"A":1}}`,
		`{"A":{"A":{"A":{"A":1,"B":2},"B":3},"B":4},"B":5}`, `{"B":[{"B":[{"B":[]}]}],"C":{"x":{"C":{"y":{"N":1}}}},"A":{"A":{"A":null}},"D":{"D":[]}}`, `{"-":1,"Dash":2,"renamed":3,"Renamed":4,"a b":5,"a\"b":6,"Quote":7,"日本語":8,"ünïcödé":9,"ÜNÏCÖDÉ":10,"€":11,"Symbol":12,"other":13,"!#$%&()*+-./:;<=>?@[]^_{|}~ ":14}`,
	)
	add(array, `[1,2,3,4,5,6,7,8,9,10]`, `[[],[[]],[[[]]]]`, `[null,1,"2",[3],{"A":4}]`, `[1,"x",2,true,3]`, `["AQ==","","x"]`, `[{"A":1,"B":2},{"A":3},{"B":4},{}]`, `[{"A":"x"},{"B":"y"},{"A":5}]`, "[1,\t2\r\n, 3 ]", `[1.5,-0.0,1e3]`, `["a","b","bad","c"]`)
	add(all, strings.Repeat("[", 9999)+strings.Repeat("]", 9999), strings.Repeat("[", 10000)+strings.Repeat("]", 10000), strings.Repeat("[", 10001)+strings.Repeat("]", 10001), strings.Repeat("[", 10001), strings.Repeat(`{"A":`, 10000)+"1"+strings.Repeat("}", 10000), strings.Repeat(`{"A":`, 10001)+"1"+strings.Repeat("}", 10001), strings.Repeat(`[{"D":`, 5000)+"{}"+strings.Repeat("}]", 5000))
	return list
})

// literals returns scalars of all kinds, and the shortest arrays and objects.
func literals() []string {
	list := []string{
		"null", "true", "false", "[]", "{}", "[1,2,3]", `{"A":1}`, `[[1],[2,3]]`, `{"x":{"y":[{}]}}`, `[{"B":2}]`, "[null]", `{"A":null}`, " 1", "1 ", "\t\n\r 1\t\n\r ", " [ ] ", " { } ", "{ \"A\" : 1 }",
	}
	numbers := []string{
		"0", "-0", "1", "-1", "7", "10", "127", "128", "-128", "-129", "255", "256", "32767", "32768", "-32768", "-32769", "65535", "65536", "2147483647", "2147483648", "-2147483648", "-2147483649", "4294967295", "4294967296",
		"9007199254740992", "9007199254740993", "999999999999999999", "1000000000000000000", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551615", "18446744073709551616", "18446744073709551620", "21000000000000000000", "99999999999999999999", "-99999999999999999999", "123456789012345678901234567890",
		"1.0", "-1.5", "0.1", "1e2", "1E+2", "1e-2", "100e-2", "0e0", "-0.0", "0.0000001", "1e-7", "1e20", "1e21", "3.4028234663852886e38", "3.4028235677973366e38", "3.4028236e38", "-1e39", "1.7976931348623157e308", "1.7976931348623159e308", "1e309", "-1e999", "1e99999999999999999999", "5e-324", "2e-324", "1e-400", "1e-99999999999999999999", "0e999", "1.40129846432481707e-45", "7e-46", "8.5e-46",
		"123456789.123456789", "0.1234567890123456789012345678901234567890", "179769313486231580793e289", "2.2250738585072011e-308", "9007199254740993.0", "1e23", "8.442911973260991817129021e-309",
	}
	list = append(list, numbers...)
	for i, n := range numbers { // for the tag option string
		if i%3 == 0 || len(n) > 17 {
			list = append(list, `"`+n+`"`)
		}
	}
	return append(list,
		`""`, `"a"`, `"bad"`, `"old"`, `"true"`, `"false"`, `"null"`, `"nul"`, `"truely"`, `"01"`, `"-01"`, `" 1"`, `"1 "`, `"1x"`, `"-"`, `"+1"`, `".5"`, `"1."`, `"1e"`, `"0x10"`, `"0x1p-2"`, `"1_0"`, `"-Inf"`, `"Inf"`, `"NaN"`, `"-nan"`, `"[1]"`, `"{}"`, `"\u0031"`,
		`"\"a\""`, `"\"\""`, `"\"a"`, `"\"\\u00e9\\n\""`, `"\"\\q\""`, `"\"\\'\""`, `"\"\\ud800\""`, `"\"a\"b\""`, `"\"\u0001\""`, `"\"1\""`, `"\"null\""`, `"\"bad\""`, `"\\"`, `"\""`,
		`"AQID"`, `"AQI="`, `"AQ=="`, `"AQI"`, `"AQ\r\nID"`, `"A\nQ=="`, `"%%%%"`, `"-_-_"`, `"AQ==AQ=="`, `" AQID"`,
		`"é"`, `"日本語"`, `"😀"`, `"\u00e9\u65e5\ud83d\ude00"`, `"\uD83D\uDE00"`, `"\ud800"`, `"\udc00"`, `"\ud800\u0041"`, `"\ud800x"`, `"\ud800\ud800\udc00"`, `"\udc00\ud800"`, `"\ud83d\\ude00"`, `"\u0000"`, `"\u001f\u007f\u0080\u2028\u2029\uffff\ufffd"`, "\"\x7f\"", "\"\u2028\u2029\"",
		"\"\xff\"", "\"a\xffb\xfe\"", "\"\xc3\"", "\"\xe2\x82\"", "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"", "\"\xc0\x80\"", "\"\xf0\x9f\x98\"", "\"\xef\xbf\xbd\"", "\"\\n\xff\"",
		`"\"\\\/\b\f\n\r\t"`, `"/"`, `"<>&"`, `"2006-01-02T15:04:05Z"`, `"2006-01-02T15:04:05.999999999+01:30"`, `"2006-13-02T15:04:05Z"`, `"10.0.0.1"`, `"::1"`, `"10.0.0.0/8"`, `"http://x/y"`,
		`"`+strings.Repeat("a", 31)+`"`, `"`+strings.Repeat("b", 32)+`"`, `"`+strings.Repeat("c", 63)+`\n"`, `"`+strings.Repeat("d", 64)+"\xff\"", `"`+strings.Repeat("é", 70)+`"`, `"`+strings.Repeat("long ", 1000)+`"`, `"`+strings.Repeat(`\u00e9`, 700)+`"`,
	)
}

// faulty returns documents with syntax errors.
func faulty() []string {
	list := []string{
		"", " ", "\n\t\r ", "\x00", "1\x00", "\x00 1", "[1\x00]", "\ufeff1", "\ufeff{}", "\v1", "\f", "\u00a01", "1 2", "1,", "{} {}", "[] ]", "null x", "nullx", `"a" "b"`, `"a"x`, "[]x", "{}}",
		"n", "nu", "nul", "nulL", "Null", "NULL", "t", "tr", "tru", "trux", "True", "f", "fals", "falsx", "undefined", "NaN", "Infinity", "-Infinity", "nan",
		"-", "--1", "-a", "+1", "01", "-01", "00", "1.", "1.a", ".5", "-.5", "1e", "1e+", "1e-", "1ea", "1e+a", "1.5.5", "1e5e", "1e5.5", "0x10", "1_000", "1a", "0a", "0.", "1 e5", "- 1", "1-", "1+", "१",
		`"`, `"a`, `"\`, `"\"`, `"\u`, `"\u1`, `"\u12`, `"\u123`, `"\u12"`, `"\u123g"`, `"\u 123"`, `"\U0041"`, `"\x41"`, `"\q"`, `"\'"`, `"\0"`, `'a'`, `"\ud800\u"`, `"\ud800\uxx"`, "\"\x00\"", "\"\x1f\"", "\"\n\"", "\"a\tb\"", "\"\\\n\"", "\"\xff", "\"a\xff\x01\"", `"` + strings.Repeat("a", 40) + "\x01\"", `"` + strings.Repeat("é", 40) + `\x"`,
		"[", "]", "[,", "[,1]", "[1,", "[1,]", "[1,,2]", "[1 2]", "[1:2]", "[1}", "[}", "[[]", "[]]", "[1", "[1 ", "[\"a\"", "[true", "[tru]", "[-]", "[1.]", "[01]", "[\"\\q\"]", "[1,2,3,{]", "[[[[[", "[null", "[nul]", "[\x01]",
		"{", "}", "{,", `{"A"`, `{"A" `, `{"A":`, `{"A":1`, `{"A":1 `, `{"A":1,`, `{"A":1,}`, `{"A":,}`, `{"A":}`, `{"A"}`, `{"A",1}`, `{"A" 1}`, `{"A"::1}`, `{"A":1:2}`, `{"A":1,,"B":2}`, `{"A":1 "B":2}`, `{"A":1]`, `{1:2}`, `{A:1}`, `{'A':1}`, `{null:1}`, `{[]:1}`, `{"A":1}}`, `{"A":1;"B":2}`, `{"A":{"B":1}`, `{"A":[1}`, `{"A":[}`, `{"A\q":1}`, "{\"A\n\":1}", `{"A":tru}`, `{"A":-}`, `{"A":1.}`, `{"A":01}`, `{"A":"`, `{"A":"x}`, `{,"A":1}`, `{"A":1,"B"}`, `{"A":1,"B":}`,
		`{"A":1,"B":[{"A":1},{"A":2},{"B":x}]}`, `{"A":"x","B":1`, `{"unknown":[1,2,{"a":tru}]}`, `{"A":1} x`, `[1,2,3] x`, `{"unknown":"\q"}`, `{"unknown":01}`, "{\"unknown\":\"\x01\"}", `{"A":[1,2,3],"B":{"A":1},"C":"c","D":nul}`, `{"A":"bad","B":}`, `// c` + "\n1", `/**/1`, `1//`, `{"A":1/**/}`,
	}
	for c := range 256 { // each byte where a value, a name, an element or a member may begin or end
		list = append(list, string([]byte{byte(c)}), "[1"+string([]byte{byte(c)})+"1]")
		if c%4 == 0 || c == '"' || c == ':' {
			list = append(list, `{"A"`+string([]byte{byte(c)})+`:1}`, `{`+string([]byte{byte(c)})+`"A":1}`, `{"A":1`+string([]byte{byte(c)})+`}`, `"\`+string([]byte{byte(c)})+`"`)
		}
	}
	return slices.DeleteFunc(list, func(s string) bool { return std.Valid([]byte(s)) })
}

// ownInputs returns inputs that fit one type: an encoded value with its names in order, in another
// order, and in other cases.
func ownInputs(x target) []string {
	var list []string
	for _, v := range []any{x.fresh(), x.filled()} {
		var b []byte
		if o := attempt(func() (err error) { b, err = std.Marshal(v); return err }); o.err != nil || o.panicked != nil {
			continue
		}
		var indented bytes.Buffer
		std.Indent(&indented, b, "", "\t")
		list = append(list, string(b), indented.String(), strings.ToLower(string(b)), strings.ToUpper(string(b)), string(b[:len(b)/2]), string(b[:len(b)-1]))
		var fields map[string]std.RawMessage
		if std.Unmarshal(b, &fields) == nil {
			if b, err := std.Marshal(fields); err == nil { // with the names in order
				list = append(list, string(b), strings.ReplaceAll(string(b), `:"`, `:["`), strings.ReplaceAll(string(b), ":", ` : {"A":`))
			}
		}
	}
	return list
}

// Both libraries decode each input into each suitable type, and into some of the others, with the
// same result. The target is either zero or already filled.
func TestUnmarshalDifferential(t *testing.T) {
	count := 0
	try := func(x target, i int, text string) {
		if count++; (raced || testing.Short()) && count%5 != 0 {
			return
		}
		input := []byte(text)
		if s := unlikeUnmarshal(input, x.fresh); s != "" {
			complain(t, "Unmarshal of %s into a new %v: %s", short(text), x.t, s)
		}
		if len(input) < 1000 || i%4 == 0 {
			if s := unlikeUnmarshal(input, x.filled); s != "" {
				complain(t, "Unmarshal of %s into a filled %v: %s", short(text), x.t, s)
			}
		}
		if count%16 == 0 && len(input) < 1000 {
			if s := unlikeDecode(input, x.filled, count/16%optionSets); s != "" {
				complain(t, "Decode with options %b of %s into a filled %v: %s", count/16%optionSets, short(text), x.t, s)
			}
		}
	}
	for n, x := range targets() {
		failed := t.Failed()
		for i, in := range inputs() {
			if in.shape == x.shape || x.shape == all && in.shape != all || (n+i)%16 == 0 {
				try(x, i, in.text)
			}
		}
		for i, text := range ownInputs(x) {
			try(x, i, text)
		}
		if t.Failed() && !failed && testing.Short() {
			return
		}
	}
	t.Logf("%d cases of %d types", count, len(targets()))
}

// unlikeText compares the functions of both libraries that do not depend on Go types. It describes
// the difference, or returns "".
func unlikeText(data []byte, prefix, indent string) string {
	input := copyOf(data)
	if got, want := json.Valid(input), std.Valid(input); got != want {
		return fmt.Sprintf("Valid: %t; want %t", got, want)
	}
	for _, call := range []struct {
		name         string
		theirs, ours func(*bytes.Buffer) error
	}{
		{"Compact", func(b *bytes.Buffer) error { return std.Compact(b, input) }, func(b *bytes.Buffer) error { return json.Compact(b, input) }},
		{"Indent", func(b *bytes.Buffer) error { return std.Indent(b, input, prefix, indent) }, func(b *bytes.Buffer) error { return json.Indent(b, input, prefix, indent) }},
		{"Indent by nothing", func(b *bytes.Buffer) error { return std.Indent(b, input, "", "") }, func(b *bytes.Buffer) error { return json.Indent(b, input, "", "") }},
		{"HTMLEscape", func(b *bytes.Buffer) error { std.HTMLEscape(b, input); return nil }, func(b *bytes.Buffer) error { json.HTMLEscape(b, input); return nil }},
	} {
		theirs, ours := bytes.NewBufferString("before"), bytes.NewBufferString("before")
		if s := unlikeErrors(call.theirs(theirs), call.ours(ours)); s != "" || !bytes.Equal(theirs.Bytes(), ours.Bytes()) {
			return fmt.Sprintf("%s: %s; want %s; %s", call.name, short(ours.String()), short(theirs.String()), s)
		}
	}
	return spoil(data, input)
}

// The functions that do not depend on Go types treat every input like encoding/json, with an error
// in many positions.
func TestTextDifferential(t *testing.T) {
	docs := []string{`{"A":1,"B":[true,null,"x\u00e9\n<"],"C":{"D":-1.5e+3,"E":[]},"F":{}} `, " [ 1 , \"two\" , { \"A\" : null } , false ]\n", `"a\u0041\ud83d\ude00\\é"`, "[[[{}],\t[{\"\u2028\":\"\xff\"}]]]", `-12.5e-3`}
	list := docs
	for _, doc := range docs {
		list = append(list, withFaults(doc)...)
	}
	for _, in := range inputs() {
		if len(in.text) < 1000 {
			list = append(list, in.text, in.text+" ", "[{\"x\":"+in.text+"}]", in.text+in.text)
		}
	}
	for i, in := range list {
		if s := unlikeText([]byte(in), indents[i%len(indents)][0], indents[i%len(indents)][1]); s != "" {
			complain(t, "%s: %s", short(in), s)
		}
	}
	if json.Valid(nil) || unlikeErrors(std.Unmarshal(nil, new(any)), json.Unmarshal(nil, new(any))) != "" {
		t.Error("nothing at all is valid")
	}
}

// values returns values of a type for encoding: empty, filled and random.
func values(x target, r *rand.Rand) []reflect.Value {
	list := []reflect.Value{reflect.New(x.t), reflect.ValueOf(x.filled())}
	for range 3 {
		v := reflect.New(x.t)
		fillRandom(r, v.Elem(), 0)
		list = append(list, v)
	}
	return list
}

// fillRandom is like corpus.Fill, but supports more types, and creates strings that are harder to
// encode.
func fillRandom(r *rand.Rand, v reflect.Value, depth int) {
	if !v.CanSet() || r.IntN(6) == 0 {
		return
	}
	switch v.Addr().Interface().(type) {
	case *time.Time, *big.Int, *netip.Addr, *netip.Prefix, *url.URL, *big.Float:
		(&filler{r.IntN(100)}).fill(v, depth)
		return
	case *std.Number:
		v.SetString([]string{"", "1", "-0.5e+10", "12345678901234567890", "1x", "01", "-", `"1"`}[min(r.IntN(24), 7)])
		return
	case *std.RawMessage:
		v.SetBytes([]byte([]string{`{"a": [1, 2 ,3]}`, ` "<\u003c>" `, "1", "null", "", "1 2", "\"\u2028\"", `{"a":}`}[min(r.IntN(16), 7)]))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(hardString(r))
	case reflect.Slice:
		n := r.IntN(4)
		if depth > 4 {
			n = 0
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			fillRandom(r, v.Index(i), depth+1)
		}
	case reflect.Array:
		for i := range v.Len() {
			fillRandom(r, v.Index(i), depth+1)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for n := r.IntN(4); n > 0 && depth < 4; n-- {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fillRandom(r, key, depth+1)
			fillRandom(r, value, depth+1)
			if key.Comparable() && !(key.Kind() == reflect.Interface && key.IsNil()) {
				v.SetMapIndex(key, value)
			}
		}
		dropTwins(v)
	case reflect.Pointer:
		if depth < 4 {
			v.Set(reflect.New(v.Type().Elem()))
			fillRandom(r, v.Elem(), depth+1)
		}
	case reflect.Interface:
		(&filler{r.IntN(100)}).fillInterface(v, depth)
		if v.NumMethod() == 0 && r.IntN(2) == 0 {
			if x := corpus.Any(r, depth+1); x != nil {
				v.Set(reflect.ValueOf(x))
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fillRandom(r, v.Field(i), depth)
		}
	case reflect.Chan, reflect.Func, reflect.Complex64, reflect.Complex128:
	case reflect.Float32, reflect.Float64:
		if corpus.Fill(r, v, depth); r.IntN(20) != 0 && math.IsInf(v.Float(), 0) {
			v.SetFloat(1e22)
		}
	default:
		corpus.Fill(r, v, depth)
	}
}

// dropTwins removes keys of a map that have the same text as another key, because their order would
// be random.
func dropTwins(m reflect.Value) {
	seen := map[string]bool{}
	for _, k := range m.MapKeys() {
		text := fmt.Sprint(k)
		if tm, ok := k.Interface().(encoding.TextMarshaler); ok && k.Kind() != reflect.String && !(k.Kind() == reflect.Pointer && k.IsNil()) {
			b, _ := tm.MarshalText()
			text = string(b)
		}
		if seen[text] {
			m.SetMapIndex(k, reflect.Value{})
		}
		seen[text] = true
	}
}

// hardString returns a string that contains invalid UTF-8, and characters that need escapes, at
// random positions.
func hardString(r *rand.Rand) string {
	var b []byte
	for range r.IntN(12) {
		switch r.IntN(5) {
		case 0:
			b = append(b, byte(r.IntN(256)))
		case 1:
			b = append(b, []string{"<", ">", "&", "\"", "\\", "\u2028", "\u2029", "\u2027", "\x7f", "\b", "\f", "é", "世", "😀", "\ufffd", "\xed\xa0\x80", "\xe2\x80", "\xe2"}[r.IntN(18)]...)
		default:
			b = append(b, corpus.String(r)...)
		}
	}
	return string(b)
}

// writes records each call of Write.
type writes struct {
	list []string
	fail int // number of the call that fails, from 1; 0 for none
}

func (w *writes) Write(b []byte) (int, error) {
	w.list = append(w.list, string(b))
	if len(w.list) == w.fail {
		return 0, errWriter
	}
	return len(b), nil
}

// encoder is implemented by the Encoders of both libraries.
type encoder interface {
	Encode(any) error
	SetEscapeHTML(bool)
	SetIndent(prefix, indent string)
}

// indents are prefixes and indents for an Encoder. The last two are not JSON.
var indents = [][2]string{{"", ""}, {"", "\t"}, {"  ", "  "}, {"> ", ""}, {"", "<x>"}}

// unlikeMarshal encodes v with both libraries, in every way, and describes the difference, or
// returns "".
func unlikeMarshal(v any) string {
	each := func(theirs, ours func() (string, error)) string {
		var a, b string
		x := attempt(func() (err error) { a, err = theirs(); return err })
		y := attempt(func() (err error) { b, err = ours(); return err })
		if s := x.unlike(y); s != "" {
			return s
		}
		if x.panicked == nil && a != b {
			return fmt.Sprintf("%s; want %s", short(b), short(a))
		}
		return ""
	}
	text := func(b []byte, err error) (string, error) {
		if err != nil && b != nil {
			return "not nil", err
		}
		return string(b), err
	}
	if s := each(func() (string, error) { return text(std.Marshal(v)) }, func() (string, error) { return text(json.Marshal(v)) }); s != "" {
		return "Marshal: " + s
	}
	for _, in := range indents {
		if s := each(func() (string, error) { return text(std.MarshalIndent(v, in[0], in[1])) }, func() (string, error) { return text(json.MarshalIndent(v, in[0], in[1])) }); s != "" {
			return fmt.Sprintf("MarshalIndent with %q: %s", in, s)
		}
		for _, escape := range []bool{true, false} {
			encode := func(e encoder, w *writes) (string, error) {
				e.SetEscapeHTML(escape)
				e.SetIndent(in[0], in[1])
				err := e.Encode(v)
				return fmt.Sprintf("%q", w.list), err
			}
			var theirs, ours writes
			if s := each(func() (string, error) { return encode(std.NewEncoder(&theirs), &theirs) }, func() (string, error) { return encode(json.NewEncoder(&ours), &ours) }); s != "" {
				return fmt.Sprintf("Encoder with escapes %t, indents %q: %s", escape, in, s)
			}
		}
	}
	return ""
}

// sameMarshal encodes values with both libraries, in every way, and checks that the results are
// equal.
func sameMarshal(t *testing.T, values ...any) {
	t.Helper()
	for _, v := range values {
		if s := unlikeMarshal(v); s != "" {
			complain(t, "%T %s", v, s)
		}
	}
}

// Both libraries encode values of every type in the same way, by pointer and by value.
func TestMarshalDifferential(t *testing.T) {
	r := corpus.New(11)
	count := 0
	types := targets()
	for _, more := range []reflect.Type{
		reflect.TypeFor[writesJSON](), reflect.TypeFor[writesJSONPointer](), reflect.TypeFor[writesJSONInt](), reflect.TypeFor[writesJSONString](), reflect.TypeFor[writesJSONSlice](), reflect.TypeFor[writesJSONMap](), reflect.TypeFor[writesJSONByte](), reflect.TypeFor[writesText](), reflect.TypeFor[writesTextPointer](), reflect.TypeFor[writesTextInt](), reflect.TypeFor[writesTextString](), reflect.TypeFor[writesTextSlice](), reflect.TypeFor[writesTextByte](), reflect.TypeFor[writesBoth](), reflect.TypeFor[writesMixed](),
	} {
		str := reflect.TypeFor[string]()
		for _, t := range []reflect.Type{more, reflect.PointerTo(more), reflect.SliceOf(more), reflect.SliceOf(reflect.PointerTo(more)), reflect.ArrayOf(2, more), reflect.MapOf(str, more), reflect.MapOf(str, reflect.PointerTo(more)),
			reflect.StructOf([]reflect.StructField{{Name: "A", Type: more}, {Name: "B", Type: reflect.PointerTo(more), Tag: `json:",omitempty"`}, {Name: "C", Type: more, Tag: `json:",string,omitzero"`}})} {
			types = append(types, target{t, all})
		}
	}
	for _, t := range []reflect.Type{
		reflect.TypeFor[omit[bool]](), reflect.TypeFor[omit[int]](), reflect.TypeFor[omit[uint8]](), reflect.TypeFor[omit[float32]](), reflect.TypeFor[omit[float64]](), reflect.TypeFor[omit[any]](), reflect.TypeFor[omit[*int]](), reflect.TypeFor[omit[[]int]](), reflect.TypeFor[omit[[]byte]](), reflect.TypeFor[omit[[0]int]](), reflect.TypeFor[omit[[2]int]](), reflect.TypeFor[omit[map[string]int]](), reflect.TypeFor[omit[Base]](), reflect.TypeFor[omit[*Base]](), reflect.TypeFor[omit[nothing]](), reflect.TypeFor[omit[unseen]](),
		reflect.TypeFor[omit[time.Time]](), reflect.TypeFor[omit[*time.Time]](), reflect.TypeFor[omit[std.Number]](), reflect.TypeFor[omit[std.RawMessage]](), reflect.TypeFor[omit[zeroByValue]](), reflect.TypeFor[omit[*zeroByValue]](), reflect.TypeFor[omit[zeroByPointer]](), reflect.TypeFor[omit[*zeroByPointer]](), reflect.TypeFor[omit[zeroInt]](), reflect.TypeFor[omit[zeroSlice]](), reflect.TypeFor[omit[zeroMap]](), reflect.TypeFor[omit[zeroer]](), reflect.TypeFor[omit[zeroWrongSign]](), reflect.TypeFor[omit[describer]](), reflect.TypeFor[omit[writesJSON]](), reflect.TypeFor[omit[*writesTextPointer]](),
		reflect.TypeFor[quoteOmit[bool]](), reflect.TypeFor[quoteOmit[float64]](), reflect.TypeFor[quoteOmit[string]](), reflect.TypeFor[quoteOmit[*int]](), reflect.TypeFor[quoteOmit[std.Number]](), reflect.TypeFor[quoteOmit[writesTextInt]](), reflect.TypeFor[quoteOmit[writesJSONInt]](),
		reflect.TypeFor[embedsWriter](), reflect.TypeFor[map[string]omit[map[string]int]](),
	} {
		types = append(types, target{t, object})
	}
	for _, x := range types {
		for _, v := range values(x, r) {
			if count++; (raced || testing.Short()) && count%5 != 0 {
				continue
			}
			if s := unlikeMarshal(v.Interface()); s != "" {
				complain(t, "*%v %s: %s", x.t, short(fmt.Sprintf("%+v", v.Elem())), s)
			}
			if s := unlikeMarshal(v.Elem().Interface()); s != "" {
				complain(t, "%v %s: %s", x.t, short(fmt.Sprintf("%+v", v.Elem())), s)
			}
		}
	}
	t.Logf("%d values of %d types", 2*count, len(types))
}
