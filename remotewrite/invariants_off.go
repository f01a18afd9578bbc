//go:build !invariants

package remotewrite

const invariants = false
