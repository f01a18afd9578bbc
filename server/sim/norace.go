//go:build !race

package sim

const shuffled = false
