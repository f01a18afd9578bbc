//go:build invariants

package guard

// Enabled reports whether Test and Kept guard their inputs. They guard inputs only in builds with
// the build tag `invariants`.
const Enabled = true
