//go:build !linux

package guard

// Region is plain memory: nothing faults.
type Region struct{ Bytes []byte }

// NewRegion returns a Region of n bytes.
func NewRegion(n int) *Region { return &Region{make([]byte, n)} }

// ReadOnly does nothing.
func (r *Region) ReadOnly() {}

// NoAccess does nothing.
func (r *Region) NoAccess() {}

// Writable does nothing.
func (r *Region) Writable() {}

// Free does nothing.
func (r *Region) Free() {}
