//go:build !race

package simd

const raced = false
