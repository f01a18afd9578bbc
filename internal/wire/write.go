package wire

import "io"

// WriteAll writes b to w. A writer that takes another number of bytes without an error gives
// io.ErrShortWrite.
func WriteAll(w io.Writer, b []byte) error {
	n, err := w.Write(b)
	if n != len(b) && err == nil {
		err = io.ErrShortWrite
	}
	return err
}
