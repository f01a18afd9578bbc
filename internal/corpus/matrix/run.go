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

// How many cases a short run takes besides one of each systematic type, and how many of them are from a fresh seed.
const (
	shortCases = 300
	freshCases = 100
	maxFailed  = 3    // cases that fail before a run ends
	gcEvery    = 1000 // calls
)

// Run tests f.
func Run(t *testing.T, f Format) {
	defer debug.SetGCPercent(debug.SetGCPercent(1000)) // tidy collects, as often as it should
	m := &matrix{f: &f, t: t, types: newTypes(f.Opaque)}
	m.small = m.systematic()
	if id := os.Getenv("SLIPSTREAM_MATRIX"); id != "" {
		m.trace, m.all = true, true
		m.one(id)
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
		for end := time.Now().Add(d); time.Now().Before(end); seed++ {
			m.one(fmt.Sprintf("small%x", seed))
			m.one(fmt.Sprintf("random%x", seed))
		}
		t.Logf("%d cases, %d calls", m.cases, m.calls)
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
		m.one(fmt.Sprintf("random%x", seed+uint64(k)))
	}
	t.Logf("%d cases, %d calls", m.cases, m.calls)
}

// matrix is a run.
type matrix struct {
	f      *Format
	t      *testing.T
	types  *types
	small  []Kind
	trace  bool // each call is printed
	all    bool // each case is run for all targets, not for one
	cases  int
	calls  int
	failed int
}

// systematic returns the kinds of messages with each leaf, bare and in each wrap, as the first, middle and last field, between others.
func (m *matrix) systematic() []Kind {
	all := slices.Clone(m.f.Messages)
	for k, leaf := range m.f.Leaves {
		r := corpus.New(uint64(k))
		subjects := []Kind{leaf}
		for _, wrap := range m.f.Wraps {
			if w, ok := wrap(r, leaf); ok {
				subjects = append(subjects, w)
			}
		}
		subjects = append(subjects, m.f.Struct(r, []Kind{leaf, m.leaf(r)}))
		for _, s := range subjects {
			for at := range 3 {
				fields := []Kind{m.leaf(r), m.leaf(r), m.leaf(r)}
				fields[at] = s
				all = append(all, m.root(r, fields))
			}
			all = append(all, m.root(r, []Kind{s}))
		}
	}
	return all
}

func (m *matrix) leaf(r *rand.Rand) Kind { return m.f.Leaves[r.IntN(len(m.f.Leaves))] }

func (m *matrix) root(r *rand.Rand, fields []Kind) Kind {
	if m.f.Root != nil {
		return m.f.Root(r, fields)
	}
	return m.f.Struct(r, fields)
}

// kind is a kind at random.
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

// one runs the case of this name.
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
	if strings.HasPrefix(id, "small") || len(m.f.Leaves) == 0 {
		k = m.small[seed%uint64(len(m.small))]
	} else {
		k = m.root(r, append(m.kinds(r, 3), m.kind(r, 3)))
	}
	s, err := m.f.Subject(k)
	if err != nil {
		m.t.Fatalf("%s: %v", k.Name, err)
	}
	m.cases++
	c := &session{m: m, kind: k, s: s, id: id}
	for mode := range modes {
		if m.all || mode == int(seed+seed/uint64(len(m.small)))%len(modes) {
			c.r = corpus.New(seed<<8 + uint64(mode)) // so that each mode can be run alone
			if !c.run(mode) {
				m.failed++
				return
			}
		}
	}
}

// modes are what targets hold at first.
var modes = []string{"zero", "used", "constants", "shared", "views"}

// session is a case: messages of one type, decoded into targets of one mode.
type session struct {
	m       *matrix
	r       *rand.Rand
	kind    Kind
	s       *Subject
	id      string
	mode    string
	w       *world
	viewing bool // the target holds views
	last    string
}

// run runs the case for targets of a mode, and reports whether nothing was wrong.
func (c *session) run(mode int) bool {
	c.mode = modes[mode]
	calls := []func() bool{c.whole, c.cuts, c.mutated, c.stream}
	for _, call := range calls {
		if !c.begin() {
			return true // there is no such target
		}
		ok := call()
		c.w.free()
		if !ok {
			return false
		}
	}
	return true
}

// begin makes a world with a new target.
func (c *session) begin() bool {
	c.w = &world{f: c.m.f, types: c.m.types}
	c.renew()
	return c.mode != "views" || c.viewing
}

// renew makes a target. What was kept stays alive, but for constants.
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
		for _, k := range c.r.Perm(len(c.s.Ways)) {
			if way := &c.s.Ways[k]; way.Views && way.Bytes != nil {
				if b, ok := c.message(); ok {
					_, _ = way.Bytes(w.input(b), w.target) // which may fail half-way, with views in the target
					c.viewing = true
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
func (c *session) message() ([]byte, bool) {
	f := &filler{f: c.m.f, w: c.w, r: c.r}
	for range 10 {
		v := reflect.New(c.kind.Type)
		f.value(v.Elem(), 0)
		if b, err := c.s.Encode(v.Elem()); err == nil {
			return b, true
		}
	}
	return nil, false
}

// way picks a way that may follow.
func (c *session) way(stream bool) *Way {
	for _, k := range c.r.Perm(len(c.s.Ways)) {
		way := &c.s.Ways[k]
		if (way.Stream != nil) == stream && (!c.viewing || !way.Owned && (way.Views || c.m.f.ViewsUsed)) {
			return way
		}
	}
	return nil
}

// bytes decodes b by some way from bytes. It reports whether nothing was wrong.
func (c *session) bytes(b []byte, source string) bool {
	way := c.way(false)
	if way == nil {
		return true
	}
	in := c.w.input(b)
	c.say(way, source, in)
	_, err, wrong := c.w.decode(in, c.oracle(way), way.Bytes, way.Views)
	c.viewing = c.viewing || way.Views
	c.tidy()
	if wrong != "" {
		return c.fail(wrong)
	}
	if err == nil && c.r.IntN(2) == 0 {
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

// tidy counts a call, lets the collector run, and forgets old inputs.
func (c *session) tidy() {
	if c.m.calls++; c.m.calls%gcEvery == 0 {
		runtime.GC()
	}
	if n := len(c.w.inputs) - maxKept; n > 0 {
		c.w.inputs = c.w.inputs[n:]
	}
}

// whole decodes messages one after the other into the same target, some with bytes after them.
func (c *session) whole() bool {
	for range 3 {
		b, ok := c.message()
		if !ok {
			return true
		}
		if c.r.IntN(4) == 0 {
			b = append(b, mutate(c.r, b)...)
		}
		if !c.bytes(b, "whole") {
			return false
		}
	}
	return true
}

// How many places a message is cut at, in the long form and in the short one.
const (
	maxCuts   = 48
	shortCuts = 12
)

// cuts decodes a message that is cut at each byte, then the whole of it.
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
		if !c.bytes(b[:n], fmt.Sprintf("cut at %d of %d", n, len(b))) {
			return false
		}
	}
	return c.bytes(b, "whole, after it was cut")
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
		if !c.bytes(mutate(c.r, b), "mutated") {
			return false
		}
	}
	return true
}

// stream decodes messages from a reader, of which the last may be cut or mutated.
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

// messages decodes the messages of all by a way.
func (c *session) messages(way *Way, all []byte, source string) bool {
	in, how := reader(c.r, all)
	next := way.Stream(in)
	decoder := func(_ []byte, target reflect.Value) (int, error) { return -1, next(target) }
	rest := bytes.Clone(all)
	for {
		if way.Brief {
			c.w.kept = nil // it may hold views of the message before, which end here
		}
		if way.Brief || c.r.IntN(4) == 0 {
			c.renew()
			if c.viewing && (way.Owned || !way.Views && !c.m.f.ViewsUsed) {
				return true
			}
		}
		c.say(way, how+source, rest)
		n, err, wrong := c.w.decode(rest, c.oracle(way), decoder, true)
		c.viewing = c.viewing || way.Views
		c.tidy()
		if wrong != "" {
			return c.fail(wrong)
		}
		if err != nil || n < 0 {
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

// say notes the call that is made next.
func (c *session) say(way *Way, source string, b []byte) {
	c.last = fmt.Sprintf("case %s: %s\n  Go type %v\n  target: %s (%v)\n  way: %s\n  source: %s\n  input: %x", c.id, c.kind.Name, c.kind.Type, c.mode, c.viewing, way.Name, source, b)
	if c.m.trace {
		fmt.Fprintln(os.Stderr, c.last)
	}
}

func (c *session) fail(wrong string) bool {
	c.m.t.Errorf("%s\n  %s\nagain: SLIPSTREAM_MATRIX=%s go test -run '^%s$' .", c.last, wrong, c.id, c.m.t.Name())
	return false
}
