// Package json measures packages json and transcode of this project against the JSON libraries of
// Go.
//
// Where things are:
//
//	suite.go       the suite: rivals, means, and the bars that all rows share
//	corpus/        the documents
//	shapes_gen.go  their Go types, inferred by shapes/
//	messages.go    tiny messages, with their types
//	ours.go        every call to Slipstream's package
//	rivals.go      the rivals
//	sides.go       sides that unmarshal or marshal, and how their outcome is checked
//	documents.go   the cases: documents, typed and as any
//	tiny.go        the cases: tiny messages
//	tokens.go      the cases: Tokenizer
//	parts.go       the cases: Get
//	streams.go     the cases: Encoder, Decoder and Lines
//	texts.go       the cases: Valid, Compact, Indent
//	code.go        the cases: a table that segmentio/encoding publishes
//	transcode.go   the cases: MessagePack to JSON and back
//	purego.go      the cases: the build tag purego, and purego/, the command that is built with it
package json

import (
	"slices"

	"github.com/slipstream-go/slipstream/bench/harness"
)

//go:generate go run ./shapes

// The names of the rivals in sides and bars.
const (
	stdName       = "encoding/json"
	v1on2Name     = "v1on2"
	v2Name        = "v2"
	segmentioName = "segmentio"
	goccyName     = "goccy"
	sonicName     = "sonic"
	jsoniterName  = "jsoniter"
	msgpName      = "msgp"
	v5Name        = "v5"
)

// The names of the means over rows.
const (
	meanTyped      = "unmarshal documents, typed"
	meanAny        = "unmarshal documents into any"
	meanMarshal    = "marshal documents, typed"
	meanMarshalAny = "marshal documents of any"
	meanTiny       = "tiny messages"
)

// Suite returns the suite for cmd/bench.
func Suite() harness.Suite {
	return harness.Suite{
		Name:  "json",
		Title: "JSON",
		Cover: "Unmarshal, typed",
		About: "Every library works on the same bytes and values. The benchmark uses the most exact configuration of each " +
			"library: ConfigStd for sonic, and ConfigCompatibleWithStandardLibrary for jsoniter. v1on2 and v2 are packages of " +
			"the module github.com/go-json-experiment/json, from which encoding/json of Go 1.27 was developed. v1on2 keeps the " +
			"rules of encoding/json; v2 has its own rules. Both packages cache short strings. In this benchmark, they benefit " +
			"much from their cache, because every operation decodes the same document. The documents come from the source code " +
			"of Go and of the module fastjson. The Go types are inferred from the documents. The benchmark compares the " +
			"decoded values with the values that encoding/json decodes. It compares the output with the bytes that " +
			"encoding/json writes, or compares only the decoded values if a note says so. If a case has a fresh target, all " +
			"operations use one variable, which is set to zero between operations. So the allocation of this variable is not " +
			"counted for any library.",
		Rivals: []harness.Rival{
			{Name: goccyName, Module: "github.com/goccy/go-json"},
			{Name: stdName, Module: harness.Std},
			{Name: sonicName, Module: "github.com/bytedance/sonic"},
			{Name: segmentioName, Module: "github.com/segmentio/encoding"},
			{Name: v1on2Name, Module: "github.com/go-json-experiment/json"},
			{Name: v2Name, Module: "github.com/go-json-experiment/json"},
			{Name: jsoniterName, Module: "github.com/json-iterator/go"},
			{Name: msgpName, Module: "github.com/tinylib/msgp"},
			{Name: v5Name, Module: "github.com/vmihailenco/msgpack/v5"},
		},
		Means: []harness.Mean{
			{Name: meanTyped, Against: harness.BestRival, AtLeast: 1.8},
			{Name: meanTyped, Against: stdName, AtLeast: 8},
			{Name: meanAny, Against: harness.BestRival, AtLeast: 1.4},
			{Name: meanMarshal, Against: harness.BestRival, AtLeast: 1.3},
			{Name: meanMarshalAny, Against: harness.BestRival, AtLeast: 1.3},
			{Name: meanTiny, Against: harness.BestRival, AtLeast: 1.2},
		},
		Cases: slices.Concat(documentCases(), tinyCases(), tokenCases(), getCases(), streamCases(), textCases(), codeCases(), transcodeCases(), buildCases()),
	}
}

// noneFaster returns the bar of every row.
func noneFaster() []harness.Bar { return []harness.Bar{harness.Faster(harness.BestRival, 1)} }
