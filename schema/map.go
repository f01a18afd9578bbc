package schema

import (
	"bytes"
	"reflect"
	"slices"
	"sync"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// entries appends the map at p. If the layout of the map's slots is known, it reads the slots one
// after the other. Otherwise, it ranges over the map.
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

// mapLen returns the number of entries of the map at p. All types of maps store this number at the
// same place.
func mapLen(p mem.Pointer) int { return len(*mem.At[map[int]int](p, 0)) }

// slots returns the slots of the map at p, and reports whether they can be read.
func (o *op) slots(p mem.Pointer) (mem.Slots, bool) {
	if !o.sub.shaped {
		return mem.Slots{}, false
	}
	return o.sub.shape.Open(*mem.At[mem.Raw](p, 0))
}

// entry appends an entry of a map. The argument `entry` points to a struct of a key and a value.
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

// ranged appends the entries of the map at p, and counts them. It uses reflection.
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

// sorter sorts the encoded entries of a map by their bytes. Each encoded entry begins with the key.
type sorter struct {
	ends []int // offsets of the ends of the entries
	from int   // offset of the first entry
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

// sort sorts the entries in b. The slice b must contain exactly the added entries.
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

// put returns s to the pool, unless s has become large.
func (s *sorter) put() {
	if cap(s.copy) > maxPooled || cap(s.ends) > maxPooled/8 {
		return
	}
	clear(s.list)
	s.ends, s.list = s.ends[:0], s.list[:0]
	sorters.Put(s)
}

// maxPooled is the maximum size of the memory that is kept for the next message.
const maxPooled = 64 << 10

// entries decodes a map into the map at p. It first empties the map at p.
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
			m.zero(entry) // the map now owns the memory that the entry refers to
		}
	}
	d.owed = owed
	m.zero(entry)
	m.entries.Put(entry)
	return i
}

// numbers decodes up to n entries whose keys are strings and whose values are numbers. It stops
// before the first entry that is incomplete or invalid. It returns the number of decoded entries,
// and the offset after them.
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

// pairs is like numbers, but for entries whose keys and values are strings.
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

// shrinks reports whether a map should be replaced by a new map instead of being emptied. The
// argument `from` is the number of entries in the old map, and n is the number of new entries. The
// time to empty a map is proportional to its capacity, which never decreases.
func shrinks(from, n int) bool { return from > 1000 && n < from/8 }

// nearest returns the stretch with which numbers and pairs begin. If strings alias the input, this
// stretch is the input itself. Otherwise, it is the current copy.
func (d *decoder) nearest() stretch {
	if d.o.text == inputText {
		return stretch{0, mem.String(d.b)}
	}
	return d.near
}

// maxHint is the maximum number of entries for which a map is allocated before the entries are
// read. A limit is necessary because all entries may have the same key.
const maxHint = 1 << 16
