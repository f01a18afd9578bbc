//go:build !race && !invariants

package simd

const raced = false
