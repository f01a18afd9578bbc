package matrix

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// coverage counts the cases that the calls of a run have reached. A run with incomplete coverage
// fails, even if all of its calls were correct. Otherwise a run could pass although its generator
// no longer makes values of a certain kind, or although an option is never used.
//
//	way            each way has decoded values and has failed
//	target, source each has decoded values; each target and each cut or mutated source has also failed
//	way, target    each way was used with each target that it may decode into
//	kind           each leaf was decoded in each place, in each wrap, and into each target
//	option         each option has changed a result of a way that sets it alone
type coverage struct {
	counts  map[dimension]map[string]*outcomes
	effects map[string]int // for each option: number of calls whose result it has changed
}

// dimension is a property of calls, such as the kind of target. Calls are counted for each member
// of a dimension.
type dimension string

const (
	byWay       dimension = "way"
	byTarget    dimension = "target"
	bySource    dimension = "source"
	byWayTarget dimension = "way and target"
	byPlace     dimension = "kind and place"
	byWrap      dimension = "kind and wrap"
	byKind      dimension = "kind and target"
)

// outcomes counts calls by their outcome, and contains the outcomes that a run must reach.
type outcomes struct {
	decoded, failed int

	mustDecode, mustFail bool
}

func newCoverage() *coverage {
	return &coverage{counts: make(map[dimension]map[string]*outcomes), effects: make(map[string]int)}
}

// of returns the outcomes for a member of a dimension.
func (r *coverage) of(d dimension, member string) *outcomes {
	if r.counts[d] == nil {
		r.counts[d] = make(map[string]*outcomes)
	}
	if r.counts[d][member] == nil {
		r.counts[d][member] = new(outcomes)
	}
	return r.counts[d][member]
}

// demand sets the outcomes that the run must reach for a member: a call that decodes, a call that
// fails, or both.
func (r *coverage) demand(d dimension, member string, decode, fail bool) {
	o := r.of(d, member)
	o.mustDecode, o.mustFail = o.mustDecode || decode, o.mustFail || fail
}

// note counts a call.
func (r *coverage) note(d dimension, member string, failed bool) {
	if o := r.of(d, member); failed {
		o.failed++
	} else {
		o.decoded++
	}
}

// missing lists the members of the given dimensions whose required outcomes were not reached.
func (r *coverage) missing(dimensions ...dimension) (all []string) {
	for _, d := range dimensions {
		for _, member := range slices.Sorted(maps.Keys(r.counts[d])) {
			o := r.counts[d][member]
			if o.mustDecode && o.decoded == 0 || o.mustFail && o.failed == 0 {
				all = append(all, fmt.Sprintf("%s: %s: %d values decoded, %d errors", d, member, o.decoded, o.failed))
			}
		}
	}
	return all
}

// least returns the smallest counts of required outcomes, for the log.
func (r *coverage) least() string {
	var parts []string
	for _, d := range slices.Sorted(maps.Keys(r.counts)) {
		n, decoded, failed := 0, -1, -1
		for _, o := range r.counts[d] {
			n++
			if o.mustDecode && (decoded < 0 || o.decoded < decoded) {
				decoded = o.decoded
			}
			if o.mustFail && (failed < 0 || o.failed < failed) {
				failed = o.failed
			}
		}
		parts = append(parts, fmt.Sprintf("%s: %d, each with at least %d values and %d errors", d, n, max(decoded, 0), max(failed, 0)))
	}
	return strings.Join(parts, "\n")
}

// enoughEffects is the number of observed effects of an option after which the matrix no longer
// looks for further effects of the option.
const enoughEffects = 3

// soleOption returns the option of a way that sets a single option, as long as the run has not seen
// enough effects of this option. Otherwise it returns an empty string.
func (r *coverage) soleOption(way *Way) string {
	if len(way.Options) != 1 || r.effects[way.Options[0]] >= enoughEffects {
		return ""
	}
	return way.Options[0]
}

// optionsOf records which options the ways of a subject set, and returns an error text for each
// name that is not an option. A subject need not contain every way.
func (f *Format) optionsOf(ways []Way, alone map[string]bool) (wrong []string) {
	for i := range ways {
		for _, name := range ways[i].Options {
			if !slices.Contains(f.Options, name) {
				wrong = append(wrong, fmt.Sprintf("%s sets %q, which is no option", ways[i].Name, name))
			}
			alone[name] = alone[name] || len(ways[i].Options) == 1
		}
	}
	return wrong
}

// checkOptions compares the options of the format with the options that a way has set as its single
// option.
func (f *Format) checkOptions(alone map[string]bool) (wrong []string) {
	for _, name := range f.Options {
		if _, excused := f.Elsewhere[name]; excused == alone[name] {
			wrong = append(wrong, fmt.Sprintf("option %q: set alone by a way: %v; tested elsewhere: %v", name, alone[name], excused))
		}
	}
	for name := range f.Elsewhere {
		if !slices.Contains(f.Options, name) {
			wrong = append(wrong, fmt.Sprintf("%q, which is no option, is said to be tested elsewhere", name))
		}
	}
	return wrong
}

// unused lists the options that had no effect.
func (r *coverage) unused(f *Format) (all []string) {
	for _, name := range f.Options {
		if _, excused := f.Elsewhere[name]; !excused && r.effects[name] == 0 {
			all = append(all, fmt.Sprintf("option: %s: it has changed nothing", name))
		}
	}
	return all
}
