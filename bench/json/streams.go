package json

import (
	"bufio"
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
	noteNew      = "Every operation creates a new Decoder, and decodes all values with this Decoder."
	noteLines    = "Slipstream uses json.Lines, which limits the length of a line and continues after an invalid line. Each of " +
		"the other libraries has two columns: one for bufio.Scanner with Unmarshal, and one for a Decoder."
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
			Group: "NDJSON", Name: "1,000 lines of 200 B", Bars: noneFaster(), Note: noteLines,
			Sides: func() ([]harness.Side, error) {
				lines, err := sampleLines()
				if err != nil {
					return nil, err
				}
				return lineSides(lines)
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

// sampleValues returns values similar to sampleValue, with different numbers. They are the same in
// every run.
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

// sampleLines returns the values as JSON, one value a line.
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

// sequence passes each decoded value to each, always in the same variable. each may be nil.
type sequence[T any] func(each func(*T) error) error

// decodeAll decodes all values of the decoder.
func decodeAll[T any](d decoder, into *T, each func(*T) error) error {
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
		if err := each(into); err != nil {
			return err
		}
	}
}

// scanAll decodes all lines.
func scanAll[T any](l library, text []byte, into *T, each func(*T) error) error {
	var zero T
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		*into = zero
		if err := l.unmarshal(lines.Bytes(), into); err != nil {
			return err
		}
		if each == nil {
			continue
		}
		if err := each(into); err != nil {
			return err
		}
	}
	return lines.Err()
}

// decoderSides returns sides that decode all values of data.
func decoderSides[T any](data []byte) ([]harness.Side, error) {
	want, err := decodedAll[T](data)
	if err != nil {
		return nil, err
	}
	var sides []harness.Side
	for _, l := range exact() {
		into := new(T)
		sides = append(sides, sequenceSide(l, want, func(each func(*T) error) error {
			return decodeAll(l.decoder(bytes.NewReader(data)), into, each)
		}))
	}
	return sides, nil
}

// lineSides returns sides that decode all lines.
func lineSides(lines []byte) ([]harness.Side, error) {
	want, err := decodedAll[sample](lines)
	if err != nil {
		return nil, err
	}
	sides := []harness.Side{sequenceSide(ours(), want, func(each func(*sample) error) error { return oursLines(lines, each) })}
	for _, l := range exact()[1:] {
		into := new(sample)
		l.how = "Scanner"
		sides = append(sides, sequenceSide(l, want, func(each func(*sample) error) error { return scanAll(l, lines, into, each) }))
		l.how = "Decoder"
		sides = append(sides, sequenceSide(l, want, func(each func(*sample) error) error {
			return decodeAll(l.decoder(bytes.NewReader(lines)), into, each)
		}))
	}
	return sides, nil
}

// decodedAll returns the values that encoding/json decodes from data.
func decodedAll[T any](data []byte) (all []*T, err error) {
	err = decodeAll(json.NewDecoder(bytes.NewReader(data)), new(T), func(v *T) error {
		one := *v
		all = append(all, &one)
		return nil
	})
	return all, err
}

// sequenceSide returns a side whose values must equal want.
func sequenceSide[T any](l library, want []*T, decode sequence[T]) harness.Side {
	run := func() error { return decode(nil) }
	check := func() error {
		n := 0
		err := decode(func(v *T) error {
			n++
			if n > len(want) {
				return fmt.Errorf("more than %d values", len(want))
			}
			return same(v, want[n-1])
		})
		if err == nil && n < len(want) {
			return fmt.Errorf("%d values, want %d", n, len(want))
		}
		return err
	}
	return l.side(run, check)
}

// encoderSides returns sides that encode values to w. If w is a buffer, it is emptied before each
// run.
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
