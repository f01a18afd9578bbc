package differential

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	v6 "github.com/Basekick-Labs/msgpack/v6"
	"github.com/slipstream-go/slipstream/msgpack"
	v5 "github.com/vmihailenco/msgpack/v5"
)

type (
	countsUp   struct{ n byte }
	eitherWay  struct{ how string }
	unexported struct{ n int }
	twoAliases struct {
		N int `msgpack:",alias:a,alias:b"`
	}
	unit8       byte
	writesError struct{}
)

func (writesError) Error() string                   { return "text" }
func (writesError) MarshalMsgpack() ([]byte, error) { return []byte{7}, nil }

func (c *countsUp) MarshalMsgpack() ([]byte, error) { return []byte{c.n + 1}, nil }

func (e *eitherWay) UnmarshalText([]byte) error   { e.how = "text"; return nil }
func (e *eitherWay) UnmarshalBinary([]byte) error { e.how = "binary"; return nil }

// decoded is a test case of decoding: the data, and the results of v5 and of Slipstream.
// TestPagesMigrateMsgpack runs the cases by name.
type decoded struct {
	name, data   string // data in hex
	into         func() any
	theirs, ours string
}

var decodedCases = func() []decoded {
	type held struct{ E any }
	type timed struct{ T time.Time }
	return []decoded{
		// What changes.
		{"int keys into any", "8101a161", func() any { return new(any) },
			"msgpack: invalid code=1 decoding string/bytes length", "map[int8]interface {}{1:\"a\"}"},
		{"keys of several types into any", "8201a161a1620a", func() any { return new(any) },
			"msgpack: invalid code=1 decoding string/bytes length", "map[interface {}]interface {}{\"b\":10, 1:\"a\"}"},
		{"float without a fraction into int", "cb4000000000000000", func() any { return new(int) },
			"msgpack: invalid code=cb decoding int64", "2"},
		{"float with a fraction into int", "cb4004000000000000", func() any { return new(int) },
			"msgpack: invalid code=cb decoding int64", "msgpack: float 2.5 does not fit int64"},
		{"float beyond int8", "cb4072c00000000000", func() any { return new(int8) },
			"msgpack: invalid code=cb decoding int64", "msgpack: float 300 does not fit int8"},
		{"float64 into float32", "cb3ff8000000000000", func() any { return new(float32) },
			"msgpack: invalid code=cb decoding float32", "1.5"},
		{"float64 into the nearest float32", "cb3ff199999999999a", func() any { return new(float32) },
			"msgpack: invalid code=cb decoding float32", "1.1"},
		{"float64 beyond float32", "cb7fefffffffffffff", func() any { return new(float32) },
			"msgpack: invalid code=cb decoding float32", "msgpack: float 1.7976931348623157e+308 does not fit float32"},
		{"uint64 into float64", "cfffffffffffffffff", func() any { return new(float64) },
			"-1", "1.8446744073709552e+19"},
		{"str into a type with both", "a178", func() any { return new(eitherWay) },
			"differential.eitherWay{how:\"binary\"}", "differential.eitherWay{how:\"text\"}"},
		{"bin into a type with both", "c40178", func() any { return new(eitherWay) },
			"differential.eitherWay{how:\"binary\"}", "differential.eitherWay{how:\"binary\"}"},
		{"an any that holds a value", "91a179", func() any { return &[]any{"old"} },
			"panic", "[]interface {}{\"y\"}"},
		{"nil into an any that holds a pointer", "81a145c0", func() any { return &held{new(int)} },
			"panic", "differential.held{E:interface {}(nil)}"},
		{"nil into a time in a struct", "81a154c0", func() any { return &timed{time.Unix(1, 0)} },
			"panic", "differential.timed{T:time.Date(1, time.January, 1, 0, 0, 0, 0, time.UTC)}"},
		{"nil into times", "91c0", func() any { return new([]time.Time) },
			"panic", "[]time.Time{time.Date(1, time.January, 1, 0, 0, 0, 0, time.UTC)}"},
		{"nil into a time", "c0", func() any { return new(time.Time) },
			"msgpack: invalid code=c0 decoding ext len", "time.Date(1, time.January, 1, 0, 0, 0, 0, time.UTC)"},
		{"nil into a []string", "c0", func() any { return &[]string{"old"} },
			"[]string{\"old\"}", "[]string(nil)"},
		{"a struct's key that is an int", "8101a161", func() any { return new(held) },
			"msgpack: invalid code=1 decoding string/bytes length", "differential.held{E:interface {}(nil)}"},
		{"text into a time in a struct", "81a154b4323032332d31312d31345432323a31333a32305a", func() any { return new(timed) },
			"msgpack: invalid code=b4 decoding ext len", "differential.timed{T:time.Date(2023, time.November, 14, 22, 13, 20, 0, time.UTC)}"},
		{"the first of two aliases", "81a16101", func() any { return new(twoAliases) },
			"differential.twoAliases{N:0}", "differential.twoAliases{N:1}"},
		{"the last of two aliases", "81a16201", func() any { return new(twoAliases) },
			"differential.twoAliases{N:1}", "differential.twoAliases{N:1}"},
		{"a []byte as a key of map[any]any", "81c4016101", func() any { return new(map[any]any) },
			"panic", "msgpack: unsupported map key: []uint8"},
		{"a map as a key of map[any]any", "818001", func() any { return new(map[any]any) },
			"panic", "msgpack: unsupported map key: map[string]interface {}"},
		{"a value into an interface with methods", "81a153a178", func() any { return new(struct{ S fmt.Stringer }) },
			"panic", "msgpack: Decode(string into fmt.Stringer)"},
		{"an any that holds a nil pointer", "01", func() any { v := any((*int)(nil)); return &v },
			"panic", "1"},
		{"deep nesting", strings.Repeat("91", 10_001) + "c0", func() any { return new(any) },
			"…", "msgpack: values nest deeper than 10000"},
		// What stays.
		{"nil into another slice", "c0", func() any { return &[]int{1} }, "[]int(nil)", "[]int(nil)"},
		{"ints are cut", "cd012c", func() any { return new(int8) }, "44", "44"},
		{"ints in any", "92d00107", func() any { return new(any) }, "[]interface {}{1, 7}", "[]interface {}{1, 7}"},
		{"bin and nil keys into any", "82c4016101c002", func() any { return new(any) }, "map[string]interface {}{\"\":2, \"a\":1}", "map[string]interface {}{\"\":2, \"a\":1}"},
		{"map[string]any is replaced", "81a16101", func() any { return &map[string]any{"old": 1} }, "map[string]interface {}{\"a\":1}", "map[string]interface {}{\"a\":1}"},
		{"other maps are merged", "81a16101", func() any { return &map[string]int{"old": 1} }, "map[string]int{\"a\":1, \"old\":1}", "map[string]int{\"a\":1, \"old\":1}"},
		{"no input", "", func() any { return new(int) }, "EOF", "EOF"},
		{"input ends inside a map", "81a161", func() any { return new(map[string]int) }, "EOF", "EOF"},
		{"input ends inside a string", "a36162", func() any { return new(string) }, "unexpected EOF", "unexpected EOF"},
	}
}()

func (c *decoded) run(t *testing.T) {
	data, err := hex.DecodeString(c.data)
	if err != nil {
		t.Fatal(err)
	}
	if got := outcome(v5.Unmarshal, data, c.into()); got != c.theirs && c.theirs != "…" {
		t.Errorf("%s: v5 gives %s, not %s", c.name, got, c.theirs)
	}
	if got := outcome(msgpack.Unmarshal, data, c.into()); got != c.ours {
		t.Errorf("%s: ours gives %s, not %s", c.name, got, c.ours)
	}
}

// runV6 checks that v6 gives the same result as Slipstream.
func (c *decoded) runV6(t *testing.T) {
	data, err := hex.DecodeString(c.data)
	if err != nil {
		t.Fatal(err)
	}
	if got := outcome(v6.Unmarshal, data, c.into()); got != c.ours {
		t.Errorf("%s: v6 gives %s, and ours %s", c.name, got, c.ours)
	}
}

// outcome returns the result of decoding as text: the value, the error, or "panic".
func outcome(unmarshal func([]byte, any) error, data []byte, into any) (text string) {
	defer func() {
		if recover() != nil {
			text = "panic"
		}
	}()
	if err := unmarshal(data, into); err != nil {
		return err.Error()
	}
	switch v := into.(type) {
	case *any:
		return fmt.Sprintf("%#v", *v)
	case *int, *int8, *float32, *float64:
		return fmt.Sprint(reflect.ValueOf(v).Elem())
	}
	return strings.TrimPrefix(fmt.Sprintf("%#v", into), "&")
}

// encoded is a test case of encoding: a value, and its encodings by v5 and by Slipstream. An empty
// text is not compared.
type encoded struct {
	name         string
	value        any
	theirs, ours string
}

var encodedCases = []encoded{
	// What changes.
	{"a codec with a pointer receiver, in a map", map[string]any{"a": countsUp{3}},
		"msgpack: Encode(non-addressable differential.countsUp)", "81a16104"},
	{"omitempty and unexported fields", struct {
		S unexported `msgpack:",omitempty"`
	}{unexported{1}}, "80", "81a15380"},
	{"uintptr", uintptr(3), "panic", "03"},
	{"omitzero", struct {
		N int `msgpack:",omitzero"`
	}{}, "81a14e00", "80"},
	{"an error with a codec", []error{writesError{}}, "91a474657874", "9107"},
	{"an error without a codec", []error{io.EOF, nil}, "92a3454f46c0", "92a3454f46c0"},
	{"an array of a named byte type", [2]unit8{1, 2}, "panic", "c4020102"},
	{"a pointer to an array of a named byte type", &[2]unit8{1, 2}, "c4020102", "c4020102"},
	{"an empty RawMessage", []v5.RawMessage{{}}, "91", ""},
	{"an empty RawMessage", []msgpack.RawMessage{{}}, "", "91c0"},
	// What stays.
	{"widths", []any{int8(1), int64(1), uint8(1), 1, 300, -33, float32(1), 1.5, true, nil},
		"9ad001d30000000000000001cc0101cd012cd0dfca3f800000cb3ff8000000000000c3c0", "9ad001d30000000000000001cc0101cd012cd0dfca3f800000cb3ff8000000000000c3c0"},
	{"times", time.Unix(1700000000, 0), "d6ff6553f100", "d6ff6553f100"},
	{"empty and nil", []any{[]int(nil), []int{}, []byte(nil), []byte{}, map[string]any(nil)}, "95c090c0c400c0", "95c090c0c400c0"},
}

func (c *encoded) run(t *testing.T) {
	if got := written(v5.Marshal, c.value); got != c.theirs && c.theirs != "" {
		t.Errorf("%s: v5 gives %s, not %s", c.name, got, c.theirs)
	}
	if got := written(msgpack.Marshal, c.value); got != c.ours && c.ours != "" {
		t.Errorf("%s: ours gives %s, not %s", c.name, got, c.ours)
	}
}

// runV6 checks that v6 gives the same result as Slipstream.
func (c *encoded) runV6(t *testing.T) {
	if got := written(v6.Marshal, c.value); got != c.ours && c.ours != "" {
		t.Errorf("%s: v6 gives %s, and ours %s", c.name, got, c.ours)
	}
}

func written(marshal func(any) ([]byte, error), v any) (text string) {
	defer func() {
		if recover() != nil {
			text = "panic"
		}
	}()
	data, err := marshal(v)
	if err != nil {
		return err.Error()
	}
	return hex.EncodeToString(data)
}

// migrationEnds checks the errors at the end of the input, as described in docs/migrate-msgpack.md.
// Only io.EOF itself means that all values were complete.
func migrationEnds(t *testing.T) {
	for data, end := range map[string]error{"": io.EOF, "\x81\xa1a": io.EOF, "\xa3ab": io.ErrUnexpectedEOF} {
		err := msgpack.NewDecoder(strings.NewReader(data)).Decode(new(any))
		var where *msgpack.Error
		if !errors.Is(err, end) || (err == io.EOF) != (data == "") || errors.As(err, &where) != (data != "") {
			t.Errorf("%q: %#v", data, err)
		}
	}
}

// migrationTypedMap checks the types that DecodeTypedMap returns.
func migrationTypedMap(t *testing.T) {
	data := []byte("\x81\xa1a\xa1b")
	theirs, err := v5.NewDecoder(bytes.NewReader(data)).DecodeTypedMap()
	ours, err2 := msgpack.NewDecoder(bytes.NewReader(data)).DecodeTypedMap()
	if got, want := fmt.Sprintf("%T %T %v %v", theirs, ours, err, err2), "map[string]string map[string]interface {} <nil> <nil>"; got != want {
		t.Errorf("%s, not %s", got, want)
	}
}

// migrationUsedBytes checks whether a []byte is decoded into the memory of the existing slice.
func migrationUsedBytes(t *testing.T) {
	data := []byte("\xc4\x01x")
	for _, c := range []struct {
		name      string
		unmarshal func([]byte, any) error
		overwrite bool
	}{
		{"v5", v5.Unmarshal, true},
		{"ours", msgpack.Unmarshal, false},
		{"ours, ReuseBytes", msgpack.DecodeOptions{ReuseBytes: true}.Unmarshal, true},
	} {
		old := []byte("old")
		v := struct{ B []byte }{old}
		fields := append([]byte("\x81\xa1B"), data...)
		if err := c.unmarshal(fields, &v); err != nil || string(v.B) != "x" || (old[0] == 'x') != c.overwrite {
			t.Errorf("%s: %q, was %q, %v", c.name, v.B, old, err)
		}
	}
}

// migrationWrites checks how often an Encoder calls Write: Slipstream's Encoder calls it once for
// each public call.
func migrationWrites(t *testing.T) {
	var theirs, ours countedWrites
	v := map[string]any{"a": []any{1, "b"}}
	if err := errors.Join(v5.NewEncoder(&theirs).Encode(v), msgpack.NewEncoder(&ours).Encode(v)); err != nil {
		t.Fatal(err)
	}
	if theirs < 2 || ours != 1 {
		t.Errorf("the original wrote %d times, ours %d times", theirs, ours)
	}
}

// migrationOmitZero encodes a struct with omitzero in a custom struct tag.
func migrationOmitZero(t *testing.T) {
	var theirs, ours bytes.Buffer
	v := struct {
		N int `json:"n,omitzero"`
	}{}
	before, after := v5.NewEncoder(&theirs), msgpack.NewEncoder(&ours)
	before.SetCustomStructTag("json")
	after.SetCustomStructTag("json")
	if err := errors.Join(before.Encode(v), after.Encode(v)); err != nil || theirs.String() != "\x81\xa1n\x00" || ours.String() != "\x80" {
		t.Errorf("%q, ours %q, %v", theirs.String(), ours.String(), err)
	}
}

// migrationFailedWrites encodes a value that contains an element that cannot be encoded.
func migrationFailedWrites(t *testing.T) {
	var theirs, ours bytes.Buffer
	v := []any{1, 2, make(chan int)}
	errTheirs, errOurs := v5.NewEncoder(&theirs).Encode(v), msgpack.NewEncoder(&ours).Encode(v)
	if text(errTheirs) != text(errOurs) || errOurs == nil || theirs.String() != "\x93\x01\x02" || ours.Len() > 0 {
		t.Errorf("%q, %v; ours %q, %v", theirs.String(), errTheirs, ours.String(), errOurs)
	}
}

// migrationLengths writes headers with invalid lengths.
func migrationLengths(t *testing.T) {
	for _, c := range []struct {
		n            int
		theirs, ours []string // for an array, a map, a bin and an ext: the bytes, or "error"
	}{
		{-1, []string{"ff", "ff", "c4ff", "c7ff01"}, []string{"c0", "c0", "c0", "error"}},
		{-2, []string{"fe", "fe", "c4fe", "c7fe01"}, []string{"error", "error", "error", "error"}},
		{1 << 32, []string{"dd00000000", "df00000000", "c600000000", "c90000000001"}, []string{"error", "error", "error", "error"}},
	} {
		var before, after bytes.Buffer
		e, f := v5.NewEncoder(&before), msgpack.NewEncoder(&after)
		result := func(err error, b *bytes.Buffer) string {
			defer b.Reset()
			if err != nil && b.Len() == 0 {
				return "error"
			}
			return hex.EncodeToString(b.Bytes())
		}
		for k, write := range []func() (error, error){
			func() (error, error) { return e.EncodeArrayLen(c.n), f.EncodeArrayLen(c.n) },
			func() (error, error) { return e.EncodeMapLen(c.n), f.EncodeMapLen(c.n) },
			func() (error, error) { return e.EncodeBytesLen(c.n), f.EncodeBytesLen(c.n) },
			func() (error, error) { return e.EncodeExtHeader(1, c.n), f.EncodeExtHeader(1, c.n) },
		} {
			errTheirs, errOurs := write()
			if theirs, ours := result(errTheirs, &before), result(errOurs, &after); theirs != c.theirs[k] || ours != c.ours[k] {
				t.Errorf("a length of %d, call %d: v5 %s, ours %s; want %s and %s", c.n, k, theirs, ours, c.theirs[k], c.ours[k])
			}
		}
	}
}

type countedWrites int

func (w *countedWrites) Write(b []byte) (int, error) {
	*w++
	return len(b), nil
}

// migrationSorting checks which maps SetSortMapKeys sorts.
func migrationSorting(t *testing.T) {
	for range 20 {
		var b bytes.Buffer
		if err := msgpack.NewEncoder(&b).SetSortMapKeys(true).Encode(map[int]string{3: "c", 1: "a", 2: "b"}); err != nil {
			t.Fatal(err)
		}
		if got, want := b.String(), "\x83\x01\xa1a\x02\xa1b\x03\xa1c"; got != want {
			t.Fatalf("%q, not %q", got, want)
		}
	}
}

type (
	movedCustom struct{ N int }
	movedBytes  struct{ N int }
)

func (*movedCustom) EncodeMsgpack(e *msgpack.Encoder) error { return e.EncodeString("its own") }
func (*movedBytes) MarshalMsgpack() ([]byte, error)         { return []byte("\xa7its own"), nil }

// TestMigrationOfHalf checks how a library that still uses the original encodes types that have
// been migrated.
func TestMigrationOfHalf(t *testing.T) {
	if got, want := written(v5.Marshal, &movedCustom{1}), "81a14e01"; got != want {
		t.Errorf("%s, not %s", got, want)
	}
	if got, want := written(v5.Marshal, &movedBytes{1}), "a7697473206f776e"; got != want {
		t.Errorf("%s, not %s", got, want)
	}
}

// migrationAfterErrors checks where a Decoder continues after a value that does not fit.
func migrationAfterErrors(t *testing.T) {
	const stream = "\x92\xa1a\x02\x03"
	var list []int
	var theirs, ours int
	before, after := v5.NewDecoder(strings.NewReader(stream)), msgpack.NewDecoder(strings.NewReader(stream))
	if before.Decode(&list) == nil || after.Decode(&list) == nil {
		t.Fatal("a string is no int")
	}
	if err := errors.Join(before.Decode(&theirs), after.Decode(&ours)); err != nil || theirs != 'a' || ours != 3 {
		t.Errorf("%d, %d, %v", theirs, ours, err)
	}
}

type (
	lateCodec struct{ N int }
	hasLate   struct{ L lateCodec }
)

// migrationLateRegistration registers a codec for a type after a struct with a field of that type
// was encoded.
func migrationLateRegistration(t *testing.T) {
	if _, err := v5.Marshal(hasLate{}); err != nil {
		t.Fatal(err)
	}
	if _, err := msgpack.Marshal(hasLate{}); err != nil {
		t.Fatal(err)
	}
	v5.Register(lateCodec{}, func(e *v5.Encoder, _ reflect.Value) error { return e.EncodeNil() }, nil)
	msgpack.Register(lateCodec{}, func(e *msgpack.Encoder, _ reflect.Value) error { return e.EncodeNil() }, nil)
	theirs, ours := written(v5.Marshal, hasLate{}), written(msgpack.Marshal, hasLate{})
	if theirs != "81a14c81a14e00" || ours != "81a14cc0" {
		t.Errorf("%s, %s", theirs, ours)
	}
}

// migrationInterned decodes interned strings into an any.
func migrationInterned(t *testing.T) {
	var stream bytes.Buffer
	e := v5.NewEncoder(&stream)
	e.UseInternedStrings(true)
	if err := e.Encode([]any{"key1", "value1", "value1"}); err != nil {
		t.Fatal(err)
	}
	before, after := v5.NewDecoder(bytes.NewReader(stream.Bytes())), msgpack.NewDecoder(bytes.NewReader(stream.Bytes()))
	before.UseInternedStrings(true)
	after.UseInternedStrings(true)
	want := []any{"key1", "value1", "value1"}
	if v, err := before.DecodeInterface(); err == nil && reflect.DeepEqual(v, want) {
		t.Error("the original reads them now")
	}
	if v, err := after.DecodeInterface(); err != nil || !reflect.DeepEqual(v, want) {
		t.Errorf("%v, %v", v, err)
	}
}

// migrationNegativeZero checks how -0 is encoded with UseCompactFloats.
func migrationNegativeZero(t *testing.T) {
	var theirs, ours bytes.Buffer
	before, after := v5.NewEncoder(&theirs), msgpack.NewEncoder(&ours)
	before.UseCompactFloats(true)
	after.UseCompactFloats(true)
	if err := errors.Join(before.Encode(math.Copysign(0, -1)), after.Encode(math.Copysign(0, -1))); err != nil {
		t.Fatal(err)
	}
	if theirs.String() != "\x00" || ours.String() != "\xcb\x80\x00\x00\x00\x00\x00\x00\x00" {
		t.Errorf("%x, %x", theirs.Bytes(), ours.Bytes())
	}
}
