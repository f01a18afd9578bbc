package mem

import (
	"bytes"
	"testing"
)

// StoreBlock writes a block at any offset, even beyond the length, and writes no other bytes.
func TestStoreBlock(t *testing.T) {
	var v Block
	for i := range v.Text {
		v.Text[i] = byte(i + 1)
	}
	for _, length := range []int{48, 5, 0} {
		for i := range 48 - BlockSize + 1 {
			got, want := make([]byte, 48), make([]byte, 48)
			copy(want[i:], v.Text[:])
			StoreBlock(got[:length], i, &v)
			if !bytes.Equal(got, want) {
				t.Errorf("at %d of %d: %x", i, length, got)
			}
		}
	}
}

// Room returns memory that can be written up to its end. GrowRoom copies the existing bytes.
func TestRoom(t *testing.T) {
	for _, n := range []int{0, 1, 7, 4096, 100000} {
		b := Room(n)
		if len(b) != 0 || cap(b) < n {
			t.Fatalf("Room(%d): %d of %d", n, len(b), cap(b))
		}
		b = b[:cap(b)]
		for i := range b {
			b[i] = byte(i)
		}
		c := GrowRoom(b, n+1)
		if !bytes.Equal(b, c) || cap(c)-len(c) < n+1 {
			t.Errorf("GrowRoom(%d, %d): %d of %d", len(b), n+1, len(c), cap(c))
		}
	}
}

// Next returns the next element of an array.
func TestNext(t *testing.T) {
	type element struct {
		n int
		b byte
	}
	all := [3]element{{1, 2}, {3, 4}, {5, 6}}
	p := &all[0]
	for i := range all {
		if *p != all[i] {
			t.Errorf("element %d: %v", i, *p)
		}
		if i < 2 {
			p = Next(p)
		}
	}
}
