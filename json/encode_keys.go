package json

// The key book is a cache of map keys that the encoder has written before.
//
// Many objects contain the same keys. An encoder keeps up to 256 keys in sorted order, each with
// its encoded text. If all keys of a map are in the book, the encoder sorts the map as follows: it
// looks up each key, marks the key's place in the book, and then iterates over the marks. For these
// keys, it also need not search for characters to escape.
//
//	key → hash → table → entry {key, place}        place → marks, slots
//
// A key is added to the book when it occurs for the second time. So keys that occur only once, such
// as identifiers, are not added. If a map contains a key that is not in the book, the look-ups for
// this map are wasted. Each such map reduces the credit of the book, and each other map increases
// it. When the credit is used up, the book is not used for some time.

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/slipstream-go/slipstream/internal/mem"
)

const (
	bookLeast = 4 // minimum number of map entries; sorting fewer entries is as fast without the book
	bookKeys  = 256
	bookSlots = 1024
	bookText  = 2 * mem.BlockSize // maximum size of the text ,"key":
	bookProbe = 4
)

// keyBook is the key book of one encoder, which is a cache of encoded map keys. The encoder creates
// it for the first map with at least bookLeast entries.
type keyBook struct {
	credit  int
	count   int
	full    bool                 // a key could not be added, because the book was full
	table   [bookSlots]uint16    // numbers of entries, indexed by hash; an entry is in one of the bookProbe places from its hash on
	once    [bookKeys]uint32     // hashes of keys that occurred once
	order   [bookKeys + 1]uint16 // numbers of entries, indexed by place
	slots   [bookKeys + 1]uint32 // numbers of the slots of the current map, indexed by place
	entries [bookKeys + 1]bookEntry
}

// bookEntry is a key in the book. Entries are numbered from 1; the number 0 means no entry.
type bookEntry struct {
	first, last uint64 // first and last 8 bytes of the key, which may overlap
	text        [2]mem.Block
	len         uint16 // length of the key
	place       uint16
}

func (x *bookEntry) key() string { return mem.String(x.bytes()[2 : 2+x.len]) }

// bytes returns the text of the entry with its full capacity.
func (x *bookEntry) bytes() []byte {
	s := mem.Slice{Data: mem.RawTo(&x.text), Len: bookText, Cap: bookText}
	return *mem.RawAt[[]byte](mem.RawTo(&s), 0)
}

const (
	creditFirst = 32  // credit of a new book
	creditMost  = 256 // maximum credit
	creditRest  = 64  // number of maps for which a book without credit is not used
)

// gatherKnown is a variant of gather for maps whose keys are all in the book. If a key is not in
// the book, or the book has no credit, gatherKnown returns 0.
func (e *encoder) gatherKnown(slots mem.Slots, list []mapSlot) int {
	book := e.book
	if book == nil {
		book = &keyBook{credit: creditFirst}
		e.book = book
	}
	if book.credit <= 0 {
		if book.credit--; book.credit < -creditRest {
			book.credit = creditFirst / 4
		}
		return 0
	}
	if book.full && len(e.slots) == 0 { // no open map uses a text of the book
		*book = keyBook{credit: creditFirst}
	}
	var marks [bookKeys/64 + 1]uint64
	k := 0
	missed := false
	var w mem.SlotWalk
	w.Start(slots)
	for number, key := w.Next(); key != nil; number, key = w.Next() {
		if k++; k > len(list) {
			return 0
		}
		s := *mem.RawAt[string](key, 0)
		x := book.find(s)
		if x == nil {
			missed = true
			continue
		}
		book.slots[x.place] = number
		marks[x.place>>6] |= 1 << (x.place & 63)
	}
	if missed {
		book.credit--
		return 0
	}
	if book.credit < creditMost {
		book.credit++
	}
	k = 0
	for i := range marks {
		for m := marks[i]; m != 0; m &= m - 1 {
			place := i<<6 + bits.TrailingZeros64(m)
			list[k] = mapSlot{number: book.slots[place], known: uint32(book.order[place])}
			k++
		}
	}
	return k
}

// find returns the entry of the key s. If there is no such entry, it returns nil, and may add an
// entry for later calls.
func (b *keyBook) find(s string) *bookEntry {
	if len(s) == 0 || len(s) > bookText-4 {
		return nil
	}
	first, last := words(s)
	h := hashOf(first, last, len(s))
	at := slotOf(h)
	for range bookProbe {
		x := &b.entries[b.table[at%bookSlots]]
		if x.first == first && x.last == last && int(x.len) == len(s) && (len(s) <= 16 || x.key() == s) {
			return x
		}
		if x == &b.entries[0] {
			break
		}
		at++
	}
	b.meet(s, h)
	return nil
}

// words returns the first and the last 8 bytes of s. If s has at most 8 bytes, both results are
// equal.
func words(s string) (first, last uint64) {
	if len(s) >= 8 {
		b := mem.Bytes(s)
		return mem.Load64(b, 0), mem.Load64(b, len(s)-8)
	}
	first = firstWord(s)
	return first, first
}

// slotOf returns the place in the table at which the search for the hash h begins.
func slotOf(h uint64) uint64 { return h >> 54 }

func hashOf(first, last uint64, n int) uint64 {
	return (first ^ bits.RotateLeft64(last, 29) ^ uint64(n)) * 0x9e3779b97f4a7c15
}

// meet handles a key s that is not in the book. If s occurs for the second time, meet adds it to
// the book. The first time, it only records the hash of s.
func (b *keyBook) meet(s string, h uint64) {
	if !isPlain(s) {
		return
	}
	once := &b.once[h>>40%bookKeys]
	if *once != uint32(h) {
		*once = uint32(h)
		return
	}
	if b.count == bookKeys {
		b.full = true
		return
	}
	at := slotOf(h)
	for probe := 0; b.table[at%bookSlots] != 0; probe++ {
		if probe == bookProbe-1 {
			return
		}
		at++
	}
	b.count++
	b.table[at%bookSlots] = uint16(b.count)
	x := &b.entries[b.count]
	x.first, x.last = words(s)
	x.len = uint16(len(s))
	text := x.bytes()
	copy(text, `,"`)
	copy(text[2:], s)
	copy(text[2+len(s):], `":`)
	place, _ := slices.BinarySearchFunc(b.order[:b.count-1], s, func(number uint16, s string) int {
		return strings.Compare(b.entries[number].key(), s)
	})
	copy(b.order[place+1:b.count], b.order[place:b.count-1])
	b.order[place] = uint16(b.count)
	for i, number := range b.order[:b.count] {
		b.entries[number].place = uint16(i)
	}
	b.credit++ // a book that still learns keys keeps its credit
}

// isPlain reports whether s contains no characters to escape, even with HTML escaping.
func isPlain(s string) bool {
	var room [bookText + textRoom]byte
	return putShort(room[:], 0, s[:min(len(s), short)], true) >= 0 && (len(s) <= short || putShort(room[:], 0, s[short:], true) >= 0)
}

// putKnown writes the encoded key of the entry with this number.
func (e *encoder) putKnown(n int, number uint32) int {
	x := &e.book.entries[number]
	b := e.room(n, bookText)
	mem.StoreBlock(b, n, &x.text[0])
	if x.len > mem.BlockSize-4 {
		mem.StoreBlock(b, n+mem.BlockSize, &x.text[1])
	}
	return n + int(x.len) + 4
}
