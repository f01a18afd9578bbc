// Package wire contains helpers for all byte formats. They are big-endian words, an error type with
// offset and path, short type names for error texts, and a function that reports incomplete writes.
package wire
