package ingest

import (
	"bytes"
	"errors"

	"github.com/slipstream-go/slipstream/server/admission"
	"github.com/slipstream-go/slipstream/server/refusal"
)

// compressionOf returns the compression for the value of a Content-Encoding header.
func compressionOf(header string) (admission.Compression, error) {
	switch header {
	case "", "identity":
		return admission.Identity, nil
	case "gzip", "x-gzip":
		return admission.Gzip, nil
	case "zstd":
		return admission.Zstd, nil
	}
	return admission.Identity, refusal.New(refusal.WrongType, "Content-Encoding %q: use gzip, zstd or identity", refusal.Clip(header)).In("Content-Encoding")
}

// sniff returns the compression that the first bytes of a body indicate. An uncompressed
// MessagePack body never begins with these bytes, because 1f and 28 are integers in MessagePack.
func sniff(body []byte) admission.Compression {
	switch {
	case bytes.HasPrefix(body, []byte{0x1f, 0x8b}):
		return admission.Gzip
	case bytes.HasPrefix(body, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return admission.Zstd
	}
	return admission.Identity
}

// inflate decompresses q.body into q.plain.
func (q *request) inflate() error {
	c, body := q.codec.compression, q.body.B
	most := q.handler.limits.decompressed(len(body))
	var err error
	q.plain, err = q.held.Inflate(c, body, most)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, admission.ErrTooLarge):
		return refusal.New(refusal.TooLarge, "the body of %d bytes decompresses to more than %d bytes: send smaller batches", len(body), most)
	case admission.Busy(err):
		return err
	}
	return refusal.Errorf("the body is not %v, or is damaged: %v", c, err)
}
