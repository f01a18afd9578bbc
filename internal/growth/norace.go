//go:build !race && !invariants

package growth

const raced = false
