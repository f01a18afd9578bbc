package remotewrite

import (
	"hash/maphash"
	"slices"
	"sync"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// symbolTable converts the strings of a request to references to symbols. Each string is one
// symbol. The first symbol is empty.
//
// Usually, a series shares its label names, and many label values, with the previous series. So
// each label is first compared with the label at the same position in the previous series, and only
// different strings are looked up.
type symbolTable struct {
	symbols slab[string]
	hashes  slab[uint32] // hashes of the symbols
	slots   slab[uint32] // a hash table of references, 0 if a slot is free; its size is a power of two, and at most half of it is used
	seed    maphash.Seed
	refs    slab[uint32] // references of all series, in the order that refer defines

	// The references of long strings, with the address of the string as the key. In a decoded
	// request, a symbol has the same address in every series. Hashing or comparing a long string in
	// each series would take time proportional to the product of its length and the number of
	// series.
	long map[place]uint32
}

// place identifies a string by its address and length.
type place struct {
	at  mem.Pointer
	len int
}

// longText is the minimum length of a long string, in bytes.
const longText = 1 << 10

var symbolTables = sync.Pool{New: func() any { return &symbolTable{seed: maphash.MakeSeed()} }}

const firstSlots = 1 << 8

// refer returns the references of the request r. For each series, these are the references of the
// help and the unit, then of the name and the value of each label, and then of the name and the
// value of each label of its exemplars. The table must be empty.
func (t *symbolTable) refer(r *Request) []uint32 {
	*t.symbols.next(), *t.hashes.next() = "", 0
	t.setSlots(firstSlots)
	refs := t.refs.block
	var before []Label
	var their []uint32
	for i := range r.Series {
		s := &r.Series[i]
		refs = append(refs, t.ref(s.Metadata.Help), t.ref(s.Metadata.Unit))
		from := len(refs)
		refs = slices.Grow(refs, 2*len(s.Labels))[:from+2*len(s.Labels)]
		own := refs[from:]
		for j := range s.Labels {
			l := &s.Labels[j]
			if j < len(before) && equal(l.Name, before[j].Name) {
				own[2*j] = their[2*j]
			} else {
				own[2*j] = t.ref(l.Name)
			}
			if j < len(before) && equal(l.Value, before[j].Value) {
				own[2*j+1] = their[2*j+1]
			} else {
				own[2*j+1] = t.ref(l.Value)
			}
		}
		before, their = s.Labels, own
		for j := range s.Exemplars {
			for _, l := range s.Exemplars[j].Labels {
				refs = append(refs, t.ref(l.Name), t.ref(l.Value))
			}
		}
	}
	t.refs.block = refs
	return refs
}

// equal reports whether a == b. For long strings at different addresses, it returns false. Equal
// strings from Decode usually have the same address. In this case, no function call is necessary.
func equal(a, b string) bool { return mem.SameText(a, b) || len(a) < longText && a == b }

// forget makes t empty. It keeps the memory of t, but drops all strings.
func (t *symbolTable) forget() {
	t.symbols.begin()
	t.symbols.end()
	t.hashes.begin()
	t.slots.begin()
	t.refs.begin()
	t.long = nil
}

// ref returns the reference of s. If s is not a symbol yet, ref adds it.
func (t *symbolTable) ref(s string) uint32 {
	if s == "" {
		return 0
	}
	if len(s) >= longText {
		return t.longRef(s)
	}
	return t.find(s)
}

// longRef is like ref, but for a long string.
func (t *symbolTable) longRef(s string) uint32 {
	at := place{mem.PointerTo(&mem.Bytes(s)[0]), len(s)}
	if ref, ok := t.long[at]; ok {
		return ref
	}
	ref := t.find(s)
	if t.long == nil {
		t.long = make(map[place]uint32)
	}
	t.long[at] = ref
	return ref
}

// find looks up the bytes of s, and returns the reference of s. If s is not a symbol yet, find adds
// it.
func (t *symbolTable) find(s string) uint32 {
	h := uint32(maphash.String(t.seed, s))
	slots := t.slots.block
	last := uint32(len(slots) - 1)
	for i := h & last; ; i = (i + 1) & last {
		ref := slots[i]
		if ref == 0 {
			return t.add(s, h, i)
		}
		if t.hashes.block[ref] == h && t.symbols.block[ref] == s {
			return ref
		}
	}
}

// add adds s as a symbol in a free slot, and returns the reference of s.
func (t *symbolTable) add(s string, h, slot uint32) uint32 {
	ref := uint32(len(t.symbols.block))
	*t.symbols.next(), *t.hashes.next() = s, h
	t.slots.block[slot] = ref
	if n := len(t.slots.block); int(ref) >= n/2 {
		t.setSlots(2 * n)
	}
	return ref
}

// setSlots sets the number of slots of the table to n.
func (t *symbolTable) setSlots(n int) {
	if n > cap(t.slots.block) {
		t.slots.block = make([]uint32, n)
	}
	slots := t.slots.block[:n]
	clear(slots)
	last := uint32(n - 1)
	for ref, h := range t.hashes.block {
		if ref == 0 {
			continue
		}
		i := h & last
		for slots[i] != 0 {
			i = (i + 1) & last
		}
		slots[i] = uint32(ref)
	}
	t.slots.block = slots
}
