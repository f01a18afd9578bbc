package schema

import (
	"errors"
	"slices"
	"strconv"
	"strings"
)

// Verdict is the result of [Compat]. Both is the union of its two parts: test one by v&NewReadsOld
// != 0.
type Verdict uint8

const (
	Incompatible Verdict = 0
	NewReadsOld  Verdict = 1 << 0
	OldReadsNew  Verdict = 1 << 1
	Both         Verdict = NewReadsOld | OldReadsNew
	Equal        Verdict = Both | 1<<2 // their fingerprints are the same
)

func (v Verdict) String() string {
	switch v {
	case Incompatible:
		return "incompatible"
	case NewReadsOld:
		return "new reads old"
	case OldReadsNew:
		return "old reads new"
	case Both:
		return "both read each other"
	case Equal:
		return "equal"
	}
	return "Verdict(" + strconv.Itoa(int(v)) + ")"
}

// Difference is the reason why one of two schemas cannot read the messages of the other: the first
// fields that do not match, as their paths and types. In a path, [] is an element of a list or a
// value of a map, and [key] a key of a map. A field of the Tail is in brackets. A field is "" if
// the message has no more fields.
type Difference struct {
	Reader   string // "new" or "old"
	Old, New string
}

// Error returns the difference in one line.
func (d *Difference) Error() string {
	writer := "new"
	if d.Reader == "new" {
		writer = "old"
	}
	return "schema: " + d.Reader + " does not read " + writer + ": old has " + orNothing(d.Old) + ", new has " + orNothing(d.New)
}

func orNothing(s string) string {
	if s == "" {
		return "no further field"
	}
	return s
}

// Compat compares an older and a newer shape. If each can read the other's messages, the error is
// nil. Otherwise it is a *[Difference], or two joined ones, for each direction that is not
// possible.
//
// A shape can read the messages of another if these conditions hold:
//
//   - Each message of the other is parsed without an error, also if it ends within the other's
//     Tail.
//   - Fields at the same place get the same values.
//   - Fields that only the reader has get the values of zero bytes.
//   - No bytes remain, except whole fields of the writer's Tail, which are returned as the rest. So
//     messages with a Tail must be read one by one, as always.
//
// These changes keep the conditions, and no others:
//
//	in both directions   other names
//	                     fields added to a Tail, a Tail added, fields removed from its end
//	                     Skip(n) replaced by numbers, flags, times and arrays of them of n bytes, or of
//	                     fewer and another Skip; and the reverse. If the writer skips the bytes, the fields
//	                     have the values of zeros, which is 1970 for a time
//	                     Str and Blob with the same header exchanged
//	                     Time and I64 exchanged
//	                     a struct replaced by its fields, or the reverse
//	                     an array of up to 256 elements replaced by as many fields, or the reverse
//	new reads old        Bool replaced by U8
//	                     fields at the end that become a Tail
//	old reads new        the reverse of these
//
// The changes may be in structs, elements, keys and options. Go types, and the Go type of an As,
// are not part of a shape.
//
// Names are not compared: two fields of one type that exchange places look like two fields that
// exchange names.
//
// Compare each pair of versions whose messages meet. If neighbouring versions can read each other,
// the first and the third need not: for example, if one version removes a field, and the next uses
// its bytes again.
func Compat(old, new *Shape) (Verdict, error) {
	if old.text(false) == new.text(false) {
		return Equal, nil
	}
	forth, back := reads("new", new, old), reads("old", old, new)
	v := Incompatible
	if forth == nil {
		v |= NewReadsOld
	}
	if back == nil {
		v |= OldReadsNew
	}
	return v, errors.Join(forth, back)
}

// reads tells why the reader, which is called so, does not read what the writer writes.
func reads(name string, reader, writer *Shape) error {
	c := comparison{seen: make(map[[2]*node]bool), left: maxVisits}
	switch {
	case c.reads(place{n: reader.root()}, place{n: writer.root()}):
		return nil
	case c.left < 0:
		return errors.New("schema: the schemas are too large to be compared")
	case name == "new":
		return &Difference{Reader: name, Old: c.writer, New: c.reader}
	}
	return &Difference{Reader: name, Old: c.reader, New: c.writer}
}

// comparison is whether one shape reads another.
//
// A message is taken as a row of atoms, with all structs, and arrays that are not too long, written
// out. Both rows are walked together: either the atoms fit, or one of them is bytes that are
// skipped, of which the other takes its part.
type comparison struct {
	seen           map[[2]*node]bool // pairs that were compared or are being so: they fit, or all has failed
	left           int               // how many more nodes may be looked at
	reader, writer string            // what does not fit
}

const (
	maxVisits = 1 << 18
	maxSpread = 256 // elements of an array, over all arrays that it is in, that are atoms of their own
)

// place is a node of a shape, or bytes to skip, and where it is.
type place struct {
	n    *node
	path *trail
	size int  // bytes on the wire, if that is always as many, or 0
	tail bool // it is of the Tail
	ends bool // a message may end before it
}

// trail is a path that nobody has asked for yet.
type trail struct {
	to   *trail
	step string // a field, or what is in brackets
}

func (t *trail) String() string {
	if t == nil {
		return ""
	}
	if strings.HasPrefix(t.step, "[") {
		return t.to.String() + t.step
	}
	return join(t.to.String(), t.step)
}

// text is what a Difference tells of p.
func (p place) text() string {
	text := skipOf(p.size)
	if p.n != nil {
		text = notation{}.word(p.n)
		if path := p.path.String(); path != "" {
			text = path + " (" + text + ")"
		}
	}
	if p.tail {
		return "[" + text + "]"
	}
	return text
}

// differ notes the first atoms of two rows as those that do not fit.
func (c *comparison) differ(reader, writer []place) bool {
	if len(reader) > 0 {
		c.reader = reader[0].text()
	}
	if len(writer) > 0 {
		c.writer = writer[0].text()
	}
	return false
}

// reads reports whether values of r can be read from values of w.
func (c *comparison) reads(r, w place) bool {
	for _, p := range []*place{&r, &w} {
		if p.n.kind == kindSelf {
			p.n = p.n.elem
		}
	}
	pair := [2]*node{r.n, w.n}
	if c.seen[pair] {
		return true
	}
	c.seen[pair] = true
	reader, writer := c.atoms(nil, r, 1), c.atoms(nil, w, 1)
	for c.left >= 0 {
		switch {
		case len(writer) == 0 && (len(reader) == 0 || reader[0].ends), len(reader) == 0 && writer[0].ends:
			return true
		case len(writer) == 0, len(reader) == 0, writer[0].ends && !reader[0].ends:
			return c.differ(reader, writer)
		}
		a, b := reader[0], writer[0]
		var ok bool
		switch {
		case a.n == nil && b.n == nil:
			n := min(a.size, b.size)
			reader, _ = skipped(reader, n, false)
			writer, ok = skipped(writer, n, true)
		case a.n == nil:
			if reader, ok = skipped(reader, b.size, false); ok {
				writer = writer[1:]
			}
		case b.n == nil:
			if writer, ok = skipped(writer, a.size, true); ok {
				reader = reader[1:]
			}
		case a.n.readsWord(b.n):
			if !c.parts(a, b) {
				return false
			}
			reader, writer, ok = reader[1:], writer[1:], true
		}
		if !ok {
			return c.differ(reader, writer)
		}
	}
	return false
}

// atoms appends those of p, which is in so many elements of arrays.
func (c *comparison) atoms(row []place, p place, times int) []place {
	n := p.n
	switch c.left--; {
	case c.left < 0:
		return row
	case n.kind == kindStruct:
		for _, f := range n.fields {
			from := len(row)
			if f.n != nil {
				row = c.atoms(row, place{n: f.n, path: &trail{p.path, f.name}}, times)
			} else if f.skip > 0 {
				row = append(row, place{path: p.path, size: f.skip})
			}
			for i := from; i < len(row) && f.tail; i++ {
				row[i].tail, row[i].ends = true, i == from
			}
		}
		return row
	case n.kind == kindArray && (n.count == 0 || n.elem.least() == 0):
		return row
	case n.kind == kindArray && n.count <= maxSpread/times:
		for i := range n.count {
			row = c.atoms(row, place{n: n.elem, path: &trail{p.path, "[" + strconv.Itoa(i) + "]"}}, times*n.count)
		}
		return row
	}
	if size := n.least(); n.fixed() && size < hugeWire {
		p.size = size
	}
	return append(row, p)
}

// fixed reports whether all values of n take as many bytes.
func (n *node) fixed() bool {
	switch n.kind {
	case kindInt, kindFloat, kindBool, kindTime:
		return true
	case kindArray:
		return n.elem.fixed()
	case kindStruct:
		return !slices.ContainsFunc(n.fields, func(f field) bool { return f.n != nil && !f.n.fixed() })
	}
	return false
}

// skipped is what follows n bytes of a row, if they are to be skipped. If the row is the writer's,
// its message may not end in the midst of them.
func skipped(row []place, n int, whole bool) (rest []place, ok bool) {
	k := 0
	for left := n; left > 0; k++ {
		switch {
		case k == len(row) || row[k].n != nil || whole && k > 0 && row[k].ends:
			return row, false
		case row[k].size > left:
			row[k].size, row[k].ends = row[k].size-left, false
			return row[k:], true
		}
		left -= row[k].size
	}
	return row[k:], n > 0
}

// readsWord reports whether a value of n can be read from one of w, but for what they are made of.
func (n *node) readsWord(w *node) bool {
	text := func(n *node) bool { return n.kind == kindString || n.kind == kindBlob }
	nanoseconds := func(n *node) bool {
		return n.kind == kindTime || n.kind == kindInt && n.size == 8 && n.signed && !n.big
	}
	switch {
	case text(n):
		return text(w) && n.header == w.header
	case nanoseconds(n):
		return nanoseconds(w)
	case n.kind == kindInt && n.size == 1 && !n.signed && w.kind == kindBool:
		return true
	}
	return notation{}.word(n) == notation{}.word(w)
}

// parts reports whether what r is made of can be read from what w is made of.
func (c *comparison) parts(r, w place) bool {
	if r.n.key != nil && !c.reads(r.part(r.n.key, "[key]"), w.part(w.n.key, "[key]")) {
		return false
	}
	return r.n.elem == nil || c.reads(r.part(r.n.elem, "[]"), w.part(w.n.elem, "[]"))
}

// part is a node that p is made of. The value of an option is at the same place.
func (p place) part(n *node, step string) place {
	if p.n.kind == kindOpt {
		return place{n: n, path: p.path}
	}
	return place{n: n, path: &trail{p.path, step}}
}
