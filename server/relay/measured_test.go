//go:build !race && !invariants

package relay

// measured reports whether allocations in this test binary are the same as in the service.
const measured = true
