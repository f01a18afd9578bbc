// Package buffer contains buffers for bytes and small values: slabs from which many small values
// are cut (slab.go), a cache of recurring strings (recent.go), and a queue of pages and borrowed
// memory (queue.go).
package buffer
