package schema

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

// A protoType is a Protobuf message (proto3). Tests use its first field, number 1.
type protoType struct {
	t          *testing.T
	descriptor protoreflect.MessageDescriptor
}

// protoFields returns the message with these fields, written as in a .proto file. A field of type
// message is a message that contains a string.
func protoFields(t *testing.T, fields string) protoType {
	t.Helper()
	file, err := protoFile(fields)
	if err != nil {
		t.Fatalf("%s: %v", fields, err)
	}
	return protoType{t, file.Messages().ByName("M")}
}

var protoField = regexp.MustCompile(`^(optional |repeated )?(\w+) (\w+) = (\d+)$`)

// protoFile compiles a message M with these fields. "reserved n" reserves all numbers from n to 99.
func protoFile(fields string) (protoreflect.FileDescriptor, error) {
	var body, oneofs strings.Builder
	for field := range strings.SplitSeq(fields, "; ") {
		if number, is := strings.CutPrefix(field, "reserved "); is {
			fmt.Fprintf(&body, "reserved_range { start: %s end: 100 } ", number)
			continue
		}
		m := protoField.FindStringSubmatch(field)
		if m == nil {
			return nil, fmt.Errorf("%q is no field", field)
		}
		label, of := "LABEL_OPTIONAL", "type: TYPE_"+strings.ToUpper(m[2])
		if m[1] == "repeated " {
			label = "LABEL_REPEATED"
		}
		if m[2] == "message" {
			of += ` type_name: ".Part"`
		}
		if m[1] == "optional " {
			of += " proto3_optional: true oneof_index: 0"
			fmt.Fprintf(&oneofs, `oneof_decl { name: "_%s" } `, m[3])
		}
		fmt.Fprintf(&body, "field { name: %q number: %s label: %s %s } ", m[3], m[4], label, of)
	}
	file := new(descriptorpb.FileDescriptorProto)
	err := prototext.Unmarshal([]byte(`name: "page.proto" syntax: "proto3" message_type { name: "M" `+body.String()+oneofs.String()+`}
		message_type { name: "Part" field { name: "s" number: 1 label: LABEL_OPTIONAL type: TYPE_STRING } field { name: "m" number: 2 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".Part" } }`), file)
	if err != nil {
		return nil, err
	}
	return protodesc.NewFile(file, nil)
}

func (p protoType) message() *dynamicpb.Message { return dynamicpb.NewMessage(p.descriptor) }

// one returns the field that tests use.
func (p protoType) one() protoreflect.FieldDescriptor { return p.descriptor.Fields().ByNumber(1) }

// write returns the encoding of a message whose first field has the value.
func (p protoType) write(value any) []byte {
	p.t.Helper()
	m := p.message()
	m.Set(p.one(), protoreflect.ValueOf(value))
	return p.marshal(m)
}

// some returns the encoding of a message whose first field has a value. If the field is a list, it
// has two such values.
func (p protoType) some() []byte {
	p.t.Helper()
	m := p.message()
	field := p.one()
	element := func() protoreflect.Value {
		switch field.Kind() {
		case protoreflect.StringKind:
			return protoreflect.ValueOfString("x")
		case protoreflect.BytesKind:
			return protoreflect.ValueOfBytes([]byte("x"))
		case protoreflect.MessageKind:
			part := dynamicpb.NewMessage(field.Message())
			part.Set(part.Descriptor().Fields().ByNumber(1), protoreflect.ValueOfString("x"))
			return protoreflect.ValueOfMessage(part)
		default:
			return protoreflect.ValueOfInt64(7)
		}
	}
	if field.IsList() {
		list := m.Mutable(field).List()
		list.Append(element())
		list.Append(element())
	} else {
		m.Set(field, element())
	}
	return p.marshal(m)
}

func (p protoType) marshal(m proto.Message) []byte {
	p.t.Helper()
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m) // otherwise the fields of a dynamic message have no fixed order
	if err != nil {
		p.t.Fatal(err)
	}
	return b
}

// read decodes a message, and returns its first field as text.
func (p protoType) read(b []byte) (string, error) {
	m := p.message()
	err := proto.Unmarshal(b, m)
	v := m.Get(p.one())
	if p.one().IsList() {
		var all []string
		for i := range v.List().Len() {
			all = append(all, text(v.List().Get(i).Interface()))
		}
		return fmt.Sprint(all), err
	}
	return text(v.Interface()), err
}

func mustRead(t *testing.T, p protoType, b []byte) string {
	t.Helper()
	s, err := p.read(b)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// text returns a Protobuf value as text. Equal values have equal texts.
func text(value any) string {
	switch v := value.(type) {
	case []byte:
		return fmt.Sprintf("%x", v)
	case protoreflect.Message:
		b, _ := proto.MarshalOptions{Deterministic: true}.Marshal(v.Interface())
		return fmt.Sprintf("message %x", b)
	default:
		return fmt.Sprint(v)
	}
}

// passesOn checks that the older version keeps a field that it does not know.
func (p *protoPair) passesOn(t *testing.T) {
	t.Helper()
	m := p.new.message()
	m.Set(p.new.one(), protoreflect.ValueOfInt64(7))
	m.Set(p.new.descriptor.Fields().ByNumber(2), protoreflect.ValueOfInt64(9))
	b := p.new.marshal(m)
	old := p.old.message()
	if err := proto.Unmarshal(b, old); err != nil || !bytes.Equal(p.old.marshal(old), b) {
		t.Errorf("%x: %v", p.old.marshal(old), err)
	}
}

func hexOf(b []byte) string { return fmt.Sprintf("%x", b) }
