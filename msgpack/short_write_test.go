package msgpack

import (
	"bytes"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
)

// shortWriter accepts a limited number of bytes from each Write. The field most is the limit. Write
// returns the number of accepted bytes with a nil error, which violates the contract of io.Writer.
type shortWriter struct {
	most int
	got  bytes.Buffer
}

func (w *shortWriter) Write(b []byte) (int, error) {
	return w.got.Write(b[:min(w.most, len(b))])
}

// If a writer accepts fewer bytes than it is given, but returns no error, the caller gets an error.
func TestShortWrite(t *testing.T) {
	long := strings.Repeat("x", 100)
	for name, write := range map[string]func(e *Encoder) error{
		"Encode":           func(e *Encoder) error { return e.Encode(long) },
		"Encode a struct":  func(e *Encoder) error { return e.Encode(struct{ S string }{long}) },
		"Encode a map":     func(e *Encoder) error { return e.Encode(map[string]any{long: 1}) },
		"EncodeMulti":      func(e *Encoder) error { return e.EncodeMulti(long, long) },
		"EncodeString":     func(e *Encoder) error { return e.EncodeString(long) },
		"EncodeBytes":      func(e *Encoder) error { return e.EncodeBytes([]byte(long)) },
		"EncodeInt":        func(e *Encoder) error { return e.EncodeInt(1 << 40) },
		"EncodeMapLen":     func(e *Encoder) error { return e.EncodeMapLen(1 << 20) },
		"EncodeExtHeader":  func(e *Encoder) error { return e.EncodeExtHeader(1, 1<<20) },
		"interned strings": func(e *Encoder) error { e.UseInternedStrings(true); return e.EncodeString(long) },
	} {
		t.Run(name, func(t *testing.T) {
			w := &shortWriter{most: 2}
			if err := write(NewEncoder(w)); err != io.ErrShortWrite {
				t.Errorf("the error is %v", err)
			}
			if err := write(NewEncoder(&shortWriter{most: 1000})); err != nil {
				t.Errorf("a whole write fails: %v", err)
			}
		})
	}
}

// If such a writer accepts only a part of a Buffer with several chunks, WriteTo stops. The other
// bytes remain in the Buffer.
func TestBufferShortWrite(t *testing.T) {
	var b Buffer
	b.Write([]byte("abc"))
	b.Reference([]byte("defg"))
	b.Write([]byte("hi"))
	w := &shortWriter{most: 2}
	for _, want := range []struct {
		n    int64
		err  error
		rest int
	}{{2, io.ErrShortWrite, 7}, {3, io.ErrShortWrite, 4}, {4, nil, 0}} {
		n, err := b.WriteTo(w)
		if n != want.n || err != want.err || b.Len() != want.rest {
			t.Fatalf("WriteTo = %d, %v, and %d bytes are left; want %v", n, err, b.Len(), want)
		}
	}
	if got := w.got.String(); got != "abcdefghi" {
		t.Errorf("the writer got %q", got)
	}
}

// countWriter returns count from each Write.
type countWriter struct{ count int }

func (w countWriter) Write(b []byte) (int, error) { return w.count, nil }

// A writer that returns an impossible count causes an error.
func TestWriteCount(t *testing.T) {
	for _, count := range []int{-1, 4, 1 << 30} {
		var b Buffer
		b.Write([]byte("abc"))
		if n, err := b.WriteTo(countWriter{count}); n != 0 || err == nil || b.Len() != 3 {
			t.Errorf("count %d: WriteTo = %d, %v, and %d bytes are left", count, n, err, b.Len())
		}
		if err := NewEncoder(countWriter{count}).Encode("ab"); err == nil {
			t.Errorf("count %d: Encode returns no error", count)
		}
	}
}

// countReader returns count from each Read.
type countReader struct{ count int }

func (r countReader) Read(b []byte) (int, error) { return r.count, nil }

// A reader that returns an impossible count causes an error.
func TestReadCount(t *testing.T) {
	for _, count := range []int{-1, 5000, 1 << 30} {
		var v any
		err := NewDecoder(countReader{count}).Decode(&v)
		if !errors.Is(err, errReadCount) {
			t.Errorf("count %d: Decode = %v", count, err)
		}
	}
}

// WriteTo writes a Buffer of several chunks to a network connection.
func TestBufferWritev(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip(err)
	}
	defer l.Close()
	got := make(chan string)
	go func() {
		c, err := l.Accept()
		if err != nil {
			got <- err.Error()
			return
		}
		text, _ := io.ReadAll(c)
		got <- string(text)
	}()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	var b Buffer
	b.Write([]byte("abc"))
	b.Reference([]byte("defg"))
	if n, err := b.WriteTo(c); n != 7 || err != nil || b.Len() != 0 {
		t.Errorf("WriteTo = %d, %v", n, err)
	}
	c.Close()
	if text := <-got; text != "abcdefg" {
		t.Errorf("the other end got %q", text)
	}
}
