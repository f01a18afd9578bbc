package differential

// These tests check the costs of invalid documents in docs/migrate-json.md. They compare CPU time
// with encoding/json, and count allocations where these show the cost.

import (
	"bytes"
	std "encoding/json"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/internal/growth"
	"github.com/slipstream-go/slipstream/internal/pages"
	"github.com/slipstream-go/slipstream/json"
)

// costs returns the checks of "What an invalid document costs".
func costs() map[string]func(*testing.T, pages.Row) {
	type record struct {
		ID   int
		Name string
		On   bool
		Load float64
	}
	records := family[[]record]("structs", `{"ID":%d,"Name":"web-1","On":true,"Load":0.75},`)
	numbers := family[[]float64]("numbers", `%d.25,`)
	texts := family[[]string]("strings", `"some text of %d",`)
	escapes := family[[]string]("strings with escapes", `"\n\"%d\"\t\\\u00e9\n",`)
	values := family[any]("any", `{"id":%d,"name":"web-1","on":true,"tags":["a","b"],"load":0.75},`)
	counts := family[[]map[string]int]("maps", `{"a":%d,"b":2,"c":3,"d":4},`)
	arrays := family[any]("any, arrays", `[[%d],[],[[2]]],`)
	deep := family[any]("any, deep arrays", strings.Repeat("[", 100)+"%d"+strings.Repeat("]", 100)+",")
	small, large := []int{1 << 10, 8 << 10, 32 << 10}, []int{1 << 20}
	within := func(sizes []int, families ...invalid) func(*testing.T, pages.Row) {
		return func(t *testing.T, r pages.Row) {
			for _, f := range families {
				f.costs(t, r, sizes)
			}
		}
	}
	return map[string]func(*testing.T, pages.Row){
		"structs, numbers, strings, up to 32 KB": within(small, records, numbers, texts),
		"the same, 1 MB":                         within(large, records, numbers, texts),
		"strings with many escapes":              within(append(small, large...), escapes),
		"`any`, maps":                            within(append(small, large...), values, counts),
		"`any`, 1 MB of nested arrays":           within(large, arrays, deep),
	}
}

// invalid is a family of invalid documents, with their target.
type invalid struct {
	name   string
	valid  func(size int) []byte
	target func() any
}

// family returns arrays of elements. The format of an element contains its number.
func family[T any](name, element string) invalid {
	return invalid{name, func(size int) []byte {
		b := []byte("[")
		for i := 0; len(b) < size; i++ {
			b = fmt.Appendf(b, element, i%100)
		}
		b[len(b)-1] = ']'
		return b
	}, func() any { return new(T) }}
}

// room is the factor by which a ratio may exceed the figure on the page. The figures are from an
// idle machine. On a busy machine, other programs may evict more cache lines of one side than of
// the other.
const room = 2

// costs checks that the first invalid document costs at most the figure in the row, and the next
// one no more than a validity check.
func (f invalid) costs(t *testing.T, r pages.Row, sizes []int) {
	t.Helper()
	high, err := strconv.ParseFloat(r.Cells[1], 64)
	if err != nil {
		t.Fatalf("%s: %v", r.Where, err)
	}
	for _, size := range sizes {
		valid := f.valid(size)
		for where, at := range map[string]int{"middle": len(valid) / 2, "end": len(valid) - 1} {
			bad := bytes.Clone(valid)
			bad[at] = 0x01 // invalid at any position
			first := func() func() {
				for range 17 { // after these, the decoder no longer checks documents before it decodes them
					if err := json.Unmarshal(valid, f.target()); err != nil {
						t.Fatal(err)
					}
				}
				target := f.target()
				return func() { f.refused(t, json.Unmarshal(bad, target)) }
			}
			theirs := func() func() {
				target := f.target()
				return func() { f.refused(t, std.Unmarshal(bad, target)) }
			}
			ratio, ok := growth.Ratio(12, high*room, first, theirs)
			if ok && ratio > high*room {
				t.Errorf("%s: %s, %d KB, bad at the %s: the first costs %.1f times encoding/json's time, and the page says %s",
					r.Where, f.name, size>>10, where, ratio, r.Cells[1])
			}
			// The next document is checked before it is decoded, so it allocates only its error.
			first()()
			if n := testing.AllocsPerRun(3, func() { f.refused(t, json.Unmarshal(bad, f.target())) }); n > 20 {
				t.Errorf("%s, %d KB, bad at the %s: the next one costs %v allocations", f.name, size>>10, where, n)
			}
		}
	}
}

func (f invalid) refused(t *testing.T, err error) {
	if _, is := err.(*std.SyntaxError); !is {
		t.Fatalf("%s: %v", f.name, err)
	}
}

// After an invalid document, further documents are checked first, until 16 times as many bytes were
// valid. A Decoder never decodes an invalid document.
func TestPagesInvalidNext(t *testing.T) {
	type document any // no other test decodes this type: their invalid documents would count, too
	f := family[document]("document", `{"id":%d,"name":"web-1"},`)
	valid := f.valid(64 << 10)
	bad := append(bytes.Clone(valid[:len(valid)-1]), 0x01)
	take := func(n int) {
		for range n {
			if err := json.Unmarshal(valid, f.target()); err != nil {
				t.Fatal(err)
			}
		}
	}
	const few, many = 200, 2000 // allocations of an error with some buffers, and of a document
	for n, inVain := range map[int]bool{0: false, 15: false, 16: true} {
		take(17) // ends the checks that the previous round has caused
		f.refused(t, json.Unmarshal(bad, f.target()))
		take(n)
		if got := allocations(func() { f.refused(t, json.Unmarshal(bad, f.target())) }); got > few && !inVain || got < many && inVain {
			t.Errorf("after %d valid documents: %d allocations", n, got)
		}
	}
	take(17)
	if got := allocations(func() { f.refused(t, json.NewDecoder(bytes.NewReader(bad)).Decode(f.target())) }); got > few {
		t.Errorf("a Decoder: %d allocations", got)
	}
}

// allocations returns the number of objects that a call allocates.
func allocations(call func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	call()
	runtime.ReadMemStats(&after)
	return int(after.Mallocs - before.Mallocs)
}
