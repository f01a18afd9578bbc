package buffer

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

// CopyAt copies strings of every short length, from every position near the end of the input to
// every position near the end of a chunk.
func TestCopyAt(t *testing.T) {
	for n := range 41 {
		for before := range 20 {
			for tail := range 20 {
				input := make([]byte, before+n+tail)
				for i := range input {
					input[i] = byte(i*7 + 1)
				}
				input = input[:len(input):len(input)]
				want := string(input[before : before+n])
				s := Strings{Size: 64}
				var cut []string
				for range 12 {
					cut = append(cut, s.CopyAt(input, before, n))
				}
				clear(input)
				for k, got := range cut {
					if got != want {
						t.Fatalf("string %d of %d bytes, %d before, %d after: %q, want %q", k, n, before, tail, got, want)
					}
				}
			}
		}
	}
}

// CopyBytes returns slices that are not nil and have no spare capacity. Changing a slice changes
// neither another slice nor a string.
func TestCopyBytes(t *testing.T) {
	for _, size := range []int{0, 1, 8, 64, ChunkSize} {
		s := Strings{Size: size}
		var cut [][]byte
		var text []string
		for n := range 600 {
			b := bytes.Repeat([]byte{byte(n)}, n%50)
			cut, text = append(cut, s.CopyBytes(b)), append(text, s.Copy(b))
		}
		for n, b := range cut {
			if b == nil || cap(b) > len(b) && n%50 > 0 && size > 0 && n%50 <= size/8 {
				t.Fatalf("size %d: %d bytes with room for %d", size, len(b), cap(b))
			}
			clear(b)
			_ = append(b, "more"...)
		}
		for n, b := range cut {
			if !bytes.Equal(b, make([]byte, n%50)) || text[n] != strings.Repeat(string([]byte{byte(n)}), n%50) {
				t.Fatalf("size %d, %d: %x, %q", size, n, b, text[n])
			}
		}
	}
}

// Random strings are copied with both methods, in chunks of several sizes. The input is overwritten
// after each copy, and no string changes.
func TestStringsAgainstClone(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{0, 1, 8, 64, 100, ChunkSize, 4 * ChunkSize} {
		s := Strings{Size: size}
		var got, want []string
		for range 3000 {
			n := r.IntN(50)
			if r.IntN(50) == 0 {
				n = r.IntN(2 * (size + 1))
			}
			before := r.IntN(20)
			input := make([]byte, before+n+r.IntN(12))
			for i := range input {
				input[i] = byte(r.Uint32())
			}
			want = append(want, strings.Clone(string(input[before:before+n])))
			if r.IntN(4) == 0 {
				got = append(got, s.Copy(input[before:before+n]))
			} else {
				got = append(got, s.CopyAt(input, before, n))
			}
			clear(input)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("chunks of %d, string %d: %q, want %q", size, i, got[i], want[i])
			}
		}
	}
}

// Short strings share allocations. Long strings, and strings without chunks, have their own.
func TestStringsShare(t *testing.T) {
	if raceEnabled {
		t.Skip("allocations of the checks")
	}
	input := bytes.Repeat([]byte("x"), 4096)
	for _, c := range []struct{ size, n, most int }{{ChunkSize, 16, 2}, {ChunkSize, ChunkSize / 8, 13}, {ChunkSize, ChunkSize/8 + 1, 100}, {0, 5, 100}, {ChunkSize, 0, 0}, {0, 0, 0}} {
		s := Strings{Size: c.size}
		got := int(testing.AllocsPerRun(20, func() {
			for range 100 {
				s.CopyAt(input, 0, c.n)
			}
		}))
		if got > c.most || c.most == 100 && got < 100 {
			t.Errorf("100 strings of %d in chunks of %d: %d allocations, want %d", c.n, c.size, got, c.most)
		}
	}
}

// Put never returns the same cell twice.
func TestSlab(t *testing.T) {
	var s Slab[int]
	var cells []*int
	for k := range 5000 {
		p := s.Put(k)
		if *p != k {
			t.Fatal(*p)
		}
		cells = append(cells, p)
	}
	for i, p := range cells {
		*p = i
	}
	for i, p := range cells {
		if *p != i {
			t.Fatalf("cell %d was handed out twice", i)
		}
	}
}
