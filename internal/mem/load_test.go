package mem

import (
	"encoding/binary"
	"testing"
)

// The Load functions read every width at every offset.
func TestLoad(t *testing.T) {
	b := make([]byte, 24)
	for i := range b {
		b[i] = byte(i*37 + 200)
	}
	for i := range b {
		if got := Load8(b, i); got != b[i] {
			t.Errorf("Load8 at %d: %x", i, got)
		}
		if i+2 <= len(b) && Load16(b, i) != binary.LittleEndian.Uint16(b[i:]) {
			t.Errorf("Load16 at %d: %x", i, Load16(b, i))
		}
		if i+4 <= len(b) && Load32(b, i) != binary.LittleEndian.Uint32(b[i:]) {
			t.Errorf("Load32 at %d: %x", i, Load32(b, i))
		}
		if i+8 <= len(b) && Load64(b, i) != binary.LittleEndian.Uint64(b[i:]) {
			t.Errorf("Load64 at %d: %x", i, Load64(b, i))
		}
	}
}

// The Store functions write every width at every offset, before and after the slice's length. They
// write no other bytes.
func TestStore(t *testing.T) {
	const v = 0x8192a3b4c5d6e7f8
	for _, length := range []int{24, 3, 0} {
		for i := range 24 {
			for width, store := range map[int]func([]byte){
				1: func(b []byte) { Store8(b, i, byte(v&0xff)) },
				2: func(b []byte) { Store16(b, i, v&0xffff) },
				4: func(b []byte) { Store32(b, i, v&0xffffffff) },
				8: func(b []byte) { Store64(b, i, v) },
			} {
				if i+width > 24 {
					continue
				}
				got, want := make([]byte, 24), make([]byte, 24)
				copy(want[i:i+width], binary.LittleEndian.AppendUint64(nil, v))
				store(got[:length])
				if string(got) != string(want) {
					t.Errorf("%d bytes at %d of %d: %x, want %x", width, i, length, got, want)
				}
			}
		}
	}
}
