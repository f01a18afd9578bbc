package schema

import (
	"math"
	"reflect"
	"slices"
	"sync"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// kind is what stands on the wire.
type kind uint8

const (
	kindInt      kind = iota // size, signed, big
	kindFloat                // size, big
	kindBool                 // one byte, 0 or 1
	kindTime                 // nanoseconds since 1970: 8 bytes, little-endian
	kindTimeZone             // the same, 01, and a string of header H8: the name of the zone
	kindString               // header, bytes
	kindBlob                 // the same
	kindList                 // header, elements
	kindArray                // count elements
	kindMap                  // header, and for each entry key, element
	kindOpt                  // 0; or 1 and the element
	kindCustom               // what functions write and read
	kindStruct               // fields
	kindSelf                 // the struct elem, which this lies in
)

// node is the layout of the values of one Go type: what is on the wire and where it is in memory.
// It never changes once it is built; a struct that holds itself is the one circle in the tree.
type node struct {
	kind   kind
	typ    reflect.Type
	size   int // bytes on the wire of a number; those that a custom value takes at least
	signed bool
	big    bool // big-endian
	header Header
	count  int  // elements of an array
	slice  bool // that array is a slice in memory
	key    *node
	elem   *node
	fields []field
	open   []reflect.Type // structs that a Self within refers to, and that it does not lie in yet
	faults []mistake

	newElem  func() mem.Raw      // of an option
	newElems func(n int) mem.Raw // of a list: its array
	mapOf    *mapOf
	custom   *custom
}

// field is a field of a struct: bytes that are skipped (n is nil), or a value that is in memory at
// an offset, where at says, or one that only a getter and a setter reach.
type field struct {
	name string
	n    *node
	skip int
	off  uintptr
	at   func(mem.Pointer) mem.Pointer
	get  *getter
	tail bool
}

// getter is the two functions of a computed field. Numbers, bools and times go through registers as
// words, strings as texts; other values through one from the pool.
type getter struct {
	word      func(p mem.Pointer) (w uint64, fits bool)
	setWord   func(p mem.Pointer, w uint64) (fits bool)
	text      func(p mem.Pointer) string
	setText   func(p mem.Pointer, v string)
	load      func(p, v mem.Pointer) // into the value at v
	store     func(p, v mem.Pointer) // from the value at v; of words and texts too, where a Tail is missing
	values    sync.Pool              // of mem.Pointer to zero values
	zeroValue func(v mem.Pointer)
}

// mapOf is what maps of one type can do.
type mapOf struct {
	typ     reflect.Type
	prepare func(m mem.Pointer, n int) // empties *m; makes one for n entries if it is nil
	put     func(m, entry mem.Pointer) // the entry is a struct of a key and a value
	value   uintptr                    // where in it the value is
	entries sync.Pool                  // of mem.Pointer
	zero    func(entry mem.Pointer)
}

// mistake is something wrong in a schema, and where.
type mistake struct{ path, text string }

// mistakes are what is wrong with n, which a message is to be.
func (n *node) mistakes() []mistake {
	all := n.within("", nil)
	if len(all) == 0 {
		all = n.endless("", nil)
	}
	return all
}

// within are the mistakes of all nodes, at the places where they are used under path.
func (n *node) within(path string, all []mistake) []mistake {
	for _, m := range n.faults {
		all = append(all, mistake{join(path, m.path), m.text})
	}
	for name, p := range n.parts {
		at := join(path, name)
		if p.hasTail() || p.kind == kindSelf && p.elem != nil && p.elem.hasTail() {
			all = append(all, mistake{at, "it has a Tail, which only a whole message may have"})
		}
		all = p.within(at, all)
	}
	return all
}

// endless are the structs in n, at path, that hold themselves without a way to end.
func (n *node) endless(path string, all []mistake) []mistake {
	if n.kind == kindStruct && n.least() < 0 {
		return append(all, mistake{path, "a value holds another of its type without an option, so it has no end"})
	}
	for name, p := range n.parts {
		all = p.endless(join(path, name), all)
	}
	return all
}

// parts yields the nodes that n is made of, and the names of fields. A Self is made of nothing.
func (n *node) parts(yield func(string, *node) bool) {
	if n.kind == kindSelf || n.key != nil && !yield("", n.key) || n.elem != nil && !yield("", n.elem) {
		return
	}
	for _, f := range n.fields {
		if f.n != nil && !yield(f.name, f.n) {
			return
		}
	}
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "." + b
}

// opens gathers what is open in the parts of n.
func (n *node) opens() *node {
	for _, p := range n.parts {
		for _, t := range p.open {
			if !slices.Contains(n.open, t) {
				n.open = append(n.open, t)
			}
		}
	}
	return n
}

// place is p as the place of a value of n. They differ in tests alone, where a Schema[struct{}]
// stands for types made at run time.
func (n *node) place(p mem.Pointer) mem.Pointer {
	if mem.Guarded {
		return mem.Of(mem.RawOf(p), n.typ)
	}
	return p
}

// bind is n with each Self of target's type that is open in it referring to target. What has none
// is shared, the rest is copied.
func (n *node) bind(target *node) *node {
	if !slices.Contains(n.open, target.typ) {
		return n
	}
	return n.copied(target, make(map[*node]*node))
}

// copied is a copy of n. A Self in it that referred to a struct in n refers to the copy of that.
func (n *node) copied(target *node, copies map[*node]*node) *node {
	c := *n
	copies[n] = &c
	c.faults = slices.Clone(n.faults)
	c.open = slices.DeleteFunc(slices.Clone(n.open), func(t reflect.Type) bool { return t == target.typ })
	switch {
	case c.kind == kindSelf && c.elem == nil:
		if slices.Contains(n.open, target.typ) { // its own typ may be what As made of it
			c.elem = target
		}
	case c.kind == kindSelf:
		if to := copies[c.elem]; to != nil {
			c.elem = to
		}
	default:
		if c.key != nil {
			c.key = c.key.copied(target, copies)
		}
		if c.elem != nil {
			c.elem = c.elem.copied(target, copies)
		}
		c.fields = slices.Clone(c.fields)
		for i := range c.fields {
			if f := &c.fields[i]; f.n != nil {
				f.n = f.n.copied(target, copies)
			}
		}
	}
	return &c
}

// reuses reports whether a value of n leads to memory that is used again when another is read in
// its place.
func (n *node) reuses() bool {
	switch n.kind {
	case kindBlob, kindList, kindMap, kindOpt, kindCustom, kindSelf:
		return true
	case kindArray:
		if n.slice {
			return true
		}
	}
	for _, f := range n.fields {
		if f.at != nil || f.get != nil {
			return true
		}
	}
	for _, p := range n.parts {
		if p.reuses() {
			return true
		}
	}
	return false
}

// texts is how many strings a value has, but for those in lists and maps and in values of its own
// type.
func (n *node) texts() int {
	if n.kind == kindString {
		return 1
	}
	if n.kind == kindList || n.kind == kindMap {
		return 0
	}
	total := 0
	for _, p := range n.parts {
		total += p.texts()
	}
	if n.kind == kindArray {
		total = times(total, n.count)
	}
	return min(total, manyTexts)
}

// manyTexts is as good as any larger number of strings.
const manyTexts = 1 << 10

// hasTail reports whether values of n may end early.
func (n *node) hasTail() bool {
	return n.kind == kindStruct && len(n.fields) > 0 && n.fields[len(n.fields)-1].tail
}

// least is the fewest bytes that a value takes. It is below zero for a struct that holds itself
// without a way to end.
func (n *node) least() int { return n.leastIn(nil) }

func (n *node) leastIn(open []*node) int {
	switch n.kind {
	case kindInt, kindFloat, kindCustom:
		return n.size
	case kindBool, kindOpt:
		return 1
	case kindTime:
		return 8
	case kindTimeZone:
		return 8 + 1 + 1
	case kindString, kindBlob, kindList, kindMap:
		return n.header.size()
	case kindArray:
		return min(times(n.elem.leastIn(open), n.count), hugeWire)
	case kindSelf:
		if n.elem == nil { // still open
			return 0
		}
		return n.elem.leastIn(open)
	}
	if slices.Contains(open, n) {
		return -1
	}
	open = append(open, n)
	total := 0
	for _, f := range n.fields {
		k := f.skip
		if f.n != nil && !f.tail {
			if k = f.n.leastIn(open); k < 0 {
				return -1
			}
		}
		total = min(total+k, hugeWire)
	}
	return total
}

// hugeWire is as good as any larger number of bytes: no value of so many can be had.
const hugeWire = 1<<30 - 1

// times is a·b, or the largest int if that is less.
func times(a, b int) int {
	if a > 0 && b > math.MaxInt/a {
		return math.MaxInt
	}
	return a * b
}
