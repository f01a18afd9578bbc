package mem

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

type (
	word   string
	number float64
	flag   bool
)

// PutText assigns to maps of many types, while the maps grow several times. It also replaces
// existing entries.
func TestPutText(t *testing.T) {
	if !TextMaps {
		t.Skip("not used in this build")
	}
	testPutText[string, uint8](t, 1)
	testPutText[word, int8](t, 1)
	testPutText[string, flag](t, 1)
	testPutText[string, int16](t, 2)
	testPutText[word, float32](t, 4)
	testPutText[string, [4]byte](t, 4)
	testPutText[string, int](t, reflect.TypeFor[int]().Size())
	testPutText[word, number](t, 8)
}

func testPutText[K ~string, V comparable](t *testing.T, size uintptr) {
	t.Helper()
	got, want := map[K]V{"there": *new(V)}, map[K]V{"there": *new(V)}
	for i := range 3000 {
		key, w := strings.Repeat("x", i%40)+fmt.Sprint(i%2000), uint64(i)*0x0101010101010101&0x7f7f7f7f7f7f7f7f
		if reflect.TypeFor[V]().Kind() == reflect.Bool {
			w &= 1
		}
		shifted := w // its low bytes come first
		v := (*V)(Raw(&shifted))
		if bigEndian {
			v = RawAt[V](Raw(&shifted), 8-size)
		}
		PutText(PointerTo(&got), key, w, int(size))
		want[K(key)] = *v
		if i%500 == 0 {
			runtime.GC()
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%T differs from what was assigned", got)
	}
	for k, v := range want {
		if got[k] != v {
			t.Fatalf("%T: %v is %v, want %v", got, k, got[k], v)
		}
	}
}

var bigEndian = func() bool {
	w := uint16(1)
	return *(*byte)(Raw(&w)) == 0
}()

// PutTexts assigns strings in a way that the garbage collector can find them.
func TestPutTexts(t *testing.T) {
	if !TextMaps {
		t.Skip("not used in this build")
	}
	got, want := map[word]word{}, map[word]word{}
	for i := range 3000 {
		key, value := strings.Repeat("k", i%30)+fmt.Sprint(i%2000), strings.Repeat("v", i%50)+fmt.Sprint(i)
		PutTexts(PointerTo(&got), strings.Clone(key), strings.Clone(value))
		want[word(key)] = word(value)
		if i%500 == 0 {
			runtime.GC()
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Error("the map differs from what was assigned")
	}
}
