package wire

import "io"

// WriteAll writes b to w. If the writer returns no error, but writes more or fewer than len(b)
// bytes, WriteAll returns io.ErrShortWrite.
func WriteAll(w io.Writer, b []byte) error {
	n, err := w.Write(b)
	if n != len(b) && err == nil {
		err = io.ErrShortWrite
	}
	return err
}
