//go:build !race && !invariants

package buffer

const raceEnabled = false
