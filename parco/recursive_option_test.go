package parco_test

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"testing"

	. "github.com/slipstream-go/slipstream/parco"
	"github.com/slipstream-go/slipstream/schema"
)

type links struct {
	N    uint8
	Next *links
}

// ParseBytes reads a linked list whose option is the last field like Parse does.
func TestParseBytesOfModelThatEndsWithItself(t *testing.T) {
	b := Builder[links](nil).UInt8(func(l *links) uint8 { return l.N }, func(l *links, n uint8) { l.N = n })
	b = b.Option(OptionField[links, links](Struct(b), func(l *links, next *links) { l.Next = next }, func(l *links) *links { return l.Next }))
	v := links{1, &links{2, &links{3, nil}}}
	data := compiled(t, b, v)
	if got, err := b.Parse(reader(data)); err != nil || !reflect.DeepEqual(got, v) {
		t.Errorf("Parse: %+v, %v", got, err)
	}
	if got, err := b.ParseBytes(data); err != nil || !reflect.DeepEqual(got, v) {
		t.Errorf("ParseBytes: %+v, %v", got, err)
	}
	if got, err := b.ParseBytes([]byte{7}); err != nil || !reflect.DeepEqual(got, links{N: 7}) { // an older message without the option
		t.Errorf("ParseBytes of an older message: %+v, %v", got, err)
	}
}

type node struct {
	Name string
	Next *node
	More []node
}

func nodeBuilder() ModelBuilder[node] {
	b := Builder[node](nil).SmallVarchar(func(n *node) string { return n.Name }, func(n *node, v string) { n.Name = v })
	b = b.Option(OptionField[node, node](Struct(b), func(n *node, v *node) { n.Next = v }, func(n *node) *node { return n.Next }))
	return b.Slice(SliceField[node, node](UInt8Header(), Struct(b), func(n *node, v SliceView[node]) { n.More = v },
		func(n *node) SliceView[node] { return n.More }))
}

// A model can contain itself, up to a maximum depth.
func TestRecursion(t *testing.T) {
	v := node{"a", &node{"b", nil, []node{{"c", nil, []node{}}}}, []node{}}
	b := compiled(t, nodeBuilder(), v)
	if want := "\x01a\x01\x01b\x00\x01\x01c\x00\x00\x00"; string(b) != want {
		t.Fatalf("%q, want %q", b, want)
	}
	p := ParserModel[node](nil).SmallVarchar(func(n *node, v string) { n.Name = v })
	p.Option(OptionFieldSetter[node, node](StructPar(p), func(n *node, v *node) { n.Next = v })).
		Slice(SliceFieldSetter[node, node](UInt8Header(), StructPar(p), func(n *node, v SliceView[node]) { n.More = v }))
	for name, p := range map[string]ParserType[node]{"builder": nodeBuilder(), "parser": p} {
		if got, err := p.Parse(reader(b)); err != nil || !reflect.DeepEqual(got, v) {
			t.Errorf("%s: %+v %v", name, got, err)
		}
		deep := bytes.Repeat([]byte("\x00\x01"), 1<<20)
		if _, err := p.Parse(reader(deep)); !errors.Is(err, schema.ErrDepth) {
			t.Errorf("%s: %v", name, err)
		}
		deep = append(bytes.Repeat([]byte("\x00\x01"), 9000), bytes.Repeat([]byte("\x00"), 9003)...)
		if _, err := p.Parse(reader(deep)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	circle := &node{Name: "a"}
	circle.Next = circle
	if err := nodeBuilder().Compile(*circle, io.Discard); !errors.Is(err, schema.ErrDepth) {
		t.Error(err)
	}
	// A model that contains itself through another model is rejected, because the reference is
	// ambiguous.
	outer := Builder[node](nil)
	between := Builder[node](nil).Option(OptionField[node, node](Struct(outer), func(n *node, v *node) { n.Next = v }, func(n *node) *node { return n.Next }))
	outer = outer.Option(OptionField[node, node](Struct(between), func(n *node, v *node) { n.Next = v }, func(n *node) *node { return n.Next }))
	if _, err := outer.ParseBytes(nil); !errors.As(err, new(ErrCompile)) {
		t.Error(err)
	}
}
