// Package telemetry is a library that a program uses to write MessagePack. It imports only the
// original module.
package telemetry

import (
	"bytes"

	"github.com/vmihailenco/msgpack/v5"
	"github.com/vmihailenco/msgpack/v5/msgpcode"
)

// Point is encoded as an array of three values.
type Point struct {
	X, Y int64
	Name string
}

var (
	_ msgpack.CustomEncoder = (*Point)(nil)
	_ msgpack.CustomDecoder = (*Point)(nil)
)

func (p *Point) EncodeMsgpack(enc *msgpack.Encoder) error {
	if err := enc.EncodeArrayLen(3); err != nil {
		return err
	}
	return enc.EncodeMulti(p.X, p.Y, p.Name)
}

func (p *Point) DecodeMsgpack(dec *msgpack.Decoder) error {
	if _, err := dec.DecodeArrayLen(); err != nil {
		return err
	}
	return dec.DecodeMulti(&p.X, &p.Y, &p.Name)
}

// Pack encodes v with the json tags as field names and with sorted map keys.
func Pack(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := msgpack.GetEncoder()
	defer msgpack.PutEncoder(enc)
	enc.Reset(&b)
	enc.SetCustomStructTag("json")
	enc.SetSortMapKeys(true)
	enc.UseCompactInts(true)
	err := enc.Encode(v)
	return b.Bytes(), err
}

// Unpack decodes the output of Pack into v.
func Unpack(data []byte, v any) error {
	dec := msgpack.GetDecoder()
	defer msgpack.PutDecoder(dec)
	dec.Reset(bytes.NewReader(data))
	dec.SetCustomStructTag("json")
	return dec.Decode(v)
}

// IsMap reports whether data starts with a map.
func IsMap(data []byte) bool {
	return msgpcode.IsFixedMap(data[0]) || data[0] == msgpcode.Map16 || data[0] == msgpcode.Map32
}
