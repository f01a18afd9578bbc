//go:build !purego

package mem

import (
	"strings"
	"unsafe"
)

// Room returns an empty slice with capacity for at least n bytes. The memory may contain arbitrary
// bytes, because the caller overwrites it: Room does not clear memory of 1 KiB or more. The
// standard library provides uncleared memory in a strings.Builder. Room never reuses the Builder,
// so no other code can read these bytes as a string.
func Room(n int) []byte {
	if n < uncleared {
		return make([]byte, 0, n)
	}
	var s strings.Builder
	s.Grow(n)
	s.WriteByte(0)
	return unsafe.Slice(unsafe.StringData(s.String()), s.Cap())[:0]
}

// uncleared is the size, in bytes, above which clearing memory costs more than getting it from a
// strings.Builder.
const uncleared = 1 << 10
