//go:build race

package simd

// raced makes tests shorter: with the race detector they take five times as long.
const raced = true
