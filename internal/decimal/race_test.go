//go:build race || invariants

package decimal

// raceEnabled is true in builds with the race detector or the build tag `invariants`. In such a
// build, measured allocations and times are meaningless.
const raceEnabled = true
