package msgpack

import (
	"fmt"
	"reflect"

	v5 "github.com/vmihailenco/msgpack/v5"

	"github.com/slipstream-go/slipstream/bench/harness"
)

// target is the initial state of the target of a decode.
type target bool

const (
	fresh  target = false // a zero value; the decoded value is released at once, so that the live heap stays small
	reused target = true  // the value of the previous decode, whose memory may be reused
)

// unmarshalSides returns sides that decode data into a T. The result must equal want.
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
			for range 2 { // the second decode finds a used target
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

// sink keeps the compiler from omitting work.
var sink []byte

// marshalSides returns sides that encode *v, or the value in *v if T is any. The check decodes the
// output with v5.
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

// readAs replaces the checks of marshalling sides. Some libraries need another type of input, but
// v5 must decode their output to want.
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

// decodesTo checks that v5 decodes data to want.
func decodesTo[T any](data []byte, want T) error {
	var got T
	if err := v5.Unmarshal(data, &got); err != nil {
		return fmt.Errorf("v5 cannot read the output: %w", err)
	}
	return same(got, want)
}

// same compares two values. In untyped values, it ignores the width of integers and the key type of
// maps, because the libraries differ in these.
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

// normal converts every integer in an untyped value to int64, and every map with string keys to
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

// excerpt returns the beginning of a value as text.
func excerpt(v any) string {
	s := fmt.Sprintf("%#v", v)
	if len(s) > 300 {
		s = s[:300] + " …"
	}
	return s
}
