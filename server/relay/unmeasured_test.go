//go:build race || invariants

package relay

// With the race detector pools drop things at random, and with the tag invariants views are copies.
const measured = false
