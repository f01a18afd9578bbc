package msgpack

import "io"

// Buffered returns a reader of the remaining input: the bytes that d has read ahead, followed by
// the bytes of d's reader. Reading from the result advances d, so the next value starts after the
// bytes that were read. If a function that decodes an ext calls Buffered, the reader ends at the
// end of the ext. The result also implements io.ByteScanner.
func (d *Decoder) Buffered() io.Reader { return &remainder{d: d} }

// A remainder reads the input that a Decoder has not decoded.
type remainder struct {
	d    *Decoder
	last byte  // the byte that UnreadByte puts back
	next int64 // the input offset after the byte `last`, at which UnreadByte is possible; 0 if UnreadByte is not possible
}

// Read returns bytes of the window. If the window is empty, it calls the Decoder's reader once.
func (r *remainder) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	d := r.d
	i := d.begin()
	if i == len(d.b) && d.rest == (scan{}) && d.r != nil && d.buf == nil {
		d.fillMore(i, 1, len(p))
	}
	n := copy(p, d.b[i:])
	d.inside--
	d.i = i + n
	if d.lent && d.inside == 0 {
		d.giveBack(d.i)
	}
	r.next = 0
	if n == 0 {
		return 0, d.endOf()
	}
	r.last, r.next = p[n-1], d.InputOffset()
	return n, nil
}

// ReadByte reads one byte.
func (r *remainder) ReadByte() (byte, error) {
	var b [1]byte
	_, err := r.Read(b[:])
	return b[0], err
}

// UnreadByte puts back the byte that was read last.
func (r *remainder) UnreadByte() error {
	d := r.d
	if r.next == 0 || r.next != d.InputOffset() {
		return errUnreadByte
	}
	r.next = 0
	switch {
	case d.i > 0:
		d.i--
		return nil
	case d.buf != nil: // the bytes of the window were removed from buf, as from a Buffer
		if err := d.buf.UnreadByte(); err != nil {
			return err
		}
	case d.chunks != nil:
		d.chunks.Prepend([]byte{r.last})
	}
	d.base--
	return nil
}
