//go:build !race && !invariants

package parco_test

const raceEnabled = false
