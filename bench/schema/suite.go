// Package schema measures package schema of this project against formats that describe themselves,
// and against generated code.
//
// Where things are:
//
//	suite.go    the suite and its rivals
//	types.go    the Go types of the cases; types_gen.go is msgp's code for them
//	nest.go     one more type, which is generic
//	data.go     their values, from fixed seeds
//	ours.go     every call to Slipstream's package
//	parco.go    the same with Parco's API
//	floor.go    the same encoding, by hand-written code
//	sides.go    libraries, sides that encode or decode, and how their output is checked
//	rivals.go   the libraries of JSON and MessagePack
//	shapes.go   the cases: Parco's table, and other shapes
//	small.go    the libraries for the struct of go_serialization_benchmarks
//	mus.go      one of them: mus
//	colfer.go   one of them: Colfer's layout by hand
//	smallstruct.go the cases: the method of go_serialization_benchmarks
//	pb, flat    generated code
package schema

import (
	"slices"

	"github.com/slipstream-go/slipstream/bench/harness"
)

// The names of the rivals in sides and bars.
const (
	jsonName     = "encoding/json"
	v5Name       = "v5"
	msgpName     = "msgp"
	musName      = "mus"
	vtprotoName  = "vtprotobuf"
	protobufName = "protobuf-go"
	flatName     = "flatbuffers"
	gobName      = "gob"
	floorName    = "hand-written"
	colferName   = "colfer-like"
	nothingName  = "no-op"
)

// Suite returns the suite for cmd/bench.
func Suite() harness.Suite {
	return harness.Suite{
		Name:  "schema",
		Title: "Schema as code",
		Cover: "Decode",
		About: "Slipstream uses Parco's encoding, in which the fields follow each other in the order of the schema. The cases " +
			"small, medium and large use the struct and the sizes of the table in Parco's announcement. Parco itself was not " +
			"measured, because it is not on the Go module proxy. Its published figures are not quoted. For the same reason, " +
			"bebop, benc and Colfer were not measured. v5 and msgp write MessagePack. All libraries for MessagePack read the " +
			"bytes that v5 wrote. msgp, vtprotobuf, protobuf-go and flatbuffers use generated code. The code for mus is " +
			"written by hand, because mus does not support structs. For Protobuf and flatbuffers, the benchmark copies the " +
			"fields to and from their generated types. To check the output of a library, the benchmark decodes it with another " +
			"library, if there is another library for the same format.",
		Rivals: []harness.Rival{
			{Name: musName, Module: "github.com/mus-format/mus-go"},
			{Name: vtprotoName, Module: "github.com/planetscale/vtprotobuf"},
			{Name: gobName, Module: harness.Std},
			{Name: protobufName, Module: "google.golang.org/protobuf"},
			{Name: msgpName, Module: "github.com/tinylib/msgp"},
			{Name: floorName, Module: harness.Std},
			{Name: flatName, Module: "github.com/google/flatbuffers"},
			{Name: colferName, Module: harness.Std},
			{Name: jsonName, Module: harness.Std},
			{Name: v5Name, Module: "github.com/vmihailenco/msgpack/v5"},
			{Name: nothingName, Module: harness.Std},
		},
		Cases: slices.Concat(shapeCases(), smallStructCases()),
	}
}
