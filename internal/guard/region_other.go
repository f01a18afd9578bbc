//go:build !linux

package guard

import "github.com/slipstream-go/slipstream/internal/mem"

// Region is plain memory: nothing faults.
type Region struct{ Bytes []byte }

// NewRegion returns a Region of n bytes, rounded up to a multiple of 8, the alignment that Last
// needs.
func NewRegion(n int) *Region { return &Region{mem.Aligned((n + 7) / 8 * 8)} }

// ReadOnly does nothing.
func (r *Region) ReadOnly() {}

// IsReadOnly returns false.
func (r *Region) IsReadOnly() bool { return false }

// NoAccess does nothing.
func (r *Region) NoAccess() {}

// Writable does nothing.
func (r *Region) Writable() {}

// Contains returns false: nothing of r is read-only.
func (r *Region) Contains(mem.Raw) bool { return false }

// Free does nothing.
func (r *Region) Free() {}
