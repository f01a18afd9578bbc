package json

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/bytedance/sonic"
	v2 "github.com/go-json-experiment/json"
	v1on2 "github.com/go-json-experiment/json/v1"
	goccy "github.com/goccy/go-json"
	jsoniter "github.com/json-iterator/go"
	segmentio "github.com/segmentio/encoding/json"
)

// library contains the calls that a JSON library shares with encoding/json. Calls that the library
// does not have are nil.
type library struct {
	name string
	how  string
	mark string
	lax  bool // the output may be other bytes for the same value

	marshal   func(v any) ([]byte, error)
	unmarshal func(data []byte, v any) error
	encoder   func(w io.Writer) encoder
	decoder   func(r io.Reader) decoder
	valid     func(data []byte) bool
	compact   func(dst *bytes.Buffer, src []byte) error
	indent    func(dst *bytes.Buffer, src []byte, prefix, indent string) error
}

type encoder interface {
	Encode(v any) error
	SetEscapeHTML(on bool)
}

type decoder interface{ Decode(v any) error }

func std() library {
	return library{
		name:    stdName,
		marshal: json.Marshal, unmarshal: json.Unmarshal,
		encoder: func(w io.Writer) encoder { return json.NewEncoder(w) },
		decoder: func(r io.Reader) decoder { return json.NewDecoder(r) },
		valid:   json.Valid, compact: json.Compact, indent: json.Indent,
	}
}

func v1on2Library() library {
	return library{
		name:    v1on2Name,
		marshal: v1on2.Marshal, unmarshal: v1on2.Unmarshal,
		encoder: func(w io.Writer) encoder { return v1on2.NewEncoder(w) },
		decoder: func(r io.Reader) decoder { return v1on2.NewDecoder(r) },
		valid:   v1on2.Valid, compact: v1on2.Compact, indent: v1on2.Indent,
	}
}

func v2Library() library {
	return library{
		name: v2Name,
		mark: "The package v2 has its own rules for JSON. Names are case-sensitive and must be unique. Map keys are not " +
			"sorted, HTML is not escaped, a nil slice becomes [], and omitempty depends on the encoded value. The benchmark " +
			"compares only the decoded value of its output, and ignores empty fields.",
		lax:       true,
		marshal:   func(v any) ([]byte, error) { return v2.Marshal(v) },
		unmarshal: func(data []byte, v any) error { return v2.Unmarshal(data, v) },
	}
}

// segmentioLibrary returns segmentio without compact and indent, because these call encoding/json.
func segmentioLibrary() library {
	return library{
		name:    segmentioName,
		marshal: segmentio.Marshal, unmarshal: segmentio.Unmarshal,
		encoder: func(w io.Writer) encoder { return segmentio.NewEncoder(w) },
		decoder: func(r io.Reader) decoder { return segmentio.NewDecoder(r) },
		valid:   segmentio.Valid,
	}
}

func goccyLibrary() library {
	return library{
		name:    goccyName,
		marshal: goccy.Marshal, unmarshal: func(data []byte, v any) error { return goccy.Unmarshal(data, v) },
		encoder: func(w io.Writer) encoder { return goccy.NewEncoder(w) },
		decoder: func(r io.Reader) decoder { return goccy.NewDecoder(r) },
		valid:   goccy.Valid, compact: goccy.Compact, indent: goccy.Indent,
	}
}

func sonicLibrary() library {
	return library{
		name:    sonicName,
		marshal: sonic.ConfigStd.Marshal, unmarshal: sonic.ConfigStd.Unmarshal,
		encoder: func(w io.Writer) encoder { return sonic.ConfigStd.NewEncoder(w) },
		decoder: func(r io.Reader) decoder { return sonic.ConfigStd.NewDecoder(r) },
	}
}

// sonicDefault returns sonic with its default configuration.
func sonicDefault() library {
	return library{
		name: sonicName, how: "default",
		mark: "This variant uses sonic's ConfigDefault. The decoded strings share one copy of the whole input, and may contain " +
			"invalid UTF-8. Map keys are not sorted, and HTML is not escaped. The benchmark compares only the decoded value of " +
			"its output.",
		lax:     true,
		marshal: sonic.ConfigDefault.Marshal, unmarshal: sonic.ConfigDefault.Unmarshal,
	}
}

// sonicValid returns only the Valid function of sonic.
func sonicValid() library {
	return library{name: sonicName, mark: "sonic also accepts invalid strings: strings that contain control characters or " +
		"unknown escapes.", valid: sonic.ConfigStd.Valid}
}

// jsoniterLibrary returns jsoniter, which does not compact a RawMessage.
func jsoniterLibrary() library {
	c := jsoniter.ConfigCompatibleWithStandardLibrary
	return library{
		name:    jsoniterName,
		lax:     true,
		marshal: c.Marshal, unmarshal: c.Unmarshal,
		encoder: func(w io.Writer) encoder { return c.NewEncoder(w) },
		decoder: func(r io.Reader) decoder { return c.NewDecoder(r) },
	}
}

// exact returns Slipstream and the rivals that promise the behaviour of encoding/json.
func exact() []library {
	return []library{ours(), std(), v1on2Library(), segmentioLibrary(), goccyLibrary(), sonicLibrary()}
}

// everyone returns the exact libraries, jsoniter, and the rivals that promise another behaviour.
func everyone() []library {
	return append(exact(), jsoniterLibrary(), v2Library(), sonicDefault())
}
