//go:build race || invariants

package growth

// raced means that the build has costs of its own: the race detector, or the checks of the tag
// invariants.
const raced = true
