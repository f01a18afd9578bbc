//go:build !invariants

package mem

import "unsafe"

// text is a string as its two words.
type text struct {
	data unsafe.Pointer
	len  int
}

// SetString makes *p the string of b[i:i+n], without a copy: b must not change as long as it is in
// use. The caller has checked that these bytes exist, and that n is not 0. It is String without the
// checks of unsafe.String.
func SetString(p *string, b []byte, i, n int) {
	*(*text)(unsafe.Pointer(p)) = text{unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), i), n}
}

// SetText makes *p s[i:i+n]. The caller has checked that these bytes exist, and that n is not 0.
func SetText(p *string, s string, i, n int) {
	*(*text)(unsafe.Pointer(p)) = text{unsafe.Add(unsafe.Pointer(unsafe.StringData(s)), i), n}
}
