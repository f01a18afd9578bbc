// Package msgpack is Slipstream's msgpack under the import path
// github.com/Basekick-Labs/msgpack/v6.
//
// The types are aliases of Slipstream's types. So a value or an Encoder from one import path can be
// used with the other path, and a registration applies to both. This package exports the same names
// as the original. For documentation, see github.com/slipstream-go/slipstream/msgpack.
package msgpack

import (
	"io"
	"reflect"

	slip "github.com/slipstream-go/slipstream/msgpack"
)

type (
	Encoder              = slip.Encoder
	Decoder              = slip.Decoder
	CustomEncoder        = slip.CustomEncoder
	CustomDecoder        = slip.CustomDecoder
	Marshaler            = slip.Marshaler
	Unmarshaler          = slip.Unmarshaler
	MarshalerUnmarshaler = slip.MarshalerUnmarshaler
	RawMessage           = slip.RawMessage
)

func Marshal(v any) ([]byte, error) { return slip.Marshal(v) }

func MarshalAppend(dst []byte, v any) ([]byte, error) { return slip.MarshalAppend(dst, v) }

func Unmarshal(data []byte, v any) error { return slip.Unmarshal(data, v) }

func NewEncoder(w io.Writer) *Encoder { return slip.NewEncoder(w) }

func NewDecoder(r io.Reader) *Decoder { return slip.NewDecoder(r) }

func GetEncoder() *Encoder { return slip.GetEncoder() }

func PutEncoder(enc *Encoder) { slip.PutEncoder(enc) }

func GetDecoder() *Decoder { return slip.GetDecoder() }

func PutDecoder(dec *Decoder) { slip.PutDecoder(dec) }

func Register(value any, enc func(*Encoder, reflect.Value) error, dec func(*Decoder, reflect.Value) error) {
	slip.Register(value, enc, dec)
}

func RegisterExt(extID int8, value MarshalerUnmarshaler) { slip.RegisterExt(extID, value) }

func RegisterExtEncoder(extID int8, value any, encoder func(*Encoder, reflect.Value) ([]byte, error)) {
	slip.RegisterExtEncoder(extID, value, encoder)
}

func RegisterExtDecoder(extID int8, value any, decoder func(dec *Decoder, v reflect.Value, extLen int) error) {
	slip.RegisterExtDecoder(extID, value, decoder)
}

func UnregisterExt(extID int8) { slip.UnregisterExt(extID) }

func Version() string { return slip.Version() }
