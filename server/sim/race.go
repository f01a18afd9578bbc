//go:build race

package sim

// shuffled reports whether the scheduler runs goroutines in random order, which it does with the
// race detector.
const shuffled = true
