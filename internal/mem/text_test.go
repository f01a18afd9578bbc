package mem

import (
	"encoding/binary"
	"testing"
)

// The Text functions read every width at every offset.
func TestText(t *testing.T) {
	b := make([]byte, 24)
	for i := range b {
		b[i] = byte(i*37 + 200)
	}
	s := string(b)
	for i := range b {
		if i+2 <= len(b) && Text16(s, i) != binary.LittleEndian.Uint16(b[i:]) {
			t.Errorf("Text16 at %d: %x", i, Text16(s, i))
		}
		if i+4 <= len(b) && Text32(s, i) != binary.LittleEndian.Uint32(b[i:]) {
			t.Errorf("Text32 at %d: %x", i, Text32(s, i))
		}
		if i+8 <= len(b) && Text64(s, i) != binary.LittleEndian.Uint64(b[i:]) {
			t.Errorf("Text64 at %d: %x", i, Text64(s, i))
		}
	}
}

// SameText compares the addresses of strings, not their content.
func TestSameText(t *testing.T) {
	a, b := string([]byte("abc")), string([]byte("abc"))
	if !SameText(a, a) || SameText(a, b) || SameText(a, a[:2]) || SameText(a[:2], a[1:]) {
		t.Error("places of strings")
	}
}
