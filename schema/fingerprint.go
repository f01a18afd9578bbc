package schema

import "crypto/sha256"

// Fingerprint returns a hash of the encoding: the first 8 bytes of the SHA-256 of [Schema.String]
// without names and spaces. Schemas have the same fingerprint if they contain the same types in the
// same structs and in the same order. The messages of such schemas have the same bytes. Names and
// Go types have no effect. Schemas with different fingerprints may still be able to read each
// other's messages (see [Compat]).
func (s *Schema[T]) Fingerprint() [8]byte { return s.Shape().Fingerprint() }

// NamedFingerprint is like Fingerprint, but the hash includes the names.
func (s *Schema[T]) NamedFingerprint() [8]byte { return s.Shape().NamedFingerprint() }

// Fingerprint returns the fingerprint of a Schema with this shape.
func (s *Shape) Fingerprint() [8]byte { return sum(s.text(false)) }

// NamedFingerprint returns the named fingerprint of a Schema with this shape: the first 8 bytes of
// the SHA-256 of the text that [Shape.String] returns.
func (s *Shape) NamedFingerprint() [8]byte { return sum(s.text(true)) }

func sum(text string) [8]byte {
	all := sha256.Sum256([]byte(text))
	return [8]byte(all[:])
}
