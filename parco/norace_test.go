//go:build !race

package parco_test

const raceEnabled = false
