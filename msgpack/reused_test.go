package msgpack

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/internal/corpus"
)

// The same targets are decoded into repeatedly, by decoders with string chunks of every size.
// Copies of earlier results, whose strings are in the same chunks, do not change.
func TestReusedTargetsKeepWhatWasGivenOut(t *testing.T) {
	type record struct {
		Name, Host string
		Tags       []string
		Labels     map[string]string
		Any        any
		Inner      []struct{ S string }
	}
	r := corpus.New(3)
	words := make([]string, 12)
	for k := range words {
		words[k] = strings.Repeat(string(rune('a'+k)), r.IntN(40))
	}
	word := func() string {
		if r.IntN(2) == 0 {
			return words[r.IntN(len(words))]
		}
		return corpus.String(r)
	}
	list := func() []string {
		s := make([]string, r.IntN(50))
		for k := range s {
			s[k] = word()
		}
		return s
	}
	for _, size := range []int{0, 1, 8, 31, 32, 33, 40, 64, 100, 256, 2048} {
		for mode, o := range map[string]DecodeOptions{"plain": {}, "own": {OwnStrings: true}, "views": {ZeroCopy: true}} {
			var zero Decoder
			d := &zero
			if size > 0 {
				d = newDecoder()
				d.strings.Size = size
			}
			var target record
			type given struct{ got, want record }
			var all []given
			for range 60 {
				want := record{word(), word(), list(), map[string]string{word(): word(), word(): word()}, word(), nil}
				for range r.IntN(4) {
					want.Inner = append(want.Inner, struct{ S string }{word()})
				}
				d.ResetBytes(marshal(t, &want))
				d.SetOptions(o)
				if err := d.Decode(&target); err != nil {
					t.Fatal(err)
				}
				if r.IntN(4) == 0 { // the next call reuses the memory of Tags
					target.Tags = target.Tags[:r.IntN(len(target.Tags)+1)]
				}
				got := target
				got.Tags, got.Labels, got.Inner = slices.Clone(target.Tags), maps.Clone(target.Labels), slices.Clone(target.Inner)
				want.Tags = slices.Clone(want.Tags[:len(got.Tags)])
				maps.DeleteFunc(got.Labels, func(k, _ string) bool { _, ok := want.Labels[k]; return !ok }) // maps are merged, so got may contain more entries
				all = append(all, given{got, want})
				for _, g := range all {
					if fmt.Sprint(g.got) != fmt.Sprint(g.want) {
						t.Fatalf("chunks of %d, %s: %q, want %q", size, mode, fmt.Sprint(g.got), fmt.Sprint(g.want))
					}
				}
			}
		}
	}
}

// Two slices of one array are decoded into in turn, and do not affect each other.
func TestListsThatShareMemory(t *testing.T) {
	room := []string{"a", "b", "c", "d", "e", "f"}
	left, right := room[:3], room[3:]
	for k := range 10 {
		wantLeft := []string{fmt.Sprint("left", k), "b", "c"}
		wantRight := []string{"d", fmt.Sprint("right", k), "b"}
		if err := errors.Join(Unmarshal(marshal(t, wantLeft), &left), Unmarshal(marshal(t, wantRight), &right)); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(left, wantLeft) || !slices.Equal(right, wantRight) {
			t.Fatalf("%q, %q", left, right)
		}
	}
}

// Each option applies to every way of decoding a value.
func TestOptionsInEveryWay(t *testing.T) {
	into := func(v func() any) func(*Decoder) error { return func(d *Decoder) error { return d.Decode(v()) } }
	texts := map[string]func(*Decoder) error{ // ways to decode a list of one string
		"[]string": into(func() any { return new([]string) }), "[]any": into(func() any { return new([]any) }), "any": into(func() any { return new(any) }),
		"[1]string": into(func() any { return new([1]string) }), "[][]byte": into(func() any { return new([][]byte) }),
		"[][99]byte": into(func() any { return new([][99]byte) }), "struct": into(func() any { return new(struct{ A string }) }),
		"DecodeStrings": func(d *Decoder) error { _, err := d.DecodeStrings(nil, nil); return err },
		"DecodeColumn":  func(d *Decoder) error { return d.DecodeColumn(new(column.Column)) },
		"DecodeSlice":   func(d *Decoder) error { _, err := d.DecodeSlice(); return err },
		"Query":         func(d *Decoder) error { _, err := d.Query("*"); return err },
		"Elements": func(d *Decoder) error {
			for _, err := range Elements[string](d) {
				if err != nil {
					return err
				}
			}
			return nil
		},
		"DecodeString": func(d *Decoder) error {
			_, _ = d.DecodeArrayLen()
			_, err := d.DecodeString()
			return err
		},
		"DecodeBytes": func(d *Decoder) error {
			_, _ = d.DecodeArrayLen()
			_, err := d.DecodeBytes()
			return err
		},
		"DecodeView": func(d *Decoder) error {
			_, _ = d.DecodeArrayLen()
			_, err := d.DecodeView()
			return err
		},
		"text method": into(func() any { return new([]fromText) }),
	}
	keys := map[string]func(*Decoder) error{ // ways to decode a map from one key to 1
		"map[string]any": into(func() any { return new(map[string]any) }), "any": into(func() any { return new(any) }),
		"map[string]int": into(func() any { return new(map[string]int) }), "map[string]int8": into(func() any { return new(map[string]int8) }),
		"struct": into(func() any { return new(struct{ A int }) }), "DecodeRow": func(d *Decoder) error { return d.DecodeRow(new(column.Batch)) },
		"DecodeMap":        func(d *Decoder) error { _, err := d.DecodeMap(); return err },
		"DecodeUntypedMap": func(d *Decoder) error { _, err := d.DecodeUntypedMap(); return err },
		"DecodeTypedMap":   func(d *Decoder) error { _, err := d.DecodeTypedMap(); return err },
		"Entries": func(d *Decoder) error {
			for _, err := range Entries[string, int](d) {
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
	lengths := map[string]func(*Decoder) error{"DecodeBytesLen": func(d *Decoder) error { _, err := d.DecodeBytesLen(); return err }}
	for _, c := range []struct {
		name    string
		options DecodeOptions
		data    string
		ways    map[string]func(*Decoder) error
	}{
		{"MaxString, str", DecodeOptions{MaxString: 3}, "\x91\xa4abcd", texts},
		{"MaxString, bin", DecodeOptions{MaxString: 3}, "\x91\xd9\x04abcd", texts},
		{"MaxString, key", DecodeOptions{MaxString: 3}, "\x81\xa4abcd\x01", keys},
		{"MaxString, header", DecodeOptions{MaxString: 3}, "\xa4abcd", lengths},
		{"MaxString, long header", DecodeOptions{MaxString: 3}, "\xc4\x04abcd", lengths},
		{"StrictUTF8, key", DecodeOptions{StrictUTF8: true}, "\x81\xa2\xff\xfe\x01", keys},
		{"MaxElements, array", DecodeOptions{MaxElements: 1}, "\x92\xa1a\xa1b", without(texts, "struct", "[1]string", "Query")},
		{"MaxElements, map", DecodeOptions{MaxElements: 1}, "\x82\xa1a\x01\xa1b\x02", keys},
		{"MaxBytes", DecodeOptions{MaxBytes: 4}, "\x91\xa4abcd", without(texts, "DecodeString", "DecodeBytes", "DecodeView", "Elements")},
		{"UniqueKeys", DecodeOptions{UniqueKeys: true}, "\x82\xa1A\x01\xa1A\x02", without(keys, "Entries", "DecodeRow")},
		{"StrictUTF8", DecodeOptions{StrictUTF8: true}, "\x91\xa2\xff\xfe", texts},
	} {
		for way, read := range c.ways {
			for source, d := range sources([]byte(c.data)) {
				d.SetOptions(c.options)
				if err := read(d); err == nil {
					t.Errorf("%s, %s, %s: no error", c.name, way, source)
				}
				if d.chunks == nil && d.r != nil {
					continue
				}
				d = newDecoder()
				d.ResetBytes([]byte(c.data))
				always := c.options.StrictUTF8 && (way == "DecodeColumn" || way == "DecodeRow") // text in columns must always be UTF-8
				if err := read(d); err != nil && way != "struct" && !always {
					t.Errorf("%s, %s: %v without the option", c.name, way, err)
				}
			}
		}
	}
}

func without(ways map[string]func(*Decoder) error, names ...string) map[string]func(*Decoder) error {
	ways = maps.Clone(ways)
	for _, name := range names {
		delete(ways, name)
	}
	return ways
}

// fromText decodes itself from a text.
type fromText string

func (s *fromText) UnmarshalText(text []byte) error {
	*s = fromText(text)
	return nil
}

// StrictInts accepts every float without a fraction that is within the range of the type.
func TestStrictIntsFromFloats(t *testing.T) {
	o := DecodeOptions{StrictInts: true}
	var u uint64
	var i int64
	var w uint8
	for _, v := range []float64{0, 1, 255, 1 << 40, 1e19} {
		if err := o.Unmarshal(marshal(t, v), &u); err != nil || u != uint64(v) {
			t.Errorf("%v: %d, %v", v, u, err)
		}
		err := o.Unmarshal(marshal(t, -v), &i)
		if ok := v < 1<<63; ok != (err == nil) || ok && i != int64(-v) {
			t.Errorf("%v: %d, %v", -v, i, err)
		}
		err = o.Unmarshal(marshal(t, v), &w)
		if ok := v < 256; ok != (err == nil) || ok && w != uint8(v) {
			t.Errorf("%v: %d, %v", v, w, err)
		}
		if err := o.Unmarshal(marshal(t, -v), &u); (v == 0) != (err == nil) {
			t.Errorf("%v: %d, %v", -v, u, err)
		}
	}
}
