//go:build invariants

package remotewrite

// invariants is set for tests: a view becomes unusable as soon as it expires.
const invariants = true
