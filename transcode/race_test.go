//go:build race

package transcode

const raceEnabled = true
