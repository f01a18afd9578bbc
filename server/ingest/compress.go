package ingest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
)

// Compression is the compression of a body.
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

// sniff is the compression that a body's first bytes announce. No body of MessagePack begins like
// either: 1f is an int, and 28 too.
func sniff(body []byte) Compression {
	switch {
	case bytes.HasPrefix(body, []byte{0x1f, 0x8b}):
		return Gzip
	case bytes.HasPrefix(body, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return Zstd
	}
	return Identity
}

// maxWindow is the history that a zstd stream may ask for; that of the highest level of the
// reference encoder is as large.
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
		// With a concurrency of one it has no goroutines, so it may be left to the garbage
		// collector.
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

// inflate puts what body decompresses to, at most `most` bytes, into dst's memory, or into more. It
// calls grow before it takes more memory, and with a number below 0 when it has given some back.
//
// A body that says truly how long it is takes that much. Another one is collected in chunks, and
// copied when its length is known: it takes twice its length for a moment, and one that is too long
// never more than it may have.
func inflate(dst, body []byte, c Compression, most int64, grow func(n int64) error) ([]byte, error) {
	if c == Snappy {
		return unsnappy(dst, body, most, grow)
	}
	f := inflaters.Get().(*inflater)
	defer func() {
		f.from.Reset(nil)
		inflaters.Put(f)
	}()
	r, err := f.open(body, c)
	if err != nil {
		return dst[:0], errNotCompressed(c, err)
	}
	// One more byte than it says, so that its end is seen before memory that is not needed is
	// taken.
	if size := announced(body, c) + 1; size <= most+1 && size > int64(cap(dst)) {
		if err := grow(size - int64(cap(dst))); err != nil {
			return dst[:0], err
		}
		dst = make([]byte, size)
	}
	n, err := fill(r, dst[:cap(dst)])
	if dst = dst[:n]; err == nil {
		dst, err = inflateRest(dst, r, most, grow)
	}
	var refused *refusal
	switch {
	case err == errTooLong, err == io.EOF && int64(len(dst)) > most:
		return dst, errInflated(len(body), most)
	case err == io.EOF:
		return dst, nil
	case errors.As(err, &refused):
		return dst, err
	}
	return dst, errNotCompressed(c, err)
}

// announced returns how long a body says that it is once it is decompressed, or firstBuffer if it
// does not say.
func announced(body []byte, c Compression) int64 {
	switch c {
	case Gzip:
		if n := len(body); n >= 4 {
			return int64(binary.LittleEndian.Uint32(body[n-4:])) // of the last member, which mostly is the only one
		}
	case Zstd:
		var h zstd.Header // of the first frame
		if err := h.Decode(body); err == nil && h.HasFCS && h.FrameContentSize < math.MaxInt64 {
			return int64(h.FrameContentSize)
		}
	}
	return firstBuffer
}

// fill reads until p is full or r ends. Its error is io.EOF at the end of r.
func fill(r io.Reader, p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		var more int
		more, err = r.Read(p[n:])
		n += more
	}
	return n, err
}

const chunkSize = 1 << 20

// chunks are parts of bodies whose length is not known yet.
var chunks = sync.Pool{New: func() any { return new([chunkSize]byte) }}

var errTooLong = errors.New("more bytes than are allowed")

// inflateRest returns dst, which is full, with what r still has, and io.EOF.
func inflateRest(dst []byte, r io.Reader, most int64, grow func(n int64) error) (_ []byte, err error) {
	var parts []*[chunkSize]byte
	defer func() {
		for _, p := range parts {
			chunks.Put(p)
		}
	}()
	size, last := int64(len(dst)), 0
	for err == nil {
		if size > most {
			return dst, errTooLong
		}
		if err := grow(chunkSize); err != nil {
			return dst, err
		}
		parts = append(parts, chunks.Get().(*[chunkSize]byte))
		last, err = fill(r, parts[len(parts)-1][:])
		size += int64(last)
	}
	switch {
	case err != io.EOF:
		return dst, err
	case size > most:
		return dst, errTooLong
	}
	if e := grow(size); e != nil {
		return dst, e
	}
	whole := append(make([]byte, 0, size), dst...)
	for i, p := range parts {
		n := chunkSize
		if i == len(parts)-1 {
			n = last
		}
		whole = append(whole, p[:n]...)
	}
	grow(-int64(cap(dst)) - chunkSize*int64(len(parts)))
	return whole, io.EOF
}

// snappyRatio is more than a block of Snappy can grow by: what takes the least are copies, 64 bytes
// each of three.
const snappyRatio = 22

// unsnappy is inflate for a block of Snappy. The length that it begins with is believed as far as
// the block can be so long.
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
		return nil, errNotCompressed(Snappy, err)
	}
	return dst, nil
}

func errNotCompressed(c Compression, err error) error {
	return invalid("the body is not %v, or is damaged: %v", c, err)
}

func errInflated(size int, most int64) error {
	return refuse(TooLarge, "the body of %d bytes decompresses to more than %d: send smaller batches", size, most)
}
