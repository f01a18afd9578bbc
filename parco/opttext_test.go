package parco_test

import (
	"bytes"
	"strings"
	"testing"
	"testing/iotest"

	. "github.com/slipstream-go/slipstream/parco"
)

// TestOptionalTextInPieces: optional strings in a slice of structs, from a reader that gives less than a message at a time.
func TestOptionalTextInPieces(t *testing.T) {
	type item struct {
		Note *string
		N    uint64
	}
	type order struct{ Items []item }
	items := Builder[item](ObjectFactory[item]()).
		Option(OptionField(Varchar(), func(v *item, s *string) { v.Note = s }, func(v *item) *string { return v.Note })).
		UInt64(le, func(v *item) uint64 { return v.N }, func(v *item, n uint64) { v.N = n })
	parser, compiler := Builder[order](ObjectFactory[order]()).
		Slice(SliceField(UInt16HeaderLE(), Struct(items),
			func(v *order, s SliceView[item]) { v.Items = s },
			func(v *order) SliceView[item] { return v.Items })).
		Parco()
	var sent order
	for k := range 2000 {
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
		t.Errorf("%d of %d items are wrong", wrong, len(sent.Items))
	}
}
