//go:build !purego

package mem

import (
	"strings"
	"unsafe"
)

// Room is an empty slice with room for at least n bytes, which may hold anything: it is not
// cleared, as what the caller writes will lie over it. A strings.Builder is where the standard
// library gives such memory away; the Builder is never used again, so nobody else sees these bytes
// as a string.
func Room(n int) []byte {
	if n < uncleared {
		return make([]byte, 0, n)
	}
	var s strings.Builder
	s.Grow(n)
	s.WriteByte(0)
	return unsafe.Slice(unsafe.StringData(s.String()), s.Cap())[:0]
}

// uncleared is the size from which clearing costs more than the detour.
const uncleared = 1 << 10
