package parco_test

import (
	"bytes"
	"strings"
	"testing"
	"testing/iotest"

	. "github.com/slipstream-go/slipstream/parco"
)

type (
	item struct {
		Note *string
		N    uint64
	}
	items struct{ Items []item }
)

// A slice of structs with optional strings is read from a reader that returns less than a message
// at a time. The decoder requests the minimum number of bytes for the elements. So the number of
// elements determines which of them is split.
func TestOptionalTextInPieces(t *testing.T) {
	model := Builder[item](ObjectFactory[item]()).
		Option(OptionField(Varchar(), func(v *item, s *string) { v.Note = s }, func(v *item) *string { return v.Note })).
		UInt64(le, func(v *item) uint64 { return v.N }, func(v *item, n uint64) { v.N = n })
	parser, compiler := Builder[items](ObjectFactory[items]()).
		Slice(SliceField(UInt16HeaderLE(), Struct(model),
			func(v *items, s SliceView[item]) { v.Items = s },
			func(v *items) SliceView[item] { return v.Items })).
		Parco()
	for n := range 60 {
		checkPieces(t, parser, compiler, n)
	}
	checkPieces(t, parser, compiler, 2000)
}

func checkPieces(t *testing.T, parser *Parser[items], compiler *Compiler[items], n int) {
	t.Helper()
	var sent items
	for k := range n {
		note := strings.Repeat(string(rune('a'+k%26)), k%30)
		sent.Items = append(sent.Items, item{&note, uint64(k)})
	}
	var w bytes.Buffer
	if err := compiler.Compile(sent, &w); err != nil {
		t.Fatal(err)
	}
	got, err := parser.Parse(iotest.HalfReader(&w))
	if err != nil || len(got.Items) != len(sent.Items) {
		t.Fatalf("%d items, %v", len(got.Items), err)
	}
	wrong := 0
	for k, want := range sent.Items {
		if v := got.Items[k]; v.N != want.N || v.Note == nil || *v.Note != *want.Note {
			wrong++
		}
	}
	if wrong > 0 {
		t.Errorf("%d of %d items are wrong", wrong, n)
	}
}
