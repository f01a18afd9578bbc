package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/slipstream-go/slipstream/internal/pages"
	"github.com/slipstream-go/slipstream/schema"

	dropin "github.com/slipstream-go/slipstream/json"
)

// These are the checks of the table "What corresponds" in docs/from-protobuf.md.

// written returns the encoding of v by a schema of the type.
func written[V any](t *testing.T, of schema.Type[V], v V) []byte {
	t.Helper()
	_, b := marshaled(t, of, v)
	return b
}

// marshaled returns a schema of the type, and the encoding of v.
func marshaled[V any](t *testing.T, of schema.Type[V], v V) (*schema.Schema[V], []byte) {
	t.Helper()
	s, err := schema.Of(of)
	if err != nil {
		t.Fatal(err)
	}
	b, err := s.Marshal(&v)
	if err != nil {
		t.Fatal(err)
	}
	return s, b
}

// sameAfterTag checks that a Protobuf field has, after its tag, the same bytes as Slipstream's
// encoding.
func sameAfterTag[V any](t *testing.T, field string, value any, of schema.Type[V], v V) {
	t.Helper()
	theirs, got := protoFields(t, field+" a = 1").write(value), written(t, of, v)
	if !bytes.Equal(theirs[1:], got) {
		t.Errorf("%s: %x after the tag, and ours are %x", field, theirs[1:], got)
	}
}

// isThrough checks that encoding and decoding preserve v.
func isThrough[V comparable](t *testing.T, of schema.Type[V], v V) {
	t.Helper()
	if back, err := through(t, of, v); err != nil || back != v {
		t.Errorf("%v comes back as %v, %v", v, back, err)
	}
}

// optional checks an option without a value, one whose value is zero, and one with another value.
func optional(t *testing.T) {
	t.Helper()
	of := schema.Opt(schema.I64)
	for want, v := range map[string]*int64{"00": nil, "010000000000000000": new(int64), "010700000000000000": new(int64(7))} {
		back, err := through(t, of, v)
		if got := hexOf(written(t, of, v)); got != want || err != nil || (back == nil) != (v == nil) || v != nil && *back != *v {
			t.Errorf("%s, want %s; %v, %v", got, want, back, err)
		}
	}
}

type state uint8

type version struct {
	ID   uint8
	Old  uint32
	Last uint8
}

// fieldsOf returns a schema of version. The caller chooses the second field, which may skip bytes.
func fieldsOf(old schema.Field[version]) *schema.Schema[version] {
	return schema.Struct(
		schema.F("id", func(v *version) *uint8 { return &v.ID }, schema.U8), old,
		schema.F("last", func(v *version) *uint8 { return &v.Last }, schema.U8))
}

var withOld = schema.F("old", func(v *version) *uint32 { return &v.Old }, schema.U32)

// correspondences returns the checks of the rows.
func correspondences() map[string]func(*testing.T, pages.Row) {
	return map[string]func(*testing.T, pages.Row){
		"`message`": func(t *testing.T, _ pages.Row) {
			s, v := fieldsOf(withOld), version{1, 2, 3}
			b, err := s.Marshal(&v)
			var back version
			if err2 := s.Unmarshal(b, &back); err != nil || err2 != nil || back != v {
				t.Error(back, err, err2)
			}
		},
		"field number": func(t *testing.T, _ pages.Row) {
			type swapped struct {
				B uint8
				A uint8
			}
			type straight struct{ A, B uint8 }
			one, err := schema.Struct(schema.F("a", func(s *straight) *uint8 { return &s.A }, schema.U8), schema.F("b", func(s *straight) *uint8 { return &s.B }, schema.U8)).Marshal(&straight{1, 2})
			two, err2 := schema.Struct(schema.F("a", func(s *swapped) *uint8 { return &s.A }, schema.U8), schema.F("b", func(s *swapped) *uint8 { return &s.B }, schema.U8)).Marshal(&swapped{A: 1, B: 2})
			if err != nil || err2 != nil || !bytes.Equal(one, two) {
				t.Errorf("%x, %x, %v, %v", one, two, err, err2)
			}
			derived, err := schema.Derive[swapped]()
			if err != nil {
				t.Fatal(err)
			}
			if three, err := derived.Marshal(&swapped{A: 1, B: 2}); err != nil || bytes.Equal(three, one) {
				t.Errorf("derived: %x, %v", three, err)
			}
		},
		"`fixed32` `sfixed32` `fixed64` `sfixed64` `float` `double`": func(t *testing.T, _ pages.Row) {
			sameAfterTag(t, "fixed32", uint32(0xfe000001), schema.U32, 0xfe000001)
			sameAfterTag(t, "sfixed32", int32(-2), schema.I32, -2)
			sameAfterTag(t, "fixed64", uint64(0xfe00000000000001), schema.U64, 0xfe00000000000001)
			sameAfterTag(t, "sfixed64", int64(-2), schema.I64, -2)
			sameAfterTag(t, "float", float32(1.5), schema.F32, 1.5)
			sameAfterTag(t, "double", 1.5, schema.F64, 1.5)
		},
		"`int32` `sint32` `uint32` … as varints": func(t *testing.T, r pages.Row) {
			if code := r.Code(1); code[2] != "As[int64](U16)" {
				t.Fatal(code)
			}
			of := schema.As[int64](schema.U16)
			if b := written(t, of, 300); len(b) != 2 {
				t.Errorf("%x", b)
			}
			isThrough(t, of, 65535)
			if _, err := sizeOf(of, 65536)(); !errors.Is(err, schema.ErrOverflow) {
				t.Error(err)
			}
			if s, err := protoFields(t, "int64 a = 1").read(protoFields(t, "int64 a = 1").write(int64(65536))); s != "65536" || err != nil {
				t.Error(s, err)
			}
		},
		"`bool`, `string`, `bytes`": func(t *testing.T, _ pages.Row) {
			sameAfterTag(t, "bool", true, schema.Bool, true)
			sameAfterTag(t, "string", "cat", schema.Str8, "cat") // a length below 128 is one byte in both formats
			sameAfterTag(t, "bytes", []byte("cat"), schema.Blob(schema.H8), []byte("cat"))
			for _, of := range []schema.Type[string]{schema.Str8, schema.Str16, schema.Str32} {
				isThrough(t, of, "\xff")
			}
			if p := protoFields(t, "string a = 1"); proto.Unmarshal([]byte("\x0a\x01\xff"), p.message()) == nil {
				t.Error("Protobuf reads a string that is not UTF-8")
			}
		},
		"`optional`": func(t *testing.T, _ pages.Row) {
			optional(t)
			p := protoFields(t, "optional int64 a = 1")
			if missing, zero := p.marshal(p.message()), p.write(int64(0)); len(missing) != 0 || len(zero) != 2 {
				t.Errorf("%x, %x", missing, zero)
			}
		},
		"a field without `optional`: zero is not written": func(t *testing.T, _ pages.Row) {
			if theirs := protoFields(t, "fixed64 a = 1").write(uint64(0)); len(theirs) != 0 {
				t.Errorf("%x", theirs)
			}
			if got := written(t, schema.U64, 0); len(got) != 8 {
				t.Errorf("%x", got)
			}
		},
		"`repeated`, packed or not": func(t *testing.T, _ pages.Row) {
			p := protoFields(t, "repeated fixed32 a = 1")
			for _, b := range []string{"\x0a\x08\x01\x00\x00\x00\x02\x00\x00\x00", "\x0d\x01\x00\x00\x00\x0d\x02\x00\x00\x00"} {
				if s := mustRead(t, p, []byte(b)); s != "[1 2]" {
					t.Errorf("%x: %s", b, s)
				}
			}
			want := "0100000002000000"
			if got := hexOf(written(t, schema.List(schema.H8, schema.U32), []uint32{1, 2})); got != "02"+want {
				t.Error(got)
			}
			if got := hexOf(written(t, schema.Fixed(2, schema.U32), []uint32{1, 2})); got != want {
				t.Error(got)
			}
			if got := hexOf(written(t, schema.Array[[2]uint32](schema.U32), [2]uint32{1, 2})); got != want {
				t.Error(got)
			}
		},
		"`map<k, v>`": func(t *testing.T, _ pages.Row) {
			s, err := schema.Of(schema.Map(schema.H8, schema.Str8, schema.U8))
			if err != nil {
				t.Fatal(err)
			}
			m := map[string]uint8{"b": 2, "a": 1, "c": 3}
			for range 20 {
				if b, err := s.With(schema.SortMaps).Marshal(&m); err != nil || hexOf(b) != "03016101016202016303" {
					t.Fatalf("%x, %v", b, err)
				}
			}
		},
		"a message in a message": func(t *testing.T, _ pages.Row) {
			type inner struct{ N uint32 }
			of := schema.Part(schema.F("n", func(i *inner) *uint32 { return &i.N }, schema.U32))
			if got := hexOf(written(t, of, inner{7})); got != "07000000" { // no tag, no length
				t.Error(got)
			}
			if got := hexOf(written(t, schema.Opt(of), nil)); got != "00" {
				t.Error(got)
			}
			p := protoFields(t, "message a = 1")
			if b := p.some(); !bytes.Equal(b, []byte("\x0a\x03\x0a\x01x")) {
				t.Errorf("%x", b)
			}
		},
		"a message that contains its own type": func(t *testing.T, _ pages.Row) {
			b, err := links.Append(nil, chain(5))
			back := new(link)
			if err2 := links.Unmarshal(b, back); err != nil || err2 != nil || hexOf(b) != "0101010100" {
				t.Errorf("%x, %v, %v", b, err, err2)
			}
			if p := protoFields(t, "message a = 1"); proto.Unmarshal(nestedMessages(5), p.message()) != nil {
				t.Error("Protobuf does not read messages in messages")
			}
		},
		"`enum`": func(t *testing.T, _ pages.Row) {
			isThrough(t, schema.As[state](schema.U8), 200) // a value without a name
			v := new(structpb.Value)
			if err := proto.Unmarshal([]byte{0x08, 7}, v); err != nil || v.Kind.(*structpb.Value_NullValue).NullValue != 7 {
				t.Error(v, err)
			}
		},
		"`oneof`": oneofs, // and the page's example is tested in the root module
		"`google.protobuf.Timestamp`": func(t *testing.T, r pages.Row) {
			years := numbers(r.Cells[1])
			for _, at := range []time.Time{time.Unix(1_700_000_000, 5).UTC(), {}, time.Date(years[0], 1, 1, 0, 0, 0, 1, time.UTC), time.Date(years[1], 12, 31, 0, 0, 0, 1, time.UTC)} {
				isThrough(t, schema.Time, at)
			}
			for _, at := range []time.Time{time.Date(years[0]-1, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(years[1]+1, 12, 31, 0, 0, 0, 0, time.UTC)} {
				if _, err := sizeOf(schema.Time, at)(); !errors.Is(err, schema.ErrTime) {
					t.Error(at, err)
				}
			}
		},
		"`Duration`": func(t *testing.T, _ pages.Row) { isThrough(t, schema.As[time.Duration](schema.I64), -90*time.Second) },
		"wrappers: `Int64Value` …": func(t *testing.T, _ pages.Row) {
			optional(t)
			if b, err := proto.Marshal(wrapperspb.Int64(0)); err != nil || len(b) != 0 { // within a message: a tag and a length of zero
				t.Errorf("%x, %v", b, err)
			}
		},
		"`Struct`, `Value`": func(t *testing.T, _ pages.Row) {
			v, err := structpb.NewValue(map[string]any{"a": []any{1.0, "x", nil, true}})
			if err != nil {
				t.Fatal(err)
			}
			text, err := protojson.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			back, err := through(t, schema.Blob(schema.H16), text)
			got := new(structpb.Value)
			if err2 := protojson.Unmarshal(back, got); err != nil || err2 != nil || !proto.Equal(got, v) {
				t.Errorf("%v, %v, %v", got, err, err2)
			}
		},
		"`Any`": func(t *testing.T, _ pages.Row) {
			models := schema.NewRegistry(schema.U8)
			var seen version
			if err := schema.Register(models, 3, fieldsOf(withOld), func(v *version) error { seen = *v; return nil }); err != nil {
				t.Fatal(err)
			}
			want := version{1, 2, 3}
			b, err := schema.AppendModel(models, nil, 3, &want)
			if err != nil || b[0] != 3 {
				t.Fatalf("%x, %v", b, err)
			}
			back, err := through(t, schema.Blob(schema.H16), b) // within a message
			if rest, err2 := models.Dispatch(back); err != nil || err2 != nil || len(rest) > 0 || seen != want {
				t.Error(seen, rest, err, err2)
			}
		},
		"`reserved`": func(t *testing.T, _ pages.Row) {
			b, err := fieldsOf(withOld).Marshal(&version{1, 0xffffffff, 3})
			if err != nil {
				t.Fatal(err)
			}
			var v, again version
			err = fieldsOf(schema.Skip[version](4)).Unmarshal(b, &v)
			// The bytes are reused for another field, and no error is reported.
			other := schema.F("other", func(v *version) *uint32 { return &v.Old }, schema.U32BE)
			if err2 := fieldsOf(other).Unmarshal(b, &again); err != nil || err2 != nil || v != (version{ID: 1, Last: 3}) {
				t.Error(v, again, err, err2)
			}
		},
		"unknown fields": func(t *testing.T, _ pages.Row) {
			var v version
			rest, err := fieldsOf(withOld).Parse([]byte{1, 2, 0, 0, 0, 3, 8, 9}, &v)
			if err != nil || v != (version{1, 2, 3}) || !bytes.Equal(rest, []byte{8, 9}) {
				t.Error(v, rest, err)
			}
			p := protoFields(t, "int64 a = 1")
			m := p.message()
			if err := proto.Unmarshal([]byte{8, 1, 0x10, 9}, m); err != nil || len(m.GetUnknown()) != 2 {
				t.Error(m.GetUnknown(), err)
			}
		},
		"default values (proto2)": func(t *testing.T, _ pages.Row) {
			v := version{Last: 9} // the value from before decoding is overwritten, because every field is in the message
			b, err := fieldsOf(withOld).Marshal(new(version))
			if err2 := fieldsOf(withOld).Unmarshal(b, &v); err != nil || err2 != nil || v.Last != 0 {
				t.Error(v, err, err2)
			}
		},
		"`required` (proto2)": func(t *testing.T, _ pages.Row) {
			if err := fieldsOf(withOld).Unmarshal([]byte{1, 2, 0, 0, 0}, new(version)); !errors.Is(err, schema.ErrShort) {
				t.Error(err)
			}
		},
		"a length before each message of a stream": func(t *testing.T, _ pages.Row) {
			s := fieldsOf(withOld)
			b, err := s.Append(nil, &version{1, 2, 3})
			b, err2 := s.Append(b, &version{4, 5, 6})
			var all []version
			for v, err := range s.Reader(bytes.NewReader(b)).All() {
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, *v)
			}
			if err != nil || err2 != nil || len(all) != 2 || all[1] != (version{4, 5, 6}) {
				t.Error(all, err, err2)
			}
			limits()["a message with a `Tail`"](t, pages.Row{})
		},
		"`protojson`, `prototext`": func(t *testing.T, _ pages.Row) {
			b, err := dropin.Marshal(version{1, 2, 3})
			var back version
			if err2 := dropin.Unmarshal(b, &back); err != nil || err2 != nil || back != (version{1, 2, 3}) {
				t.Errorf("%s, %v, %v", b, err, err2)
			}
		},
		"descriptors": func(t *testing.T, _ pages.Row) {
			s := fieldsOf(withOld)
			text, err := json.Marshal(s.Shape())
			fromJSON := new(schema.Shape)
			err2 := json.Unmarshal(text, fromJSON)
			if line := s.String(); err != nil || err2 != nil || fromJSON.Fingerprint() != s.Fingerprint() || shapeOf(t, line).Fingerprint() != s.Fingerprint() {
				t.Errorf("%s, %s, %v, %v", text, line, err, err2)
			}
			if protoFields(t, "int64 a = 1").descriptor.Fields().ByNumber(1).Kind() != protoreflect.Int64Kind {
				t.Error("a descriptor without the kind of a field")
			}
		},
	}
}
