package json

import (
	"io"

	"github.com/slipstream-go/slipstream/internal/wire"
)

// UnmarshalRead reads all bytes from r, and decodes them into the target of the pointer v, like
// Unmarshal, but with the flags of [Parse]. It does not limit the size of the input; use
// http.MaxBytesReader for that.
func UnmarshalRead(r io.Reader, v any, flags ParseFlags) error {
	data, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	return unmarshal(data, v, flags)
}

// MarshalWrite writes the JSON encoding of v to w, in the form of [Append] with the same flags. It
// calls Write once, and adds no newline. If w accepts only a part of the bytes, but returns no
// error, MarshalWrite returns io.ErrShortWrite.
func MarshalWrite(w io.Writer, v any, flags AppendFlags) error {
	b, err := Append(nil, v, flags)
	if err == nil {
		err = wire.WriteAll(w, b)
	}
	return err
}
