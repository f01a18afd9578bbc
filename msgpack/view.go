package msgpack

// DecodeView reads a str or bin without copying it: the result is a view of the input. It is valid
// until the next call; when the decoder reads from a []byte, for as long as that does not change.
// nil is nil.
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

// readView reads a str or bin as a view of the window, under the options for strings.
func (d *Decoder) readView(i int) ([]byte, int) {
	start, next := d.readBytes(i)
	if next < 0 || d.flags&careful != 0 && !d.allows(i, start, next) {
		return nil, -1
	}
	return d.b[start:next:next], next
}
