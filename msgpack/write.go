package msgpack

import (
	"errors"
	"io"
	"net"
)

var (
	errReadCount  = errors.New("msgpack: the reader returned an impossible count from Read")
	errWriteCount = errors.New("msgpack: the writer returned an impossible count from Write")
)

// write writes b to w, and returns the number of bytes that w accepted. If this number is less than
// len(b), write returns an error, even if w has returned none.
func write(w io.Writer, b []byte) (int, error) {
	n, err := w.Write(b)
	switch {
	case n == len(b):
		return n, err
	case uint(n) > uint(len(b)):
		return 0, errWriteCount
	case err == nil:
		err = io.ErrShortWrite
	}
	return n, err
}

// writeChunks writes the chunks in list to w. It stops at the first chunk that w does not accept
// completely. If w is a network connection, it calls writev once, and changes `list`.
func writeChunks(w io.Writer, list *net.Buffers) (n int64, err error) {
	switch w.(type) {
	case *net.TCPConn, *net.UnixConn, *net.UDPConn, *net.IPConn:
		return list.WriteTo(w)
	}
	// For other writers, net.Buffers would continue with the next chunk after a short write.
	for _, b := range *list {
		k, err := write(w, b)
		if n += int64(k); err != nil {
			return n, err
		}
	}
	return n, nil
}
