package json

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/slipstream-go/slipstream/bench/harness"
)

// target is the initial state of the target of a decode.
type target bool

const (
	fresh  target = false // a zero value; the decoded value is released at once, so that the live heap stays small
	reused target = true  // the value of the previous decode, whose memory may be reused
)

// unmarshalSides returns sides that decode data into a T. The result must equal the result of
// encoding/json.
func unmarshalSides[T any](libraries []library, data []byte, kind target) ([]harness.Side, error) {
	want, err := decoded[T](data)
	if err != nil {
		return nil, err
	}
	var sides []harness.Side
	for _, l := range libraries {
		into, zero := new(T), *new(T)
		run := func() error {
			err := l.unmarshal(data, into)
			if kind == fresh {
				*into = zero
			}
			return err
		}
		check := func() error {
			for range 2 { // the second decode finds a used target
				if err := l.unmarshal(data, into); err != nil {
					return err
				}
				if err := same(into, want); err != nil {
					return err
				}
				if kind == fresh {
					*into = zero
					break
				}
			}
			return nil
		}
		sides = append(sides, l.side(run, check))
	}
	return sides, nil
}

// sink holds the output, so that only one output at a time is live.
var sink []byte

// marshalSides returns sides that encode *v, or the value in *v if T is any. The output must equal
// the output of encoding/json.
func marshalSides[T any](libraries []library, v *T) ([]harness.Side, error) {
	arg := any(v)
	if tree, ok := arg.(*any); ok {
		arg = *tree
	}
	want, err := json.Marshal(arg)
	if err != nil {
		return nil, err
	}
	var sides []harness.Side
	for _, l := range libraries {
		run := func() (err error) {
			sink, err = l.marshal(arg)
			return err
		}
		check := func() error {
			if err := run(); err != nil {
				return err
			}
			return l.wrote(sink, want)
		}
		sides = append(sides, l.side(run, check))
	}
	return sides, nil
}

func (l library) side(run, check func() error) harness.Side {
	return harness.Side{Rival: l.name, How: l.how, Mark: l.mark, Run: run, Check: check}
}

// wrote compares a library's output with the output of encoding/json.
func (l library) wrote(got, want []byte) error {
	if !l.lax || bytes.Equal(got, want) {
		return sameBytes(got, want)
	}
	g, err := decoded[any](got)
	if err != nil {
		return fmt.Errorf("encoding/json cannot read the output: %w", err)
	}
	w, err := decoded[any](want)
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(essence(*g), essence(*w)) {
		return sameBytes(got, want)
	}
	return nil
}

// decoded returns the value that encoding/json decodes from data.
func decoded[T any](data []byte) (*T, error) {
	v := new(T)
	return v, json.Unmarshal(data, v)
}

// essence returns an untyped value without its empty members: null, false, 0, "", [] and {}.
// Libraries differ in which of these they omit.
func essence(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := map[string]any{}
		for name, value := range v {
			if value = essence(value); value != nil {
				m[name] = value
			}
		}
		if len(m) > 0 {
			return m
		}
		return nil
	case []any:
		if len(v) == 0 {
			return nil
		}
		s := make([]any, len(v))
		for i, value := range v {
			s[i] = essence(value)
		}
		return s
	}
	if v == nil || reflect.ValueOf(v).IsZero() {
		return nil
	}
	return v
}

// same compares a decoded value with the value that encoding/json decodes.
func same[T any](got, want *T) error {
	if reflect.DeepEqual(got, want) {
		return nil
	}
	g, err := json.Marshal(got)
	if err != nil {
		return fmt.Errorf("the decoded value cannot be written: %w", err)
	}
	w, err := json.Marshal(want)
	if err != nil {
		return err
	}
	if err := sameBytes(g, w); err != nil {
		return fmt.Errorf("of the decoded value: %w", err)
	}
	return fmt.Errorf("the decoded value is not what encoding/json decodes, though both are written alike: %s", excerpt(g, 0))
}

// sameBytes returns an error that describes where two texts begin to differ.
func sameBytes(got, want []byte) error {
	if bytes.Equal(got, want) {
		return nil
	}
	i := 0
	for i < min(len(got), len(want)) && got[i] == want[i] {
		i++
	}
	return fmt.Errorf("byte %d: got %s\nwant %s", i, excerpt(got, i), excerpt(want, i))
}

// excerpt returns the text around an index.
func excerpt(text []byte, i int) string {
	return fmt.Sprintf("%q", text[max(0, i-40):min(len(text), i+80)])
}
