package schema

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"

	"github.com/slipstream-go/slipstream/bench/harness"
)

const (
	smallStructGroup     = "SmallStruct of go_serialization_benchmarks"
	smallStructSizeGroup = "SmallStruct: bytes of a message"

	noteSmallStruct = "As in go_serialization_benchmarks, every operation uses one of 1000 random structs, chosen at random, " +
		"and decodes into a variable that was set to zero. All libraries use the same structs. A row contains only the " +
		"libraries that support the row's use of memory."
)

// calls contains the calls that a side of a row makes, one after the other. Calls that the row does
// not have are nil.
type calls struct {
	marshal   func(v *smallStruct) ([]byte, error)
	unmarshal func(b []byte, v *smallStruct) error
}

// smallStructCases returns rows of the two classes that the suite distinguishes. In the first
// class, messages are in new memory and texts are copied. In the second class, messages are in a
// kept buffer and texts are views of it.
func smallStructCases() []harness.Case {
	return []harness.Case{
		smallStructCase("marshal, new memory", 1, 1, func(l library[smallStruct]) (c calls, has bool) {
			return calls{marshal: l.marshal}, l.marshal != nil
		}),
		smallStructCase("unmarshal, strings are copied", 2, 1, func(l library[smallStruct]) (c calls, has bool) {
			return calls{unmarshal: l.unmarshal}, l.unmarshal != nil
		}),
		smallStructCase("both, new memory and copies", 3, 1, func(l library[smallStruct]) (c calls, has bool) {
			return calls{l.marshal, l.unmarshal}, l.marshal != nil && l.unmarshal != nil
		}),
		smallStructCase("marshal, reused buffer", 0, 1.3, func(l library[smallStruct]) (c calls, has bool) {
			return calls{marshal: l.reuse}, l.reuse != nil
		}),
		smallStructCase("unmarshal, strings are views", 0, 1.2, func(l library[smallStruct]) (c calls, has bool) {
			return calls{unmarshal: l.view}, l.view != nil
		}),
		smallStructCase("both, reused buffer and views", 0, 1.2, func(l library[smallStruct]) (c calls, has bool) {
			return calls{l.reuse, l.view}, l.reuse != nil && l.view != nil
		}),
		{
			Group: smallStructSizeGroup, Name: "mean of the 1000",
			Observe: func(context.Context, harness.Options) ([]harness.Figure, error) { return smallSizes() },
		},
	}
}

func smallStructCase(name string, allocs, timesBest float64, row func(l library[smallStruct]) (c calls, has bool)) harness.Case {
	return harness.Case{
		Group: smallStructGroup, Name: name, Note: noteSmallStruct,
		Bars: []harness.Bar{harness.Faster(harness.BestRival, timesBest), harness.Allocs(allocs)},
		Sides: func() (sides []harness.Side, err error) {
			list := smallStructs()
			for _, l := range smallLibraries() {
				c, has := row(l)
				if !has {
					continue
				}
				t := &trial{calls: c, library: l, list: list, r: source(4)}
				if t.messages, err = l.messages(list); err != nil {
					return nil, err
				}
				sides = append(sides, l.side(t.run, t.check))
			}
			return sides, nil
		},
	}
}

// messages returns the encodings of the structs by the library.
func (l library[T]) messages(list []T) ([][]byte, error) {
	messages := make([][]byte, len(list))
	for i := range list {
		b, err := l.marshal(&list[i])
		if err != nil {
			return nil, err
		}
		messages[i] = bytes.Clone(b)
	}
	return messages, nil
}

// trial is a side with its input.
type trial struct {
	calls
	library  library[smallStruct]
	list     []smallStruct
	messages [][]byte
	r        *rand.Rand
	into     smallStruct
}

func (t *trial) run() (err error) {
	if t.marshal != nil {
		if sink, err = t.marshal(&t.list[t.r.IntN(len(t.list))]); err != nil {
			return err
		}
	}
	if t.unmarshal != nil {
		t.into = smallStruct{}
		err = t.unmarshal(t.messages[t.r.IntN(len(t.messages))], &t.into)
	}
	return err
}

// check checks the results for all structs.
func (t *trial) check() error {
	for i := range t.list {
		want := t.list[i]
		if t.library.name == nothingName {
			want = smallStruct{}
		}
		if t.marshal != nil {
			b, err := t.marshal(&t.list[i])
			if err != nil {
				return err
			}
			var got smallStruct
			if err := errors.Join(t.library.read(b, &got), sameSmall(got, want)); err != nil {
				return err
			}
		}
		if t.unmarshal != nil {
			t.into = smallStruct{}
			if err := errors.Join(t.unmarshal(t.messages[i], &t.into), sameSmall(t.into, want)); err != nil {
				return err
			}
		}
	}
	return nil
}

// sameSmall returns an error if two structs differ. It ignores the zone of a time.
func sameSmall(got, want smallStruct) error {
	if got.BirthDay.Equal(want.BirthDay) {
		got.BirthDay = want.BirthDay
	}
	return same(&got, &want)
}

// smallSizes returns a figure for each library that writes bytes, with a bar for ours.
func smallSizes() ([]harness.Figure, error) {
	list := smallStructs()
	var figures []harness.Figure
	for _, l := range smallLibraries() {
		messages, err := l.messages(list)
		if err != nil {
			return nil, err
		}
		if all := len(bytes.Join(messages, nil)); all > 0 {
			figures = append(figures, l.size(float64(all)/float64(len(list))))
		}
	}
	figures[0].Bar = harness.Exactly(49)
	return figures, nil
}
