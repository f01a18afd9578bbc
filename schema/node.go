package schema

import (
	"math"
	"reflect"
	"slices"
	"sync"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// kind is the encoding of a value.
type kind uint8

const (
	kindInt      kind = iota // size, signed, big
	kindFloat                // size, big
	kindBool                 // one byte, 0 or 1
	kindTime                 // nanoseconds since 1970: 8 bytes, little-endian
	kindTimeZone             // like kindTime, then 01, then the name of the zone, a string with header H8
	kindString               // header, bytes
	kindBlob                 // the same
	kindList                 // header, elements
	kindArray                // count elements
	kindMap                  // header, and for each entry key, element
	kindOpt                  // 0; or 1 and the element
	kindCustom               // bytes that functions write and read
	kindStruct               // fields
	kindSelf                 // a reference to the enclosing struct, elem
)

// node is the layout of the values of one Go type: their encoding and their position in memory. A
// node never changes after it has been built. Nodes form a tree, except that a struct can contain
// itself.
type node struct {
	kind   kind
	typ    reflect.Type
	size   int // encoded size of a number, or minimum size of a custom value, in bytes
	signed bool
	big    bool // big-endian
	header Header
	count  int  // elements of an array
	slice  bool // the array is a slice in memory
	key    *node
	elem   *node
	fields []field
	open   []reflect.Type // structs to which a Self in this node refers, and which do not enclose the Self yet
	faults []mistake

	newElem  func() mem.Raw      // for an option: allocates its value
	newElems func(n int) mem.Raw // for a list: allocates its array
	mapOf    *mapOf
	custom   *custom
}

// field is a field of a struct. If n is nil, the field consists of skipped bytes. Otherwise, the
// field is a value. The value is in memory at an offset, or at the address that the function `at`
// returns. Otherwise, it is accessible only through a getter and a setter.
type field struct {
	name string
	n    *node
	skip int
	off  uintptr
	at   func(mem.Pointer) mem.Pointer
	get  *getter
	tail bool
}

// getter contains the getter and the setter of a computed field, in the form that a program calls.
// Numbers, bools and times are passed as words in registers, and strings are passed as strings. For
// other types, the argument v points to a value from the pool.
type getter struct {
	word      func(p mem.Pointer) (w uint64, fits bool)
	setWord   func(p mem.Pointer, w uint64) (fits bool)
	text      func(p mem.Pointer) string
	setText   func(p mem.Pointer, v string)
	load      func(p, v mem.Pointer) // stores the getter's result in the value at v
	store     func(p, v mem.Pointer) // passes the value at v to the setter; also used for words and texts, if a Tail is missing
	values    sync.Pool              // contains mem.Pointers to zero values
	zeroValue func(v mem.Pointer)
}

// mapOf contains the operations on maps of one type.
type mapOf struct {
	typ     reflect.Type
	prepare func(m mem.Pointer, n int) // empties *m; if *m is nil, allocates a map for n entries
	put     func(m, entry mem.Pointer) // the entry is a struct of a key and a value
	value   uintptr                    // offset of the value in an entry
	entries sync.Pool                  // contains mem.Pointers to entries
	zero    func(entry mem.Pointer)
}

// mistake is an error in a schema, with its path.
type mistake struct{ path, text string }

// mistakes returns the mistakes in n, which describes a message.
func (n *node) mistakes() []mistake {
	all := n.within("", nil)
	if len(all) == 0 {
		all = n.endless("", nil)
	}
	return all
}

// within appends the mistakes in n and all its parts to the slice `all`. The path of each mistake
// includes the path of its node. The argument path is the path of n.
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

// endless appends a mistake for each struct in n that always contains another value of its own
// type. The argument path is the path of n.
func (n *node) endless(path string, all []mistake) []mistake {
	if n.kind == kindStruct && n.least() < 0 {
		return append(all, mistake{path, "a value contains another value of its type without an option, so the message has no end"})
	}
	for name, p := range n.parts {
		all = p.endless(join(path, name), all)
	}
	return all
}

// parts yields the direct parts of n, with the names of fields. A Self has no parts.
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

// opens adds all entries in the `open` fields of n's parts to n.open, and returns n.
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

// place returns p as a pointer to a value of n. The result differs from p only in tests, where a
// Schema[struct{}] represents types that are created at run time.
func (n *node) place(p mem.Pointer) mem.Pointer {
	if mem.Guarded {
		return mem.Of(mem.RawOf(p), n.typ)
	}
	return p
}

// bind returns a version of n in which some open Selfs refer to the struct `target`: all open Selfs
// with the type of this struct. It copies only the nodes that contain such a Self, and shares all
// other nodes.
func (n *node) bind(target *node) *node {
	if !slices.Contains(n.open, target.typ) {
		return n
	}
	return n.copied(target, make(map[*node]*node))
}

// copied returns a copy of n. If a Self in n refers to a struct in n, the copy of the Self refers
// to the copy of the struct.
func (n *node) copied(target *node, copies map[*node]*node) *node {
	c := *n
	copies[n] = &c
	c.faults = slices.Clone(n.faults)
	c.open = slices.DeleteFunc(slices.Clone(n.open), func(t reflect.Type) bool { return t == target.typ })
	switch {
	case c.kind == kindSelf && c.elem == nil:
		if slices.Contains(n.open, target.typ) { // not n.typ, which As may have changed
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

// reuses reports whether a value of n refers to memory that is reused when another value is read
// into the same variable.
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

// texts returns the number of strings in a value of n. It does not count strings in lists, in maps,
// and in nested values of the same type.
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

// manyTexts is the largest number of strings that is counted. Larger numbers would have the same
// effect.
const manyTexts = 1 << 10

// hasTail reports whether n is a struct with a Tail, whose values may end early.
func (n *node) hasTail() bool {
	return n.kind == kindStruct && len(n.fields) > 0 && n.fields[len(n.fields)-1].tail
}

// least returns the minimum encoded size of a value of n, in bytes. For a struct that always
// contains another value of its own type, it returns a negative number.
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

// hugeWire is the largest size in bytes that is counted. Larger sizes would have the same effect,
// because no value of such a size is possible.
const hugeWire = 1<<30 - 1

// times returns a·b. If a·b is larger than the largest int, it returns the largest int.
func times(a, b int) int {
	if a > 0 && b > math.MaxInt/a {
		return math.MaxInt
	}
	return a * b
}
