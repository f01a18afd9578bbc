// Package wire contains helpers for all byte formats. They read and write big-endian words, define
// an error type with offset and path, shorten type names for error texts, and detect incomplete
// writes.
package wire
