package testkit

import (
	"bytes"
	"compress/gzip"

	"github.com/klauspost/compress/zstd"
)

// Gzipped returns b as a gzip member.
func Gzipped(b []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(b) // a bytes.Buffer returns no errors
	w.Close()
	return out.Bytes()
}

// Zstded returns b as a zstd frame.
func Zstded(b []byte) []byte {
	w, _ := zstd.NewWriter(nil) // fails only for invalid options
	defer w.Close()
	return w.EncodeAll(b, nil)
}
