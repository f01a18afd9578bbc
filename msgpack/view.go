package msgpack

// DecodeView returns the bytes of a str or bin as a view of the input. For nil, it returns a nil
// slice. The view is valid until the next call of a method of d. If the decoder reads from a
// []byte, the view is valid until the bytes of that slice change.
func (d *Decoder) DecodeView() ([]byte, error) {
	if start, next := readStr(d.b, d.i); next >= 0 && d.flags&careful == 0 {
		d.i = next
		return d.b[start:next:next], nil
	}
	return decodeOne(d, func(d *Decoder, i int) ([]byte, int) {
		if d.isNil(i) {
			return nil, i + 1
		}
		return d.readView(i)
	})
}

// readView reads a str or bin as a view of the window, and checks it against the options for
// strings.
func (d *Decoder) readView(i int) ([]byte, int) {
	start, next := d.readBytes(i)
	if next < 0 || d.flags&careful != 0 && !d.allows(i, start, next) {
		return nil, -1
	}
	return d.b[start:next:next], next
}
