package schema

import "crypto/sha256"

// Fingerprint is the same for schemas that have the same fields and types in the same structs and
// order, whatever their names and their Go types: their messages are the same bytes. It is the
// first 8 bytes of the SHA-256 of [Schema.String] without names and spaces. Schemas whose
// fingerprints differ may still read each other: see [Compat].
func (s *Schema[T]) Fingerprint() [8]byte { return s.Shape().Fingerprint() }

// NamedFingerprint is the same if the names are the same too.
func (s *Schema[T]) NamedFingerprint() [8]byte { return s.Shape().NamedFingerprint() }

// Fingerprint is that of a [Schema] of this shape.
func (s *Shape) Fingerprint() [8]byte { return sum(s.text(false)) }

// NamedFingerprint is that of a [Schema] of this shape: the first 8 bytes of the SHA-256 of String.
func (s *Shape) NamedFingerprint() [8]byte { return sum(s.text(true)) }

func sum(text string) [8]byte {
	all := sha256.Sum256([]byte(text))
	return [8]byte(all[:])
}
