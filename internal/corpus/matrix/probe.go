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

// Probe is a specially designed call. Random values reach some classes of cases too rarely. An
// example is a map with two encodings of the same key. Another example is a message whose array has
// one element more than the capacity of the target's slice, while other values share the slice's
// memory.
type Probe struct {
	Name    string
	Kind    Kind
	Message []byte
	// Option selects the ways that set only this option. If Option is empty, it selects the ways
	// that set no option.
	Option string
	// Target, if not nil, fills the target, which is zero at first. It returns pointers to other
	// values, which may share memory with the target.
	Target func(target reflect.Value) (others []reflect.Value)
}

// Filled fills v with random values from the given seed. The result resembles a target that was
// used before.
func (f *Format) Filled(seed uint64, v reflect.Value) {
	w := &world{f: f, types: newTypes(f.Opaque)}
	(&filler{f: f, w: w, r: corpus.New(seed), spare: true}).value(v, 0)
}

// Part sets the slice `v` to a part of an array of random values. The part has the length g.Len and
// the capacity g.Cap. The array extends beyond the slice's capacity. Part returns two pointers to
// slices: to a slice of the whole array, and to a slice of the elements after the part.
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

// Growths returns growths of every kind. In most of them, the new elements exceed the capacity.
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

// Probes decodes each probe with the ways that set its option. With the flag -short, it uses only
// one of these ways for each probe, in rotation. It makes the same checks as Run. For each option,
// decoding must succeed for at least one probe. If the argument `refused` is true, decoding must
// also fail for at least one probe of each option.
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
		t.Errorf("the run has not reached: %v", missing)
	}
}

// byProbe is the dimension that counts probes by their option.
const byProbe dimension = "probe with option"

func (p *Probe) takenBy(w *Way) bool {
	if p.Option == "" {
		return len(w.Options) == 0
	}
	return len(w.Options) == 1 && w.Options[0] == p.Option
}

// probe decodes the probe p with a way into a new target, and reports whether all checks passed.
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

// Sorted yields the types in m with their indexes, sorted by the names of the types. Because of the
// fixed order, every run is the same.
func Sorted[V any](m map[reflect.Type]V) iter.Seq2[int, reflect.Type] {
	return slices.All(slices.SortedFunc(maps.Keys(m), func(a, b reflect.Type) int { return strings.Compare(a.String(), b.String()) }))
}
