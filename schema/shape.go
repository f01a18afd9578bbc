package schema

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/slipstream-go/slipstream/internal/jsonfault"
)

// Shape is the layout of messages, without Go types. It can be stored as JSON, compared by
// [Compat], and inspected. The zero Shape describes a struct without fields. UnmarshalJSON is the
// only method that changes a Shape.
//
// In JSON, each type is an object with up to three members. "type" is the type's word in the
// notation of [Schema.String]. "key" is the type of a map's keys. "of" is the type of the elements
// of a list or an array, of the values of a map, or of the value of an option. A struct has the
// member "fields" instead:
//
//	{"fields": [
//		{"name": "name", "type": "str8"},
//		{"name": "grades", "type": "map8", "key": {"type": "str8"}, "of": {"type": "u8"}},
//		{"type": "skip10"},
//		{"name": "pet", "fields": [{"name": "age", "type": "u8"}, {"name": "mother", "type": "opt", "of": {"type": "^0"}}]},
//		{"name": "email", "tail": true, "type": "str16"}
//	]}
//
// [Compat] and `slipctl schema check old.json new.json` compare the shapes of two versions, and
// report whether each version can read the other's messages. A program can keep the shapes of its
// schemas in files, and compare the schemas with these files in a test. Then code reviews show
// changes of the encoding:
//
//	func TestWire(t *testing.T) {
//		got, err := json.MarshalIndent(pets.Shape(), "", "\t")
//		if err != nil {
//			t.Fatal(err)
//		}
//		want, err := os.ReadFile("testdata/pets.json")
//		if err != nil {
//			t.Fatal(err)
//		}
//		if !bytes.Equal(got, bytes.TrimSpace(want)) {
//			t.Errorf("pets are not what testdata/pets.json says, but\n%s", got)
//		}
//	}
type Shape struct{ n *node }

// Shape returns the layout of the messages.
func (s *Schema[T]) Shape() *Shape { return &Shape{s.n} }

// root returns the node of the message.
func (s *Shape) root() *node {
	if s.n == nil {
		return &node{kind: kindStruct}
	}
	return s.n
}

// String returns the notation of the shape as one line of text, like [Schema.String].
func (s *Shape) String() string { return s.text(true) }

func (s *Shape) text(names bool) string {
	var t strings.Builder
	notation{names: names}.node(&t, s.root())
	return t.String()
}

// layout is the JSON form of a node.
type layout struct {
	Name   string   `json:"name,omitempty"`
	Tail   bool     `json:"tail,omitempty"`
	Type   string   `json:"type,omitempty"`
	Key    *layout  `json:"key,omitempty"`
	Of     *layout  `json:"of,omitempty"`
	Fields []layout `json:"fields,omitzero"`
}

// MarshalJSON returns the shape as JSON. The receiver is not a pointer, so that encoding/json also
// calls this method for a Shape in another struct.
func (s Shape) MarshalJSON() ([]byte, error) { return json.Marshal(notation{}.layout(s.root())) }

func (t notation) layout(n *node) *layout {
	if n.kind != kindStruct {
		l := &layout{Type: t.word(n)}
		if n.key != nil {
			l.Key = t.layout(n.key)
		}
		if n.elem != nil && n.kind != kindSelf {
			l.Of = t.layout(n.elem)
		}
		return l
	}
	t.open = append(t.open[:len(t.open):len(t.open)], n)
	l := &layout{Fields: []layout{}}
	for _, f := range n.fields {
		part := layout{Type: skipOf(f.skip)}
		if f.n != nil {
			part = *t.layout(f.n)
		}
		part.Name, part.Tail = f.name, f.tail
		l.Fields = append(l.Fields, part)
	}
	return l
}

// UnmarshalJSON parses a shape strictly: unknown keys and types are errors, and so are the mistakes
// that [Build] reports. A shape may contain up to 16,384 fields and types, nested up to 64 levels
// deep. After an error, the shape is unchanged.
func (s *Shape) UnmarshalJSON(text []byte) error {
	var l layout
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&l); err != nil {
		return jsonfault.Plain(err)
	}
	var b builder
	read, err := b.shape(b.part(&l))
	if err == nil {
		*s = *read
	}
	return err
}

// part returns the node of a type that is not a field.
func (b *builder) part(l *layout) *node {
	n := b.layout(l)
	if l.Name != "" || l.Tail {
		n.wrong("only a field has name and tail, and %q is not a field", l.Name)
	}
	return n
}

func (b *builder) layout(l *layout) *node {
	defer b.leave()
	switch {
	case !b.enter():
		return new(node)
	case l.Fields == nil:
		n, parts := b.word(l.Type)
		switch {
		case (l.Key != nil) != (parts == 2) || (l.Of != nil) != (parts > 0):
			n.wrong("%q: maps have a key and an of; lists, arrays and options have an of; others have none", l.Type)
			return n
		case parts == 2:
			n.key = b.part(l.Key)
		}
		if parts > 0 {
			n.elem = b.part(l.Of)
		}
		return n
	}
	return b.structure(func(n *node) {
		if l.Type != "" || l.Key != nil || l.Of != nil {
			n.wrong("a struct with fields cannot have type, key or of")
		}
		for i := range l.Fields {
			f := b.field(n, &l.Fields[i])
			f.tail = l.Fields[i].Tail
			n.fields = append(n.fields, f)
		}
	})
}

func (b *builder) field(n *node, l *layout) field {
	skip, ok := n.skip(l.Type)
	if !ok {
		return field{name: l.Name, n: b.layout(l)}
	}
	b.enter()
	b.leave()
	if l.Name != "" || l.Key != nil || l.Of != nil || l.Fields != nil {
		n.wrong("%q can have nothing but tail", l.Type)
	}
	return skip
}
