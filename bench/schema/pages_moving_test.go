package schema

import (
	"bytes"
	"fmt"
	"mime"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/slipstream-go/slipstream/bench/schema/pb"
	"github.com/slipstream-go/slipstream/internal/pages"
	"github.com/slipstream-go/slipstream/schema"
)

// These are the checks of the table in "Moving a service" of docs/from-protobuf.md. A reader
// accepts messages in both formats, Protobuf and schema, and distinguishes them.

// smalls is a schema of a type that protoc-gen-go has generated.
var smalls = schema.Struct(
	schema.F("name", func(m *pb.SmallStruct) *string { return &m.Name }, schema.Str8),
	schema.F("siblings", func(m *pb.SmallStruct) *int32 { return &m.Siblings }, schema.I32))

func aSmall() *pb.SmallStruct { return &pb.SmallStruct{Name: "ann", Siblings: -2} }

// bothMarshaled returns the same message in both formats.
func bothMarshaled(t *testing.T) (theirs, ours []byte) {
	t.Helper()
	theirs, err := proto.Marshal(aSmall())
	if err != nil {
		t.Fatal(err)
	}
	if ours, err = smalls.Marshal(aSmall()); err != nil {
		t.Fatal(err)
	}
	return theirs, ours
}

// grpcCodec has the methods of gRPC's encoding.Codec, which this module does not require.
type grpcCodec struct{}

func (grpcCodec) Name() string { return "slipstream" }

func (grpcCodec) Marshal(v any) ([]byte, error) {
	if m, is := v.(*pb.SmallStruct); is {
		return smalls.Marshal(m)
	}
	return nil, fmt.Errorf("no schema of %T", v)
}

func (grpcCodec) Unmarshal(b []byte, v any) error {
	if m, is := v.(*pb.SmallStruct); is {
		return smalls.Unmarshal(b, m)
	}
	return fmt.Errorf("no schema of %T", v)
}

// moving returns the checks of the rows.
func moving() map[string]func(*testing.T, pages.Row) {
	code := func(t *testing.T, r pages.Row, want ...string) {
		t.Helper()
		if !slices.Equal(r.Code(1), want) {
			t.Fatalf("%s: the page names %q, the check %q", r.Where, r.Code(1), want)
		}
	}
	return map[string]func(*testing.T, pages.Row){
		"HTTP, queues with headers": func(t *testing.T, r pages.Row) {
			code(t, r, "application/x-protobuf", "; fingerprint=…", "ingest-schema.md")
			theirs, ours := bothMarshaled(t)
			print := fmt.Sprintf("%x", smalls.NamedFingerprint())
			for header, b := range map[string][]byte{r.Code(1)[0]: theirs, "application/x-slipstream-schema; schema=small; fingerprint=" + print: ours} {
				media, parameters, err := mime.ParseMediaType(header)
				if err != nil {
					t.Fatal(err)
				}
				read := func(m *pb.SmallStruct) error { return proto.Unmarshal(b, m) }
				if media != "application/x-protobuf" && parameters["fingerprint"] == print {
					read = func(m *pb.SmallStruct) error { return smalls.Unmarshal(b, m) }
				}
				got := new(pb.SmallStruct)
				if err := read(got); err != nil || !proto.Equal(got, aSmall()) {
					t.Errorf("%s: %v, %v", header, got, err)
				}
			}
		},
		"gRPC": func(t *testing.T, r pages.Row) {
			code(t, r, "encoding.RegisterCodec", "Marshal", "Unmarshal")
			var c interface {
				Marshal(v any) ([]byte, error)
				Unmarshal(data []byte, v any) error
				Name() string
			} = grpcCodec{}
			_, ours := bothMarshaled(t)
			b, err := c.Marshal(aSmall())
			got := new(pb.SmallStruct)
			if err2 := c.Unmarshal(b, got); err != nil || err2 != nil || !bytes.Equal(b, ours) || !proto.Equal(got, aSmall()) {
				t.Errorf("%x, %v, %v, %v", b, got, err, err2)
			}
		},
		"bytes without headers": func(t *testing.T, r pages.Row) {
			code(t, r, "Registry", "U8")
			ids := numbers(r.Cells[1])
			if !slices.Equal(ids[:2], []int{0, 7}) {
				t.Fatalf("%s: ids %d", r.Where, ids)
			}
			for id := range 256 {
				models := schema.NewRegistry(schema.U8)
				var got *pb.SmallStruct
				err := schema.Register(models, uint8(id), smalls, func(m *pb.SmallStruct) error { got = m; return nil })
				b, err2 := schema.AppendModel(models, nil, uint8(id), aSmall())
				rest, err3 := models.Dispatch(b)
				if err != nil || err2 != nil || err3 != nil || len(rest) > 0 || b[0] != byte(id) || !proto.Equal(got, aSmall()) {
					t.Fatalf("id %d: %x, %v, %v, %v, %v", id, b, got, err, err2, err3)
				}
				if err := proto.Unmarshal(b, new(pb.SmallStruct)); id <= ids[1] && err == nil {
					t.Errorf("Protobuf reads %x", b)
				}
			}
			// The next byte begins a valid message: field 1, a varint.
			if err := proto.Unmarshal([]byte{byte(ids[1] + 1), 1}, new(pb.SmallStruct)); err != nil {
				t.Errorf("no more ids than the page says: %v", err)
			}
		},
		"files, logs": func(t *testing.T, r pages.Row) {
			code(t, r, "Framed")
			size := numbers(r.Cells[1])[0]
			b, err := smalls.Framed().Append(nil, aSmall())
			print := smalls.Fingerprint()
			if err != nil || size != len(print) || !bytes.Equal(b[:size], print[:]) {
				t.Fatalf("%x does not begin with the %d bytes of %x (%v)", b, size, print, err)
			}
			got := new(pb.SmallStruct)
			if _, err := smalls.Framed().Parse(b, got); err != nil || !proto.Equal(got, aSmall()) {
				t.Error(got, err)
			}
			theirs, _ := bothMarshaled(t)
			if bytes.HasPrefix(theirs, print[:]) {
				t.Errorf("%x begins as a frame", theirs)
			}
			// A Protobuf message may begin with a fingerprint. The fingerprint is then an unknown
			// field, and its second byte is the length of the field.
			for n := range 1000 {
				print := shapeOf(t, fmt.Sprintf("{skip%d}", n+1)).Fingerprint()
				made := append(print[:], make([]byte, 128)...)
				if tag, length := print[0], int(print[1]); tag > 16 && tag < 128 && tag&7 == 2 && length > 6 && length < 128 {
					if err := proto.Unmarshal(made[:2+length], new(pb.SmallStruct)); err == nil {
						return
					}
				}
			}
			t.Error("no message of Protobuf begins with a fingerprint")
		},
	}
}

// TestOwnTypesAfterGeneratedOnes checks the last step. A hand-written type with the same
// Fingerprint has the same bytes. If it has a value in place of the generated type's pointer, and
// so no Opt, the bytes and the Fingerprint differ.
func TestOwnTypesAfterGeneratedOnes(t *testing.T) {
	type own struct {
		Siblings int32
		Name     string
	}
	same := schema.Struct(
		schema.F("called", func(o *own) *string { return &o.Name }, schema.Str8),
		schema.F("siblings", func(o *own) *int32 { return &o.Siblings }, schema.I32))
	_, generated := bothMarshaled(t)
	b, err := same.Marshal(&own{-2, "ann"})
	if err != nil || same.Fingerprint() != smalls.Fingerprint() || !bytes.Equal(b, generated) {
		t.Errorf("%x, %v; want %x", b, err, generated)
	}

	type pointer struct{ Name *string }
	type value struct{ Name string }
	name := "ann"
	optional := schema.Struct(schema.F("name", func(p *pointer) **string { return &p.Name }, schema.Opt(schema.Str8)))
	plain := schema.Struct(schema.F("name", func(v *value) *string { return &v.Name }, schema.Str8))
	before, err := optional.Marshal(&pointer{&name})
	after, err2 := plain.Marshal(&value{name})
	if err != nil || err2 != nil || bytes.Equal(before, after) || optional.Fingerprint() == plain.Fingerprint() {
		t.Errorf("%x and %x, %v, %v", before, after, err, err2)
	}
}
