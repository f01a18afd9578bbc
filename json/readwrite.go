package json

import (
	"io"

	"github.com/slipstream-go/slipstream/internal/wire"
)

// UnmarshalRead reads r to its end, without a limit (http.MaxBytesReader has one), and decodes the
// one value that is there into what v points to, as Unmarshal does, with the flags of Parse.
func UnmarshalRead(r io.Reader, v any, flags ParseFlags) error {
	data, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	return unmarshal(data, v, flags)
}

// MarshalWrite writes v to w in one piece, as Append does with the same flags. There is no newline
// after it. A Write that takes less than it is given, without an error, is [io.ErrShortWrite].
func MarshalWrite(w io.Writer, v any, flags AppendFlags) error {
	b, err := Append(nil, v, flags)
	if err == nil {
		err = wire.WriteAll(w, b)
	}
	return err
}
