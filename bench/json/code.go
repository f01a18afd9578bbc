package json

import (
	"bytes"
	"encoding/json"

	segmentio "github.com/segmentio/encoding/json"

	"github.com/slipstream-go/slipstream/bench/harness"
	"github.com/slipstream-go/slipstream/bench/json/corpus"
)

// codeResponse is the type of the golang document in the benchmarks of encoding/json and segmentio.
// Its nodes are pointers.
type codeResponse struct {
	Tree     *codeNode `json:"tree"`
	Username string    `json:"username"`
}

type codeNode struct {
	Name     string      `json:"name"`
	Kids     []*codeNode `json:"kids"`
	CLWeight float64     `json:"cl_weight"`
	Touches  int         `json:"touches"`
	MinT     int64       `json:"min_t"`
	MaxT     int64       `json:"max_t"`
	MeanT    int64       `json:"mean_t"`
}

const (
	codeBytes   = 1_940_472 // size of the document; the output has the same size, because the document contains no spaces
	codeGroup   = "codeResponse, the table of segmentio/encoding"
	noteMarshal = "As in the table that segmentio publishes, every library writes into a reused buffer and does not escape " +
		"HTML. Slipstream and segmentio append to the buffer; the other libraries use an Encoder on a bytes.Buffer."
	zeroCopy  = "ZeroCopy"
	markViews = "The decoded strings of this variant share the memory of the input, so the input must not change afterwards."
	noteReuse = "As in the table that segmentio publishes, every library decodes into the value that its previous operation " +
		"decoded."
)

func codeCases() []harness.Case {
	return []harness.Case{
		{Group: codeGroup, Name: "Marshal", Note: noteMarshal, Bytes: codeBytes, Bars: noneFaster(), Sides: codeMarshalSides},
		{Group: codeGroup, Name: "Unmarshal", Note: noteReuse, Bytes: codeBytes, Bars: noneFaster(), Sides: codeUnmarshalSides},
	}
}

// published returns the libraries in segmentio's table, and the other exact libraries.
func published() []library { return append(exact(), jsoniterLibrary()) }

func codeUnmarshalSides() ([]harness.Side, error) {
	theirs := library{
		name: segmentioName, how: zeroCopy, mark: markViews,
		unmarshal: func(data []byte, v any) error {
			_, err := segmentio.Parse(data, v, segmentio.ZeroCopy)
			return err
		},
	}
	return unmarshalDocument[codeResponse](append(published(), oursZeroCopy(), theirs), corpus.Golang, reused)
}

func codeMarshalSides() ([]harness.Side, error) {
	data, err := corpus.Read(corpus.Golang)
	if err != nil {
		return nil, err
	}
	v, err := decoded[codeResponse](data)
	if err != nil {
		return nil, err
	}
	want, err := json.Marshal(v) // v contains no characters to escape
	if err != nil {
		return nil, err
	}
	var sides []harness.Side
	for _, l := range published() {
		var marshal func() ([]byte, error)
		switch l.name {
		case "":
			marshal = oursAppend(v)
		case segmentioName:
			marshal = segmentioAppend(v)
		default:
			marshal = encodeInto(l, v)
		}
		run := func() error {
			_, err := marshal()
			return err
		}
		check := func() error {
			out, err := marshal()
			if err != nil {
				return err
			}
			return l.wrote(bytes.TrimSpace(out), want)
		}
		sides = append(sides, l.side(run, check))
	}
	return sides, nil
}

// encodeInto returns a function that encodes v into a kept buffer.
func encodeInto(l library, v any) func() ([]byte, error) {
	var b bytes.Buffer
	enc := l.encoder(&b)
	enc.SetEscapeHTML(false)
	return func() ([]byte, error) {
		b.Reset()
		err := enc.Encode(v)
		return b.Bytes(), err
	}
}

func segmentioAppend(v any) func() ([]byte, error) {
	var b []byte
	return func() (_ []byte, err error) {
		b, err = segmentio.Append(b[:0], v, 0)
		return b, err
	}
}
