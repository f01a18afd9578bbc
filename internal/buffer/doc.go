// Package buffer is where bytes wait: slabs from which many small values are cut (slab.go), strings
// that recur (recent.go), and a queue of pages and borrowed memory (queue.go).
package buffer
