//go:build !race

package decimal

const raceEnabled = false
