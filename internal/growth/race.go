//go:build race || invariants

package growth

// raced reports whether the build adds costs: the cost of the race detector, or of the checks that
// the tag invariants enables.
const raced = true
