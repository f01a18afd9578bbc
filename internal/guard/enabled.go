//go:build invariants

package guard

// Enabled reports whether Test and Kept guard their inputs. They do so only with the tag
// invariants.
const Enabled = true
