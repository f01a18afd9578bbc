//go:build !race && !invariants

package remotewrite

const raceEnabled = false
