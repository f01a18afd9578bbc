package differential

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/internal/corpus"
	"github.com/slipstream-go/slipstream/msgpack"
	v5 "github.com/vmihailenco/msgpack/v5"
)

// fullDecoder contains the methods for sequences of values, and the options, that both decoders
// have.
type fullDecoder interface {
	lowDecoder
	Decode(any) error
	DecodeMulti(...any) error
	DecodeValue(reflect.Value) error
	DecodeUntypedMap() (map[any]any, error)
	Reset(io.Reader)
	ResetReader(io.Reader)
	ResetDict(io.Reader, []string)
	DisableAllocLimit(bool)
	DisallowUnknownFields(bool)
	SetCustomStructTag(string)
	UseLooseInterfaceDecoding(bool)
	UsePreallocateValues(bool)
}

// stream returns a few encoded values.
func stream(r *rand.Rand) []byte {
	var b bytes.Buffer
	e := v5.NewEncoder(&b)
	e.SetSortMapKeys(true)
	e.UseCompactInts(r.IntN(2) == 0)
	e.UseArrayEncodedStructs(r.IntN(4) == 0)
	for range 1 + r.IntN(8) {
		if err := e.Encode(programValue(r)); err != nil {
			panic(err)
		}
	}
	return b.Bytes()
}

// targets returns pointers to the variables into which a program decodes. Both decoders have their
// own variables, and use them again and again. But values in an any and in a []string are set to
// nil before each call, because docs/migrate-msgpack.md lists differences for such values.
func targets() []any {
	return []any{new(any), new([]any), new([]string), new(string), new(map[string]any), new(int64), new([]byte), new(corpus.Scalars), new(corpus.Tuple), new(corpus.Tagged), new(*allTags)}
}

// decoderStep returns a random call. All random choices are made before f is called.
func decoderStep(r *rand.Rand) (name string, f func(d fullDecoder, targets []any) (any, error)) {
	k, on, tag := r.IntN(len(targets())), r.IntN(2) == 0, []string{"", "json"}[r.IntN(2)]
	low := slices.Sorted(maps.Keys(methods))[r.IntN(len(methods))]
	more := stream(r)
	set := func(f func(fullDecoder)) func(fullDecoder, []any) (any, error) {
		return func(d fullDecoder, _ []any) (any, error) { f(d); return nil, nil }
	}
	steps := []struct {
		name string
		f    func(d fullDecoder, targets []any) (any, error)
	}{
		{low, func(d fullDecoder, _ []any) (any, error) { return methods[low](d) }},
		{"DecodeInterface", func(d fullDecoder, _ []any) (any, error) { return d.DecodeInterface() }}, // more often than by low
		{fmt.Sprintf("Decode %T", targets()[k]), func(d fullDecoder, t []any) (any, error) { return t[k], d.Decode(t[k]) }},
		{fmt.Sprintf("DecodeValue %T", targets()[k]), func(d fullDecoder, t []any) (any, error) {
			return t[k], d.DecodeValue(reflect.ValueOf(t[k]).Elem())
		}},
		{fmt.Sprintf("DecodeMulti any, %T", targets()[k]), func(d fullDecoder, t []any) (any, error) { return t[:1], d.DecodeMulti(t[0], t[k]) }},
		{"DecodeUntypedMap", func(d fullDecoder, _ []any) (any, error) { return d.DecodeUntypedMap() }},
		{"Reset", set(func(d fullDecoder) { d.Reset(bytes.NewReader(more)) })},
		{"ResetReader", set(func(d fullDecoder) { d.ResetReader(bytes.NewReader(more)) })},
		{"ResetDict", set(func(d fullDecoder) { d.ResetDict(bytes.NewReader(more), []string{"x", "key"}) })},
		{"ResetDict nil", set(func(d fullDecoder) { d.ResetDict(bytes.NewReader(more), nil) })},
		{fmt.Sprint("DisableAllocLimit ", on), set(func(d fullDecoder) { d.DisableAllocLimit(on) })},
		{fmt.Sprint("DisallowUnknownFields ", on), set(func(d fullDecoder) { d.DisallowUnknownFields(on) })},
		{"SetCustomStructTag " + tag, set(func(d fullDecoder) { d.SetCustomStructTag(tag) })},
		{fmt.Sprint("UseLooseInterfaceDecoding ", on), set(func(d fullDecoder) { d.UseLooseInterfaceDecoding(on) })},
		{fmt.Sprint("UsePreallocateValues ", on), set(func(d fullDecoder) { d.UsePreallocateValues(on) })},
	}
	i := r.IntN(len(steps))
	return steps[i].name, steps[i].f
}

// TestMsgpackSameDecoderPrograms makes the same random calls on both Decoders, which read the same
// values. It compares results and errors. A program ends at the first error.
func TestMsgpackSameDecoderPrograms(t *testing.T) {
	for seed := range uint64(10000) {
		r := corpus.New(seed)
		data := stream(r)
		a, b := v5.NewDecoder(bytes.NewReader(data)), msgpack.NewDecoder(bytes.NewReader(data))
		theirTargets, ourTargets := targets(), targets()
		program := []string{fmt.Sprintf("%x", data)}
		for range 1 + r.IntN(20) {
			name, step := decoderStep(r)
			program = append(program, name)
			for _, list := range [][]any{theirTargets, ourTargets} {
				*list[0].(*any), *list[1].(*[]any), *list[2].(*[]string), *list[9].(*corpus.Tagged) = nil, nil, nil, corpus.Tagged{}
			}
			var theirs any
			errTheirs := guarded(func() (err error) { theirs, err = step(a, theirTargets); return err })
			ours, errOurs := step(b, ourTargets)
			if text(errTheirs) != text(errOurs) && unlike(data, errTheirs, errOurs) {
				t.Errorf("seed %d: %s\ntheirs %v\nours   %v", seed, strings.Join(program, "\n\t"), errTheirs, errOurs)
			}
			if errTheirs != nil || errOurs != nil || negated(theirs, ours) {
				break
			}
			if !reflect.DeepEqual(theirs, ours) {
				t.Errorf("seed %d: %s\ntheirs %T %#v\nours   %T %#v", seed, strings.Join(program, "\n\t"), theirs, theirs, ours, ours)
			}
		}
	}
}

// negated reports whether both values are floats, and the original has decoded a large uint64 as a
// negative number.
func negated(theirs, ours any) bool {
	if f, ok := ours.(float32); ok {
		return f >= 1<<63 && theirs.(float32) < 0
	}
	f, ok := ours.(float64)
	return ok && f >= 1<<63 && theirs.(float64) < 0
}
