package schema

import (
	"bytes"
	"encoding/gob"
	"time"

	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/tinylib/msgp/msgp"
	v5 "github.com/vmihailenco/msgpack/v5"
	"google.golang.org/protobuf/proto"

	"github.com/slipstream-go/slipstream/bench/schema/flat"
	"github.com/slipstream-go/slipstream/bench/schema/pb"
	"github.com/slipstream-go/slipstream/internal/mem"
)

const (
	markColfer = "The colfer-like code is written by hand, and supports only Colfer's encoding of this one struct. Colfer " +
		"itself is not available as a Go module."
	markNothing = "The no-op code does not encode or decode anything. Its time is the time to choose a struct."
)

// smallLibraries returns the libraries for smallStruct.
func smallLibraries() []library[smallStruct] {
	ours, view := oursSmall()
	bare := format[smallStruct]{read: parseSmall}
	mine, floor := ours.library("", "", "", bare), smallFloor().library(floorName, "", markFloor, bare)
	mine.view, floor.view = view, viewSmall
	return []library[smallStruct]{
		mine,
		musSafe(),
		musUnsafe(),
		vtprotoLibrary(),
		protobufLibrary(),
		msgpCodec[smallStruct]().library(msgpName, "", "", format[smallStruct]{read: func(b []byte, v *smallStruct) error { return v5.Unmarshal(b, v) }}),
		tupleCodec().library(msgpName, "tuple", "", format[smallStruct]{read: readTuple}),
		flatLibrary(),
		gobLibrary(),
		floor,
		colferCodec().library(colferName, "", markColfer, format[smallStruct]{read: colferParse}),
		nothing(),
	}
}

func tupleCodec() codec[smallStruct] {
	return codec[smallStruct]{
		append: func(dst []byte, v *smallStruct) ([]byte, error) { return (*smallTuple)(v).MarshalMsg(dst) },
		parse: func(b []byte, v *smallStruct) error {
			_, err := (*smallTuple)(v).UnmarshalMsg(b)
			return err
		},
	}
}

// readTuple decodes with v5 the arrays that msgp writes.
func readTuple(b []byte, v *smallStruct) error {
	dec := v5.NewDecoder(bytes.NewReader(b))
	n, err := dec.DecodeArrayLen()
	if err != nil {
		return err
	}
	if n != 6 {
		return msgp.ArrayError{Wanted: 6, Got: uint32(n)}
	}
	return dec.DecodeMulti(&v.Name, &v.BirthDay, &v.Phone, &v.Siblings, &v.Spouse, &v.Money)
}

// Protobuf messages have their own types. A value is copied into or out of a message that is kept.

func toMessage(m *pb.SmallStruct, v *smallStruct) {
	m.Name, m.BirthDay, m.Phone, m.Siblings, m.Spouse, m.Money = v.Name, v.BirthDay.UnixNano(), v.Phone, int32(v.Siblings), v.Spouse, v.Money
}

func fromMessage(v *smallStruct, m *pb.SmallStruct) {
	*v = smallStruct{m.Name, time.Unix(0, m.BirthDay), m.Phone, int(m.Siblings), m.Spouse, m.Money}
}

func readProtobuf(b []byte, v *smallStruct) error {
	var m pb.SmallStruct
	err := proto.Unmarshal(b, &m)
	fromMessage(v, &m)
	return err
}

func protobufLibrary() library[smallStruct] {
	m := new(pb.SmallStruct)
	return codec[smallStruct]{
		append: func(dst []byte, v *smallStruct) ([]byte, error) {
			toMessage(m, v)
			return proto.MarshalOptions{}.MarshalAppend(dst, m)
		},
		parse: func(b []byte, v *smallStruct) error {
			err := proto.Unmarshal(b, m)
			fromMessage(v, m)
			return err
		},
	}.library(protobufName, "", "", format[smallStruct]{read: readProtobuf})
}

func vtprotoLibrary() library[smallStruct] {
	m := new(pb.SmallStruct)
	var out []byte
	return library[smallStruct]{
		name: vtprotoName,
		marshal: func(v *smallStruct) ([]byte, error) {
			toMessage(m, v)
			return m.MarshalVT()
		},
		reuse: func(v *smallStruct) ([]byte, error) {
			toMessage(m, v)
			out = resized(out, m.SizeVT())
			_, err := m.MarshalToSizedBufferVT(out)
			return out, err
		},
		unmarshal: func(b []byte, v *smallStruct) error {
			m.Reset()
			err := m.UnmarshalVT(b)
			fromMessage(v, m)
			return err
		},
		view: func(b []byte, v *smallStruct) error {
			m.Reset()
			err := m.UnmarshalVTUnsafe(b)
			fromMessage(v, m)
			return err
		},
		format: format[smallStruct]{read: readProtobuf},
	}
}

// flatLibrary returns the buffer of its builder. For marshalling into new memory, it uses a new
// builder.
func flatLibrary() library[smallStruct] {
	build := func(b *flatbuffers.Builder, v *smallStruct) []byte {
		name, phone := b.CreateString(v.Name), b.CreateString(v.Phone)
		flat.SmallStructStart(b)
		flat.SmallStructAddName(b, name)
		flat.SmallStructAddPhone(b, phone)
		flat.SmallStructAddBirthDay(b, v.BirthDay.UnixNano())
		flat.SmallStructAddSiblings(b, int32(v.Siblings))
		flat.SmallStructAddSpouse(b, v.Spouse)
		flat.SmallStructAddMoney(b, v.Money)
		b.Finish(flat.SmallStructEnd(b))
		return b.FinishedBytes()
	}
	numbers := func(v *smallStruct, t *flat.SmallStruct) {
		v.BirthDay, v.Siblings, v.Spouse, v.Money = time.Unix(0, t.BirthDay()), int(t.Siblings()), t.Spouse(), t.Money()
	}
	unmarshal := func(b []byte, v *smallStruct) error {
		var t flat.SmallStruct
		t.Init(b, flatbuffers.GetUOffsetT(b))
		v.Name, v.Phone = string(t.Name()), string(t.Phone())
		numbers(v, &t)
		return nil
	}
	builder := flatbuffers.NewBuilder(128)
	return library[smallStruct]{
		name:    flatName,
		marshal: func(v *smallStruct) ([]byte, error) { return build(flatbuffers.NewBuilder(128), v), nil },
		reuse: func(v *smallStruct) ([]byte, error) {
			builder.Reset()
			return build(builder, v), nil
		},
		unmarshal: unmarshal,
		view: func(b []byte, v *smallStruct) error {
			var t flat.SmallStruct
			t.Init(b, flatbuffers.GetUOffsetT(b))
			v.Name, v.Phone = mem.String(t.Name()), mem.String(t.Phone())
			numbers(v, &t)
			return nil
		},
		format: format[smallStruct]{read: unmarshal},
	}
}

// gobLibrary writes the type before each value, because a message that is not part of a stream
// cannot be decoded without it.
func gobLibrary() library[smallStruct] {
	unmarshal := func(b []byte, v *smallStruct) error { return gob.NewDecoder(bytes.NewReader(b)).Decode(v) }
	return library[smallStruct]{
		name: gobName,
		marshal: func(v *smallStruct) ([]byte, error) {
			var b bytes.Buffer
			err := gob.NewEncoder(&b).Encode(v)
			return b.Bytes(), err
		},
		unmarshal: unmarshal,
		format:    format[smallStruct]{read: unmarshal},
	}
}

func nothing() library[smallStruct] {
	encode := func(*smallStruct) ([]byte, error) { return nil, nil }
	decode := func([]byte, *smallStruct) error { return nil }
	return library[smallStruct]{
		name: nothingName, mark: markNothing, marshal: encode, reuse: encode, unmarshal: decode, view: decode, format: format[smallStruct]{read: decode},
	}
}
