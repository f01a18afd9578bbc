//go:build !race && !invariants

package msgpack

const raceEnabled = false
