package msgpack

import (
	"bytes"
	"io"
	"math"
	"time"

	v5 "github.com/vmihailenco/msgpack/v5"

	"github.com/slipstream-go/slipstream/bench/harness"
)

// post has the shape of the struct in v5's own benchmarks, on which the published figures are
// based: a name, a number, six short strings, 1 KiB of bytes and two times.
type post struct {
	Title   string
	Views   int
	Labels  []string
	Body    []byte
	Written time.Time
	Edited  time.Time
}

func postValue() post {
	written := time.Unix(1_767_225_600, 123_456_789)
	return post{
		Title: "Hello World", Views: math.MaxInt32,
		Labels: []string{"red", "orange", "yellow", "green", "blue", "violet"},
		Body:   make([]byte, 1024), Written: written, Edited: written.Add(time.Hour),
	}
}

func microCases() []harness.Case {
	const group = "Microbenchmarks of Basekick's fork"
	return []harness.Case{
		{
			Group: group, Name: "Unmarshal",
			Note: "Every library decodes into a reused struct, which contains six strings, 1 KiB of bytes and two timestamps. " +
				"The input of the published figures is not specified. In these figures, v5 takes 358 ns, 160 B and 6 " +
				"allocations; the fork takes 283 ns, 80 B and 4 allocations.",
			Sides: func() ([]harness.Side, error) {
				data, err := encoded(postValue())
				return unmarshalSides(beforeAndAfter(), data, postValue(), reused), err
			},
		},
		{
			Group: group, Name: "StructMarshal",
			Note: "Every library encodes the same struct. In the published figures, v5 takes 461 ns, 1456 B and 7 allocations; " +
				"the fork takes 405 ns, 1224 B and 4 allocations.",
			Sides: func() ([]harness.Side, error) {
				v := postValue()
				return marshalSides(beforeAndAfter(), &v), nil
			},
		},
		{
			Group: group, Name: "Discard",
			Note: "An Encoder writes nil and \"hello\" to io.Discard. In the published figures, v5 takes 20 ns and 2 allocations; the " +
				"fork takes 8.6 ns and no allocations.",
			Sides: func() ([]harness.Side, error) {
				return []harness.Side{discardSide("", oursDiscard), discardSide(v5Name, v5Discard)}, nil
			},
		},
	}
}

// beforeAndAfter returns Slipstream and v5, with which the published tables begin.
func beforeAndAfter() []library { return []library{ours(), v5Library()} }

func v5Discard(w io.Writer) func() error {
	enc := v5.NewEncoder(w)
	return func() error {
		if err := enc.Encode(nil); err != nil {
			return err
		}
		return enc.Encode("hello")
	}
}

func discardSide(rival string, on func(io.Writer) func() error) harness.Side {
	return harness.Side{
		Rival: rival,
		Run:   on(io.Discard),
		Check: func() error {
			var out bytes.Buffer
			if err := on(&out)(); err != nil {
				return err
			}
			return same(out.String(), "\xc0\xa5hello")
		},
	}
}
