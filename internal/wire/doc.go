// Package wire contains helpers for all byte formats: big-endian words, an error with offset and
// path, short names of types for error texts, and a write that is either complete or returns an
// error.
package wire
