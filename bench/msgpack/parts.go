package msgpack

import (
	"bytes"
	"errors"
	"slices"

	"github.com/tinylib/msgp/msgp"
	ugorji "github.com/ugorji/go/codec"
	v5 "github.com/vmihailenco/msgpack/v5"

	"github.com/slipstream-go/slipstream/bench/harness"
)

func partCases() []harness.Case {
	return []harness.Case{
		{
			Group: partsGroup, Name: "custom decoder, 500 points", Note: noteCustom,
			Bars: typedUnmarshalBars(), Sides: customDecodeSides,
		},
		{
			Group: partsGroup, Name: "custom encoder, 500 points", Note: noteCustom,
			Bars: typedMarshalBars(), Sides: customEncodeSides,
		},
		{
			Group: partsGroup, Name: "RawMessage, unmarshal", Note: noteRaw,
			Bars: typedUnmarshalBars(), Sides: rawDecodeSides,
		},
		{
			Group: partsGroup, Name: "RawMessage, marshal", Note: noteRaw,
			Bars: typedMarshalBars(), Sides: rawEncodeSides,
		},
		{
			Group: partsGroup, Name: "Skip 500 rows", Note: noteSkip, Bars: skipBars(),
			Sides: func() ([]harness.Side, error) { return skipSides(rowsValue()) },
		},
		{
			Group: partsGroup, Name: "Skip twitter", Note: noteSkip, Bars: skipBars(),
			Sides: func() ([]harness.Side, error) {
				v, err := corpus("twitter_status")
				if err != nil {
					return nil, err
				}
				return skipSides(v)
			},
		},
	}
}

const (
	partsGroup = "Custom encoders, RawMessage and Skip"
	noteCustom = "Each point is an array of two floats. The method EncodeMsgpack writes a point, and the method DecodeMsgpack " +
		"reads it. With its directive `tuple`, msgp generates code for the same encoding."
	noteRaw  = "The value contains an id and a RawMessage, which contains the encoded form of the small struct."
	noteSkip = "Every library skips the value without decoding it."

	decodingToAny = "decoding"
)

func skipBars() []harness.Bar {
	return []harness.Bar{harness.Faster(harness.Ours+" "+decodingToAny, 20), harness.Faster(msgpName, 1.2)}
}

// v5Point has a custom encoder of v5 that writes a point.
type v5Point point

func (p *v5Point) EncodeMsgpack(enc *v5.Encoder) error {
	if err := enc.EncodeArrayLen(2); err != nil {
		return err
	}
	if err := enc.EncodeFloat64(p.X); err != nil {
		return err
	}
	return enc.EncodeFloat64(p.Y)
}

func (p *v5Point) DecodeMsgpack(dec *v5.Decoder) (err error) {
	if _, err = dec.DecodeArrayLen(); err != nil {
		return err
	}
	if p.X, err = dec.DecodeFloat64(); err != nil {
		return err
	}
	p.Y, err = dec.DecodeFloat64()
	return err
}

// pointsAs copies points to another type of the same structure.
func pointsAs[P v5Point | oursPoint](list points) []P {
	as := make([]P, len(list))
	for i, p := range list {
		as[i] = P(p)
	}
	return as
}

func customDecodeSides() ([]harness.Side, error) {
	want := pointsValue()
	data, err := v5.Marshal(pointsAs[v5Point](want))
	return slices.Concat(
		unmarshalSides([]library{ours()}, data, pointsAs[oursPoint](want), fresh),
		unmarshalSides([]library{msgpLibrary()}, data, want, fresh),
		unmarshalSides([]library{v5Library()}, data, pointsAs[v5Point](want), fresh),
	), err
}

func customEncodeSides() ([]harness.Side, error) {
	list := pointsValue()
	byOurs, byV5 := pointsAs[oursPoint](list), pointsAs[v5Point](list)
	return readAs(byV5, slices.Concat(
		marshalSides([]library{ours()}, &byOurs),
		marshalSides([]library{msgpLibrary()}, &list),
		marshalSides([]library{v5Library()}, &byV5),
	)), nil
}

// envelope is like rawEnvelope, with the raw type of a library that uses reflection.
type envelope[R ~[]byte] struct {
	ID   int64 `msgpack:"id" codec:"id"`
	Body R     `msgpack:"body" codec:"body"`
}

// rawValue returns the encoding of an envelope, and the body in it.
func rawValue() (data, body []byte, err error) {
	if body, err = encoded(smallValue()); err != nil {
		return nil, nil, err
	}
	data, err = encoded(envelope[v5.RawMessage]{7, body})
	return data, body, err
}

func rawDecodeSides() ([]harness.Side, error) {
	data, body, err := rawValue()
	return slices.Concat(
		unmarshalSides([]library{ours()}, data, envelope[oursRaw]{7, body}, fresh),
		unmarshalSides([]library{msgpLibrary()}, data, rawEnvelope{7, body}, fresh),
		unmarshalSides([]library{v5Library()}, data, envelope[v5.RawMessage]{7, body}, fresh),
		unmarshalSides([]library{ugorjiLibrary()}, data, envelope[ugorji.Raw]{7, body}, fresh),
	), err
}

func rawEncodeSides() ([]harness.Side, error) {
	_, body, err := rawValue()
	want := envelope[v5.RawMessage]{7, body}
	return readAs(want, slices.Concat(
		marshalSides([]library{ours()}, &envelope[oursRaw]{7, body}),
		marshalSides([]library{msgpLibrary()}, &rawEnvelope{7, body}),
		marshalSides([]library{v5Library()}, &want),
		marshalSides([]library{ugorjiLibrary()}, &envelope[ugorji.Raw]{7, body}),
	)), err
}

// skipSides returns sides that skip v, and one that decodes v for comparison. The check also skips
// v without its last byte, which must be an error.
func skipSides(v any) ([]harness.Side, error) {
	data, want, err := tree(v)
	if err != nil {
		return nil, err
	}
	dec := v5.NewDecoder(nil)
	reader := bytes.NewReader(data)
	mine := oursSkip()
	decoding := unmarshalSides([]library{ours()}, data, want, fresh)[0]
	decoding.How, decoding.Mark = decodingToAny, "This variant decodes the value instead of skipping it, to show how much time "+
		"Skip saves."
	skip := func(rival string, run func(data []byte) error) harness.Side {
		return harness.Side{
			Rival: rival,
			Run:   func() error { return run(data) },
			Check: func() error { return skipsWhole(run, data) },
		}
	}
	return []harness.Side{
		skip("", mine),
		skip(msgpName, func(data []byte) error {
			_, err := msgp.Skip(data)
			return err
		}),
		skip(v5Name, func(data []byte) error {
			reader.Reset(data)
			dec.Reset(reader)
			return dec.Skip()
		}),
		decoding,
	}, nil
}

func skipsWhole(skip func(data []byte) error, data []byte) error {
	if err := skip(data); err != nil {
		return err
	}
	if err := skip(data[:len(data)-1]); err == nil {
		return errors.New("it did not notice that the last byte is missing")
	}
	return nil
}
