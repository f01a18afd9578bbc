package schema

import (
	"errors"
	"slices"
	"strconv"
	"strings"
)

// Verdict is the result of [Compat]. NewReadsOld and OldReadsNew are flags, and Both has both flags
// set. To test one flag, use an expression such as v&NewReadsOld != 0.
type Verdict uint8

const (
	Incompatible Verdict = 0
	NewReadsOld  Verdict = 1 << 0
	OldReadsNew  Verdict = 1 << 1
	Both         Verdict = NewReadsOld | OldReadsNew
	Equal        Verdict = Both | 1<<2 // the fingerprints are the same
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

// Difference explains why one schema cannot read another's messages. It contains the paths and
// types of the first mismatched fields. In a path, [] is an element of a list or a value of a map,
// and [key] is a key of a map. A field in the Tail is written in brackets. If a schema has no more
// fields, Old or New is "".
type Difference struct {
	Reader   string // "new" or "old"
	Old, New string
}

// Error returns the difference as one line of text.
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
// nil. Otherwise, the error joins one *[Difference] for each direction in which messages cannot be
// read.
//
// One shape (the reader) can read the messages of another shape (the writer) if these conditions
// hold:
//
//   - Each message of the writer is parsed without an error, even if it ends within the writer's
//     Tail.
//   - Fields at the same position have the same values.
//   - Fields that only the reader defines have zero values. If such a field replaces a Skip, it has
//     the value whose encoded bytes are all 0.
//   - No bytes remain, except whole fields of the writer's Tail. Parse returns these fields as the
//     rest, so messages with a Tail must be read one by one, as always.
//
// Only these changes satisfy the conditions:
//
//	in both directions   other names
//	                     fields added to a Tail, a Tail added, fields removed from its end
//	                     Skip(n) replaced by numbers, flags, times and arrays of these that take n bytes, or
//	                     fewer bytes and another Skip; and the reverse. If the writer skips the bytes, the
//	                     fields get the values that zero bytes encode: 1970 for a time
//	                     Str and Blob with the same header exchanged
//	                     Time and I64 exchanged
//	                     a struct replaced by its fields, or the reverse
//	                     an array of up to 256 elements replaced by as many fields, or the reverse
//	new reads old        Bool replaced by U8
//	                     fields at the end that become a Tail
//	old reads new        the reverse of these
//
// The changes may occur in nested structs, elements, keys and options. A shape does not contain Go
// types, not even the Go type of an As.
//
// Names are not compared. So Compat cannot detect that two fields of the same type have exchanged
// their positions: the result looks like two fields that have exchanged their names.
//
// Compare two versions whenever one of them may read messages of the other. It is not sufficient to
// compare adjacent versions. For example, the second version may remove a field, and the third
// version may reuse the field's bytes. Then the third version cannot read the first version's
// messages.
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

// reads returns an error if the reader cannot read the writer's messages. The argument `name` is
// the reader's name, "new" or "old".
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

// comparison checks whether one shape can read the messages of another.
//
// It treats a message as a row of atoms: structs, and arrays that are not too long, are replaced by
// their parts. Both rows are compared from the beginning. An atom matches a compatible atom, or
// skipped bytes of the same size in the other row.
type comparison struct {
	seen           map[[2]*node]bool // pairs compared so far: each pair matches, is still being compared, or has ended the comparison
	left           int               // number of nodes that may still be visited
	reader, writer string            // the first mismatch
}

const (
	maxVisits = 1 << 18
	maxSpread = 256 // maximum number of elements that become separate atoms; for nested arrays, the product of the numbers
)

// place is a node of a shape, or skipped bytes, together with a path.
type place struct {
	n    *node
	path *trail
	size int  // encoded size in bytes, or 0 if it varies
	tail bool // the place belongs to the Tail
	ends bool // a message may end before the place
}

// trail is a path, as a linked list. Its text is built only when it is needed.
type trail struct {
	to   *trail
	step string // a field name, or text in brackets
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

// text returns the text for p in a Difference.
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

// differ records the first atoms of the two rows as the mismatch, and returns false.
func (c *comparison) differ(reader, writer []place) bool {
	if len(reader) > 0 {
		c.reader = reader[0].text()
	}
	if len(writer) > 0 {
		c.writer = writer[0].text()
	}
	return false
}

// reads reports whether a reader of r can read values of w.
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

// atoms appends the atoms of p to the slice `row`. The argument `times` is the product of the
// lengths of the arrays that enclose p.
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

// fixed reports whether all values of n have the same encoded size.
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

// skipped reports whether the row begins with n skipped bytes, and returns the rest of the row
// after them. For the writer's row, the argument `whole` is true. In this case, the message must
// also not be able to end within these bytes.
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

// readsWord reports whether a reader of n can read values of w. It ignores the keys and elements of
// n and w.
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

// parts reports whether a reader of r's keys and elements can read the keys and elements of w.
func (c *comparison) parts(r, w place) bool {
	if r.n.key != nil && !c.reads(r.part(r.n.key, "[key]"), w.part(w.n.key, "[key]")) {
		return false
	}
	return r.n.elem == nil || c.reads(r.part(r.n.elem, "[]"), w.part(w.n.elem, "[]"))
}

// part returns the place of the node n, which is a part of p. The value of an option has the same
// path as the option.
func (p place) part(n *node, step string) place {
	if p.n.kind == kindOpt {
		return place{n: n, path: p.path}
	}
	return place{n: n, path: &trail{p.path, step}}
}
