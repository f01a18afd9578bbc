package json

// In some cases, a Decoder hands its stream over to the Decoder of encoding/json, which is called
// the original (see v2.go).

import (
	"bytes"
	"encoding/json"
	"io"
)

// original is encoding/json's Decoder, which continues in the middle of a stream.
type original struct {
	*json.Decoder
	from int64 // the offset in the stream at which encoding/json's Decoder began to read
	rest *rest

	// The last syntax error, as returned by encoding/json and by the method moved. Repeated calls
	// of encoding/json return the same syntax error.
	found, returned error
}

// newOriginal returns encoding/json's Decoder with these flags.
func newOriginal(r io.Reader, flags ParseFlags) *json.Decoder {
	d := json.NewDecoder(r)
	if flags&UseNumber != 0 {
		d.UseNumber()
	}
	if flags&DisallowUnknownFields != 0 {
		d.DisallowUnknownFields()
	}
	return d
}

// handsOver reports whether the stream is handed over to encoding/json's Decoder where that Decoder
// may behave differently from this package.
func (d *Decoder) handsOver() bool {
	return onV2 && (d.original != nil || d.flags&^originalParse == 0)
}

// handOver hands the rest of the stream, from the current value on, over to encoding/json's
// Decoder.
func (d *Decoder) handOver() *original {
	if d.original == nil {
		rest := &rest{d.buf[d.next:], d.readErr, d.r}
		d.original = &original{Decoder: newOriginal(rest, d.flags), from: d.slid + int64(d.next), rest: rest}
		if d.blanks > 0 {
			d.original.More() // More was called before the stream was handed over
		}
	}
	return d.original
}

// rest is the unused part of a Decoder's stream. It consists of the bytes that the Decoder has read
// but not used, an error that the reader returned after these bytes, and the reader itself.
type rest struct {
	read []byte
	err  error
	r    io.Reader
}

func (r *rest) Read(b []byte) (n int, err error) {
	switch {
	case len(r.read) > 0:
		n = copy(b, r.read)
		r.read = r.read[n:]
		return n, nil
	case r.err != nil:
		err, r.err = r.err, nil
		return 0, err
	}
	return r.r.Read(b)
}

// decode implements Decode. If a flag is set that the original does not support, the original only
// finds the value, and the function unmarshal decodes it.
func (o *original) decode(v any, flags ParseFlags) error {
	if flags&^originalParse == 0 {
		disown(v, flags)
		return o.moved(o.Decode(v))
	}
	var raw RawMessage
	if err := o.Decode(&raw); err != nil {
		return o.moved(err)
	}
	return twiceAt(o.from+o.InputOffset()-int64(len(raw)), unmarshal(raw, v, flags))
}

// token implements Token.
func (o *original) token() (Token, error) {
	t, err := o.Token()
	return t, o.moved(err)
}

// moved returns err with an offset that is relative to the beginning of the stream.
func (o *original) moved(err error) error {
	e, ok := err.(*SyntaxError)
	if !ok {
		return err
	}
	if err != o.found {
		moved := *e
		moved.Offset += o.from
		o.found, o.returned = err, &moved
	}
	return o.returned
}

func (o *original) buffered() io.Reader {
	return io.MultiReader(o.Buffered(), bytes.NewReader(o.rest.read))
}

// moreV2 implements More with the behaviour of v2. After More, the input offset of the original
// includes the white space that More has skipped, but the white space is still in the buffer. The
// original's More also returns true if the next call will return an error.
func (d *Decoder) moreV2() bool {
	if d.original != nil {
		return d.original.More()
	}
	from := d.InputOffset()
	c, err := d.peek()
	d.blanks = int(d.InputOffset() - from)
	d.next -= d.blanks
	if err != nil || !beginsValue(c) {
		return d.handOver().More()
	}
	return true
}

// beginsValue reports whether c may be the first character of a value.
func beginsValue(c byte) bool {
	switch c {
	case '{', '[', '"', '-', 't', 'f', 'n':
		return true
	}
	return '0' <= c && c <= '9'
}
