// Package msgpack measures package msgpack of this project against the MessagePack libraries of Go.
//
// Where things are:
//
//	suite.go     the suite: rivals, means, and the bars that most rows share
//	types.go     the Go types of the cases; types_gen.go is msgp's code for them
//	data.go      their values, from fixed seeds; and the JSON corpora that come with Go
//	ours.go      every call to Slipstream's package
//	rivals.go    the rivals, by the calls that all of them share
//	sides.go     sides that unmarshal or marshal, and how their output is checked
//	values.go    the cases: typed values, and any
//	parts.go     the cases: custom encoders, RawMessage, Skip
//	streams.go   the cases: Encoder and Decoder
//	ingest.go    the cases: a batch of columns
//	micro.go     the cases: microbenchmarks published elsewhere
package msgpack

import (
	"slices"

	"github.com/slipstream-go/slipstream/bench/harness"
)

// The names of the rivals in sides and bars.
const (
	v5Name        = "v5"
	msgpName      = "msgp"
	shamatonName  = "shamaton"
	ugorjiName    = "ugorji"
	hashicorpName = "hashicorp"
)

// The names of the means over rows.
const (
	meanAny       = "unmarshal into any"
	meanUnmarshal = "unmarshal into fresh targets"
	meanMarshal   = "marshal"
)

// Suite returns the suite for cmd/bench.
func Suite() harness.Suite {
	return harness.Suite{
		Name:  "msgpack",
		Title: "MessagePack",
		Cover: "Unmarshal, typed",
		About: "Every library decodes the same bytes, which vmihailenco/msgpack v5 wrote, and encodes the same values. msgp " +
			"uses generated code, and the other libraries use reflection. For ugorji and hashicorp, the benchmark reuses one " +
			"Encoder and one Decoder and resets them, as the authors advise. The handles of these libraries enable the options " +
			"WriteExt and RawToString, and use map[string]any for untyped maps. shamaton does not offer this choice, and " +
			"always creates a map[any]any. If a case has a fresh target, all operations use one variable, which is set to zero " +
			"between operations. So the allocation of this variable is not counted for any library.",
		Rivals: []harness.Rival{
			{Name: msgpName, Module: "github.com/tinylib/msgp"},
			{Name: v5Name, Module: "github.com/vmihailenco/msgpack/v5"},
			{Name: shamatonName, Module: "github.com/shamaton/msgpack/v2"},
			{Name: ugorjiName, Module: "github.com/ugorji/go/codec"},
			{Name: hashicorpName, Module: "github.com/hashicorp/go-msgpack/v2"},
		},
		Means: []harness.Mean{
			{Name: meanAny, Against: v5Name, AtLeast: 2},
			{Name: meanUnmarshal, Against: msgpName, AtLeast: 1.6},
			{Name: meanMarshal, Against: msgpName, AtLeast: 1.7},
		},
		Cases: slices.Concat(valueCases(), partCases(), streamCases(), ingestCases(), microCases()),
	}
}

// The bars that most rows share.
func typedUnmarshalBars() []harness.Bar {
	return []harness.Bar{harness.Faster(v5Name, 3.3), harness.Faster(msgpName, 1.2)}
}

func typedMarshalBars() []harness.Bar {
	return []harness.Bar{harness.Faster(v5Name, 4.5), harness.Faster(msgpName, 1.3)}
}

func anyMarshalBars() []harness.Bar {
	return []harness.Bar{harness.Faster(v5Name, 2), harness.Faster(msgpName, 1.3)}
}
