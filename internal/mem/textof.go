//go:build !invariants

package mem

import "unsafe"

// text consists of the two words of a string.
type text struct {
	data unsafe.Pointer
	len  int
}

// SetString sets *p to the bytes b[i:i+n] as a string, without copying them. b must not change
// while the string is in use. The caller must have checked that these bytes exist, and that n is
// not 0. SetString does the same as String, but without the checks in unsafe.String.
func SetString(p *string, b []byte, i, n int) {
	*(*text)(unsafe.Pointer(p)) = text{unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), i), n}
}

// SetText sets *p to s[i:i+n]. The caller must have checked that these bytes exist, and that n is
// not 0.
func SetText(p *string, s string, i, n int) {
	*(*text)(unsafe.Pointer(p)) = text{unsafe.Add(unsafe.Pointer(unsafe.StringData(s)), i), n}
}
