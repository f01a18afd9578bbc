package transcode

// This file converts streams. Each value is read completely, and then converted by the same code as
// in AppendJSON and AppendMessagePack. The output is buffered until the decoder needs more input,
// or until the output is large. So values that arrive together are written together, and output
// never waits for input that has not arrived.

import (
	"errors"
	"io"

	"github.com/slipstream-go/slipstream/internal/buffer"
	"github.com/slipstream-go/slipstream/internal/wire"
	"github.com/slipstream-go/slipstream/json"
	"github.com/slipstream-go/slipstream/msgpack"
)

const (
	windowSize = 32 << 10
	much       = 64 << 10 // size at which buffered output is written
)

// WriteJSON writes the MessagePack values in r to w as JSON, each on its own line, until r ends.
// Each value is written before r is read again. WriteJSON needs memory for the current value in
// both formats, plus about 100 KB.
//
// At the first invalid value, it returns an *[Error], whose Offset is relative to the first byte of
// r. In this case, all earlier values have been written, and r may have been read beyond the
// invalid value. Errors from r and w are returned unchanged.
func WriteJSON(w io.Writer, r io.Reader, flags Flags) error {
	p := pipe{r: r, w: w}
	d := msgpack.NewDecoder(&p)
	for {
		if _, err := d.PeekCode(); err == io.EOF {
			return p.end(nil)
		}
		at := d.InputOffset()
		raw, err := d.DecodeRawView()
		if err != nil {
			return p.end(broken(err, at))
		}
		in := reader{b: raw, flags: flags}
		out, err := in.all(p.out)
		if err != nil {
			return p.end(moved(err, at))
		}
		if err := p.put(append(out, '\n')); err != nil {
			return err
		}
	}
}

// broken returns the error for a value that is not valid MessagePack, or is incomplete. The
// argument `err` is the error from the Decoder.
func broken(err error, at int64) error {
	e := &Error{Offset: at, Cause: err}
	errors.As(err, &e)
	if errors.Is(err, io.EOF) {
		return &Error{Offset: e.Offset, Cause: io.ErrUnexpectedEOF}
	}
	return e
}

// WriteMessagePack writes the JSON values in r to w as MessagePack, one after the other, until r
// ends. Values may be separated by newlines or other white space. The separator may be omitted
// where the Decoder of encoding/json does not need it. Like [WriteJSON], WriteMessagePack writes
// each value before it reads r again. Its memory use and its errors are the same as those of
// WriteJSON.
func WriteMessagePack(w io.Writer, r io.Reader, flags Flags) error {
	p := pipe{r: r, w: w}
	d := json.NewDecoder(&p)
	d.ReuseRawMessage()
	k := packers.Get().(*packer)
	defer k.release()
	var raw json.RawMessage
	var peak buffer.Peak // of raw
	for {
		switch err := d.Decode(&raw); {
		case err == io.EOF:
			return p.end(nil)
		case err != nil:
			return p.end(k.invalid(err, d))
		}
		out, err := k.all(p.out, raw, flags)
		if err != nil {
			return p.end(moved(err, d.InputOffset()-int64(len(raw))))
		}
		if err := p.put(out); err != nil {
			return err
		}
		k.forget()
		if peak.TooLarge(len(raw), cap(raw), much) {
			raw = nil
		}
	}
}

// invalid returns the error for the current value of d, which is invalid or incomplete.
func (p *packer) invalid(err error, d *json.Decoder) error {
	e := &Error{Offset: d.InputOffset(), Cause: err}
	rest, _ := io.ReadAll(d.Buffered())
	var found *Error
	if _, err := p.all(nil, rest, 0); errors.As(err, &found) {
		e.Offset += found.Offset
		e.Path = found.Path
	}
	return e
}

// moved adds `at`, which is the offset of a value in a stream, to the offset in err. The error err
// must be an *Error.
func moved(err error, at int64) error {
	err.(*Error).Offset += at
	return err
}

// pipe reads a stream, and writes the buffered output before each read. It always requests a whole
// window of bytes from the stream, because a decoder may request only a few bytes.
type pipe struct {
	r        io.Reader
	w        io.Writer
	window   []byte      // nil before the first read
	in       []byte      // bytes of window that have not been returned yet
	out      []byte      // buffered output
	peak     buffer.Peak // sizes of out
	readErr  error       // error from r, which may be returned together with bytes
	writeErr error       // error from w
}

func (p *pipe) Read(b []byte) (int, error) {
	if len(p.in) == 0 && p.readErr == nil {
		if err := p.flush(); err != nil {
			return 0, err
		}
		if p.window == nil {
			p.window = make([]byte, windowSize)
		}
		var n int
		n, p.readErr = p.r.Read(p.window)
		p.in = p.window[:n]
	}
	if len(p.in) == 0 {
		return 0, p.readErr
	}
	n := copy(b, p.in)
	p.in = p.in[n:]
	return n, nil
}

// put replaces the buffered output by out, which must begin with the current buffered output. If
// out is large, put writes it.
func (p *pipe) put(out []byte) error {
	p.out = out
	if len(out) < much {
		return nil
	}
	return p.flush()
}

// flush writes the buffered output.
func (p *pipe) flush() error {
	if p.writeErr != nil || len(p.out) == 0 {
		return p.writeErr
	}
	p.writeErr = wire.WriteAll(p.w, p.out)
	if p.peak.TooLarge(len(p.out), cap(p.out), much) {
		p.out = nil
	}
	p.out = p.out[:0]
	return p.writeErr
}

// end writes the buffered output, and returns the error of the call. If w has returned an error, it
// returns this error. Otherwise, if err wraps an error from r, it returns the error from r.
// Otherwise, it returns err.
func (p *pipe) end(err error) error {
	if err := p.flush(); err != nil {
		return err
	}
	if p.readErr != nil && p.readErr != io.EOF && errors.Is(err, p.readErr) {
		return p.readErr
	}
	return err
}
