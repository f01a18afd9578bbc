// Package wire contains helpers for all byte formats: big-endian words, an error type with offset
// and path, short type names for error texts, and a write function that returns an error unless the
// write is complete.
package wire
