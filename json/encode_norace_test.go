//go:build !race && !invariants

package json

const encodeRace = false
