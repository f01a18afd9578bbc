//go:build !race

package transcode

const raceEnabled = false
