//go:build race || invariants

package growth

// raced reports whether the race detector or the build tag `invariants` makes calls slower in this
// build.
const raced = true
