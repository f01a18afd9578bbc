package schema

import (
	"bytes"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/slipstream-go/slipstream/bench/schema/pb"
	"github.com/slipstream-go/slipstream/schema"
)

// These tests check the statements of docs/from-protobuf.md about Protocol Buffers against Google's
// library.

// generated contains two messages of types that protoc-gen-go generates. It contains no interfaces.
type generated struct {
	small *pb.SmallStruct
	at    *timestamppb.Timestamp
}

// Types that protoc-gen-go has generated can be kept. package proto reports decoded values as equal
// to the encoded ones.
func TestGeneratedTypes(t *testing.T) {
	timestamps := schema.Part(
		schema.F("seconds", func(t *timestamppb.Timestamp) *int64 { return &t.Seconds }, schema.I64),
		schema.F("nanos", func(t *timestamppb.Timestamp) *int32 { return &t.Nanos }, schema.I32))
	small := schema.Part(
		schema.F("name", func(m *pb.SmallStruct) *string { return &m.Name }, schema.Str8),
		schema.F("birth_day", func(m *pb.SmallStruct) *int64 { return &m.BirthDay }, schema.I64),
		schema.F("phone", func(m *pb.SmallStruct) *string { return &m.Phone }, schema.Str8),
		schema.F("siblings", func(m *pb.SmallStruct) *int32 { return &m.Siblings }, schema.I32),
		schema.F("spouse", func(m *pb.SmallStruct) *bool { return &m.Spouse }, schema.Bool),
		schema.Get("money", schema.F64, (*pb.SmallStruct).GetMoney, func(m *pb.SmallStruct, v float64) { m.Money = v }))
	both := schema.Struct(
		schema.F("small", func(g *generated) **pb.SmallStruct { return &g.small }, schema.Opt(small)),
		schema.F("at", func(g *generated) **timestamppb.Timestamp { return &g.at }, schema.Opt(timestamps)))

	want := generated{&pb.SmallStruct{Name: "ann", BirthDay: 5, Phone: "112", Siblings: -2, Spouse: true, Money: 1.5}, timestamppb.Now()}
	for round := range 2 { // into new values, and into used ones
		b, err := both.Marshal(&want)
		if err != nil {
			t.Fatal(err)
		}
		var got generated
		if round > 0 {
			got = generated{&pb.SmallStruct{Name: "bob", Siblings: 7}, timestamppb.New(time.Unix(7, 7))}
		}
		if err := both.Unmarshal(b, &got); err != nil || !proto.Equal(got.small, want.small) || !proto.Equal(got.at, want.at) {
			t.Errorf("%v %v, %v", got.small, got.at, err)
		}
	}
}

// No Protobuf message begins with a byte from 0 to 7, because that byte would belong to field 0.
func TestFirstByte(t *testing.T) {
	field1, err := proto.Marshal(wrapperspb.Bool(true))
	if err != nil || field1[0] != 8 {
		t.Fatal(field1, err)
	}
	for first := range byte(8) {
		for n := range 10 {
			b := append([]byte{first}, bytes.Repeat([]byte{1}, n)...)
			if proto.Unmarshal(b, new(pb.SmallStruct)) == nil {
				t.Errorf("%x passes", b)
			}
		}
	}
}

// TestFieldSizes compares the sizes of fields in Protobuf and in Slipstream.
func TestFieldSizes(t *testing.T) {
	at := time.Unix(1_700_000_000, 123_456_789)
	for _, c := range []struct {
		name         string
		field        proto.Message // contains one field, number 1
		theirs, ours int
		size         func() (int, error)
	}{
		{"int64 3", wrapperspb.Int64(3), 2, 8, sizeOf(schema.I64, 3)},
		{"int64 3 in a byte", wrapperspb.Int64(3), 2, 1, sizeOf(schema.As[int64](schema.I8), 3)},
		{"int32 -1", wrapperspb.Int32(-1), 11, 4, sizeOf(schema.I32, -1)},
		{"int64 of nanoseconds", wrapperspb.Int64(at.UnixNano()), 10, 8, sizeOf(schema.I64, at.UnixNano())},
		{"double 1.5", wrapperspb.Double(1.5), 9, 8, sizeOf(schema.F64, 1.5)},
		{"double 0", wrapperspb.Double(0), 0, 8, sizeOf(schema.F64, 0)},
		{"true", wrapperspb.Bool(true), 2, 1, sizeOf(schema.Bool, true)},
		{"false", wrapperspb.Bool(false), 0, 1, sizeOf(schema.Bool, false)},
		{"cat", wrapperspb.String("cat"), 5, 4, sizeOf(schema.Str8, "cat")},
		{"no text", wrapperspb.String(""), 0, 1, sizeOf(schema.Str8, "")},
	} {
		if ours, err := c.size(); err != nil || ours != c.ours || proto.Size(c.field) != c.theirs {
			t.Errorf("%s: %d and %d bytes, want %d and %d, %v", c.name, proto.Size(c.field), ours, c.theirs, c.ours, err)
		}
	}
	if n := proto.Size(timestamppb.New(at)); n != 11 { // in a message, a tag and a length are added
		t.Errorf("a Timestamp takes %d bytes", n)
	}
}

func sizeOf[V any](of schema.Type[V], v V) func() (int, error) {
	return func() (int, error) {
		s, err := schema.Of(of)
		if err != nil {
			return 0, err
		}
		b, err := s.Marshal(&v)
		return len(b), err
	}
}
