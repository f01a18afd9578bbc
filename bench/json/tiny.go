package json

import (
	"encoding/json"
	"slices"

	"github.com/slipstream-go/slipstream/bench/harness"
)

// message is a tiny message with the sides that work on it.
type message struct {
	name string
	text func() ([]byte, error)

	unmarshal, unmarshalAny, marshal func() ([]harness.Side, error)
}

func messages() []message {
	return []message{
		messageOf("flat 64 B", eventValue, json.Marshal),
		messageOf("nested 120 B", orderValue, json.Marshal),
		messageOf("arrays 200 B", sampleValue, json.Marshal),
		messageOf("escapes 100 B", remarkValue, json.Marshal),
		messageOf("indented 150 B", orderValue, func(v any) ([]byte, error) { return json.MarshalIndent(v, "", "  ") }),
	}
}

func messageOf[T any](name string, value func() T, marshal func(any) ([]byte, error)) message {
	text := func() ([]byte, error) { return marshal(value()) }
	return message{
		name: name,
		text: text,
		unmarshal: func() ([]harness.Side, error) {
			data, err := text()
			if err != nil {
				return nil, err
			}
			return unmarshalSides[T](everyone(), data, fresh)
		},
		unmarshalAny: func() ([]harness.Side, error) {
			data, err := text()
			if err != nil {
				return nil, err
			}
			return unmarshalSides[any](untyped(), data, fresh)
		},
		marshal: func() ([]harness.Side, error) {
			v := value()
			return marshalSides(everyone(), &v)
		},
	}
}

func tinyCases() []harness.Case {
	var typed, untyped, marshal []harness.Case
	tiny := func(group, name string, sides func() ([]harness.Side, error)) harness.Case {
		return harness.Case{Group: "Tiny messages: " + group, Name: name, Bars: noneFaster(), Means: []string{meanTiny}, Sides: sides}
	}
	for _, m := range messages() {
		typed = append(typed, tiny("Unmarshal, typed", m.name, m.unmarshal))
		untyped = append(untyped, tiny("Unmarshal into any", m.name, m.unmarshalAny))
		if m.name != "indented 150 B" { // Marshal does not indent
			marshal = append(marshal, tiny("Marshal, typed", m.name, m.marshal))
		}
	}
	return slices.Concat(typed, untyped, marshal)
}
