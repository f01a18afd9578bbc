// Package guard provides memory for tests. The processor enforces the bounds of this memory. An
// input from this package lies on pages that cannot be written, and ends at a page that cannot be
// read. So a decoder that reads a byte too many, or writes to its input, faults at that
// instruction. A fault ends the test process with a stack trace; recover does not catch it.
//
//	Region      | no access | pages: writable until ReadOnly | no access |
//	Input                                          input here|
//	InputFirst              |input here
//
// On systems other than Linux, a Region is plain memory, and accesses never fault. Only tests and
// internal/corpus import this package. Package internal/corpus/matrix uses it in every build;
// vectors and fuzz targets use it only with the build tag `invariants`.
package guard
