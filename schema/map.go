package schema

import (
	"bytes"
	"reflect"
	"slices"
	"sync"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// entries appends the map at p. Its slots are read one after the other where they are known; else
// it is ranged over.
func (e *encoder) entries(o *op, p mem.Pointer, b []byte) []byte {
	n := mapLen(p)
	if b = e.header(o, n, b); e.fault != nil || n == 0 {
		return b
	}
	var sorted *sorter
	if e.o.sort {
		sorted = sorters.Get().(*sorter)
		defer sorted.put()
	}
	start, seen := len(b), 0
	if slots, ok := o.slots(p); ok {
		var w mem.SlotWalk
		shape := &o.sub.shape
		for w.Start(slots); ; seen++ {
			_, entry := w.Next()
			if entry == nil {
				break
			}
			if b = e.entry(o, shape.EntryOf(entry), b, seen, sorted); e.fault != nil {
				return b
			}
		}
	} else {
		b, seen = e.ranged(o, p, b, sorted)
	}
	if e.fault == nil && (seen != n || mapLen(p) != n) {
		return e.wrong(b, ErrChanged)
	}
	if sorted != nil {
		sorted.sort(b[start:])
	}
	return b
}

// mapLen is how many entries the map at p has. Where that is noted does not depend on its type.
func mapLen(p mem.Pointer) int { return len(*mem.At[map[int]int](p, 0)) }

// slots are the slots of the map at p, if they can be read.
func (o *op) slots(p mem.Pointer) (mem.Slots, bool) {
	if !o.sub.shaped {
		return mem.Slots{}, false
	}
	return o.sub.shape.Open(*mem.At[mem.Raw](p, 0))
}

// entry appends an entry, which is a struct of key and value.
func (e *encoder) entry(o *op, entry mem.Pointer, b []byte, index int, sorted *sorter) []byte {
	start := len(b)
	b = e.run(o.sub.pg, entry, 1, b)
	if e.fault != nil {
		e.fault.index = index
	} else if sorted != nil {
		sorted.add(start, len(b))
	}
	return b
}

// ranged appends the entries of the map at p by reflection, and counts them.
func (e *encoder) ranged(o *op, p mem.Pointer, b []byte, sorted *sorter) ([]byte, int) {
	m := o.sub.n.mapOf
	entry := m.entries.Get().(mem.Pointer)
	key := reflect.NewAt(m.typ.Key(), mem.RawOf(entry)).Elem()
	value := reflect.NewAt(m.typ.Elem(), mem.RawOf(mem.Add(entry, m.value))).Elem()
	seen := 0
	for all := reflect.NewAt(m.typ, mem.RawAs(p, m.typ)).Elem().MapRange(); e.fault == nil && all.Next(); seen++ {
		key.SetIterKey(all)
		value.SetIterValue(all)
		b = e.entry(o, entry, b, seen, sorted)
	}
	m.zero(entry)
	m.entries.Put(entry)
	return b, seen
}

// sorter puts the entries of a map into the order of their bytes, which begin with the key.
type sorter struct {
	ends []int // of the entries
	from int   // where the first begins
	list [][]byte
	copy []byte
}

var sorters = sync.Pool{New: func() any { return new(sorter) }}

func (s *sorter) add(start, end int) {
	if len(s.ends) == 0 {
		s.from = start
	}
	s.ends = append(s.ends, end)
}

// sort sorts the entries, of which b is all.
func (s *sorter) sort(b []byte) {
	s.copy = append(s.copy[:0], b...)
	at := 0
	for _, end := range s.ends {
		s.list = append(s.list, s.copy[at:end-s.from])
		at = end - s.from
	}
	slices.SortFunc(s.list, bytes.Compare)
	at = 0
	for _, entry := range s.list {
		at += copy(b[at:], entry)
	}
}

// put gives s back, unless it has become large.
func (s *sorter) put() {
	if cap(s.copy) > maxPooled || cap(s.ends) > maxPooled/8 {
		return
	}
	clear(s.list)
	s.ends, s.list = s.ends[:0], s.list[:0]
	sorters.Put(s)
}

// maxPooled is the most memory that is kept for the next message.
const maxPooled = 64 << 10

// entries decodes a map into the one at p, which is emptied.
func (d *decoder) entries(o *op, p mem.Pointer, i int) int {
	n, i, fits := d.count(o, i)
	m := o.sub.n.mapOf
	switch {
	case i < 0:
		return -1
	case !fits:
		return d.passed(o, m.entries.New().(mem.Pointer), n, i)
	}
	m.prepare(p, min(n, maxHint))
	seen := 0
	switch {
	case o.sub.numbers:
		seen, i = d.numbers(o, p, n, i)
	case o.sub.pairs:
		seen, i = d.pairs(o, p, n, i)
	}
	if seen == n {
		return i
	}
	entry, owed := m.entries.Get().(mem.Pointer), d.owed
	for k := seen; k < n; k++ {
		d.owed = owed
		d.owe(n-k-1, o.sub.least)
		if i = d.run(o.sub.pg, entry, 1, i); i < 0 {
			d.fault.index = k
			break
		}
		m.put(p, entry)
		if o.sub.reuses {
			m.zero(entry) // what it leads to is the map's now
		}
	}
	d.owed = owed
	m.zero(entry)
	m.entries.Put(entry)
	return i
}

// numbers decodes entries of a string and a number as long as they are there and right, n at most.
// It gives how many those were, and where they end.
func (d *decoder) numbers(o *op, p mem.Pointer, n, i int) (seen, end int) {
	b, header, value, least := d.b, o.sub.n.key.header, o.sub.n.elem, o.sub.least
	near := d.nearest()
	for ; seen < n && len(b)-i >= least; seen++ {
		size, at := int(mem.Load8(b, i)), i+1
		if header != H8 {
			size, at = header.read(b, i), i+header.size()
		}
		if uint(size) > uint(len(b)-i-least) {
			break
		}
		w := uint64(mem.Load8(b, at+size))
		if value.size > 1 {
			w = readWord(b, at+size, value.size, value.big)
		} else if w > 1 && value.kind == kindBool {
			break
		}
		if len(near.text)-(at-near.from) < size {
			near = d.copied(b, at, size, size+min(n-seen-1, chunkSize)*(least+size))
		}
		mem.PutText(p, near.text[at-near.from:][:size], w, value.size)
		i = at + size + value.size
	}
	d.near = near
	return seen, i
}

// pairs decodes entries of two strings in the same way.
func (d *decoder) pairs(o *op, p mem.Pointer, n, i int) (seen, end int) {
	b, key, value, least := d.b, o.sub.n.key.header, o.sub.n.elem.header, o.sub.least
	near := d.nearest()
	for ; seen < n && len(b)-i >= least; seen++ {
		size, at := key.read(b, i), i+key.size()
		if uint(size) > uint(len(b)-i-least) {
			break
		}
		vSize, vAt := value.read(b, at+size), at+size+value.size()
		if uint(vSize) > uint(len(b)-vAt) {
			break
		}
		next := vAt + vSize
		apart, last := d.o.text == ownText || d.o.text == sharedText && vSize > longText, next
		if apart {
			last = at + size
		}
		if last-near.from > len(near.text) {
			near = d.copied(b, at, last-at, min(n-seen, chunkSize)*(next-i))
		}
		var text string
		if apart {
			text = string(b[vAt:next])
		} else {
			text = near.text[vAt-near.from:][:vSize]
		}
		mem.PutTexts(p, near.text[at-near.from:][:size], text)
		i = next
	}
	d.near = near
	return seen, i
}

// shrinks reports whether a map of from entries had better be replaced by one of n than emptied: to
// empty it takes as long as it has room, each time, and it never has less.
func shrinks(from, n int) bool { return from > 1000 && n < from/8 }

// nearest is the stretch to begin with.
func (d *decoder) nearest() stretch {
	if d.o.text == inputText {
		return stretch{0, mem.String(d.b)}
	}
	return d.near
}

// maxHint is for how many entries a map is made at most before they are seen: they may all have the
// same key.
const maxHint = 1 << 16
