package buffer

import "github.com/slipstream-go/slipstream/internal/mem"

// Recent keeps short strings that recur, such as the keys of records. It is direct-mapped: a string
// evicts the one in its place, so that hostile input can neither grow it nor slow it down. Its
// strings lie in chunks of their own, because they stay.
type Recent struct {
	slots [recentSlots]struct {
		lo, hi uint64
		s      string
	}
	text Strings
	made int // chunks since the slots were emptied
}

const (
	recentSlots = 1 << recentBits
	recentBits  = 9

	// recentChunks is after how many chunks the slots are emptied. Each of them may hold a string
	// of a chunk of its own, so it bounds what stays to 66 KB. It is 8 times what the strings of
	// all slots take.
	recentChunks = 32

	// RecentMax is the length of the longest string that is kept.
	RecentMax = 16
)

// Find is a string of b[i:i+n], and whether it was there already; the caller has checked that these
// bytes exist and that n ≤ RecentMax. The bytes are compared as two words, which overlap in strings
// of more than 8 and are zero beyond shorter ones.
func (r *Recent) Find(b []byte, i, n int) (s string, known bool) {
	var lo, hi uint64
	switch {
	case n >= 8:
		lo, hi = mem.Load64(b, i), mem.Load64(b, i+n-8)
	case n == 0:
		return "", true
	case i+8 <= len(b):
		lo = mem.Load64(b, i) & (1<<(8*uint(n)) - 1)
	case i+n >= 8: // near the end of the input: the word that ends where the string does
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
