//go:build invariants

package mem

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// panicOf returns the text of the panic of f, or "".
func panicOf(f func()) (text string) {
	defer func() {
		if r := recover(); r != nil {
			text = fmt.Sprint(r)
		}
	}()
	f()
	return ""
}

// record contains a word of each class.
type record struct {
	number uint64
	text   string
	list   []uint32
	ref    *uint64
	table  map[string]int
	any    any
	small  [2]uint32
}

// wrongTouch is an access that the checks must reject, and a part of the panic's text.
type wrongTouch struct {
	name  string
	touch func()
	says  string
}

func checkRefused(t *testing.T, all []wrongTouch) {
	t.Helper()
	for _, c := range all {
		if got := panicOf(c.touch); !strings.Contains(got, c.says) || got == "" {
			t.Errorf("%s: panic %q, want one with %q", c.name, got, c.says)
		}
	}
}

// Each function that takes a Pointer rejects accesses before an object, after it, and across its
// end.
func TestPlaceRefusesOutside(t *testing.T) {
	r := new(record)
	p := PointerTo(r)
	size := reflect.TypeFor[record]().Size()
	array := ArrayTo(make([]uint32, 3))
	text := From([]byte("12345678")[:8:8], 2)
	rec := reflect.TypeFor[record]()
	n := int(size)
	checkRefused(t, []wrongTouch{
		{"At before", func() { At[uint64](Add(p, ^uintptr(7)), 0) }, "mem: uint64 (8 bytes) at offset -8 of a mem.record"},
		{"At after", func() { At[uint64](p, size) }, fmt.Sprintf("at offset %d of a mem.record", n)},
		{"At across the end", func() { At[uint64](p, size-4) }, fmt.Sprintf("at offset %d of a mem.record", n-4)},
		{"At of nil", func() { At[uint64](Of(nil, rec), 0) }, "of nil"},
		{"At of an empty struct", func() { At[uint64](PointerTo(new(struct{})), 0) }, "of a struct {} (0 bytes)"},
		{"At of the element after an array", func() { At[uint32](array, 12) }, "of an array of uint32 (12 bytes)"},
		{"View too long", func() { View(p, n+1) }, fmt.Sprintf("mem: %d bytes at offset 0", n+1)},
		{"View of bytes too long", func() { View(text, 7) }, "mem: 7 bytes at offset 2 of an array of uint8 (8 bytes)"},
		{"View of a negative length", func() { View(p, -1) }, "at offset 0 of a mem.record"},
		{"RawBytes too long", func() { RawBytes(text, 7) }, "mem: 7 bytes at offset 2"},
		{"RawRoom too long", func() { RawRoom(text, 7) }, "mem: 7 bytes at offset 2"},
		{"RawOf before", func() { RawOf(Add(p, ^uintptr(0))) }, "mem: 0 bytes at offset -1"},
		{"RawOf after", func() { RawOf(Add(p, size+1)) }, fmt.Sprintf("mem: 0 bytes at offset %d", n+1)},
		{"RawAs across the end", func() { RawAs(Add(p, 8), rec) }, "mem: mem.record"},
		{"FirstWord after", func() { FirstWord(Add(p, size)) }, fmt.Sprintf("at offset %d of a mem.record", n)},
		{"Of an address that is not aligned", func() { Of(RawAdd(RawTo(r), 1), rec) }, "which is not aligned"},
		{"ValueAt after", func() { ValueAt(rec, TypeWord(reflect.PointerTo(rec)), Add(p, size+1)) }, "mem: "},
		{"From after", func() { From([]byte("x"), 1) }, "out of range"},
		{"SetString after", func() { SetString(new(string), make([]byte, 4, 8), 2, 3) }, "mem: a string of 3 bytes at 2 of 4"},
		{"SetString before", func() { SetString(new(string), make([]byte, 4), -1, 2) }, "mem: a string of 2 bytes at -1 of 4"},
		{"SetText after", func() { SetText(new(string), "text", 4, 1) }, "mem: a string of 1 bytes at 4 of 4"},
		{"SetText of nothing", func() { SetText(new(string), "text", 4, 0) }, "mem: a string of 0 bytes at 4 of 4"},
	})
}

// Reading a word as another type than its own is rejected.
func TestPlaceRefusesOtherTypes(t *testing.T) {
	r := new(record)
	p := PointerTo(r)
	text, list := reflect.TypeFor[record]().Field(1).Offset, reflect.TypeFor[record]().Field(2).Offset
	ref, table := reflect.TypeFor[record]().Field(3).Offset, reflect.TypeFor[record]().Field(4).Offset
	face := reflect.TypeFor[record]().Field(5).Offset
	checkRefused(t, []wrongTouch{
		{"a string's header as a pointer", func() { At[Raw](p, text) }, "a pointer where there is a string's text"},
		{"a string as a slice", func() { At[[]byte](p, text) }, "a slice's array where there is a string's text"},
		{"a string's length as a pointer", func() { At[*uint64](p, text+wordSize) }, "a pointer where there is a length"},
		{"a slice as a string", func() { At[string](p, list) }, "a string's text where there is a slice's array"},
		{"a slice's length as a number", func() { At[uintptr](p, list+wordSize) }, "a number where there is a length"},
		{"a number as a length", func() { At[Length](p, 0) }, "a length where there is a number"},
		{"a number as a pointer", func() { At[Raw](p, 0) }, "a pointer where there is a number"},
		{"a pointer as a number", func() { At[uint64](p, ref) }, "a number where there is a pointer"},
		{"a half of a pointer", func() { At[uint16](p, ref+2) }, "a number where there is a pointer"},
		{"a pointer as a map", func() { At[map[string]int](p, ref) }, "a map where there is a pointer"},
		{"a map as a pointer", func() { At[*uint64](p, table) }, "a pointer where there is a map"},
		{"an interface as a string", func() { At[string](p, face) }, "a string's text where there is an interface's type"},
		{"an interface's value as its type", func() { At[any](p, face+wordSize) }, "where there is an interface's value"},
		{"a pointer that is not aligned", func() { At[Raw](p, ref+1) }, "which is not aligned"},
		{"a type of other words", func() { RawAs(p, reflect.TypeFor[[4]string]()) }, "where there is"},
		{"the pointer field as what it points to", func() { At[string](PointerTo(new(*string)), 0) }, "mem: string (16 bytes) at offset 0 of a *string"},
	})
	for name, touch := range map[string]func(){
		"a number as bytes":      func() { At[[8]byte](p, 0) },
		"a slice as mem.Slice":   func() { At[Slice](p, list) },
		"any as mem.Face":        func() { At[Face](p, face) },
		"a pointer as Raw":       func() { At[Raw](p, ref) },
		"a map as Raw":           func() { At[Raw](p, table) },
		"a length as Length":     func() { At[Length](p, text+wordSize) },
		"a second element":       func() { At[string](Add(ArrayTo([]string{"a", "b"}), 2*wordSize), 0) },
		"the end of an object":   func() { RawOf(Add(p, reflect.TypeFor[record]().Size())) },
		"no bytes of no place":   func() { RawBytes(Pointer{}, 0) },
		"the address of nothing": func() { RawOf(Pointer{}); RawAs(Pointer{}, reflect.TypeFor[record]()) },
	} {
		if got := panicOf(touch); got != "" {
			t.Errorf("%s: panic %q, want none", name, got)
		}
	}
}

// Loads and stores of every width are rejected before the start and after the end.
func TestWordsRefuseOutside(t *testing.T) {
	if Checked {
		t.Skip("the compiler checks these")
	}
	b := make([]byte, 8, 10)
	s := string(b)
	all := []wrongTouch{
		{"LoadPadded64 between words", func() { LoadPadded64(b, 4) }, "mem: load of a padded word at 4"},
		{"StoreBlock", func() { StoreBlock(make([]byte, 0, BlockSize), 1, new(Block)) }, "mem: store of 32 bytes at 1 of 0"},
	}
	for n, load := range map[int]func(int){
		8: func(i int) { Load64(b, i) }, 4: func(i int) { Load32(b, i) }, 2: func(i int) { Load16(b, i) }, 1: func(i int) { Load8(b, i) },
	} {
		for _, i := range []int{-1, 9 - n} {
			all = append(all, wrongTouch{fmt.Sprintf("Load%d at %d", 8*n, i), func() { load(i) }, fmt.Sprintf("mem: load of %d bytes at %d of 8", n, i)})
		}
		load(8 - n)
	}
	for n, load := range map[int]func(int){8: func(i int) { Text64(s, i) }, 4: func(i int) { Text32(s, i) }, 2: func(i int) { Text16(s, i) }} {
		for _, i := range []int{-1, 9 - n} {
			all = append(all, wrongTouch{fmt.Sprintf("Text%d at %d", 8*n, i), func() { load(i) }, fmt.Sprintf("mem: load of %d bytes at %d of 8", n, i)})
		}
		load(8 - n)
	}
	for n, store := range map[int]func(int){
		8: func(i int) { Store64(b, i, 0) }, 4: func(i int) { Store32(b, i, 0) }, 2: func(i int) { Store16(b, i, 0) }, 1: func(i int) { Store8(b, i, 0) },
	} {
		for _, i := range []int{-1, 11 - n} {
			all = append(all, wrongTouch{fmt.Sprintf("Store%d at %d", 8*n, i), func() { store(i) }, fmt.Sprintf("mem: store of %d bytes at %d of 8, capacity 10", n, i)})
		}
		store(10 - n)
	}
	checkRefused(t, all)
}

// A write to a text that was returned to a caller is detected. Store functions and RawRoom reject
// the write immediately. The next Seal and the garbage collector detect other writes.
func TestSealedTextIsNotWritten(t *testing.T) {
	b := append(make([]byte, 0, 64), "handed out, and free"...)
	Seal(b[:10], 10)
	checkRefused(t, []wrongTouch{
		{"RawRoom over the text", func() { RawRoom(From(b, 9), 4) }, "mem: store of 4 bytes at 9 of a chunk whose bytes 0 to 10 are strings"},
	})
	if got := panicOf(func() { RawRoom(From(b, 10), 4) }); got != "" {
		t.Errorf("room after the text: panic %q", got)
	}
	if !Checked {
		checkRefused(t, []wrongTouch{
			{"Store64 over its end", func() { Store64(b, 8, 0) }, "mem: store of 8 bytes at 8 of a chunk whose bytes 0 to 10 are strings"},
			{"Store8 at its start", func() { Store8(b, 0, 0) }, "are strings"},
		})
		Store64(b, 10, 0)
	}
	b[3] = 'X'
	if got := panicOf(func() { Seal(b[:12], 2) }); !strings.Contains(got, `strings that were handed out have changed: "handed out", now "hanXed out"`) {
		t.Errorf("the next Seal: panic %q", got)
	}
	b[3] = 'd' // so that the garbage collector does not report it
	Seal(b[:12], 2)
	runtime.KeepAlive(b)
}
