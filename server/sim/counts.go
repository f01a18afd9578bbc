package sim

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Counts contains the number of events, by name.
type Counts map[string]int

// The method of returns the count for a name. If the name ends in "*", the result is the sum for
// all names with the prefix before the "*".
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
