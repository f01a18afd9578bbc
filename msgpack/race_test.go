//go:build race || invariants

package msgpack

// raceEnabled is true in builds in which allocations and times are not meaningful: with the race
// detector or the tag invariants.
const raceEnabled = true
