package json

import (
	"io"

	"github.com/slipstream-go/slipstream/json"
)

// ours is our codec behind the calls that all libraries share.
func ours() library {
	return library{
		marshal:   json.Marshal,
		unmarshal: json.Unmarshal,
		encoder:   func(w io.Writer) encoder { return json.NewEncoder(w) },
		decoder:   func(r io.Reader) decoder { return json.NewDecoder(r) },
		valid:     json.Valid,
		compact:   json.Compact,
		indent:    json.Indent,
	}
}

// oursAppend writes v into a buffer that is kept, without escaping HTML and without sorting.
func oursAppend(v any) func() ([]byte, error) {
	var b []byte
	return func() (_ []byte, err error) {
		b, err = json.Append(b[:0], v, 0)
		return b, err
	}
}
