//go:build !race && !invariants

package decimal

const raceEnabled = false
