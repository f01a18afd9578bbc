package json

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/tinylib/msgp/msgp"
	v5 "github.com/vmihailenco/msgpack/v5"

	"github.com/slipstream-go/slipstream/bench/harness"
	"github.com/slipstream-go/slipstream/bench/json/corpus"
)

const (
	noteToJSON = "Every library writes into a reused buffer and does not escape HTML. Slipstream and msgp convert the input " +
		"directly to JSON. For each of the other libraries, v5 decodes the input into a value of type `any`, and the library " +
		"encodes this value."
	noteFromJSON = "Every library writes into a reused buffer. Slipstream converts the input directly to MessagePack. Each of " +
		"the other libraries decodes the input into a value of type `any`, and v5 encodes this value. The other libraries turn " +
		"all numbers into floats, whereas Slipstream keeps integers as integers."
)

func transcodeCases() []harness.Case {
	var to, from []harness.Case
	add := func(name string, text, packed func() ([]byte, error)) {
		sides := func(input func() ([]byte, error), sides func([]byte) ([]harness.Side, error)) func() ([]harness.Side, error) {
			return func() ([]harness.Side, error) {
				data, err := input()
				if err != nil {
					return nil, err
				}
				return sides(data)
			}
		}
		to = append(to, harness.Case{Group: "MessagePack to JSON", Name: name, Note: noteToJSON, Bars: noneFaster(), Sides: sides(packed, toJSONSides)})
		from = append(from, harness.Case{Group: "JSON to MessagePack", Name: name, Note: noteFromJSON, Bars: noneFaster(), Sides: sides(text, fromJSONSides)})
	}
	file := func(name string) func() ([]byte, error) { return func() ([]byte, error) { return corpus.Read(name) } }
	line := func() ([]byte, error) { return json.Marshal(sampleValue()) }
	add("twitter 632 KB", file(corpus.Twitter), packed[twitter](file(corpus.Twitter)))
	add("golang 1.9 MB", file(corpus.Golang), packed[golang](file(corpus.Golang)))
	add("medium 2.3 KB", file(corpus.Medium), packed[medium](file(corpus.Medium)))
	add("arrays 200 B", line, packed[sample](line))
	return append(to, from...)
}

// packed returns a function that converts a text to MessagePack through a T. If T has an integer
// field, the number is encoded as an integer.
func packed[T any](text func() ([]byte, error)) func() ([]byte, error) {
	return func() ([]byte, error) {
		data, err := text()
		if err != nil {
			return nil, err
		}
		v, err := decoded[T](data)
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		enc := v5.NewEncoder(&b)
		enc.SetCustomStructTag("json")
		enc.UseCompactInts(true)
		err = enc.Encode(v)
		return b.Bytes(), err
	}
}

// toJSONSides returns sides whose output must have the values that v5 decodes from data and
// encoding/json encodes.
func toJSONSides(data []byte) ([]harness.Side, error) {
	want, err := unpacked(data)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	sides := []harness.Side{
		transcodeSide(ours(), oursToJSON(data), decoded[any], want),
		transcodeSide(library{name: msgpName}, func() ([]byte, error) {
			b.Reset()
			_, err := msgp.UnmarshalAsJSON(&b, data)
			return b.Bytes(), err
		}, decoded[any], want),
	}
	for _, l := range exact()[1:] {
		var b bytes.Buffer
		enc := l.encoder(&b)
		enc.SetEscapeHTML(false)
		sides = append(sides, transcodeSide(l, func() ([]byte, error) {
			var v any
			if err := v5.Unmarshal(data, &v); err != nil {
				return nil, err
			}
			b.Reset()
			err := enc.Encode(v)
			return b.Bytes(), err
		}, decoded[any], want))
	}
	return sides, nil
}

// fromJSONSides returns sides whose output must have the values that encoding/json decodes from
// text.
func fromJSONSides(text []byte) ([]harness.Side, error) {
	want, err := decoded[any](text)
	if err != nil {
		return nil, err
	}
	sides := []harness.Side{transcodeSide(ours(), oursFromJSON(text), unpacked, want)}
	for _, l := range exact()[1:] {
		var b bytes.Buffer
		enc := v5.NewEncoder(&b)
		sides = append(sides, transcodeSide(l, func() ([]byte, error) {
			var v any
			if err := l.unmarshal(text, &v); err != nil {
				return nil, err
			}
			b.Reset()
			err := enc.Encode(v)
			return b.Bytes(), err
		}, unpacked, want))
	}
	return sides, nil
}

// transcodeSide returns a side. The output of transcode, decoded by read, must equal want.
func transcodeSide(l library, transcode func() ([]byte, error), read func([]byte) (*any, error), want *any) harness.Side {
	run := func() error {
		_, err := transcode()
		return err
	}
	check := func() error {
		out, err := transcode()
		if err != nil {
			return err
		}
		got, err := read(out)
		if err != nil {
			return fmt.Errorf("the output cannot be read: %w", err)
		}
		return same(got, want)
	}
	return l.side(run, check)
}

// unpacked decodes MessagePack with v5, and passes the value through encoding/json. So all numbers
// are floats, as in values decoded from JSON.
func unpacked(data []byte) (*any, error) {
	var v any
	if err := v5.Unmarshal(data, &v); err != nil {
		return nil, err
	}
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return decoded[any](text)
}
