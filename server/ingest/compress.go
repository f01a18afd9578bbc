package ingest

import (
	"bytes"
	"io"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
)

// Compression is how a body is compressed.
type Compression uint8

const (
	Identity Compression = iota
	Gzip
	Zstd
	Snappy // a block of it: only in the log
)

// compressionOf reads a Content-Encoding.
func compressionOf(header string) (Compression, error) {
	switch header {
	case "", "identity":
		return Identity, nil
	case "gzip", "x-gzip":
		return Gzip, nil
	case "zstd":
		return Zstd, nil
	}
	return Identity, refuse(WrongType, "Content-Encoding %q: use gzip, zstd or identity", clip(header)).in("Content-Encoding")
}

// sniff is the compression that a body's first bytes announce. No body of MessagePack begins like either: 1f is an int, and 28
// too.
func sniff(body []byte) Compression {
	switch {
	case bytes.HasPrefix(body, []byte{0x1f, 0x8b}):
		return Gzip
	case bytes.HasPrefix(body, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return Zstd
	}
	return Identity
}

// maxWindow is the history that a zstd stream may ask for; that of the highest level of the reference encoder is as large.
const maxWindow = 8 << 20

// inflater reads compressed bodies. It is kept for the next one.
type inflater struct {
	from bytes.Reader
	gzip *gzip.Reader
	zstd *zstd.Decoder
}

var inflaters = sync.Pool{New: func() any { return new(inflater) }}

// open makes the inflater read body.
func (f *inflater) open(body []byte, c Compression) (r io.Reader, err error) {
	f.from.Reset(body)
	if c == Gzip {
		if f.gzip == nil {
			f.gzip = new(gzip.Reader)
		}
		return f.gzip, f.gzip.Reset(&f.from)
	}
	if f.zstd == nil {
		// With a concurrency of one it has no goroutines, so it may be left to the garbage collector.
		f.zstd, err = zstd.NewReader(nil,
			zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxMemory(1<<30), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, err
		}
	}
	return f.zstd, f.zstd.Reset(&f.from)
}

var compressionNames = [...]string{Identity: "identity", Gzip: "gzip", Zstd: "zstd", Snappy: "snappy"}

func (c Compression) String() string { return compressionNames[c] }

// inflate puts what body decompresses to into dst's memory, or into more, which it asks for first. It is at most `most` bytes.
func inflate(dst, body []byte, c Compression, most int64, grow func(n int64) error) ([]byte, error) {
	if c == Snappy {
		return unsnappy(dst, body, most, grow)
	}
	f := inflaters.Get().(*inflater)
	defer func() {
		f.from.Reset(nil)
		inflaters.Put(f)
	}()
	dst = dst[:0]
	r, err := f.open(body, c)
	for err == nil {
		have := int64(len(dst))
		if len(dst) == cap(dst) {
			more := min(max(have, firstBuffer), most+1-have)
			if err := grow(more); err != nil {
				return dst, err
			}
			dst = append(make([]byte, 0, have+more), dst...)
		}
		var n int
		n, err = r.Read(dst[have:cap(dst)])
		dst = dst[:len(dst)+n]
		if int64(len(dst)) > most {
			return dst, errInflated(len(body), most)
		}
	}
	if err != io.EOF {
		return dst, invalid("the body is not %v, or is damaged: %v", c, err)
	}
	return dst, nil
}

// snappyRatio is more than a block of Snappy can grow by: what takes the least are copies, 64 bytes each of three.
const snappyRatio = 22

// unsnappy is inflate for a block of Snappy. The length that it begins with is believed as far as the block can be so long.
func unsnappy(dst, body []byte, most int64, grow func(n int64) error) ([]byte, error) {
	n, err := s2.DecodedLen(body)
	switch {
	case err != nil || n > snappyRatio*len(body):
		return dst, invalid("the body is not %v, or is damaged", Snappy)
	case int64(n) > most:
		return dst, errInflated(len(body), most)
	case n > cap(dst):
		if err := grow(int64(n - cap(dst))); err != nil {
			return dst, err
		}
	}
	if dst, err = s2.Decode(dst[:0], body); err != nil {
		return nil, invalid("the body is not %v, or is damaged: %v", Snappy, err)
	}
	return dst, nil
}

func errInflated(size int, most int64) error {
	return refuse(TooLarge, "the body of %d bytes decompresses to more than %d: send smaller batches", size, most)
}
