package json_test

// These tests limit the memory of streams, the memory that decoded values keep alive, and the
// memory for hostile input.

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/internal/guard"
	"github.com/slipstream-go/slipstream/json"
)

// heap returns the size of the live heap.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// repeated returns a reader of n copies of text.
func repeated(text string, n int) io.Reader {
	return &repeater{text: strings.Repeat(text, max(1, 4096/len(text))), left: n / max(1, 4096/len(text))}
}

type repeater struct {
	text     string
	at, left int
}

func (r *repeater) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if r.at == len(r.text) {
			r.at = 0
			r.left--
		}
		if r.left <= 0 {
			return n, io.EOF
		}
		k := copy(p[n:], r.text[r.at:])
		r.at += k
		n += k
	}
	return n, nil
}

// A Decoder reads an array of 30 MB in little memory: element by element, and a shorter array token
// by token.
func TestLongArrayInBoundedMemory(t *testing.T) {
	const element = `{"id":12345,"text":"an element of a long array","tags":["a","b"]},`
	n := 450_000
	if raced {
		n /= 10
	}
	before := heap()
	most, elements := int64(0), 0
	watch := func() {
		if elements++; elements%(n/4) == 0 {
			most = max(most, heap()-before)
		}
	}
	d := json.NewDecoder(io.MultiReader(strings.NewReader("["), repeated(element, n), strings.NewReader("1]")))
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	for d.More() {
		var v any
		if err := d.Decode(&v); err != nil {
			t.Fatal(err)
		}
		watch()
	}
	d = json.NewDecoder(io.MultiReader(strings.NewReader("["), repeated(element, n/10), strings.NewReader("1]")))
	for {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		watch()
	}
	if most > 1<<20 {
		t.Errorf("%d KB were in use", most>>10)
	}
	runtime.KeepAlive(d)
}

// A short string and a number from a long document keep little memory alive.
func TestKeptValuesKeepLittle(t *testing.T) {
	if guard.Enabled {
		t.Skip("the checks keep copies")
	}
	type document struct {
		Name string
		Rest []struct{ Text string }
		Any  any
	}
	const documents = 100
	filler := strings.Repeat(`{"Text":"some text that fills the document, and is not kept"},`, 2000) + `{}`
	var names []string
	var anys []any
	before := heap()
	for i := range documents {
		var v document
		if err := json.Unmarshal(fmt.Appendf(nil, `{"Rest":[%s],"Name":"name %d","Any":[%s,%d.5,"text %d"]}`, filler, i, filler, i, i), &v); err != nil {
			t.Fatal(err)
		}
		list := v.Any.([]any)
		names, anys = append(names, v.Name), append(anys, list[len(list)-2], list[len(list)-1])
	}
	// Per document, the limit allows a chunk of 4 KB for the name, a chunk for the text, and the
	// memory around the values of an any.
	kept := heap() - before
	t.Logf("%d bytes for each", kept/documents)
	if kept > documents*(10<<10) {
		t.Errorf("%d bytes for each document of %d", kept/documents, 2*len(filler))
	}
	runtime.KeepAlive(names)
	runtime.KeepAlive(anys)
}

// Hostile input does not make the decoder allocate much more memory than the length of the input.
func TestHostileMemory(t *testing.T) {
	long := "[" + strings.Repeat(`"",`, 127) + `""],`
	cycle := ""
	for i := range 40 { // slices of increasing length, with very short slices in between
		cycle += "[" + strings.Repeat(`"",`, 100+i) + `""],` + strings.Repeat(`[""],`, 7)
	}
	for name, c := range map[string]struct {
		in string
		to func() any
	}{
		"short after long":   {"[" + long + strings.Repeat(`[""],`, 100_000) + `[]]`, func() any { return new([][]string) }},
		"long between short": {"[" + strings.Repeat(cycle, 20) + `[]]`, func() any { return new([][]string) }},
		"empty lists":        {"[" + strings.Repeat(`[],`, 200_000) + `[]]`, func() any { return new(any) }},
		"empty objects":      {"[" + strings.Repeat(`{},`, 200_000) + `{}]`, func() any { return new([]map[string]int) }},
		"open lists":         {strings.Repeat(`[`, 1_000_000), func() any { return new(any) }},
		"deep":               {strings.Repeat(`[`, 10_000) + strings.Repeat(`]`, 10_000), func() any { return new(nest) }},
		"a key of many":      {`{` + strings.Repeat(`"a":[1],`, 100_000) + `"a":1}`, func() any { return new(map[string]any) }},
	} {
		var m, n runtime.MemStats
		runtime.ReadMemStats(&m)
		err := json.Unmarshal([]byte(c.in), c.to())
		runtime.ReadMemStats(&n)
		if bytes := int(n.TotalAlloc - m.TotalAlloc); bytes > 100*len(c.in)+1<<20 {
			t.Errorf("%s: %d bytes for %d, %v", name, bytes, len(c.in), err)
		} else {
			t.Logf("%s: %d times its length", name, bytes/len(c.in))
		}
	}
}
