package schema

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
)

// What can be wrong with frames.
var (
	// ErrFingerprint: the frame is of a schema that is not expected.
	ErrFingerprint = errors.New("schema: a frame of another schema")
	// ErrFrame: the message in a frame ends before the frame does.
	ErrFrame = errors.New("schema: the frame is longer than its message")
)

// Framed is a schema whose messages say which schema they are of, and how long they are:
//
//	7b c4 df ac f9 6b ec 42   05 00 00 00   03 63 61 74 03        fingerprint, length u32, body
//
// So a file can be read years later, by a newer version of its schema ([Accept]), and one with a
// [Tail] from a stream.
type Framed[T any] struct {
	r *Registry[digest]
	m *modelOf[digest, T]
}

// Framed is s in frames. Its options are those of s.
func (s *Schema[T]) Framed() *Framed[T] {
	print := digest(s.Fingerprint())
	unknown := func(other digest) error { return fmt.Errorf("%w: %v, want %v", ErrFingerprint, other, print) }
	r := newRegistry(unknown,
		F("fingerprint", func(h *head[digest]) *digest { return &h.id }, As[digest](Array[[8]byte](U8))),
		F("length", func(h *head[digest]) *uint32 { return &h.length }, U32))
	Register(r, print, s, nil) // which cannot fail, as r is empty
	m, _ := modelFor[digest, T](r, print)
	return &Framed[T]{r, m}
}

// Accept lets f read frames of old too: up makes an s of them, which is the schema of f, or one
// that f accepts already and that is made one of f in turn. New is zero when up is called, and may
// share memory with old, but with nothing else: the next frame may be read into it.
//
// Schemas that differ in names only have the same frames, so there is nothing to accept.
func Accept[T, A, B any](f *Framed[T], old *Schema[A], s *Schema[B], up func(old *A, new *B) error) error {
	return Upgrade(f.r, digest(old.Fingerprint()), old, digest(s.Fingerprint()), up)
}

// Append appends v as a frame to dst, as [Schema.Append] does.
func (f *Framed[T]) Append(dst []byte, v *T) ([]byte, error) { return f.m.append(dst, v) }

// Write writes v as a frame to w, with one call of its Write. Nothing is written if v cannot be.
func (f *Framed[T]) Write(w io.Writer, v *T) error {
	return writeOnce(w, func(b []byte) ([]byte, error) { return f.Append(b, v) })
}

// Parse reads a frame from b into v, as [Schema.Parse] does, and gives what follows it, after an
// error of an upgrade too. What was an older version replaces all of v.
func (f *Framed[T]) Parse(b []byte, v *T) (rest []byte, err error) {
	m, in, err := f.r.open(b)
	if err != nil {
		return b, err
	}
	return f.read(m, in, v)
}

// read reads a body of the model m.
func (f *Framed[T]) read(m model[digest], in input[digest], v *T) (rest []byte, err error) {
	if m == model[digest](f.m) {
		return f.m.read(in, v)
	}
	_, newest, rest, err := m.parse(in)
	if err == nil {
		*v = *newest.(*T) // all that f accepts leads to its own model
	}
	return rest, err
}

// FrameReader reads frames from an io.Reader, one after the other, as a [Reader] does.
type FrameReader[T any] struct {
	f *Framed[T]
	r *ModelReader[digest]
}

// Reader reads frames of f from src. Of the options, [Exact] and [MaxBytes], which bounds a frame,
// count; others are those of the schemas.
func (f *Framed[T]) Reader(src io.Reader, set ...Option) *FrameReader[T] {
	own := func(o *options) { *o = f.m.s.options }
	return &FrameReader[T]{f, f.r.Reader(src, append([]Option{own}, set...)...)}
}

// Next reads a frame into v, as [Framed.Parse] does. At the end of the stream the error is io.EOF.
// After an error of the body or of an upgrade, the next call goes on with the next frame; after any
// other, it is that error again.
func (r *FrameReader[T]) Next(v *T) error {
	m, in, err := r.r.next()
	if err == nil {
		_, err = r.f.read(m, in, v)
	}
	return err
}

// All reads the frames that are left into the same T. It ends after the first error, which is not
// io.EOF.
func (r *FrameReader[T]) All() iter.Seq2[*T, error] { return all(r.Next) }

// frame reads the rest of the frame whose head was read last.
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

// cut is the error that a frame, whose body begins at the offset at, is not all there.
func cut(at int, cause error) error {
	return &Error{Offset: int64(at - H32.size()), Path: "length", Cause: cause}
}

// digest is a fingerprint that prints as hex.
type digest [8]byte

func (d digest) String() string { return hex.EncodeToString(d[:]) }
