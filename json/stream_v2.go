package json

// Where a Decoder hands its stream over to encoding/json's: see v2.go.

import (
	"bytes"
	"encoding/json"
	"io"
)

// original is encoding/json's Decoder, in the middle of a stream.
type original struct {
	*json.Decoder
	from int64 // where in the stream it began
	rest *rest

	// The last error, as it came and as it was returned: encoding/json returns errors of syntax
	// again and again.
	found, returned error
}

// newOriginal is encoding/json's Decoder with these flags.
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

// handsOver reports whether what may differ in the original is left to it.
func (d *Decoder) handsOver() bool {
	return onV2 && (d.original != nil || d.flags&^originalParse == 0)
}

// handOver gives the stream to the original, from the current value on.
func (d *Decoder) handOver() *original {
	if d.original == nil {
		rest := &rest{d.buf[d.next:], d.readErr, d.r}
		d.original = &original{Decoder: newOriginal(rest, d.flags), from: d.slid + int64(d.next), rest: rest}
		if d.blanks > 0 {
			d.original.More() // as it was asked before
		}
	}
	return d.original
}

// rest is what a Decoder has not used of its stream: what it has read, and the error that then
// came, if one did.
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

// decode is Decode. With flags that the original does not have, it only finds the value.
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

// token is Token.
func (o *original) token() (Token, error) {
	t, err := o.Token()
	return t, o.moved(err)
}

// moved is an error that counts from the beginning of the stream.
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

// moreV2 is More. The original counts the white space that More passes over, but keeps it in what
// is buffered; and it says that there is more where it will find an error.
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
