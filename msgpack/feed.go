package msgpack

// Feed decodes values from bytes that the caller adds in chunks of any size.
//
//	b    [taken | the next value, as far as it is here | more]
//	      0      from                                      len(b)
//
// The search for the end of a value (scan.go) stops at the end of the bytes, and continues there
// when more bytes have been added.

import (
	"errors"
	"fmt"
	"iter"

	"github.com/slipstream-go/slipstream/internal/buffer"
)

// ErrMore is returned by the methods of a [Feed] while the next value is incomplete. Call the
// method again after adding more bytes.
var ErrMore = errors.New("msgpack: the next value is incomplete: feed more")

// Feed decodes values from bytes that are added in chunks of any size. It returns [ErrMore] where a
// Decoder would wait for its reader. The zero Feed is ready to use. A Feed is not safe for
// concurrent use.
//
//	f.Feed(piece)
//	for {
//		err := f.Next(&v)
//		if err == msgpack.ErrMore {
//			break
//		}
//		…
//	}
//
// If the input ends inside a value, f.Len() is the number of bytes of this incomplete value.
// Otherwise, f.Len() is 0 after the loop.
type Feed struct {
	// MaxBytes is the maximum length of a value. For a longer value, Next returns an error as soon
	// as the length is known, before it buffers the value. Zero means 64 MiB.
	MaxBytes int

	b     []byte
	peak  buffer.Peak // sizes of b
	from  int         // offset of the next value
	value scan        // search for the end of the next value; value.at is relative to from
	open  bool        // whether the search has begun
	base  int64       // offset of b[0] in the whole input
	err   error       // the error that ended the Feed
	d     *Decoder
}

const defaultFeedMax = 64 << 20

// feedKept is the maximum capacity that an empty Feed keeps.
const feedKept = 64 << 10

// Feed adds a copy of data. After invalid data, it does nothing until Reset is called.
func (f *Feed) Feed(data []byte) {
	if f.err != nil {
		return
	}
	if f.from > 0 && f.from >= len(f.b)-f.from {
		f.slide(len(data))
	}
	f.b = append(f.b, data...)
}

// slide removes the bytes that have been read. Feed calls slide before it adds bytes, but only if
// at least half of the buffered bytes have been read. The argument `more` is the number of bytes
// that Feed will add. Memory of more than feedKept bytes is replaced if no unread bytes remain, or
// if recent values have not needed it.
func (f *Feed) slide(more int) {
	waits := f.b[f.from:]
	f.base += int64(f.from)
	f.from = 0
	if cap(f.b) > feedKept && (len(waits) == 0 || f.peak.TooLarge(len(f.b), cap(f.b), feedKept)) {
		f.b = append(make([]byte, 0, len(waits)+more), waits...)
		return
	}
	f.b = f.b[:copy(f.b, waits)]
}

// Len returns the number of buffered bytes. If there is no complete value, these bytes are the
// beginning of a value.
func (f *Feed) Len() int { return len(f.b) - f.from }

// Reset removes buffered bytes and errors, but keeps the options of the decoder.
func (f *Feed) Reset() {
	b := f.b[:0]
	if cap(b) > feedKept {
		b = nil
	}
	*f = Feed{MaxBytes: f.MaxBytes, b: b, d: f.d}
	if f.d != nil {
		f.d.setInput(nil, nil)
	}
}

// Decoder returns the decoder that Next uses. Use it only to set options, not to decode.
func (f *Feed) Decoder() *Decoder {
	if f.d == nil {
		f.d = newDecoder()
	}
	return f.d
}

// Next decodes the next value into the target of the pointer v. While the value is incomplete, it
// returns [ErrMore]. If a value does not fit v, Next skips it and returns an error. After invalid
// bytes, or after a value longer than MaxBytes, Next returns the same error until Reset is called.
// The type of v must not have a CustomDecoder that reads more than one value.
func (f *Feed) Next(v any) error {
	end, err := f.next()
	if err != nil {
		return err
	}
	return f.read(end, func(d *Decoder) error { return d.Decode(v) })
}

// read calls the function `call` with a decoder for the next value, and then skips the value. The
// argument `end` is the offset after the value.
func (f *Feed) read(end int, call func(*Decoder) error) error {
	d := f.Decoder()
	d.b, d.i, d.base, d.transient = f.b[f.from:end:end], 0, f.base+int64(f.from), true
	err := call(d)
	d.b, d.i = nil, 0
	f.take(end)
	return err
}

// NextRaw returns a copy of the bytes of the next value. While the value is incomplete, it returns
// [ErrMore].
func (f *Feed) NextRaw() (RawMessage, error) {
	end, err := f.next()
	if err != nil {
		return nil, err
	}
	if f.d != nil && f.d.flags&judging != 0 {
		var raw RawMessage
		err := f.read(end, func(d *Decoder) (err error) {
			raw, err = d.DecodeRaw()
			return err
		})
		return raw, err
	}
	raw := append(make(RawMessage, 0, end-f.from), f.b[f.from:end]...)
	f.take(end)
	return raw, nil
}

// All returns an iterator over copies of the complete values, like the results of NextRaw. After an
// error other than ErrMore, the iterator yields nil and the error, and ends.
func (f *Feed) All() iter.Seq2[RawMessage, error] {
	return func(yield func(RawMessage, error) bool) {
		for {
			raw, err := f.NextRaw()
			if err == ErrMore || !yield(raw, err) || err != nil {
				return
			}
		}
	}
}

// take skips the next value. The argument `end` is the offset after the value.
func (f *Feed) take(end int) {
	f.from, f.open = end, false
}

// next returns the offset after the next value, or ErrMore if the value is incomplete.
func (f *Feed) next() (end int, err error) {
	if f.err != nil {
		return 0, f.err
	}
	if !f.open {
		f.value, f.open = scan{0, 1}, true
	}
	most := uint64(defaultFeedMax)
	if f.MaxBytes > 0 {
		most = uint64(f.MaxBytes)
	}
	here := f.b[f.from:]
	switch f.value.over(here, most) {
	case foundNever:
		at := f.base + int64(f.from) + int64(f.value.at)
		return 0, f.stop(&Error{Offset: at, Cause: unknownCode(here[f.value.at])})
	case foundLong:
		return 0, f.stop(&Error{Offset: f.base + int64(f.from), Cause: fmt.Errorf("msgpack: the value is longer than %d bytes", most)})
	}
	if !f.value.whole(len(here)) {
		return 0, ErrMore
	}
	return f.from + int(f.value.at), nil
}

// stop records an error, which all later calls return until Reset is called.
func (f *Feed) stop(err error) error {
	f.b, f.from, f.err = nil, 0, err
	return err
}
