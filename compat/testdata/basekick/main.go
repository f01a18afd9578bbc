// Command program imports github.com/Basekick-Labs/msgpack/v6. A library that it uses imports only
// vmihailenco's path. A part of the program has already been migrated to Slipstream's path. The
// types of all three paths are the same.
package main

import (
	"bytes"
	"fmt"
	"log"

	"example.com/telemetry"
	"github.com/Basekick-Labs/msgpack/v6"
	"github.com/Basekick-Labs/msgpack/v6/msgpcode"
	slipstream "github.com/slipstream-go/slipstream/msgpack"
)

type cell struct{ n int64 }

func (c *cell) EncodeMsgpack(enc *msgpack.Encoder) error { return enc.EncodeInt(c.n) }

func (c *cell) DecodeMsgpack(dec *msgpack.Decoder) (err error) {
	c.n, err = dec.DecodeInt64()
	return err
}

var (
	_ slipstream.CustomEncoder = (*cell)(nil)
	_ slipstream.CustomDecoder = (*cell)(nil)
)

func main() {
	log.SetFlags(0)
	data, err := msgpack.MarshalAppend([]byte("> "), []*cell{{1}, {300}})
	check(err)
	fmt.Printf("append  %q %x\n", data[:2], data[2:])

	var dec msgpack.Decoder
	dec.ResetBytes(data[2:])
	dec.SetInternedStringsDictCap(100)
	var cells []cell
	check(dec.Decode(&cells))
	fmt.Println("cells  ", cells)

	packed, err := telemetry.Pack(map[string]any{"cell": &cell{7}, "point": &telemetry.Point{X: 1, Name: "p"}})
	check(err)
	fmt.Printf("library %x\n", packed)
	var tree any
	check(slipstream.Unmarshal(packed, &tree))
	fmt.Println("ours   ", tree, packed[0] == msgpcode.FixedMapLow|2)

	var b bytes.Buffer
	enc := slipstream.NewEncoder(&b)
	enc.SetInternedStringsDictCap(100)
	check(enc.Encode(&telemetry.Point{Y: 2, Name: "q"}))
	var point telemetry.Point
	check(msgpack.NewDecoder(&b).Decode(&point))
	fmt.Println("point  ", point)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
