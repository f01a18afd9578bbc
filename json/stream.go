package json

// This file reads values and tokens from a stream.

import (
	"bytes"
	"io"
	"strconv"

	"github.com/slipstream-go/slipstream/internal/buffer"
)

// A Decoder reads JSON values from a stream, like the Decoder of encoding/json. It returns an array
// or object as soon as it has read the closing bracket. For other values, it must read one more
// byte, or the end of the stream. Bytes after the value stay in the buffer.
type Decoder struct {
	r    io.Reader
	buf  []byte
	next int   // the start of the unread bytes in buf
	slid int64 // the number of bytes of the stream before buf
	seen int64 // bytes that were read as values: offsets in errors count only these, as in encoding/json
	last int   // the length of the last value
	came int   // the length of the last read
	vain int64 // the number of bytes in failed attempts of decodeAtOnce
	idle int   // the length of the white space at next that peek has skipped

	filled buffer.Peak // the number of bytes in the buffer before each refill
	flags  ParseFlags
	err    error // the error that all later calls of Decode return
	scan   scanner

	state tokenState
	outer []tokenState // the states of the enclosing containers

	// The code in v2.go uses these fields.
	original *original // if not nil, reads the rest of the stream
	blanks   int       // the length of the white space that More has skipped
	readErr  error     // the error of the last read from r
}

// NewDecoder returns a Decoder that reads from r. The Decoder has a buffer, and may read bytes
// after the value.
func NewDecoder(r io.Reader) *Decoder { return &Decoder{r: r} }

// UseNumber makes the Decoder decode numbers as Number if the target is an interface.
func (d *Decoder) UseNumber() {
	d.flags |= UseNumber
	if d.original != nil {
		d.original.UseNumber()
	}
}

// DisallowUnknownFields makes the Decoder return an error if an object key matches no field of the
// target struct.
func (d *Decoder) DisallowUnknownFields() {
	d.flags |= DisallowUnknownFields
	if d.original != nil {
		d.original.DisallowUnknownFields()
	}
}

// RejectDuplicateNames makes the Decoder return an error if a name is repeated in an object. See
// the flag RejectDuplicateNames.
func (d *Decoder) RejectDuplicateNames() { d.flags |= RejectDuplicateNames }

// DontMatchCaseInsensitiveStructFields makes keys match only fields with exactly the same name.
func (d *Decoder) DontMatchCaseInsensitiveStructFields() {
	d.flags |= DontMatchCaseInsensitiveStructFields
}

// DontCopyString makes strings without escapes refer to the Decoder's buffer. The Decoder does not
// overwrite these bytes, so the strings remain valid. Each string keeps its buffer alive. The size
// of a buffer depends on the sizes of the values and of the reads. If values arrive one by one, a
// short string keeps about 1 KB alive; after large reads, it keeps up to 64 KB alive. A short
// string that was read together with a larger value keeps the buffer of that value alive.
func (d *Decoder) DontCopyString() { d.flags |= DontCopyString }

// DontCopyNumber makes a Number refer to the Decoder's buffer, like DontCopyString.
func (d *Decoder) DontCopyNumber() { d.flags |= DontCopyNumber }

// DontCopyRawMessage makes a RawMessage refer to the Decoder's buffer, like DontCopyString.
func (d *Decoder) DontCopyRawMessage() { d.flags |= DontCopyRawMessage }

// ReuseRawMessage makes the Decoder overwrite the bytes of a RawMessage in the target. See the flag
// ReuseRawMessage.
func (d *Decoder) ReuseRawMessage() { d.flags |= ReuseRawMessage }

// ZeroCopy sets DontCopyString, DontCopyNumber and DontCopyRawMessage.
func (d *Decoder) ZeroCopy() { d.flags |= ZeroCopy }

// Buffered returns a reader of the bytes that the Decoder has read after the last value. The reader
// is valid until the next call of Decode.
func (d *Decoder) Buffered() io.Reader {
	if d.original != nil {
		return d.original.buffered()
	}
	return bytes.NewReader(d.buf[d.next:])
}

// InputOffset returns the offset in the stream after the last token or value. After More, it
// returns the offset of the next token or value.
func (d *Decoder) InputOffset() int64 {
	if d.original != nil {
		return d.original.from + d.original.InputOffset()
	}
	return d.slid + int64(d.next+d.blanks)
}

// Decode decodes the next value into the target of the pointer v, as [Unmarshal] does. At the end
// of the stream, it returns io.EOF.
func (d *Decoder) Decode(v any) error {
	if d.original != nil {
		return d.original.decode(v, d.flags)
	}
	if d.err != nil {
		return d.err
	}
	if err := d.separator(); err != nil {
		return err
	}
	if !d.state.allowsValue() {
		return syntaxError("not at beginning of value", d.InputOffset())
	}
	at := d.InputOffset()
	done, err := d.decodeAtOnce(v)
	if !done {
		var n int
		switch n, done, err = d.readValue(v); {
		case done:
		case err != nil && d.handsOver():
			return d.handOver().decode(v, d.flags)
		case err != nil:
			return err
		default:
			if err = decodeOne(d.buf[d.next:d.next+n], v, d.flags); onV2 && err == errAskOriginal {
				return d.handOver().decode(v, d.flags)
			}
			d.advance(n)
		}
	}
	d.state = d.state.afterValue()
	return twiceAt(at, err)
}

func (d *Decoder) advance(n int) {
	d.next += n
	d.idle = 0
	d.blanks = 0
	d.seen += int64(n)
	d.last = n
}

// decodeAtOnce tries to decode the next value without first searching for its end. This fails if
// the buffer does not contain the whole value. So decodeAtOnce does not try if the buffer contains
// fewer bytes than the last value had. It also does not try if a fifth of all decoded bytes belong
// to failed attempts. This happens, for example, if each value is a little longer than the previous
// value.
func (d *Decoder) decodeAtOnce(v any) (done bool, err error) {
	o := rootOf(v)
	if n := len(d.buf) - d.next; o == nil || n == 0 || n < d.last || d.vain > d.seen/4 {
		return false, nil
	}
	x := decoders.Get().(*decoder)
	x.flags = d.flags
	n, err := x.first(d.buf[d.next:], v, o, openEnded)
	x.release()
	if n == failed {
		d.vain += int64(len(d.buf) - d.next)
		return false, nil
	}
	d.advance(n)
	return true, err
}

// readValue reads until the whole next value is in the buffer. It returns the length of the value,
// including the white space before it. After a read, readValue may try to decode the value directly
// into v. If this succeeds, done is true.
func (d *Decoder) readValue(v any) (length int, done bool, err error) {
	d.scan.reset()
	i := d.next
	tried := len(d.buf) - i
	var readErr error
	for {
		var seen verdict
		i, seen = d.scan.scan(d.buf, i)
		switch {
		case seen == complete:
			return i - d.next, false, nil
		case seen == invalid:
			d.err = d.explain(i)
			return 0, false, d.err
		case readErr == io.EOF && d.scan.whole():
			return i - d.next, false, nil
		case readErr != nil:
			if readErr == io.EOF && len(bytes.TrimLeft(d.buf, " \t\r\n")) > 0 {
				readErr = io.ErrUnexpectedEOF
			}
			d.err = readErr
			return 0, false, d.err
		}
		n := i - d.next
		readErr = d.refill()
		i = d.next + n
		if here := len(d.buf) - d.next; readErr == nil && tried < d.last && here >= d.last {
			tried = here
			if done, err := d.decodeAtOnce(v); done {
				return 0, true, err
			}
		}
	}
}

// explain returns encoding/json's error for the value that d.scan found to be invalid at d.buf[i].
func (d *Decoder) explain(i int) error {
	var err error
	if !onV2 {
		err = d.scan.explain(d.buf[d.next:], i-d.next, invalid)
	}
	if err == nil {
		err = explain(d.buf[d.next:])
	}
	if e, ok := err.(*SyntaxError); ok {
		e.Offset += d.seen
	}
	return err
}

const (
	leastRead = 512      // the minimum space for a read
	leastView = 16       // like leastRead, but for a buffer that values refer to, and in addition to twice the length of the last read
	mostRead  = 64 << 10 // the maximum space in a new buffer for bytes after the value
)

// refill drops the consumed bytes, and calls Read once. The buffer grows when it is full, and is
// replaced by a new buffer when it has become too large. If values may refer to the buffer, its
// bytes must not change. In this case, refill reads into the space after these bytes, and replaces
// the buffer if there is not enough space.
//
// The size of a new buffer depends on the length of the reads, never on the largest value so far.
// If a read of n bytes contains a value of a few bytes, the value keeps at most 2n bytes alive.
func (d *Decoder) refill() error {
	views := d.flags&ZeroCopy != 0
	least := leastRead
	if views {
		least = min(leastRead, 2*d.came+leastView) // small reads share a buffer
	}
	if d.next > 0 {
		tooLarge := d.filled.TooLarge(len(d.buf), cap(d.buf), mostRead)
		stays := views && cap(d.buf) <= mostRead && cap(d.buf)-len(d.buf) >= least
		if !stays {
			d.slide(views || tooLarge)
		}
	}
	if cap(d.buf)-len(d.buf) < least {
		grown := make([]byte, len(d.buf), 2*cap(d.buf)+leastRead)
		copy(grown, d.buf)
		d.buf = grown
	}
	n, err := d.r.Read(d.buf[len(d.buf):cap(d.buf)])
	d.came = n
	d.buf = d.buf[:len(d.buf)+n]
	if onV2 && n > 0 {
		err = nil // the reader is expected to return the error again
	}
	d.readErr = err
	return err
}

// slide moves the unconsumed bytes to the start of the buffer. If replace is true, it moves them to
// a new buffer.
func (d *Decoder) slide(replace bool) {
	d.slid += int64(d.next)
	rest := d.buf[d.next:]
	if replace {
		d.buf = make([]byte, 0, len(rest)+min(max(2*d.came, leastRead), mostRead))
	}
	d.buf = d.buf[:copy(d.buf[:cap(d.buf)], rest)]
	d.next = 0
}

// tokenState defines which tokens Token, More and Decode may find next.
type tokenState uint8

const (
	tokenTop tokenState = iota
	tokenFirstElement
	tokenElement
	tokenAfterElement
	tokenFirstKey
	tokenKey
	tokenAfterKey
	tokenMember // a member's value
	tokenAfterMember
)

func (s tokenState) allowsValue() bool {
	switch s {
	case tokenTop, tokenFirstElement, tokenElement, tokenMember:
		return true
	}
	return false
}

func (s tokenState) afterValue() tokenState {
	switch s {
	case tokenFirstElement, tokenElement:
		return tokenAfterElement
	case tokenMember:
		return tokenAfterMember
	}
	return s
}

// separator reads the comma or colon before a value. Decode calls it.
func (d *Decoder) separator() error {
	var want byte
	var text string
	after := tokenElement
	switch d.state {
	case tokenAfterElement:
		want, text = ',', "expected comma after array element"
	case tokenAfterKey:
		want, text, after = ':', "expected colon after object key", tokenMember
	default:
		return nil
	}
	c, err := d.peek()
	if err != nil {
		return err
	}
	if c != want {
		return syntaxError(text, d.InputOffset())
	}
	d.next++
	d.state = after
	return nil
}

// More reports whether the current array or object has another element.
func (d *Decoder) More() bool {
	if d.handsOver() {
		return d.moreV2()
	}
	c, err := d.peek()
	return err == nil && c != ']' && c != '}'
}

// peek returns the next byte that is not white space. After an error of the reader, the next call
// continues where peek stopped.
func (d *Decoder) peek() (byte, error) {
	var err error
	for i := d.next + d.idle; ; {
		for ; i < len(d.buf); i++ {
			if c := d.buf[i]; !isBlank(c) {
				d.next, d.idle = i, 0
				return c, nil
			}
		}
		if err != nil {
			d.idle = i - d.next
			return 0, err
		}
		n := i - d.next
		err = d.refill()
		i = d.next + n
	}
}

// Token returns the next token: a Delim, bool, float64, Number, string or nil. It checks commas,
// colons and matching brackets, but does not return commas and colons. At the end of the stream, it
// returns io.EOF.
func (d *Decoder) Token() (Token, error) {
	if d.handsOver() {
		return d.handOver().token()
	}
	for {
		c, err := d.peek()
		if err != nil {
			return nil, err
		}
		switch c {
		case '[', '{':
			if !d.state.allowsValue() {
				return nil, d.misplaced(c)
			}
			d.outer = append(d.outer, d.state)
			if d.state = tokenFirstElement; c == '{' {
				d.state = tokenFirstKey
			}
			d.next++
			return Delim(c), nil
		case ']', '}':
			first, after := tokenFirstElement, tokenAfterElement
			if c == '}' {
				first, after = tokenFirstKey, tokenAfterMember
			}
			if d.state != first && d.state != after {
				return nil, d.misplaced(c)
			}
			last := len(d.outer) - 1
			d.state = d.outer[last].afterValue()
			d.outer = d.outer[:last]
			d.next++
			return Delim(c), nil
		case ':':
			if d.state != tokenAfterKey {
				return nil, d.misplaced(c)
			}
			d.state = tokenMember
			d.next++
		case ',':
			switch d.state {
			case tokenAfterElement:
				d.state = tokenElement
			case tokenAfterMember:
				d.state = tokenKey
			default:
				return nil, d.misplaced(c)
			}
			d.next++
		default:
			if c == '"' && (d.state == tokenFirstKey || d.state == tokenKey) {
				return d.keyToken()
			}
			if !d.state.allowsValue() {
				return nil, d.misplaced(c)
			}
			var v any
			if err := d.Decode(&v); err != nil {
				return nil, err
			}
			return v, nil
		}
	}
}

func (d *Decoder) keyToken() (Token, error) {
	var key string
	state := d.state
	d.state = tokenTop
	err := d.Decode(&key)
	d.state = state
	if err != nil {
		return nil, err
	}
	d.state = tokenAfterKey
	return key, nil
}

// misplaced returns the error for a token that is not allowed in the current state.
func (d *Decoder) misplaced(c byte) error {
	where := ""
	switch d.state {
	case tokenTop, tokenFirstElement, tokenElement, tokenMember:
		where = " looking for beginning of value"
	case tokenAfterElement:
		where = " after array element"
	case tokenKey:
		where = " looking for beginning of object key string"
	case tokenAfterKey:
		where = " after object key"
	case tokenAfterMember:
		where = " after object key:value pair"
	}
	return syntaxError("invalid character "+quoted(c)+where, d.InputOffset())
}

// quoted returns c in the form that encoding/json uses in error texts.
func quoted(c byte) string {
	switch c {
	case '\'':
		return `'\''`
	case '"':
		return `'"'`
	}
	s := strconv.Quote(string(rune(c)))
	return "'" + s[1:len(s)-1] + "'"
}
