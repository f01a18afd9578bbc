package plan

import (
	"math/bits"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// Names finds the index of a name. A decoder uses Names if it has predicted the wrong field.
//
// Up to 128 names are stored in a perfect hash table: NewNames searches for a seed with which no
// two names collide. A Go map is used for larger sets, and for names that differ only in bytes that
// the hash ignores.
type Names struct {
	table []int16 // index+1 of a name, by hash; 0 means empty
	names []string
	seed  uint64
	shift uint8
	other map[string]int
}

// perfect is the maximum number of names for which NewNames searches for a seed.
const perfect = 128

// NewNames returns an index of the given names. If a name is repeated, Find returns its last index.
func NewNames(names []string) *Names {
	n := &Names{names: names}
	seen := make(map[string]int, len(names))
	for i, s := range names {
		seen[s] = i
	}
	if len(seen) > perfect {
		n.other = seen
		return n
	}
	size := max(bits.Len(uint(len(seen)))+1, 3)
	for ; size <= 12; size++ {
		n.table, n.shift = make([]int16, 1<<size), uint8(64-size)
		seed := uint64(0x9e3779b97f4a7c15)
		for range 64 {
			n.seed = seed | 1
			if n.fill(seen) {
				return n
			}
			seed = seed*6364136223846793005 + 1442695040888963407
		}
	}
	n.table, n.other = nil, seen
	return n
}

func (n *Names) fill(seen map[string]int) bool {
	clear(n.table)
	for s, i := range seen {
		slot := &n.table[n.slot(mem.Bytes(s))]
		if *slot != 0 {
			return false
		}
		*slot = int16(i + 1)
	}
	return true
}

func (n *Names) slot(key []byte) uint64 { return hash(key) * n.seed >> n.shift }

// hash combines the length of b with its first and last eight bytes.
func hash(b []byte) uint64 {
	n := len(b)
	var lo, hi uint64
	switch {
	case n >= 8:
		lo, hi = mem.Load64(b, 0), mem.Load64(b, n-8)
	case n >= 4:
		lo, hi = uint64(mem.Load32(b, 0)), uint64(mem.Load32(b, n-4))
	case n > 0:
		lo = uint64(b[0]) | uint64(b[n/2])<<8 | uint64(b[n-1])<<16
	}
	x := (lo ^ bits.RotateLeft64(hi, 29) ^ uint64(n)<<56) * 0xff51afd7ed558ccd
	return x ^ x>>32
}

// Find returns the index of the name that equals key, or -1.
func (n *Names) Find(key []byte) int {
	if n.other != nil {
		if i, ok := n.other[string(key)]; ok {
			return i
		}
		return -1
	}
	i := int(n.table[n.slot(key)]) - 1
	if i >= 0 && n.names[i] == string(key) {
		return i
	}
	return -1
}
