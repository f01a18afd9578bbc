package parco_test

import (
	"reflect"
	"testing"

	. "github.com/slipstream-go/slipstream/parco"
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
