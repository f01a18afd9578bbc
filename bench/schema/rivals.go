package schema

import (
	"bytes"
	stdjson "encoding/json"

	"github.com/tinylib/msgp/msgp"
	v5 "github.com/vmihailenco/msgpack/v5"

	"github.com/slipstream-go/slipstream/json"
	"github.com/slipstream-go/slipstream/msgpack"
)

const (
	markFloor = "The hand-written code supports only Parco's encoding of this one struct. It omits the work of a library that " +
		"supports any struct, and does not check that lengths and times fit into the encoding. Its time is shown for " +
		"comparison."
	markOther = "This variant is Slipstream's own codec for JSON or MessagePack. In these formats, a message contains the type " +
		"of each value and the name of each field."
)

// described returns the libraries of self-describing formats. generated is msgp's code for T, if
// there is any.
func described[T any](generated codec[T]) []library[T] {
	inJSON := format[T]{
		input: func(v *T) ([]byte, error) { return stdjson.Marshal(v) },
		read:  func(b []byte, v *T) error { return stdjson.Unmarshal(b, v) },
	}
	inMsgpack := format[T]{input: sortedMsgpack[T], read: func(b []byte, v *T) error { return v5.Unmarshal(b, v) }}

	libraries := []library[T]{
		{name: jsonName, format: inJSON, marshal: inJSON.input, reuse: bufferedJSON[T](), unmarshal: inJSON.read},
		{
			name: v5Name, format: inMsgpack,
			marshal: func(v *T) ([]byte, error) { return v5.Marshal(v) }, reuse: bufferedMsgpack[T](), unmarshal: inMsgpack.read,
		},
		codec[T]{
			append: func(dst []byte, v *T) ([]byte, error) { return json.Append(dst, v, json.EscapeHTML|json.SortMapKeys) },
			parse:  func(b []byte, v *T) error { return json.Unmarshal(b, v) },
		}.library("", "json", markOther, inJSON),
		codec[T]{
			append: func(dst []byte, v *T) ([]byte, error) { return msgpack.MarshalAppend(dst, v) },
			parse:  func(b []byte, v *T) error { return msgpack.Unmarshal(b, v) },
		}.library("", "msgpack", markOther, inMsgpack),
	}
	if generated.append != nil {
		libraries = append(libraries, generated.library(msgpName, "", "", inMsgpack))
	}
	return libraries
}

// msgpCodec returns the codec that msgp has generated for T.
func msgpCodec[T any, P interface {
	*T
	msgp.Marshaler
	msgp.Unmarshaler
}]() codec[T] {
	return codec[T]{
		append: func(dst []byte, v *T) ([]byte, error) { return P(v).MarshalMsg(dst) },
		parse: func(b []byte, v *T) error {
			_, err := P(v).UnmarshalMsg(b)
			return err
		},
	}
}

func bufferedJSON[T any]() func(v *T) ([]byte, error) {
	var b bytes.Buffer
	enc := stdjson.NewEncoder(&b)
	return func(v *T) ([]byte, error) {
		b.Reset()
		err := enc.Encode(v)
		return b.Bytes(), err
	}
}

func bufferedMsgpack[T any]() func(v *T) ([]byte, error) {
	var b bytes.Buffer
	enc := v5.NewEncoder(&b)
	return func(v *T) ([]byte, error) {
		b.Reset()
		err := enc.Encode(v)
		return b.Bytes(), err
	}
}

// sortableRecord is a record whose entries are in a map of a type that v5 can sort.
type sortableRecord struct {
	Name    string
	Str     string
	Num     uint16
	Arr     []uint16
	Map     map[string]any
	Bool    bool
	Float32 float32
	Float64 float64
}

// sortedMsgpack returns the encoding of v by v5 with sorted map keys, so that the bytes are the
// same in every run.
func sortedMsgpack[T any](v *T) ([]byte, error) {
	r, ok := any(v).(*record)
	if !ok {
		return v5.Marshal(v)
	}
	entries := make(map[string]any, len(r.Map))
	for key, value := range r.Map {
		entries[key] = value
	}
	var b bytes.Buffer
	enc := v5.NewEncoder(&b)
	enc.SetSortMapKeys(true)
	err := enc.Encode(sortableRecord{r.Name, r.Str, r.Num, r.Arr, entries, r.Bool, r.Float32, r.Float64})
	return b.Bytes(), err
}
