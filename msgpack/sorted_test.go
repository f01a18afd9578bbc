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
