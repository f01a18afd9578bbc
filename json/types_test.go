package json_test

// These tests use random types, random values of them, and documents that almost fit.

import (
	std "encoding/json"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/internal/corpus"
	"github.com/slipstream-go/slipstream/json"
)

var typeLeaves = []reflect.Type{
	reflect.TypeFor[bool](), reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[int16](), reflect.TypeFor[uint](), reflect.TypeFor[uint8](), reflect.TypeFor[uint64](), reflect.TypeFor[float32](), reflect.TypeFor[float64](), reflect.TypeFor[string](), reflect.TypeFor[[]byte](), reflect.TypeFor[any](), reflect.TypeFor[any](), reflect.TypeFor[struct{}](),
	reflect.TypeFor[std.Number](), reflect.TypeFor[std.RawMessage](), reflect.TypeFor[time.Time](), reflect.TypeFor[time.Duration](), reflect.TypeFor[big.Int](), reflect.TypeFor[netip.Addr](), reflect.TypeFor[namedString](), reflect.TypeFor[namedInt8](), reflect.TypeFor[chan int](),
	reflect.TypeFor[readsJSON](), reflect.TypeFor[readsText](), reflect.TypeFor[readsJSONInt](), reflect.TypeFor[readsTextInt](), reflect.TypeFor[readsTextString](), reflect.TypeFor[readsJSONByte](), reflect.TypeFor[readsTextByte](), reflect.TypeFor[readsBoth](), reflect.TypeFor[readsInner](), reflect.TypeFor[writesText](), reflect.TypeFor[writesJSONInt](), reflect.TypeFor[zeroByPointer](), reflect.TypeFor[zeroInt](),
	reflect.TypeFor[Base](), reflect.TypeFor[tree](), reflect.TypeFor[describer](), reflect.TypeFor[std.Unmarshaler](), reflect.TypeFor[embedsPointer](), reflect.TypeFor[embedsHiddenPointer](), reflect.TypeFor[embedsAmbiguous](), reflect.TypeFor[nest](), reflect.TypeFor[nestMap](),
}

// randomType returns a type with the given depth. Types without elements have depth 0.
func randomType(r *rand.Rand, depth int) reflect.Type {
	pick := func(types ...reflect.Type) reflect.Type { return types[r.IntN(len(types))] }
	if depth == 0 {
		return pick(typeLeaves...)
	}
	switch r.IntN(12) {
	case 0, 1:
		return reflect.SliceOf(randomType(r, depth-1))
	case 2:
		return reflect.ArrayOf(r.IntN(4), randomType(r, depth-1))
	case 3, 4, 5:
		return reflect.MapOf(pick(reflect.TypeFor[string](), reflect.TypeFor[int](), reflect.TypeFor[uint8](), reflect.TypeFor[namedString](), reflect.TypeFor[textKey](), reflect.TypeFor[textKeyInt](), reflect.TypeFor[bothKey]()), randomType(r, depth-1))
	case 6:
		return reflect.PointerTo(randomType(r, depth-1))
	}
	var fields []reflect.StructField
	if r.IntN(3) == 0 {
		e := pick(reflect.TypeFor[Base](), reflect.TypeFor[Left](), reflect.TypeFor[Deep]())
		fields = append(fields, reflect.StructField{Name: e.Name(), Type: e, Anonymous: true})
	}
	for i := range r.IntN(9) {
		tag := ""
		switch r.IntN(6) {
		case 0:
			tag = []string{"name", "NAME", "k", "K", "ſ", "s", "-", "é", "f1", "a name of more than thirty-two bytes, less the comma"}[r.IntN(10)]
		case 1:
			tag = strings.Repeat("n", r.IntN(70)) + fmt.Sprint(i)
		}
		for _, option := range []string{",omitempty", ",omitzero", ",string"} {
			if r.IntN(4) == 0 {
				tag += option
			}
		}
		fields = append(fields, reflect.StructField{Name: fmt.Sprintf("F%d", i), Type: randomType(r, depth-1), Tag: reflect.StructTag(fmt.Sprintf("json:%q", tag))})
	}
	return reflect.StructOf(fields)
}

// misfits are used in place of suitable values.
var misfits = []string{"null", "true", "1", "-1", "1.5", "300", "1e400", "-0", "99999999999999999999999", `""`, `"x"`, `"bad"`, `"1"`, `"null"`, `"true"`, `"\"q\""`, `"2006-01-02T15:04:05Z"`, `"10.0.0.1"`, `"AQID"`, `"\u00e9\ud800"`, "[]", "{}", `[1]`, `{"A":1}`, `{"a":{"b":[1,"x"]}}`}

// almost returns doc with some other values, names and white space, and sometimes with a syntax
// error.
func almost(r *rand.Rand, doc []byte) []byte {
	d := std.NewDecoder(strings.NewReader(string(doc)))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return doc
	}
	var b strings.Builder
	writeAlmost(r, &b, v)
	out := []byte(b.String())
	switch i := r.IntN(len(out)); r.IntN(12) {
	case 0:
		return out[:i]
	case 1:
		out[i] = "{}[],:\"\\ 1tfn\x00\xff"[r.IntN(15)]
	case 2:
		return slices.Delete(out, i, i+1)
	}
	return out
}

func writeAlmost(r *rand.Rand, b *strings.Builder, v any) {
	blank := func() {
		if r.IntN(6) == 0 {
			b.WriteString([]string{" ", "\n", "\n        ", "\t\r", strings.Repeat(" ", 40)}[r.IntN(5)])
		}
	}
	write := func(v any) {
		text, err := std.Marshal(v)
		if err != nil {
			panic(err)
		}
		b.Write(text)
	}
	blank()
	defer blank()
	if r.IntN(12) == 0 {
		b.WriteString(misfits[r.IntN(len(misfits))])
		return
	}
	switch v := v.(type) {
	case map[string]any:
		between := "{"
		member := func(name string, value any) {
			b.WriteString(between)
			between = ","
			blank()
			write(name)
			blank()
			b.WriteByte(':')
			writeAlmost(r, b, value)
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			switch r.IntN(12) {
			case 0:
				member(strings.ToUpper(name), v[name])
			case 1:
				member(strings.ToLower(name), v[name])
			case 2:
				member(name+"x", v[name])
			case 3:
				member(name, v[name])
				fallthrough
			default:
				member(name, v[name])
			}
		}
		if len(v) == 0 {
			b.WriteByte('{')
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i, e := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			writeAlmost(r, b, e)
		}
		b.WriteByte(']')
	default:
		write(v)
	}
}

// tryType creates a type, and encodes and decodes values of it.
func tryType(t *testing.T, r *rand.Rand) {
	x := target{t: randomType(r, 1+r.IntN(4))}
	if json.OnV2 && strings.Contains(x.t.String(), "chan ") {
		return // encoding/json may not terminate here
	}
	for range 2 {
		v := reflect.New(x.t)
		fillRandom(r, v.Elem(), 0)
		// The last value is in an any of a map. There, values have no address, and are copied
		// before a method is called.
		for _, value := range []any{v.Interface(), v.Elem().Interface(), map[string]any{"a": v.Elem().Interface(), "b": 1}} {
			if s := unlikeMarshal(value); s != "" {
				complain(t, "%s: %v", s, x.t)
			}
		}
		var doc []byte
		attempt(func() (err error) { doc, err = std.Marshal(v.Interface()); return err })
		if doc == nil {
			doc = []byte(`{"F0":1,"F1":"x","F2":[1,{"A":2}],"F3":{"a":1},"F4":null,"name":5,"K":7,"s":[]}`)
		}
		for range 4 {
			in := almost(r, doc)
			for _, newTarget := range []func() any{x.fresh, x.filled} {
				if s := unlikeUnmarshal(in, newTarget); s != "" {
					complain(t, "%s: %s into %v", s, short(string(in)), x.t)
				}
				if s := unlikeDecode(in, newTarget, r.IntN(optionSets)); s != "" {
					complain(t, "Decode: %s: %s into %v", s, short(string(in)), x.t)
				}
			}
		}
	}
}

func TestRandomTypes(t *testing.T) {
	r := corpus.New(26)
	n := 600
	if raced || testing.Short() {
		n = 60
	}
	for range n {
		tryType(t, r)
	}
}

// FuzzTypes creates a few types from each number.
func FuzzTypes(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		for r := rand.New(rand.NewPCG(seed, 0)); r.IntN(8) > 0; {
			tryType(t, r)
		}
	})
}
