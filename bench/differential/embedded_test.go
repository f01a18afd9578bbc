package differential

import (
	"reflect"
	"testing"

	"github.com/slipstream-go/slipstream/msgpack"
	v5 "github.com/vmihailenco/msgpack/v5"
)

type (
	Deepest struct {
		S *string
		T []byte
	}
	Deeper struct {
		N int
		*Deepest
	}
	Embedded struct {
		Bar *int
		M   map[string]int
		A   any
		*Deeper
	}
	holdsEmbedded struct {
		*Embedded
		Own int
	}
	holdsValue struct {
		Embedded
		Own int
	}
	holdsTuple struct {
		_msgpack struct{} `msgpack:",as_array"` //lint:ignore U1000 read by its tag
		*Deeper
		Own int
	}
)

// Structs with embedded pointers are decoded as in v5, whether the pointers are nil or set, and
// whether keys are missing, nil or set. A pointer is allocated for each key in the input, whatever
// its value is.
func TestEmbeddedPointers(t *testing.T) {
	word := "old"
	targets := map[string]func() any{
		"nil":         func() any { return new(holdsEmbedded) },
		"used":        func() any { return &holdsEmbedded{Embedded: &Embedded{Bar: new(int), M: map[string]int{"o": 1}}} },
		"deep":        func() any { return &holdsEmbedded{Embedded: &Embedded{Deeper: &Deeper{Deepest: &Deepest{S: &word}}}} },
		"value":       func() any { return new(holdsValue) },
		"value, deep": func() any { return &holdsValue{Embedded: Embedded{Deeper: &Deeper{N: 5}}} },
		"slice":       func() any { return &[]holdsEmbedded{{}} },
		"inside":      func() any { return new(map[string]*holdsEmbedded) },
	}
	values := map[string][]any{"Bar": {nil, 3}, "M": {nil, map[string]int{"k": 1}}, "A": {nil, "x"}, "N": {nil, 7}, "S": {nil, "s"}, "T": {nil, []byte("t")}, "Own": {nil, 1},
		"Deeper": {nil, map[string]any{"N": 3}}, "Embedded": {nil, map[string]any{}}}
	messages := []map[string]any{{}}
	for name, list := range values {
		for _, v := range list {
			for other, more := range values {
				for _, w := range more {
					messages = append(messages, map[string]any{name: v, other: w})
				}
			}
		}
	}
	for name, target := range targets {
		for _, m := range messages {
			var message any = m
			switch name {
			case "slice":
				message = []any{m, m}
			case "inside":
				message = map[string]any{"k": m}
			}
			data, err := v5.Marshal(message)
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range []msgpack.DecodeOptions{{}, {UniqueKeys: true}} {
				theirs, ours := target(), target()
				errA, errB := v5.Unmarshal(data, theirs), o.Unmarshal(data, ours)
				if text(errA) != text(errB) || !reflect.DeepEqual(theirs, ours) {
					a, _ := v5.Marshal(theirs)
					b, _ := v5.Marshal(ours)
					t.Errorf("%s, %v: theirs %x %v, ours %x %v", name, m, a, errA, b, errB)
				}
			}
		}
	}
	for _, list := range [][]any{{nil, nil, nil, nil}, {nil, "s", nil, 1}, {1, nil, []byte("t"), nil}, {}, nil} {
		data, err := v5.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		var theirs, ours holdsTuple
		errA, errB := v5.Unmarshal(data, &theirs), msgpack.Unmarshal(data, &ours)
		if text(errA) != text(errB) || !reflect.DeepEqual(theirs, ours) {
			t.Errorf("%v: theirs %+v %v, ours %+v %v", list, theirs, errA, ours, errB)
		}
	}
}
