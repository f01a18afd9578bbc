package matrix

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/internal/corpus"
)

// The short test consists of one case for each type from the method systematic, a fixed set of
// shortCases random cases, and freshCases cases from a new seed.
const (
	shortCases = 300
	freshCases = 100
	maxFailed  = 3    // number of failed cases after which a run ends
	gcEvery    = 1000 // number of calls between two garbage collections
)

// Run tests the decoders of the format f.
func Run(t *testing.T, f Format) {
	defer debug.SetGCPercent(debug.SetGCPercent(1000)) // the method `seen` runs the garbage collector often enough
	m := &matrix{f: &f, t: t, types: newTypes(f.Opaque), reached: newCoverage(), alone: make(map[string]bool)}
	m.systematic()
	if ids := os.Getenv("SLIPSTREAM_MATRIX"); ids != "" {
		m.trace = true
		for _, m.all = range []bool{false, true} { // first as in the short test, then as in the long test
			for id := range strings.SplitSeq(ids, ",") {
				m.one(id)
			}
		}
		m.forgetAll()
		return
	}
	short, fresh := shortCases, freshCases
	if testing.Short() {
		short, fresh = short/10, fresh/10
	}
	seed := rand.Uint64() >> 32
	if long := os.Getenv("SLIPSTREAM_LONG"); long != "" {
		d, err := time.ParseDuration(long)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("cases from seed %x on, for %v", seed, d)
		m.all = true
		first := seed
		for end := time.Now().Add(d); time.Now().Before(end); seed++ {
			m.one(fmt.Sprintf("small%x", seed))
			m.one(fmt.Sprintf("random%x", seed))
		}
		m.end(seed-first >= uint64(len(m.small)))
		return
	}
	for k := range m.small {
		if !testing.Short() || k%10 == 0 {
			m.one(fmt.Sprintf("small%x", k))
		}
	}
	for k := range short {
		m.one(fmt.Sprintf("random%x", k))
	}
	t.Logf("fresh cases from seed %x on", seed)
	for k := range fresh {
		m.one(fmt.Sprintf("%s%x", []string{"small", "random"}[k%2], seed+uint64(k)))
	}
	m.end(!testing.Short())
}

// end checks the worlds of earlier cases and the coverage of the run. All dimensions are required
// only if the run was a full run.
func (m *matrix) end(full bool) {
	if m.failed == 0 {
		m.forgetAll()
	}
	m.t.Logf("%d cases, %d calls\n%s\nchanged by options: %v", m.cases, m.calls, m.reached.least(), m.reached.effects)
	if m.t.Failed() {
		return
	}
	if m.calls == 0 {
		m.t.Error("no call was made")
	}
	if !full { // the coverage of a few cases depends on chance
		return
	}
	missing := append(m.reached.missing(byWay, byTarget, bySource, byWayTarget, byPlace, byWrap, byKind), m.reached.unused(m.f)...)
	missing = append(missing, m.f.checkOptions(m.alone)...)
	if len(missing) > 0 {
		m.t.Errorf("the run has not reached:\n%s", strings.Join(missing, "\n"))
	}
}

// matrix is the state of a run.
type matrix struct {
	f       *Format
	t       *testing.T
	types   *types
	small   []Kind
	places  []place // places of the leaf for which each small kind is made
	reached *coverage
	pasts   []past
	alone   map[string]bool // options that a way has set as its single option
	trace   bool            // print each call
	all     bool            // run each case for all kinds of targets instead of one
	cases   int
	calls   int
	failed  int
}

// place describes the position of a leaf in a message. The leaf is either bare or inside a wrap.
// The leaf or wrap is the first, a middle, the last or the only field.
type place struct{ leaf, wrap, at string }

// systematic makes message types for each leaf (basic type). The leaf occurs alone and inside each
// wrap (list, map or pointer), as the first, middle and last of several fields, and as the only
// field.
func (m *matrix) systematic() {
	for _, k := range m.f.Messages {
		m.small, m.places = append(m.small, k), append(m.places, place{k.Name, "whole", "only"})
	}
	for k, leaf := range m.f.Leaves {
		r := corpus.New(uint64(k))
		name := leaf.Name + string(leaf.Tag)
		add := func(s Kind, wrap string) {
			for i, at := range []string{"first", "middle", "last", "only"} {
				fields := []Kind{s}
				if at != "only" {
					fields = []Kind{m.leaf(r), m.leaf(r), m.leaf(r)}
					fields[i] = s
				}
				m.small, m.places = append(m.small, m.root(r, fields)), append(m.places, place{name, wrap, at})
			}
		}
		add(leaf, "bare")
		for i, wrap := range m.f.Wraps {
			if w, ok := wrap(r, leaf); ok {
				add(w, fmt.Sprintf("wrap %d", i))
			}
		}
		add(m.f.Struct(r, []Kind{leaf, m.leaf(r)}), "nested")
	}
}

func (m *matrix) leaf(r *rand.Rand) Kind { return m.f.Leaves[r.IntN(len(m.f.Leaves))] }

func (m *matrix) root(r *rand.Rand, fields []Kind) Kind {
	if m.f.Root != nil {
		return m.f.Root(r, fields)
	}
	return m.f.Struct(r, fields)
}

// kind returns a random kind.
func (m *matrix) kind(r *rand.Rand, depth int) Kind {
	switch n := r.IntN(6); {
	case depth == 0 || n < 2:
		return m.leaf(r)
	case n == 2:
		return m.f.Struct(r, m.kinds(r, depth-1))
	}
	k := m.kind(r, depth-1)
	if w, ok := m.f.Wraps[r.IntN(len(m.f.Wraps))](r, k); ok {
		return w
	}
	return k
}

func (m *matrix) kinds(r *rand.Rand, depth int) []Kind {
	list := make([]Kind, r.IntN(5))
	for i := range list {
		list[i] = m.kind(r, depth)
	}
	return list
}

// one runs the case with the given name.
func (m *matrix) one(id string) {
	if m.failed == maxFailed {
		return
	}
	digits := strings.TrimPrefix(strings.TrimPrefix(id, "random"), "small")
	seed, err := strconv.ParseUint(digits, 16, 64)
	if err != nil {
		m.t.Fatalf("%q is no case", id)
	}
	r := corpus.New(seed)
	var k Kind
	var at *place
	if strings.HasPrefix(id, "small") || len(m.f.Leaves) == 0 {
		n := seed % uint64(len(m.small))
		k, at = m.small[n], &m.places[n]
	} else {
		k = m.root(r, append(m.kinds(r, 3), m.kind(r, 3)))
	}
	s, err := m.f.Subject(k)
	if err != nil {
		m.t.Fatalf("%s: %v", k.Name, err)
	}
	m.cases++
	m.demand(s, at)
	c := &session{m: m, kind: k, s: s, id: id, at: at}
	if m.f.Turn != nil {
		if c.turned, err = m.f.Subject(m.f.Turn(r, k)); err != nil {
			m.t.Fatalf("%s, turned: %v", k.Name, err)
		}
	}
	n := uint64(len(m.small))
	turn := int((seed%n + seed/n) % uint64(len(modes))) // so that the cases of a kind use all modes, one after the other
	for mode := range modes {
		if m.all || mode == turn {
			c.r = corpus.New(seed<<8 + uint64(mode)) // so that each mode can be run alone
			if !c.run(mode) {
				m.failed++
				return
			}
		}
	}
}

// demand records the outcomes that a run must reach with a subject.
func (m *matrix) demand(s *Subject, at *place) {
	for _, wrong := range m.f.optionsOf(s.Ways, m.alone) {
		m.t.Fatal(wrong)
	}
	bytewise := slices.ContainsFunc(s.Ways, func(w Way) bool { return w.Bytes != nil })
	viewing := slices.ContainsFunc(s.Ways, func(w Way) bool { return w.Bytes != nil && w.Views })
	streams := slices.ContainsFunc(s.Ways, func(w Way) bool { return w.Stream != nil })
	for _, mode := range modes {
		views := mode == "views"
		if views && !viewing {
			continue
		}
		m.reached.demand(byTarget, mode, true, true)
		if views && m.f.Turn != nil {
			m.reached.demand(byTarget, turnedViews, true, false)
		}
		if at != nil {
			m.reached.demand(byKind, at.leaf+", "+mode, true, false)
		}
		for i := range s.Ways {
			w := &s.Ways[i]
			m.reached.demand(byWay, w.Name, true, true)
			if !views || m.follows(w) {
				m.reached.demand(byWayTarget, w.Name+", "+mode, true, false)
			}
		}
	}
	if at != nil {
		m.reached.demand(byPlace, at.leaf+", "+at.at, true, false)
		m.reached.demand(byWrap, at.leaf+", "+at.wrap, true, false)
	}
	hows := readers
	if !streams {
		hows = nil
	}
	if bytewise {
		hows = append([]string{"bytes"}, hows...)
	}
	for _, how := range hows {
		m.reached.demand(bySource, how, true, false)
		m.reached.demand(bySource, how+", cut", false, true)
		m.reached.demand(bySource, how+", mutated", true, true)
	}
}

// follows reports whether a way may decode into a target that contains views.
func (m *matrix) follows(w *Way) bool { return !w.Owned && (w.Views || m.f.ViewsUsed) }

// modes lists the initial contents of targets.
var modes = []string{"zero", "used", "constants", "shared", "views"}

// turnedViews is a variant of the mode "views". Its targets contain views that were decoded in
// another notation of the same Go type.
const turnedViews = "views by another notation"

// session is one case: messages of one type are decoded into targets of one mode.
type session struct {
	m       *matrix
	r       *rand.Rand
	kind    Kind
	s       *Subject
	turned  *Subject // subject with another notation for the same Go type, or nil
	id      string
	mode    string
	w       *world
	viewing bool // the target contains views
	viewed  bool // a target of the same world has contained views
	at      *place
	last    string
}

// run runs the case for targets of a mode, and reports whether all checks passed.
func (c *session) run(mode int) bool {
	c.mode = modes[mode]
	calls := []func() bool{c.whole, c.cuts, c.mutated, c.stream, c.options}
	for _, call := range calls {
		if !c.begin() {
			return true // the case has no target of this mode
		}
		ok := call()
		if ok && c.mode != "constants" && !c.viewed {
			ok = c.m.remember(c.id, c.w)
		}
		c.w.free()
		if !ok {
			return false
		}
	}
	return true
}

// begin makes a world with a new target. It reports whether the target matches the session's mode.
func (c *session) begin() bool {
	c.w = &world{f: c.m.f, types: c.m.types}
	c.viewed = false
	c.renew()
	return c.mode != "views" || c.viewing
}

// renew makes a new target. The kept values are retained, unless the target contains constants.
func (c *session) renew() {
	w := c.w
	if c.mode == "constants" {
		w.melt()
	}
	w.target = reflect.New(c.kind.Type)
	c.viewing = false
	f := &filler{f: c.m.f, w: w, r: c.r, spare: true}
	switch c.mode {
	case "used", "shared":
		f.value(w.target.Elem(), 0)
	case "constants":
		f.constants = true
		f.value(w.target.Elem(), 0)
	case "views":
		s := c.s
		if c.turned != nil && c.r.IntN(2) == 0 {
			s = c.turned
		}
		for _, k := range c.r.Perm(len(s.Ways)) {
			if way := &s.Ways[k]; way.Views && way.Bytes != nil {
				if b, ok := c.messageOf(s); ok {
					_, err := way.Bytes(w.input(b), w.target) // the call may fail half-way and leave views in the target
					c.viewing, c.viewed = true, true
					if s == c.turned {
						c.m.reached.note(byTarget, turnedViews, err != nil)
					}
				}
				break
			}
		}
	}
	if c.mode == "shared" {
		w.share(c.r)
	}
}

// message returns a message of a random value.
func (c *session) message() ([]byte, bool) { return c.messageOf(c.s) }

// messageOf encodes a random value of the case's Go type as a message, in the notation of the
// subject s.
func (c *session) messageOf(s *Subject) ([]byte, bool) {
	f := &filler{f: c.m.f, w: c.w, r: c.r}
	for range 10 {
		v := reflect.New(c.kind.Type)
		f.value(v.Elem(), 0)
		if b, err := s.Encode(v.Elem()); err == nil {
			return b, true
		}
	}
	return nil, false
}

// way returns a random way that may decode into the target, or nil. If the argument `stream` is
// true, the way reads a stream.
func (c *session) way(stream bool) *Way {
	for _, k := range c.r.Perm(len(c.s.Ways)) {
		way := &c.s.Ways[k]
		if (way.Stream != nil) == stream && (!c.viewing || c.m.follows(way)) {
			return way
		}
	}
	return nil
}

// bytes decodes b with a random way that decodes bytes. The arguments `source` and `detail`
// describe b. The method reports whether all checks passed.
func (c *session) bytes(b []byte, source, detail string) bool {
	way := c.way(false)
	if way == nil {
		return true
	}
	return c.by(way, b, source, detail)
}

// by is like bytes, but uses the given way.
func (c *session) by(way *Way, b []byte, source, detail string) bool {
	in := c.w.input(b)
	c.say(way, source+detail, in)
	out := c.w.decode(c.call(way, in, way.Bytes, way.Views))
	c.seen(way, source, out)
	if out.wrong != "" {
		return c.fail(out.wrong)
	}
	if out.err == nil && c.r.IntN(2) == 0 {
		c.w.keep()
	}
	return true
}

func (c *session) oracle(way *Way) Decode {
	if way.Oracle != nil {
		return way.Oracle
	}
	return c.s.Oracle
}

// call returns the description of a call of a way's decoder.
func (c *session) call(way *Way, b []byte, decoder Decode, views bool) call {
	x := call{b: b, oracle: c.oracle(way), decoder: decoder, views: views, own: way.OwnStrings}
	if c.m.reached.soleOption(way) != "" {
		if x.plain = way.Plain; x.plain == nil {
			x.plain = c.s.Oracle
		}
	}
	return x
}

// seen counts a call, runs the garbage collector from time to time, and drops old inputs.
func (c *session) seen(way *Way, source string, out outcome) {
	c.viewing, c.viewed = c.viewing || way.Views, c.viewed || way.Views
	if r := c.m.reached; out.wrong == "" && out.err != ErrUnspecified {
		failed := out.err != nil
		r.note(byWay, way.Name, failed)
		r.note(byTarget, c.mode, failed)
		r.note(bySource, source, failed)
		r.note(byWayTarget, way.Name+", "+c.mode, failed)
		if at := c.at; at != nil {
			r.note(byKind, at.leaf+", "+c.mode, failed)
			r.note(byPlace, at.leaf+", "+at.at, failed)
			r.note(byWrap, at.leaf+", "+at.wrap, failed)
		}
		if out.effect && r.soleOption(way) != "" {
			r.effects[way.Options[0]]++
		}
	}
	if c.m.calls++; c.m.calls%gcEvery == 0 {
		runtime.GC()
	}
	if n := len(c.w.inputs) - maxKept; n > 0 {
		c.w.inputs = c.w.inputs[n:]
	}
}

// whole decodes messages one after the other into the same target. Some messages are followed by
// other bytes.
func (c *session) whole() bool {
	for range 3 {
		b, ok := c.message()
		if !ok {
			return true
		}
		if c.r.IntN(4) == 0 {
			b = append(b, mutate(c.r, b)...)
		}
		if !c.bytes(b, "bytes", "") {
			return false
		}
	}
	return true
}

// optionShare limits the ways with a single option that each case uses in addition to its random
// ways. A case uses each such way with the probability 1/optionShare. Each leaf occurs in many of
// the cases from the method systematic, so each leaf is tested with each option. This reveals code
// that ignores an option when it decodes a certain kind.
const optionShare = 4

// options decodes messages with ways that set a single option.
func (c *session) options() bool {
	if c.at == nil {
		return true
	}
	for k := range c.s.Ways {
		way := &c.s.Ways[k]
		if len(way.Options) != 1 || c.r.IntN(optionShare) > 0 || c.viewing && !c.m.follows(way) {
			continue
		}
		b, ok := c.message()
		if !ok {
			return true
		}
		if way.Stream != nil {
			if !c.messages(way, b, "") {
				return false
			}
			continue
		}
		if !c.by(way, b, "bytes", "") {
			return false
		}
	}
	return true
}

// These are the maximum numbers of cuts per message, in the long test and in the short test.
const (
	maxCuts   = 48
	shortCuts = 12
)

// cuts decodes a message that is cut off at different bytes, and then the whole message.
func (c *session) cuts() bool {
	b, ok := c.message()
	if !ok {
		return true
	}
	at := c.r.Perm(len(b))
	most := shortCuts
	if c.m.all {
		most = maxCuts
	}
	if len(at) > most {
		at = at[:most]
	}
	for i, n := range at {
		if c.r.IntN(4) > 0 || c.mode == "constants" {
			if i > 0 {
				c.renew()
			}
		}
		if !c.bytes(b[:n], "bytes, cut", fmt.Sprintf(" at %d of %d", n, len(b))) {
			return false
		}
	}
	return c.bytes(b, "bytes", " that were cut before")
}

// mutated decodes messages that were changed.
func (c *session) mutated() bool {
	b, ok := c.message()
	if !ok {
		return true
	}
	for range 10 {
		if c.r.IntN(2) == 0 {
			c.renew()
		}
		if !c.bytes(mutate(c.r, b), "bytes, mutated", "") {
			return false
		}
	}
	return true
}

// stream decodes messages from a reader. The bytes of the messages may be cut or mutated.
func (c *session) stream() bool {
	for range 3 {
		way := c.way(true)
		if way == nil {
			return true
		}
		var all []byte
		for range 1 + c.r.IntN(4) {
			b, ok := c.message()
			if !ok {
				return true
			}
			all = append(all, b...)
		}
		source := ""
		switch c.r.IntN(3) {
		case 0:
			all = all[:c.r.IntN(len(all)+1)]
			source = ", cut"
		case 1:
			all = mutate(c.r, all)
			source = ", mutated"
		}
		if !c.messages(way, all, source) {
			return false
		}
	}
	return true
}

// messages decodes the messages in the slice `all` with a way that reads a stream.
func (c *session) messages(way *Way, all []byte, source string) bool {
	in, how := reader(c.r, all)
	read, taken := &counter{in: in}, 0
	if way.Exact { // other ways may check the type of the reader
		in = read
	}
	next := way.Stream(in)
	decoder := func(_ []byte, target reflect.Value) (int, error) { return -1, next(target) }
	rest := bytes.Clone(all)
	for {
		if way.Brief {
			c.w.kept = nil // kept values may contain views of the previous message, which are no longer valid
		}
		if way.Brief || c.r.IntN(4) == 0 {
			c.renew()
			if c.viewing && (way.Owned || !way.Views && !c.m.f.ViewsUsed) {
				return true
			}
		}
		c.say(way, how+source, rest)
		out := c.w.decode(c.call(way, rest, decoder, true)) // views refer to a buffer that this package does not know
		n := out.n
		if taken += max(n, 0); way.Exact && out.wrong == "" && out.err == nil {
			if out.effect = n < len(rest); read.n != taken {
				out.wrong = fmt.Sprintf("it has read %d bytes for %d", read.n, taken)
			}
		}
		c.seen(way, how+source, out)
		if out.wrong != "" {
			return c.fail(out.wrong)
		}
		if out.err != nil || n < 0 {
			return true
		}
		if n == 0 && len(rest) == 0 {
			return c.fail("it decodes messages without end")
		}
		rest = rest[n:]
		if !way.Brief && c.r.IntN(2) == 0 {
			c.w.keep()
		}
	}
}

// say records the next call. If calls are traced, it also prints the call.
func (c *session) say(way *Way, source string, b []byte) {
	c.last = fmt.Sprintf("case %s: %s\n  Go type %v\n  target: %s (%v)\n  way: %s\n  source: %s\n  input: %x", c.id, c.kind.Name, c.kind.Type, c.mode, c.viewing, way.Name, source, b)
	if c.m.trace {
		fmt.Fprintln(os.Stderr, c.last)
	}
}

func (c *session) fail(wrong string) bool {
	c.m.t.Errorf("%s\n  %s\nto reproduce: SLIPSTREAM_MATRIX=%s go test -run '^%s$' .", c.last, wrong, c.id, c.m.t.Name())
	return false
}
