package msgpack

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/internal/msgpwire"
)

// SortMapKeys sorts text keys by their bytes, for every Go type of map and for named string types.
// It does not sort them by their encodings, in which longer keys follow shorter ones.
func TestSortMapKeysOrdersText(t *testing.T) {
	type text string
	type number struct{ N []int8 }
	keys := []string{"", "a", "aa", strings.Repeat("b", 40), "c", "k10", "k2"}
	numbers, anys, named, namedAnys := map[string]int{}, map[string]any{}, map[text]int{}, map[text]any{}
	lists, namedLists := map[string][]int8{}, map[text][]int8{}
	structs, namedStructs := map[string]*number{}, map[text]number{}
	for k, key := range keys {
		name, list := text(key), []int8{int8(k)}
		numbers[key], anys[key], named[name], namedAnys[name] = k, k, k, k
		lists[key], namedLists[name] = list, list
		structs[key], namedStructs[name] = &number{list}, number{list}
	}
	for _, c := range []struct {
		before string // the bytes before the number in the value
		maps   []any
	}{
		{"", []any{numbers, anys, named, namedAnys, &named}},
		{"\x91", []any{lists, namedLists}},
		{"\x81\xa1N\x91", []any{structs, namedStructs}},
	} {
		want := msgpwire.AppendMapLen(nil, len(keys))
		for k, key := range keys {
			want = append(append(appendText(want, key), c.before...), byte(k))
		}
		for _, v := range c.maps {
			for range 5 {
				got, err := EncodeOptions{SortMapKeys: true, CompactInts: true}.Marshal(v)
				if err != nil || !bytes.Equal(got, want) {
					t.Errorf("%T: %v\n%swant\n%s", v, err, hex.Dump(got), hex.Dump(want))
					break
				}
			}
		}
	}
}

// SortMapKeys sorts maps of every kind and at every depth, also after an error.
func TestSortedMaps(t *testing.T) {
	t.Run("SortMapKeys_orders_maps_of_every_kind", func(t *testing.T) {
		for _, v := range []any{map[string]int{"c": 1, "a": 2, "b": 3}, map[int]string{3: "a", 1: "b", 2: "c"}, map[namedText][]int{"b": nil, "a": nil}, map[string]point{"b": {}, "a": {}},
			map[any]any{"a": 1, 2: 3, true: 4, 1.5: map[int]int{2: 1, 1: 2}}, map[[2]int]bool{{2, 1}: true, {1, 2}: true}} {
			first, err := EncodeOptions{SortMapKeys: true}.Marshal(v)
			for range 20 {
				if again, errAgain := (EncodeOptions{SortMapKeys: true}).Marshal(v); err != nil || errAgain != nil || !bytes.Equal(first, again) {
					t.Errorf("%T: %x, %v, then %x, %v", v, first, err, again, errAgain)
				}
			}
		}
	})

	t.Run("nested_maps_are_sorted_after_an_error", func(t *testing.T) {
		inner := func(n int) any {
			m := map[string]any{}
			for i := range n {
				m[string(rune('a'+i))] = map[string]any{"z": i, "y": map[string]any{"q": 1, "p": 2}}
			}
			return m
		}
		var a, b bytes.Buffer
		e := NewEncoder(&a).SetSortMapKeys(true)
		if err := e.Encode(map[string]any{"x": inner(20), "f": func() {}, "w": inner(3)}); err == nil {
			t.Error("no error")
		}
		e.ResetWriter(&b)
		if err := e.Encode(map[string]any{"b": inner(2), "a": inner(1)}); err != nil {
			t.Fatal(err)
		}
		leaf := "82 a179 82 a170 02 a171 01 a17a"
		if want := unhex(t, "82 a161 81 a161"+leaf+"00 a162 82 a161"+leaf+"00 a162"+leaf+"01"); !bytes.Equal(b.Bytes(), want) {
			t.Errorf("%x, want %x", b.Bytes(), want)
		}
	})
}
