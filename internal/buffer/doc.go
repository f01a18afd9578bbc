// Package buffer is where bytes wait: slabs from which many small values are cut (slab.go), and strings that recur
// (recent.go).
package buffer
