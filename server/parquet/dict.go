package parquet

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"slices"
)

const (
	maxEntries  = 1 << 16 // maximum number of entries in a dictionary; more entries would hardly fit into the CPU caches of the writer and of readers
	maxDictText = 1 << 20 // maximum size of the text in a dictionary, in bytes
	trial       = 4096    // minimum number of values in a page before the function `hopeless` may return true
	minSlots    = 1 << 10
)

// dictionary assigns indexes to the distinct values of a column chunk, in the order of their first
// occurrence. If it saves less than a quarter of a page's size, the rest of the chunk is written
// without the dictionary. For this test, the size of the page's indexes and new entries is compared
// with the size of its values in PLAIN.
//
// The dictionary is an open hash table whose slots refer to the entries. The hash is seeded,
// because clients choose the values.
type dictionary struct {
	on    bool
	n     int      // number of entries
	words []uint64 // the entries, if the column contains 8-byte values
	text  []byte   // the entries concatenated, if the column contains text
	ends  []uint32 // the end of each entry in text
	slots []slot   // their number is a power of two; at most half of them are used
	spare []slot   // the slots before the last call of grow, for reuse
	seen  []bool   // scratch memory: for each entry, whether it occurs in a page
	seed  maphash.Seed
	mix   [2]uint64
}

// slot is a slot of the hash table. The field `entry` is 0 if the slot is free. Otherwise it is the
// value's index plus one.
type slot struct{ hash, entry uint32 }

func newDictionary() dictionary {
	seed := maphash.MakeSeed()
	return dictionary{
		seed: seed,
		mix:  [2]uint64{maphash.String(seed, "a"), maphash.String(seed, "b") | 1},
	}
}

func (d *dictionary) reset(on bool) {
	d.on, d.n = on, 0
	d.words, d.text, d.ends = d.words[:0], d.text[:0], d.ends[:0]
	if !on {
		return
	}
	if d.slots == nil {
		d.slots = make([]slot, minSlots)
	}
	d.slots = d.slots[:minSlots]
	clear(d.slots)
}

// width returns the number of bits per index. The width is at least 1, even for a single entry,
// because some readers do not support indexes of 0 bits.
func (d *dictionary) width() int { return max(1, bits.Len(uint(d.n-1))) }

// size returns the size of the entries in PLAIN.
func (d *dictionary) size() int { return 8*len(d.words) + len(d.text) + 4*len(d.ends) }

// numberWords returns the indexes of the values, in the memory of ids. It returns false if the
// dictionary does not save enough. In that case, the dictionary does not contain the page's new
// values.
func (d *dictionary) numberWords(ids []uint32, values []uint64) ([]uint32, bool) {
	n, size := d.n, d.size()
	ids = slices.Grow(ids[:0], len(values))[:len(values)]
	slots := d.slots
	mask := uint32(len(slots) - 1)
	for i, v := range values {
		hi, lo := bits.Mul64(v^d.mix[0], d.mix[1])
		h := uint32(hi ^ lo)
		at := h & mask
		for {
			s := slots[at]
			if s.entry == 0 {
				if d.n >= maxEntries || hopeless(d.n-n, i) {
					d.giveUp(n)
					return ids, false
				}
				d.words = append(d.words, v)
				ids[i] = uint32(d.n)
				d.n++
				slots[at] = slot{h, uint32(d.n)}
				if 2*d.n > len(slots) {
					slots = d.grow()
					mask = uint32(len(slots) - 1)
				}
				break
			}
			if s.hash == h && d.words[s.entry-1] == v {
				ids[i] = s.entry - 1
				break
			}
			at = (at + 1) & mask
		}
	}
	return ids, d.pays(n, size, len(ids), 8*len(values))
}

// numberText is like numberWords, but for texts. The texts are concatenated in the argument `text`,
// beginning at the offset `start`. The argument `ends` contains the end offset of each text.
func (d *dictionary) numberText(ids []uint32, text []byte, start uint32, ends []uint32) ([]uint32, bool) {
	n, size, plain := d.n, d.size(), 4*len(ends)
	ids = slices.Grow(ids[:0], len(ends))[:len(ends)]
	slots := d.slots
	mask := uint32(len(slots) - 1)
	for i, end := range ends {
		v := text[start:end]
		start = end
		plain += len(v)
		h := d.hash(v)
		at := h & mask
		for {
			s := slots[at]
			if s.entry == 0 {
				if d.n >= maxEntries || len(v) > maxDictText-len(d.text) || hopeless(d.n-n, i) {
					d.giveUp(n)
					return ids, false
				}
				d.text = append(d.text, v...)
				d.ends = append(d.ends, uint32(len(d.text)))
				ids[i] = uint32(d.n)
				d.n++
				slots[at] = slot{h, uint32(d.n)}
				if 2*d.n > len(slots) {
					slots = d.grow()
					mask = uint32(len(slots) - 1)
				}
				break
			}
			if s.hash == h && string(d.textAt(int(s.entry-1))) == string(v) {
				ids[i] = s.entry - 1
				break
			}
			at = (at + 1) & mask
		}
	}
	return ids, d.pays(n, size, len(ids), plain)
}

// hash returns a seeded hash of v. A text of up to 16 bytes is read as two words, which may
// overlap. The words are mixed with secret numbers.
func (d *dictionary) hash(v []byte) uint32 {
	var a, b uint64
	switch n := len(v); {
	case n > 16:
		return uint32(maphash.Bytes(d.seed, v))
	case n >= 8:
		a, b = binary.LittleEndian.Uint64(v), binary.LittleEndian.Uint64(v[n-8:])
	case n >= 4:
		a, b = uint64(binary.LittleEndian.Uint32(v)), uint64(binary.LittleEndian.Uint32(v[n-4:]))
	case n > 0:
		a = uint64(v[0]) | uint64(v[n/2])<<8 | uint64(v[n-1])<<16
	}
	hi, lo := bits.Mul64(a^d.mix[0], b^d.mix[1]^uint64(len(v))<<56)
	return uint32(hi ^ lo)
}

// hopeless reports whether nearly all of the page's first values were new entries.
func hopeless(entries, values int) bool { return values >= trial && entries > values-values/16 }

func (d *dictionary) textAt(i int) []byte {
	start := uint32(0)
	if i > 0 {
		start = d.ends[i-1]
	}
	return d.text[start:d.ends[i]]
}

// pays reports whether the dictionary saves enough on a page. The arguments `count` and `plain` are
// the number of the page's values and their size in PLAIN. The arguments `n` and `size` are the
// number and the size of the entries before the page was added. If the dictionary does not save
// enough, pays calls giveUp.
func (d *dictionary) pays(n, size, count, plain int) bool {
	if 4*(d.size()-size+count*d.width()/8) > 3*plain {
		d.giveUp(n)
	}
	return d.on
}

// giveUp drops all entries except the first n, and turns the dictionary off. After that, the
// content of the slots is stale.
func (d *dictionary) giveUp(n int) {
	d.on, d.n = false, n
	d.words = d.words[:min(n, len(d.words))]
	if d.ends = d.ends[:min(n, len(d.ends))]; len(d.ends) > 0 {
		d.text = d.text[:d.ends[len(d.ends)-1]]
	} else {
		d.text = d.text[:0]
	}
}

// grow doubles the number of slots. It alternates between two tables, so a reused dictionary soon
// needs no more allocations.
func (d *dictionary) grow() []slot {
	old := d.slots
	d.slots = slices.Grow(d.spare[:0], 2*len(old))[:2*len(old)]
	d.spare = old
	clear(d.slots)
	mask := uint32(len(d.slots) - 1)
	for _, s := range old {
		if s.entry == 0 {
			continue
		}
		at := s.hash & mask
		for d.slots[at].entry != 0 {
			at = (at + 1) & mask
		}
		d.slots[at] = s
	}
	return d.slots
}

// present marks the entries whose indexes occur in ids.
func (d *dictionary) present(ids []uint32) []bool {
	d.seen = slices.Grow(d.seen[:0], d.n)[:d.n]
	clear(d.seen)
	for _, id := range ids {
		d.seen[id] = true
	}
	return d.seen
}

// appendPlain appends the entries as the values of a dictionary page.
func (d *dictionary) appendPlain(dst []byte) []byte {
	dst = appendWords(dst, d.words)
	return appendText(dst, d.text, 0, d.ends)
}

// appendNumbers appends indexes as the values of a data page.
func (d *dictionary) appendNumbers(dst []byte, ids []uint32) []byte {
	width := d.width()
	dst = append(dst, byte(width))
	for _, id := range ids {
		if id != ids[0] {
			return appendPacked(dst, ids, width)
		}
	}
	return appendRun(dst, len(ids), ids[0], width)
}
