package json

import (
	"errors"
	"io"
	"strings"
	"testing"
)

// With GOEXPERIMENT=jsonv2, values of leftType, leftKeys, hidden and itself are encoded by
// encoding/json as a whole.
type (
	textKey  string
	leftType struct {
		S string `json:",string"`
		A any
	}
	leftKeys struct {
		M map[textKey]int
		A []any
	}
	selfPointer *selfPointer
	hidden      struct {
		S string `json:",string"`
		A any    `json:"-"`
		a any
	}
	itself struct {
		S string `json:",string"`
		A *ownJSON
	}
	ownJSON struct{ A any }
)

func (textKey) MarshalText() ([]byte, error)  { return []byte("k"), nil }
func (*ownJSON) MarshalJSON() ([]byte, error) { return []byte("1"), nil }

// Encoding pointers that lead back to themselves is an error, also within types for which
// encoding/json may be called. With GOEXPERIMENT=jsonv2, encoding/json would overflow its stack
// there, which ends the process.
func TestMarshalCircle(t *testing.T) {
	var circle any
	circle = &circle
	var named selfPointer
	named = &named
	long := make([]any, 5000)
	long[4999] = circle
	for name, v := range map[string]any{
		"bare":                  circle,
		"type of its own":       named,
		"in a type that is new": leftType{"s", circle},
		"by pointer":            &leftType{"s", &circle},
		"after a map":           leftKeys{map[textKey]int{"a": 1}, []any{1, map[string]any{"a": circle}}},
		"after a type":          []any{leftType{"s", 1}, circle},
		"far away":              []any{leftType{"s", 1}, long},
		"before a bad value":    []any{leftType{}, circle, make(chan int)},
	} {
		for entry, marshal := range map[string]func(any) error{
			"Marshal":      func(v any) error { _, err := Marshal(v); return err },
			"MarshalOf":    func(v any) error { _, err := MarshalOf(v); return err },
			"MarshalOf[T]": func(v any) error { x, _ := v.(leftType); x.A = circle; x.S = "s"; _, err := MarshalOf(x); return err },
			"Append":       func(v any) error { _, err := Append(nil, v, EscapeHTML|SortMapKeys); return err },
			"Encoder":      func(v any) error { return NewEncoder(io.Discard).Encode(v) },
		} {
			err := marshal(v)
			var unsupported *UnsupportedValueError
			if !errors.As(err, &unsupported) || !strings.HasPrefix(unsupported.Str, cycleText) {
				t.Errorf("%s, %s: %v", name, entry, err)
			}
		}
	}
}

// Circles that the encoder does not reach are not an error, and neither are values that occur many
// times.
func TestMarshalNoCircle(t *testing.T) {
	var circle any
	circle = &circle
	shared := []any{1, 2}
	for range 40 {
		shared = []any{shared, shared}[:1]
	}
	for _, v := range []any{
		hidden{"s", circle, circle},
		itself{"s", &ownJSON{circle}},
		leftType{"s", &ownJSON{circle}},
		leftType{"s", shared},
		leftType{"s", map[string]any{"a": &shared, "b": &shared}},
	} {
		if _, err := Marshal(v); err != nil {
			t.Errorf("%T: %v", v, err)
		}
	}
	many := []any{1}
	for range 60 { // 2^60 values, if each occurrence were checked
		many = []any{many, many}
	}
	if err := circleIn(many); err != nil {
		t.Error(err)
	}
}
