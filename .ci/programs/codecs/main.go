// Command codecs is a program that uses the codecs: it makes the most common call of each public
// package of the root module.
package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"log"
	"time"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/iso8601"
	"github.com/slipstream-go/slipstream/json"
	"github.com/slipstream-go/slipstream/msgpack"
	"github.com/slipstream-go/slipstream/msgpack/msgpcode"
	"github.com/slipstream-go/slipstream/parco"
	"github.com/slipstream-go/slipstream/remotewrite"
	"github.com/slipstream-go/slipstream/schema"
	"github.com/slipstream-go/slipstream/transcode"
)

type reading struct {
	Host string `json:"host" msgpack:"host"`
	Load uint16 `json:"load" msgpack:"load"`
}

var readings = schema.Struct(
	schema.F("host", func(r *reading) *string { return &r.Host }, schema.Str8),
	schema.F("load", func(r *reading) *uint16 { return &r.Load }, schema.U16))

func main() {
	in := reading{"web-1", 300}

	packed, err := msgpack.Marshal(&in)
	check(err)
	var out reading
	check(msgpack.Unmarshal(packed, &out))
	fmt.Printf("msgpack %x %+v %t\n", packed, out, msgpcode.IsFixedMap(packed[0]))

	text, err := json.Marshal(&in)
	check(err)
	out = reading{}
	check(json.Unmarshal(text, &out))
	fmt.Printf("json %s %+v\n", text, out)

	at, err := iso8601.Parse("2026-11-22T10:31:07.5Z")
	check(err)
	fmt.Printf("iso8601 %s\n", iso8601.Append(nil, at.Add(time.Second)))

	coded, err := readings.Marshal(&in)
	check(err)
	out = reading{}
	check(readings.Unmarshal(coded, &out))
	fmt.Printf("schema %x %+v\n", coded, out)

	parser, compiler := parco.Builder(parco.ObjectFactory[reading]()).
		SmallVarchar(func(r *reading) string { return r.Host }, func(r *reading, v string) { r.Host = v }).
		UInt16(binary.LittleEndian, func(r *reading) uint16 { return r.Load }, func(r *reading, v uint16) { r.Load = v }).
		Parco()
	var compiled bytes.Buffer
	check(compiler.Compile(in, &compiled))
	out, err = parser.ParseBytes(compiled.Bytes())
	check(err)
	fmt.Printf("parco %x %+v\n", compiled.Bytes(), out)

	body := remotewrite.Append(nil, remotewrite.V2, &remotewrite.Request{Series: []remotewrite.Series{{
		Labels:  []remotewrite.Label{{Name: "__name__", Value: "up"}},
		Samples: []remotewrite.Sample{{Value: 1, Timestamp: 1760000000000}},
	}}})
	var request remotewrite.Request
	check(remotewrite.Decode(body, remotewrite.V2, &request))
	fmt.Printf("remotewrite %v %v\n", request.Series[0].Labels, request.Series[0].Samples[0].Value)

	text, err = transcode.AppendJSON(nil, packed, 0)
	check(err)
	fmt.Printf("transcode %s\n", text)

	columns, err := msgpack.Marshal(map[string][]uint16{"load": {300, 301}})
	check(err)
	var batch column.Batch
	check(msgpack.NewDecoder(bytes.NewReader(columns)).DecodeColumns(&batch))
	fmt.Printf("column %d rows of %s\n", batch.Rows, batch.Columns[0].Name)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
