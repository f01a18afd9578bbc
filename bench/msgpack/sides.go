package msgpack

import (
	"fmt"
	"reflect"

	v5 "github.com/vmihailenco/msgpack/v5"

	"github.com/slipstream-go/slipstream/bench/harness"
)

// target says what a decode is given.
type target bool

const (
	fresh  target = false // a zero value; what was decoded is let go at once, so that the live heap stays small
	reused target = true  // the value of the last decode, whose memory may be used again
)

// unmarshalSides decodes data into a T and expects want.
func unmarshalSides[T any](libraries []library, data []byte, want T, kind target) []harness.Side {
	var sides []harness.Side
	for _, l := range libraries {
		into, zero := new(T), *new(T)
		decode := l.decoder(into)
		run := func() error {
			err := decode(data)
			if kind == fresh {
				*into = zero
			}
			return err
		}
		check := func() error {
			for range 2 { // the second decode finds a reused target used
				if err := decode(data); err != nil {
					return err
				}
				if err := same(*into, want); err != nil {
					return err
				}
				if kind == fresh {
					*into = zero
				}
			}
			return nil
		}
		sides = append(sides, harness.Side{Rival: l.name, How: l.how, Mark: l.mark, Run: run, Check: check})
	}
	return sides
}

// sink keeps the compiler from leaving work out.
var sink []byte

// marshalSides encodes *v, or the value in it when T is any. The output is checked by decoding it
// with v5.
func marshalSides[T any](libraries []library, v *T) []harness.Side {
	var sides []harness.Side
	for _, l := range libraries {
		arg := any(v)
		if tree, ok := arg.(*any); ok {
			arg = *tree
		}
		encode := l.encoder(arg)
		run := func() (err error) {
			sink, err = encode()
			return err
		}
		check := func() error {
			if err := run(); err != nil {
				return err
			}
			return decodesTo(sink, *v)
		}
		sides = append(sides, harness.Side{Rival: l.name, How: l.how, Mark: l.mark, Run: run, Check: check})
	}
	return sides
}

// readAs replaces the checks of marshalling sides: whatever type a library needs for its input, v5
// reads its output as want.
func readAs[T any](want T, sides []harness.Side) []harness.Side {
	for i, s := range sides {
		sides[i].Check = func() error {
			if err := s.Run(); err != nil {
				return err
			}
			return decodesTo(sink, want)
		}
	}
	return sides
}

// decodesTo checks that v5 reads data as want.
func decodesTo[T any](data []byte, want T) error {
	var got T
	if err := v5.Unmarshal(data, &got); err != nil {
		return fmt.Errorf("v5 cannot read the output: %w", err)
	}
	return same(got, want)
}

// same compares two values. In untyped ones the width of integers and the key type of maps do not
// count, on which the libraries differ.
func same[T any](got, want T) error {
	g, w := any(got), any(want)
	if reflect.TypeFor[T]().Kind() == reflect.Interface {
		g, w = normal(g), normal(w)
	}
	if !reflect.DeepEqual(g, w) {
		return fmt.Errorf("decoded %s\nwant %s", excerpt(g), excerpt(w))
	}
	return nil
}

// normal widens every integer of an untyped value to int64, and makes every map with string keys a
// map[string]any.
func normal(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := make(map[string]any, len(v))
		for key, value := range v {
			m[key] = normal(value)
		}
		return m
	case map[any]any:
		m := make(map[string]any, len(v))
		for key, value := range v {
			name, ok := key.(string)
			if !ok {
				return v
			}
			m[name] = normal(value)
		}
		return m
	case []any:
		s := make([]any, len(v))
		for i, value := range v {
			s[i] = normal(value)
		}
		return s
	}
	switch r := reflect.ValueOf(v); {
	case r.CanInt():
		return r.Int()
	case r.CanUint() && r.Uint() <= 1<<63-1:
		return int64(r.Uint())
	}
	return v
}

// excerpt prints the beginning of a value.
func excerpt(v any) string {
	s := fmt.Sprintf("%#v", v)
	if len(s) > 300 {
		s = s[:300] + " …"
	}
	return s
}
