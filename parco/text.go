package parco

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/slipstream-go/slipstream/schema"
)

// SmallVarchar returns a type for strings of up to 255 bytes. The following functions return types
// for longer strings: Varchar and VarcharOrder for up to 65,535 bytes, Text for up to 4 GB, and
// LongText for any length. The encoded length takes 1, 2, 4 or 8 bytes. Strings need not be UTF-8.
func SmallVarchar() Type[string]                       { return String(UInt8Header()) }
func Varchar() Type[string]                            { return String(UInt16HeaderLE()) }
func VarcharOrder(order binary.ByteOrder) Type[string] { return String(UInt16Header(order)) }
func Text(order binary.ByteOrder) Type[string]         { return String(UInt32Header(order)) }
func LongText(order binary.ByteOrder) Type[string]     { return String(UInt64Header(order)) }

// NewVarcharType is the same as [String].
func NewVarcharType(header IntType) Type[string] { return String(header) }

// String returns a type for strings. The encoding is a header with the length, followed by the
// bytes.
func String(header IntType) Type[string] {
	return newTyped(header.ByteLength, func(*draft) schema.Type[string] {
		if h, ok := headerOf(header); ok {
			return schema.Str(h)
		}
		text := bytesAfter[string]{header}
		return foreign("string", header.ByteLength(), text, text)
	})
}

// Blob returns a type for []byte. The encoding is a header with the length, followed by the bytes.
func Blob(header IntType) Type[[]byte] {
	t := newTyped(header.ByteLength, func(*draft) schema.Type[[]byte] {
		if h, ok := headerOf(header); ok {
			return schema.Blob(h)
		}
		blob := bytesAfter[[]byte]{header}
		return foreign("[]byte", header.ByteLength(), blob, blob)
	})
	t.filled = func(b *[]byte) {
		if *b == nil {
			*b = []byte{}
		}
	}
	return t
}

// MaxReasonableVarSize is the maximum number of bytes of a string or a blob whose header has a type
// from another package. Other strings and blobs are limited only by the size of the input.
const MaxReasonableVarSize = 100 << 20

// bytesAfter reads and writes bytes after a header from another package.
type bytesAfter[S string | []byte] struct{ header IntType }

func (t bytesAfter[S]) Compile(s S, w io.Writer) error {
	if err := t.header.Compile(len(s), w); err != nil {
		return causeOf(err)
	}
	return writeAll(w, []byte(s))
}

func (t bytesAfter[S]) Parse(r io.Reader) (s S, err error) {
	n, err := count(t.header, r, MaxReasonableVarSize)
	if err != nil {
		return s, err
	}
	b, err := io.ReadAll(io.LimitReader(r, int64(n)))
	if err == nil && len(b) < n {
		err = io.ErrUnexpectedEOF
	}
	return S(b), err
}

// count reads a number with the header h. A negative number, or a number larger than the argument
// `most`, is an error.
func count(h IntType, r io.Reader, most int) (int, error) {
	n, err := h.Parse(r)
	switch {
	case err != nil:
		return 0, causeOf(err)
	case n < 0 || n > most:
		return 0, &meaning{fmt.Errorf("parco: a length of %d is not between 0 and %d", n, most), schema.ErrOverflow}
	}
	return n, nil
}
