package matrix

import (
	"bytes"
	"cmp"
	"fmt"
	"iter"
	"maps"
	"os"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/internal/corpus"
)

// Probe is a designed call. Random values reach some classes too rarely, for example two encodings
// of one key in one map. Another example is an array with one element more than fits the capacity
// of its slice, whose memory is shared with other values.
type Probe struct {
	Name    string
	Kind    Kind
	Message []byte
	// Option selects the ways that set only this option. If it is "", it selects the ways that set
	// no option.
	Option string
	// Target, if not nil, fills the target, which is zero, and returns pointers to other values,
	// which may share memory with it.
	Target func(target reflect.Value) (others []reflect.Value)
}

// Filled fills v with random values from this seed, like a target that was used before.
func (f *Format) Filled(seed uint64, v reflect.Value) {
	w := &world{f: f, types: newTypes(f.Opaque)}
	(&filler{f: f, w: w, r: corpus.New(seed), spare: true}).value(v, 0)
}

// Part sets the slice v to a part of an array of random values, with the length and the capacity
// that g has before the growth. The array continues after the capacity. Part returns pointers to
// slices of the whole array and of the elements after the part.
func (f *Format) Part(seed uint64, v reflect.Value, g Growth) (others []reflect.Value) {
	const beyond = 2
	array := reflect.MakeSlice(v.Type(), g.Cap+beyond, g.Cap+beyond)
	for i := range g.Cap + beyond {
		f.Filled(seed+uint64(i), array.Index(i))
	}
	v.Set(array.Slice3(0, g.Len, g.Cap))
	for _, part := range []reflect.Value{array, array.Slice(g.Len, g.Cap+beyond)} {
		other := reflect.New(v.Type())
		other.Elem().Set(part)
		others = append(others, other)
	}
	return others
}

// Growth describes how a slice grows: from Len elements, with capacity Cap, to Want elements.
type Growth struct{ Len, Cap, Want int }

// Growths returns growths of every kind. In most of them, the new elements do not fit.
func Growths() (all []Growth) {
	for _, c := range []int{0, 1, 2, 5, 16} {
		for n := range map[int]bool{0: true, 1: true, c - 1: true, c: true} {
			for _, want := range []int{c - 1, c + 1, 2*c + 5} {
				if n >= 0 && n <= c && want >= 0 {
					all = append(all, Growth{n, c, want})
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b Growth) int { return cmp.Or(a.Cap-b.Cap, a.Want-b.Want, a.Len-b.Len) })
	return all
}

// Probes decodes each probe with the ways that set its option. With -short it uses one of these
// ways, a different one for each probe. The checks are those of Run. For each option, at least one
// probe must be decoded. If refused is set, at least one must also fail.
func Probes(t *testing.T, f Format, refused bool, probes iter.Seq[Probe]) {
	defer debug.SetGCPercent(debug.SetGCPercent(1000))
	m := &matrix{f: &f, t: t, types: newTypes(f.Opaque), reached: newCoverage(), alone: make(map[string]bool)}
	only := os.Getenv("SLIPSTREAM_MATRIX")
	subjects := make(map[string]*Subject)
	turn := 0
	for p := range probes {
		if only != "" && p.Name != only {
			continue
		}
		if subjects[p.Kind.Name] == nil {
			s, err := f.Subject(p.Kind)
			if err != nil {
				t.Fatalf("%s: %v", p.Name, err)
			}
			subjects[p.Kind.Name] = s
		}
		c := &session{m: m, kind: p.Kind, s: subjects[p.Kind.Name], id: p.Name, mode: "by design"}
		ways := slices.DeleteFunc(slices.Clone(c.s.Ways), func(w Way) bool { return !p.takenBy(&w) })
		if len(ways) == 0 {
			t.Fatalf("%s: no way sets %q alone", p.Name, p.Option)
		}
		n := len(ways)
		if testing.Short() && only == "" {
			n = 1
		}
		m.reached.demand(byProbe, p.Option, true, refused)
		for range n {
			if turn++; !c.probe(&p, &ways[turn%len(ways)]) {
				return
			}
		}
	}
	t.Logf("%d calls\n%s", m.calls, m.reached.least())
	if missing := m.reached.missing(byProbe); len(missing) > 0 && only == "" {
		t.Errorf("what the run has not reached: %v", missing)
	}
}

// byProbe is the dimension in which probes are counted by their option.
const byProbe dimension = "probe with option"

func (p *Probe) takenBy(w *Way) bool {
	if p.Option == "" {
		return len(w.Options) == 0
	}
	return len(w.Options) == 1 && w.Options[0] == p.Option
}

// probe decodes p with a way into a new target, and reports whether all checks passed.
func (c *session) probe(p *Probe, way *Way) bool {
	c.r = corpus.New(uint64(c.m.calls))
	c.w = &world{f: c.m.f, types: c.m.types, target: reflect.New(p.Kind.Type)}
	defer c.w.free()
	if p.Target != nil {
		for _, other := range p.Target(c.w.target.Elem()) {
			c.w.hold(other)
		}
	}
	in := c.w.input(p.Message)
	decoder, source := way.Bytes, "bytes"
	if way.Stream != nil {
		r, how := reader(c.r, bytes.Clone(in))
		next := way.Stream(r)
		decoder, source = func(_ []byte, target reflect.Value) (int, error) { return -1, next(target) }, how
	}
	c.say(way, fmt.Sprintf("%s of probe %q", source, p.Name), in)
	out := c.w.decode(call{b: in, oracle: c.oracle(way), decoder: decoder, views: way.Views || way.Stream != nil, own: way.OwnStrings})
	c.m.calls++
	if out.wrong != "" {
		return c.fail(out.wrong)
	}
	if out.err != ErrUnspecified {
		c.m.reached.note(byProbe, p.Option, out.err != nil)
	}
	return true
}

// Sorted yields the keys of m in the order of their names, with their indexes. So a run is the same
// each time.
func Sorted[V any](m map[reflect.Type]V) iter.Seq2[int, reflect.Type] {
	return slices.All(slices.SortedFunc(maps.Keys(m), func(a, b reflect.Type) int { return strings.Compare(a.String(), b.String()) }))
}
