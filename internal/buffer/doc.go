// Package buffer contains buffers for bytes and small values: slabs that provide the memory for
// many small values (slab.go), a cache of recurring strings (recent.go), and a queue of pages and
// borrowed memory (queue.go).
package buffer
