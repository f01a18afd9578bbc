//go:build race || invariants

package growth

// raced reports whether the build adds costs: those of the race detector, or of the checks with the
// tag invariants.
const raced = true
