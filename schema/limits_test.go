package schema

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/internal/growth"
)

type (
	family    struct{ Kids []family }
	directory struct{ M map[uint16]directory }
)

// A list reserves a minimum number of bytes for its next elements. Lists within an element cannot
// use these bytes. Otherwise, each level could create elements for the whole input, up to 64 times
// for a recursive type.
func TestBugAmplificationOfNestedLists(t *testing.T) {
	s := Struct(F("kids", func(f *family) *[]family { return &f.Kids }, List(H32, Self[family]())))
	type deep struct{ L [][][][]string }
	lists := Struct(F("l", func(d *deep) *[][][][]string { return &d.L }, List(H32, List(H32, List(H32, List(H32, Str32))))))
	tree := Struct(F("m", func(d *directory) *map[uint16]directory { return &d.M }, Map(H32, U16, Self[directory]())))
	const size = 1 << 20
	// claims returns nested counts. Each count announces as many elements as the following bytes
	// could contain.
	claims := func(levels, key, least int) []byte {
		b := make([]byte, size)
		for at := 0; levels > 0; levels-- {
			binary.LittleEndian.PutUint32(b[at:], uint32((size-at-4)/least))
			at += 4 + key
		}
		return b
	}
	for name, c := range map[string]struct {
		parse  func(b []byte) error
		b      []byte
		factor int // bytes of memory for each input byte
	}{
		"self":  {func(b []byte) error { _, err := s.Parse(b, new(family)); return err }, claims(64, 0, 4), 24 / 4},
		"lists": {func(b []byte) error { _, err := lists.Parse(b, new(deep)); return err }, claims(4, 0, 4), 24 / 4},
		"maps":  {func(b []byte) error { _, err := tree.Parse(b, new(directory)); return err }, claims(64, 2, 6), 2 * 16 / 6},
	} {
		took := allocated(func() {
			if err := c.parse(c.b); !errors.Is(err, ErrShort) {
				t.Errorf("%s: %v", name, err)
			}
		})
		if took > uint64(c.factor*size*5/4) {
			t.Errorf("%s: %d bytes became %d, more than %d times as many", name, size, took, c.factor)
		}
	}
}

func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// A map that loses entries while it is written returns ErrChanged. The lost entries are not
// written.
func TestBugChangedMaps(t *testing.T) {
	type value struct{ N uint8 }
	type maps struct{ M map[string]value }
	for name, change := range map[string]func(m map[string]value){
		"one less":  func(m map[string]value) { deleteAnother(m) },
		"empty":     func(m map[string]value) { clear(m) },
		"one more":  func(m map[string]value) { m[fmt.Sprint("new", len(m))] = value{9} },
		"many more": func(m map[string]value) { addMany(m) },
	} {
		for _, entries := range []int{2, 8, 9, 1000} {
			v := maps{make(map[string]value)}
			for i := range entries {
				v.M[fmt.Sprint(i)] = value{1}
			}
			n := Get("n", U8, func(v2 *value) uint8 {
				if len(v.M) == entries {
					change(v.M)
				}
				return v2.N
			}, func(*value, uint8) {})
			s := Struct(F("m", func(m *maps) *map[string]value { return &m.M }, Map(H16, Str8, Part(n))))
			if b, err := s.Append(nil, &v); !isError(err, ErrChanged, "m", -1) {
				t.Errorf("%s, of %d: wrote %d bytes, %v", name, entries, len(b), err)
			}
		}
	}
}

func deleteAnother[K comparable, V any](m map[K]V) {
	for k := range m {
		delete(m, k)
		return
	}
}

func addMany[V any](m map[string]V) {
	for i := range 10_000 {
		var v V
		m[fmt.Sprint("more", i)] = v
	}
}

// A message with a large map does not slow down later messages with small maps.
func TestBugClearOfLargeMaps(t *testing.T) {
	type maps struct{ M map[uint32]uint8 }
	s := Struct(F("m", func(m *maps) *map[uint32]uint8 { return &m.M }, Map(H32, U32, U8)))
	large := maps{make(map[uint32]uint8)}
	for i := range 1_000_000 {
		large.M[uint32(i)] = 1
	}
	b, err := s.Append(nil, &large)
	if err != nil {
		t.Fatal(err)
	}
	small := []byte("\x01\x00\x00\x00\x05\x00\x00\x00\x06")
	parse := func(v *maps) func() func() {
		return func() func() {
			return func() {
				for range 100 {
					if _, err := s.Parse(small, v); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
	var fresh, used maps
	if _, err := s.Parse(b, &used); err != nil || !reflect.DeepEqual(used, large) {
		t.Fatal(err)
	}
	const enough = 100
	if ratio, ok := growth.Ratio(20, enough, parse(&used), parse(&fresh)); ok && ratio > enough {
		t.Errorf("small messages take %.0f times as long after a large one", ratio)
	}
}

// A Reader does not keep the memory of a large message while it reads small ones.
func TestBugReaderKeepsLargeMessages(t *testing.T) {
	type text struct{ S string }
	s := Struct(F("s", func(t *text) *string { return &t.S }, Str32))
	var b []byte
	for _, n := range []int{32 << 20, 0} {
		var err error
		if b, err = s.Append(b, &text{strings.Repeat("x", n)}); err != nil {
			t.Fatal(err)
		}
	}
	const small = 300_000
	for range small {
		b = append(b, "\x03\x00\x00\x00hey"...)
	}
	r := s.Reader(strings.NewReader(string(b)))
	var v text
	for range small / 2 {
		if err := r.Next(&v); err != nil {
			t.Fatal(err)
		}
	}
	if got := cap(r.d.b); got > 1<<20 {
		t.Errorf("after many messages of 7 bytes, the Reader holds %d", got)
	}
}
