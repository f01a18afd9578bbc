package matrix

import (
	"bytes"
	"fmt"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/slipstream-go/slipstream/internal/guard"
	"github.com/slipstream-go/slipstream/internal/mem"
)

// world contains the target of a decoder, and the values and memory that a call must leave
// unchanged.
type world struct {
	f         *Format
	types     *types
	target    reflect.Value   // a pointer to the value into which the decoder decodes
	kept      []reflect.Value // pointers to values that were decoded before or that share memory with the target
	inputs    []input         // inputs of the earlier calls and of the next call
	constants []frozen        // read-only memory of the target
	alive     []reflect.Value // values to which constants refer; kept for the garbage collector
	pages     []*guard.Region // the memory of inputs
}

// frozen is read-only memory of the target. If it contains strings, it must stay read-only: the
// garbage collector does not scan this memory, and would free a new string that was stored in it.
type frozen struct {
	*guard.Region
	texts bool
}

// input is an input of the decoder, and a copy of it.
type input struct{ b, copy []byte }

// maxKept is the maximum number of kept values, and of kept inputs.
const maxKept = 6

// input returns a copy of b in read-only memory. The memory after the copy cannot be read. The
// world keeps the copy.
func (w *world) input(b []byte) []byte {
	protected, p := guard.Input(b)
	w.pages = append(w.pages, p)
	w.inputs = append(w.inputs, input{protected, bytes.Clone(b)})
	return protected
}

// keep adds a shallow copy of the target's value to the kept values, like a caller that keeps a
// decoded value.
func (w *world) keep() {
	v := reflect.New(w.target.Type().Elem())
	v.Elem().Set(w.target.Elem())
	w.hold(v)
}

// hold adds the value *v to the kept values. v is a pointer.
func (w *world) hold(v reflect.Value) {
	if w.kept = append(w.kept, v); len(w.kept) > maxKept {
		w.kept = slices.Delete(w.kept, 0, 1)
	}
}

func (w *world) roots() []reflect.Value { return append([]reflect.Value{w.target}, w.kept...) }

// readOnly reports whether p lies on a read-only page.
func (w *world) readOnly(p mem.Raw) bool {
	return slices.ContainsFunc(w.constants, func(c frozen) bool { return c.IsReadOnly() && c.Contains(p) }) ||
		slices.ContainsFunc(w.pages, func(c *guard.Region) bool { return c.Contains(p) })
}

// thaw makes the read-only memory of the target writable, except for memory that contains strings.
// It reports whether any memory has become writable.
func (w *world) thaw() (some bool) {
	for _, c := range w.constants {
		if c.IsReadOnly() && !c.texts {
			c.Writable()
			some = true
		}
	}
	return some
}

// melt frees the read-only memory of the target. It also drops the kept values, because they may
// refer to that memory.
func (w *world) melt() {
	for _, p := range w.constants {
		p.Free()
	}
	w.constants, w.alive, w.kept, w.target = nil, nil, nil, reflect.Value{}
}

// free frees the pages. The world must not be used afterwards.
func (w *world) free() {
	for _, c := range w.constants {
		c.Free()
	}
	for _, p := range w.pages {
		p.Free()
	}
}

// guarded calls f, and returns its panic or fault as an error.
func guarded(f func()) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = &panicked{r, debug.Stack()}
		}
	}()
	f()
	return nil
}

// panicked contains the value and the stack of a panic.
type panicked struct {
	value any
	stack []byte
}

func (p *panicked) Error() string {
	stack := string(p.stack)
	if _, after, found := strings.Cut(stack, "\npanic("); found { // the earlier lines belong to this package
		stack = "panic(" + after
	}
	return fmt.Sprintf("panic: %v\n%s", p.value, stack)
}

// faulted reports whether p is a memory fault. Such a panic contains an address.
func (p *panicked) faulted() bool {
	_, ok := p.value.(interface{ Addr() uintptr })
	return ok
}

// call is one call of a decoder.
type call struct {
	b       []byte // the message and the bytes after it
	oracle  Decode
	decoder Decode // the decoder; it may read b from another source
	plain   Decode // the oracle without the option of the way, or nil
	views   bool   // the target may refer to b
	own     bool   // each string has a separate allocation
}

// outcome is the result of a call.
type outcome struct {
	n      int    // number of bytes consumed
	err    error  // the decoder's error
	wrong  string // description of a fault, or an empty string
	effect bool   // the option of the way had an effect
}

// decode lets the oracle decode into a clone of the world, and then the decoder into the target.
func (w *world) decode(c call) (out outcome) {
	before := graphOf(w.types, w.roots()...)
	ideal := before.copy(w.readOnly)
	defer func() { ideal.free() }()
	wantN, wantErr := 0, error(nil)
	for {
		fault := guarded(func() { wantN, wantErr = c.oracle(c.b, ideal.root(w.target)) })
		if fault == nil {
			break
		}
		if p := fault.(*panicked); !p.faulted() || !slices.ContainsFunc(w.constants, func(c frozen) bool { return c.IsReadOnly() }) {
			return outcome{wrong: "the oracle: " + fault.Error()}
		}
		if !w.thaw() { // the contract allows writes to this memory
			return outcome{n: -1, err: ErrUnspecified} // but memory with strings must stay read-only
		}
		ideal.free()
		ideal = before.copy(w.readOnly)
	}
	var plain *clone // the result without the option
	if c.plain != nil && wantErr != ErrUnspecified {
		plain = before.copy(func(mem.Raw) bool { return false })
		var err error
		if fault := guarded(func() { _, err = c.plain(c.b, plain.root(w.target)) }); fault != nil || err != nil || wantErr != nil {
			out.effect = fault == nil && err != ErrUnspecified && (err == nil) != (wantErr == nil)
			plain = nil
		}
	}
	var still *clone // the world before the call
	if wantErr != nil {
		still = before.copy(func(mem.Raw) bool { return false })
	}
	texts := make([]string, len(before.texts))
	for i, s := range before.texts {
		texts[i] = strings.Clone(s)
	}
	owned := graphOf(w.types, w.target)

	if fault := guarded(func() { out.n, out.err = c.decoder(c.b, w.target) }); fault != nil {
		out.wrong = fault.Error()
		return out
	}

	for i, s := range before.texts {
		if s != texts[i] {
			out.wrong = fmt.Sprintf("a string that was %q is %q now", texts[i], s)
			return out
		}
	}
	for _, in := range w.inputs {
		if !bytes.Equal(in.b, in.copy) {
			out.wrong = fmt.Sprintf("an input that was %x is %x now", in.copy, in.b)
			return out
		}
	}
	unspecified := wantErr == ErrUnspecified || out.err == ErrUnspecified
	if unspecified && out.err == nil {
		out.n, out.err = -1, ErrUnspecified
	}
	switch {
	case unspecified && still != nil:
	case unspecified:
		return out
	case (out.err == nil) != (wantErr == nil):
		out.wrong = fmt.Sprintf("the error is %v, want %v", out.err, wantErr)
	case out.err == nil && out.n >= 0 && wantN >= 0 && out.n != wantN:
		out.wrong = fmt.Sprintf("it took %d bytes, want %d", out.n, wantN)
	case out.n < 0:
		out.n = wantN
	}
	if out.wrong != "" {
		return out
	}
	if fault := guarded(func() {
		if out.err == nil || w.f.ExactErrors && !unspecified {
			out.wrong = w.equals(before, ideal)
		} else {
			out.wrong = w.untouched(before, still, owned)
		}
		if out.wrong == "" {
			out.wrong = w.sound(c, before, texts, &out)
		}
		if out.wrong == "" && plain != nil && !out.effect {
			out.effect = w.equals(before, plain) != ""
		}
	}); fault != nil {
		out.wrong = "the target is not a valid value: " + fault.Error()
	}
	return out
}

// sides returns the world and its clone as sides of a comparison. All roots may have changed since
// the two were equal.
func (w *world) sides(before *graph, c *clone) (a, b *side) {
	a = &side{blocks: graph{blocks: before.blocks}, number: make([]int, len(before.blocks)), maps: before.maps}
	b = &side{number: make([]int, len(c.blocks)), maps: make(map[mem.Raw]int)}
	for k := range a.number {
		a.number[k], b.number[k] = k, k
	}
	slices.SortFunc(b.number, func(x, y int) int {
		if c.blocks[x].from() < c.blocks[y].from() {
			return -1
		}
		return 1
	})
	for _, k := range b.number {
		b.blocks.blocks = append(b.blocks.blocks, c.blocks[k])
	}
	for k, m := range c.maps {
		b.maps[m.UnsafePointer()] = k
	}
	return a, b
}

// equals compares the world with the clone into which the oracle has decoded.
func (w *world) equals(before *graph, ideal *clone) string {
	a, b := w.sides(before, ideal)
	a.now = graphOf(w.types, w.roots()...)
	var roots []reflect.Value
	for _, r := range w.roots() {
		roots = append(roots, ideal.root(r))
	}
	b.now = graphOf(w.types, roots...)
	c := newComparison(w.f, w.types, a, b)
	for i, r := range w.roots() {
		path := "target"
		if i > 0 {
			path = fmt.Sprintf("value %d that was kept", i)
		}
		if diff := c.region(r.UnsafePointer(), roots[i].UnsafePointer(), r.Type().Elem(), 1, path); diff != "" {
			return diff
		}
	}
	if !w.f.Spare {
		return ""
	}
	for k, x := range before.blocks {
		y := ideal.blocks[k]
		if diff := c.values(x.at, y.at, x.elem, x.n, "memory that was there", true); diff != "" {
			return diff
		}
	}
	return ""
}

// untouched compares the memory to which the target does not refer with the unchanged clone.
func (w *world) untouched(before *graph, still *clone, owned *graph) string {
	a, b := w.sides(before, still)
	c := newComparison(w.f, w.types, a, b)
	c.shallow = true
	for k, x := range before.blocks {
		for i := range x.n { // the target may refer to one element only
			off := uintptr(i) * x.elem.Size()
			if owned.overlaps(mem.RawAdd(x.at, off), x.elem.Size()) {
				continue
			}
			path := fmt.Sprintf("memory that the target does not lead to[%d]", i)
			if diff := c.value(mem.RawAdd(x.at, off), mem.RawAdd(still.blocks[k].at, off), x.elem, path); diff != "" {
				return diff
			}
		}
	}
	for k, m := range before.list {
		if _, is := owned.maps[m.UnsafePointer()]; is {
			continue
		}
		if diff := c.entries(m, still.maps[k], "a map that the target does not lead to"); diff != "" {
			return diff
		}
	}
	return ""
}

// The method sound checks the target without the oracle. The target must not refer to the input,
// and its strings must lie in memory that the way allows. After an error, its strings must have
// existed before or come from the input. The argument `before` is the graph before the call, and
// `texts` contains copies of its strings.
func (w *world) sound(c call, before *graph, texts []string, out *outcome) string {
	old := before.texts
	now := graphOf(w.types, w.target)
	in := func(p mem.Raw, size int) bool {
		if len(c.b) == 0 || size == 0 {
			return false
		}
		from := uintptr(mem.RawTo(&c.b[0]))
		return uintptr(p) < from+uintptr(len(c.b)) && from < uintptr(p)+uintptr(size)
	}
	viewed := false
	for _, x := range now.blocks {
		if in(x.at, int(x.to()-x.from())) {
			viewed = true
			if !c.views {
				return fmt.Sprintf("a %v of the target lies in the input", x.elem)
			}
		}
		if k, _ := before.find(x.at); c.own && k < 0 && x.elem.Kind() == reflect.Uint8 && !mayBeOwn(x.at, x.n) {
			return fmt.Sprintf("%d bytes of the target lie within other memory", x.n)
		}
	}
	known, places := make(map[string]bool, len(texts)), make(map[mem.Raw]bool, len(texts))
	for i, s := range texts {
		known[s] = true
		places[dataOf(old[i])] = true
	}
	explains := w.f.Explains
	if explains == nil {
		explains = func(input []byte, s string) bool { return bytes.Contains(input, mem.Bytes(s)) }
	}
	for _, s := range now.texts {
		p := dataOf(s)
		if in(p, len(s)) {
			viewed = true
			if !c.views {
				return fmt.Sprintf("the string %q of the target lies in the input", s)
			}
		}
		if out.err != nil && s != "" && !known[s] && !explains(c.b, s) {
			return fmt.Sprintf("after an error, a string of the target is %q, which was neither there nor in the input", s)
		}
		if c.own && !places[p] {
			if !mayBeOwn(p, len(s)) {
				return fmt.Sprintf("the string %q of the target lies within other memory", s)
			}
			out.effect = out.effect || len(s) >= ownedText
		}
	}
	out.effect = out.effect || c.views && viewed
	return ""
}

// ownedText is the size of the blocks into which the runtime puts several small pointer-free
// allocations. A larger allocation does not share a block, and its address is aligned for a word.
const ownedText = 16

// mayBeOwn reports whether the n bytes at p can be a separate allocation.
func mayBeOwn(p mem.Raw, n int) bool {
	if n < ownedText {
		return n == 0 || uintptr(p)/ownedText == (uintptr(p)+uintptr(n)-1)/ownedText
	}
	return uintptr(p)%8 == 0
}

func dataOf(s string) mem.Raw { return *mem.RawAt[mem.Raw](mem.RawTo(&s), 0) }
