package msgpack

import (
	"bytes"
	"slices"

	v5 "github.com/vmihailenco/msgpack/v5"

	"github.com/slipstream-go/slipstream/bench/harness"
)

func valueCases() []harness.Case {
	untyped := untypedValues()
	return slices.Concat(freshCases(), reusedCases(), unmarshalAnyCases(untyped), marshalCases(), marshalAnyCases(untyped))
}

func freshCases() []harness.Case {
	cases := []harness.Case{
		freshCase("small struct", smallValue),
		freshCase("500 rows", rowsValue),
		freshCase("500 × 7 columns", tableValue),
		freshCase("[]int64 of 10,000", intsValue),
		freshCase("[]float64 of 10,000", floatsValue),
		freshCase("[]string of 10,000", textsValue),
	}
	// One allocation for the slice, two for the map, and one more.
	cases[0].Bars = append(cases[0].Bars, harness.Allocs(4))
	return cases
}

func freshCase[T any](name string, value func() T) harness.Case {
	return harness.Case{
		Group: "Unmarshal, typed", Name: name, Bars: typedUnmarshalBars(), Means: []string{meanUnmarshal},
		Sides: func() ([]harness.Side, error) {
			want := value()
			data, err := encoded(want)
			return unmarshalSides(append(everyone(), ugorjiZeroCopy()), data, want, fresh), err
		},
	}
}

func reusedCases() []harness.Case {
	return []harness.Case{
		reusedCase("small struct", smallValue, harness.Faster(msgpName, 1.8)),
		reusedCase("500 rows", rowsValue, harness.Faster(msgpName, 2)),
		reusedCase("500 × 7 columns", tableValue, harness.Faster(msgpName, 5)),
		reusedCase("numbers and slices of 100", numbersValue, harness.Faster(msgpName, 1.2), harness.Allocs(0)),
	}
}

const noteReused = "Every operation decodes the same bytes. Slipstream keeps a string of the target if it equals the decoded " +
	"string, so Slipstream allocates nothing in this case. If all strings differ, Slipstream copies each string into a chunk, " +
	"as it does for a fresh target."

func reusedCase[T any](name string, value func() T, bars ...harness.Bar) harness.Case {
	return harness.Case{
		Group: "Unmarshal into a reused target", Name: name + ", reused", Bars: append(bars, harness.Faster(v5Name, 3.3)),
		Note: noteReused,
		Sides: func() ([]harness.Side, error) {
			want := value()
			data, err := encoded(want)
			return unmarshalSides(everyone(), data, want, reused), err
		},
	}
}

const marshalGroup = "Marshal, typed"

func marshalCases() []harness.Case {
	return []harness.Case{
		marshalCase("small struct", smallValue),
		marshalCase("500 rows", rowsValue),
		marshalCase("500 × 7 columns", tableValue),
		marshalCase("[]int64 of 10,000", intsValue),
		marshalCase("[]float64 of 10,000", floatsValue),
		marshalCase("[]string of 10,000", textsValue),
		{
			Group: marshalGroup, Name: "small struct, appended",
			Note: "Slipstream's MarshalAppend writes into a buffer of sufficient capacity. v5 has no such function, and encodes into a " +
				"reused bytes.Buffer.",
			Bars: append(typedMarshalBars(), harness.Allocs(0)), Sides: appendSides,
		},
	}
}

func marshalCase[T any](name string, value func() T) harness.Case {
	return harness.Case{
		Group: marshalGroup, Name: name, Bars: typedMarshalBars(), Means: []string{meanMarshal},
		Sides: func() ([]harness.Side, error) {
			v := value()
			return marshalSides(everyone(), &v), nil
		},
	}
}

func appendSides() ([]harness.Side, error) {
	v := smallValue()
	dst := make([]byte, 0, 1024)
	var buffer bytes.Buffer
	enc := v5.NewEncoder(&buffer)
	side := func(rival string, run func() ([]byte, error)) harness.Side {
		return harness.Side{
			Rival: rival,
			Run: func() (err error) {
				sink, err = run()
				return err
			},
			Check: func() error {
				data, err := run()
				if err != nil {
					return err
				}
				return decodesTo(data, v)
			},
		}
	}
	return []harness.Side{
		side("", func() ([]byte, error) { return oursMarshalAppend(dst[:0], &v) }),
		side(msgpName, func() ([]byte, error) { return v.MarshalMsg(dst[:0]) }),
		side(v5Name, func() ([]byte, error) {
			buffer.Reset()
			err := enc.Encode(&v)
			return buffer.Bytes(), err
		}),
	}, nil
}

// untypedValue is a document for the cases that decode to any and encode from any.
type untypedValue struct {
	name string
	make func() (any, error)
	bar  float64 // of unmarshalling, against msgp
}

func untypedValues() []untypedValue {
	return []untypedValue{
		{"small struct", func() (any, error) { return smallValue(), nil }, 1.2},
		{"500 rows", func() (any, error) { return rowsValue(), nil }, 1.2},
		{"500 × 7 columns", func() (any, error) { return tableValue(), nil }, 1.2},
		{"twitter", func() (any, error) { return corpus("twitter_status") }, 1.2},
		{"citm", func() (any, error) { return corpus("citm_catalog") }, 1.1},
	}
}

func (u untypedValue) tree() ([]byte, any, error) {
	v, err := u.make()
	if err != nil {
		return nil, nil, err
	}
	return tree(v)
}

func unmarshalAnyCases(values []untypedValue) []harness.Case {
	var cases []harness.Case
	for _, u := range values {
		cases = append(cases, harness.Case{
			Group: "Unmarshal into any", Name: u.name + ", any",
			Bars:  []harness.Bar{harness.Faster(v5Name, 1.4), harness.Faster(msgpName, u.bar)},
			Means: []string{meanAny, meanUnmarshal},
			Sides: func() ([]harness.Side, error) {
				data, want, err := u.tree()
				return unmarshalSides(everyone(), data, want, fresh), err
			},
		})
	}
	return cases
}

func marshalAnyCases(values []untypedValue) []harness.Case {
	var cases []harness.Case
	for _, u := range values {
		cases = append(cases, harness.Case{
			Group: "Marshal any", Name: u.name + ", any", Bars: anyMarshalBars(), Means: []string{meanMarshal},
			Sides: func() ([]harness.Side, error) {
				_, v, err := u.tree()
				return marshalSides(everyone(), &v), err
			},
		})
	}
	return cases
}
