package msgpack

import (
	"fmt"
	"reflect"

	hashicorp "github.com/hashicorp/go-msgpack/v2/codec"
	shamaton "github.com/shamaton/msgpack/v2"
	"github.com/tinylib/msgp/msgp"
	ugorji "github.com/ugorji/go/codec"
	v5 "github.com/vmihailenco/msgpack/v5"
)

// library contains the two calls that all MessagePack libraries share, each bound in advance to its
// value.
type library struct {
	name    string
	how     string
	mark    string
	encoder func(v any) func() ([]byte, error) // the bytes are in new memory
	decoder func(v any) func(data []byte) error
}

// plain returns a library with the usual pair of functions.
func plain(name string, marshal func(any) ([]byte, error), unmarshal func([]byte, any) error) library {
	return library{
		name:    name,
		encoder: func(v any) func() ([]byte, error) { return func() ([]byte, error) { return marshal(v) } },
		decoder: func(v any) func([]byte) error { return func(data []byte) error { return unmarshal(data, v) } },
	}
}

// rivals returns the libraries that use reflection.
func rivals() []library {
	return []library{
		v5Library(),
		plain(shamatonName, shamaton.Marshal, shamaton.Unmarshal),
		ugorjiLibrary(),
		hashicorpLibrary(),
	}
}

func v5Library() library { return plain(v5Name, v5.Marshal, v5.Unmarshal) }

func ugorjiHandle() *ugorji.MsgpackHandle {
	h := &ugorji.MsgpackHandle{WriteExt: true}
	h.RawToString = true
	h.Raw = true
	h.MapType = reflect.TypeFor[map[string]any]()
	return h
}

func ugorjiLibrary() library { return ugorjiWith(ugorjiHandle()) }

func ugorjiWith(h *ugorji.MsgpackHandle) library {
	var out []byte
	enc, dec := ugorji.NewEncoderBytes(&out, h), ugorji.NewDecoderBytes(nil, h)
	return resetting(ugorjiName, enc, dec, &out)
}

// ugorjiZeroCopy returns ugorji with strings that alias the input.
func ugorjiZeroCopy() library {
	h := ugorjiHandle()
	h.ZeroCopy = true
	l := ugorjiWith(h)
	l.how, l.mark = "zero-copy", "The decoded strings of this variant share the memory of the input, so the input must not "+
		"change afterwards."
	return l
}

func hashicorpHandle() *hashicorp.MsgpackHandle {
	h := &hashicorp.MsgpackHandle{WriteExt: true}
	h.RawToString = true
	h.MapType = reflect.TypeFor[map[string]any]()
	return h
}

func hashicorpLibrary() library {
	h := hashicorpHandle()
	var out []byte
	enc, dec := hashicorp.NewEncoderBytes(&out, h), hashicorp.NewDecoderBytes(nil, h)
	return resetting(hashicorpName, enc, dec, &out)
}

// resetting returns ugorji, or its fork, with an Encoder and a Decoder that are kept between calls.
func resetting(name string, enc resetEncoder, dec resetDecoder, out *[]byte) library {
	marshal := func(v any) ([]byte, error) {
		*out = nil
		enc.ResetBytes(out)
		err := enc.Encode(v)
		return *out, err
	}
	unmarshal := func(data []byte, v any) error {
		dec.ResetBytes(data)
		return dec.Decode(v)
	}
	return plain(name, marshal, unmarshal)
}

type resetEncoder interface {
	ResetBytes(out *[]byte)
	Encode(v any) error
}

type resetDecoder interface {
	ResetBytes(data []byte)
	Decode(v any) error
}

// msgpLibrary returns msgp for any, and for the types for which it has generated code.
func msgpLibrary() library {
	return library{name: msgpName, encoder: msgpEncoder, decoder: msgpDecoder}
}

func msgpEncoder(v any) func() ([]byte, error) {
	if m, ok := v.(msgp.Marshaler); ok {
		return func() ([]byte, error) { return m.MarshalMsg(nil) }
	}
	return func() ([]byte, error) { return msgp.AppendIntf(nil, v) }
}

func msgpDecoder(v any) func(data []byte) error {
	switch v := v.(type) {
	case msgp.Unmarshaler:
		return func(data []byte) error {
			_, err := v.UnmarshalMsg(data)
			return err
		}
	case *any:
		return func(data []byte) (err error) {
			*v, _, err = msgp.ReadIntfBytes(data)
			return err
		}
	}
	return func([]byte) error { return fmt.Errorf("no generated code for %T", v) }
}

// everyone returns Slipstream and all rivals.
func everyone() []library { return append([]library{ours(), msgpLibrary()}, rivals()...) }
