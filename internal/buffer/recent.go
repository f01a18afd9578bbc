package buffer

import "github.com/slipstream-go/slipstream/internal/mem"

// A Recent is a cache of recurring short strings, such as the keys of records. The cache is
// direct-mapped: a new string evicts the string in its slot. So hostile input can neither enlarge
// the cache nor make it slower. The cached strings are stored in separate chunks, because they are
// used longer than other strings.
type Recent struct {
	slots [recentSlots]struct {
		lo, hi uint64
		s      string
	}
	text Strings
	made int // number of chunks allocated since the slots were emptied
}

const (
	recentSlots = 1 << recentBits
	recentBits  = 9

	// recentChunks is the number of chunks after which the slots are emptied. Each slot may contain
	// a string from a different chunk, so this number limits the retained memory to 66 KB. This is
	// 8 times the size of the strings in all slots.
	recentChunks = 32

	// RecentMax is the maximum length of a cached string.
	RecentMax = 16
)

// Find returns b[i:i+n] as a string, and reports whether the string was cached. The caller has
// checked that these bytes exist and that n ≤ RecentMax. Find compares strings of 8 or more bytes
// as two words: their first 8 bytes and their last 8 bytes, which may overlap. It compares a
// shorter string as one word, in which the missing bytes have the value 0.
func (r *Recent) Find(b []byte, i, n int) (s string, known bool) {
	var lo, hi uint64
	switch {
	case n >= 8:
		lo, hi = mem.Load64(b, i), mem.Load64(b, i+n-8)
	case n == 0:
		return "", true
	case i+8 <= len(b):
		lo = mem.Load64(b, i) & (1<<(8*uint(n)) - 1)
	case i+n >= 8: // near the end of the input: load the word that ends where the string ends
		lo = mem.Load64(b, i+n-8) >> (64 - 8*uint(n))
	default:
		return string(b[i : i+n]), false
	}
	h := (lo ^ hi<<7 ^ hi>>31 ^ uint64(n)) * 0x9e3779b97f4a7c15
	slot := &r.slots[h>>(64-recentBits)]
	if slot.lo == lo && slot.hi == hi && len(slot.s) == n {
		return slot.s, true
	}
	r.text.Size = ChunkSize
	had := len(r.text.chunk)
	if s = r.text.CopyAt(b, i, n); len(r.text.chunk) < had {
		if r.made++; r.made == recentChunks {
			clear(r.slots[:])
			r.made = 0
		}
	}
	slot.lo, slot.hi, slot.s = lo, hi, s
	return s, false
}
