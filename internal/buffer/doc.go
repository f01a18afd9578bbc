// Package buffer is where bytes wait: slabs from which many small values are cut, and pools that forget.
package buffer
