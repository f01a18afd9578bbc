package json

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"

	"github.com/slipstream-go/slipstream/bench/harness"
	"github.com/slipstream-go/slipstream/bench/json/corpus"
)

const (
	streamGroup  = "Streams"
	streamValues = 1000
	noteNew      = "a new Decoder for each run of values."
)

func streamCases() []harness.Case {
	return []harness.Case{
		{
			Group: streamGroup, Name: "Decoder, 1,000 lines of 200 B", Bars: noneFaster(), Note: noteNew,
			Sides: func() ([]harness.Side, error) {
				lines, err := sampleLines()
				if err != nil {
					return nil, err
				}
				return decoderSides[sample](lines)
			},
		},
		{
			Group: streamGroup, Name: "Decoder, 100 × medium", Bars: noneFaster(), Note: noteNew,
			Sides: func() ([]harness.Side, error) {
				data, err := corpus.Read(corpus.Medium)
				if err != nil {
					return nil, err
				}
				return decoderSides[medium](bytes.Repeat(data, 100))
			},
		},
		{
			Group: streamGroup, Name: "Encoder on bytes.Buffer, 1,000 of 200 B", Bars: noneFaster(),
			Sides: func() ([]harness.Side, error) { return encoderSides(new(bytes.Buffer)) },
		},
		{
			Group: streamGroup, Name: "Encoder on io.Discard, 1,000 of 200 B", Bars: noneFaster(),
			Sides: func() ([]harness.Side, error) { return encoderSides(io.Discard) },
		},
	}
}

// sampleValues are much like sampleValue, each with its own numbers, the same in every run.
func sampleValues() []sample {
	r := rand.New(rand.NewPCG(1, 0x9e3779b97f4a7c15))
	list := make([]sample, streamValues)
	for i := range list {
		s := sampleValue()
		s.Host = fmt.Sprintf("host-%04d.internal", r.IntN(1000))
		s.Seq += int64(i)
		for j := range s.Values {
			s.Values[j] = float64(r.IntN(10_000)) / 100
		}
		s.Message = fmt.Sprintf("connection %d accepted, %d are open", r.IntN(1_000_000), r.IntN(1000))
		list[i] = s
	}
	return list
}

// sampleLines are the values, a line each.
func sampleLines() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	for _, s := range sampleValues() {
		if err := enc.Encode(&s); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// decodeAll hands on each value that the decoder finds, in the same variable.
func decodeAll[T any](d decoder, into *T, each func() error) error {
	var zero T
	for {
		*into = zero
		if err := d.Decode(into); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if each == nil {
			continue
		}
		if err := each(); err != nil {
			return err
		}
	}
}

// decoderSides decodes all values of data, and expects those that encoding/json finds.
func decoderSides[T any](data []byte) ([]harness.Side, error) {
	var want []*T
	v := new(T)
	err := decodeAll(json.NewDecoder(bytes.NewReader(data)), v, func() error {
		one := *v
		want = append(want, &one)
		return nil
	})
	if err != nil {
		return nil, err
	}
	var sides []harness.Side
	for _, l := range exact() {
		into := new(T)
		run := func() error { return decodeAll(l.decoder(bytes.NewReader(data)), into, nil) }
		check := func() error {
			n := 0
			err := decodeAll(l.decoder(bytes.NewReader(data)), into, func() error {
				n++
				if n > len(want) {
					return fmt.Errorf("more than %d values", len(want))
				}
				return same(into, want[n-1])
			})
			if err == nil && n < len(want) {
				return fmt.Errorf("%d values, want %d", n, len(want))
			}
			return err
		}
		sides = append(sides, l.side(run, check))
	}
	return sides, nil
}

// encoderSides encodes values to w, which is emptied before each run if it is a buffer.
func encoderSides(w io.Writer) ([]harness.Side, error) {
	values := sampleValues()
	want, err := sampleLines()
	if err != nil {
		return nil, err
	}
	encode := func(enc encoder) error {
		for i := range values {
			if err := enc.Encode(&values[i]); err != nil {
				return err
			}
		}
		return nil
	}
	var sides []harness.Side
	for _, l := range exact() {
		run := func() error {
			if b, ok := w.(*bytes.Buffer); ok {
				b.Reset()
			}
			return encode(l.encoder(w))
		}
		check := func() error {
			var b bytes.Buffer
			if err := encode(l.encoder(&b)); err != nil {
				return err
			}
			return sameBytes(b.Bytes(), want)
		}
		sides = append(sides, l.side(run, check))
	}
	return sides, nil
}
