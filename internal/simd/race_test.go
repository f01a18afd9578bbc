//go:build race || invariants

package simd

// raced makes tests shorter: with the race detector they take five times as long.
const raced = true
