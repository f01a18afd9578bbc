//go:build !linux

package guard

import "github.com/slipstream-go/slipstream/internal/mem"

// Region is plain memory. Accesses never fault.
type Region struct{ Bytes []byte }

// NewRegion returns a Region of n bytes, rounded up to a multiple of 8. The method Last needs this
// alignment.
func NewRegion(n int) *Region { return &Region{mem.Aligned((n + 7) / 8 * 8)} }

// ReadOnly does nothing.
func (r *Region) ReadOnly() {}

// IsReadOnly returns false.
func (r *Region) IsReadOnly() bool { return false }

// NoAccess does nothing.
func (r *Region) NoAccess() {}

// Writable does nothing.
func (r *Region) Writable() {}

// Contains returns false, because no part of r is read-only.
func (r *Region) Contains(mem.Raw) bool { return false }

// Free does nothing.
func (r *Region) Free() {}
