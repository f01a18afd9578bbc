//go:build race

package json

const encodeRace = true
