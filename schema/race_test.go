//go:build race || invariants

package schema

// raceEnabled is true in builds with the race detector or the build tag `invariants`. In such a
// build, measured allocations and times are meaningless.
const raceEnabled = true
