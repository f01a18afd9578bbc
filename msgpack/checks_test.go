package msgpack

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/internal/corpus"
	"github.com/slipstream-go/slipstream/internal/msgpwire"
)

// byHand decodes a value of any kind by calls for single values. These calls do not know the maps
// and levels around them.
type byHand struct{}

func (b *byHand) DecodeMsgpack(d *Decoder) error { return b.read(d) }

func (b *byHand) read(d *Decoder) error {
	c, err := d.PeekCode()
	if err != nil {
		return err
	}
	n := 0
	switch Raw([]byte{c}).Kind() {
	case KindArray:
		n, err = d.DecodeArrayLen()
	case KindMap:
		n, err = d.DecodeMapLen()
		n *= 2
	case KindString, KindBin:
		if n, err = d.DecodeBytesLen(); err == nil {
			_, err = io.ReadFull(d.Buffered(), make([]byte, n))
		}
		return err
	default:
		return d.Skip()
	}
	for ; n > 0 && err == nil; n-- {
		err = b.read(d)
	}
	return err
}

// keepsBytes is an Unmarshaler.
type keepsBytes struct{ b []byte }

func (k *keepsBytes) UnmarshalMsgpack(b []byte) error { k.b = b; return nil }

type (
	handRegistered struct{}
	handExt        struct{}
	handMethodExt  struct{}
	looseTuple     struct {
		_msgpack struct{} `msgpack:",as_array,any_length"` //lint:ignore U1000 read by its tag
		A        int
	}
)

// places are the positions that a value may have in a message, each with a function that decodes
// the message.
var places = map[string]struct {
	around string // in hex; __ is the value
	read   func(d *Decoder) error
}{
	"unknown field":      {"82 a15a __ a141 01", readInto[struct{ A int }]},
	"nameless key":       {"82 05 __ a141 01", readInto[struct{ A int }]},
	"unknown of a list":  {"91 82 a141 01 a15a __", readInto[[]struct{ A int }]},
	"RawMessage field":   {"81 a152 __", readInto[struct{ R RawMessage }]},
	"Raw field":          {"81 a152 __", readInto[struct{ R Raw }]},
	"RawMessages":        {"92 __ __", readInto[[]RawMessage]},
	"RawMessage":         {"__", readInto[RawMessage]},
	"map of RawMessage":  {"81 05 __", readInto[map[int]RawMessage]},
	"Unmarshaler":        {"91 __", readInto[[]keepsBytes]},
	"CustomDecoder":      {"91 __", readInto[[]byHand]},
	"two CustomDecoders": {"92 01 __", readInto[[]byHand]},
	"registered decoder": {"91 __", readInto[[]handRegistered]},
	"any":                {"__", readInto[any]},
	"map[string]any":     {"81 a161 __", readInto[map[string]any]},
	"map[any]any":        {"81 01 __", readInto[map[any]any]},
	"after a tuple":      {"92 01 __", readInto[looseTuple]},
	"after a Go array":   {"93 01 __ 02", readInto[[1]int]},
	"Skip":               {"__", (*Decoder).Skip},
	"Skip of more":       {"91 __", (*Decoder).Skip},
	"DecodeRaw":          {"__", func(d *Decoder) error { _, err := d.DecodeRaw(); return err }},
	"DecodeRawView":      {"__", func(d *Decoder) error { _, err := d.DecodeRawView(); return err }},
	"DecodeInterface":    {"__", func(d *Decoder) error { _, err := d.DecodeInterface(); return err }},
	"DecodeMulti":        {"01 __", func(d *Decoder) error { return d.DecodeMulti(new(int), new(RawMessage)) }},
	"Query before":       {"82 a162 __ a161 01", func(d *Decoder) error { _, err := d.Query("a"); return err }},
	"Query after":        {"82 a161 01 a162 __", func(d *Decoder) error { _, err := d.Query("a"); return err }},
	"Elements": {"92 01 __", func(d *Decoder) error {
		return lastError(func(yield func(error)) {
			for _, err := range Elements[RawMessage](d) {
				yield(err)
			}
		})
	}},
	"Values": {"01 __", func(d *Decoder) error {
		return lastError(func(yield func(error)) {
			for _, err := range Values[RawMessage](d) {
				yield(err)
			}
		})
	}},
	"Entries": {"81 01 __", func(d *Decoder) error {
		return lastError(func(yield func(error)) {
			for _, err := range Entries[int, RawMessage](d) {
				yield(err)
			}
		})
	}},
	"map decoder": {"81 a161 __", func(d *Decoder) error {
		d.SetMapDecoder(func(d *Decoder) (any, error) { return nil, new(byHand).read(d) })
		return readInto[any](d)
	}},
	"interned, skipped": {"__", func(d *Decoder) error { d.UseInternedStrings(true); return d.Skip() }},
	"interned, unknown": {"82 a15a __ a141 01", func(d *Decoder) error { d.UseInternedStrings(true); return readInto[struct{ A int }](d) }},
	"Feed.Next":         {"81 a15a __", func(d *Decoder) error { return feedOf(d).Next(new(struct{ A int })) }},
	"Feed.NextRaw":      {"__", func(d *Decoder) error { _, err := feedOf(d).NextRaw(); return err }},
	"Feed.All": {"__", func(d *Decoder) error {
		return lastError(func(yield func(error)) {
			for _, err := range feedOf(d).All() {
				yield(err)
			}
		})
	}},
	"function of an ext": {"ext 78", readInto[handExt]},
	"method within ext":  {"ext 79", readInto[handMethodExt]},
	"map decoder within ext": {"ext 79", func(d *Decoder) error {
		d.SetMapDecoder(func(d *Decoder) (any, error) { return nil, new(byHand).read(d) })
		return readInto[any](d)
	}},
}

func readInto[T any](d *Decoder) error { return d.Decode(new(T)) }

func lastError(loop func(yield func(error))) (last error) {
	loop(func(err error) {
		if err != nil {
			last = err
		}
	})
	return last
}

// feedOf returns a Feed with all data that d would read, and with the options of d.
func feedOf(d *Decoder) *Feed {
	var f Feed
	data, _ := io.ReadAll(d.Buffered())
	f.Feed(data)
	of := f.Decoder()
	of.flags, of.limits = d.flags, d.limits
	return &f
}

// Each option rejects invalid values in every position: skipped, raw, or decoded by single calls.
// It does so from every source. Without the option, the values are accepted.
func TestOptionsHoldForEveryByte(t *testing.T) {
	Register(handRegistered{}, nil, func(d *Decoder, _ reflect.Value) error { return new(byHand).read(d) })
	defer register(func(r *registry) { delete(r.decoders, reflect.TypeFor[handRegistered]()) })
	RegisterExtDecoder(78, handExt{}, func(d *Decoder, _ reflect.Value, n int) error { return d.Skip() })
	RegisterExtDecoder(79, handMethodExt{}, func(d *Decoder, _ reflect.Value, n int) error {
		if d.mapFunc == nil {
			return d.Decode(new(byHand))
		}
		_, err := d.DecodeInterface()
		return err
	})
	defer UnregisterExt(78)
	defer UnregisterExt(79)
	long := strings.Repeat("61", 40)
	for _, c := range []struct {
		name    string
		options DecodeOptions
		values  []string // in hex
		message string
	}{
		{"MaxDepth", DecodeOptions{MaxDepth: 5}, []string{"91 91 91 91 91 91 01", "81 01 81 01 91 81 01 81 01 81 01 80", "96 01 01 01 01 01 9191919191 90"}, "msgpack: values nest deeper than 5"},
		{"MaxElements", DecodeOptions{MaxElements: 3}, []string{"94 01 01 01 01", "81 01 dc 0004 c0 c0 c0 c0"}, "msgpack: 4 elements are more than MaxElements, 3"},
		{"MaxElements of maps", DecodeOptions{MaxElements: 3}, []string{"84 01 01 02 01 03 01 04 01", "92 01 de 0004 01 01 02 01 03 01 04 01"}, "msgpack: 4 elements are more than MaxElements, 3"},
		{"MaxString", DecodeOptions{MaxString: 39}, []string{"d928" + long, "c428" + long, "81 d928" + long + "01", "91 da0028" + long, "81 01 c60000 0028" + long}, "msgpack: a string of 40 bytes is longer than MaxString, 39"},
		{"StrictUTF8", DecodeOptions{StrictUTF8: true}, []string{"a1 ff", "d902 6180", "81 a1 ff 01", "92 c4 01 ff a1 fe", "81 01 81 a161 91 a2 c3 28"}, "msgpack: the string is not UTF-8"},
		{"UniqueKeys", DecodeOptions{UniqueKeys: true}, []string{
			"82 a161 01 a161 02", "82 a161 01 d901 61 02", "81 01 82 a162 81 01 01 a162 02", "93 01 02 84 a161 01 a162 02 a163 03 a162 04",
			"82 01 01 d0 01 02", "82 cc 80 01 d3 0000000000000080 02", "82 cf ffffffffffffffff 01 cf ffffffffffffffff 02", "82 e0 01 d2 ffffffe0 02",
			"82 cb 7ff8000000000001 01 cb 7ff8000000000001 02", "82 ca 3fc00000 01 cb 3ff8000000000000 02", "82 c3 01 c3 02", "82 a0 01 a0 01",
		}, "msgpack: the key is repeated"},
	} {
		for _, v := range c.values {
			for place, p := range places {
				value := unhex(t, v)
				message := bytes.ReplaceAll([]byte(strings.ReplaceAll(p.around, " ", "")), []byte("__"), []byte(fmt.Sprintf("%x", value)))
				if id, ok := strings.CutPrefix(p.around, "ext "); ok {
					id, _ := strconv.Atoi(id)
					message = fmt.Appendf(nil, "%x", append(msgpwire.AppendExtHeader(nil, int8(id), len(value)), value...))
				}
				data := unhex(t, string(message))
				for source, d := range sources(data) {
					o := c.options
					o.AnyLength = true
					d.SetOptions(o)
					if err := p.read(d); err == nil || err.Error() != c.message {
						t.Errorf("%s, %s, %s, %s: %v", c.name, v, place, source, err)
					}
				}
				d := newDecoder()
				d.ResetBytes(data)
				d.SetOptions(DecodeOptions{AnyLength: true})
				if err := p.read(d); err != nil && !strings.Contains(place, "any") {
					t.Errorf("%s, %s, %s: without the option: %v", c.name, v, place, err)
				}
			}
		}
	}
}

// UniqueKeys compares keys in the same way for every kind of target, and in skipped values.
func TestUniqueKeysIdentity(t *testing.T) {
	type aliased struct {
		A int `msgpack:"a,alias:old"`
		B any
	}
	o := DecodeOptions{UniqueKeys: true}
	for _, c := range []struct {
		digits string
		same   bool
		into   []any
	}{
		{"82 a161 01 a36f6c64 02", true, []any{new(aliased)}}, // a name and its alias
		{"82 a161 01 a36f6c64 02", false, []any{new(any), new(map[string]int), new(RawMessage)}},
		{"82 01 01 d0 01 02", true, []any{new(any), new(map[any]any), new(map[int]int), new(map[int64]any), new(RawMessage), new(aliased)}},
		{"82 01 01 cb 3ff0000000000000 02", false, []any{new(any), new(map[any]any), new(RawMessage)}},
		{"82 cb 7ff8000000000001 01 cb 7ff8000000000001 02", true, []any{new(any), new(map[any]any), new(map[float64]int), new(RawMessage)}},
		{"82 91 cb 7ff8000000000001 01 91 cb 7ff8000000000001 02", true, []any{new(map[[1]float64]int), new(RawMessage)}},
		{"82 cb 7ff8000000000001 01 cb 7ff8000000000002 02", false, []any{new(any), new(map[any]any), new(map[float64]int)}}, // two NaNs are not equal
		{"82 c4 01 61 01 a1 61 02", true, []any{new(any), new(map[string]int), new(RawMessage)}},
		{"82 c0 01 a0 02", true, []any{new(any), new(map[string]int), new(RawMessage)}},
		{"82 d6ff00000001 01 c70cff 00000000 0000000000000001 02", true, []any{new(any), new(map[any]any), new(RawMessage)}},
		{"82 9201a161 01 92d001d90161 02", true, []any{new(map[struct {
			_msgpack struct{} `msgpack:",as_array"` //lint:ignore U1000 read by its tag
			A        int
			B        string
		}]int), new(RawMessage)}},
		{"82 82 01 02 03 04 01 82 03 04 01 02 02", true, []any{new(RawMessage)}}, // maps in another order
		{"82 cf ffffffffffffffff 01 ff 02", false, []any{new(any), new(map[any]any), new(RawMessage)}},
	} {
		for _, v := range c.into {
			for source, d := range sources(unhex(t, c.digits)) {
				d.SetOptions(o)
				err := d.Decode(reflect.New(reflect.TypeOf(v).Elem()).Interface())
				if c.same != (err != nil) || c.same && err.Error() != "msgpack: the key is repeated" {
					t.Errorf("%s into %T, %s: %v", c.digits, v, source, err)
				}
			}
		}
	}
	for source, d := range sources(unhex(t, "82 01 01 d0 01 02")) {
		d.SetOptions(o)
		if err := lastError(func(yield func(error)) {
			for _, err := range Entries[int, int](d) {
				yield(err)
			}
		}); err == nil || err.Error() != "msgpack: the key is repeated" {
			t.Errorf("Entries, %s: %v", source, err)
		}
	}
}

// UniqueKeys detects a key that occurs both as text and as the number of an interned string.
func TestUniqueKeysInterned(t *testing.T) {
	for _, digits := range []string{"82 a3616263 01 d48000 02", "82 a15a 91 a3616263 a141 82 a3616263 01 d48000 02", "81 a15a 82 a3616263 01 d48000 02"} {
		for _, v := range []any{new(any), new(struct{ B int })} {
			for source, d := range sources(unhex(t, digits)) {
				d.SetOptions(DecodeOptions{UniqueKeys: true})
				d.UseInternedStrings(true)
				if err := d.Decode(reflect.New(reflect.TypeOf(v).Elem()).Interface()); err == nil || err.Error() != "msgpack: the key is repeated" {
					t.Errorf("%s into %T, %s: %v", digits, v, source, err)
				}
			}
		}
	}
}

// Skipping with options that accept everything has the same result as the fast skip. This also
// holds for the strings that join the dict, and for the next value. The values are random: whole,
// truncated or damaged.
func TestCheckedSkipIsSkip(t *testing.T) {
	lenient := DecodeOptions{MaxElements: math.MaxInt, MaxString: math.MaxInt, MaxDepth: 1 << 30}
	for seed := range uint64(2000) {
		r := corpus.New(seed)
		data := marshal(t, corpus.Any(r, 4))
		switch r.IntN(3) {
		case 0:
			data = data[:r.IntN(len(data)+1)]
		case 1:
			data[r.IntN(len(data))] = byte(r.IntN(256))
		}
		data = append(data, "\xa3abc"...)
		for source, fast := range sources(data) {
			checked := sources(data)[source]
			checked.SetOptions(lenient)
			fast.UseInternedStrings(true)
			checked.UseInternedStrings(true)
			errFast, errChecked := fast.Skip(), checked.Skip()
			if text(errFast) != text(errChecked) || errFast == nil && fmt.Sprint(fast.dict.own) != fmt.Sprint(checked.dict.own) || fast.InputOffset() != checked.InputOffset() {
				t.Fatalf("%x, %s: %v at %d, checked %v at %d", data, source, errFast, fast.InputOffset(), errChecked, checked.InputOffset())
			}
		}
	}
}

// An excessive length or count is rejected before the data is read.
func TestCheckedSkipStopsEarly(t *testing.T) {
	for name, c := range map[string]struct {
		options DecodeOptions
		data    string
	}{
		"string":   {DecodeOptions{MaxString: 1000}, "\x81\xa1Z\xdb\x7f\xff\xff\xff"},
		"elements": {DecodeOptions{MaxElements: 1000}, "\x81\xa1Z\xdd\x7f\xff\xff\xff"},
		"depth":    {DecodeOptions{MaxDepth: 1000}, "\x81\xa1Z"},
	} {
		endless := &counting{r: io.MultiReader(strings.NewReader(c.data), endlessly(0x91))}
		d := NewDecoder(endless)
		d.SetOptions(c.options)
		if err := d.Decode(new(struct{ A int })); err == nil || endless.n > 1<<16 {
			t.Errorf("%s: %v after %d bytes", name, err, endless.n)
		}
	}
}

type counting struct {
	r io.Reader
	n int
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if c.n += n; c.n > 1<<18 {
		return n, io.ErrUnexpectedEOF
	}
	return n, err
}

type endlessly byte

func (e endlessly) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}

// Keys nested in keys are rejected beyond a depth, because each level would be read once more.
func TestCheckedSkipKeyDepth(t *testing.T) {
	nested := []byte{1}
	for range maxKeyDepth + 2 {
		nested = append(append([]byte{0x82}, nested...), 1, 2, 1)
	}
	var raw RawMessage
	if err := Unmarshal(nested, &raw); err != nil {
		t.Error(err)
	}
	if err := (DecodeOptions{UniqueKeys: true}).Unmarshal(nested, &raw); err == nil || !strings.HasSuffix(err.Error(), errKeyDepth.Error()) {
		t.Error(err)
	}
}

// readsList is a CustomDecoder that decodes a whole array.
type readsList struct{ list []int }

func (r *readsList) DecodeMsgpack(d *Decoder) error { return d.Decode(&r.list) }

// MaxDepth counts arrays and maps. It does not count the pointers, interfaces and methods through
// which they are decoded.
func TestMaxDepthOfWire(t *testing.T) {
	type inner struct{ L *[]int }
	type extra struct {
		_msgpack struct{} `msgpack:",as_array"` //lint:ignore U1000 read by its tag
		A        int
	}
	for _, c := range []struct {
		digits string
		into   func() any
	}{
		{"91 91 01", func() any { return new([]*[]int) }},
		{"91 91 01", func() any { return new(***[]**[]int) }},
		{"91 91 01", func() any { return &[]any{new([]int)} }},
		{"91 91 01", func() any { return new([]readsList) }},
		{"91 91 01", func() any { return new([]*readsList) }},
		{"81 a14c 91 01", func() any { return new(*inner) }},
		{"81 a161 81 a162 01", func() any { return new(any) }},
		{"81 a178 90", func() any { return new(inner) }},                                      // an unknown field
		{"9f 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 90", func() any { return new(extra) }}, // extra elements of a struct; below, of a Go array
		{"92 01 90", func() any { return new(extra) }},
		{"92 01 90", func() any { return new([1]int) }},
	} {
		for _, depth := range []int{1, 2} {
			for source, d := range sources(unhex(t, c.digits)) {
				d.SetOptions(DecodeOptions{MaxDepth: depth, AnyLength: true})
				d.SetMapDecoder(func(d *Decoder) (any, error) { return d.DecodeUntypedMap() })
				if v := c.into(); (d.Decode(v) == nil) != (depth == 2) {
					t.Errorf("%s into %T, %s, at most %d", c.digits, v, source, depth)
				}
			}
		}
	}
}

// MaxDepth counts the map of columns and the list of rows.
func TestMaxDepthOfColumns(t *testing.T) {
	for digits, read := range map[string]func(*Decoder) error{
		"81 a161 91 01": func(d *Decoder) error { return d.DecodeColumns(new(column.Batch)) },
		"91 81 a161 01": func(d *Decoder) error { return d.DecodeRows(new(column.Batch)) },
	} {
		for source, d := range sources(unhex(t, digits+digits)) {
			d.SetOptions(DecodeOptions{MaxDepth: 2})
			err := read(d)
			d.SetOptions(DecodeOptions{MaxDepth: 1})
			if err != nil || read(d) == nil {
				t.Errorf("%s, %s: %v", digits, source, err)
			}
		}
	}
}

// MaxDepth counts lists and maps in the same way for every element type.
func TestMaxDepthOfLists(t *testing.T) {
	for _, v := range []any{new([][]int), new([][]int64), new([][]string), new([][]float64), new([]map[string]int), new([]map[string]string), new([]map[string]any),
		new([]map[int]int), new([][2]int), new([]any), new([]struct{}), new([]looseTuple), new([]RawMessage)} {
		for _, inner := range []string{"90", "80"} {
			data := unhex(t, "91"+inner)
			if Unmarshal(data, v) != nil {
				continue
			}
			if err := (DecodeOptions{MaxDepth: 2}).Unmarshal(data, v); err != nil {
				t.Errorf("%s into %T: %v", inner, v, err)
			}
			if err := (DecodeOptions{MaxDepth: 1}).Unmarshal(data, v); err == nil {
				t.Errorf("%s into %T: no error", inner, v)
			}
		}
	}
}

// Times in the form of a string or an array are subject to the limits.
func TestLimitsOfTimes(t *testing.T) {
	for _, c := range []struct {
		digits  string
		options DecodeOptions
	}{
		{"91 b4323032332d31312d31345432323a31333a32305a", DecodeOptions{MaxString: 19}},
		{"91 920102", DecodeOptions{MaxElements: 1}},
		{"91 920102", DecodeOptions{MaxDepth: 1}},
	} {
		for source, d := range sources(unhex(t, c.digits)) {
			d.SetOptions(c.options)
			if err := d.Decode(new([]time.Time)); err == nil {
				t.Errorf("%s, %s: no error", c.digits, source)
			}
		}
		if err := Unmarshal(unhex(t, c.digits), new([]time.Time)); err != nil {
			t.Errorf("%s: %v", c.digits, err)
		}
	}
}
