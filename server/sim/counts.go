package sim

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Counts is how often things happened, by name.
type Counts map[string]int

// of returns the count of a name, or of all names that begin with what stands before a "*" at its
// end.
func (c Counts) of(name string) (n int) {
	prefix, many := strings.CutSuffix(name, "*")
	if !many {
		return c[name]
	}
	for name, k := range c {
		if strings.HasPrefix(name, prefix) {
			n += k
		}
	}
	return n
}

func (c Counts) String() string {
	var b strings.Builder
	for i, name := range slices.Sorted(maps.Keys(c)) {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s %d", name, c[name])
	}
	return b.String()
}
