package parco

// BufferCursor is a reader of the bytes of a slice.
type BufferCursor struct {
	cursor int
	data   []byte
}

// NewBufferCursor returns a BufferCursor that reads the bytes of a slice. The argument `cursor` is
// the index of the first byte to read.
func NewBufferCursor(data []byte, cursor int) BufferCursor { return BufferCursor{cursor, data} }

// Read fills the slice `box`. If too few bytes remain, it reads no bytes, and returns
// [ErrCannotRead].
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
