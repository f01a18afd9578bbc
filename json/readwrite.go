package json

import (
	"io"

	"github.com/slipstream-go/slipstream/internal/wire"
)

// UnmarshalRead reads r to its end, and decodes the value into the target of the pointer v, as
// Unmarshal does, with the flags of [Parse]. It does not limit the size of the input: use
// http.MaxBytesReader for that.
func UnmarshalRead(r io.Reader, v any, flags ParseFlags) error {
	data, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	return unmarshal(data, v, flags)
}

// MarshalWrite writes the output of [Append] with the same flags to w. It calls Write once and adds
// no newline. If w writes only a part of its input, without an error, MarshalWrite returns
// io.ErrShortWrite.
func MarshalWrite(w io.Writer, v any, flags AppendFlags) error {
	b, err := Append(nil, v, flags)
	if err == nil {
		err = wire.WriteAll(w, b)
	}
	return err
}
