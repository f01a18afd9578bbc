package simd

import (
	"math/rand/v2"
	"testing"

	"github.com/slipstream-go/slipstream/internal/guard"
	"github.com/slipstream-go/slipstream/internal/mem"
)

// guarded returns writable pages between two protected pages.
func guarded(t *testing.T, n int) []byte {
	r := guard.NewRegion(n)
	t.Cleanup(r.Free)
	return r.Bytes
}

// Each input and output begins directly after a protected page, or ends directly before one.
func TestGuardPages(t *testing.T) {
	eachLevel(func() {
		from, to := guarded(t, 1), guarded(t, 1)
		r := rand.New(rand.NewPCG(7, 8))
		var text []byte
		for n := 1; n <= 320; n++ {
			for i := range 40 {
				if i < len(filler) {
					text = fill(append(text[:0], make([]byte, n)...), filler[i], n)
				} else {
					text = randomText(r, text[:0], n)
				}
				for _, src := range [][]byte{from[:n], from[len(from)-n:]} {
					copy(src, text)
					for _, c := range copiers {
						for _, dst := range []mem.Pointer{dataOf(to), dataOf(to[len(to)-n:])} {
							k, ok := c.copy(dst, dataOf(src), n)
							if wantK, wantOK := c.naive(text); k != wantK || ok != wantOK {
								t.Fatalf("%v, %s of %d bytes: %d, %v, want %d, %v\n%q", tier, c.name, n, k, ok, wantK, wantOK, text)
							}
							if string(view(mem.RawOf(dst), k)) != string(text[:k]) {
								t.Fatalf("%v, %s of %d bytes copies\n%q, not\n%q", tier, c.name, n, view(mem.RawOf(dst), k), text[:k])
							}
						}
					}
					if k, want := FindStop(dataOf(src), n), naiveStop(text, false); k != want {
						t.Fatalf("%v, FindStop of %q: %d, want %d", tier, text, k, want)
					}
					fill(src, "\n      ", i)
					if k := Blanks(dataOf(src), n); k != n {
						t.Fatalf("%v, Blanks of %d: %d", tier, n, k)
					}
				}
			}
		}
		const row = 5 * 8 // bytes
		for n := 1; n <= 20; n++ {
			for _, src := range [][]byte{from[:n*BlockSize], from[len(from)-n*BlockSize:]} {
				for _, dst := range [][]byte{to[:n*row], to[len(to)-n*row:]} {
					rows := mem.Slice{Data: mem.RawOf(dataOf(dst)), Len: n, Cap: n}
					MarkBlocks(*mem.RawAt[[]Marks](mem.RawTo(&rows), 0), dataOf(src))
				}
				for _, dst := range [][]byte{to[:n*BlockSize], to[len(to)-n*BlockSize:]} {
					keep := randomKeep(r, n)
					if k := Pack(dataOf(dst), dataOf(src), keep); string(dst[:k]) != string(naivePack(nil, src, keep)) {
						t.Fatalf("%v, Pack of %d blocks: %q of %q by %064b", tier, n, dst[:k], src, keep)
					}
				}
			}
		}
	})
}
