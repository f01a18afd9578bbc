//go:build invariants

package remotewrite

// invariants is true in tests. Then each view becomes unusable as soon as it expires.
const invariants = true
