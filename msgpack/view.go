package msgpack

// DecodeView reads a str or bin without copying it: the result is a view of the input. It is valid until the next call; when
// the decoder reads from a []byte, for as long as that does not change. nil is nil.
func (d *Decoder) DecodeView() ([]byte, error) {
	if start, next := readStr(d.b, d.i); next >= 0 && d.flags&internStrings == 0 {
		d.i = next
		return d.b[start:next:next], nil
	}
	return decodeOne(d, func(d *Decoder, i int) ([]byte, int) {
		if d.isNil(i) {
			return nil, i + 1
		}
		start, next := d.readBytes(i)
		if next < 0 {
			return nil, -1
		}
		return d.b[start:next:next], next
	})
}
