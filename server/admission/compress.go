package admission

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
)

// Compression is the compression format of a body. The write-ahead log contains values of this
// type, so the number of a format must never change.
type Compression uint8

const (
	Identity Compression = iota
	Gzip
	Zstd
	Snappy // the block format
)

var compressionNames = [...]string{Identity: "identity", Gzip: "gzip", Zstd: "zstd", Snappy: "snappy"}

func (c Compression) String() string { return compressionNames[c] }

// Inflate decompresses a body that has the compression c. The parameter `most` is the maximum
// decompressed length in bytes. The caller must free the returned buffer.
//
// If the body states its decompressed length correctly, Inflate allocates this number of bytes.
// Otherwise, it decompresses the body into chunks. When the length is known, it copies the chunks
// into one buffer, and temporarily uses twice the length. If a body exceeds the limit, Inflate
// never uses more memory than for a body within the limit.
//
// The error is [ErrTooLarge] or a [BudgetError]. Any other error means that the body is damaged, or
// that its compression is not c.
func (h *Hold) Inflate(c Compression, body []byte, most int64) (*Buffer, error) {
	switch c {
	case Snappy:
		return h.inflateSnappy(body, most)
	case Zstd:
		if b, err := h.inflateFrames(body, most); err != errMore {
			return b, err
		}
	}
	return h.inflateStream(c, body, most)
}

// snappyRatio is the maximum compression ratio of a Snappy block, rounded up: 3 bytes encode a copy
// of 64 bytes.
const snappyRatio = 22

// inflateSnappy decompresses a Snappy block. The block begins with its decompressed length. If this
// length is too large for the size of the block, inflateSnappy returns an error before it allocates
// memory.
func (h *Hold) inflateSnappy(body []byte, most int64) (*Buffer, error) {
	n, err := s2.DecodedLen(body)
	switch {
	case err != nil:
		return nil, err
	case int64(n) > most:
		return nil, ErrTooLarge
	case n/snappyRatio > len(body):
		return nil, s2.ErrCorrupt
	}
	b, err := h.Buffer(n)
	if err != nil {
		return nil, err
	}
	out, err := s2.Decode(b.B[:cap(b.B)], body)
	if err != nil {
		h.Drop(b)
		return nil, err
	}
	b.B = out
	return b, nil
}

// These are the maximum window sizes of zstd. If a body is decompressed into one buffer, the window
// needs no additional memory. If a body is decompressed as a stream, it does. The reference encoder
// uses a window of 8 MiB at its highest level.
const (
	maxFrameWindow  = 32 << 20
	maxStreamWindow = 8 << 20
)

// frames decompresses whole zstd bodies. Many goroutines may use it at the same time. It starts no
// goroutines itself.
var frames = func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxWindow(maxFrameWindow), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		panic(err) // the options are constants
	}
	return d
}()

// errMore is the error for a body that is damaged, or whose decompressed content is too large for
// the first buffer. The decoder's errors do not distinguish these two cases.
var errMore = errors.New("admission: the body must be read as a stream")

// inflateFrames decompresses a body into a buffer with the length that its first frame states. A
// small frame need not state its length. In that case, the buffer is eight times as long as the
// body.
func (h *Hold) inflateFrames(body []byte, most int64) (*Buffer, error) {
	var head zstd.Header
	if err := head.Decode(body); err != nil {
		return nil, err
	}
	size := min(8*int64(len(body)), most)
	if head.HasFCS {
		if head.FrameContentSize > uint64(most) {
			return nil, ErrTooLarge
		}
		size = int64(head.FrameContentSize)
	}
	b, err := h.Buffer(int(size))
	if err != nil {
		return nil, err
	}
	out, err := frames.DecodeAll(body, b.B[0:0:min(int64(cap(b.B)), most)])
	if err != nil {
		h.Drop(b)
		return nil, errMore
	}
	b.B = b.B[:len(out)] // out is the beginning of b.B
	return b, nil
}

// inflater reads compressed bodies. It is reused.
type inflater struct {
	from bytes.Reader
	gzip *gzip.Reader
	zstd *zstd.Decoder
}

var inflaters = sync.Pool{New: func() any { return new(inflater) }}

// open prepares the inflater for reading the given body.
func (f *inflater) open(body []byte, c Compression) (r io.Reader, err error) {
	f.from.Reset(body)
	if c == Gzip {
		if f.gzip == nil {
			f.gzip = new(gzip.Reader)
		}
		return f.gzip, f.gzip.Reset(&f.from)
	}
	if f.zstd == nil {
		// With a concurrency of one, the decoder starts no goroutines. So it needs no call of
		// Close, and the garbage collector can free it.
		f.zstd, err = zstd.NewReader(nil,
			zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxMemory(1<<30), zstd.WithDecoderMaxWindow(maxStreamWindow))
		if err != nil {
			return nil, err
		}
	}
	return f.zstd, f.zstd.Reset(&f.from)
}

// inflateStream decompresses a body with any number of gzip members or zstd frames.
func (h *Hold) inflateStream(c Compression, body []byte, most int64) (*Buffer, error) {
	f := inflaters.Get().(*inflater)
	defer func() {
		f.from.Reset(nil)
		inflaters.Put(f)
	}()
	r, err := f.open(body, c)
	if err != nil {
		return nil, err
	}
	b, err := h.Buffer(firstSize(c, body, most))
	if err != nil {
		return nil, err
	}
	n, err := fill(r, b.B[:cap(b.B)])
	b.B = b.B[:n]
	if err == nil {
		err = h.inflateRest(&b, r, most)
	}
	switch {
	case err == io.EOF && int64(len(b.B)) <= most:
		return b, nil
	case err == io.EOF:
		err = ErrTooLarge
	}
	h.Drop(b)
	return nil, err
}

// firstSize returns the size of the first buffer of a stream. For gzip, it is the length that the
// last member states, plus one byte. Most bodies have only one member, so the whole stream fits
// into the buffer. With the additional byte, fill can detect the end of the stream.
func firstSize(c Compression, body []byte, most int64) int {
	if n := len(body); c == Gzip && n >= 4 {
		if size := int64(binary.LittleEndian.Uint32(body[n-4:])); size <= most {
			return int(size) + 1
		}
	}
	return firstBuffer
}

// fill reads from r until p is full or r ends. If r ends, fill returns io.EOF.
func fill(r io.Reader, p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		var more int
		more, err = r.Read(p[n:])
		n += more
	}
	return n, err
}

const chunkSize = 1 << 20

// inflateRest appends the rest of r to the buffer *b, which is full. It returns io.EOF when the
// buffer contains the whole stream.
func (h *Hold) inflateRest(b **Buffer, r io.Reader, most int64) (err error) {
	var chunks []*Buffer
	defer func() {
		for _, p := range chunks {
			h.Drop(p)
		}
	}()
	size := len((*b).B)
	for err == nil {
		if int64(size) > most {
			return ErrTooLarge
		}
		p, e := h.Buffer(chunkSize)
		if e != nil {
			return e
		}
		chunks = append(chunks, p)
		var n int
		n, err = fill(r, p.B[:chunkSize])
		p.B = p.B[:n]
		size += n
	}
	switch {
	case err != io.EOF:
		return err
	case int64(size) > most:
		return ErrTooLarge
	}
	if err := h.grow(b, size); err != nil {
		return err
	}
	for _, p := range chunks {
		(*b).B = append((*b).B, p.B...)
	}
	return io.EOF
}
