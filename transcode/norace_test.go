//go:build !race && !invariants

package transcode

const raceEnabled = false
