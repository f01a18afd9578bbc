package schema

// Compat is tested with random schemas and random changes to them. For each pair, messages must
// confirm the verdict, whether it is positive or negative.

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/internal/corpus"
)

// unread describes the first part of the message b that r does not read as Compat promises, or
// returns "". w wrote b, and written contains its spans. tail contains the offsets of the fields of
// w's Tail.
func unread(rnd *rand.Rand, r, w *anySchema, b []byte, written []span, tail []int) string {
	v := reflect.New(r.typ)
	fillValue(rnd, r.n, v.Elem(), 3) // Parse must overwrite all of these values
	left, err := r.parseInto(v, b, defaults)
	if err != nil {
		return fmt.Sprintf("%+v", err)
	}
	if left > 0 && !slices.Contains(tail, len(b)-left) {
		return fmt.Sprintf("%d bytes are left", left)
	}
	var read []span
	again := naive(nil, r.n, v.Elem(), "", &read)
	for _, s := range read {
		if s.n == nil || s.start == s.end || s.start >= len(b) {
			continue
		}
		if s.end > len(b) || string(again[s.start:s.end]) != string(b[s.start:s.end]) {
			return fmt.Sprintf("%s is read as another value", s.path)
		}
		same := slices.ContainsFunc(written, func(o span) bool { return o.n != nil && o.start == s.start && o.end == s.end && mayBe(s.n, o.n) })
		if !same && !skippedBy(written, s) {
			return fmt.Sprintf("%s %s is read from something else", s.path, notation{}.word(s.n))
		}
	}
	for _, f := range r.n.fields {
		if f.tail && f.n != nil && !slices.ContainsFunc(read, func(s span) bool { return s.start < len(b) && strings.HasPrefix(s.path, f.name) }) &&
			!v.Elem().FieldByName(f.name).IsZero() && f.n.least() > 0 {
			return f.name + " is not zero"
		}
	}
	return ""
}

// mayBe reports whether r can read the words that w writes.
func mayBe(r, w *node) bool {
	a, b := notation{}.word(r), notation{}.word(w)
	text := func(s string) string { return strings.Replace(s, "blob", "str", 1) }
	return text(a) == text(b) || a == "time" && b == "i64" || a == "i64" && b == "time" || a == "u8" && b == "bool"
}

// skippedBy reports whether s is a number in bytes that the writer skips.
func skippedBy(written []span, s span) bool {
	if s.n.kind > kindTime {
		return false
	}
	for at := s.start; at < s.end; at++ {
		if !slices.ContainsFunc(written, func(o span) bool { return o.n == nil && o.start <= at && at < o.end }) {
			return false
		}
	}
	return true
}

// messages calls try with messages of w until try returns a text, and returns that text. The
// messages are complete, or end before a field of w's Tail.
func messages(rnd *rand.Rand, w *anySchema, values int, try func(b []byte, written []span, tail []int) string) string {
	head := len(w.n.fields)
	for k, f := range slices.Backward(w.n.fields) {
		if f.tail {
			head = k
		}
	}
	for range values {
		v := reflect.New(w.typ).Elem()
		fillValue(rnd, w.n, v, 1)
		var tail []int
		for k := head; k <= len(w.n.fields); k++ {
			var written []span
			b := naive(nil, &node{kind: kindStruct, fields: w.n.fields[:k]}, v, "", &written)
			tail = append(tail, len(b))
			if wrong := try(b, written, tail); wrong != "" {
				return fmt.Sprintf("%x: %s", b, wrong)
			}
		}
	}
	return ""
}

// If yes is true, checkReads checks with messages that r can read w. Otherwise, it checks that r
// cannot read w.
func checkReads(t *testing.T, rnd *rand.Rand, r, w *anySchema, yes bool, says error) {
	t.Helper()
	values := 20
	if !yes {
		values = 2000
	}
	wrong := messages(rnd, w, values, func(b []byte, written []span, tail []int) string { return unread(rnd, r, w, b, written, tail) })
	switch {
	case yes && wrong != "":
		t.Errorf("%s should read what\n%s writes, but: %s", r.of(), w.of(), wrong)
	case !yes && wrong == "" && !optOfNothing(r.n) && !optOfNothing(w.n):
		t.Errorf("%s should not read what\n%s writes (%v), but does", r.of(), w.of(), says)
	}
}

// optOfNothing reports whether n contains an option of an element without bytes. Such an option
// always occupies one byte, so it could replace a Skip. But Compat never accepts an option as a
// Skip.
func optOfNothing(n *node) bool {
	if n.kind == kindOpt && n.elem.least() == 0 {
		return true
	}
	for _, p := range n.parts {
		if optOfNothing(p) {
			return true
		}
	}
	return false
}

// checkCompat changes a random schema, checks the verdict of Compat on both schemas, and returns
// it.
func checkCompat(t *testing.T, seed uint64) Verdict {
	rnd := corpus.New(seed)
	var parts [2][]string
	for k, n := range []int{1 + rnd.IntN(4), rnd.IntN(3)} {
		for range n {
			parts[k] = append(parts[k], randomPart(rnd))
		}
	}
	text := strings.Join(parts[0], ",")
	if len(parts[1]) > 0 {
		text += ",[" + strings.Join(parts[1], ",") + "]"
	}
	old := mustSchema("{" + text + "}")
	m := mutator{rnd}
	changed := m.copied(old.n)
	for range 1 + rnd.IntN(2) {
		m.change(changed)
	}
	new := mustSchema((&Shape{changed}).text(false))
	v, err := Compat(&Shape{old.n}, &Shape{new.n})
	checkReads(t, rnd, new, old, v&NewReadsOld != 0, err)
	checkReads(t, rnd, old, new, v&OldReadsNew != 0, err)
	return v
}

func randomPart(rnd *rand.Rand) string {
	if rnd.IntN(3) == 0 {
		return fmt.Sprint("skip", rnd.IntN(12))
	}
	return randomNotation(rnd, 2)
}

func TestCompatRandom(t *testing.T) {
	seen := map[Verdict]int{}
	for seed := range uint64(1000) {
		seen[checkCompat(t, seed)]++
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	for _, v := range []Verdict{Incompatible, NewReadsOld, OldReadsNew, Both, Equal} {
		if seen[v] < 20 {
			t.Errorf("%v was seen %d times only", v, seen[v])
		}
	}
}

// FuzzCompat runs the check of TestCompatRandom with random seeds.
func FuzzCompat(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { checkCompat(t, seed) })
}

// mutator makes random changes to shapes.
type mutator struct{ rnd *rand.Rand }

// copied returns a copy of n without Go types.
func (m *mutator) copied(n *node) *node {
	c := &node{kind: n.kind, size: n.size, signed: n.signed, big: n.big, header: n.header, count: n.count}
	if n.key != nil {
		c.key = m.copied(n.key)
	}
	if n.elem != nil {
		c.elem = m.copied(n.elem)
	}
	for _, f := range n.fields {
		part := field{name: f.name, skip: f.skip, tail: f.tail}
		if f.n != nil {
			part.n = m.copied(f.n)
		}
		c.fields = append(c.fields, part)
	}
	return c
}

// The method a returns a new node for the notation `text`.
func (m *mutator) a(text string) *node { return m.copied(mustShape("{a " + text + "}").n.fields[0].n) }

// some returns a node of a randomly chosen type.
func (m *mutator) some() *node {
	all := []string{"u8", "bool", "i16", "u32be", "f32", "i64", "time", "str8", "str16", "opt(u8)", "list8(u16)", "array2(bool)"}
	return m.a(all[m.rnd.IntN(len(all))])
}

// change makes one random change in root.
func (m *mutator) change(root *node) {
	structs, leaves := []*node{root}, []*node(nil)
	var walk func(n *node, key bool)
	walk = func(n *node, key bool) {
		switch {
		case n.kind == kindStruct && n != root:
			structs = append(structs, n)
		case n.kind <= kindList && !key, n.kind == kindMap, others[notation{}.word(n)] != nil:
			leaves = append(leaves, n)
		}
		for _, p := range n.parts {
			walk(p, key || p == n.key)
		}
	}
	walk(root, false)
	n := structs[m.rnd.IntN(len(structs))]
	at := m.rnd.IntN(len(n.fields) + 1)
	switch m.rnd.IntN(12) {
	case 0: // append a field to the Tail
		root.fields = append(root.fields, field{n: m.some(), tail: true})
	case 1:
		if root.hasTail() {
			root.fields = root.fields[:len(root.fields)-1]
		}
	case 2: // move the start of the Tail
		at := slices.IndexFunc(root.fields, func(f field) bool { return f.tail })
		switch {
		case at < 0 && len(root.fields) > 0:
			root.fields[len(root.fields)-1].tail = true
		case at >= 0 && (at == 0 || m.rnd.IntN(2) == 0):
			root.fields[at].tail = false
		case at > 0:
			root.fields[at-1].tail = true
		}
	case 3, 4, 5: // replace a Skip by fields, of the same size or not
		for k, f := range n.fields {
			if f.n == nil {
				parts, left := []field(nil), f.skip
				for range 1 + m.rnd.IntN(2) {
					if p := m.some(); p.least() <= left || m.rnd.IntN(4) == 0 {
						parts = append(parts, field{n: p, tail: f.tail})
						left -= p.least()
					}
				}
				if left > 0 {
					parts = slices.Insert(parts, m.rnd.IntN(len(parts)+1), field{skip: left, tail: f.tail})
				}
				n.fields = slices.Replace(n.fields, k, k+1, parts...)
				break
			}
		}
	case 6: // replace a field by a Skip
		if at < len(n.fields) && n.fields[at].n != nil {
			n.fields[at] = field{skip: n.fields[at].n.least(), tail: n.fields[at].tail}
		}
	case 7: // change a type
		if len(leaves) > 0 {
			m.retype(leaves[m.rnd.IntN(len(leaves))])
		}
	case 8:
		if at < len(n.fields) {
			n.fields = slices.Delete(n.fields, at, at+1)
		}
	case 9:
		if at == len(n.fields) || !n.fields[at].tail {
			tail := at > 0 && n.fields[at-1].tail
			n.fields = slices.Insert(n.fields, at, field{n: m.some(), tail: tail})
		}
	case 10: // swap two fields
		if at+1 < len(n.fields) && n.fields[at].tail == n.fields[at+1].tail {
			n.fields[at], n.fields[at+1] = n.fields[at+1], n.fields[at]
		}
	case 11: // another notation of the same fields
		if at == len(n.fields) || n.fields[at].n == nil {
			break
		}
		f := &n.fields[at]
		if f.n.kind != kindArray {
			f.n = &node{kind: kindStruct, fields: []field{{n: f.n}}}
			break
		}
		var parts []field
		for range f.n.count {
			parts = append(parts, field{n: m.copied(f.n.elem), tail: f.tail})
		}
		n.fields = slices.Replace(n.fields, at, at+1, parts...)
	}
}

// others maps a number type to types that can replace it, some of them incompatible.
var others = map[string][]string{"bool": {"u8", "i8"}, "u8": {"bool"}, "time": {"i64", "u64", "i64be"}, "i64": {"time"}, "u32": {"i32", "f32"}, "u16": {"u16be"},
	"f64": {"i64", "f64be"}}

// retype changes the type of n to another one, which is compatible or not.
func (m *mutator) retype(n *node) {
	others := others[notation{}.word(n)]
	switch {
	case n.kind >= kindString && m.rnd.IntN(2) == 0:
		n.header = Header(m.rnd.IntN(int(headers)))
	case n.kind == kindString:
		n.kind = kindBlob
	case n.kind == kindBlob:
		n.kind = kindString
	case n.kind == kindList, n.kind == kindMap:
	case others == nil:
		*n = *m.some()
	default:
		*n = *m.a(others[m.rnd.IntN(len(others))])
	}
}
