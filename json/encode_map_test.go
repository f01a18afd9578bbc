package json

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// The order of many keys is encoding/json's. The test repeats the keys, so that the key book
// contains them.
func TestMapOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	pieces := []string{"", "a", "b", "key", "prefix of more than eight bytes", "a key that is longer than thirty-two bytes, though not than sixty", strings.Repeat("long ", 20), "<", "é", "\u2028", "\xff", "\x00", "\"", "Z", "~", "12345678", "12345679"}
	var all []string
	for _, p := range pieces {
		for _, q := range pieces {
			all = append(all, p+q)
		}
	}
	for range 300 {
		m := map[string]any{}
		s := map[namedString]string{}
		for range random.IntN(60) {
			k := all[random.IntN(len(all))]
			if random.IntN(2) == 0 {
				k = fmt.Sprint(random.IntN(500))
			}
			m[k] = random.IntN(10)
			s[namedString(k)] = k
		}
		for range 3 {
			encodesAs(t, "map", m)
			encodesAs(t, "strings", s)
			encodesAs(t, "nested", map[string]any{"m": m, "list": []any{m, s, m}, "a": 1})
		}
	}
}

// Maps are encoded correctly while the key book fills up, rejects keys, is not used for a while,
// and is used again.
func TestKeyBook(t *testing.T) {
	if !useKeyBook {
		t.Skip("there is none")
	}
	e := &encoder{flags: SortMapKeys, own: make([]byte, 1<<10)}
	check := func(m map[string]any) {
		t.Helper()
		n, err := e.append(nil, m)
		var want bytes.Buffer
		std := json.NewEncoder(&want)
		std.SetEscapeHTML(false)
		std.Encode(m)
		if got := string(e.b[:n]); err != nil || got != strings.TrimSpace(want.String()) {
			t.Fatalf("%v\ngot  %s\nwant %s", err, got, &want)
		}
	}
	object := func(from, count int) map[string]any {
		m := map[string]any{}
		for i := range count {
			m[fmt.Sprintf("%s%d", strings.Repeat("k", (from+i)%70), from+i)] = map[string]any{"x": i, "y": nil, "z": 1, "a": 2, "b": "3"}
		}
		return m
	}
	for range 3 {
		check(object(0, 30))
	}
	if e.book == nil {
		t.Skip("maps are not read by slots")
	}
	if e.book.count < 20 {
		t.Errorf("%d keys after three rounds", e.book.count)
	}
	for round := range 6 { // more keys than fit, each at least twice
		for from := 0; from < 600; from += 40 {
			check(object(from, 40))
			check(object(from, 20+round))
			check(object(from, 40))
		}
	}
	// Keys that occur only once use up the credit.
	for i := range 2000 {
		check(object(1000+50*i, 5))
	}
	for range 200 {
		check(object(0, 30))
	}
	if e.book.credit <= 0 {
		t.Errorf("a credit of %d after 200 known objects", e.book.credit)
	}
	places := map[uint16]bool{}
	for i, number := range e.book.order[:e.book.count] {
		x := &e.book.entries[number]
		if int(x.place) != i || places[number] || i > 0 && e.book.entries[e.book.order[i-1]].key() >= x.key() {
			t.Errorf("place %d: %q", i, x.key())
		}
		places[number] = true
	}
}

// changing is a value whose methods change the maps that contain it.
type changing struct{ maps *[]map[string]any }

func (c changing) MarshalJSON() ([]byte, error) {
	for i, m := range *c.maps {
		for k := range m {
			if len(k)%2 == i%2 {
				delete(m, k)
			} else {
				m[k] = "changed"
			}
		}
		for k := range 40 {
			m[fmt.Sprint("new", k)] = k
		}
	}
	return []byte(`"changing"`), nil
}

type changingText struct{ c changing }

func (c changingText) MarshalText() ([]byte, error) { return c.c.MarshalJSON() }

func (c changing) IsZero() bool { _, _ = c.MarshalJSON(); return false }

// skipOnV2 skips a test in which maps lose entries during encoding.
func skipOnV2(t *testing.T) {
	if OnV2 {
		t.Skip("this encoding/json looks values up late, and panics where they are gone")
	}
}

// Maps are encoded with the entries that they had at the start, even if methods of their values
// change the maps.
func TestChangingMaps(t *testing.T) {
	skipOnV2(t)
	type holder struct {
		A string
		C any
		Z changing `json:",omitzero"`
		B string
	}
	for _, size := range []int{1, 3, 8, 9, 30, 300} {
		for kind := range 7 {
			build := func() any {
				var maps []map[string]any
				c := changing{&maps}
				m := map[string]any{}
				for i := range size {
					m[strings.Repeat("k", i%5)+fmt.Sprint(i)] = []any{i, fmt.Sprint(i), map[string]any{"in": i, "and": nil}}
				}
				inner := map[string]any{"a": 1, "b": c, "c": "after"}
				switch kind {
				case 0:
					m["k1"] = c
				case 1:
					m["k1"] = []any{1, c, inner, "x"}
				case 2:
					m["k1"] = changingText{c}
				case 3:
					m["k1"] = map[string]any{"x": inner, "y": []any{inner}}
				case 4:
					m["k1"] = map[encoding.TextMarshaler]int{changingText{c}: 1}
				case 5:
					m["k1"] = &holder{A: "a", C: inner, Z: c, B: "b"}
				case 6:
					typed := map[string]holder{"x": {A: "x", C: c, Z: c, B: "b"}, "y": {A: "y", C: m, Z: c, B: "b"}}
					maps = append(maps, m, inner)
					return map[string]any{"typed": typed, "z": map[int]changing{1: c, 2: c}, "zz": map[int]any{3: c, 4: m}}
				}
				maps = append(maps, m, inner)
				return m
			}
			want, wantErr := json.Marshal(build())
			got, err := Marshal(build())
			if diff := differs(got, err, want, wantErr); diff != "" {
				t.Errorf("%d entries, kind %d: %s", size, kind, diff)
			}
		}
	}
}

// selfChanging is a struct whose method removes it from its map during encoding.
type selfChanging struct {
	A    string
	Drop dropping
	B    [40]string
	C    string
}

type dropping struct{ from *map[string]selfChanging }

func (d dropping) MarshalText() ([]byte, error) {
	clear(*d.from)
	return []byte("dropped"), nil
}

func TestChangingTypedMap(t *testing.T) {
	skipOnV2(t)
	build := func() any {
		m := map[string]selfChanging{}
		for i := range 12 {
			m[fmt.Sprint(i)] = selfChanging{A: fmt.Sprint("a", i), Drop: dropping{&m}, B: [40]string{39: fmt.Sprint(i)}, C: "c"}
		}
		return m
	}
	want, wantErr := json.Marshal(build())
	got, err := Marshal(build())
	if diff := differs(got, err, want, wantErr); diff != "" {
		t.Error(diff)
	}
}
