package wire

import "io"

// WriteAll writes b to w. It returns io.ErrShortWrite if the writer returns no error but a number
// of bytes other than len(b).
func WriteAll(w io.Writer, b []byte) error {
	n, err := w.Write(b)
	if n != len(b) && err == nil {
		err = io.ErrShortWrite
	}
	return err
}
