package json_test

import (
	"bytes"
	std "encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/slipstream-go/slipstream/internal/corpus"
	"github.com/slipstream-go/slipstream/json"
)

// together runs n goroutines that begin at the same time.
func together(n int, run func(g int)) {
	var all sync.WaitGroup
	start := make(chan struct{})
	for g := range n {
		all.Go(func() {
			<-start
			run(g)
		})
	}
	close(start)
	all.Wait()
}

// Many goroutines may use a new type and its inner types for the first time at once.
func TestFirstUse(t *testing.T) {
	for round := range 40 {
		number := fmt.Sprint(round)
		inner := reflect.StructOf([]reflect.StructField{
			{Name: "X" + number, Type: reflect.TypeFor[int](), Tag: `json:"x"`},
			{Name: "Y" + number, Type: reflect.TypeFor[[]string](), Tag: `json:"y,omitempty"`},
		})
		outer := reflect.StructOf([]reflect.StructField{
			{Name: "A" + number, Type: inner, Tag: `json:"a"`},
			{Name: "B" + number, Type: reflect.SliceOf(reflect.PointerTo(inner)), Tag: `json:"b"`},
			{Name: "C" + number, Type: reflect.MapOf(reflect.TypeFor[string](), reflect.ArrayOf(round+1, inner)), Tag: `json:"c"`},
			{Name: "D" + number, Type: reflect.TypeFor[any](), Tag: `json:"d"`},
			{Name: "E" + number, Type: reflect.PointerTo(reflect.PointerTo(inner)), Tag: `json:"e,omitzero"`},
		})
		const in = `{"a":{"x":1,"y":["p","q"]},"b":[null,{"x":2}],"c":{"k":[{"x":3}]},"d":{"x":[1.5]},"e":{"x":4}}`
		want := reflect.New(outer)
		if err := std.Unmarshal([]byte(in), want.Interface()); err != nil {
			t.Fatal(err)
		}
		text, err := std.Marshal(want.Interface())
		if err != nil {
			t.Fatal(err)
		}
		together(8, func(g int) {
			v := reflect.New(outer)
			var b []byte
			var err error
			if g%2 == 0 { // one half begins by encoding
				b, err = json.Marshal(want.Interface())
				if err == nil {
					err = json.Unmarshal([]byte(in), v.Interface())
				}
			} else {
				if err = json.NewDecoder(strings.NewReader(in)).Decode(v.Interface()); err == nil {
					b, err = json.Marshal(v.Elem().Interface())
				}
			}
			if err != nil || !bytes.Equal(b, text) || !reflect.DeepEqual(v.Interface(), want.Interface()) {
				t.Errorf("round %d: %s, %v; want %s", round, short(string(b)), err, short(string(text)))
			}
			if err := json.Unmarshal([]byte(`{"a":{"x":"wrong"}}`), v.Interface()); err == nil {
				t.Error("no error")
			}
		})
	}
}

// These types contain one another, and no other test uses them.
type (
	firstOdd struct {
		Name  string
		Even  *firstEven
		Evens []firstEven
		firstBoth
	}
	firstEven struct {
		Number int
		Odd    map[string]*firstOdd
		*firstBoth
	}
	firstBoth struct {
		Self  []firstBoth
		Other any
		Odd2  *firstOdd
		Even2 *firstEven `json:",omitempty"`
	}
	secondList []secondMap
	secondMap  map[string]secondList
	thirdNode  struct {
		Left, Right *thirdNode
		Value       thirdValue
	}
	thirdValue struct {
		Nodes []thirdNode
		Text  string `json:",omitempty"`
	}
)

// Many goroutines may use recursive types for the first time at once. Each goroutine starts from a
// different type of the cycle.
func TestFirstUseOfRecursion(t *testing.T) {
	const in = `{"Name":"a","Number":5,"Even":{"Number":1,"Odd":{"k":{"Name":"b","Self":[{"Other":1}]}}},"Evens":[{"Number":2}],"Self":[{},{"Odd2":{"Name":"c"}}],"Other":{"x":1},"Odd2":{"Name":"d","Even":{"Number":3}},"Left":{"Value":{"Text":"l","Nodes":[{}]}},"Value":{"Nodes":[{"Right":{}}]}}`
	const list = `[{"a":[{"b":[]},{}]},null]`
	doors := []struct {
		to reflect.Type
		in string
	}{
		{reflect.TypeFor[firstOdd](), in}, {reflect.TypeFor[firstBoth](), in}, {reflect.TypeFor[[]firstBoth](), "[" + in + "]"}, {reflect.TypeFor[map[string]firstOdd](), `{"m":` + in + `}`},
		{reflect.TypeFor[secondList](), list}, {reflect.TypeFor[secondMap](), `{"m":` + list + `}`}, {reflect.TypeFor[thirdNode](), in}, {reflect.TypeFor[*thirdValue](), in},
	}
	results := make([]string, 32)
	together(len(results), func(g int) {
		door := doors[g%len(doors)]
		v := reflect.New(door.to)
		err := json.Unmarshal([]byte(door.in), v.Interface())
		b, errMarshal := json.Marshal(v.Interface())
		results[g] = fmt.Sprint(string(b), err, errMarshal)
	})
	for g, got := range results {
		door := doors[g%len(doors)]
		v := reflect.New(door.to)
		err := std.Unmarshal([]byte(door.in), v.Interface())
		b, errMarshal := std.Marshal(v.Interface())
		if want := fmt.Sprint(string(b), err, errMarshal); got != want {
			t.Errorf("%v: %s; want %s", door.to, got, want)
		}
	}
}

// Many goroutines may use the same types and values at once, along with all state that is kept
// between calls.
func TestSharedTypes(t *testing.T) {
	r := corpus.New(8)
	var values []any
	var texts, again [][]byte // again contains the texts after decoding and encoding again
	for _, zero := range corpus.Types() {
		for range 3 {
			v := reflect.New(reflect.TypeOf(zero).Elem())
			corpus.Fill(r, v.Elem(), 1)
			b, err := std.Marshal(v.Interface())
			if err != nil {
				continue // it contains an infinity
			}
			back := reflect.New(v.Type().Elem())
			if err := std.Unmarshal(b, back.Interface()); err != nil {
				t.Fatal(err)
			}
			c, err := std.Marshal(back.Interface())
			if err != nil {
				t.Fatal(err)
			}
			values, texts, again = append(values, v.Interface()), append(texts, b), append(again, c)
		}
	}
	if len(values) < 10 {
		t.Fatalf("%d values", len(values))
	}
	rounds := 20
	if raced {
		rounds = 4
	}
	together(8, func(g int) {
		for i := range rounds * len(values) {
			n := (i*7 + g) % len(values)
			v, text := values[n], texts[n]
			if b, err := json.Marshal(v); err != nil || !bytes.Equal(b, text) {
				t.Errorf("%T: %s, %v; want %s", v, short(string(b)), err, short(string(text)))
				return
			}
			back := reflect.New(reflect.TypeOf(v).Elem())
			if err := json.Unmarshal(text, back.Interface()); err != nil {
				t.Errorf("%T: %v", v, err)
				return
			}
			if b, err := std.Marshal(back.Interface()); err != nil || !bytes.Equal(b, again[n]) {
				t.Errorf("%T: %s, %v; want %s", v, short(string(b)), err, short(string(again[n])))
				return
			}
			var untyped any
			var indented bytes.Buffer
			if err := json.NewDecoder(bytes.NewReader(text)).Decode(&untyped); err != nil || !json.Valid(text) || json.Indent(&indented, text, "", " ") != nil {
				t.Error(err)
			}
			if err := json.Unmarshal(text[:len(text)-1], back.Interface()); err == nil {
				t.Error("no error")
			}
			if err := json.NewEncoder(io.Discard).Encode(untyped); err != nil {
				t.Error(err)
			}
			if _, err := json.Marshal([]any{v, make(chan int)}); err == nil {
				t.Error("no error")
			}
		}
	})
}

// mixed contains the kinds of values that the decoder cuts from shared memory: strings, numbers,
// bytes, and values in interfaces.
type mixed struct {
	A any
	D map[string]*mixed
	E std.RawMessage
	G std.Number
	H []byte
	L string
}

// Decoded values stay unchanged while other goroutines decode. A piece of shared memory must not be
// given to two values.
func TestValuesOfOthers(t *testing.T) {
	kept := make([][]mixed, 8)
	doc := func(g, i int) string {
		return fmt.Sprintf(`{"A":["text %d of %d",%d.5,{"key %d":"value %d"}],"E":["raw %d"],"G":%d,"H":"AQID","L":"text %d","D":{"name %d":{"G":%d}}}`, i, g, i, i, g, g, i, g, i, g)
	}
	together(len(kept), func(g int) {
		for i := range 200 {
			var v mixed
			if err := json.Unmarshal([]byte(doc(g, i)), &v); err != nil {
				t.Error(err)
				return
			}
			kept[g] = append(kept[g], v)
		}
	})
	for g, list := range kept {
		for i, v := range list {
			var want mixed
			if err := std.Unmarshal([]byte(doc(g, i)), &want); err != nil || !reflect.DeepEqual(v, want) {
				t.Fatalf("%d of %d: %+v; want %+v, %v", i, g, v, want, err)
			}
		}
	}
}
