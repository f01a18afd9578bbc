package json

import (
	"io"

	"github.com/slipstream-go/slipstream/internal/wire"
)

// An Encoder writes JSON values to a stream. It writes each value and a newline with a single call
// of Write.
type Encoder struct {
	w              io.Writer
	err            error // the error of w, after which nothing is written
	flags          AppendFlags
	bare           bool // no newline after values
	prefix, indent string
	lines          []byte // buffer for indented output
}

// NewEncoder returns an Encoder that writes to w. It escapes HTML, and sorts the keys of maps.
func NewEncoder(w io.Writer) *Encoder {
	return &Encoder{w: w, flags: EscapeHTML | SortMapKeys}
}

// keptRoom is the maximum size of a buffer that an Encoder keeps for its next value.
const keptRoom = 64 << 10

// Encode writes the JSON encoding of v, in the same form as [Marshal], and a newline. If v cannot
// be encoded, Encode writes no bytes. After the writer has returned an error, all later calls
// return that error. If the writer accepts only a part of the bytes, but returns no error, Encode
// returns io.ErrShortWrite.
func (enc *Encoder) Encode(v any) error {
	if enc.err != nil {
		return enc.err
	}
	e := newEncoder(enc.flags)
	n, err := e.append(e.own[:0], v)
	if err != nil && e.asksOriginal(err) {
		if e.b, err = appendOriginal(nil, v, enc.flags); err == nil {
			n = e.wrote(e.b)
		}
	}
	if err != nil {
		return err
	}
	if !enc.bare {
		e.b[n] = '\n'
		n++
	}
	err = enc.write(e.b[:n:n])
	if len(e.b) <= keptRoom {
		e.own = e.b
	}
	e.release()
	return err
}

// write writes b. If SetIndent has set an indentation, it indents b.
func (enc *Encoder) write(b []byte) (err error) {
	if enc.prefix != "" || enc.indent != "" {
		if enc.lines, err = indented(enc.lines[:0], b, enc.prefix, enc.indent); err != nil {
			return err
		}
		b = enc.lines
	}
	enc.err = wire.WriteAll(enc.w, b)
	if cap(enc.lines) > keptRoom {
		enc.lines = nil
	}
	return enc.err
}

// SetIndent makes Encode indent values, as [Indent] does. If both arguments are empty, Encode does
// not indent.
func (enc *Encoder) SetIndent(prefix, indent string) { enc.prefix, enc.indent = prefix, indent }

// SetEscapeHTML sets whether <, > and & in strings are escaped. The default is true.
func (enc *Encoder) SetEscapeHTML(on bool) { enc.set(EscapeHTML, on) }

// SetSortMapKeys sets whether the entries of maps are written in the order of their keys. The
// default is true.
func (enc *Encoder) SetSortMapKeys(on bool) { enc.set(SortMapKeys, on) }

// SetTrustRawMessage sets whether a RawMessage is written without checking that it is valid JSON.
// The default is false.
func (enc *Encoder) SetTrustRawMessage(on bool) { enc.set(TrustRawMessage, on) }

// SetAppendNewline sets whether a newline follows each value. The default is true.
func (enc *Encoder) SetAppendNewline(on bool) { enc.bare = !on }

func (enc *Encoder) set(flag AppendFlags, on bool) {
	enc.flags &^= flag
	if on {
		enc.flags |= flag
	}
}
