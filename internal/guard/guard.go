package guard

import "github.com/slipstream-go/slipstream/internal/mem"

// Input returns a copy of b on pages that cannot be written. The copy ends at a page that cannot be
// read. Its capacity equals its length. The copy is valid until the Region is freed; a later access
// faults.
func Input(b []byte) (input []byte, r *Region) { return of(b, (*Region).Last) }

// InputFirst is like Input, but the copy begins directly after a page that cannot be read.
func InputFirst(b []byte) (input []byte, r *Region) { return of(b, (*Region).First) }

func of(b []byte, part func(*Region, int) []byte) (input []byte, r *Region) {
	r = NewRegion(len(b))
	input = part(r, len(b))
	copy(input, b)
	if len(b) == 0 {
		r.NoAccess() // input points to the start of the Region, since a slice never points to the end of its array
	} else {
		r.ReadOnly()
	}
	return input, r
}

// Test returns a copy of b that was made by Input. The copy is valid while t runs. Without the
// build tag `invariants`, Test returns b itself. The argument `t` is a testing.TB.
func Test(t interface{ Cleanup(func()) }, b []byte) []byte {
	if !Enabled {
		return b
	}
	input, r := Input(b)
	t.Cleanup(r.Free)
	return input
}

// Text is like Test, for a string.
func Text(t interface{ Cleanup(func()) }, s string) string {
	if !Enabled {
		return s
	}
	return mem.String(Test(t, []byte(s)))
}

// Kept returns a copy of b that was made by Input. The copy is never freed. Without the build tag
// `invariants`, Kept returns b itself. It is used for inputs that all tests of a package share.
func Kept(b []byte) []byte {
	if !Enabled {
		return b
	}
	input, _ := Input(b)
	return input
}

// First returns the first n bytes of r. They begin directly after a page that cannot be accessed.
func (r *Region) First(n int) []byte { return r.Bytes[:n:n] }

// Last returns the last n bytes of r. They end directly before a page that cannot be accessed.
func (r *Region) Last(n int) []byte { return r.Bytes[len(r.Bytes)-n:] }
