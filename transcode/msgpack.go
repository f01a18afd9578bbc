package transcode

// This file converts JSON to MessagePack. The tokens come from json.Tokenizer, and each token is
// written immediately. The number of elements of an array or object is known only at its end. So
// one byte is reserved for the head, which is sufficient for up to 15 elements. The code for longer
// arrays and objects is in heads.go.

import (
	encodingjson "encoding/json"
	"io"
	"math"
	"sync"

	"github.com/slipstream-go/slipstream/internal/decimal"
	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/internal/msgpwire"
	"github.com/slipstream-go/slipstream/json"
)

// AppendMessagePack converts a JSON document to a MessagePack value, and appends the value to dst.
// The tables in the package comment describe the conversion. On error, AppendMessagePack returns
// dst unchanged, and an *[Error].
func AppendMessagePack(dst, json []byte, flags Flags) ([]byte, error) {
	p := packers.Get().(*packer)
	out, err := p.all(dst, json, flags)
	p.release()
	if err != nil {
		return dst, err
	}
	return out, nil
}

// packer converts one document.
type packer struct {
	t    json.Tokenizer
	open []list // the arrays and objects that enclose the next token, beginning with the outermost
	wide []list // the closed arrays and objects whose head needs more than one byte, in the order of their ends
	more int    // total number of additional bytes for the heads of the lists in wide
}

// list is an array or object that is being written.
type list struct {
	at int // offset of the list's head in the output
	n  int // number of elements or pairs; in an open list, only the number before the last comma
}

var packers = sync.Pool{New: func() any { return new(packer) }}

// listsKept is the maximum number of lists for which a packer keeps memory.
const listsKept = 4096

// forget releases memory that only large documents need.
func (p *packer) forget() {
	if cap(p.open) > listsKept {
		p.open = nil
	}
	if cap(p.wide) > listsKept {
		p.wide = nil
	}
}

func (p *packer) release() {
	p.forget()
	p.t.Reset(nil)
	packers.Put(p)
}

// all appends the document in data.
func (p *packer) all(out, data []byte, flags Flags) ([]byte, error) {
	if cap(out) == 0 {
		out = mem.Room(len(data) - len(data)/4 + 64)
	}
	t := &p.t
	t.Reset(data)
	p.open, p.wide, p.more = p.open[:0], p.wide[:0], 0
	begin := len(out)
	var cause error
	for cause == nil && t.Next() {
		if len(p.open) == 0 && len(out) > begin { // a second value
			break
		}
		switch t.Kind() {
		case json.Null:
			out = append(out, msgpwire.Nil)
		case json.False:
			out = append(out, msgpwire.False)
		case json.True:
			out = append(out, msgpwire.True)
		case json.Uint:
			if v := t.Uint(); v != 0 || len(t.Value) == 1 {
				out = msgpwire.AppendUint(out, v)
			} else { // the number does not fit a uint64
				out, cause = appendNumber(out, t)
			}
		case json.Int:
			if v := t.Int(); v != 0 {
				out = msgpwire.AppendInt(out, v)
			} else { // the number does not fit an int64, or is -0
				out, cause = appendNumber(out, t)
			}
		case json.Float:
			out, cause = appendNumber(out, t)
		case json.Unescaped:
			text := t.Value[1 : len(t.Value)-1]
			if uint64(len(text)) > math.MaxUint32 {
				cause = errLongString
				break
			}
			out = append(msgpwire.AppendStringLen(out, len(text)), text...)
		case json.String:
			if flags&RejectInvalidUTF8 != 0 && !isText(t.Value) {
				cause = errUTF8
				break
			}
			out, cause = appendText(out, t.Value)
		case json.Array:
			p.open = append(p.open, list{at: len(out)})
			out = append(out, msgpwire.Fixarray)
		case json.Object:
			p.open = append(p.open, list{at: len(out)})
			out = append(out, msgpwire.Fixmap)
		default:
			switch t.Delim {
			case ',':
				p.open[len(p.open)-1].n++
			case ']', '}':
				cause = p.close(out)
			}
		}
	}
	if cause != nil || t.Err != nil || t.Value != nil || len(out) == begin {
		return nil, p.fault(data, cause)
	}
	return p.widen(out), nil
}

// close writes the head of the innermost list, if one byte is sufficient.
func (p *packer) close(out []byte) error {
	last := len(p.open) - 1
	l := p.open[last]
	p.open = p.open[:last]
	if l.at < len(out)-1 {
		l.n++ // the last element has no comma after it
	}
	switch {
	case l.n < 16:
		out[l.at] |= byte(l.n)
	case uint64(l.n) > math.MaxUint32:
		return errLongList
	default:
		p.wide = append(p.wide, l)
		p.more += listHead(l.n) - 1
	}
	return nil
}

// appendNumber appends the current number of t as a float64.
func appendNumber(out []byte, t *json.Tokenizer) ([]byte, error) {
	f, inRange := decimal.ParseFloat64(t.Value)
	if !inRange {
		return out, errRange
	}
	return msgpwire.AppendFloat64(out, f), nil
}

// appendText appends the text of a string that contains escapes, or bytes that are not ASCII. The
// length of the text is known only afterwards. So appendText reserves a head that is large enough
// for the length of the token. If the text needs a head of another size, appendText moves the text.
func appendText(out []byte, token json.RawValue) ([]byte, error) {
	at := len(out)
	head := stringHead(len(token) - 2)
	out = append(out, "12345"[:head]...)
	out = token.AppendUnquote(out)
	n := len(out) - at - head
	if uint64(n) > math.MaxUint32 {
		return out, errLongString
	}
	if right := stringHead(n); right != head {
		out = append(out, "1234"[:max(right-head, 0)]...)
		copy(out[at+right:], out[at+head:at+head+n])
		out = out[:at+right+n]
	}
	msgpwire.AppendStringLen(out[:at], n)
	return out, nil
}

// stringHead returns the number of bytes that msgpwire.AppendStringLen appends.
func stringHead(n int) int {
	switch {
	case n < 32:
		return 1
	case n <= math.MaxUint8:
		return 2
	case n <= math.MaxUint16:
		return 3
	}
	return 5
}

// fault returns the error for data. The tokenizer p.t must be at the end of data, or at the invalid
// token. If cause is nil, fault finds the cause.
func (p *packer) fault(data []byte, cause error) error {
	at := len(data) - p.t.Remaining() - len(p.t.Value)
	switch {
	case cause != nil:
	case p.t.Err != nil && len(p.open) > 0: // in the first value, where encoding/json returns the same error for data
		cause = p.t.Err
	default:
		cause = syntaxError(data)
	}
	return &Error{Offset: int64(at), Path: pathTo(&p.t, data, at), Cause: cause}
}

// syntaxError returns encoding/json's error for data.
func syntaxError(data []byte) error {
	var raw encodingjson.RawMessage
	if err := encodingjson.Unmarshal(data, &raw); err != nil {
		return err
	}
	return io.ErrUnexpectedEOF // cannot happen
}
