//go:build race

package sim

// shuffled reports whether the scheduler runs goroutines in random order. It is true in builds with
// the race detector.
const shuffled = true
