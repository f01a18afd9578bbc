package json

import (
	"bytes"
	"io"

	"github.com/slipstream-go/slipstream/json"
	"github.com/slipstream-go/slipstream/transcode"
)

// ours returns Slipstream's package, with the calls that all libraries share.
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

// oursAppend returns a function that encodes v into a kept buffer, without escaping HTML and
// without sorting.
func oursAppend(v any) func() ([]byte, error) {
	var b []byte
	return func() (_ []byte, err error) {
		b, err = json.Append(b[:0], v, 0)
		return b, err
	}
}

func oursUnmarshalOf[T any](data []byte) (T, error) { return json.UnmarshalOf[T](data) }

func oursMarshalOf[T any](v T) ([]byte, error) { return json.MarshalOf(v) }

func oursZeroCopy() library {
	return library{how: zeroCopy, mark: markViews, unmarshal: func(data []byte, v any) error {
		_, err := json.Parse(data, v, json.ZeroCopy)
		return err
	}}
}

func oursWalk(data []byte, read bool) (n tally, _ error) {
	t := json.NewTokenizer(data)
	for t.Next() {
		switch t.Kind().Class() {
		case json.Object:
			n.objects++
		case json.Array:
			n.arrays++
		case json.String:
			n.texts++
			if read {
				n.length += len(t.String())
			}
		case json.Num:
			n.numbers++
			if read {
				n.sum += t.Float()
			}
		case json.Null, json.Bool:
			n.words++
		}
	}
	return n, t.Err
}

func oursToJSON(packed []byte) func() ([]byte, error) {
	var b []byte
	return func() (_ []byte, err error) {
		b, err = transcode.AppendJSON(b[:0], packed, 0)
		return b, err
	}
}

func oursFromJSON(text []byte) func() ([]byte, error) {
	var b []byte
	return func() (_ []byte, err error) {
		b, err = transcode.AppendMessagePack(b[:0], text, 0)
		return b, err
	}
}

func oursGet(data []byte, path []any) func() (string, error) {
	return func() (string, error) {
		v, err := json.Get(data, path...)
		return string(v.Unquote()), err
	}
}

// oursLines passes the values of all lines to each. If each is nil, it only decodes them.
func oursLines(text []byte, each func(*sample) error) error {
	for v, err := range json.Lines[sample](bytes.NewReader(text), 0) {
		if err == nil && each != nil {
			checked := v // so that v itself does not escape
			err = each(&checked)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
