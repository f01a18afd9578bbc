// Package plan reads Go types for all formats: the fields of a struct with their tags and embedding
// (fields.go, tag.go), the lookup of a field by its encoded name (names.go), and the cache of the
// types that a format has compiled (cache.go). Encoding and decoding are done elsewhere.
package plan
