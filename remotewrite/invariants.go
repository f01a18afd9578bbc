//go:build invariants

package remotewrite

// invariants is for tests: what was lent out is made useless as soon as it expires.
const invariants = true
