package transcode

// JSON to MessagePack. The tokens come from json.Tokenizer, and each is written as it comes. How
// many elements an array or object has is known where it ends, so one byte is kept for its head,
// which is enough for up to 15; heads.go has what happens to the others.

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

// AppendMessagePack appends a JSON document to dst as a MessagePack value, as the tables of the
// package describe. With an error, an *[Error], it returns dst unchanged.
func AppendMessagePack(dst, json []byte, flags Flags) ([]byte, error) {
	p := packers.Get().(*packer)
	out, err := p.all(dst, json, flags)
	p.release()
	if err != nil {
		return dst, err
	}
	return out, nil
}

// packer is at work on one document.
type packer struct {
	t    json.Tokenizer
	open []list // the arrays and objects that the next token is in, the outermost first
	wide []list // those closed that need more than a byte for their head, in the order in which they closed
	more int    // how many bytes all of these need beyond that one
}

// list is an array or object in the making.
type list struct {
	at int // where its head stands in the output
	n  int // how many elements or pairs it has: of an open one, how many before the last comma
}

var packers = sync.Pool{New: func() any { return new(packer) }}

// listsKept is for how many lists a packer keeps room.
const listsKept = 4096

// forget drops the room that only large documents need.
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

// all appends the document that data is.
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
			} else { // it does not fit
				out, cause = appendNumber(out, t)
			}
		case json.Int:
			if v := t.Int(); v != 0 {
				out = msgpwire.AppendInt(out, v)
			} else { // -0 too
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

// close writes the head of the innermost list, if a byte is enough for it.
func (p *packer) close(out []byte) error {
	last := len(p.open) - 1
	l := p.open[last]
	p.open = p.open[:last]
	if l.at < len(out)-1 {
		l.n++ // there is one element more than there are commas
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

// appendNumber appends the number that t is at as a float64.
func appendNumber(out []byte, t *json.Tokenizer) ([]byte, error) {
	f, inRange := decimal.ParseFloat64(t.Value)
	if !inRange {
		return out, errRange
	}
	return msgpwire.AppendFloat64(out, f), nil
}

// appendText appends the text of a string that has escapes, or bytes that are not ASCII. How long
// it is is known afterwards; it is moved if the head is not as long as it would be for the string
// as it stands.
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

// stringHead is how many bytes msgpwire.AppendStringLen appends.
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

// fault is the error for data, where t has come to its end or to what is at fault, which has this
// cause if it has one.
func (p *packer) fault(data []byte, cause error) error {
	at := len(data) - p.t.Remaining() - len(p.t.Value)
	switch {
	case cause != nil:
	case p.t.Err != nil && len(p.open) > 0: // in the first value, where it is the error of encoding/json for data too
		cause = p.t.Err
	default:
		cause = syntaxError(data)
	}
	return &Error{Offset: int64(at), Path: pathTo(&p.t, data, at), Cause: cause}
}

// syntaxError is the error of encoding/json for data.
func syntaxError(data []byte) error {
	var raw encodingjson.RawMessage
	if err := encodingjson.Unmarshal(data, &raw); err != nil {
		return err
	}
	return io.ErrUnexpectedEOF // which it cannot be
}
