package schema

import (
	"bytes"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/slipstream-go/slipstream/bench/schema/pb"
	"github.com/slipstream-go/slipstream/internal/pages"
	"github.com/slipstream-go/slipstream/schema"
)

// These tests check the statements about generated types in the steps of "Moving a service" in
// docs/from-protobuf.md. In addition to TestGeneratedTypes, they cover a oneof, repeated messages,
// and hand-written types that replace generated ones.

// kindOf returns a computed field for one kind of the oneof in Google's Value. get and set handle
// only this kind.
func kindOf[V any](name string, t schema.Type[V], get func(*structpb.Value) (V, bool), set func(V) *structpb.Value) schema.Field[structpb.Value] {
	return schema.Get(name, schema.Opt(t), func(m *structpb.Value) *V {
		if v, is := get(m); is {
			return &v
		}
		return nil
	}, func(m *structpb.Value, v *V) {
		if v != nil {
			m.Kind = set(*v).Kind
		}
	})
}

// values returns a type with three kinds of the oneof in Google's Value. Each kind is "a Get of an
// Opt".
func values() schema.Type[structpb.Value] {
	return schema.Part(
		kindOf("number", schema.F64, func(m *structpb.Value) (float64, bool) {
			_, is := m.Kind.(*structpb.Value_NumberValue)
			return m.GetNumberValue(), is
		}, structpb.NewNumberValue),
		kindOf("text", schema.Str8, func(m *structpb.Value) (string, bool) {
			_, is := m.Kind.(*structpb.Value_StringValue)
			return m.GetStringValue(), is
		}, structpb.NewStringValue),
		kindOf("bool", schema.Bool, func(m *structpb.Value) (bool, bool) {
			_, is := m.Kind.(*structpb.Value_BoolValue)
			return m.GetBoolValue(), is
		}, structpb.NewBoolValue))
}

// oneofs checks the row `oneof`, and step 1. A kind without a value takes one byte, and all values
// are decoded unchanged.
func oneofs(t *testing.T, _ pages.Row) {
	list := schema.Struct(schema.F("values", func(l *structpb.ListValue) *[]*structpb.Value { return &l.Values },
		schema.List(schema.H8, schema.Opt(values()))))
	want := &structpb.ListValue{Values: []*structpb.Value{
		structpb.NewNumberValue(0), structpb.NewStringValue(""), structpb.NewBoolValue(false), structpb.NewNumberValue(-1.5), nil, {},
	}}
	b, err := list.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if size := 1 + (1 + 3 + 8) + (1 + 3 + 1) + (1 + 3 + 1) + (1 + 3 + 8) + 1 + (1 + 3); len(b) != size {
		t.Errorf("%d bytes, want %d: %x", len(b), size, b)
	}
	got := new(structpb.ListValue)
	if err := list.Unmarshal(b, got); err != nil || len(got.Values) != len(want.Values) {
		t.Fatal(got, err)
	}
	for i, v := range want.Values {
		if !proto.Equal(got.Values[i], v) {
			t.Errorf("value %d: %v, want %v", i, got.Values[i], v)
		}
	}
	// Your code has to check that only one kind is there: the schema decodes a message that has
	// two.
	two := append([]byte{1, 1, 1}, make([]byte, 8)...)
	two = append(two, 1, 1, 'x', 0)
	if err := list.Unmarshal(two, got); err != nil || got.Values[0].GetStringValue() != "x" {
		t.Error(got, err)
	}
}

// own is a hand-written type that replaces the generated type.
type own struct {
	Name     string
	Siblings int32
}

// Step 6: without the Opt, the bytes and the Fingerprint change. If the Fingerprint is the same, so
// are the bytes.
func TestPagesMovingToOwnTypes(t *testing.T) {
	part := schema.Part(
		schema.F("name", func(m *own) *string { return &m.Name }, schema.Str8),
		schema.F("siblings", func(m *own) *int32 { return &m.Siblings }, schema.I32))
	owns, err := schema.Of(part)
	if err != nil {
		t.Fatal(err)
	}
	_, generated := bothMarshaled(t)
	b, err := owns.Marshal(&own{aSmall().Name, aSmall().Siblings})
	if err != nil || owns.Fingerprint() != smalls.Fingerprint() || !bytes.Equal(b, generated) {
		t.Errorf("%x of %x, and %x of %x (%v)", b, owns.Fingerprint(), generated, smalls.Fingerprint(), err)
	}

	type holder struct {
		pointer *pb.SmallStruct
		value   own
	}
	before := schema.Struct(schema.F("small", func(h *holder) **pb.SmallStruct { return &h.pointer }, schema.Opt(smalls.Type())))
	after := schema.Struct(schema.F("small", func(h *holder) *own { return &h.value }, part))
	h := holder{aSmall(), own{aSmall().Name, aSmall().Siblings}}
	old, err := before.Marshal(&h)
	if err != nil {
		t.Fatal(err)
	}
	now, err := after.Marshal(&h)
	if err != nil || before.Fingerprint() == after.Fingerprint() || bytes.Equal(old, now) {
		t.Errorf("%x of %x, and %x of %x (%v)", old, before.Fingerprint(), now, after.Fingerprint(), err)
	}
}
