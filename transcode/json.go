package transcode

// This file converts MessagePack to JSON. The function for a value calls itself for nested values.
// It appends text while it reads bytes.

import (
	"encoding/base64"
	"io"
	"math"
	"unicode/utf8"

	"github.com/slipstream-go/slipstream/internal/decimal"
	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/internal/msgpwire"
	"github.com/slipstream-go/slipstream/internal/wire"
	"github.com/slipstream-go/slipstream/json"
)

// AppendJSON converts a MessagePack value to JSON text without white space, and appends the text to
// dst. The tables in the package comment describe the conversion. Bytes after the value are an
// error. On error, AppendJSON returns dst unchanged, and an *[Error].
func AppendJSON(dst, msgpack []byte, flags Flags) ([]byte, error) {
	r := reader{b: msgpack, flags: flags}
	out, err := r.all(dst)
	if err != nil {
		return dst, err
	}
	return out, nil
}

// reader converts one value. Its methods return the output, and the offset after the value that
// they have read. On error, the offset is -1.
type reader struct {
	b     []byte
	flags Flags
	depth int

	// These fields contain the error, if there is one. Each level of nesting adds its step to path
	// on return.
	at    int
	cause error
	path  wire.Path
}

// all appends the single value in r.b.
func (r *reader) all(out []byte) ([]byte, error) {
	if cap(out) == 0 {
		out = mem.Room(len(r.b) + len(r.b)/4 + 64)
	}
	out, next := r.value(out, 0)
	if next >= 0 && next < len(r.b) {
		next = r.fail(next, errTrailing)
	}
	if next < 0 {
		return nil, &Error{Offset: int64(r.at), Path: r.path.String(), Cause: r.cause}
	}
	return out, nil
}

// fail records an error in the value at i, and returns -1.
func (r *reader) fail(i int, cause error) int {
	r.at, r.cause = i, cause
	return -1
}

// value appends the value at i.
func (r *reader) value(out []byte, i int) ([]byte, int) {
	b := r.b
	if uint(i) >= uint(len(b)) {
		return out, r.fail(i, io.ErrUnexpectedEOF)
	}
	c := b[i]
	switch {
	case c <= msgpwire.FixintMax:
		return decimal.AppendUint(out, uint64(c)), i + 1
	case c < msgpwire.Fixarray:
		return r.object(out, i, i+1, uint64(c&0x0f))
	case c < msgpwire.Fixstr:
		return r.array(out, i, i+1, uint64(c&0x0f))
	case c <= msgpwire.FixstrMax:
		return r.text(out, i, i+1, uint64(c&0x1f))
	case c >= msgpwire.Negfixint:
		return decimal.AppendInt(out, int64(int8(c))), i + 1
	}
	next := i + int(msgpwire.Forms[c].Head)
	if next > len(b) {
		return out, r.fail(i, io.ErrUnexpectedEOF)
	}
	switch c {
	case msgpwire.Nil:
		return append(out, "null"...), next
	case msgpwire.False:
		return append(out, "false"...), next
	case msgpwire.True:
		return append(out, "true"...), next
	case msgpwire.Float32:
		f := math.Float32frombits(wire.BE32(b, i+1))
		if f-f != 0 {
			return r.nonFinite(out, i, next)
		}
		return decimal.AppendFloat32(out, f), next
	case msgpwire.Float64:
		f := math.Float64frombits(wire.BE64(b, i+1))
		if f-f != 0 {
			return r.nonFinite(out, i, next)
		}
		return decimal.AppendFloat64(out, f), next
	case msgpwire.Uint8:
		return decimal.AppendUint(out, uint64(b[i+1])), next
	case msgpwire.Uint16:
		return decimal.AppendUint(out, uint64(wire.BE16(b, i+1))), next
	case msgpwire.Uint32:
		return decimal.AppendUint(out, uint64(wire.BE32(b, i+1))), next
	case msgpwire.Uint64:
		return decimal.AppendUint(out, wire.BE64(b, i+1)), next
	case msgpwire.Int8:
		return decimal.AppendInt(out, int64(int8(b[i+1]))), next
	case msgpwire.Int16:
		return decimal.AppendInt(out, int64(int16(wire.BE16(b, i+1)))), next
	case msgpwire.Int32:
		return decimal.AppendInt(out, int64(int32(wire.BE32(b, i+1)))), next
	case msgpwire.Int64:
		return decimal.AppendInt(out, int64(wire.BE64(b, i+1))), next
	case msgpwire.Str8, msgpwire.Str16, msgpwire.Str32:
		return r.text(out, i, next, msgpwire.CountAt(b, i))
	case msgpwire.Bin8, msgpwire.Bin16, msgpwire.Bin32:
		return r.bin(out, i, next, msgpwire.CountAt(b, i))
	case msgpwire.Ext8, msgpwire.Ext16, msgpwire.Ext32:
		return r.ext(out, i, next, msgpwire.CountAt(b, i))
	case msgpwire.Array16, msgpwire.Array32:
		return r.array(out, i, next, msgpwire.CountAt(b, i))
	case msgpwire.Map16, msgpwire.Map32:
		return r.object(out, i, next, msgpwire.CountAt(b, i))
	}
	if c >= msgpwire.Fixext1 && c <= msgpwire.Fixext16 {
		return r.ext(out, i, i+2, uint64(next-i-2))
	}
	return out, r.fail(i, codeError(c))
}

// span returns the end of the n bytes that begin at the offset `start`. These bytes belong to the
// value at i.
func (r *reader) span(i, start int, n uint64) int {
	if n > uint64(len(r.b)-start) {
		return r.fail(i, io.ErrUnexpectedEOF)
	}
	return start + int(n)
}

// text appends the n bytes at the offset `start` as a string.
func (r *reader) text(out []byte, i, start int, n uint64) ([]byte, int) {
	next := r.span(i, start, n)
	if next < 0 {
		return out, next
	}
	text := r.b[start:next]
	if r.flags&RejectInvalidUTF8 != 0 && !utf8.Valid(text) {
		return out, r.fail(i, errUTF8)
	}
	return json.AppendEscape(out, mem.String(text), r.flags.text()), next
}

// bin appends the n bytes at the offset `start` as a base64 string.
func (r *reader) bin(out []byte, i, start int, n uint64) ([]byte, int) {
	next := r.span(i, start, n)
	if next < 0 {
		return out, next
	}
	return appendBase64(out, r.b[start:next]), next
}

func appendBase64(out, data []byte) []byte {
	out = base64.StdEncoding.AppendEncode(append(out, '"'), data)
	return append(out, '"')
}

// nonFinite handles NaN and infinities. If NonFiniteAsNull is set, it appends null; otherwise, it
// records an error.
func (r *reader) nonFinite(out []byte, i, next int) ([]byte, int) {
	if r.flags&NonFiniteAsNull == 0 {
		return out, r.fail(i, errNonFinite)
	}
	return append(out, "null"...), next
}

// enter begins the array or map at i. The argument `values` is the number of values that the head
// announces, and `next` is the offset of the first value. Each value has at least one byte, so
// enter returns false if there are not enough bytes.
func (r *reader) enter(i, next int, values uint64) bool {
	if values > uint64(len(r.b)-next) {
		r.fail(i, io.ErrUnexpectedEOF)
		return false
	}
	if r.depth++; r.depth > maxDepth {
		r.fail(i, errDepth)
		return false
	}
	return true
}

func (r *reader) array(out []byte, i, next int, n uint64) ([]byte, int) {
	if !r.enter(i, next, n) {
		return out, -1
	}
	out = append(out, '[')
	for k := range int(n) {
		if k > 0 {
			out = append(out, ',')
		}
		if out, next = r.value(out, next); next < 0 {
			r.path.Index(k)
			return out, -1
		}
	}
	r.depth--
	return append(out, ']'), next
}

func (r *reader) object(out []byte, i, next int, n uint64) ([]byte, int) {
	if !r.enter(i, next, 2*n) {
		return out, -1
	}
	out = append(out, '{')
	for k := range int(n) {
		if k > 0 {
			out = append(out, ',')
		}
		key := len(out)
		if out, next = r.key(out, next); next < 0 {
			return out, -1
		}
		out = append(out, ':')
		if out, next = r.value(out, next); next < 0 {
			r.path.Field(keyText(out[key:]))
			return out, -1
		}
	}
	r.depth--
	return append(out, '}'), next
}

// keyText returns the text of the key at the beginning of out. It does not read the bytes after the
// key, because they may include large nested values.
func keyText(out []byte) string {
	t := json.NewTokenizer(out)
	t.Next()
	return string(json.Unescape(t.Value))
}

// key appends the map key at i as a string.
func (r *reader) key(out []byte, i int) ([]byte, int) {
	b := r.b
	if uint(i) >= uint(len(b)) {
		return out, r.fail(i, io.ErrUnexpectedEOF)
	}
	switch c := b[i]; {
	case c >= msgpwire.Fixstr && c <= msgpwire.FixstrMax:
		return r.text(out, i, i+1, uint64(c&0x1f))
	case c >= msgpwire.Str8 && c <= msgpwire.Str32 || c >= msgpwire.Bin8 && c <= msgpwire.Bin32:
		next := i + int(msgpwire.Forms[c].Head)
		if next > len(b) {
			return out, r.fail(i, io.ErrUnexpectedEOF)
		}
		return r.text(out, i, next, msgpwire.CountAt(b, i))
	case c == msgpwire.Nil:
		return append(out, `""`...), i + 1
	case c >= msgpwire.Fixmap && c < msgpwire.Fixstr || c >= msgpwire.Array16 && c <= msgpwire.Map32:
		return out, r.fail(i, errKey)
	case msgpwire.IsExt(c):
		return r.exact(out, i)
	}
	out, next := r.exact(append(out, '"'), i)
	return append(out, '"'), next
}

// exact is like the method `value`, but ignores the flags that replace a value by something else.
func (r *reader) exact(out []byte, i int) ([]byte, int) {
	flags := r.flags
	r.flags &^= replacing
	out, next := r.value(out, i)
	r.flags = flags
	return out, next
}
