//go:build !race && !invariants

package schema

const raceEnabled = false
