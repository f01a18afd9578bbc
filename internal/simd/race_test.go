//go:build race || invariants

package simd

// raced makes tests shorter, because the race detector makes them take five times as long.
const raced = true
