package schema

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
)

// These errors concern frames.
var (
	// ErrFingerprint: the frame was written with an unexpected schema.
	ErrFingerprint = errors.New("schema: a frame of another schema")
	// ErrFrame: the message in a frame is shorter than the frame.
	ErrFrame = errors.New("schema: the frame is longer than its message")
)

// Framed is a schema with frames: before each message, it writes a header that contains the
// schema's fingerprint and the message's length:
//
//	7b c4 df ac f9 6b ec 42   05 00 00 00   03 63 61 74 03        fingerprint, length u32, body
//
// With the fingerprint, a newer version of the schema can read the messages (see [Accept]). With
// the length, a stream can also consist of messages that end with a Tail.
type Framed[T any] struct {
	r *Registry[digest]
	m *modelOf[digest, T]
}

// Framed returns a framed schema with the messages and the options of s.
func (s *Schema[T]) Framed() *Framed[T] {
	print := digest(s.Fingerprint())
	unknown := func(other digest) error { return fmt.Errorf("%w: %v, want %v", ErrFingerprint, other, print) }
	r := newRegistry(unknown,
		F("fingerprint", func(h *head[digest]) *digest { return &h.id }, As[digest](Array[[8]byte](U8))),
		F("length", func(h *head[digest]) *uint32 { return &h.length }, U32))
	_ = Register(r, print, s, nil) // cannot fail, because r is empty
	m, _ := modelFor[digest, T](r, print)
	return &Framed[T]{r, m}
}

// Accept makes f also read frames of an older schema, which is the argument `old`. The schema s is
// the schema of f, or another schema that f already accepts. The function `up` converts a value of
// the older schema to a value of the schema s. It receives a pointer to the older value, and a
// pointer to a zero value, which it must set. The new value may share memory with the older value.
// It must not share memory with any other value, because the next frame may overwrite this memory.
//
// Schemas that differ only in names have the same frames, so Accept is not needed for them.
func Accept[T, A, B any](f *Framed[T], old *Schema[A], s *Schema[B], up func(old *A, new *B) error) error {
	return Upgrade(f.r, digest(old.Fingerprint()), old, digest(s.Fingerprint()), up)
}

// Append appends v to dst as a frame, as [Schema.Append] does.
func (f *Framed[T]) Append(dst []byte, v *T) ([]byte, error) { return f.m.append(dst, v) }

// Write writes v to w as a frame, with a single call of Write. If v cannot be encoded, nothing is
// written.
func (f *Framed[T]) Write(w io.Writer, v *T) error {
	return writeOnce(w, func(b []byte) ([]byte, error) { return f.Append(b, v) })
}

// Parse reads a frame from b into v, as [Schema.Parse] does, and returns the rest of b. It also
// returns the rest of b if an upgrade fails. An upgraded value replaces *v completely.
func (f *Framed[T]) Parse(b []byte, v *T) (rest []byte, err error) {
	m, in, err := f.r.open(b)
	if err != nil {
		return b, err
	}
	return f.read(m, in, v)
}

// read reads the body of a frame into v. The argument `m` is the model of the body.
func (f *Framed[T]) read(m model[digest], in input[digest], v *T) (rest []byte, err error) {
	if m == model[digest](f.m) {
		return f.m.read(in, v)
	}
	_, newest, rest, err := m.parse(in)
	if err == nil {
		*v = *newest.(*T) // f converts everything that it accepts to its own model
	}
	return rest, err
}

// FrameReader reads a sequence of frames from an io.Reader, as a [Reader] does for messages.
type FrameReader[T any] struct {
	f *Framed[T]
	r *ModelReader[digest]
}

// Reader returns a reader of frames from src. It uses only the options Exact and MaxBytes of the
// argument `set`. MaxBytes limits the size of a frame. All other options come from the schemas.
func (f *Framed[T]) Reader(src io.Reader, set ...Option) *FrameReader[T] {
	own := func(o *options) { *o = f.m.s.options }
	return &FrameReader[T]{f, f.r.Reader(src, append([]Option{own}, set...)...)}
}

// Next reads a frame into v, as [Framed.Parse] does. At the end of the stream, it returns io.EOF.
// After an error in the body of a frame, or in an upgrade, the next call reads the next frame.
// After any other error, Next returns the same error again.
func (r *FrameReader[T]) Next(v *T) error {
	m, in, err := r.r.next()
	if err == nil {
		_, err = r.f.read(m, in, v)
	}
	return err
}

// All returns an iterator over the values of the remaining frames. All frames are read into the
// same value of type T. The iterator ends at io.EOF. After any other error, it yields this error
// and ends.
func (r *FrameReader[T]) All() iter.Seq2[*T, error] { return all(r.Next) }

// frame reads the rest of the frame after its head. Immediately before the call, the head must have
// been read.
func (m *ModelReader[K]) frame() (input[K], error) {
	r, n := m.heads, int(min(uint64(m.head.length), math.MaxInt))
	in := input[K]{at: r.taken()}
	if len(r.d.b)-r.at < n && r.d.more(r.at, n) == nil {
		r.err = cut(in.at, r.d.ends())
		return in, r.err
	}
	r.at += n
	in.b, in.end = r.d.b[r.feed.from:r.at], in.at+n
	return in, nil
}

// cut returns the error for an incomplete frame. The argument `at` is the offset of the frame's
// body.
func cut(at int, cause error) error {
	return &Error{Offset: int64(at - H32.size()), Path: "length", Cause: cause}
}

// digest is a fingerprint that is printed as hexadecimal digits.
type digest [8]byte

func (d digest) String() string { return hex.EncodeToString(d[:]) }
