package msgpack

// A Buffer is a queue of byte chunks between codecs and connections. Package internal/buffer
// implements the queue. This file contains its public API. It also contains the code with which
// Decoder and Encoder access a Buffer without copying.

import (
	"errors"
	"io"
	"net"
	"slices"

	"github.com/slipstream-go/slipstream/internal/buffer"
	"github.com/slipstream-go/slipstream/internal/mem"
)

// Buffer is a queue of bytes for building and parsing messages. Bytes are added at the end or at
// the front, and read from the front. Bytes in the queue are never moved. A Buffer stores its bytes
// in pages of 4 KB from a pool that all Buffers share, and large pieces in separate memory. The
// zero Buffer is empty and ready to use.
//
// An Encoder or a Decoder accesses the Buffer's memory directly. After each successful call of an
// Encoder, the Buffer contains exactly the bytes that were written. After each successful call of a
// Decoder, it contains exactly the rest of the input. If a value cannot be encoded, no part of it
// is written. A value that does not fit its target is skipped. An incomplete value stays in the
// Buffer, and can be read after the missing bytes have been added. These rules apply to each method
// call separately. If separate calls write the header and the elements of an array, the header and
// the elements that precede an error stay in the Buffer.
//
// A Buffer must not be copied after its first use, and is not safe for concurrent use.
type Buffer struct {
	// ReferenceMin is the minimum size of a []byte or RawMessage that an Encoder refers to instead
	// of copying it, like [Buffer.Reference]. Zero means that every value is copied. A change takes
	// effect at the next NewEncoder, Reset or ResetWriter.
	ReferenceMin int

	// ShareMin is the minimum size of a value that a Decoder returns as a view of the Buffer's
	// memory instead of a copy. It applies to values that are decoded as []byte or RawMessage.
	// Views are valid forever, but keep the memory around them alive: 4 KB, or as much as Grow has
	// allocated. A value is copied if it lies in several chunks, or in memory that was passed to
	// Reference. Zero means that every value is copied.
	ShareMin int

	queue  buffer.Queue
	last   int         // 1 + the byte that UnreadByte puts back, or 0
	pieces net.Buffers // memory that WriteTo reuses
}

// Len returns the number of bytes in the Buffer.
func (b *Buffer) Len() int { return b.queue.Len() }

// Reset removes all bytes and references. Results of View, and views that a Decoder has returned,
// stay valid.
func (b *Buffer) Reset() {
	b.last = 0
	b.queue.Reset()
}

// Grow ensures that the next n bytes written to the Buffer, or added by ReadFrom, are contiguous.
// It allocates memory for all n bytes immediately, so check n if it comes from untrusted input.
func (b *Buffer) Grow(n int) { b.queue.Grow(n) }

// Write adds a copy of p. The error is always nil.
func (b *Buffer) Write(p []byte) (int, error) {
	b.queue.Append(p)
	return len(p), nil
}

// WriteString adds s. The error is always nil.
func (b *Buffer) WriteString(s string) (int, error) { return b.Write(mem.Bytes(s)) }

// WriteByte adds c. The error is always nil.
func (b *Buffer) WriteByte(c byte) error {
	b.queue.Append([]byte{c})
	return nil
}

// Prepend adds a copy of p at the front. For a header of a few bytes, it usually does not allocate.
func (b *Buffer) Prepend(p []byte) {
	b.last = 0
	b.queue.Prepend(p)
}

// Reference adds p without copying it. The caller must not change p until it has been read, or
// written by WriteTo.
func (b *Buffer) Reference(p []byte) { b.queue.Refer(p) }

// ReadFrom adds the bytes of r until io.EOF. It reads them directly into the Buffer's pages. It
// returns the error of r, or io.ErrNoProgress if r returns neither bytes nor an error 100 times in
// a row.
func (b *Buffer) ReadFrom(r io.Reader) (n int64, err error) {
	for idle := 0; ; {
		room := b.queue.Room()
		if len(room) == 0 {
			b.queue.Grow(1)
			room = b.queue.Room()
		}
		k, err := r.Read(room)
		if k < 0 || k > len(room) {
			return n, errReadCount
		}
		b.queue.Extend(k)
		n += int64(k)
		if err == io.EOF {
			return n, nil
		}
		if k > 0 {
			idle = 0
		} else if idle++; idle == idleMax && err == nil {
			err = io.ErrNoProgress
		}
		if err != nil {
			return n, err
		}
	}
}

// WriteTo writes all bytes to w without joining the chunks. If w is a network connection, it calls
// writev once. Otherwise it calls Write for each chunk. It removes the written bytes; after an
// error, the bytes that have not been written stay in the Buffer. If a call of Write writes only a
// part of its argument but returns no error, WriteTo returns io.ErrShortWrite.
func (b *Buffer) WriteTo(w io.Writer) (int64, error) {
	list := b.queue.Chunks(b.pieces[:0])
	b.pieces = list
	n, err := writeChunks(w, &b.pieces)
	clear(list)
	if b.pieces = list[:0]; cap(list) > piecesMax {
		b.pieces = nil
	}
	b.take(int(n))
	return n, err
}

// piecesMax is the maximum capacity of the list of chunks that WriteTo keeps for reuse, and of the
// list of references that an Encoder keeps.
const piecesMax = 1024

// take removes the first n bytes. The number n must not exceed b.Len().
func (b *Buffer) take(n int) {
	b.last = 0
	b.queue.Discard(n)
}

// within returns n limited to the range from 0 to b.Len().
func (b *Buffer) within(n int) int { return max(0, min(n, b.Len())) }

// Read removes up to len(p) bytes and copies them to p. If the Buffer is empty it returns io.EOF.
func (b *Buffer) Read(p []byte) (int, error) {
	n := b.queue.Copy(p)
	if n == 0 && len(p) > 0 {
		b.last = 0
		return 0, io.EOF
	}
	b.take(n)
	return n, nil
}

// ReadByte removes and returns one byte. If the Buffer is empty it returns io.EOF.
func (b *Buffer) ReadByte() (byte, error) {
	first := b.queue.First()
	if len(first) == 0 {
		b.last = 0
		return 0, io.EOF
	}
	c := first[0]
	b.take(1)
	b.last = 1 + int(c)
	return c, nil
}

var errUnreadByte = errors.New("msgpack: UnreadByte without a ReadByte right before it")

// UnreadByte puts back the byte that ReadByte returned. It returns an error unless the last read
// was a call of ReadByte.
func (b *Buffer) UnreadByte() error {
	if b.last == 0 {
		return errUnreadByte
	}
	b.Prepend([]byte{byte(b.last - 1)})
	return nil
}

// Peek returns a copy of the next n bytes without removing them. If the Buffer contains fewer
// bytes, Peek returns all of them and io.EOF.
func (b *Buffer) Peek(n int) ([]byte, error) {
	p := make([]byte, b.within(n))
	b.queue.Copy(p)
	if len(p) < n {
		return p, io.EOF
	}
	return p, nil
}

// Next removes the next n bytes, and returns a copy of them. If the Buffer contains fewer bytes, it
// removes and returns all of them.
func (b *Buffer) Next(n int) []byte {
	p, _ := b.Peek(n)
	b.take(len(p))
	return p
}

// View removes the next n bytes, and returns them. If the Buffer contains fewer bytes, it removes
// and returns all of them. If the bytes are contiguous, View does not copy them. The result is
// valid forever, because the Buffer does not reuse the memory of a result. The result keeps its
// page alive. For bytes added by Reference, the result is a part of the referenced slice.
func (b *Buffer) View(n int) []byte {
	n = b.within(n)
	first := b.queue.First()
	if n == 0 || n > len(first) {
		return b.Next(n)
	}
	if b.queue.Ours() {
		b.queue.Keep()
	}
	b.take(n)
	return first[:n:n]
}

// Discard removes the next n bytes. If the Buffer contains fewer bytes, Discard removes all of
// them, and returns their number and io.EOF.
func (b *Buffer) Discard(n int) (int, error) {
	k := b.within(n)
	b.take(k)
	if k < n {
		return k, io.EOF
	}
	return k, nil
}

// A Decoder reads from a Buffer through a window, d.b. At first, the window is the Buffer's first
// chunk. If a value extends beyond that chunk, the decoder copies the needed bytes to other memory,
// and uses the copy as the window. The window always contains the Buffer's first len(d.b) bytes.
// The bytes that a call has read are removed at the end of the call. See begin, need and end.

// lend makes the first chunk of b the window of d.
func (b *Buffer) lend(d *Decoder) {
	d.b, d.i = b.queue.Window(), 0
	d.credit += 32 * b.Len()
	d.shareMin, d.shared = 0, false
	if b.queue.Ours() {
		d.shareMin = b.ShareMin
	}
}

// gather extends the window to at least n bytes after i. It at least doubles the window's length,
// so that a value in many chunks is copied no more than twice. If the Buffer contains too few
// bytes, the window becomes the whole Buffer, and gather returns false.
func (d *Decoder) gather(i, n int) bool {
	all := d.chunks.Len()
	enough := n <= all-i
	want := all
	if enough {
		want = min(all, max(i+n, 2*len(d.b)))
	}
	if want > len(d.b) {
		d.own = slices.Grow(d.own[:0], want)[:want]
		d.chunks.queue.Copy(d.own)
		d.b, d.shareMin = d.own, 0
	}
	return enough
}

// giveBack closes the window, and removes its first n bytes from the Buffer or bytes.Buffer that
// the window belongs to.
func (d *Decoder) giveBack(n int) {
	if d.buf != nil {
		d.buf.Next(n)
	} else {
		d.chunks.take(n)
	}
	d.base += int64(n)
	d.b, d.i = d.b[:0], 0
}

// giveBackFrom closes the window of a Buffer, but leaves the value at the offset `mark` in the
// Buffer. If views of the value exist, the value is moved to other memory.
func (d *Decoder) giveBackFrom(mark int) {
	if d.shared {
		d.chunks.queue.Detach()
	}
	d.dict.cut(d.dictMark, d.base+int64(mark))
	d.giveBack(mark)
}

// owned returns a copy of b in separately allocated memory, or b itself if an option requests
// views. The slice b is a part of the window.
func (d *Decoder) owned(b []byte) []byte {
	if d.views() {
		return b[:len(b):len(b)]
	}
	if d.shares(len(b)) {
		d.shared = true
		d.chunks.queue.Keep()
		return b[:len(b):len(b)]
	}
	return append(make([]byte, 0, len(b)), b...)
}

// shares reports whether a value of n bytes in the window is returned as a view of the Buffer.
func (d *Decoder) shares(n int) bool { return uint(d.shareMin-1) < uint(n) } // if shareMin is zero, the subtraction wraps around to the maximum uint

// reference is a value that an Encoder writes to its Buffer without copying it.
type reference struct {
	at int // offset in Encoder.b
	b  []byte
}

// appendBody appends the bytes after a header. If the Buffer must refer to them instead of copying
// them, appendBody only records their position in b.
func (e *Encoder) appendBody(b, body []byte) []byte {
	if uint(e.referenceMin-1) < uint(len(body)) { // zero wraps around to more than every length
		return e.refer(b, body)
	}
	return append(b, body...)
}

func (e *Encoder) refer(b, body []byte) []byte {
	if e.flags&canonical != 0 { // the bytes around it will be moved
		return append(b, body...)
	}
	e.references = append(e.references, reference{len(b), body})
	return b
}

// writeReferences writes the references, and the bytes of e.b before each of them. It returns the
// offset of the bytes after the last reference. If err is not nil, it only drops the references.
func (e *Encoder) writeReferences(err error) (from int) {
	if out, ok := e.w.(*Buffer); ok && err == nil {
		for _, r := range e.references {
			_, _ = out.Write(e.b[from:r.at]) // a Buffer returns no errors
			out.Reference(r.b)
			from = r.at
		}
	}
	e.forgetReferences(0)
	return from
}

// forgetReferences drops all references except the first n.
func (e *Encoder) forgetReferences(n int) {
	clear(e.references[n:])
	if e.references = e.references[:n]; n == 0 && cap(e.references) > piecesMax {
		e.references = nil
	}
}
