//go:build !purego

package mem

import (
	"strings"
	"unsafe"
)

// Room returns an empty slice with capacity for at least n bytes. The memory may contain anything,
// because the caller overwrites it: memory of 1 KiB or more is not cleared. The standard library
// provides uncleared memory in a strings.Builder. Room never reuses the Builder, so no other code
// sees these bytes as a string.
func Room(n int) []byte {
	if n < uncleared {
		return make([]byte, 0, n)
	}
	var s strings.Builder
	s.Grow(n)
	s.WriteByte(0)
	return unsafe.Slice(unsafe.StringData(s.String()), s.Cap())[:0]
}

// uncleared is the size in bytes from which clearing costs more than the detour through a
// strings.Builder.
const uncleared = 1 << 10
