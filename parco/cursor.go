package parco

// BufferCursor reads from a slice.
type BufferCursor struct {
	cursor int
	data   []byte
}

// NewBufferCursor returns a cursor that reads data, beginning at the position cursor.
func NewBufferCursor(data []byte, cursor int) BufferCursor { return BufferCursor{cursor, data} }

// Read fills box. If fewer bytes are left, it reads none and returns [ErrCannotRead].
func (b *BufferCursor) Read(box []byte) (int, error) {
	rest := b.rest()
	if len(rest) < len(box) {
		return 0, ErrCannotRead
	}
	b.cursor += copy(box, rest)
	return len(box), nil
}

func (b *BufferCursor) rest() []byte {
	if b.cursor < 0 || b.cursor > len(b.data) {
		return nil
	}
	return b.data[b.cursor:]
}
