//go:build race || invariants

package relay

// measured is false, because pools drop objects at random under the race detector, and views are
// copies with the tag invariants.
const measured = false
