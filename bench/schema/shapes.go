package schema

import (
	"context"

	"github.com/slipstream-go/slipstream/bench/harness"
)

// The names of the tables. Each table has a row for each shape.
const (
	reuseGroup   = "Encode into a reused buffer"
	marshalGroup = "Encode"
	freshGroup   = "Decode"
	reusedGroup  = "Decode into a reused target"
	sizeGroup    = "Bytes of a message"
)

const (
	noteReuse = "encoding/json and v5 reuse an encoder and its bytes.Buffer, and slipstream parco reuses a bytes.Buffer. The " +
		"other libraries append to a slice."
	noteFresh = "All operations decode into the same variable, which is set to zero between operations. So the allocation of " +
		"this variable is not counted for any library."
)

func shapeCases() []harness.Case {
	shapes := [][]harness.Case{
		recordShape("small", smallRecord, false, 91, 9).cases(),
		recordShape("medium", mediumRecord, false, 742, 9).cases(),
		recordShape("large", largeRecord, true, 8123, 6).cases(),
		shape[batch]{name: "1000 structs", value: batchValue, size: 27_886, ours: oursBatch(), floor: batchFloor(), msgp: msgpCodec[batch]()}.cases(),
		shape[options]{
			name: "20 options, 10 of them set", value: optionsValue, size: 123, ours: oursOptions(), floor: optionsFloor(), msgp: msgpCodec[options](),
		}.cases(),
		shape[tiny]{name: "two fields", value: tinyValue, size: 5, ours: oursTiny(), floor: tinyFloor(), msgp: msgpCodec[tiny]()}.cases(),
		shape[nest]{name: "eight nested structs", value: nestValue, size: 92, ours: oursNest(), floor: nestFloor()}.cases(),
	}
	var cases []harness.Case
	for table := range shapes[0] {
		for _, rows := range shapes {
			cases = append(cases, rows[table])
		}
	}
	return cases
}

// shape is a row in each table.
type shape[T any] struct {
	name        string
	value       func() T
	size        int // of Slipstream's encoding
	ours, floor codec[T]
	msgp        codec[T]                   // missing for a generic type
	sorted      func(v *T) ([]byte, error) // returns Slipstream's encoding, the same in every run; nil if the floor does so
	parco       library[T]                 // package parco of this project, or empty
	timesV5     float64                    // bar: encoding into a kept buffer must be this many times faster than v5, and decoding into a reused target 6 times; 0 means no bars
}

// recordShape returns a shape of the table with which Parco was announced.
func recordShape(name string, value func() record, wide bool, size int, timesV5 float64) shape[record] {
	return shape[record]{name, value, size, oursRecord(wide), recordFloor(wide), msgpCodec[record](), sortedRecord(wide), parcoRecord(wide), timesV5}
}

func (s shape[T]) libraries() []library[T] {
	bare := format[T]{input: s.sorted, read: s.floor.parse}
	if s.sorted == nil {
		bare.input = func(v *T) ([]byte, error) { return s.floor.append(nil, v) }
	}
	list := []library[T]{s.ours.library("", "", "", bare)}
	if s.parco.marshal != nil {
		s.parco.format = bare
		list = append(list, s.parco)
	}
	list = append(list, described(s.msgp)...)
	return append(list, s.floor.library(floorName, "", markFloor, bare))
}

func (s shape[T]) cases() []harness.Case {
	encode, decode := []harness.Bar{harness.Allocs(0)}, []harness.Bar(nil)
	if s.timesV5 > 0 {
		encode, decode = append(encode, harness.Faster(v5Name, s.timesV5)), append(decode, harness.Faster(v5Name, 6))
	}
	return []harness.Case{
		s.timed(reuseGroup, noteReuse, func(l library[T], v *T) (harness.Side, error) { return l.encoding(v, l.reuse), nil }, encode...),
		s.timed(marshalGroup, "", func(l library[T], v *T) (harness.Side, error) { return l.encoding(v, l.marshal), nil }),
		s.timed(freshGroup, noteFresh, func(l library[T], v *T) (harness.Side, error) { return l.decoding(v, fresh) }),
		s.timed(reusedGroup, "", func(l library[T], v *T) (harness.Side, error) { return l.decoding(v, reused) }, decode...),
		{
			Group: sizeGroup, Name: s.name,
			Observe: func(context.Context, harness.Options) ([]harness.Figure, error) { return s.sizes() },
		},
	}
}

func (s shape[T]) timed(group, note string, side func(l library[T], v *T) (harness.Side, error), bars ...harness.Bar) harness.Case {
	return harness.Case{
		Group: group, Name: s.name, Note: note, Bars: append(bars, harness.Faster(harness.BestRival, 1)),
		Sides: func() (sides []harness.Side, err error) {
			v := s.value()
			for _, l := range s.libraries() {
				one, err := side(l, &v)
				if err != nil {
					return nil, err
				}
				sides = append(sides, one)
			}
			return sides, nil
		},
	}
}

// sizes returns a figure for each library, with a bar for ours.
func (s shape[T]) sizes() ([]harness.Figure, error) {
	v := s.value()
	var figures []harness.Figure
	for _, l := range s.libraries() {
		b, err := l.marshal(&v)
		if err != nil {
			return nil, err
		}
		figures = append(figures, l.size(float64(len(b))))
	}
	figures[0].Bar = harness.Exactly(float64(s.size))
	return figures, nil
}

// size returns a figure for a number of bytes.
func (l library[T]) size(bytes float64) harness.Figure {
	return harness.Figure{Name: l.side(nil, nil).Label(), Rival: l.name, Value: bytes, Unit: "B", Chart: true}
}
