//go:build race || invariants

package buffer

// raceEnabled is true in builds whose allocations and times are not meaningful: with the race
// detector or the tag invariants.
const raceEnabled = true
