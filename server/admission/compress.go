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

// Compression is the compression of a body. Its numbers are in the write-ahead log: they must never
// change.
type Compression uint8

const (
	Identity Compression = iota
	Gzip
	Zstd
	Snappy // the block format
)

var compressionNames = [...]string{Identity: "identity", Gzip: "gzip", Zstd: "zstd", Snappy: "snappy"}

func (c Compression) String() string { return compressionNames[c] }

// Inflate decompresses a body to at most most bytes. The caller frees the buffer.
//
// A body that states its decompressed length truly takes that much memory. Another one is collected
// in chunks, and copied when its length is known: it takes twice its length for a moment. A body
// that is too long never takes more memory than one that is not.
//
// The error is [ErrTooLarge], a [BudgetError], or else the body is damaged, or of another
// compression.
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

// snappyRatio is the maximum ratio of a block of Snappy, rounded up: a copy of 64 bytes takes 3.
const snappyRatio = 22

// inflateSnappy decompresses a block, which begins with its decompressed length. No memory is
// allocated for a length that a block of this size cannot have.
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

// The history that zstd may ask for. A body that fits the buffer at once needs no other memory for
// it. A stream does; the reference encoder asks for 8 MiB at its highest level.
const (
	maxFrameWindow  = 32 << 20
	maxStreamWindow = 8 << 20
)

// frames decompresses whole bodies of zstd, for many goroutines at once, and starts none.
var frames = func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxWindow(maxFrameWindow), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		panic(err) // the options are constants
	}
	return d
}()

// errMore is the error for a body that does not fit the first buffer, or is damaged. The decoder's
// errors do not tell the two apart.
var errMore = errors.New("admission: the body must be read as a stream")

// inflateFrames decompresses a body into a buffer of the length that its first frame states. Small
// frames may not state it; then the buffer has eight times the length of the body.
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
	b.B = b.B[:len(out)] // which out is the beginning of
	return b, nil
}

// inflater reads compressed bodies. It is reused.
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
			zstd.WithDecoderMaxMemory(1<<30), zstd.WithDecoderMaxWindow(maxStreamWindow))
		if err != nil {
			return nil, err
		}
	}
	return f.zstd, f.zstd.Reset(&f.from)
}

// inflateStream decompresses a body that may have any number of members or frames.
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

// firstSize returns the size of the first buffer of a stream. For gzip it is the length that the
// last member states, and mostly there is only one, and a byte more, which shows that the stream
// ends there.
func firstSize(c Compression, body []byte, most int64) int {
	if n := len(body); c == Gzip && n >= 4 {
		if size := int64(binary.LittleEndian.Uint32(body[n-4:])); size <= most {
			return int(size) + 1
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

// inflateRest appends the rest of r to b, which is full. It returns io.EOF when b has all of it.
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
