package parco_test

import (
	"bytes"
	"testing"

	. "github.com/slipstream-go/slipstream/parco"
)

// Skipped bytes are written as zeros. Any number of bytes can be skipped.
func TestSkippedBytes(t *testing.T) {
	for _, n := range []int{0, 1, 3, 8192, 8193, 100_000} {
		b := animalBuilder().Skip(n).Int8(func(a *Animal) int8 { return -1 }, func(*Animal, int8) {})
		got := compiled(t, b, Animal{3, "cat"})
		if want := append(append([]byte("\x03cat\x03"), make([]byte, n)...), 255); !bytes.Equal(got, want) {
			t.Fatalf("%d: %d bytes", n, len(got))
		}
		for k := range n {
			got[5+k] = 9
		}
		if v, err := b.Parse(reader(got)); err != nil || v != (Animal{3, "cat"}) {
			t.Errorf("%d: %v %v", n, v, err)
		}
		p := ParserModel[Animal](nil).SmallVarchar(func(a *Animal, v string) { a.Specie = v }).Skip(1 + n)
		if v, err := p.ParseBytes(got); err != nil || v.Specie != "cat" {
			t.Errorf("%d: %v %v", n, v, err)
		}
		c := CompilerModel[Animal]().Field(DefaultSkipField[Animal](n))
		if got := compiled(t, c, Animal{}); !bytes.Equal(got, make([]byte, n)) {
			t.Errorf("%d: %x", n, got)
		}
		if v, err := SkipType(n).Parse(bytes.NewReader(make([]byte, n))); v != nil || err != nil {
			t.Errorf("%d: %v %v", n, v, err)
		}
	}
}
