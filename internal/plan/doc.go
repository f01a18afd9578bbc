// Package plan is how a Go type is read, once, for every format: the fields of a struct with their
// tags and embedding (fields.go, tag.go), the way from a name on the wire to a field (names.go),
// and the cache in which the formats keep what they compile from it (cache.go). It knows nothing of
// bytes.
package plan
