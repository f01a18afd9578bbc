//go:build !invariants

package guard

// Enabled reports whether Test and Kept guard their inputs, as they do with the tag invariants.
const Enabled = false
