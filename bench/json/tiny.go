package json

import (
	"encoding/json"
	"slices"

	goccy "github.com/goccy/go-json"

	"github.com/slipstream-go/slipstream/bench/harness"
)

// message is a tiny message, with the sides of its cases.
type message struct {
	name string
	text func() ([]byte, error)

	unmarshal, unmarshalAny, marshal, unmarshalOf, marshalOf func() ([]harness.Side, error)
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
		unmarshalOf: func() ([]harness.Side, error) {
			data, err := text()
			if err != nil {
				return nil, err
			}
			return unmarshalOfSides[T](data)
		},
		marshalOf: func() ([]harness.Side, error) { return marshalOfSides(value()) },
	}
}

func tinyCases() []harness.Case {
	var typed, untyped, marshal, unmarshalOf, marshalOf []harness.Case
	tiny := func(group, name string, sides func() ([]harness.Side, error)) harness.Case {
		return harness.Case{Group: "Tiny messages: " + group, Name: name, Bars: noneFaster(), Means: []string{meanTiny}, Sides: sides}
	}
	for _, m := range messages() {
		typed = append(typed, tiny("Unmarshal, typed", m.name, m.unmarshal))
		untyped = append(untyped, tiny("Unmarshal into any", m.name, m.unmarshalAny))
		if m.name != "indented 150 B" { // Marshal does not indent
			marshal = append(marshal, tiny("Marshal, typed", m.name, m.marshal))
			unmarshalOf = append(unmarshalOf, valueCase("UnmarshalOf, "+m.name, noteUnmarshalOf, m.unmarshalOf))
			marshalOf = append(marshalOf, valueCase("MarshalOf, "+m.name, noteMarshalOf, m.marshalOf))
		}
	}
	return slices.Concat(typed, untyped, marshal, unmarshalOf, marshalOf)
}

const (
	noteUnmarshalOf = "Every operation decodes into a new variable. Libraries without a function UnmarshalOf get a pointer to the " +
		"variable, so the variable is allocated on the heap."
	noteMarshalOf = "Every operation encodes a struct that is passed by value, not by pointer. Libraries without a function " +
		"MarshalOf get the struct in an interface, so the struct is allocated on the heap."
	markInterface = "This variant uses Slipstream's functions Marshal and Unmarshal instead of MarshalOf and UnmarshalOf."
)

func valueCase(name, note string, sides func() ([]harness.Side, error)) harness.Case {
	return harness.Case{Group: "Tiny messages: values", Name: name, Note: note, Bars: noneFaster(), Sides: sides}
}

// throughInterfaces returns Slipstream with Marshal and Unmarshal, for comparison with MarshalOf
// and UnmarshalOf. It also returns the rivals that lack such functions.
func throughInterfaces() []library {
	l := ours()
	l.how, l.mark = "any", markInterface
	return []library{l, std(), v1on2Library(), segmentioLibrary(), sonicLibrary(), jsoniterLibrary()}
}

func unmarshalOfSides[T any](data []byte) ([]harness.Side, error) {
	want, err := decoded[T](data)
	if err != nil {
		return nil, err
	}
	var sides []harness.Side
	add := func(l library, unmarshal func([]byte) (T, error)) {
		run := func() error {
			_, err := unmarshal(data)
			return err
		}
		check := func() error {
			v, err := unmarshal(data)
			if err != nil {
				return err
			}
			return same(&v, want)
		}
		sides = append(sides, l.side(run, check))
	}
	add(ours(), oursUnmarshalOf[T])
	add(goccyLibrary(), func(data []byte) (v T, err error) {
		err = goccy.UnmarshalOf(data, &v)
		return v, err
	})
	for _, l := range throughInterfaces() {
		add(l, func(data []byte) (v T, err error) {
			err = l.unmarshal(data, &v)
			return v, err
		})
	}
	return sides, nil
}

func marshalOfSides[T any](v T) ([]harness.Side, error) {
	want, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var sides []harness.Side
	add := func(l library, marshal func(T) ([]byte, error)) {
		run := func() (err error) {
			sink, err = marshal(v)
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
	add(ours(), oursMarshalOf[T])
	add(goccyLibrary(), func(v T) ([]byte, error) { return goccy.MarshalOf(v) })
	for _, l := range throughInterfaces() {
		add(l, func(v T) ([]byte, error) { return l.marshal(v) })
	}
	return sides, nil
}
